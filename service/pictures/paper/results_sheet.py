"""The written results as a printed sheet of the time (OUT-13), and a correction of them: the words of the
letter, and no other."""

from __future__ import annotations

import re

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray
from PIL import Image

from service.letters.facts import CorrectionFacts, GameInfo, ResultsFacts
from service.letters.render import environment, instant_words, results_html_parts
from service.pictures.drawing.own_mark import marked_page
from service.pictures.drawing.render import RUNS, balance_columns, to_pdf, to_pngs

PNG_WIDTH = 1240
"""Pixels across an A4 page: 150 to the inch."""

TYPE = ((43, 33, 24), (140, 42, 23), (175, 146, 125), (244, 234, 208))
"""Ink, red ink, their edges and small print, and paper: PNG packs four colours in two bits a pixel. With the
48 best a page of ten powers has 210 kB, and 52 with these."""
MOST_COLOURS = 16
"""Colours of a page, those of a map's areas among them: PNG packs 16 in four bits a pixel."""
_AREA = 5
"""Pixels of a side of a square of one colour that is an area: strokes of type are up to four across."""
_NEAR = 12
"""Levels, 0..255, in each band by which two colours that are shown as one differ at most."""

_HEADING = re.compile(r"(?=<h2)")
_APOSTROPHE = re.compile(r"(?<=\w)(?:'|&#39;)(?=\w)(?![^<>]*>)")
"""One inside a word, and none inside a tag."""


def results_html(game: GameInfo, heading: str, facts: ResultsFacts, changes: str = "") -> str:
    """The sheet as HTML for A4; `heading` such as "Autumn 1644, draft results before retreats". `changes` is
    the small map of what changed hands, as SVG, or ""."""
    template = environment("pictures", markup=True).get_template("results.html")
    parts = {name: _as_printed(part) for name, part in results_html_parts(game, facts).items()}
    return template.render(game=game, heading=heading, facts=facts, parts=parts,
                           changes=Markup(changes))  # noqa: S704 - our own drawing


def _as_printed(part: Markup) -> Markup:
    """A part with each list in one piece with its heading, so that no column begins with a list whose heading
    is elsewhere; apostrophes as printers set them."""
    pieces = _HEADING.split(str(part))
    sections = [f"<section>{piece}</section>" if piece.startswith("<h2") else piece for piece in pieces]
    return Markup(_APOSTROPHE.sub("’", "".join(sections)))  # noqa: S704 - the letter's own HTML


def results_pdf(game: GameInfo, heading: str, facts: ResultsFacts, changes: str = "") -> bytes:
    """The sheet as PDF."""
    return to_pdf(balance_columns(results_html(game, heading, facts, changes)), title=heading)


def results_pictures(
    game: GameInfo, heading: str, facts: ResultsFacts, width: int = PNG_WIDTH, changes: str = ""
) -> list[bytes]:
    """The sheet as PNG pages, `width` pixels across."""
    return to_pngs(results_pdf(game, heading, facts, changes), width, _finished, RUNS)


def correction_html(game: GameInfo, heading: str, facts: CorrectionFacts) -> str:
    """A correction as HTML for A4; `heading` such as "Autumn 1644 Movement: correction"."""
    template = environment("pictures", markup=True).get_template("correction.html")
    return template.render(game=game, heading=heading, facts=facts, when=instant_words)


def correction_pictures(
    game: GameInfo, heading: str, facts: CorrectionFacts, width: int = PNG_WIDTH
) -> list[bytes]:
    """A correction as PNG pages, `width` pixels across (section 5 of the mail plan: it brings a new
    picture)."""
    return to_pngs(to_pdf(correction_html(game, heading, facts), title=heading), width, _finished, RUNS)


def _finished(page: Image.Image) -> Image.Image:
    """A page with its mark, in the colours of type and of its areas."""
    marked = marked_page(page)
    colours = list(TYPE)
    for colour in _areas(marked):
        if len(colours) < MOST_COLOURS and all(_distance(colour, other) > _NEAR for other in colours):
            colours.append(colour)
    palette = Image.new("P", (1, 1))
    # Pillow fills a short palette with black, which would be one colour more.
    filled = [*colours, *[TYPE[-1]] * (256 - len(colours))]
    palette.putpalette([level for colour in filled for level in colour])
    # Dithering would add noise that PNG cannot pack.
    few = marked.quantize(palette=palette, dither=Image.Dither.NONE)
    few.putpalette([level for colour in colours for level in colour])
    return few


def _areas(page: Image.Image) -> list[tuple[int, int, int]]:
    """The colours of the areas of a page, the largest areas first."""
    red, green, blue = (np.asarray(band, np.uint32) for band in page.split())
    levels = red << 16 | green << 8 | blue
    # The edge of the paper ends no area.
    padded = np.pad(levels, _AREA // 2, "edge")
    height, width = levels.shape
    beside, below = padded[:, 1:] == padded[:, :-1], padded[1:] == padded[:-1]
    beside = _all_of([beside[:, start:start + width] for start in range(_AREA - 1)])
    below = _all_of([below[start:start + height] for start in range(_AREA - 1)])
    # Every row of the square is of one colour, and so is its first column. Pillow's filters for maximum and
    # minimum took a quarter of the time of all results.
    is_flat = below[:, :width]
    for row in range(_AREA):
        is_flat &= beside[row:row + height]
    flat = levels[is_flat]
    # An area is rows of one colour, and there are fewer rows to be sorted than pixels.
    begins = np.flatnonzero(np.append(True, flat[1:] != flat[:-1])) if flat.size else np.zeros(0, np.intp)
    packed, row_of = np.unique(flat[begins], return_inverse=True)
    counts = np.bincount(row_of, np.diff(begins, append=flat.size), len(packed)).astype(np.int64)
    return [(int(each) >> 16, int(each) >> 8 & 255, int(each) & 255) for each in packed[np.argsort(-counts)]]


def _all_of(parts: list[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    every = parts[0].copy()
    for part in parts[1:]:
        every &= part
    return every


def _distance(colour: tuple[int, int, int], other: tuple[int, int, int]) -> int:
    return max(abs(first - second) for first, second in zip(colour, other, strict=True))
