"""Sheets as varied as people are: hands, pens, papers, slips, lamps and phones drawn by chance, tidy and
hasty."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from training.handwriting import font_sets, fonts
from training.handwriting.block_strokes import BlockStroke, cross_out_block
from training.handwriting.draw import CrowdedError
from training.handwriting.ink import around, words
from training.handwriting.ink_scrivener import SIGNS, InkScrivener, recorded_habits
from training.handwriting.ink_writers import InkWriter
from training.handwriting.paper_and_pen import Leaf, choose_stock, lay, leaf
from training.handwriting.sheet import PX_PER_MM, WrittenLineKind
from training.handwriting.strike import MORE_STROKES
from training.handwriting.writer import Habits, Nib
from training.photographs.camera import Photograph
from training.photographs.one_or_two_sheets import Conditions, jpeg, photograph
from training.sheets.drafts import Shares, SheetDraft, draft
from training.sheets.layout import Filled, Hand, Manner, fill, font_hand
from training.sheets.odd_layouts import OddLayout, odd_draft
from training.sheets.random_orders import RandomName
from training.sheets.truth import line_entry
from training.sheets.wordings import Book

# Every fourth of mixed sheets is hasty.
HASTY_SHARE = 4
# Stroke widths in millimetres.
_PENS = {
    Nib.BALLPOINT: (0.36, 0.52), Nib.FOUNTAIN: (0.42, 0.80), Nib.PENCIL: (0.40, 0.58), Nib.FELT: (0.65, 1.0),
}

# Orders, one below the other, that one mark crosses out.
_BLOCK = (2, 3, 4, 5)

# Drafts tried before a sheet is left to the next person: some lack the letters of most.
_ATTEMPTS = 12

# Places that a person must be able to write, or the orders would say the same again and again.
_FEWEST_NAMES = 3

# How often those who draw their A and F do.
_DRAWN = 0.95


class Style(StrEnum):
    """How sheets are written: all with care, all in haste, or one in four in haste."""

    TIDY = "tidy"
    HASTY = "hasty"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Batch:
    """What to compose. `two` and `turned` are shares 0..1 of photographs: two leaves side by side, and lying
    on a side or upside down with nothing in the file that tells so. `drawn`: the share of people whose A and
    F for units are strokes of our own (`unit_letters`) in place of the font's. `book`: the wordings of a game
    other than w3k. `blocks`: the share of leaves with several orders crossed out at once. `odd`: layouts
    other than one order a row, in turn. `drafts`: what the sheets say, in turn, instead of words by chance.
    `writers`: people whose recorded letters the sheets are written in, one a sheet and in turn, instead of
    fonts."""

    purpose: font_sets.Purpose
    sheets: int
    seed: int
    style: Style
    names: tuple[RandomName, ...]
    cache: Path
    shares: Shares = field(default_factory=Shares)
    two: float = 0.0
    turned: float = 0.05
    drawn: float = 0.0
    blocks: float = 0.0
    odd: tuple[OddLayout, ...] = ()
    book: Book | None = None
    drafts: tuple[SheetDraft, ...] = ()
    writers: tuple[InkWriter, ...] = ()

    def rng(self, name: str) -> np.random.Generator:
        """Chance for one purpose, the same whatever else is composed."""
        return np.random.default_rng([self.seed, zlib.crc32(name.encode())])


@dataclass(frozen=True, slots=True)
class _Side:
    """One leaf, written."""

    source: str
    hand: str
    style: str | None
    nib: Nib
    leaf: Leaf
    draft: SheetDraft
    filled: Filled
    inked: Any


def sheets(batch: Batch) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """JPEG and truth entry of each photograph. Raises FontError when a font of the set is not in the
    cache."""
    for index in range(batch.sheets):
        hasty = batch.style is Style.HASTY or (
            batch.style is Style.MIXED and index % HASTY_SHARE == HASTY_SHARE - 1
        )
        yield sheet(batch, f"{batch.purpose[0]}{batch.seed}-{index + 1:03d}", hasty=hasty)


def sheet(batch: Batch, name: str, *, hasty: bool) -> tuple[bytes, dict[str, Any]]:
    """One photograph and its truth; deterministic in `batch.seed` and `name`."""
    rng = batch.rng(name)
    sides = [
        _side(batch, f"{name}/{part}", hasty=hasty) for part in range(2 if rng.random() < batch.two else 1)
    ]
    conditions = _conditions(rng, batch.turned, hasty=hasty)
    photo = photograph([side.inked for side in sides], conditions, rng)
    return jpeg(photo.colour, conditions), _entry(name, sides, photo, conditions, hasty=hasty)


def _side(batch: Batch, name: str, *, hasty: bool) -> _Side:
    # Eight people in a row may lack a letter of one draft or another: twice round all of them is enough.
    for attempt in range(_ATTEMPTS * max(8, 2 * len(batch.writers)) if batch.writers else 8):
        # Each attempt has its own chance, or the same draft would be too long for the same paper again.
        rng = batch.rng(f"{name}/{attempt}")
        try:
            if batch.writers:
                side = _ink_side(batch, name, attempt, rng, hasty=hasty)
            else:
                side = _font_side(batch, name, rng, hasty=hasty)
        except CrowdedError:
            continue
        if side is not None:
            return side
    raise CrowdedError(f"{name}: all drafts in turn were too long for their papers or had letters that the "
                       f"writer lacks")


def _font_side(batch: Batch, name: str, rng: np.random.Generator, *, hasty: bool) -> _Side:
    families = font_sets.of(batch.purpose)
    font = families[int(rng.integers(len(families)))]
    nib = list(Nib)[int(rng.choice(4, p=[0.5, 0.25, 0.13, 0.12]))]
    written = _words(batch, name, 0, batch.names, rng)
    paper = leaf(choose_stock(rng), rng)
    habits = _habits(nib, rng, joined=font in fonts.JOINED, hasty=hasty)
    manner = _manner(rng, hasty=hasty)
    # From a separate chance: a sheet without drawn letters has the same bytes whatever `drawn` is.
    if batch.drawn and batch.rng(f"{name}/drawn").random() < batch.drawn:
        habits = replace(habits, drawn=_DRAWN)
    hand = font_hand(fonts.locate(font, batch.cache, {}))
    filled = _with_block(batch, name, fill(written, paper, hand, habits, manner, rng))
    return _Side("font", font, None, nib, paper, written, filled, lay(paper.colour, filled.mask, nib, rng))


def _ink_side(
    batch: Batch, name: str, attempt: int, rng: np.random.Generator, *, hasty: bool
) -> _Side | None:
    """A leaf in a person's recorded letters; None if the draft has a letter that this person left none of."""
    writer = _writer(batch, name, attempt // _ATTEMPTS)
    names = [name for name in batch.names if writer.can_write("".join(_spellings(name)), SIGNS)]
    written = None
    if batch.drafts or len(names) >= _FEWEST_NAMES:
        written = _words(batch, name, attempt // _ATTEMPTS, names, rng)
    # Crossed-out words are written too: one had an "h" of which its writer had left none.
    if written is None or not writer.can_write(
        "".join(word.text for line in written.lines for word in words(line.markup)), SIGNS
    ):
        return None
    nib = list(Nib)[int(rng.choice(4, p=[0.5, 0.25, 0.13, 0.12]))]
    paper = leaf(choose_stock(rng), rng)
    habits, manner = _habits(nib, rng, joined=False, hasty=hasty), _manner(rng, hasty=hasty)
    pressure = float(rng.random())
    filled = fill(written, paper, _ink_hand(writer, pressure), recorded_habits(habits), manner, rng)
    filled = _with_block(batch, name, filled)
    inked = lay(paper.colour, filled.mask, nib, rng)
    # The screen of a tablet: what is light is dark.
    inked = 1 - inked if written.layout == OddLayout.DARK else inked
    return _Side("ink", writer.name, writer.style, nib, paper, written, filled, inked)


def _with_block(batch: Batch, name: str, filled: Filled) -> Filled:
    """A leaf on which several orders, one below the other, are crossed out by one mark, or not."""
    # By its own chance: a sheet without blocks has the same bytes whatever `blocks` is.
    rng = batch.rng(f"{name}/block")
    places = [
        index for index, written in enumerate(filled.written)
        if written.line.kind is WrittenLineKind.ORDER and written.line.order is not None]
    runs = [
        run for count in _BLOCK for run in zip(*(places[begin:] for begin in range(count)), strict=False)
        if run[-1] - run[0] == count - 1]
    if rng.random() >= batch.blocks or not runs:
        return filled
    run = runs[int(rng.integers(len(runs)))]
    rows = [extent for index in run for extent in filled.written[index].extents]
    tops = sorted(extent.top for extent in rows)
    pitch = (tops[-1] - tops[0]) / (len(rows) - 1)
    mask = filled.mask.copy()
    stroke = list(BlockStroke)[int(rng.integers(len(BlockStroke)))]
    cross_out_block(mask, around(rows), pitch, stroke, filled.pen_px, rng)
    written = tuple(
        replace(each, line=replace(each.line, struck=True, trap=f"block_{stroke.value}"))
        if index in run else each for index, each in enumerate(filled.written))
    return replace(filled, mask=mask, written=written)


def _words(
    batch: Batch, name: str, passed_on: int, names: Sequence[RandomName], rng: np.random.Generator
) -> SheetDraft:
    """The contents of a leaf: its turn of the drafts given, or the next where that was passed on, as being
    too long for its paper; else words by chance."""
    if batch.odd:
        turn = int(name.split("/", maxsplit=1)[0].rpartition("-")[2])
        return odd_draft(
            # Each time round all people everybody writes in the next layout.
            batch.odd[(turn + turn // max(1, len(batch.writers))) % len(batch.odd)], names, rng,
            is_held_out=batch.purpose is font_sets.Purpose.HELD_OUT)
    if not batch.drafts:
        return draft(names, batch.shares, rng, batch.book)
    # Each time round all people everybody writes the draft after his last, so that he writes many of them.
    turn = int(name.split("/", maxsplit=1)[0].rpartition("-")[2])
    around, person = divmod(turn, max(1, len(batch.writers)))
    return batch.drafts[(around + person + passed_on) % len(batch.drafts)]


def _writer(batch: Batch, name: str, passed_on: int) -> InkWriter:
    """Whose turn a leaf is, after as many people passed it on for want of a letter."""
    # The sheet's number is the last part of its name; people take turns, so that each writes about as many.
    turn, others = int(name.split("/", maxsplit=1)[0].rpartition("-")[2]), len(batch.writers) - 1
    if passed_on and others:
        # By lot: passed to the next in turn, one person after several who lack letters wrote 16 of 40 sheets.
        lots = batch.rng(f"{name}/passed on").permutation(others)
        turn += 1 + int(lots[(passed_on - 1) % others])
    return batch.writers[turn % len(batch.writers)]


def _spellings(name: RandomName) -> tuple[str, ...]:
    return (name.name, name.abbr, *name.aliases, *name.coasts)


def _ink_hand(writer: InkWriter, pressure: float) -> Hand:
    return lambda x_height, habits, rng: InkScrivener(writer, x_height, habits, rng, pressure)


def _habits(nib: Nib, rng: np.random.Generator, *, joined: bool, hasty: bool) -> Habits:
    def between(low: float, high: float) -> float:
        return float(rng.uniform(low, high))

    # Letters of a joined hand touch; moved as far as others their joins would break.
    tight = 0.35 if joined else 1.0
    slow, fast = ((0.025, 0.08), (0.07, 0.13))
    return Habits(
        pen_px=between(*_PENS[nib]) * PX_PER_MM,
        contrast=between(0.4, 1.6) if nib is Nib.FOUNTAIN else between(0, 0.3),
        slant=float(np.clip(rng.normal(0.05, 0.13 if hasty else 0.10), -0.25, 0.45)),
        width=between(0.88, 1.14), tall=between(0.85, 1.2), deep=between(0.75, 1.15),
        gap=tight * between(-0.07 if hasty else -0.03, 0.06),
        word_gap=between(0.45, 0.7) if hasty else between(0.55, 1.0),
        stray=between(*(fast if hasty else slow)) * (0.6 if joined else 1.0),
        bend=between(0.06, 0.11) if hasty else between(0.03, 0.08),
        wander=between(0.05, 0.16) if hasty else between(0.0, 0.07),
        fade=between(0.15, 0.5) if hasty else between(0.0, 0.1),
        join=0.0 if joined else between(0.35, 0.9) if hasty else float(rng.choice([0.0, 0.3, 0.7])),
        vague=between(0.06, 0.18) if hasty else between(0.0, 0.08),
        lapse=between(0.0, 0.012) if hasty else between(0.0, 0.004),
        strike=str(rng.choice(MORE_STROKES)),
    )  # fmt: skip


def _manner(rng: np.random.Generator, *, hasty: bool) -> Manner:
    return Manner(
        x_height=float(rng.uniform(2.2, 3.5)), pitch=float(rng.uniform(3.4, 4.8)),
        left=float(rng.uniform(9, 30)), top=float(rng.uniform(6, 24)),
        heading_in=float(rng.choice([0, 0, 0, 1])) * float(rng.uniform(150, 500)),
        wrapped_in=float(rng.choice([0.0, 1.0, 1.0])) * float(rng.uniform(40, 140)),
        slope=float(rng.normal(0, 0.012 if hasty else 0.005)),
        ragged=float(rng.uniform(0.03, 0.07) if hasty else rng.uniform(0.0, 0.03)),
    )  # fmt: skip


def _conditions(rng: np.random.Generator, turned: float, *, hasty: bool) -> Conditions:
    orientation = int(rng.choice([1, 1, 1, 6, 8, 3]))
    # A photograph that lies on a side has nothing of it in its EXIF, so such a one has orientation 1.
    lying = int(rng.choice([1, 2, 3])) if rng.random() < turned else 0
    return Conditions(
        long_side=int(rng.choice([1600, 2048, 2048, 2048, 3000, 3000, 4000])),
        turn=float(np.clip(rng.normal(0, 2.6), -7, 7)),
        tilt=float(rng.uniform(0.2, 1.6)), fill=float(rng.uniform(0.86, 1.0)),
        gloom=float(rng.choice([0.0, 0.0, 0.3, 0.6, 1.0])),
        blur=float(rng.uniform(0.15, 0.5 if hasty else 0.42)),
        motion=float(rng.choice([0, 0, 0, 1.0])) * float(rng.uniform(0.5, 1.4)),
        noise=float(rng.uniform(0.004, 0.022)),
        quality=int(rng.integers(62, 90)), orientation=1 if lying else orientation, lying=lying,
        gps=bool(rng.random() < 0.3),
    )  # fmt: skip


def _entry(
    name: str, sides: Sequence[_Side], photo: Photograph, conditions: Conditions, *, hasty: bool
) -> dict[str, Any]:
    first = sides[0]
    rows, columns = photo.colour.shape[:2]
    return {
        "id": name, "file": f"{name}.jpg", "power": first.draft.power, "phase": first.draft.phase,
        "dialect": first.draft.dialect.value,
        "layout": first.draft.layout, "style": _style(first, hasty=hasty),
        "paper": first.leaf.stock.value, "ink": first.nib.value, "pen_px": round(first.filled.pen_px, 1),
        "rows": sum(len(written.rows) for side in sides for written in side.filled.written),
        "photo": [columns, rows],
        "rotation_deg": round(conditions.turn, 1), "lying": conditions.lying, "sides": len(sides),
        "hard": conditions.gloom, "jpeg_quality": conditions.quality,
        "exif_orientation": conditions.orientation, "exif_gps": conditions.gps,
        "lines": [line_entry(written, leaf) for side, leaf in zip(sides, photo.leaves, strict=True)
                  for written in side.filled.written],
    }  # fmt: skip


def _style(side: _Side, *, hasty: bool) -> dict[str, Any]:
    """Whose hand a sheet is in: a font by its name, or a person by pseudonym and declared way of writing."""
    manner = "hasty" if hasty else "tidy"
    if side.style is None:
        return {"source": side.source, "font": side.hand, "manner": manner}
    return {"source": side.source, "writer": side.hand, "hand_style": side.style, "manner": manner}
