"""What one game is: a board, its powers, its calendar, its names and the rule set that judges it. Values
only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING

from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.geo import Province

if TYPE_CHECKING:
    from adjudicator.calendar import Calendar
    from adjudicator.geo import Board, Region
    from adjudicator.position import Position
    from adjudicator.ruleset import Ruleset
    from adjudicator.units import UnitKind


class Spelling(StrEnum):
    """How a name is in `names.csv`."""

    NAME = "name"
    ALIAS = "alias"
    ABBREVIATION = "abbreviation"


@dataclass(frozen=True, slots=True)
class NameRow:
    """One spelling of one region: `text` as a player may write it, the region meant, and what sort of
    spelling.

    `ambiguous`: the board declares that this text may also represent another region (Q-44), so unit and order
    decide.
    """

    text: str
    region: Region
    spelling: Spelling
    ambiguous: bool = False


class Element(StrEnum):
    """Where a unit is: an army on land, a fleet at sea."""

    LAND = "land"
    SEA = "sea"


class ShortFormKind(StrEnum):
    """What sort of short form a row of `short_forms.csv` is.

    COUNTY: an old or postal abbreviation (Northants). CODE: a list's code (Chapman's BDF). TOWN: a town for
    its shire. JUDGE: a spelling that a program takes. SHORT: part of the region's own name. SHARED: stands
    for several regions, so that a person is asked (Lincs). OWNER: a power's people (English), before a unit.
    GERMAN, FRENCH: the place's name in that language, in games that have switched it on.
    """

    COUNTY = "county"
    CODE = "code"
    TOWN = "town"
    JUDGE = "judge"
    SHORT = "short"
    SHARED = "shared"
    OWNER = "owner"
    GERMAN = "german"
    FRENCH = "french"


@dataclass(frozen=True, slots=True)
class ShortForm:
    """One row of `short_forms.csv`: what a player may write for a region or, where `region` is None, for a
    power.

    `element`: only units that are on land, or at sea, are meant; None for all. `source`: who writes so.
    """

    text: str
    region: Region | None
    power: str
    kind: ShortFormKind
    element: Element | None
    source: str


@dataclass(frozen=True, slots=True)
class Power:
    """A seat. `id` is its name in data and JSON, `name` as printed, `aliases` every other name a sheet may
    carry (HEAD-02), `person` who commands it, `colour` "#rrggbb" (MAP-04), `pattern` and `letter` its marks
    on a map without colour (MAP-05), `letter_word` what the letter represents where no name of it states it,
    `kingdom` the land area it comes from or None, `victory` the centres it needs to win where that is not
    the board's number, else 0, `is_plural` whether its name takes a plural verb (the Scots were),
    `has_article` whether a sentence names it with one that its name does not have (the Confederacy)."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    person: str = ""
    colour: str = "#888888"
    pattern: str = "plain"
    letter: str = "?"
    letter_word: str = ""
    kingdom: str | None = None
    victory: int = 0
    is_plural: bool = False
    has_article: bool = False


@dataclass(frozen=True, slots=True)
class Variant:
    """One folder of `maps/`, loaded and checked.

    `slug` is the folder's name. `start` is the opening position with its phase. `wording` is the text of the
    folder's `orders.lark` or "". `capitals` maps a kingdom to its capitals. `note` is printed with the board:
    where it comes from and under which licence. `middle` is the longitude and latitude, in degrees, that a
    drawing of the board is projected about. `open_east`: land goes on beyond the board's eastern edge, so
    that a drawing may too. `strip`: kilometres of each sea that a drawing shows at least. `conduct` is how
    the game asks its players to deal with each other, a sentence or two an item; empty where its rules say
    nothing of it. `earlier`: house rules that were changed, by key, with what counted before the change.
    `short_forms`: what its people write for short. `languages`: those whose order words count next to the
    English ones, none unless a game switches them on (WRD-07).
    """

    slug: str
    title: str
    board: Board
    kinds: Mapping[str, UnitKind]
    powers: Mapping[str, Power]
    calendar: Calendar
    start: Position
    names: tuple[NameRow, ...]
    rules: Ruleset
    wording: str = ""
    capitals: Mapping[str, tuple[str, ...]] | None = None
    victory: int = 0
    note: str = ""
    middle: tuple[float, float] = (-4.0, 54.0)
    open_east: bool = False
    strip: int = 36
    conduct: tuple[str, ...] = ()
    earlier: Mapping[str, str] = field(default_factory=dict)
    short_forms: tuple[ShortForm, ...] = ()
    languages: tuple[str, ...] = ()
    _context: list[Context] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def articled(self) -> frozenset[str]:
        """The names of powers that a sentence names with an article."""
        return frozenset(power.name for power in self.powers.values() if power.has_article)

    @property
    def has_adjustments(self) -> bool:
        """Whether units are built and removed by the number of centres."""
        return any(kind is PhaseKind.ADJUSTMENT for _, kind in self.calendar.steps)

    def context(self) -> Context:
        """This game as the judge sees it; made on the first call and cached."""
        # On the first call: who reads sheets needs no reach tables, and those of w3k take 20 ms.
        if not self._context:
            context = Context(
                board=self.board,
                kinds=self.kinds,
                calendar=self.calendar,
                powers=tuple(self.powers),
                capitals=self.capitals or {},
                victory=self.victory,
                power_names={power.id: power.name for power in self.powers.values()},
                start=self.start.phase,
                victories={power.id: power.victory for power in self.powers.values() if power.victory},
            )
            self._context.append(context)
        return self._context[0]


def mark_phrases(variant: Variant, province: Province) -> tuple[str, ...]:
    """The marks of one province that its rule set has words for (`Ruleset.MARKS`), sorted: "freezes in
    January". A mark "fleets=Sweden" has "Sweden" for the blank of its words."""
    return tuple(sorted(filter(None, (_words(variant, mark) for mark in province.marks))))


def provinces_by_mark(variant: Variant) -> dict[str, list[str]]:
    """Each mark in words, to the names of the provinces that have it; both sorted."""
    names_by_mark: dict[str, list[str]] = {}
    for province in sorted(variant.board.provinces.values(), key=attrgetter("name")):
        for words in mark_phrases(variant, province):
            names_by_mark.setdefault(words, []).append(province.name)
    return dict(sorted(names_by_mark.items()))


def _words(variant: Variant, mark: str) -> str:
    name, _, value = mark.partition("=")
    # Marks have a power's id, players its printed name.
    power = variant.powers.get(value)
    return variant.rules.MARKS.get(name, "").format(power.name if power else value)
