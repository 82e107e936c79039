"""`variant.toml`: everything about a game that is not a table. Values only; what they mean on the board is
checked in `checks.py`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudicator.calendar import Calendar, Phase, PhaseKind
from adjudicator.units import UnitKind
from maps.faults import Faults
from maps.files import board_text, toml_table
from maps.variant import Power

FILE = "variant.toml"
# Where a board's drawing is centred unless it states otherwise: the middle of the British Isles.
MIDDLE = (-4.0, 54.0)
# The least width of each sea on a drawing, in kilometres.
STRIP_KM = 36
_COLOUR = re.compile(r"#[0-9a-f]{6}")


@dataclass(frozen=True, slots=True)
class VariantFile:
    """What `variant.toml` states. `module`, `values`, `citations` and `figures` name the rule set, `earlier`
    the values that older games began with; `counts` are figures the tables must agree with; `start` is None
    when the file does not give a usable one; `rows` are lines of the file by key."""

    title: str = ""
    note: str = ""
    victory: int = 0
    capitals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    calendar: Calendar = field(default_factory=lambda: Calendar(()))
    start: Phase | None = None
    kinds: Mapping[str, UnitKind] = field(default_factory=dict)
    powers: Mapping[str, Power] = field(default_factory=dict)
    module: str = ""
    values: Mapping[str, object] = field(default_factory=dict)
    earlier: Mapping[str, object] = field(default_factory=dict)
    citations: Mapping[str, object] = field(default_factory=dict)
    figures: Mapping[str, object] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    middle: tuple[float, float] = MIDDLE
    open_east: bool = False
    strip: int = STRIP_KM
    conduct: tuple[str, ...] = ()
    rows: Mapping[str, int] = field(default_factory=dict)

    def row(self, path: str) -> int:
        """The line of the file where a key such as `units.F.moves` stands; that of its table, or 0, where it
        has no line."""
        return _row(self.rows, path)


def read_variant_file(folder: Path, faults: Faults) -> VariantFile:
    """The heading of a board's folder; each wrong, missing or unknown key is a fault."""
    try:
        text = board_text(folder / FILE)
        data = toml_table(text)
    except FileNotFoundError:
        faults.add(FILE, 0, "the file is missing")
        return VariantFile()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        faults.add(FILE, _broken_at(error), f"the file cannot be read: {error}")
        return VariantFile()
    rows = _rows(text)
    top = _Keys("", data, rows, faults)
    calendar_keys = top.section("calendar")
    calendar = _calendar(calendar_keys)
    rules = top.section("rules")
    heading = VariantFile(
        title=top.text("title"),
        note=top.text("note", ""),
        victory=top.number("victory"),
        capitals={kingdom: tuple(names) for kingdom, names in _capitals(top.section("capitals", {})).items()},
        calendar=calendar,
        start=_start(calendar_keys, calendar),
        kinds=_kinds(top.section("units")),
        powers=_powers(top),
        module=rules.text("module"),
        values=rules.table("values", {}),
        earlier=rules.table("earlier", {}),
        citations=rules.table("citations", {}),
        figures=rules.table("figures", {}),
        counts=_counts(top.section("counts")),
        middle=_middle(top),
        open_east=top.flag("open_east", False),
        strip=top.number("strip", STRIP_KM),
        conduct=top.texts("conduct", []),
        rows=rows,
    )
    # Closed last: only now is it known which keys no one asked for.
    calendar_keys.close()
    rules.close()
    top.close()
    return heading


def _broken_at(error: Exception) -> int:
    """The line at which reading stopped, or 0. TOML's own reader states it in words ("at line 3, column
    7")."""
    if isinstance(error, UnicodeDecodeError):
        return error.object.count(b"\n", 0, error.start) + 1
    position = re.search(r"at line (\d+)", str(error))
    return int(position[1]) if position else 0


_TABLE = re.compile(r"\s*\[(?P<list>\[)?\s*(?P<name>[^\[\]]+?)\s*\]")
_KEY = re.compile(r"\s*(?P<key>[\w-]+)\s*=")


def _rows(text: str) -> dict[str, int]:
    """The line where each key and table begins, to inform a person where to look. It is a rough reading: keys
    inside a text or a list of several lines may be counted too."""
    line_of: dict[str, int] = {}
    table = ""
    counts: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        heading, key = _TABLE.match(line), _KEY.match(line)
        if heading:
            table = heading["name"]
            if heading["list"]:
                counts[table] = counts.get(table, 0) + 1
                table = f"{table}[{counts[table]}]"
            line_of.setdefault(table, number)
        elif key:
            line_of.setdefault(f"{table}.{key['key']}" if table else key["key"], number)
    return line_of


def _row(rows: Mapping[str, int], path: str) -> int:
    while path and path not in rows:
        path = path.rpartition(".")[0]
    return rows.get(path, 0)


class _Keys:
    """One table of the file, read key by key; `close` reports the keys that were never read."""

    def __init__(self, name: str, data: Mapping[str, Any], rows: Mapping[str, int], faults: Faults) -> None:
        self._name = name
        self._data = data
        self._rows = rows
        self._faults = faults
        self._asked: set[str] = set()

    def fault(self, key: str, message: str) -> None:
        path = self._path(key)
        self._faults.add(FILE, _row(self._rows, path), f"{path} {message}")

    def names(self) -> list[str]:
        return list(self._data)

    def text(self, key: str, default: str | None = None) -> str:
        return str(self._get(key, str, "a text", default) or "")

    def number(self, key: str, default: int | None = None) -> int:
        return int(self._get(key, int, "a whole number", default) or 0)

    def flag(self, key: str, default: bool) -> bool:
        return bool(self._get(key, bool, "true or false", default))

    def texts(self, key: str, default: list[str] | None = None) -> tuple[str, ...]:
        texts = self._get(key, list, "a list of texts", default) or []
        if not all(isinstance(item, str) for item in texts):
            self.fault(key, "must be a list of texts")
            return ()
        return tuple(texts)

    def lists(self, key: str, default: list[Any] | None = None) -> list[Any]:
        return list(self._get(key, list, "a list", default) or [])

    def table(self, key: str, default: dict[str, Any] | None = None) -> dict[str, Any]:
        return dict(self._get(key, dict, "a table", default) or {})

    def section(self, key: str, default: dict[str, Any] | None = None) -> _Keys:
        return self.inner(self._path(key), self.table(key, default))

    def inner(self, name: str, data: Mapping[str, Any]) -> _Keys:
        return _Keys(name, data, self._rows, self._faults)

    def close(self) -> None:
        for key in self._data:
            if key not in self._asked:
                self.fault(key, "is not a key of a board")

    def _path(self, key: str) -> str:
        return f"{self._name}.{key}" if self._name else key

    def _get(self, key: str, kind: type, requirement: str, default: object) -> Any:
        self._asked.add(key)
        if key not in self._data:
            if default is None:
                self.fault(key, "is missing")
            return default
        value = self._data[key]
        # `true` is an int to isinstance.
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.fault(key, f"must be {requirement}")
            return default
        return value


def _calendar(keys: _Keys) -> Calendar:
    steps: list[tuple[str, PhaseKind]] = []
    for step in keys.lists("steps"):
        match step:
            case [str() as season, str() as kind] if kind in set(PhaseKind):
                steps.append((season, PhaseKind(kind)))
            case _:
                keys.fault("steps", f"has {step!r}, which is not a season and one of {', '.join(PhaseKind)}")
    if len(set(steps)) != len(steps):
        keys.fault("steps", "has a phase twice")
    return Calendar(tuple(steps))


def _start(keys: _Keys, calendar: Calendar) -> Phase | None:
    match keys.lists("start"):
        case [str() as season, int() as year, str() as kind] if kind in set(PhaseKind):
            phase = Phase(year, season, PhaseKind(kind))
            # A game that begins next to its calendar could never get to its second phase.
            if (phase.season, phase.kind) in calendar.steps:
                return phase
            keys.fault("start", f"is {phase}, which is not among the steps")
        case unknown if unknown:
            keys.fault("start", "must be a season, a year and a kind of phase")
    return None


def _middle(top: _Keys) -> tuple[float, float]:
    match top.lists("middle", list(MIDDLE)):
        case [int() | float() as east, int() | float() as north] if abs(east) <= 180 and abs(north) <= 90:
            return float(east), float(north)
        case _:
            top.fault("middle", "must be a longitude and a latitude in degrees")
            return MIDDLE


def _capitals(keys: _Keys) -> dict[str, tuple[str, ...]]:
    capitals = {kingdom: keys.texts(kingdom) for kingdom in keys.names()}
    keys.close()
    return capitals


def _kinds(keys: _Keys) -> dict[str, UnitKind]:
    kinds: dict[str, UnitKind] = {}
    for letter in keys.names():
        kind = keys.section(letter)
        kinds[letter] = UnitKind(
            letter=letter,
            name=kind.text("name"),
            also=kind.texts("also", []),
            moves=frozenset(kind.texts("moves")),
            can_convoy=kind.flag("carries", False),
            can_be_convoyed=kind.flag("carried", False),
            can_attack=kind.flag("attacks", True),
            base_defence=kind.number("alone", 1),
            can_retreat=kind.flag("retreats", True),
            boards_at_sea=kind.flag("boards_at_sea", False),
        )
        kind.close()
    keys.close()
    return kinds


def _powers(top: _Keys) -> dict[str, Power]:
    powers: dict[str, Power] = {}
    taken: dict[tuple[str, str], str] = {}
    for number, data in enumerate(top.lists("powers"), start=1):
        if not isinstance(data, dict):
            top.fault("powers", f"number {number} must be a table")
            continue
        power = _power(top.inner(f"powers[{number}]", data))
        if power.id in powers:
            top.fault(f"powers[{number}].id", f"is {power.id!r}, which is the id of an earlier power")
        for mark, value in (("colour", power.colour), ("letter", power.letter), ("pattern", power.pattern)):
            # MAP-05: without colour the letter and the pattern alone distinguish powers.
            if (mark, value) in taken:
                top.fault(f"powers[{number}].{mark}", (f"gives {power.id} the {mark} {value!r} of "
                                                       f"{taken[mark, value]}"))
            taken.setdefault((mark, value), power.id)
        powers[power.id] = power
    return powers


def _power(keys: _Keys) -> Power:
    name = keys.text("id")
    power = Power(
        id=name,
        name=keys.text("name", name),
        aliases=keys.texts("aliases", []),
        person=keys.text("person", ""),
        colour=keys.text("colour"),
        pattern=keys.text("pattern"),
        letter=keys.text("letter"),
        letter_word=keys.text("letter_word", ""),
        kingdom=keys.text("kingdom", "") or None,
        victory=keys.number("victory", 0),
        is_plural=keys.flag("plural", False),
        has_article=keys.flag("article", False),
    )
    if power.colour and not _COLOUR.fullmatch(power.colour):
        keys.fault("colour", f"is {power.colour!r}; write six digits as in #b3261e")
    keys.close()
    return power


def _counts(keys: _Keys) -> dict[str, int]:
    return {name: keys.number(name) for name in keys.names()}
