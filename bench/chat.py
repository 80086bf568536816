"""The figures of the account chat: `uv run python -m bench.chat --server daphne --json out.json`."""

from bench.running import measure, parser

PARTS = ("post", "wake", "writers", "memory", "history", "hints", "crash", "hooks")


def main() -> None:
    """Measure what was asked for and tell it."""
    told = parser("bench.chat", __doc__, PARTS, port=18760)
    told.add_argument("--redis", default="redis://127.0.0.1:6379/9", help="for the wake through Redis, where it answers")
    measure(told.parse_args(), PARTS)


if __name__ == "__main__":
    main()
