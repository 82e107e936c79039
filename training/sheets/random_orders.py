"""Inventing sheets: well-formed orders over a list of names, worded as the handbook's players word them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from training.handwriting.appearance import choose
from training.handwriting.sheet import SheetLine, SheetStyle, WrittenLineKind

# The ten seats of w3k; an order of supply or proxy names one.
POWERS = (
    "The Crown", "Cumberland", "Newcastle", "Manchester", "Protectorate", "Montrose", "Hamilton", "Argyll",
    "Ormond", "Confederacy",
)

_FIRST = ("Ada", "Bram", "Cleo", "Dov", "Esme", "Finn", "Greta", "Hugo", "Iris", "Jonah")
_LAST = ("Marlowe", "Okoro", "Penrose", "Quill", "Rowe", "Sterne", "Tolland", "Umber", "Vane", "Wren")
_GAMES = ("Powick Bridge", "Cropredy", "Roundway Down", "Cheriton")


@dataclass(frozen=True, slots=True)
class RandomName:
    """A region: canonical name, kind (land, coastal, inland, sea, ...), other spellings, coasts, abbreviation
    or ""."""

    name: str
    kind: str
    aliases: tuple[str, ...]
    coasts: tuple[str, ...] = ()
    abbr: str = ""


class Chance(Protocol):
    """What gives chance and the hands to choose from."""

    def rng(self, name: str) -> np.random.Generator:
        """Chance for one purpose."""

    def hands(self) -> tuple[str, ...]:
        """Families that may be drawn."""


def invent(name: str, names: tuple[RandomName, ...], chance: Chance, tidy: tuple[float, float]) -> SheetStyle:
    """A sheet with a heading and orders (six to twelve, or two to five in retreats and Winter), some struck
    out.

    `tidy` is the range its hand is drawn from, 0 (hasty) to 1; deterministic in `chance`.
    """
    rng = chance.rng(name + "/words")
    phase = str(rng.choice(["Movement", "Movement", "Movement", "Retreat", "Adjustment"]))
    power = str(rng.choice(POWERS))
    lines = [SheetLine(text, WrittenLineKind.HEADING) for text in _heading(power, phase, rng)]
    stop = "." if rng.random() < 0.3 else ""
    words = _Words(names, rng, terse=bool(rng.random() < 0.4))
    for _ in range(int(rng.integers(*{"Movement": (6, 13)}.get(phase, (2, 6))))):
        text, order = words.order(phase)
        lines.append(SheetLine(text + stop, WrittenLineKind.ORDER, order, struck=bool(rng.random() < 0.07)))
    if rng.random() < 0.25:
        lines.append(SheetLine(power, WrittenLineKind.SIGNATURE))
    decided = {"tidy": round(float(rng.uniform(*tidy)), 2)}
    return SheetStyle(
        name, power, phase, tuple(lines), choose(decided, chance.hands(), chance.rng(name + "/look"))
    )


def _heading(power: str, phase: str, rng: np.random.Generator) -> list[str]:
    season = "Winter" if phase == "Adjustment" else str(rng.choice(["Spring", "Summer", "Autumn"]))
    kind = {"Movement": "Movement Orders", "Retreat": "Retreat Orders", "Adjustment": "Adjustment Orders"}[
        phase
    ]
    heading = [f"{rng.choice(_FIRST)} {rng.choice(_LAST)}"] if rng.random() < 0.7 else []
    heading += [power, str(rng.choice(_GAMES)), f"{season} {rng.integers(1642, 1650)} {kind}"]
    if rng.random() < 0.4:
        heading.append(str(rng.choice(["v2", "Version 2", "v3, replaces all earlier"])))
    return heading


@dataclass(frozen=True, slots=True)
class _Words:
    names: tuple[RandomName, ...]
    rng: np.random.Generator
    terse: bool

    def order(self, phase: str) -> tuple[str, str]:
        """An order's wording and its canonical text."""
        kinds = _KINDS[phase]
        return kinds[int(self.rng.integers(len(kinds)))](self)

    def place(self) -> tuple[str, str]:
        """A region as written and by its full name."""
        region = self.names[int(self.rng.integers(len(self.names)))]
        other = region.aliases and self.rng.random() < 0.15
        return (str(self.rng.choice(region.aliases)) if other else region.name), region.name

    def unit(self) -> tuple[str, str]:
        """A unit as written and canonical."""
        kind = str(self.rng.choice(["A", "A", "F"]))
        written, name = self.place()
        return f"{kind if self.terse else {'A': 'Army', 'F': 'Fleet'}[kind]} {written}", f"{kind} {name}"

    def pick(self, *choices: str) -> str:
        """One of the choices."""
        return str(self.rng.choice(choices))


def _move(words: _Words) -> tuple[str, str]:
    (unit, canon), (to, name) = words.unit(), words.place()
    verb = "-" if words.terse else words.pick("moves to", "moves to", "to", "moves into", "attacks")
    return f"{unit} {verb} {to}", f"{canon} - {name}"


def _hold(words: _Words) -> tuple[str, str]:
    unit, canon = words.unit()
    return f"{unit} {'H' if words.terse else words.pick('holds', 'stands')}", f"{canon} H"


def _support_move(words: _Words) -> tuple[str, str]:
    (unit, canon), (target, target_canon), (to, name) = words.unit(), words.unit(), words.place()
    verb, preposition = ("S", "-") if words.terse else ("supports", words.pick("to", "into"))
    return f"{unit} {verb} {target} {preposition} {to}", f"{canon} S {target_canon} - {name}"


def _support_hold(words: _Words) -> tuple[str, str]:
    (unit, canon), (target, target_canon) = words.unit(), words.unit()
    return f"{unit} {'S' if words.terse else 'supports'} {target}", f"{canon} S {target_canon}"


def _convoy(words: _Words) -> tuple[str, str]:
    (sea, sea_name), (land, land_name), (to, name) = words.place(), words.place(), words.place()
    text = f"F {sea} C A {land} - {to}" if words.terse else f"Fleet {sea} convoys Army {land} to {to}"
    return text, f"F {sea_name} C A {land_name} - {name}"


def _proxy(words: _Words) -> tuple[str, str]:
    unit, canon = words.unit()
    power = words.pick(*POWERS)
    text = words.pick(f"{unit} is under the orders of {power}", f"Command of {unit} is offered to {power}")
    return text, f"{canon} proxy {power}"


def _retreat(words: _Words) -> tuple[str, str]:
    (unit, canon), (to, name) = words.unit(), words.place()
    return f"{unit} {'R' if words.terse else 'retreats to'} {to}", f"{canon} R {name}"


def _disband(words: _Words) -> tuple[str, str]:
    unit, canon = words.unit()
    return f"{unit} disbands", f"{canon} disbands"


def _build(words: _Words) -> tuple[str, str]:
    to, name = words.place()
    kind = words.pick("A", "F")
    preposition = words.pick("at", "in")
    return f"Build {'an Army' if kind == 'A' else 'a Fleet'} {preposition} {to}", f"Build {kind} {name}"


def _remove(words: _Words) -> tuple[str, str]:
    unit, canon = words.unit()
    return f"{words.pick('Remove', 'Disband')} {unit}", f"Remove {canon}"


def _send(words: _Words) -> tuple[str, str]:
    count, power = int(words.rng.integers(1, 4)), words.pick(*POWERS)
    owner = "unit's" if count == 1 else "units'"
    return f"Send {count} {owner} supply to {power}", f"Send {count} supply to {power}"


# How often a kind is written next to others: once for each time that it is listed.
_KINDS: Mapping[str, tuple[Callable[[_Words], tuple[str, str]], ...]] = {
    "Movement": (
        *(4 * (_move,)), _hold, *(2 * (_support_move,)), _support_hold, _convoy, _proxy,
    ),
    "Retreat": (_retreat, _retreat, _retreat, _disband),
    "Adjustment": (_build, _build, _build, _remove, _send),
}
