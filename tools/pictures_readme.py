"""The pictures of README and of the tutorial, as PNG, from what a stranger sees.

    python -m tools.pictures build/pictures --site DIR --only line war
    python -m tools.pictures_readme build/pictures DIR docs/pictures

DIR is what `galloper demo --fast --keep --dir DIR` left (a copy, for the first command changes it): the sheet
comes from the demo's mails, the line and the war from pages, the map and the gazette from a letter of the
Winter. The plate of another board is drawn by hand.
"""

from __future__ import annotations

import sys
from email import message_from_bytes, policy
from pathlib import Path

import pypdfium2
from PIL import Image, ImageOps

WIDTH, HEIGHT = 640, 480
"""Pixels of each of README's; a table of three is wider than most screens at more."""
GAZETTE_WIDTH = 760
WAR_WIDTH, WAR_HEIGHT = 1000, 828
"""Pixels of the tutorial's."""
SHEET = Path("demo/data/w3k/autumn-crown-v1.jpg")


def opened(file: Path) -> Image.Image:
    """A photograph, upright."""
    with Image.open(file) as picture:
        return ImageOps.exif_transpose(picture).convert("RGB")


def mailed(site: Path, name: str, scale: float = 1) -> Image.Image:
    """The first page of the PDF that went out last with a year's results, by a part of its name."""
    file = max(site.glob("outbox/*yearendresults*"))
    letter = message_from_bytes(file.read_bytes(), policy=policy.default)
    part = next(part for part in letter.iter_attachments() if name in (part.get_filename() or ""))
    page = pypdfium2.PdfDocument(part.get_payload(decode=True))[0]
    picture: Image.Image = page.render(scale=scale).to_pil()
    return picture.convert("RGB")


def widened(picture: Image.Image, width: int) -> Image.Image:
    """A picture scaled to a width."""
    return picture.resize((width, round(picture.height * width / picture.width)), Image.Resampling.LANCZOS)


def framed(picture: Image.Image, width: int = WIDTH, height: int = HEIGHT) -> Image.Image:
    """A picture scaled to the width, its upper part where it is higher."""
    picture = widened(picture, width)
    page = Image.new("RGB", (width, height), "white")
    page.paste(picture, (0, max(0, (height - picture.height) // 2)))
    return page


def main(pictures: Path, site: Path, out: Path) -> None:
    """Write `sheet.png`, `line.png`, `map.png`, `gazette.png` and `replay.png`."""
    made = {
        "sheet": framed(opened(SHEET)),
        "line": framed(opened(pictures / "line_1280.png")),
        "map": framed(mailed(site, "-map-")),
        "gazette": widened(mailed(site, "-gazette-", 2), GAZETTE_WIDTH),
        "replay": framed(opened(pictures / "war_1280.png"), WAR_WIDTH, WAR_HEIGHT),
    }
    for name, picture in made.items():
        few_colours = picture.quantize(256, method=Image.Quantize.MAXCOVERAGE, kmeans=2)
        few_colours.save(out / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
