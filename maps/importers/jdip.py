"""jDip's variants (`variants.xml` with its `*_adjacency.xml`), read into a draft of a board.

`mv` shows where armies go, `xc` where fleets go, `nc` to `wc` where they go from one coast; a place with `mv`
only is inland, one without `mv` a sea, and one that refers to itself is an island.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

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
from maps.importers.source import SourceFiles
from maps.importers.xml import Element

VARIANTS, PROVINCES = "VARIANTS", "PROVINCES"
MAIN = "variants.xml"
_KNOWN = {
    "VARIANT": (
        "DESCRIPTION", "MAP", "RULEOPTIONS", "POWER", "STARTINGTIME", "VICTORYCONDITIONS", "SUPPLYCENTER",
        "INITIALSTATE", "INFLUENCE"),
    PROVINCES: ("BORDER_DEFINITIONS", "PROVINCE"),
    "PROVINCE": ("UNIQUENAME", "ADJACENCY"),
}
"""The elements that an element may hold; any other is a typing error, or of a jDip that is not known here."""
_KINDS = {"army": "A", "fleet": "F"}
_BY_LAND, _ONE_COAST = "mv", "xc"
_REF = re.compile(r"(?P<place>.+?)(?:[-/(](?P<coast>[nsew]c)\)?)?")
_TURN = re.compile(r"(?P<season>\w+)[\s,]+(?P<year>\d+)[\s,]+(?P<phase>\w+)")


def read(files: SourceFiles, name: str, variant_name: str, report: ImportReport) -> BoardDraft | None:
    """The variant called `variant_name` of the file `name`; with "" the only one, or the one marked as
    default. None with faults noted."""
    root = xml.read(files, name, report)
    if root is None:
        return None
    if root.name == PROVINCES:
        report.fault(name, root.line, (f"this is only the adjacency; import the {MAIN} in the same folder, "
                                       "which names the powers"))
        return None
    if root.name != VARIANTS:
        report.fault(name, root.line, (f"its outermost element is {root.name}; jDip's variants have "
                                       f"{VARIANTS}"))
        return None
    # One file holds all variants of a package.
    variant = _chosen(root, variant_name, name, report)
    adjacency = _adjacency(variant, files, name, report) if variant is not None else None
    if variant is None or adjacency is None:
        return None
    return _Board(name, report, variant, *adjacency).draft()


def _chosen(root: Element, variant_name: str, file: str, report: ImportReport) -> Element | None:
    variants = list(root.all("VARIANT"))
    listed = ", ".join(repr(variant.get("name")) for variant in variants) or "none"
    if variant_name:
        chosen = [variant for variant in variants
            if variant_name.casefold() == variant.get("name").casefold()]
        sentence = f"it has no variant called {variant_name!r}; there are {listed}"
    else:
        defaults = [variant for variant in variants if variant.get("default") == "true"]
        chosen = variants if len(variants) == 1 else defaults
        sentence = f"name the variant with --name; there are {listed}"
    if len(chosen) == 1:
        return chosen[0]
    report.fault(file, root.line, sentence)
    return None


def _adjacency(variant: Element, files: SourceFiles, file: str,
               report: ImportReport) -> tuple[str, Element] | None:
    """Name and root of the adjacency that the variant names, a file of the same folder."""
    map_element = variant.first("MAP")
    name = map_element.get("adjacencyURI") if map_element else ""
    line = (map_element or variant).line
    if not name:
        report.fault(file, line, "the variant names no adjacency (MAP adjacencyURI)")
    # Only files of the same folder are read, and a path would lead out of it.
    elif "/" in name or "\\" in name or name.startswith("."):
        report.fault(file, line, f"the adjacency {name!r} is not the plain name of a file in the same folder")
    elif name not in files:
        report.fault(file, line, f"the adjacency {name} is not in the same folder; put both into one folder")
    elif (root := xml.read(files, name, report)) is not None:
        if root.name == PROVINCES:
            return name, root
        report.fault(name, root.line, (f"its outermost element is {root.name}; jDip's adjacency has "
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
        self, file: str, report: ImportReport, variant: Element, beside: str, adjacency: Element
    ) -> None:
        self._file, self._beside = file, beside
        self._report = report
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
            place: self._place(place, element, place in centres, homes.get(place, ""))
            for place, element in elements.items()
        }
        self._leave_out()
        # More than half of the centres, as on the classic board (18 of 34), where the variant gives no
        # number.
        won = self._number("WINNING_SUPPLY_CENTERS") or len(centres) // 2 + 1
        return BoardDraft(
            title=self._variant.get("name"), origin=self._file, places=places,
            links=self._links(elements, places),
            seats=seats, units=tuple(self._units(powers, places)), owned=tuple(owned),
            names=tuple(self._named),
            start=self._start(), victory=won)

    def _check_known(self, file: str, element: Element) -> None:
        for inner in element.inner if element.name in _KNOWN else ():
            if inner.name not in _KNOWN[element.name]:
                self._fault(file, inner, (f"{element.name} has no element {inner.name}; known are "
                                          f"{', '.join(_KNOWN[element.name])}"))
            self._check_known(file, inner)

    def _elements(self) -> dict[str, Element]:
        by_place: dict[str, Element] = {}
        for element in self._adjacency.all("PROVINCE"):
            place, name = element.get("shortname").upper(), element.get("fullname")
            if not place or not name:
                self._fault(self._beside, element, "a PROVINCE needs a shortname and a fullname")
                continue
            if place in by_place:
                self._fault(self._beside, element, (f"the abbreviation {place} belongs to "
                                                    f"{by_place[place].get('fullname')} already (line "
                                                    f"{by_place[place].line})"))
                continue
            by_place[place] = element
            # Full names before short ones: where two clash, the fault is about the short one.
            self._spell(name, place, element)
        for place, element in by_place.items():
            self._spell(place, place, element)
            for more in element.all("UNIQUENAME"):
                self._spell(more.get("name"), place, more)
                self._named.append(DraftName(more.get("name"), place, source=(self._beside, more.line)))
        self._shut = {place for place, element in by_place.items() if element.get("isImpassable") == "true"}
        self._named = [named for named in self._named if named.region not in self._shut]
        return {place: element for place, element in by_place.items() if place not in self._shut}

    def _spell(self, text: str, place: str, element: Element) -> None:
        other = self._spelled.setdefault(text.casefold(), place)
        if other != place:
            self._fault(self._beside, element, f"{text!r} means {other} and {place}")

    def _find(self, text: str, file: str, element: Element, role: str) -> _Ref | None:
        """The place a text means; None with a fault, and None silently for one that no one may enter."""
        place, coast = self._spelled.get(text.strip().casefold()), ""
        if place is None and (parts := _REF.fullmatch(text.strip())) is not None:
            # The whole text was tried first: a place may be called "Cape-nc".
            place, coast = self._spelled.get(parts["place"].casefold()), (parts["coast"] or "").upper()
        if place is None:
            self._fault(file, element, f"{role} {text!r}, which is not a PROVINCE of {self._beside}")
        return _Ref(place, coast) if place is not None and place not in self._shut else None

    def _seats(self) -> tuple[DraftPower, ...]:
        by_name: dict[str, DraftPower] = {}
        for element in self._variant.all("POWER"):
            name = element.get("name")
            if not name or name.casefold() in by_name:
                self._fault(self._file, element, f"a POWER needs its own name; this one has {name!r}")
                continue
            more = [part.strip() for part in (*element.get("altnames").split(","), element.get("adjective"))]
            by_name[name.casefold()] = DraftPower(
                name, name, tuple(dict.fromkeys(part for part in more if part and part != name))
            )
            # Our boards have no seats that no one plays.
            if element.get("active") == "false":
                self._note(self._file, element, (f"{name} is not played in this variant, and is a power like "
                                                 "the others here"))
        return tuple(by_name.values())

    def _centres(
        self, powers: dict[str, str], elements: dict[str, Element]
    ) -> tuple[dict[str, str], list[tuple[str, str]], set[str]]:
        homes: dict[str, str] = {}
        owned: list[tuple[str, str]] = []
        centres: dict[str, Element] = {}
        for element in self._variant.all("SUPPLYCENTER"):
            ref = self._find(element.get("province"), self._file, element, "SUPPLYCENTER names")
            if ref is None or ref.place not in elements:
                continue
            earlier = centres.setdefault(ref.place, element)
            if earlier is not element:
                # The same centre written twice in the same words harms no person.
                if any(
                    element.get(key, "none") != earlier.get(key, "none") for key in ("homepower", "owner")
                ):
                    self._fault(self._file, element, (f"{ref.place} is a centre twice, and of others in line "
                                                      f"{earlier.line}"))
                continue
            for key in ("homepower", "owner"):
                power = element.get(key, "none")
                # jDip writes "none" for a centre without an owner, and leaves the attribute out as well.
                if power.casefold() in {"none", ""}:
                    continue
                if power.casefold() not in powers:
                    self._fault(self._file, element, f"{key} {power!r} is not a POWER of this variant")
                elif key == "owner":
                    owned.append((powers[power.casefold()], ref.place))
                else:
                    homes[ref.place] = powers[power.casefold()]
        return homes, owned, set(centres)

    def _place(self, place: str, element: Element, centre: bool, home: str) -> DraftProvince:
        types = [link.get("type", _BY_LAND) for link in element.all("ADJACENCY")]
        coasts = tuple(dict.fromkeys(kind.upper() for kind in types if kind not in {_BY_LAND, _ONE_COAST}))
        terrain = Terrain.SEA if _BY_LAND not in types else (
            Terrain.COASTAL if coasts or _ONE_COAST in types else Terrain.INLAND)
        for coast in coasts:
            if coast not in COASTS:
                self._fault(self._beside, element, (f"{place} has an adjacency of type {coast.lower()!r}; "
                                                    "known are mv, xc, nc, sc, ec and wc"))
        if not types:
            self._fault(self._beside, element, f"{place} has no ADJACENCY")
        if _BY_LAND not in types and coasts:
            self._fault(self._beside, element, (f"{place} has coasts and no adjacency of type mv; a sea has "
                                                "only xc"))
        if element.get("isConvoyableCoast") == "true":
            self._note(self._beside, element, (f"fleets in {place} carry armies in jDip; here fleets carry "
                                               "at sea only"))
        return DraftProvince(
            place, element.get("fullname"), terrain, coasts, centre, home, (self._beside, element.line)
        )

    def _links(
        self, elements: dict[str, Element], places: dict[str, DraftProvince]
    ) -> dict[Link, SourceLine]:
        links: dict[Link, SourceLine] = {}
        for place, element in elements.items():
            for adjacency in element.all("ADJACENCY"):
                kind = adjacency.get("type", _BY_LAND)
                for text in adjacency.get("refs").split():
                    ref = self._find(text, self._beside, adjacency, f"{place} touches")
                    if ref is not None and ref.place != place:
                        self._link(places[place], kind, ref, adjacency, places, links)
        return links

    def _link(
        self, origin: DraftProvince, kind: str, ref: _Ref, adjacency: Element,
        places: dict[str, DraftProvince],
        links: dict[Link, SourceLine]
    ) -> None:
        target, line = places[ref.place], (self._beside, adjacency.line)
        if ref.coast and ref.coast not in target.coasts:
            self._fault(self._beside, adjacency, (f"{origin.id} touches {ref}, and {target.id} has no such "
                                                  "coast"))
        elif kind == _BY_LAND:
            if target.terrain is Terrain.SEA:
                self._fault(self._beside, adjacency, (f"by land {origin.id} touches {target.id}, which is a "
                                                      "sea"))
            links.setdefault(Link(origin.id, target.id, afloat=False), line)
        elif target.terrain is Terrain.INLAND:
            self._fault(self._beside, adjacency, f"by sea {origin.id} touches {target.id}, which is inland")
        elif target.coasts and not ref.coast:
            listed = ", ".join(f"{target.id}-{coast}".lower() for coast in target.coasts)
            self._fault(self._beside, adjacency, (f"by sea {origin.id} touches {target.id}, which has "
                                                  f"coasts; write which: {listed}"))
        else:
            # `xc` is the only coast, `nc` to `wc` are one of several.
            start = origin.id if kind == _ONE_COAST else f"{origin.id}/{kind.upper()}"
            links.setdefault(Link(start, str(ref), afloat=True), line)

    def _units(self, powers: dict[str, str], places: dict[str, DraftProvince]) -> list[tuple[str, str, str]]:
        units = []
        for element in self._variant.all("INITIALSTATE"):
            ref = self._find(element.get("province"), self._file, element, "INITIALSTATE names")
            power, kind = (
                powers.get(element.get("power").casefold()),
                _KINDS.get(element.get("unit").casefold()),
            )
            if power is None:
                self._fault(self._file, element, (f"power {element.get('power')!r} is not a POWER of this "
                                                  "variant"))
            if kind is None:
                self._fault(self._file, element, (f"unit {element.get('unit')!r} is not known here; known "
                                                  "are army and fleet"))
            # Each of the three has its own fault by now; all are reported in one run.
            if ref is None or power is None or kind is None:
                continue
            coast = element.get("unitcoast").upper()
            if coast and coast not in places[ref.place].coasts:
                self._fault(self._file, element, f"{ref.place} has no coast {coast}")
                continue
            units.append((power, kind, str(_Ref(ref.place, coast))))
        return units

    def _start(self) -> tuple[str, int, str] | None:
        element = self._variant.first("STARTINGTIME")
        turn = element.get("turn") if element else ""
        parts = _TURN.fullmatch(turn)
        if (
            element is None
            or parts is None
            or parts["season"].upper() not in SEASONS
            or parts["phase"].upper() not in PHASES
        ):
            self._fault(self._file, element or self._variant, (f"the turn it begins with is {turn!r}; write "
                                                               "it as Spring, 1901, Movement"))
            return None
        return SEASONS[parts["season"].upper()], int(parts["year"]), PHASES[parts["phase"].upper()]

    def _number(self, name: str) -> int:
        conditions = self._variant.first("VICTORYCONDITIONS")
        element = conditions.first(name) if conditions else None
        if element is None:
            return 0
        if not element.get("value").isdecimal():
            self._fault(self._file, element, f"{name} is {element.get('value')!r}, which is not a number")
            return 0
        return int(element.get("value"))

    def _leave_out(self) -> None:
        """What our tables have no place for is stated, never dropped in silence."""
        for place in sorted(self._shut):
            self._report.note(self._beside, 0, f"{place} cannot be entered, and is left out")
        for part in self._adjacency.all("BORDER_DEFINITIONS"):
            for element in part.all("BORDER"):
                self._note(self._beside, element, (f"the border {element.get('id')!r} is an extra rule and "
                                                   "is left out: "
                                                   f"{element.get('description') or 'no words'}"))
        for part in self._variant.all("VICTORYCONDITIONS"):
            for element in part.inner:
                # Others end a game by a year or by years without change, which no rule here does.
                if element.name != "WINNING_SUPPLY_CENTERS":
                    self._note(self._file, element, (f"{element.name} {element.get('value')} is not part of "
                                                     "a board and is left out"))
        if (held := self._variant.first("INFLUENCE")) is not None:
            self._note(self._file, held, ("INFLUENCE colours jDip's map before anybody has moved; here a map "
                                          "shows centres, and it is left out"))
        for part in self._variant.all("RULEOPTIONS"):
            for element in part.all("RULEOPTION"):
                self._note(self._file, element, (f"{element.get('name')} {element.get('value')} is not part "
                                                 "of a board and is left out"))

    def _fault(self, file: str, element: Element, message: str) -> None:
        self._report.fault(file, element.line, message)

    def _note(self, file: str, element: Element, message: str) -> None:
        self._report.note(file, element.line, message)
