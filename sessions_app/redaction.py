"""Secrets that stand in text: found by their shape, and masked before anything is cut. Pure, and quick in long texts: a shape
is looked for only where what it begins with, or holds, is there at all."""

import re

SHORTEST_SHOWN = 18
NAME = re.compile(
    r"(?:api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|token|secret"
    r"|passw(?:or)?d|passphrase|pwd|credentials?|(?-i:[A-Z0-9]_KEY))$",
    re.IGNORECASE,
)
WORDS = ("key", "token", "secret", "passw", "passphrase", "pwd", "credential")
BEGINNINGS = {
    "sk-": r"[A-Za-z0-9_-]{8,}",
    "sk_live_": r"[A-Za-z0-9]{8,}",
    "sk_test_": r"[A-Za-z0-9]{8,}",
    "rk_live_": r"[A-Za-z0-9]{8,}",
    "github_pat_": r"[A-Za-z0-9_]{20,}",
    "glpat-": r"[A-Za-z0-9_-]{16,}",
    "xox": r"[abeoprs]-[A-Za-z0-9-]{10,}",
    "xapp-": r"[A-Za-z0-9-]{10,}",
    "AKIA": r"[A-Z0-9]{16}(?![A-Za-z0-9])",
    "ASIA": r"[A-Z0-9]{16}(?![A-Za-z0-9])",
    "AIza": r"[A-Za-z0-9_-]{30,}",
    "hf_": r"[A-Za-z0-9]{16,}",
    "npm_": r"[A-Za-z0-9]{16,}",
    "gsk_": r"[A-Za-z0-9]{16,}",
    "pplx-": r"[A-Za-z0-9]{16,}",
    "pypi-": r"[A-Za-z0-9_-]{16,}",
    "tr-": r"[A-Za-z0-9_-]{40,}",
    "tw-": r"[A-Za-z0-9_-]{40,}",
    "eyJ": r"[A-Za-z0-9_-]{8,2048}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}",  # bounded: it may begin again at every `-eyJ`
    **{f"gh{letter}_": r"[A-Za-z0-9]{20,}" for letter in "oprsu"},
}
"""What tokens begin with, and what follows then."""
SHAPES = {
    beginning: re.compile(rf"{re.escape(beginning)}(?<![A-Za-z0-9]{re.escape(beginning)}){rest}")
    for beginning, rest in BEGINNINGS.items()
}
TELEGRAM = re.compile(r"(?<![0-9])[0-9]{6,12}:[A-Za-z0-9_-]{30,}")
HEAD = re.compile(r"""(?<![A-Za-z0-9_-])([A-Za-z0-9_-]{3,})(?:\\?["'])?[ \t]{0,4}[:=][ \t]{0,4}""")
VALUE = re.compile(
    r"""(?P<quote>\\?["'])(?P<quoted>[^"'\\\n]{1,4096})(?=(?P=quote))"""
    r"""|(?:\\?["'])?(?P<value>[^\s"'\\,;&}\]*]{6,})"""
)
FLAG = re.compile(r"(?P<head>--(?:api[_-]?key|token|secret|password|passwd)[ \t]{1,4})(?P<value>[^\s\"']{6,})")
BEARER = re.compile(r"(?P<head>(?:[Bb]earer|BEARER|[Bb]asic|BASIC)[ \t]{1,4})(?P<value>[A-Za-z0-9._~+/=-]{16,})")
BLOCK = re.compile(r"(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----).*?(-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)", re.DOTALL)
IN_ADDRESS = re.compile(r"(?P<head>://[^\s:/@]{0,128}:)(?P<value>[^\s/@]{1,1024})(?=@)")
MASKED = re.compile(r"""^(?:\*\*\*|.{6}….{4})$""", re.DOTALL)


def mask(secret: str) -> str:
    """Three stars, or of a long one its first six and last four characters."""
    return "***" if len(secret) < SHORTEST_SHOWN else f"{secret[:6]}…{secret[-4:]}"


def redact(text: str) -> tuple[str, bool]:
    """The text with what looks like a secret masked, and whether there was any."""
    found = BLOCK.sub(r"\1\n…\n\2", text) if "PRIVATE KEY-----" in text else text
    for beginning, shape in SHAPES.items():
        if beginning in found:
            found = shape.sub(lambda hit: mask(hit.group()), found)
    lower = found.lower()
    if ":" in found:
        found = TELEGRAM.sub(lambda hit: mask(hit.group()), found)
    if "bearer" in lower or "basic" in lower:
        found = BEARER.sub(_valued, found)
    if "://" in found and "@" in found:
        found = IN_ADDRESS.sub(_valued, found)
    if any(word in lower for word in WORDS):
        found = FLAG.sub(_valued, _without_named(found))
    return found, found != text


def is_secret_name(name: str) -> bool:
    """Whether a member of this name holds a secret, whatever it looks like."""
    return (len(name) <= 128 and NAME.search(name) is not None) or name.lower() == "authorization"


def _valued(hit: re.Match[str]) -> str:
    return str(hit["head"]) + _once(hit["value"])


def _without_named(text: str) -> str:
    """With the values masked that stand after a name such as `api_key=` or `"password": `."""
    told, at = [], 0
    for head in HEAD.finditer(text):
        if head.start() < at or NAME.search(head[1][-32:]) is None:
            continue
        if (hit := VALUE.match(text, head.end())) is not None:
            group = "value" if hit["value"] is not None else "quoted"
            told += [text[at : hit.start(group)], _once(hit[group])]
            at = hit.end(group)
    return "".join([*told, text[at:]])


def _once(value: str) -> str:
    return value if MASKED.match(value) else mask(value)
