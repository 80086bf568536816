"""The figures of the session tools: `uv run python -m bench.sessions --server daphne --json out.json`."""

from bench.running import measure, parser

PARTS = ("handing", "queueing", "listing")


def main() -> None:
    """Measure what was asked for and tell it."""
    measure(parser("bench.sessions", __doc__, PARTS, port=18770).parse_args(), PARTS)


if __name__ == "__main__":
    main()
