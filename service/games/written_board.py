"""A board as text that a person can change: one line for each unit and each centre (PHA-04)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adjudicator.position import Position
from adjudicator.units import Unit
from maps.variant import Variant
from service.games.refused import Refused
from service.games.results import unit_text


def written_board(variant: Variant, position: Position) -> tuple[str, str]:
    """Units and centres, one a line, behind their power: "Montrose: Army Perth"."""
    provinces, name = variant.board.provinces, {key: power.name for key, power in variant.powers.items()}
    units = sorted(f"{name[unit.power]}: {unit_text(variant, unit)}" for unit in position.units)
    centres = sorted(f"{name[power]}: {provinces[centre].name}"
                     for power, owned in position.centres.items() for centre in owned)
    return "\n".join(units), "\n".join(centres)


def read_board(variant: Variant, position: Position, units: str, centres: str) -> Position:
    """The position with these units and centres, and with all else as it is. Raises Refused, which names the
    line that is wrong."""
    things = {
        f"{kind.name} {variant.board.region_text(region)}".casefold(): (letter, region)
        for letter, kind in variant.kinds.items()
        for movement in kind.moves for region in variant.board.links.get(movement, {})}
    placed: dict[str, Unit] = {}
    for power, words in _lines(variant, units):
        if words.casefold() not in things:
            raise Refused(f"Nothing was changed: “{words}” is not a unit in a place of this board where it "
                          "can be. Write it like the other lines.")
        unit = Unit(power, *things[words.casefold()])
        if unit.region.province in placed:
            raise Refused(f"Nothing was changed: “{words}” would be the second unit there.")
        placed[unit.region.province] = unit
    names = {province.name.casefold(): key for key, province in variant.board.provinces.items()
             if province.centre}
    owned: dict[str, str] = {}
    for power, words in _lines(variant, centres):
        if words.casefold() not in names or names[words.casefold()] in owned:
            raise Refused(f"Nothing was changed: “{words}” is not a centre of this board, or is listed "
                          "twice.")
        owned[names[words.casefold()]] = power
    return replace(position, units=frozenset(placed.values()), centres={
        power: frozenset(centre for centre, owner in owned.items() if owner == power)
        for power in dict.fromkeys([*position.centres, *owned.values()])})


def _lines(variant: Variant, text: str) -> Iterator[tuple[str, str]]:
    """The lines of a text: a power's id, and the words behind it."""
    powers = {power.name.casefold(): key for key, power in variant.powers.items()}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, sign, words = line.partition(":")
        if not sign or name.strip().casefold() not in powers:
            raise Refused(f"Nothing was changed: the line “{line[:80]}” does not begin with a power of this "
                          "game and a colon.")
        yield powers[name.strip().casefold()], " ".join(words.split())
