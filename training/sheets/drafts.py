"""What one player writes on one sheet: heading, orders with their slips of the pen, remarks, signature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from training.handwriting.sheet import SheetLine, WrittenLineKind
from training.sheets.phrases import Dialect, PhraseBook
from training.sheets.random_orders import RandomName
from training.sheets.traps import misspelt, shopping, trap
from training.sheets.wordings import Book, BookWording

_FIRST = ("Ada", "Bram", "Cleo", "Dov", "Esme", "Finn", "Greta", "Hugo", "Iris", "Jonah", "Keira", "Lars",
    "Mina")
_LAST = ("Marlowe", "Okoro", "Penrose", "Quill", "Rowe", "Sterne", "Tolland", "Umber", "Vane", "Wren", "Xu",
    "Yates")
_GAMES = ("Powick Bridge", "Cropredy", "Roundway Down", "Cheriton", "Langport", "Turnham Green", "Winceby")
_REMARKS = ("Good luck to all.", "Sorry about the blots!", "More next time.", "Written on the train.",
    "Best wishes",
            "P.S. thank you for running this", "(page 1 of 1)", "God save the King")  # fmt: skip
_ASIDES = ("(this will cut any support)", "(as agreed)", "(again)", "(no change)")
_COUNTS = {"Movement": (5, 14), "Retreat": (2, 5), "Adjustment": (2, 7)}


@dataclass(frozen=True, slots=True)
class Shares:
    """How often odd things happen, each a chance 0..1: of a line, or of a sheet where it states it.

    `shopping` and `columns` are of a sheet.
    """

    struck: float = 0.07
    corrected: float = 0.06
    trapped: float = 0.05
    misspelt: float = 0.02
    aside: float = 0.02
    shopping: float = 0.02
    columns: float = 0.0


@dataclass(frozen=True, slots=True)
class SheetDraft:
    """A sheet's words. `columns`: in how many columns the orders are, `gutter` millimetres on either side
    of the middle between them. `layout`: the odd layout that it has (`odd_layouts`), or empty."""

    power: str
    phase: str
    dialect: Dialect
    lines: tuple[SheetLine, ...]
    columns: int = 1
    gutter: float = 5.0
    layout: str = ""


def draft(
    names: Sequence[RandomName], shares: Shares, rng: np.random.Generator, book: Book | None = None
) -> SheetDraft:
    """A sheet's words by chance; deterministic in `rng`. Of the game whose `book` is given, else of w3k."""
    if book is not None:
        return _of_book(names, shares, rng, book)
    phase = _pick(rng, "Movement", "Movement", "Movement", "Movement", "Retreat", "Adjustment")
    dialect = Dialect(_pick(rng, "prose", "prose", "terse", "abbr", "abbr"))
    words = PhraseBook(names, rng, dialect)
    power = words.power()
    # A list that went into the envelope by mistake has neither heading nor signature.
    if rng.random() < shares.shopping:
        return SheetDraft(power, phase, dialect, shopping(words))
    heading = tuple(SheetLine(text, WrittenLineKind.HEADING) for text in _heading(power, phase, rng))
    # Only short lines fit into half the width of a sheet.
    two = dialect is not Dialect.PROSE and rng.random() < shares.columns
    orders = _orders(words, phase, shares, two=two)
    return SheetDraft(power, phase, dialect, (*heading, *orders, *_ending(power, rng)), 2 if two else 1)


def _of_book(names: Sequence[RandomName], shares: Shares, rng: np.random.Generator, book: Book) -> SheetDraft:
    """The same for a game's book: movement or the like, being its first phase, three times in five."""
    phase = _pick(rng, *(2 * book.phases[:1]), *book.phases)
    words = BookWording(names, rng, Dialect(_pick(rng, "prose", "abbr")), book.powers, book)
    power = words.power()
    heading = [f"{_pick(rng, *_FIRST)} {_pick(rng, *_LAST)}"] if rng.random() < 0.6 else []
    game = _pick(rng, *book.games)
    heading += [power, f"Game: {game}" if rng.random() < 0.4 else game,
                _pick(rng, *book.headings[phase]).format(year=rng.integers(*book.years))]
    stop = "." if rng.random() < 0.3 else ""
    lines = []
    for _ in range(int(rng.integers(book.counts[phase][0], book.counts[phase][1] + 1))):
        text, order = words.order(phase)
        line = _slip(SheetLine(text[0].upper() + text[1:], WrittenLineKind.ORDER, order), words, shares)
        # An order that only this game has is compared as text (`truth.line_entry`), so its canonical text
        # goes along.
        lines.append(replace(line, markup=line.markup + stop, meant=order))
    heading_lines = tuple(SheetLine(text, WrittenLineKind.HEADING) for text in heading)
    return SheetDraft(power, phase, words.dialect, (*heading_lines, *lines, *_ending(power, rng)))


def _heading(power: str, phase: str, rng: np.random.Generator) -> list[str]:
    season = "Winter" if phase == "Adjustment" else _pick(rng, "Spring", "Summer", "Autumn")
    kind = {
        "Movement": ("Movement Orders", "Movement Orders", "Movements"),
        "Retreat": ("Retreat Orders", "Retreats"),
        "Adjustment": ("Adjustment Orders", "Adjustments"),
    }[phase]  # fmt: skip
    heading = [f"{_pick(rng, *_FIRST)} {_pick(rng, *_LAST)}"] if rng.random() < 0.6 else []
    game = _pick(rng, *_GAMES)
    heading += [power, f"Game: {game}" if rng.random() < 0.4 else game]
    heading.append(f"{season} {rng.integers(1642, 1650)} {_pick(rng, *kind)}")
    if rng.random() < 0.3:
        heading.append(_pick(rng, "v2", "Version 2", "v3", "Version 3 - replaces all earlier orders"))
    return heading


def _orders(words: PhraseBook, phase: str, shares: Shares, *, two: bool) -> list[SheetLine]:
    rng = words.rng
    stop = "." if rng.random() < 0.3 else ""
    fewest, most = _COUNTS[phase]
    lines = []
    for _ in range(int(rng.integers(fewest, most)) + (6 if two else 0)):
        if phase == "Movement" and rng.random() < shares.trapped:
            line = trap(words)
        else:
            text, order = words.order(phase)
            line = _slip(SheetLine(text[0].upper() + text[1:], WrittenLineKind.ORDER, order), words, shares)
        lines.append(replace(line, markup=line.markup + stop, meant=line.meant and line.meant + stop))
    return lines


def _slip(line: SheetLine, words: PhraseBook, shares: Shares) -> SheetLine:
    """At most one thing that went wrong while the line was written."""
    rng, chance = words.rng, words.rng.random()
    # One draw decides, so that no line has two slips and each share is exact.
    if chance < shares.struck:
        return replace(line, struck=True)
    chance -= shares.struck
    if chance < shares.corrected:
        return replace(line, markup=_corrected(line.markup, words))
    chance -= shares.corrected
    if chance < shares.misspelt:
        slip = misspelt(line.markup, words)
        return (
            line
            if slip is None
            else replace(line, markup=slip, want="snap", meant=line.markup, trap="misspelt")
        )
    chance -= shares.misspelt
    if chance < shares.aside:
        return replace(line, markup=f"{line.markup} {_pick(rng, *_ASIDES)}", want="read", trap="aside")
    return line


def _corrected(text: str, words: PhraseBook) -> str:
    """A word crossed out with the right one after or above it, or a word forgotten and put in above the
    row."""
    rng, parts = words.rng, text.split(" ")
    index = int(rng.integers(1, len(parts))) if len(parts) > 1 else 0
    word = parts[index]
    if rng.random() < 0.35:
        parts[index] = f"{{+{word}+}}"
        return " ".join(parts)
    wrong = words.place().written.split(" ")[0] if len(word) > 3 else words.pick("to", "of", "the", "S", "A")
    right = word if rng.random() < 0.5 else f"{{+{word}+}}"
    parts[index] = f"{{-{wrong}-}} {right}"
    return " ".join(parts)


def _ending(power: str, rng: np.random.Generator) -> list[SheetLine]:
    lines = []
    if rng.random() < 0.12:
        lines.append(SheetLine(_pick(rng, *_REMARKS), WrittenLineKind.REMARK))
    if rng.random() < 0.2:
        lines.append(
            SheetLine(_pick(rng, power.removeprefix("The "), f"signed, {power}"), WrittenLineKind.SIGNATURE)
        )
    return lines


def _pick(rng: np.random.Generator, *choices: str) -> str:
    return choices[int(rng.integers(len(choices)))]
