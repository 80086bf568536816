"""What `up` prints once the hub answers: where it is, and the lines that add it to an agent."""

from pathlib import Path

from project.connecting import ways


def greeting(url: str, resource: str, folder: Path) -> str:
    """Ready to be copied line by line."""
    head = f"\nTertulia is ready: {url}   (sign in there; data in {folder}; Ctrl-C stops it)\n\n"
    blocks = (f"{way.client} ({way.note}):\n" + "".join(f"  {line}\n" for line in way.lines) for way in ways(resource))
    return head + "".join(blocks)
