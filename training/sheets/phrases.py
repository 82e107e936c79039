"""Orders in the wordings that players use: the handbook's prose, a shorter prose, and abbreviations.

The orders are well formed, not legal. Wordings follow ORD-01..07, RET-03, ADJ-02, ADJ-03, CVT-01, PRX-01,
PRX-02 and SUP-01.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from training.sheets.random_orders import POWERS, RandomName

_UNITS = {"A": "Army", "F": "Fleet"}
# Chances, 0 to 1: a name is written as one of its aliases; a coast is named where the region has coasts.
_LIKE_AN_ALIAS = 0.13
_COAST = 0.35


class Dialect(StrEnum):
    """How someone words orders; the words of truth.json."""

    PROSE = "prose"
    TERSE = "terse"
    ABBR = "abbr"


@dataclass(frozen=True, slots=True)
class PlaceName:
    """A region as written and in canonical text, with its coast where it has one."""

    written: str
    canonical: str


@dataclass(frozen=True, slots=True)
class UnitName:
    """A unit as written, in canonical text, and its letter and place."""

    written: str
    canonical: str
    letter: str
    place: PlaceName


@dataclass(frozen=True, slots=True)
class PhraseBook:
    """One person's way with orders over a list of names; all chance is from `rng`."""

    names: Sequence[RandomName]
    rng: np.random.Generator
    dialect: Dialect
    powers: Sequence[str] = POWERS
    _drawn: set[str] = field(default_factory=set, init=False, repr=False, compare=False)

    def order(self, phase: str) -> tuple[str, str]:
        """An order of a phase ("Movement", "Retreat", "Adjustment"): as written, and canonical text. It names
        no region twice, since an order to where its unit is must wait (INK-03) and no one means it."""
        kinds = _KINDS[phase]
        self.begin_order()
        return kinds[int(self.rng.integers(len(kinds)))](self)

    def begin_order(self) -> None:
        """Let every region be drawn again."""
        self._drawn.clear()

    def place(self, *, sea: bool | None = None, coast: bool = False, letter: str = "") -> PlaceName:
        """Any region but those drawn since the order began; `sea` requests water or land, `coast` lets one of
        its coasts be named, `letter` asks for one where an army or a fleet can be."""
        others = [name for name in self.names if name.name not in self._drawn] or list(self.names)
        fit = [
            name for name in others
            if (sea is None or name.kind.endswith("sea") == sea)
            # A code or an alias for a place where its unit cannot be is refused, typed or in ink (WRD-01).
            and not (letter == "A" and name.kind.endswith("sea"))
            and not (letter == "F" and name.kind == "inland")
        ] or others
        region = fit[int(self.rng.integers(len(fit)))]
        self._drawn.add(region.name)
        written = self._spelt(region)
        if not (coast and region.coasts and self.rng.random() < _COAST):
            return PlaceName(written, region.name)
        side = self.pick(*region.coasts)
        short = "".join(word[0] for word in side.split())
        place_text = self.pick(f"{written}/{side}", f"{written} ({side})", f"{written}/{side}")
        if self.dialect is Dialect.ABBR and self.rng.random() < 0.3:
            place_text = f"{written}/{short}"
        return PlaceName(place_text, f"{region.name}/{side}")

    def goal(self, letter: str) -> PlaceName:
        """Where a unit of this letter goes."""
        return self.place(coast=True, letter=letter)

    def unit(self, *, letter: str | None = None, owned: bool = False) -> UnitName:
        """Any unit; `owned` lets an owner are before it."""
        kind = letter or self.pick("A", "A", "F")
        # Only a fleet is on a named coast. Beyond its places an order need not be legal.
        place = self.place(coast=kind == "F", letter=kind)
        word = kind if self.dialect is Dialect.ABBR else _UNITS[kind]
        unit_text = f"{word} {place.written}"
        if owned and self.dialect is Dialect.PROSE and self.rng.random() < 0.12:
            owner = self.power().removeprefix("The ")
            unit_text = self.pick(f"the {owner} {unit_text}", f"{owner}'s {unit_text}",
                f"the {owner}'s {unit_text}")
        return UnitName(unit_text, f"{kind} {place.canonical}", kind, place)

    def power(self) -> str:
        """A seat."""
        return self.pick(*self.powers)

    def pick(self, *choices: str) -> str:
        """One of the choices, each as likely."""
        return choices[int(self.rng.integers(len(choices)))]

    def template(self, *, prose: Sequence[str], terse: Sequence[str], abbr: Sequence[str]) -> str:
        """A template of the dialect."""
        return self.pick(*{Dialect.PROSE: prose, Dialect.TERSE: terse, Dialect.ABBR: abbr}[self.dialect])

    def _spelt(self, name: RandomName) -> str:
        chance = self.rng.random()
        if self.dialect is Dialect.ABBR and name.abbr and chance < 0.35:
            return name.abbr
        if name.aliases and chance < 0.35 + _LIKE_AN_ALIAS and chance >= 0.35:
            return self.pick(*name.aliases)
        spelt = name.name
        # "Kyle & Carrick" is also written with "and".
        if "&" in spelt and self.rng.random() < 0.3:
            spelt = spelt.replace("&", "and")
        if name.kind.endswith("sea") and self.dialect is Dialect.PROSE and self.rng.random() < 0.2:
            spelt = f"the {spelt.removeprefix('The ')}"
        return spelt


def _move(w: PhraseBook) -> tuple[str, str]:
    unit = w.unit(owned=True)
    to = w.goal(unit.letter)
    shape = w.template(
        prose=("{u} moves to {to}", "{u} moves to {to}", "{u} moves to {to}", "{u} moves into {to}",
            "{u} to {to}",
               "{u} attacks {to}", "{u} enters {to}", "{u} moves to {to} via convoy", "{u} goes to {to}"),
        terse=("{u} to {to}", "{u} to {to}", "{u} - {to}", "{u} attacks {to}"),
        abbr=("{u} - {to}", "{u} - {to}", "{u} - {to}", "{u} -> {to}", "{u}-{to}"),
    )  # fmt: skip
    # No fleet goes by convoy, and no reader may take one that does.
    shape = shape.removesuffix(" via convoy") if unit.letter == "F" else shape
    return shape.format(u=unit.written, to=to.written), f"{unit.canonical} - {to.canonical}"


def _ordered(w: PhraseBook) -> tuple[str, str]:
    unit = w.unit(letter=w.pick("A", "F"))
    to = w.goal(unit.letter)
    word = {"A": "army", "F": "fleet"}[unit.letter]
    verb = w.pick("enter", "attack", "move to")
    text = f"{w.power()} orders its {word} in {unit.place.written} to {verb} {to.written}"
    # No one who abbreviates writes an order in the third person; he writes a plain move.
    if w.dialect is not Dialect.PROSE:
        return _move(w)
    return text, f"{unit.canonical} - {to.canonical}"


def _hold(w: PhraseBook) -> tuple[str, str]:
    unit = w.unit(owned=True)
    shape = w.template(
        prose=("{u} holds", "{u} holds", "{u} stands", "{u} stands fast", "{u} to hold"),
        terse=("{u} holds", "{u} stands", "{u} hold"), abbr=("{u} H", "{u} H", "{u} holds", "{u} h"),
    )  # fmt: skip
    return shape.format(u=unit.written), f"{unit.canonical} H"


def _support_move(w: PhraseBook) -> tuple[str, str]:
    unit, target = w.unit(), w.unit(owned=True)
    to = w.goal(target.letter)
    shape = w.template(
        prose=("{u} supports {t} to {to}", "{u} supports {t} to {to}", "{u} supports {t} into {to}",
               "{u} supports {t} moving to {to}", "{u} supports {t} in attacking {to}"),
        terse=("{u} supports {t} to {to}", "{u} supports {t} into {to}", "{u} S {t} to {to}"),
        abbr=("{u} S {t} - {to}", "{u} S {t} - {to}", "{u} s {t} - {to}"),
    )  # fmt: skip
    text = shape.format(u=unit.written, t=target.written, to=to.written)
    return text, f"{unit.canonical} S {target.canonical} - {to.canonical}"


def _support_hold(w: PhraseBook) -> tuple[str, str]:
    unit, target = w.unit(), w.unit(owned=True)
    # The contract has `A X S Y` for a supported unit whose kind was not written.
    bare = w.rng.random() < 0.25
    target_text, canonical = (
        (target.place.written, target.place.canonical) if bare else (target.written, target.canonical)
    )
    shape = w.template(
        prose=("{u} supports {t}", "{u} supports {t}", "{u} supports {t} in place",
            "{u} supports {t} to hold"),
        terse=("{u} supports {t}", "{u} S {t}"), abbr=("{u} S {t}", "{u} S {t} H"),
    )  # fmt: skip
    return shape.format(u=unit.written, t=target_text), f"{unit.canonical} S {canonical}"


def _convoy(w: PhraseBook) -> tuple[str, str]:
    sea, land, to = w.place(sea=True), w.place(sea=False), w.place(sea=False, coast=True)
    shape = w.template(
        prose=("Fleet {f} convoys Army {a} to {to}", "Fleet {f} convoys Army {a} to {to}",
               "Fleet {f} convoys Army {a} into {to}"),
        terse=("Fleet {f} convoys Army {a} to {to}", "Fleet {f} C Army {a} to {to}"),
        abbr=("F {f} C A {a} - {to}",),
    )  # fmt: skip
    text = shape.format(f=sea.written, a=land.written, to=to.written)
    return text, f"F {sea.canonical} C A {land.canonical} - {to.canonical}"


def _convert(w: PhraseBook) -> tuple[str, str]:
    unit = w.unit()
    other = "F" if unit.letter == "A" else "A"
    kind = {"A": "an army", "F": "a fleet"}[other]
    bare = _UNITS[other]
    shape = w.template(
        prose=("{u} converts to {kind}", "{u} converts to {bare}", "Convert {u} to {kind}"),
        terse=("{u} converts to {bare}", "Convert {u} to {bare}"), abbr=("{u} converts to {o}", "{u} = {o}"),
    )  # fmt: skip
    text = shape.format(u=unit.written, kind=kind, bare=bare, o=other)
    return text, f"{unit.canonical} converts to {other}"


def _proxy(w: PhraseBook) -> tuple[str, str]:
    unit, power = w.unit(), w.power()
    power_text = w.pick(power, power.replace("The ", "the "))
    shape = w.pick("{u} is under the orders of {p}", "Command of {u} is offered to {p}")
    return shape.format(u=unit.written, p=power_text), f"{unit.canonical} proxy {power}"


def _retreat(w: PhraseBook) -> tuple[str, str]:
    unit = w.unit()
    to = w.goal(unit.letter)
    shape = w.template(
        prose=("{u} retreats to {to}",), terse=("{u} retreats to {to}", "{u} R {to}"),
        abbr=("{u} R {to}", "{u} retreats to {to}", "{u} R - {to}"),
    )  # fmt: skip
    return shape.format(u=unit.written, to=to.written), f"{unit.canonical} R {to.canonical}"


def _disband(w: PhraseBook) -> tuple[str, str]:
    unit = w.unit()
    return f"{unit.written} disbands", f"{unit.canonical} disbands"


def _build(w: PhraseBook) -> tuple[str, str]:
    letter = w.pick("A", "F")
    to = w.place(sea=False, coast=letter == "F", letter=letter)
    full = {"A": "an Army", "F": "a Fleet"}[letter]
    shape = w.template(
        prose=("Build {full} at {to}", "Build {full} in {to}"),
        terse=("Build {full} at {to}", "Build {word} {to}"),
        abbr=("Build {letter} {to}", "Build {full} in {to}"),
    )  # fmt: skip
    text = shape.format(full=full, word=_UNITS[letter], letter=letter, to=to.written)
    return text, f"Build {letter} {to.canonical}"


def _remove(w: PhraseBook) -> tuple[str, str]:
    unit = w.unit()
    shape = w.template(
        prose=("Remove {u}", "Disband {u}", "{u} is removed"), terse=("Remove {u}", "Disband {u}"),
        abbr=("Remove {u}",)
    )
    return shape.format(u=unit.written), f"Remove {unit.canonical}"


def _send(w: PhraseBook) -> tuple[str, str]:
    count, power = int(w.rng.integers(1, 5)), w.power()
    owner = "unit's" if count == 1 else "units'"
    return f"Send {count} {owner} supply to {power}", f"Send {count} supply to {power}"


_KINDS: Mapping[str, tuple[Callable[[PhraseBook], tuple[str, str]], ...]] = {
    "Movement": (
        *(6 * (_move,)), _ordered, _hold, _hold, *(4 * (_support_move,)), *(2 * (_support_hold,)),
        _convoy, _convoy, _convert, _proxy,
    ),
    "Retreat": (_retreat, _retreat, _retreat, _disband),
    "Adjustment": (_build, _build, _build, _build, _remove, _remove, _send),
}  # fmt: skip
