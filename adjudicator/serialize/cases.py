"""A case of `adjudicate` in the contract's JSON, read into values. `answers.py` writes the answer to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.context import Context
from adjudicator.lots import Lots
from adjudicator.orders import Order
from adjudicator.phases.dislodgements import retreat_regions
from adjudicator.position import Dislodgement, Extension, Memory, NotePart, Position
from adjudicator.ruleset import Ruleset
from adjudicator.serialize import codec
from adjudicator.serialize.case_fields import (
    CaseFault,
    Document,
    NameReader,
    as_object,
    flag,
    items,
    required,
)
from adjudicator.serialize.order_json import OrderReader
from adjudicator.units import Unit

YEARS = range(1, 10_000)
"""The years that a case may name."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case as values. `id` is the case's own."""

    id: str | int | None
    position: Position
    orders: tuple[Order, ...]
    lots: Lots


def case_id(data: Document) -> str | int | None:
    """The id of a case, faulty or not. Raises CaseFault for one that is neither a text nor a whole number."""
    name = data.get("id")
    if name is not None and type(name) not in {str, int}:
        raise CaseFault("id", "must be a text or a whole number")
    return cast("str | int | None", name)


class CaseReader:
    """Reads cases of one variant. `year` is the year of a case that names none."""

    def __init__(self, context: Context, rules: Ruleset, year: int) -> None:
        self._context = context
        self._rules = rules
        self._year = year
        self.names = NameReader(context)
        self._orders = OrderReader(self.names, rules)

    def read(self, data: Document) -> Case:
        """The values of a case. Raises CaseFault, naming the field, if the case cannot be judged."""
        position = self.read_position(data)
        # An empty list is an answer; a missing one is more likely a slip.
        required(data, "orders")
        orders: list[Order] = []
        for item in items(data, "orders"):
            try:
                orders.append(self._orders.read(item))
            except CaseFault as fault:
                raise fault.below(f"orders[{len(orders)}]") from fault
        return Case(case_id(data), position, tuple(orders), self._lots(data))

    def read_order(self, data: object) -> Order:
        """One order of a case. Raises CaseFault, whose path begins at the order's object."""
        return self._orders.read(data)

    def read_position(self, data: Document) -> Position:
        """The position in a case, whose orders and lots are not read. Raises CaseFault."""
        phase = self._phase(data)
        units = self._units(data)
        contested = frozenset(
            self.names.province(f"contested[{index}]", name).id
            for index, name in enumerate(items(data, "contested")))
        return Position(
            phase, units, self._centres(data), self._dislodged(data, units, contested), contested,
            self._memory(data, units), self._own_state(data),
        )

    def _phase(self, data: Document) -> Phase:
        kinds = {kind for _, kind in self._context.calendar.steps}
        kind = required(data, "phase")
        if not isinstance(kind, str) or kind not in kinds:
            raise CaseFault("phase", f"{kind!r} is not one of {', '.join(sorted(kinds))}")
        seasons = [season for season, step in self._context.calendar.steps if step == kind]
        season = data.get("season", seasons[0])
        if season not in seasons:
            raise CaseFault("season", f"{season!r} has no {kind} phase; it is one of {', '.join(seasons)}")
        year = data.get("year", self._year)
        if type(year) is not int or year not in YEARS:
            raise CaseFault("year", f"{year!r} is not a whole number from {YEARS[0]} to {YEARS[-1]}")
        return Phase(year, season, PhaseKind(kind))

    def _units(self, data: Document) -> frozenset[Unit]:
        required(data, "units")
        unit_in: dict[str, Unit] = {}
        # Each unit that was read has its own province, so that their number is the place in the list.
        for text in items(data, "units"):
            try:
                unit = self.names.unit("", text)
            except CaseFault as fault:
                raise fault.below(f"units[{len(unit_in)}]") from fault
            province = unit.region.province
            if province in unit_in:
                raise CaseFault(
                    f"units[{len(unit_in)}]", f"{unit} and {unit_in[province]} are in one region")
            unit_in[province] = unit
        return frozenset(unit_in.values())

    def _dislodged(
        self, data: Document, units: frozenset[Unit], contested: frozenset[str]
    ) -> tuple[Dislodgement, ...]:
        taken = frozenset(u.region.province for u in units) | contested
        dislodged: list[Dislodgement] = []
        for index, item in enumerate(items(data, "dislodged")):
            field = f"dislodged[{index}]"
            beaten = self._dislodgement(field, as_object(field, item), taken)
            province = beaten.unit.region.province
            if province in {other.unit.region.province for other in dislodged}:
                raise CaseFault(f"{field}.loc", f"two units were dislodged from {province}")
            dislodged.append(beaten)
        return tuple(dislodged)

    def _dislodgement(self, field: str, data: Document, taken: frozenset[str]) -> Dislodgement:
        above, names = f"{field}.", self.names
        unit = names.unit_in(
            f"{field}.loc", names.power(f"{field}.power", required(data, "power", above)),
            names.unit_kind(f"{field}.type", required(data, "type", above)), required(data, "loc", above))
        origin = names.province(f"{field}.attacker_from", required(data, "attacker_from", above)).id
        by_convoy = flag(f"{above}by_convoy", data.get("by_convoy"))
        may_retreat = frozenset(
            names.region(f"{field}.may_retreat", text) for text in items(data, "may_retreat", above))
        # A case may leave the places out; they follow from the board (RET-02).
        if "may_retreat" not in data:
            may_retreat = retreat_regions(self._context, unit, origin, taken, by_convoy=by_convoy)
        return Dislodgement(unit, origin, by_convoy, may_retreat)

    def _centres(self, data: Document) -> dict[str, frozenset[str]]:
        centres: dict[str, frozenset[str]] = {}
        owned_before: set[str] = set()
        listed = as_object("centres", {} if data.get("centres") is None else data["centres"])
        for power in listed:
            field = f"centres.{power}"
            owned = [self.names.province(field, name) for name in items(listed, power, "centres.")]
            for province in owned:
                if not province.centre:
                    raise CaseFault(field, f"{province.id} is not a supply centre")
                if province.id in owned_before:
                    raise CaseFault(field, f"{province.id} is owned twice")
                owned_before.add(province.id)
            centres[self.names.power(field, power)] = frozenset(p.id for p in owned)
        return centres

    def _memory(self, data: Document, units: frozenset[Unit]) -> Memory:
        memory = as_object("memory", {} if data.get("memory") is None else data["memory"])
        converting = [
            self.names.unit(f"memory.converting[{index}]", text)
            for index, text in enumerate(items(memory, "converting", "memory."))
        ]
        notes = []
        for index, note in enumerate(items(memory, "notes", "memory.")):
            notes.append(self._note(f"memory.notes[{index}]", note))
        proxies = []
        for index, pair in enumerate(items(memory, "proxies", "memory.")):
            field = f"memory.proxies[{index}]"
            if not isinstance(pair, list) or len(pair) != 2:
                raise CaseFault(field, "must be a region and the power that has its unit in proxy")
            proxies.append((self.names.province(field, pair[0]).id, self.names.power(field, pair[1])))
        # A unit that is gone from the board converts no longer.
        return Memory(frozenset(converting) & units, frozenset(proxies), frozenset(notes))

    def _note(self, field: str, note: object) -> tuple[str, ...]:
        """One note of the rule set. Rules that declare no notes may keep any."""
        if not isinstance(note, list) or not note or not all(isinstance(word, str) for word in note):
            raise CaseFault(field, "must be a list of texts")
        name, *words = note
        if not self._rules.NOTES:
            return tuple(note)
        parts = self._rules.NOTES.get(name)
        if parts is None:
            raise CaseFault(field, f"{name!r} is not one of {', '.join(sorted(self._rules.NOTES))}")
        if len(words) != len(parts):
            raise CaseFault(field, f"after {name!r} come {', '.join(parts)}")
        return (name, *(self._note_word(field, part, word) for part, word in zip(parts, words, strict=True)))

    def _note_word(self, field: str, part: NotePart, word: str) -> str:
        match part:
            case NotePart.POWER:
                return self.names.power(field, word)
            case NotePart.PROVINCE:
                return self.names.province(field, word).id
            case NotePart.YEAR:
                # A year far away would have a power count its months.
                if not (word.isascii() and word.isdigit() and int(word[:5]) in YEARS):
                    raise CaseFault(field, f"{word!r} is not a year")
                return word
            case NotePart.SEASON:
                if word not in self._context.calendar.seasons():
                    raise CaseFault(field, f"there is no season {word!r}")
                return word

    def _own_state(self, data: Document) -> Extension | None:
        """What only the rule set keeps; None where the case has nothing, as at the opening of a game."""
        state_class = self._rules.EXTENSION
        if state_class is None or data.get("state") is None:
            return None
        try:
            state = codec.load_own(state_class, dict(as_object("state", data["state"])))
            self._rules.check_state(self._context, state)
        except (codec.CodecError, ValueError) as error:
            raise CaseFault("state", str(error)) from error
        return state

    def _lots(self, data: Document) -> Lots:
        numbers = items(data, "lots")
        if not all(type(number) is int for number in numbers):
            raise CaseFault("lots", "must be whole numbers")
        return Lots(tuple(numbers))
