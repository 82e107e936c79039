"""The three pictures of README, as PNG of one width, from what a stranger sees.

    python -m tools.pictures build/pictures --site DIR --only line
    python -m tools.pictures_readme build/pictures DIR docs/pictures

DIR is what `galloper demo --fast --keep --dir DIR` left (a copy, for the first command changes it): the sheet
comes from the demo's mails, the line from the desk's page, the map from a letter of the Winter.
"""

from __future__ import annotations

import sys
from email import message_from_bytes, policy
from pathlib import Path

import pypdfium2
from PIL import Image, ImageOps

WIDTH, HEIGHT = 640, 480
"""Pixels of each; a table of three is wider than most screens at more."""
SHEET = Path("demo/data/w3k/autumn-crown-v1.jpg")


def opened(file: Path) -> Image.Image:
    """A photograph, upright."""
    with Image.open(file) as picture:
        return ImageOps.exif_transpose(picture).convert("RGB")


def mailed_map(site: Path) -> Image.Image:
    """The first page of the map that went out last."""
    file = max(site.glob("outbox/*yearendresults*"))
    letter = message_from_bytes(file.read_bytes(), policy=policy.default)
    map_file = next(part for part in letter.iter_attachments() if "-map-" in (part.get_filename() or ""))
    page = pypdfium2.PdfDocument(map_file.get_payload(decode=True))[0]
    picture: Image.Image = page.render(scale=1).to_pil()
    return picture.convert("RGB")


def framed(picture: Image.Image) -> Image.Image:
    """A picture scaled to the width, its upper part where it is higher."""
    picture = picture.resize((WIDTH, round(picture.height * WIDTH / picture.width)), Image.Resampling.LANCZOS)
    page = Image.new("RGB", (WIDTH, HEIGHT), "white")
    page.paste(picture, (0, max(0, (HEIGHT - picture.height) // 2)))
    return page


def main(pictures: Path, site: Path, out: Path) -> None:
    """Write `sheet.png`, `line.png` and `map.png`."""
    made = {"sheet": opened(SHEET), "line": opened(pictures / "line_1280.png"), "map": mailed_map(site)}
    for name, picture in made.items():
        framed(picture).quantize(128).save(out / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
