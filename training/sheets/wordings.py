"""What players of a game write, as a table: the wordings of its orders with what each means, and the headings
of its sheets.

A book is a TOML file, so that sheets of another game need no code:

    powers, games, years, headings (per phase), counts (per phase: least and most lines), [kinds] letter = {
    word, grounds }, and [[form]] with `phase`, `weight`, `says` (wordings by dialect) and `means` (canonical
    text).

Blanks are the same on both sides: `{unit}` and `{other}` (a kind's letters may follow, `{unit:AB}`),
`{carrier}` (a unit at sea), `{to}`, `{land}`, `{sea}`, `{shore}` and `{place}` (a figure may follow:
`{land2}`), `{power}`, `{count}` (choices may follow: `{count:5,10}`), `{kind}`. A blank has one value
everywhere in a form.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from training.sheets.phrases import Dialect, PhraseBook
from training.sheets.random_orders import RandomName

# role, number, choices: `{unit}`, `{land2}`, `{unit:A,A/F}`.
_BLANK = re.compile(r"\{(?P<role>[a-z]+)(?P<nth>\d?)(?::(?P<of>[^}]+))?\}")
_GROUNDS: Mapping[str, tuple[str, ...]] = {
    "land": ("inland", "coastal", "land"), "shore": ("coastal",), "sea": ("sea", "primary_sea", "local_sea"),
    "inland": ("inland",),
}


class BookError(ValueError):
    """A book cannot be used; the sentence names what is wrong in it."""


@dataclass(frozen=True, slots=True)
class Form:
    """One order of a phase: how often next to others, its wordings by dialect, and its canonical text."""

    phase: str
    weight: int
    says: Mapping[Dialect, Sequence[str]]
    means: str


@dataclass(frozen=True, slots=True)
class WordingKind:
    """A unit's word, and on which grounds ("land", "shore", "sea") it is named."""

    word: str
    grounds: Sequence[str]


@dataclass(frozen=True, slots=True)
class Book:
    """The wordings of one game. `unit`: how someone who abbreviates writes a unit, with blanks `kind` and
    `place`."""

    powers: tuple[str, ...]
    games: tuple[str, ...]
    kinds: Mapping[str, WordingKind]
    headings: Mapping[str, Sequence[str]]
    years: tuple[int, int]
    counts: Mapping[str, tuple[int, int]]
    forms: Sequence[Form]
    unit: Sequence[str] = ("{kind} {place}",)

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases that a sheet may be for."""
        return tuple(self.headings)


def read_book(path: Path) -> Book:
    """A book from its file. Raises BookError for a part that is missing, OSError where there is no file."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    try:
        return Book(
            tuple(document["powers"]),
            tuple(document["games"]),
            {
                letter: WordingKind(row["word"], tuple(row["grounds"]))
                for letter, row in document["kinds"].items()
            },
            document["headings"],
            (document["years"][0], document["years"][1]),
            {phase: (fewest, most) for phase, (fewest, most) in document["counts"].items()},
            [_form(row) for row in document["form"]],
            tuple(document.get("unit", ("{kind} {place}",))),
        )
    except (KeyError, ValueError, TypeError) as fault:
        raise BookError(f"{path}: {fault!r}") from fault


def _form(row: Mapping[str, Any]) -> Form:
    says = {Dialect(name): tuple(texts) for name, texts in row["says"].items()}
    return Form(row["phase"], int(row.get("weight", 1)), says, row["means"])


@dataclass(frozen=True, slots=True)
class BookWording(PhraseBook):
    """One person's way with the orders of a book."""

    book: Book | None = None

    def order(self, phase: str) -> tuple[str, str]:
        """An order of a phase: as written, and canonical text."""
        assert self.book is not None
        fit = [form for form in self.book.forms if form.phase == phase]
        shares = np.array([form.weight for form in fit], float)
        form = fit[int(self.rng.choice(len(fit), p=shares / shares.sum()))]
        wordings = form.says.get(self.dialect) or next(iter(form.says.values()))
        return _Filler(self, self.book).filled(self.pick(*wordings), form.means)


@dataclass(slots=True)
class _Filler:
    """Fills the blanks of one order."""

    words: PhraseBook
    book: Book
    filled_blanks: dict[str, tuple[str, str]] = field(default_factory=dict)

    def filled(self, says: str, means: str) -> tuple[str, str]:
        # A blank filled once has the same value in both texts.
        for blank in (*_BLANK.finditer(means), *_BLANK.finditer(says)):
            key = blank["role"] + blank["nth"]
            if key not in self.filled_blanks:
                self.filled_blanks[key] = self._filling(blank["role"], blank["of"] or "")
        return self._with_blanks(says, 0), self._with_blanks(means, 1)

    def _with_blanks(self, text: str, side: int) -> str:
        return _BLANK.sub(lambda blank: self.filled_blanks[blank["role"] + blank["nth"]][side], text)

    def _filling(self, role: str, of: str) -> tuple[str, str]:
        words = self.words
        if role in {"unit", "other"}:
            return self._unit(of)
        if role == "carrier":
            return self._unit(of, ("sea",))
        if role == "power":
            power = words.power()
            return power, power
        if role == "count":
            count = words.pick(*(of or "1,2,3,4").split(","))
            return count, count
        if role == "kind":
            letter = words.pick(*(of or "".join(self.book.kinds)))
            return (letter if words.dialect is Dialect.ABBR else self.book.kinds[letter].word), letter
        return self._place((role,) if role in _GROUNDS else (), self._mover())

    def _mover(self) -> WordingKind | None:
        """The kind of the last unit so far, which is the one that goes to a place named after it."""
        units = [self.filled_blanks[key] for key in ("other", "unit") if key in self.filled_blanks]
        return self.book.kinds.get(units[0][1].partition(" ")[0]) if units else None

    def _unit(self, letters: str, grounds: Sequence[str] = ()) -> tuple[str, str]:
        words = self.words
        known = tuple(letter for letter in self.book.kinds if not letters or letter in letters.split(","))
        letter = words.pick(*known)
        kind = self.book.kinds[letter]
        written, canonical = self._place(grounds or tuple(kind.grounds), kind)
        if words.dialect is not Dialect.ABBR:
            return f"{kind.word} {written}", f"{letter} {canonical}"
        unit_text = words.pick(*self.book.unit).format(kind=letter, place=written)
        # No one puts an article in parentheses.
        return unit_text.replace("(The ", "("), f"{letter} {canonical}"

    def _place(self, grounds: Sequence[str], unit: WordingKind | None = None) -> tuple[str, str]:
        """A place as written, and its name. One where `unit` cannot be is written in full: less is refused
        (WRD-01)."""
        kinds = {kind for ground in grounds for kind in _GROUNDS[ground]}
        fit = [name for name in self.words.names if not kinds or name.kind in kinds]
        region: RandomName = fit[int(self.words.rng.integers(len(fit)))]
        rng, written = self.words.rng, region.name
        if self.words.dialect is Dialect.ABBR and region.abbr and rng.random() < 0.6:
            written = region.abbr
        elif region.aliases and rng.random() < 0.1:
            written = self.words.pick(*region.aliases)
        is_misfit = unit is not None and not any(region.kind in _GROUNDS[ground] for ground in unit.grounds)
        return (region.name if is_misfit else written), region.name
