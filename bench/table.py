"""Two results side by side as Markdown: `uv run python -m bench.table daphne.json uvicorn.json`."""

import json
import sys
from pathlib import Path
from typing import Any


def cell(figure: dict[str, Any] | None) -> str:
    """Value, ratio and whether the target is met."""
    if figure is None:
        return "–"
    text = f"{figure['value']:,.0f} {figure['unit']}" if figure["value"] >= 100 else f"{figure['value']:.3g} {figure['unit']}"
    if figure["ratio"] is not None:
        text += f" ({figure['ratio']:.2f} ×)"
    return text + {True: "", False: " **missed**", None: ""}[figure["met"]]


def target(figure: dict[str, Any]) -> str:
    """What is to be reached."""
    unit = "×" if figure["ratio"] is not None else figure["unit"]
    if figure["most"] is not None:
        return f"≤ {figure['most']:g} {unit}"
    return f"≥ {figure['least']:g} {unit}" if figure["least"] is not None else ""


def main() -> None:
    """Print a table a part."""
    results = [json.loads(Path(name).read_text()) for name in sys.argv[1:]]
    named = [{(each["part"], label(each)): each for each in result["figures"]} for result in results]
    part = ""
    for key in dict.fromkeys(key for figures in named for key in figures):
        if key[0] != part:
            part = key[0]
            print(f"\n### {part}\n\n| Figure | {' | '.join(result['server'] for result in results)} | Target |")
            print("|---|" + "---|" * (len(results) + 1))
        cells = [cell(figures.get(key)) for figures in named]
        first = next(figures[key] for figures in named if key in figures)
        targets = dict.fromkeys(target(figures[key]) for figures in named if key in figures)
        floor = f" as a multiple of {first['of']}" if first["of"] else ""
        print(f"| {key[1]}{floor} | {' | '.join(cells)} | {' / '.join(targets)} |")


def label(figure: dict[str, Any]) -> str:
    """The figure's name, with its protocol era where that lies beside it."""
    era = figure["detail"].get("era")
    return f"{figure['name']}, {era}" if era else str(figure["name"])


if __name__ == "__main__":
    main()
