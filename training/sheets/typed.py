r"""Sheets that were typed and printed, as photographs, scans and pictures of a screen, with their truth.

    python -m training.sheets.typed --names names.json --sheets 24 --seed 7 --out build/typed \
      --font sans=DejaVuSans.ttf --font serif=DejaVuSerif.ttf

Orders are well formed, not legal, in the wordings of `random_orders`; no one crosses out what he types.
The kinds take turns (`style.manner` in the truth): "photo", print photographed by a phone; "far", small print
photographed from too far away; "scan", a page from a scanner; "screen", a picture of a screen; and, where
`--hard` requests them in place of these, "fax", black and white with specks at 100 dots to the inch; "tiny",
a picture of a screen made much smaller; "blurred", small print out of focus. Another seed gives other words,
noise and light; fonts are named by file, so that those for tuning and those for judging are never the same.
Deterministic in the seed and the fonts. """

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from training.handwriting.draw import DrawnLine
from training.handwriting.ink import Extent, plain
from training.handwriting.noise import grain, smooth
from training.handwriting.paper import SIZE, Colour, blank
from training.handwriting.sheet import PX_PER_MM, PaperStyle, SheetStyle
from training.photographs.camera import LeafPlace
from training.photographs.one_sheet import jpeg, photograph
from training.sheets.compose import Workshop, read_names
from training.sheets.random_orders import invent
from training.sheets.truth import line_entry

LEFT, TOP = 22 * PX_PER_MM, 26 * PX_PER_MM
POINT = 25.4 / 72 * PX_PER_MM
"""Pixels of a sheet for one point of type."""


class TypedKind(StrEnum):
    """How a typed sheet became a picture."""

    PHOTO = "photo"
    FAR = "far"
    SCAN = "scan"
    SCREEN = "screen"
    FAX = "fax"
    TINY = "tiny"
    BLURRED = "blurred"


EASY = (TypedKind.PHOTO, TypedKind.FAR, TypedKind.SCAN, TypedKind.SCREEN)
HARD = (TypedKind.FAX, TypedKind.TINY, TypedKind.BLURRED)
_SCREENS = (TypedKind.SCREEN, TypedKind.TINY)


@dataclass(frozen=True, slots=True)
class _Type:
    """Type on a page: its font file, size and pitch of rows in pixels."""

    font: Path
    size: int
    pitch: float


def sheets(
    workshop: Workshop, names: Path, count: int, kinds: Sequence[TypedKind] = EASY
) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """JPEGs and their truth entries, kinds and fonts by turns."""
    regions, faces = read_names(names), sorted(workshop.font_files)
    for number in range(count):
        kind, face = kinds[number % len(kinds)], faces[number // len(kinds) % len(faces)]
        name = f"t{workshop.seed}_{number:03d}"
        sheet = invent(name, regions, workshop, (1.0, 1.0))
        sheet = replace(sheet, lines=tuple(replace(line, struck=False) for line in sheet.lines))
        data, facts = _typed(sheet, kind, workshop.font_files[face], workshop.rng(name + "/type"))
        facts["style"] = {"source": "type", "font": face, "manner": kind.value}
        yield data, facts


def _typed(
    sheet: SheetStyle, kind: TypedKind, font: Path, rng: np.random.Generator
) -> tuple[bytes, dict[str, Any]]:
    small = kind in {TypedKind.FAR, TypedKind.BLURRED}
    points = float(rng.uniform(8, 9.5) if small else rng.uniform(10, 13))
    size = 18 if kind in _SCREENS else round(points * POINT)
    face = _Type(font, size, size * float(rng.uniform(1.25, 1.7)))
    if kind in _SCREENS:
        colour, written = _screen(sheet, face, rng)
        scale = float(rng.uniform(0.5, 0.65)) if kind is TypedKind.TINY else 1.0
        leaf = LeafPlace(np.diag([scale, scale, 1.0]), 0.0, colour.shape[1])
        smaller = cv2.resize(colour, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        picture = np.asarray(smaller, np.float32)
        quality = int(rng.integers(30, 50) if kind is TypedKind.TINY else rng.integers(70, 95))
        data = jpeg(picture, replace(sheet.look, quality=quality, orientation=1, gps=False))
    else:
        page = blank(PaperStyle.PLAIN, 0, rng).colour
        written = _type(page, sheet, face, (LEFT, TOP), rng)
        if kind in {TypedKind.SCAN, TypedKind.FAX}:
            picture, leaf = _scan(page, (90, 110) if kind is TypedKind.FAX else (150, 200), rng)
            if kind is TypedKind.FAX:
                specks = rng.random(picture.shape[:2]) < 0.002
                inked = np.where(specks[..., None], 1 - picture, picture > 0.6)
                picture = np.asarray(inked, np.float32)
            data = jpeg(picture, replace(sheet.look, quality=int(rng.integers(55, 85)), orientation=1,
                                         gps=False))
        else:
            blur = {TypedKind.PHOTO: (0.4, 1.3), TypedKind.FAR: (1.0, 1.6)}.get(kind, (1.8, 2.8))
            look = replace(sheet.look, long_side=2000 if small else 3000, turn=float(rng.uniform(-2, 2)),
                           blur=float(rng.uniform(*blur)))
            photo = photograph(page, look, rng)
            data, picture, leaf = jpeg(photo.colour, look), photo.colour, photo.leaves[0]
    facts = {"id": sheet.name, "file": f"{sheet.name}.jpg", "power": sheet.power, "phase": sheet.phase,
             "photo": [picture.shape[1], picture.shape[0]],
             "lines": [line_entry(line, leaf) for line in written]}
    return data, facts


def _type(
    page: Colour, sheet: SheetStyle, face: _Type, corner: tuple[float, float], rng: np.random.Generator
) -> list[DrawnLine]:
    """Print a sheet's lines on a page; wrapped where they reach the margin."""
    ink = Image.new("L", (page.shape[1], page.shape[0]), 0)
    draw, font = ImageDraw.Draw(ink), ImageFont.truetype(str(face.font), face.size)
    (left, y), written, before = corner, [], None
    for line in sheet.lines:
        if before not in {None, line.kind}:
            y += face.pitch * 0.8
        before, rows, extents = line.kind, _wrapped(plain(line.markup), font, page.shape[1] - 2 * left), []
        for index, row in enumerate(rows):
            x = left + (2 * face.size if index else 0)
            draw.text((x, y), row, fill=255, font=font)
            extents.append(Extent(*(float(v) for v in draw.textbbox((x, y), row, font=font))))
            y += face.pitch
        written.append(DrawnLine(line, tuple(rows), tuple(extents)))
    cover = np.asarray(ink, np.float32) / 255
    # Toner is uneven, and never quite black.
    cover *= np.clip(0.95 + 0.05 * grain(cover.shape, 2.0, rng), 0, 1)
    page *= (1 - cover * float(rng.uniform(0.8, 0.93)))[..., None]
    return written


def _wrapped(words: str, font: ImageFont.FreeTypeFont, room: float) -> list[str]:
    rows = [""]
    for word in words.split():
        longer = f"{rows[-1]} {word}".strip()
        if rows[-1] and font.getlength(longer) > room:
            rows.append(word)
        else:
            rows[-1] = longer
    return rows


def _scan(
    page: Colour, dots: tuple[float, float], rng: np.random.Generator
) -> tuple[Colour, LeafPlace]:
    """A page from a scanner of so many dots to the inch, a little askew, without a desk."""
    scale = float(rng.uniform(*dots)) / 25.4 / PX_PER_MM
    turn = cv2.getRotationMatrix2D((SIZE[1] / 2, SIZE[0] / 2), float(rng.uniform(-0.8, 0.8)), 1.0)
    matrix = np.diag([scale, scale, 1.0]) @ np.vstack([turn, [0, 0, 1]])
    size = (round(SIZE[1] * scale), round(SIZE[0] * scale))
    small = cv2.warpPerspective(page, matrix, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
    grey = small.mean(axis=2) * 1.04 + 0.012 * rng.standard_normal(small.shape[:2])
    return np.repeat(np.asarray(grey, np.float32)[..., None], 3, 2), LeafPlace(matrix, 0.0, SIZE[1])


def _screen(sheet: SheetStyle, face: _Type, rng: np.random.Generator) -> tuple[Colour, list[DrawnLine]]:
    """A window of a text editor, dots as they are on the screen."""
    rows = 3 + 2 * len(sheet.lines)
    page = np.full((round(40 + rows * face.pitch), 900, 3), 0.99, np.float32)
    written = _type(page, sheet, face, (30.0, 20.0), rng)
    page *= 1 - 0.004 * smooth(page.shape[:2], 200, rng)[..., None]
    return page, written


def main(arguments: Sequence[str] | None = None) -> int:
    """See the module."""
    parser = argparse.ArgumentParser(prog="python -m training.sheets.typed", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", type=Path, required=True, help='JSON list of {"name", "kind", "aliases"}')
    parser.add_argument("--sheets", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1642)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--font", action="append", required=True, metavar="NAME=FILE")
    parser.add_argument("--hard", action="store_true", help="fax, tiny and blurred")
    args = parser.parse_args(arguments)
    fonts = {name: Path(file) for name, file in (pair.split("=", 1) for pair in args.font)}
    args.out.mkdir(parents=True, exist_ok=True)
    entries = []
    kinds = HARD if args.hard else EASY
    for data, facts in sheets(Workshop(args.seed, Path(), fonts), args.names, args.sheets, kinds):
        (args.out / facts["file"]).write_bytes(data)
        entries.append(facts)
        print(f"{facts['file']}: {facts['style']['manner']}, {facts['style']['font']}", file=sys.stderr)
    text = json.dumps({"sheets": entries}, ensure_ascii=False, indent=1)
    (args.out / "truth.json").write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
