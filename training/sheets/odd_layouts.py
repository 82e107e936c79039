"""Sheets laid out as people lay them out where it is not one order a row: lists under headings, tables, ditto
marks, columns close together, orders broken anywhere, units behind their names, numbered lines.

`OddLayout` names the layouts; `odd_draft` draws the words of a sheet for one. In a line's markup a tabulator
is between the cells of a table and a new line where the writer breaks the row. The words of headings for
calibration and for sheets held out differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

import numpy as np

from training.handwriting.sheet import SheetLine, WrittenLineKind
from training.sheets.drafts import SheetDraft
from training.sheets.phrases import Dialect, PhraseBook, UnitName
from training.sheets.random_orders import RandomName


class OddLayout(StrEnum):
    """How a sheet is laid out."""

    LISTS = "lists"
    VERBS = "verbs"
    COLUMNS = "columns"
    TABLE = "table"
    DITTO = "ditto"
    BROKEN = "broken"
    BEHIND = "behind"
    NUMBERED = "numbered"
    DARK = "dark"
    STRANGE = "strange"


_Heads = Mapping[str, tuple[str, ...]]
_CALIBRATION: _Heads = {
    "A": ("Armies", "Armies:", "ARMIES"), "F": ("Fleets", "Fleets:", "FLEETS"),
    "move": ("Moves:", "Moves"), "hold": ("Holds:", "Holds"), "support": ("Supports:", "Supports"),
    "convoy": ("Convoys:", "Convoys"),
    "table": ("Unit\tFrom\tTo", "Unit\tPlace\tOrder"), "number": ("({})", "{})", "{}."),
}
_HELD_OUT: _Heads = {
    "A": ("My armies:", "Army:", "Armies -"), "F": ("My fleets:", "Fleet:", "Fleets -"),
    "move": ("Moving:", "Movements:"), "hold": ("Holding:", "Hold:"), "support": ("Supporting:", "Support:"),
    "convoy": ("Convoying:", "Convoy:"),
    "table": ("Unit\tFrom\tTo", "Type\tWhere\tWhat"), "number": ("({}).", "{} -", "No. {}"),
}
_DITTO = '"'
_CODE = 3
"""Letters of a code."""
_ENDINGS = ("mere", "ford", "ton", "stead", "holm", "by", "den", "land", "way", "hold", "move")
_GUTTERS = (3.0, 9.0)
"""Millimetres between the columns of a sheet that has them close."""


def odd_draft(
    layout: OddLayout, names: Sequence[RandomName], rng: np.random.Generator, *, is_held_out: bool
) -> SheetDraft:
    """The words of one movement sheet in a layout; deterministic in `rng`."""
    dialect = Dialect.PROSE if layout is OddLayout.BEHIND or (
        layout is OddLayout.BROKEN and rng.random() < 0.6) else Dialect.ABBR
    words = PhraseBook(names, rng, dialect)
    power = words.power()
    heads = _HELD_OUT if is_held_out else _CALIBRATION
    season = words.pick("Spring", "Summer", "Autumn")
    heading = (_head(power), _head(f"{season} {rng.integers(1642, 1650)} Movement Orders"))
    lines = (*heading, *_LINES[layout](words, heads))
    drafted = SheetDraft(power, "Movement", dialect, lines, layout=layout.value)
    if layout is OddLayout.COLUMNS:
        return replace(drafted, columns=2, gutter=float(rng.uniform(*_GUTTERS)))
    return drafted


def _head(text: str) -> SheetLine:
    return SheetLine(text, WrittenLineKind.HEADING)


def _order(text: str, order: str) -> SheetLine:
    return SheetLine(text, WrittenLineKind.ORDER, order)


def _unit(words: PhraseBook, letter: str) -> UnitName:
    words.begin_order()
    unit = words.unit(letter=letter)
    # A coast belongs to fleets that change theirs; lists of these layouts do without.
    return unit if "/" not in unit.canonical else _unit(words, letter)


def _bare(words: PhraseBook, letter: str) -> tuple[str, str]:
    """An order of a unit of a kind, without the word for it: as written, and canonical."""
    unit = _unit(words, letter)
    place = unit.place.written
    turn = words.rng.random()
    if turn < 0.5:
        to = words.place(letter=letter)
        return f"{place} - {to.written}", f"{unit.canonical} - {to.canonical}"
    if turn < 0.75:
        return f"{place} {words.pick('H', 'holds')}", f"{unit.canonical} H"
    target = words.unit(letter="A")
    to = words.place(sea=False)
    return (f"{place} S {target.written} - {to.written}",
            f"{unit.canonical} S {target.canonical} - {to.canonical}")


def _lists(words: PhraseBook, heads: _Heads) -> list[SheetLine]:
    lines = []
    for letter in "AF":
        lines.append(_head(words.pick(*heads[letter])))
        lines += [_order(*_bare(words, letter)) for _ in range(int(words.rng.integers(2, 5)))]
    return lines


def _verbs(words: PhraseBook, heads: _Heads) -> list[SheetLine]:
    """Lists by what the units do: moves and holds in full or with the verb left to the heading, supports and
    convoys with a colon for the verb or in full."""
    lines = []
    is_short = words.rng.random() < 0.5
    for verb in ("move", "hold", "support", "convoy"):
        lines.append(_head(words.pick(*heads[verb])))
        for _ in range(int(words.rng.integers(1, 4))):
            if verb == "convoy":
                words.begin_order()
                sea, land, to = words.place(sea=True), words.place(sea=False), words.place(sea=False)
                sign = ":" if is_short else " C"
                lines.append(_order(f"F {sea.written}{sign} A {land.written} - {to.written}",
                                    f"F {sea.canonical} C A {land.canonical} - {to.canonical}"))
                continue
            unit = _unit(words, words.pick("A", "F"))
            if verb == "hold":
                lines.append(_order(f"{unit.written}{'' if is_short else ' H'}", f"{unit.canonical} H"))
                continue
            to = words.place(letter=unit.letter if verb == "move" else "A")
            if verb == "move":
                lines.append(_order(f"{unit.written} - {to.written}", f"{unit.canonical} - {to.canonical}"))
                continue
            target = words.unit(letter="A")
            sign = ":" if is_short else " S"
            lines.append(_order(f"{unit.written}{sign} {target.written} - {to.written}",
                                f"{unit.canonical} S {target.canonical} - {to.canonical}"))
    return lines


def _plain(words: PhraseBook, fewest: int, most: int) -> list[SheetLine]:
    lines: list[SheetLine] = []
    while len(lines) < int(words.rng.integers(fewest, most)):
        text, order = words.order("Movement")
        if "/" not in order and "proxy" not in order and "converts" not in order:
            lines.append(_order(text, order))
    return lines


def _columns(words: PhraseBook, _heads: _Heads) -> list[SheetLine]:
    return _plain(words, 7, 13)


def _some(words: PhraseBook, _heads: _Heads) -> list[SheetLine]:
    return _plain(words, 5, 10)


def _numbered(words: PhraseBook, heads: _Heads) -> list[SheetLine]:
    form = words.pick(*heads["number"])
    return [replace(line, markup=f"{form.format(number)} {line.markup}")
            for number, line in enumerate(_plain(words, 5, 10), 1)]


def _broken(words: PhraseBook, _heads: _Heads) -> list[SheetLine]:
    """Orders that their writer breaks at any word, most of them."""
    lines = []
    for line in _plain(words, 4, 8):
        parts = line.markup.split(" ")
        if len(parts) > 3 and words.rng.random() < 0.8:
            at = int(words.rng.integers(2, len(parts)))
            lines.append(replace(line, markup=" ".join(parts[:at]) + "\n" + " ".join(parts[at:])))
        else:
            lines.append(line)
    return lines


def _behind(words: PhraseBook, _heads: _Heads) -> list[SheetLine]:
    """The word for a unit behind its place: "Kent army moves to Surrey"."""
    lines = []
    for _ in range(int(words.rng.integers(4, 8))):
        unit = _unit(words, words.pick("A", "F"))
        named = f"{unit.place.written} {'army' if unit.letter == 'A' else 'fleet'}"
        turn = words.rng.random()
        to = words.place(letter=unit.letter if turn < 0.5 else "A")
        if turn < 0.5:
            verb = words.pick("moves to", "to", "moves into")
            lines.append(_order(f"{named} {verb} {to.written}", f"{unit.canonical} - {to.canonical}"))
        elif turn < 0.75:
            lines.append(_order(f"{named} holds", f"{unit.canonical} H"))
        else:
            target = words.unit(letter="A")
            lines.append(_order(f"{named} supports {target.written} to {to.written}",
                                f"{unit.canonical} S {target.canonical} - {to.canonical}"))
    return lines


def _table(words: PhraseBook, heads: _Heads) -> list[SheetLine]:
    lines = [_head(words.pick(*heads["table"]))] if words.rng.random() < 0.8 else []
    for _ in range(int(words.rng.integers(4, 9))):
        unit = _unit(words, words.pick("A", "A", "F"))
        if words.rng.random() < 0.75:
            to = words.place(letter=unit.letter)
            lines.append(_order(f"{unit.letter}\t{unit.place.written}\t{to.written}",
                                f"{unit.canonical} - {to.canonical}"))
        else:
            lines.append(_order(f"{unit.letter}\t{unit.place.written}\t{words.pick('H', 'holds')}",
                                f"{unit.canonical} H"))
    return lines


def _strange(words: PhraseBook, _heads: _Heads) -> list[SheetLine]:
    """Orders of which every second names a place of no list: a listed name with another ending, or a code
    with another letter."""
    lines = []
    known = {spelt.casefold() for name in words.names for spelt in (name.name, name.abbr, *name.aliases)}
    for line in _plain(words, 3, 6):
        lines.append(line)
        unit = _unit(words, words.pick("A", "F"))
        to = words.place(letter=unit.letter)
        name = words.names[int(words.rng.integers(len(words.names)))]
        stem = name.name.split(" ")[0]
        if words.rng.random() < 0.5 and len(name.abbr) == _CODE:
            place = int(words.rng.integers(_CODE))
            letter = chr(ord("a") + int(words.rng.integers(26)))
            written = name.abbr[:place] + (letter.upper() if name.abbr[place].isupper() else letter)
            written += name.abbr[place + 1:]
        else:
            written = stem + words.pick(*_ENDINGS)
        if written.casefold() in known or any(each.startswith(written.casefold()) for each in known):
            continue
        text = words.pick(f"{unit.letter} {written} - {to.written}", f"{unit.letter} {written} H",
                          f"{unit.written} - {written}", f"{unit.written} S A {written} - {to.written}")
        lines.append(SheetLine(text, WrittenLineKind.ORDER, want="review", trap="strange"))
    return lines


def _ditto(words: PhraseBook, _heads: _Heads) -> list[SheetLine]:
    """Orders whose unit, or whose supported move, is the one above."""
    lines: list[SheetLine] = []
    for letter in "AF":
        for index in range(int(words.rng.integers(2, 5))):
            text, order = _bare(words, letter)
            lines.append(_order(f"{letter if index == 0 else _DITTO} {text}", order))
    return lines


_LINES: Mapping[OddLayout, Callable[[PhraseBook, _Heads], list[SheetLine]]] = {
    OddLayout.LISTS: _lists, OddLayout.VERBS: _verbs, OddLayout.COLUMNS: _columns, OddLayout.TABLE: _table,
    OddLayout.DITTO: _ditto, OddLayout.BROKEN: _broken, OddLayout.BEHIND: _behind,
    OddLayout.NUMBERED: _numbered, OddLayout.DARK: _some, OddLayout.STRANGE: _strange,
}
