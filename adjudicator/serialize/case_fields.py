"""The fields of a case's JSON and the names in them. A wrong one is reported by its path."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from adjudicator.context import Context
from adjudicator.geo import Province, Region
from adjudicator.units import Unit, UnitRef

Document = Mapping[str, Any]


class CaseFault(Exception):
    """A case that cannot be judged. The sentence begins with the field at fault, such as `orders[2].to`."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self._field = field
        self._message = message

    def below(self, field: str) -> CaseFault:
        """The same fault with the path of the object that holds its field: "to" below `orders[2]` is
        `orders[2].to`. A fault of the object itself has the path ""."""
        return CaseFault(f"{field}.{self._field}" if self._field else field, self._message)


class NameReader:
    """Powers, unit kinds, provinces and regions of one variant, by the names that a case may use.

    Every method takes the path of the field first, and raises CaseFault with it for an unknown name. Names
    that are written as this program writes them are found in tables: most of a case is names.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        # An id wins over another province's name, so ids come last.
        self._provinces = {p.name.casefold(): p for p in context.board.provinces.values()}
        self._provinces.update((p.id.casefold(), p) for p in context.board.provinces.values())
        self._powers = {power.casefold(): power for power in context.powers}
        self._power_ids = {power: power for power in context.powers}
        # "The Crown" must not be read as a power called "The", so the longest name is tried first.
        powers = "|".join(map(re.escape, sorted(context.powers, key=len, reverse=True)))
        kinds = "|".join(map(re.escape, context.kinds))
        self._unit = re.compile(rf"({powers})\s+({kinds})\s+(\S.*)", re.IGNORECASE)
        self._regions: dict[str, Region] = {}
        provinces = context.board.provinces.values()
        usual = [text for p in provinces for text in (p.name, p.id, *(f"{p.id}/{c.id}" for c in p.coasts))]
        self._regions = {text: self.region("", text) for text in usual}
        self._units: dict[str, Unit] = {}
        self._references: dict[tuple[str | None, str], UnitRef] = {}

    def power(self, field: str, name: Any) -> str:
        """The id of a power, written in any case. The fault for another name lists the powers and the nearest
        (INS-05): "The Protectorate" is a slip for "Protectorate"."""
        power = self._power_ids.get(name) if type(name) is str else None
        if power is None:
            power = self._powers.get(str(name).casefold())
        if power is None:
            raise CaseFault(field, f"there is no power {name!r}{_nearest(name, self._powers.values())}; "
                                   f"the powers are {', '.join(self._powers.values())}")
        return power

    def unit_kind(self, field: str, letter: Any) -> str:
        """The letter of a unit kind."""
        if not isinstance(letter, str) or letter not in self._context.kinds:
            raise CaseFault(field, f"{letter!r} is not one of {', '.join(self._context.kinds)}")
        return letter

    def province(self, field: str, name: Any) -> Province:
        """A province by its id or full name."""
        province = self._provinces.get(str(name).casefold())
        if province is None:
            # A code of three letters is near to too many others, so that names alone are offered.
            names = [p.name for p in self._context.board.provinces.values()]
            raise CaseFault(field, f"there is no region {name!r}{_nearest(name, names)}")
        return province

    def region(self, field: str, text: Any) -> Region:
        """A region in ids. A coast that the province lacks is a fault; a coast that the unit has no use for
        is left to the judge."""
        if not isinstance(text, str):
            raise CaseFault(field, f"{text!r} is not a region")
        usual = self._regions.get(text)
        if usual is not None:
            return usual
        # The whole text first: a printed name may hold a stroke, an id never does.
        named = self._provinces.get(text.casefold())
        if named is not None:
            return Region(named.id)
        name, _, coast = text.rpartition("/")
        province = self.province(field, name or text)
        coast_id = province.coast_id(coast)
        if coast_id is None:
            raise CaseFault(field, f"{province.name} has no coast {coast!r}")
        return Region(province.id, coast_id)

    def unit(self, field: str, text: Any) -> Unit:
        """A unit as "FRANCE F SPA/SC", where such a unit can stand."""
        if not isinstance(text, str):
            raise CaseFault(field, f"{text!r} is not a power, a unit type and a region")
        unit = self._units.get(text)
        if unit is None:
            unit = self._read_unit(field, text)
            # Only a unit in its own words is stored, so that no flood of spellings fills the table.
            if str(unit) == text:
                self._units[text] = unit
        return unit

    def reference(self, data: Document, kind_key: str, loc_key: str) -> UnitRef:
        """A unit as an order names it, by two keys of the order's object; its kind may be left out
        (ORD-04)."""
        loc: Any = data.get(loc_key)
        kind: Any = data.get(kind_key)
        # Both are looked at first: a list has no hash, and True would be found as 1 is.
        is_usual = type(loc) is str and (kind is None or type(kind) is str)
        reference = self._references.get((kind, loc)) if is_usual else None
        if reference is None:
            region = self.region(loc_key, required(data, loc_key))
            reference = UnitRef(None if kind is None else self.unit_kind(kind_key, kind), region)
            if loc in self._regions:
                self._references[kind, loc] = reference
        return reference

    def _read_unit(self, field: str, text: str) -> Unit:
        match = self._unit.fullmatch(text.strip())
        if match is None:
            self._check_author(field, text)
            raise CaseFault(field, f"{text!r} is not a power, a unit type and a region")
        power, kind, place = match.groups()
        return self.unit_in(field, self._powers[power.casefold()], kind.upper(), place)

    def _check_author(self, field: str, text: str) -> None:
        """A CaseFault if only the power of "Frence A PAR" is wrong: the words before a kind of unit."""
        words = text.split()
        kinds = [index for index, word in enumerate(words) if word.upper() in self._context.kinds]
        if kinds and kinds[0] > 0:
            self.power(field, " ".join(words[:kinds[0]]))

    def unit_in(self, field: str, power: str, kind: str, place: Any) -> Unit:
        """A unit of that kind in the region named, where such a unit can stand."""
        region = self.region(field, place)
        regions = self._context.tables.stands[kind].get(region.province, ())
        if region not in regions:
            name = self._context.kinds[kind].name.lower()
            if regions and region.coast is None:
                raise CaseFault(field, f"a {name} in {place} is on one of its coasts, and no coast is "
                                       "named")
            raise CaseFault(field, f"a {name} cannot be in {place}")
        return Unit(power, kind, region)


# Plain values. `above` is the path of the object that holds the key, with its dot, or "" at the top.


def required(data: Document, key: str, above: str = "") -> Any:
    """The value of a key; a missing one or null is a CaseFault."""
    value = data.get(key)
    if value is None:
        raise CaseFault(above + key, "is missing")
    return value


def flag(field: str, value: Any) -> bool:
    """True or False; False for a value that is missing."""
    if value is None or value is False or value is True:
        return value is True
    raise CaseFault(field, f"{value!r} is neither true nor false")


def items(data: Document, key: str, above: str = "") -> list[Any]:
    """A list; empty where the key is missing."""
    value = data.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise CaseFault(above + key, "must be a list")
    return value


def as_object(field: str, data: Any) -> Document:
    """The data itself if it is a JSON object, else a CaseFault."""
    if not isinstance(data, dict):
        raise CaseFault(field, "must be an object")
    return data


def _nearest(name: Any, known: Iterable[str]) -> str:
    """"; the nearest is X", or "" where no known name is near."""
    by_form = {word.casefold(): word for word in known}
    # At 0.6, the usual measure, "Atlantis" would be near to Albania.
    near = difflib.get_close_matches(str(name).casefold(), by_form, 1, 0.7)
    return f"; the nearest is {by_form[near[0]]}" if near else ""
