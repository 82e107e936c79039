"""A board as another program's file has it, before it is in our tables. Every fact keeps its source line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from adjudicator.geo import Terrain

SourceLine = tuple[str, int]
"""A place in a source: the file's name and the line."""
COASTS: Mapping[str, str] = {
    "NC": "North Coast", "SC": "South Coast", "EC": "East Coast", "WC": "West Coast",
    "NE": "North-East Coast", "NW": "North-West Coast", "SE": "South-East Coast", "SW": "South-West Coast",
}
"""The codes of coasts that both formats use, in full words."""
SEASONS: Mapping[str, str] = {
    "SPRING": "Spring",
    "SUMMER": "Summer",
    "FALL": "Autumn",
    "AUTUMN": "Autumn",
    "WINTER": "Winter",
}
PHASES: Mapping[str, str] = {
    "MOVEMENT": "movement", "MOVEMENTS": "movement", "RETREAT": "retreat", "RETREATS": "retreat",
    "ADJUSTMENT": "adjustment", "ADJUSTMENTS": "adjustment",
}


@dataclass(frozen=True, slots=True, order=True)
class SourceRemark:
    """A fault of a source or a note on it. `file` is its name, `line` as an editor counts or 0, `message` one
    sentence."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        where = f"{self.file}, line {self.line}" if self.line else self.file
        return f"{where}: {self.message}"


class ImportReport:
    """The faults of a source (`faults`), and what it states that our tables have no place for
    (`notes`)."""

    def __init__(self) -> None:
        self._faults: list[SourceRemark] = []
        self._notes: list[SourceRemark] = []

    def fault(self, file: str, line: int, message: str) -> None:
        """Note something that keeps the board from being written."""
        self._faults.append(SourceRemark(file, line, message))

    def note(self, file: str, line: int, message: str) -> None:
        """Note something that a person should know of."""
        self._notes.append(SourceRemark(file, line, message))

    def faults(self) -> tuple[SourceRemark, ...]:
        """By file and line."""
        return tuple(sorted(dict.fromkeys(self._faults)))

    def notes(self) -> tuple[SourceRemark, ...]:
        """By file and line."""
        return tuple(sorted(dict.fromkeys(self._notes)))


@dataclass(frozen=True, slots=True)
class DraftProvince:
    """One province. `coasts` are codes such as "NC" in the order of the file."""

    id: str
    name: str
    terrain: Terrain
    coasts: tuple[str, ...] = ()
    centre: bool = False
    home: str = ""
    source: SourceLine = ("", 0)


@dataclass(frozen=True, slots=True)
class DraftPower:
    """One power. `letter` is "" where the file gives none."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    letter: str = ""


@dataclass(frozen=True, slots=True)
class DraftName:
    """One more spelling of a place; `region` with its coast where it means one ("SPA/NC")."""

    text: str
    region: str
    ambiguous: bool = False
    source: SourceLine = ("", 0)


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """A way from `a` to `b`, as "SPA" or "SPA/NC", for armies or for fleets, in that direction."""

    a: str
    b: str
    afloat: bool


@dataclass(frozen=True, slots=True)
class BoardDraft:
    """A whole board. `links` holds both directions of what can be passed both ways, with the line that states
    so; `units` are power, kind and region, `owned` power and centre; `start` is season, year and kind of
    phase or None; `victory` 0 where the file gives no number."""

    title: str
    origin: str
    places: Mapping[str, DraftProvince]
    links: Mapping[Link, SourceLine]
    seats: tuple[DraftPower, ...]
    units: tuple[tuple[str, str, str], ...]
    owned: tuple[tuple[str, str], ...]
    names: tuple[DraftName, ...] = ()
    start: tuple[str, int, str] | None = None
    victory: int = 0


def link_pairs(links: Mapping[Link, SourceLine]) -> Iterable[tuple[Link, bool]]:
    """Each link once, and whether it leads one way only."""
    for link in sorted(links):
        reverse = Link(link.b, link.a, link.afloat)
        if reverse not in links:
            yield link, True
        # Of the two directions the first by name is given, so that each pair comes once.
        elif link.a < link.b:
            yield link, False


def check_links(draft: BoardDraft, *, one_way: bool, report: ImportReport) -> None:
    """A link that one end names and the other does not is a fault, unless the board is stated to have
    such."""
    for link, single in link_pairs(draft.links):
        if single and not one_way:
            unit = "a fleet" if link.afloat else "an army"
            report.fault(
                *draft.links[link],
                (f"{unit} goes from {link.a} to {link.b} and no line leads it back; correct it, or use "
                 "--one-way if that is meant"))
