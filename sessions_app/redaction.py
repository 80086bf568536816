"""Secrets that stand in text: found by their shape, and masked before anything is cut. Pure."""

import re

SHORTEST_SHOWN = 18
PLAIN = re.compile(
    r"""
    \b(?:sk|rk|pk)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9_-]{8,}        # OpenAI, Anthropic, Stripe
    | \bgh[oprsu]_[A-Za-z0-9]{20,} | \bgithub_pat_[A-Za-z0-9_]{20,}
    | \bglpat-[A-Za-z0-9_-]{16,}
    | \bxox[abeoprs]-[A-Za-z0-9-]{10,} | \bxapp-[A-Za-z0-9-]{10,}
    | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b
    | \bAIza[A-Za-z0-9_-]{30,}
    | \b(?:hf|npm|pplx|gsk)[_-][A-Za-z0-9]{16,} | \bpypi-[A-Za-z0-9_-]{16,}
    | \bt[rosk]-[A-Za-z0-9_-]{40,}
    | \b\d{6,12}:[A-Za-z0-9_-]{30,}                                  # Telegram
    | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}   # JWT
    """,
    re.VERBOSE,
)
NAMED = re.compile(
    r"""(?P<head>["']?\b[A-Za-z0-9_.-]{0,40}(?:api[_-]?key|token|secret|passw(?:or)?d|private[_-]?key)["']?\s{0,4}[:=]\s{0,4}["']?)"""
    r"""(?P<value>[^\s"',;&}\]*]{8,512})""",
    re.IGNORECASE,
)
BEARER = re.compile(r"(?P<head>\b(?:Bearer|Basic)\s{1,4})(?P<value>[A-Za-z0-9._~+/=-]{16,4096})", re.IGNORECASE)
BLOCK = re.compile(r"(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----).*?(-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)", re.DOTALL)
IN_ADDRESS = re.compile(r"(?P<head>\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,128}:)(?P<value>[^\s/@]{3,256})(?=@)", re.IGNORECASE)


def mask(secret: str) -> str:
    """Three stars, or of a long one its first six and last four characters."""
    return "***" if len(secret) < SHORTEST_SHOWN else f"{secret[:6]}…{secret[-4:]}"


def redact(text: str) -> tuple[str, bool]:
    """The text with what looks like a secret masked, and whether there was any."""
    found = BLOCK.sub(r"\1\n…\n\2", text)
    found = PLAIN.sub(lambda hit: mask(hit.group()), found)
    for shape in (BEARER, IN_ADDRESS, NAMED):
        found = shape.sub(lambda hit: hit["head"] + (hit["value"] if "…" in hit["value"] else mask(hit["value"])), found)
    return found, found != text
