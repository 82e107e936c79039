"""The contract's JSON of `adjudicate`: a case to values (`answer_json` has the answer to it). No effects."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.context import Context
from adjudicator.geo import Province, Region
from adjudicator.lots import Lots
from adjudicator.orders import (
    Build,
    Convert,
    Convoy,
    Disband,
    Hold,
    Move,
    MoveHome,
    Order,
    Proxy,
    Remove,
    Retreat,
    SendSupply,
    SupportHold,
    SupportMove,
)
from adjudicator.phases.dislodgements import retreat_regions
from adjudicator.position import Dislodgement, Extension, Memory, Position
from adjudicator.ruleset import Ruleset
from adjudicator.serialize import codec, variant_state
from adjudicator.units import Unit, UnitRef

Document = Mapping[str, Any]


class CaseFault(Exception):
    """A case that cannot be judged. The sentence begins with the field at fault, such as `orders[2].to`."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")


@dataclass(frozen=True, slots=True)
class Case:
    """One case as values. `id` is as the case gives it."""

    id: str | int | None
    position: Position
    orders: tuple[Order, ...]
    lots: Lots


def case_id(data: Document) -> str | int | None:
    """The id of a case, faulty or not. Raises CaseFault for one that is neither a text nor a whole number."""
    found = data.get("id")
    if found is not None and type(found) not in {str, int}:
        raise CaseFault("id", "must be a text or a whole number")
    return cast("str | int | None", found)


class CaseReader:
    """Reads cases of one variant. `year` is the year of a case that names none."""

    def __init__(self, context: Context, rules: Ruleset, year: int) -> None:
        self._context = context
        self._rules = rules
        self._year = year
        self._places = {p.name.casefold(): p for p in context.board.provinces.values()}
        self._places.update((p.id.casefold(), p) for p in context.board.provinces.values())
        self._powers = {power.casefold(): power for power in context.powers}
        self._own_orders = variant_state.words(rules)
        longest_first = sorted(context.powers, key=len, reverse=True)
        self._unit = re.compile(
            rf"({'|'.join(map(re.escape, longest_first))})\s+({'|'.join(map(re.escape, context.kinds))})\s+(\S.*)",
            re.IGNORECASE,
        )

    def read(self, data: Document) -> Case:
        """The values of a case. Raises CaseFault, naming the field, for whatever makes it impossible to
        judge."""
        phase = self._phase(data)
        units = self._units(data)
        contested = frozenset(
            self._province(f"contested[{at}]", name).id for at, name in enumerate(_list(data, "contested")))
        position = Position(
            phase, units, self._centres(data), self._dislodged(data, units, contested), contested,
            self._memory(data, units), self._own(data),
        )
        orders = tuple(self._order(f"orders[{at}]", item) for at, item in enumerate(_needed(data, "orders")))
        return Case(case_id(data), position, orders, self._lots(data))

    # Parts
    # -----------------------------------------------------------------------------------------------------------

    def _phase(self, data: Document) -> Phase:
        kinds = {kind for _, kind in self._context.calendar.steps}
        kind = _given(data, "phase")
        if not isinstance(kind, str) or kind not in kinds:
            raise CaseFault("phase", f"{kind!r} is not one of {', '.join(sorted(kinds))}")
        seasons = [season for season, step in self._context.calendar.steps if step == kind]
        season = data.get("season", seasons[0])
        if season not in seasons:
            raise CaseFault("season", f"{season!r} has no {kind} phase; it is one of {', '.join(seasons)}")
        year = data.get("year", self._year)
        if type(year) is not int:
            raise CaseFault("year", f"{year!r} is not a whole number")
        return Phase(year, season, PhaseKind(kind))

    def _units(self, data: Document) -> frozenset[Unit]:
        found: dict[str, Unit] = {}
        for at, text in enumerate(_needed(data, "units")):
            unit = self._unit_of(f"units[{at}]", text)
            other = found.setdefault(unit.region.province, unit)
            if other is not unit:
                raise CaseFault(f"units[{at}]", f"{unit} and {other} stand in one region")
        return frozenset(found.values())

    def _unit_of(self, field: str, text: Any) -> Unit:
        match = self._unit.fullmatch(text.strip()) if isinstance(text, str) else None
        if match is None:
            raise CaseFault(field, f"{text!r} is not a power, a unit type and a region")
        power, kind, place = match.groups()
        return self._standing(field, self._powers[power.casefold()], kind.upper(), place)

    def _standing(self, field: str, power: str, kind: str, place: Any) -> Unit:
        region = self._region(field, place)
        there = self._context.tables.stands[kind].get(region.province, ())
        if region not in there:
            name = self._context.kinds[kind].name.lower()
            if there and region.coast is None:
                raise CaseFault(field, f"a {name} in {place} stands on one of its coasts, and none is named")
            raise CaseFault(field, f"a {name} cannot stand in {place}")
        return Unit(power, kind, region)

    def _dislodged(
        self, data: Document, units: frozenset[Unit], contested: frozenset[str]
    ) -> tuple[Dislodgement, ...]:
        taken = frozenset(u.region.province for u in units) | contested
        found: list[Dislodgement] = []
        for at, item in enumerate(_list(data, "dislodged")):
            field = f"dislodged[{at}]"
            _object(field, item)
            above = f"{field}."
            unit = self._standing(f"{field}.loc", self._power(f"{field}.power", _given(item, "power", above)),
                                  self._kind(f"{field}.type", _given(item, "type", above)),
                                  _given(item, "loc", above))
            origin = self._province(f"{field}.attacker_from", _given(item, "attacker_from", above)).id
            by_convoy = _flag(item, "by_convoy", above)
            may = frozenset(
                self._region(f"{field}.may_retreat", p) for p in _list(item, "may_retreat", f"{field}."))
            if "may_retreat" not in item:
                may = retreat_regions(self._context, unit, origin, taken, by_convoy=by_convoy)
            if unit.region.province in {d.unit.region.province for d in found}:
                raise CaseFault(f"{field}.loc", f"two units were dislodged from {unit.region.province}")
            found.append(Dislodgement(unit, origin, by_convoy, may))
        return tuple(found)

    def _centres(self, data: Document) -> dict[str, frozenset[str]]:
        owners: dict[str, frozenset[str]] = {}
        seen: set[str] = set()
        listed = _object("centres", {} if data.get("centres") is None else data["centres"])
        for power in listed:
            field = f"centres.{power}"
            owned = [self._province(field, name) for name in _list(listed, power, "centres.")]
            for province in owned:
                if not province.centre:
                    raise CaseFault(field, f"{province.id} is no supply centre")
                if province.id in seen:
                    raise CaseFault(field, f"{province.id} is owned twice")
                seen.add(province.id)
            owners[self._power(field, power)] = frozenset(p.id for p in owned)
        return owners

    def _memory(self, data: Document, units: frozenset[Unit]) -> Memory:
        memory = _object("memory", {} if data.get("memory") is None else data["memory"])
        converting = [
            self._unit_of(f"memory.converting[{at}]", text)
            for at, text in enumerate(_list(memory, "converting", "memory."))
        ]
        notes = []
        for at, note in enumerate(_list(memory, "notes", "memory.")):
            if not isinstance(note, list) or not all(isinstance(word, str) for word in note):
                raise CaseFault(f"memory.notes[{at}]", "must be a list of texts")
            notes.append(tuple(note))
        return Memory(frozenset(converting) & units, notes=frozenset(notes))

    def _own(self, data: Document) -> Extension | None:
        """What only the rule set keeps: that of the case, or where it has none what a game begins with."""
        kind = self._rules.EXTENSION
        if kind is None or data.get("state") is None:
            return None
        try:
            return codec.load_own(kind, dict(_object("state", data["state"])))
        except (codec.CodecError, ValueError) as error:
            raise CaseFault("state", str(error)) from error

    def _lots(self, data: Document) -> Lots:
        numbers = _list(data, "lots")
        if not all(type(number) is int for number in numbers):
            raise CaseFault("lots", "must be whole numbers")
        return Lots(tuple(numbers))

    # Names
    # -----------------------------------------------------------------------------------------------------------

    def _power(self, field: str, name: Any) -> str:
        power = self._powers.get(str(name).casefold())
        if power is None:
            raise CaseFault(field, f"there is no power {name!r}")
        return power

    def _kind(self, field: str, letter: Any) -> str:
        if not isinstance(letter, str) or letter not in self._context.kinds:
            raise CaseFault(field, f"{letter!r} is not one of {', '.join(self._context.kinds)}")
        return letter

    def _province(self, field: str, name: Any) -> Province:
        province = self._places.get(str(name).casefold())
        if province is None:
            raise CaseFault(field, f"there is no region {name!r}")
        return province

    def _region(self, field: str, text: Any) -> Region:
        """A region as written, in ids. A coast that the province does not have is a fault, one that the unit
        has no use for is the judge's business."""
        if not isinstance(text, str):
            raise CaseFault(field, f"{text!r} is no region")
        if text.casefold() in self._places:
            return Region(self._places[text.casefold()].id)
        name, _, coast = text.rpartition("/")
        province = self._province(field, name or text)
        known = province.coast_id(coast)
        if known is None:
            raise CaseFault(field, f"{province.name} has no coast {coast!r}")
        return Region(province.id, known)

    # Orders
    # ----------------------------------------------------------------------------------------------------------

    def _order(self, field: str, data: Any) -> Order:
        _object(field, data)
        what = _given(data, "order", f"{field}.")
        read = _ORDERS.get(what) if isinstance(what, str) else None
        own = None if read or not isinstance(what, str) else self._own_orders.get(what)
        if read is None and own is None:
            raise CaseFault(f"{field}.order", (f"{what!r} is not one of "
                                               f"{', '.join((*_ORDERS, *self._own_orders))}"))
        power = self._power(f"{field}.power", _given(data, "power", f"{field}."))
        fields = _OrderFields(self, field, data, power)
        return read(fields) if read else variant_state.read_order(self._own_orders[what], fields)


@dataclass(frozen=True, slots=True)
class _OrderFields:
    """The fields of one order, each read when asked for."""

    reader: CaseReader
    field: str
    data: Document
    power: str

    def place(self, key: str) -> Region:
        return self.reader._region(f"{self.field}.{key}", self.given(key))  # noqa: SLF001

    def place_if(self, key: str) -> Region | None:
        return None if self.data.get(key) is None else self.place(key)

    def given(self, key: str) -> Any:
        return _given(self.data, key, f"{self.field}.")

    def kind(self, key: str = "type") -> str | None:
        letter = self.data.get(key)
        return None if letter is None else self.reader._kind(f"{self.field}.{key}", letter)  # noqa: SLF001

    def unit(self) -> UnitRef:
        return UnitRef(self.kind(), self.place("loc"))

    def target(self) -> UnitRef:
        return UnitRef(self.kind("from_type"), self.place("from"))

    def to_power(self) -> str:
        return self.other_power("to_power")

    def other_power(self, key: str) -> str:
        return self.reader._power(f"{self.field}.{key}", self.given(key))  # noqa: SLF001

    def count(self) -> int:
        return self.number("count")

    def number(self, key: str) -> int:
        count = self.given(key)
        if type(count) is not int:
            raise CaseFault(f"{self.field}.{key}", f"{count!r} is not a whole number")
        return count

    def flag(self, key: str) -> bool:
        return _flag(self.data, key, f"{self.field}.")

    def build(self) -> Build:
        self.given("type")
        return Build(power=self.power, kind=self.kind() or "", region=self.place("loc"))

    def convert(self) -> Convert:
        coast = self.data.get("coast")
        if coast is not None and not isinstance(coast, str):
            raise CaseFault(f"{self.field}.coast", f"{coast!r} is no coast")
        return Convert(power=self.power, unit=self.unit(), to_kind=self.kind("to_type"), coast=coast)


_ORDERS: Mapping[str, Callable[[_OrderFields], Order]] = {
    "hold": lambda f: Hold(power=f.power, unit=f.unit()),
    "move": lambda f: Move(power=f.power, unit=f.unit(), to=f.place("to"),
                           via_convoy=_flag(f.data, "via_convoy", f"{f.field}."),
                           sheds=_flag(f.data, "sheds", f"{f.field}.")),
    "support_hold": lambda f: SupportHold(power=f.power, unit=f.unit(), target=f.target()),
    "support_move": lambda f: SupportMove(power=f.power, unit=f.unit(), target=f.target(), to=f.place("to")),
    "convoy": lambda f: Convoy(power=f.power, unit=f.unit(), target=f.target(), to=f.place("to")),
    "convert": _OrderFields.convert,
    "proxy": lambda f: Proxy(power=f.power, unit=f.unit(), to_power=f.to_power()),
    "retreat": lambda f: Retreat(power=f.power, unit=f.unit(), to=f.place("to")),
    "disband": lambda f: Disband(power=f.power, unit=f.unit()),
    "build": _OrderFields.build,
    "remove": lambda f: Remove(power=f.power, unit=f.unit()),
    "send_supply": lambda f: SendSupply(power=f.power, to_power=f.to_power(), count=f.count()),
    "move_home": lambda f: MoveHome(power=f.power, to=f.place("to"), origin=f.place_if("from")),
}


def _given(data: Document, key: str, above: str = "") -> Any:
    if data.get(key) is None:
        raise CaseFault(above + key, "is missing")
    return data[key]


def _needed(data: Document, key: str) -> list[Any]:
    _given(data, key)
    return _list(data, key)


def _flag(data: Document, key: str, above: str) -> bool:
    found = data.get(key)
    if found is not None and not isinstance(found, bool):
        raise CaseFault(above + key, f"{found!r} is neither true nor false")
    return found is True


def _list(data: Document, key: str, above: str = "") -> list[Any]:
    found = data.get(key)
    if found is None:
        return []
    if not isinstance(found, list):
        raise CaseFault(above + key, "must be a list")
    return found


def _object(field: str, data: Any) -> Document:
    if not isinstance(data, dict):
        raise CaseFault(field, "must be an object")
    return data
