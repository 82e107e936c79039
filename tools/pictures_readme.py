"""The three pictures of README, as PNG of one width, from what a stranger sees.

    python -m tools.pictures build/pictures --site DIR --only line
    python -m tools.pictures_readme build/pictures DIR docs/pictures

DIR is what `galloper demo --fast --keep --dir DIR` left (a copy, for the first command changes it): the sheet comes from
the demo's mails, the line from the desk's page, the map from an opened letter.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image, ImageOps

WIDTH, HEIGHT = 640, 480
"""Pixels of each; a table of three is wider than most screens at more."""
SHEET = Path("demo/data/w3k/autumn-crown-v1.jpg")


def framed(file: Path) -> Image.Image:
    """A picture upright, scaled to the width, its upper part where it is higher."""
    with Image.open(file) as opened:
        picture = ImageOps.exif_transpose(opened).convert("RGB")
    picture = picture.resize((WIDTH, round(picture.height * WIDTH / picture.width)), Image.Resampling.LANCZOS)
    page = Image.new("RGB", (WIDTH, HEIGHT), "white")
    page.paste(picture, (0, max(0, (HEIGHT - picture.height) // 2)))
    return page


def main(pictures: Path, site: Path, out: Path) -> None:
    """Write `sheet.png`, `line.png` and `map.png`."""
    sources = {"sheet": SHEET, "line": pictures / "line_1280.png", "map": site / "opened" / "1-results-1.png"}
    for name, source in sources.items():
        framed(source).quantize(128).save(out / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
