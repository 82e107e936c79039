"""jDip's variants (`variants.xml` with its `*_adjacency.xml`), read into a draft of a board.

`mv` tells where armies go, `xc` where fleets go, `nc` to `wc` where they go from one coast; a place with `mv`
only is inland, one without `mv` a sea, and one that refers to itself is an island.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from adjudicator.geo import Terrain
from maps.importers import xml
from maps.importers.draft import (
    COASTS,
    PHASES,
    SEASONS,
    BoardDraft,
    DraftName,
    DraftPower,
    DraftProvince,
    ImportReport,
    Link,
    SourceLine,
)
from maps.importers.xml import Element

VARIANTS, PROVINCES = "VARIANTS", "PROVINCES"
MAIN = "variants.xml"
_KNOWN = {
    "VARIANT": (
        "DESCRIPTION",
        "MAP",
        "RULEOPTIONS",
        "POWER",
        "STARTINGTIME",
        "VICTORYCONDITIONS",
        "SUPPLYCENTER",
        "INITIALSTATE",
        "INFLUENCE",
    ),
    PROVINCES: ("BORDER_DEFINITIONS", "PROVINCE"),
    "PROVINCE": ("UNIQUENAME", "ADJACENCY"),
}
"""What may stand in an element; anything else is a slip of the pen, or a jDip that is not known here."""
_KINDS = {"army": "A", "fleet": "F"}
_BY_LAND, _ONE_COAST = "mv", "xc"
_REF = re.compile(r"(?P<place>.+?)(?:[-/(](?P<coast>[nsew]c)\)?)?")
_TURN = re.compile(r"(?P<season>\w+)[\s,]+(?P<year>\d+)[\s,]+(?P<phase>\w+)")


def read(path: Path, wanted: str, troubles: ImportReport) -> BoardDraft | None:
    """The variant called `wanted` of a `variants.xml`; with "" the only one, or the one marked as default.
    None with faults noted."""
    root = xml.read(path, troubles)
    if root is None:
        return None
    if root.name == PROVINCES:
        troubles.fault(path.name, root.line, (f"this is the adjacency alone; import the {MAIN} beside it, "
                                              f"which names the powers"))
        return None
    if root.name != VARIANTS:
        troubles.fault(path.name, root.line, (f"its outermost element is {root.name}; jDip's variants have "
                                              f"{VARIANTS}"))
        return None
    variant = _chosen(root, wanted, path.name, troubles)
    board = _beside(variant, path, troubles) if variant is not None else None
    return (
        _Board(path.name, troubles, variant, *board).draft()
        if variant is not None and board is not None
        else None
    )


def _chosen(root: Element, wanted: str, file: str, troubles: ImportReport) -> Element | None:
    found = list(root.all("VARIANT"))
    listed = ", ".join(repr(one.get("name")) for one in found) or "none"
    if wanted:
        chosen = [one for one in found if wanted.casefold() == one.get("name").casefold()]
        sentence = f"it has no variant called {wanted!r}; there are {listed}"
    else:
        chosen = found if len(found) == 1 else [one for one in found if one.get("default") == "true"]
        sentence = f"say which variant with --name; there are {listed}"
    if len(chosen) == 1:
        return chosen[0]
    troubles.fault(file, root.line, sentence)
    return None


def _beside(variant: Element, path: Path, troubles: ImportReport) -> tuple[str, Element] | None:
    """The adjacency that the variant names, which stands in the same folder."""
    told = variant.first("MAP")
    name = told.get("adjacencyURI") if told else ""
    line = (told or variant).line
    if not name:
        troubles.fault(path.name, line, "the variant names no adjacency (MAP adjacencyURI)")
    elif "/" in name or "\\" in name or name.startswith("."):
        troubles.fault(path.name, line, (f"the adjacency {name!r} is not the plain name of a file beside "
                                         f"this one"))
    elif not (path.parent / name).is_file():
        troubles.fault(path.name, line, (f"the adjacency {name} does not stand beside it; put both into one "
                                         f"folder"))
    elif (root := xml.read(path.parent / name, troubles)) is not None:
        if root.name == PROVINCES:
            return name, root
        troubles.fault(name, root.line, (f"its outermost element is {root.name}; jDip's adjacency has "
                                         f"{PROVINCES}"))
    return None


@dataclass(frozen=True, slots=True)
class _Ref:
    """A place as written, found: its id and the coast's code or ""."""

    place: str
    coast: str

    def __str__(self) -> str:
        return f"{self.place}/{self.coast}" if self.coast else self.place


class _Board:
    """One variant and its adjacency, put together and checked."""

    def __init__(
        self, file: str, troubles: ImportReport, variant: Element, beside: str, adjacency: Element
    ) -> None:
        self._file, self._beside = file, beside
        self._troubles = troubles
        self._variant = variant
        self._adjacency = adjacency
        self._spelled: dict[str, str] = {}
        self._shut: set[str] = set()
        self._named: list[DraftName] = []

    def draft(self) -> BoardDraft:
        self._check_known(self._file, self._variant)
        self._check_known(self._beside, self._adjacency)
        elements = self._elements()
        seats = self._seats()
        powers = {text.casefold(): seat.id for seat in seats for text in (seat.id, seat.name, *seat.aliases)}
        homes, owned, centres = self._centres(powers, elements)
        places = {
            place: self._place(place, one, place in centres, homes.get(place, ""))
            for place, one in elements.items()
        }
        self._leave_out()
        won = self._number("WINNING_SUPPLY_CENTERS") or len(centres) // 2 + 1
        return BoardDraft(
            title=self._variant.get("name"), origin=self._file, places=places,
            links=self._links(elements, places),
            seats=seats, units=tuple(self._units(powers, places)), owned=tuple(owned),
            names=tuple(self._named),
            start=self._start(), victory=won)

    def _check_known(self, file: str, one: Element) -> None:
        for inner in one.inner if one.name in _KNOWN else ():
            if inner.name not in _KNOWN[one.name]:
                self._fault(file, inner, (f"{one.name} has no element {inner.name}; known are "
                                          f"{', '.join(_KNOWN[one.name])}"))
            self._check_known(file, inner)

    def _elements(self) -> dict[str, Element]:
        found: dict[str, Element] = {}
        for one in self._adjacency.all("PROVINCE"):
            place, name = one.get("shortname").upper(), one.get("fullname")
            if not place or not name:
                self._fault(self._beside, one, "a PROVINCE needs a shortname and a fullname")
                continue
            if place in found:
                self._fault(self._beside, one, (f"the abbreviation {place} belongs to "
                                                f"{found[place].get('fullname')} already (line "
                                                f"{found[place].line})"))
                continue
            found[place] = one
            self._spell(name, place, one)
        for place, one in found.items():
            self._spell(place, place, one)
            for more in one.all("UNIQUENAME"):
                self._spell(more.get("name"), place, more)
                self._named.append(DraftName(more.get("name"), place, at=(self._beside, more.line)))
        self._shut = {place for place, one in found.items() if one.get("isImpassable") == "true"}
        self._named = [named for named in self._named if named.region not in self._shut]
        return {place: one for place, one in found.items() if place not in self._shut}

    def _spell(self, text: str, place: str, one: Element) -> None:
        other = self._spelled.setdefault(text.casefold(), place)
        if other != place:
            self._fault(self._beside, one, f"{text!r} means {other} and {place}")

    def _find(self, text: str, file: str, one: Element, what: str) -> _Ref | None:
        """The place a text means; None with a fault, and None silently for one that nobody may enter."""
        place, coast = self._spelled.get(text.strip().casefold()), ""
        if place is None and (parts := _REF.fullmatch(text.strip())) is not None:
            place, coast = self._spelled.get(parts["place"].casefold()), (parts["coast"] or "").upper()
        if place is None:
            self._fault(file, one, f"{what} {text!r}, which is no PROVINCE of {self._beside}")
        return _Ref(place, coast) if place is not None and place not in self._shut else None

    def _seats(self) -> tuple[DraftPower, ...]:
        found: dict[str, DraftPower] = {}
        for one in self._variant.all("POWER"):
            name = one.get("name")
            if not name or name.casefold() in found:
                self._fault(self._file, one, f"a POWER needs a name of its own; this one has {name!r}")
                continue
            more = [part.strip() for part in (*one.get("altnames").split(","), one.get("adjective"))]
            found[name.casefold()] = DraftPower(
                name, name, tuple(dict.fromkeys(part for part in more if part and part != name))
            )
            if one.get("active") == "false":
                self._note(self._file, one, (f"{name} is not played in this variant, and is a power like the "
                                             f"others here"))
        return tuple(found.values())

    def _centres(
        self, powers: dict[str, str], elements: dict[str, Element]
    ) -> tuple[dict[str, str], list[tuple[str, str]], set[str]]:
        homes: dict[str, str] = {}
        owned: list[tuple[str, str]] = []
        centres: dict[str, Element] = {}
        for one in self._variant.all("SUPPLYCENTER"):
            ref = self._find(one.get("province"), self._file, one, "SUPPLYCENTER names")
            if ref is None or ref.place not in elements:
                continue
            earlier = centres.setdefault(ref.place, one)
            if earlier is not one:
                if any(one.get(key, "none") != earlier.get(key, "none") for key in ("homepower", "owner")):
                    self._fault(self._file, one, (f"{ref.place} is a centre twice, and of others in line "
                                                  f"{earlier.line}"))
                continue
            for key in ("homepower", "owner"):
                power = one.get(key, "none")
                if power.casefold() in {"none", ""}:
                    continue
                if power.casefold() not in powers:
                    self._fault(self._file, one, f"{key} {power!r} is no POWER of this variant")
                elif key == "owner":
                    owned.append((powers[power.casefold()], ref.place))
                else:
                    homes[ref.place] = powers[power.casefold()]
        return homes, owned, set(centres)

    def _place(self, place: str, one: Element, centre: bool, home: str) -> DraftProvince:
        types = [link.get("type", _BY_LAND) for link in one.all("ADJACENCY")]
        coasts = tuple(dict.fromkeys(kind.upper() for kind in types if kind not in {_BY_LAND, _ONE_COAST}))
        terrain = Terrain.SEA if _BY_LAND not in types else (
            Terrain.COASTAL if coasts or _ONE_COAST in types else Terrain.INLAND)
        for coast in coasts:
            if coast not in COASTS:
                self._fault(self._beside, one, (f"{place} has an adjacency of type {coast.lower()!r}; known "
                                                f"are mv, xc, nc, sc, ec and wc"))
        if not types:
            self._fault(self._beside, one, f"{place} has no ADJACENCY")
        if _BY_LAND not in types and coasts:
            self._fault(self._beside, one, (f"{place} has coasts and no adjacency of type mv; a sea has xc "
                                            f"alone"))
        if one.get("isConvoyableCoast") == "true":
            self._note(self._beside, one, (f"fleets in {place} carry armies in jDip; here fleets carry at "
                                           f"sea only"))
        return DraftProvince(
            place, one.get("fullname"), terrain, coasts, centre, home, (self._beside, one.line)
        )

    def _links(
        self, elements: dict[str, Element], places: dict[str, DraftProvince]
    ) -> dict[Link, SourceLine]:
        found: dict[Link, SourceLine] = {}
        for place, one in elements.items():
            for adjacency in one.all("ADJACENCY"):
                kind = adjacency.get("type", _BY_LAND)
                for text in adjacency.get("refs").split():
                    ref = self._find(text, self._beside, adjacency, f"{place} touches")
                    if ref is not None and ref.place != place:
                        self._link(places[place], kind, ref, adjacency, places, found)
        return found

    def _link(
        self, here: DraftProvince, kind: str, ref: _Ref, adjacency: Element, places: dict[str, DraftProvince],
        found: dict[Link, SourceLine]
    ) -> None:
        there, at = places[ref.place], (self._beside, adjacency.line)
        if ref.coast and ref.coast not in there.coasts:
            self._fault(self._beside, adjacency, f"{here.id} touches {ref}, and {there.id} has no such coast")
        elif kind == _BY_LAND:
            if there.terrain is Terrain.SEA:
                self._fault(self._beside, adjacency, f"by land {here.id} touches {there.id}, which is a sea")
            found.setdefault(Link(here.id, there.id, afloat=False), at)
        elif there.terrain is Terrain.INLAND:
            self._fault(self._beside, adjacency, f"by sea {here.id} touches {there.id}, which is inland")
        elif there.coasts and not ref.coast:
            listed = ", ".join(f"{there.id}-{coast}".lower() for coast in there.coasts)
            self._fault(self._beside, adjacency, (f"by sea {here.id} touches {there.id}, which has coasts; "
                                                  f"write which: {listed}"))
        else:
            start = here.id if kind == _ONE_COAST else f"{here.id}/{kind.upper()}"
            found.setdefault(Link(start, str(ref), afloat=True), at)

    def _units(self, powers: dict[str, str], places: dict[str, DraftProvince]) -> list[tuple[str, str, str]]:
        found = []
        for one in self._variant.all("INITIALSTATE"):
            ref = self._find(one.get("province"), self._file, one, "INITIALSTATE names")
            power, kind = powers.get(one.get("power").casefold()), _KINDS.get(one.get("unit").casefold())
            if power is None:
                self._fault(self._file, one, f"power {one.get('power')!r} is no POWER of this variant")
            if kind is None:
                self._fault(self._file, one, (f"unit {one.get('unit')!r} is not known here; known are army "
                                              f"and fleet"))
            if ref is None or power is None or kind is None:
                continue
            coast = one.get("unitcoast").upper()
            if coast and coast not in places[ref.place].coasts:
                self._fault(self._file, one, f"{ref.place} has no coast {coast}")
                continue
            found.append((power, kind, str(_Ref(ref.place, coast))))
        return found

    def _start(self) -> tuple[str, int, str] | None:
        one = self._variant.first("STARTINGTIME")
        told = one.get("turn") if one else ""
        parts = _TURN.fullmatch(told)
        if (
            one is None
            or parts is None
            or parts["season"].upper() not in SEASONS
            or parts["phase"].upper() not in PHASES
        ):
            self._fault(self._file, one or self._variant, (f"the turn it begins with is {told!r}; write it "
                                                           f"as Spring, 1901, Movement"))
            return None
        return SEASONS[parts["season"].upper()], int(parts["year"]), PHASES[parts["phase"].upper()]

    def _number(self, name: str) -> int:
        told = self._variant.first("VICTORYCONDITIONS")
        one = told.first(name) if told else None
        if one is None:
            return 0
        if not one.get("value").isdecimal():
            self._fault(self._file, one, f"{name} is {one.get('value')!r}, which is no number")
            return 0
        return int(one.get("value"))

    def _leave_out(self) -> None:
        """What our tables have no place for is said, never dropped in silence."""
        for place in sorted(self._shut):
            self._troubles.note(self._beside, 0, f"{place} cannot be entered, and is left out")
        for part in self._adjacency.all("BORDER_DEFINITIONS"):
            for one in part.all("BORDER"):
                self._note(self._beside, one, (f"the border {one.get('id')!r} is a rule of its own and is "
                                               f"left out: {one.get('description') or 'no words'}"))
        for part in self._variant.all("VICTORYCONDITIONS"):
            for one in part.inner:
                if one.name != "WINNING_SUPPLY_CENTERS":
                    self._note(self._file, one, (f"{one.name} {one.get('value')} is not part of a board and "
                                                 f"is left out"))
        if (held := self._variant.first("INFLUENCE")) is not None:
            self._note(self._file, held, ("INFLUENCE colours jDip's map before anybody has moved; here a map "
                                          "shows centres, and it is left out"))
        for part in self._variant.all("RULEOPTIONS"):
            for one in part.all("RULEOPTION"):
                self._note(self._file, one, (f"{one.get('name')} {one.get('value')} is not part of a board "
                                             f"and is left out"))

    def _fault(self, file: str, one: Element, message: str) -> None:
        self._troubles.fault(file, one.line, message)

    def _note(self, file: str, one: Element, message: str) -> None:
        self._troubles.note(file, one.line, message)
