"""DPjudge's map files (`.map`), as the package `diplomacy` uses them too, read into a draft of a board.

The format is that of the package's README_MAPS: capitals show who may go where. A place in small letters
cannot be entered by fleets, one with only its first letter large not by armies. The package's own reader
states neither file nor line of what it does not like and forgives much, so it is not used; tests hold its
answers next to ours. """

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePath

from adjudicator.geo import Terrain
from maps.importers.dpjudge_lines import SHUT, DpjudgeReader, PowerLine, TerrainLine
from maps.importers.draft import (
    COASTS,
    BoardDraft,
    DraftName,
    DraftPower,
    DraftProvince,
    ImportReport,
    Link,
    SourceLine,
)
from maps.importers.source import SourceFiles

_TERRAIN = {"WATER": Terrain.SEA, "COAST": Terrain.COASTAL, "PORT": Terrain.COASTAL, "LAND": Terrain.INLAND}
_COAST_WORD = re.compile(r"(?P<base>.+?)(?:/(?P<slash>[^/()]+)|\((?P<bracket>[^()]+)\))")


def read(files: SourceFiles, name: str, report: ImportReport) -> BoardDraft | None:
    """The board of the `.map` file `name` and of the files it uses; None with faults noted."""
    reader = DpjudgeReader(files, report)
    if not reader.file(name):
        return None
    return _Board(reader, name, report).draft()


class _Board:
    """What was read, put together and checked."""

    def __init__(self, reader: DpjudgeReader, file: str, report: ImportReport) -> None:
        self._reader = reader
        self._file = file
        self._report = report
        self._shut = {line.written.upper() for line in reader.ground.values() if line.terrain == SHUT}
        self._coasts: dict[str, list[str]] = {}
        self._base: dict[str, TerrainLine] = {}
        self._ground = {line.written.upper(): line for line in reader.ground.values()}
        for line in self._ground.values():
            place, _, coast = line.written.upper().partition("/")
            if coast:
                self._coasts.setdefault(place, []).append(coast)
            # A place that is shut has no province, and whatever abuts it loses that link.
            elif place not in self._shut:
                self._base[place] = line

    def draft(self) -> BoardDraft | None:
        powers = self._powers()
        homes = self._homes(powers)
        centres = {
            **self._reader.neutral,
            **{place: line for power in powers for place, line in (power.owns or {}).items()},
        }
        places = {
            place: self._place(place, ground, place in centres or place in homes, homes.get(place, ""))
            for place, ground in self._base.items()
        }
        self._check_coasts()
        for place, line in {
            **centres,
            **{place: line for power in powers for place, line in power.homes.items()},
        }.items():
            if place not in places:
                self._report.fault(*line, f"{place} is a centre here, and no line gives its terrain")
        # All links first: whether a place is a coast at all is only known from what reaches it
        # (`_without_shore`).
        links = self._links(places)
        for ground in (
            ground for ground in self._reader.ground.values() if ground.terrain == SHUT
        ):
            self._report.note(*ground.source, (f"{ground.written.upper()} is shut to all units, and is left "
                                               "out"))
        places = self._without_shore(places, links)
        won = (
            self._reader.victory
            # Without a VICTORY line more than half of the centres win, as on the classic board (18 of 34).
            or len({place for place, ground in places.items() if ground.centre}) // 2 + 1
        )
        return BoardDraft(
            title=PurePath(self._file).stem.replace("_", " ").title(), origin=self._file, places=places,
            links=links,
            seats=tuple(_seat(power) for power in powers),
            units=tuple((power.id, kind, place) for power in powers for kind, place, line in power.units
                        if self._stands(place, line, places)),
            owned=tuple((power.id, place) for power in powers
                        for place in (power.homes if power.owns is None else power.owns) if place in places),
            names=tuple(self._names(places)), start=self._reader.start or ("Spring", 1901, "movement"),
            victory=won)

    def _powers(self) -> list[PowerLine]:
        """The powers; what is none for certain is an unknown directive."""
        powers = []
        for power in self._reader.powers.values():
            # Any first word that is not a directive may be a power, so a misspelt directive looks like one
            # whose homes are not places.
            strange = [place for place in power.homes if place.partition("/")[0] not in self._base]
            if not power.homes and not power.units and power.owns is None:
                self._report.fault(*power.source, (f"{power.id} is not a directive known here, and no power "
                                                   "with a centre or a unit"))
            elif (strange and len(strange) == len(power.homes)) or "ABUTS" in power.homes:
                self._report.fault(*power.source, (f"{power.id} is not a directive known here, and no power: "
                                                   f"{strange[0]} is not a place"))
                continue
            powers.append(power)
        return powers

    def _homes(self, powers: list[PowerLine]) -> dict[str, str]:
        homes: dict[str, str] = {}
        for power in powers:
            for place, line in power.homes.items():
                other = homes.setdefault(place, power.id)
                # Which of the two is meant is for the person who has the board to say.
                if other != power.id:
                    self._report.fault(*line, (f"{place} is a home of {other} already; a centre is the home "
                                               "of one power"))
        return homes

    def _place(self, place: str, line: TerrainLine, centre: bool, home: str) -> DraftProvince:
        named = self._reader.names.get(place)
        if named is None:
            self._report.fault(*line.source, (f"{place} has terrain and no name; add a line such as: "
                                              f"Somewhere = {place.lower()}"))
        if line.terrain == "PORT":
            self._report.note(*line.source, (f"{place} is a port whose fleets carry armies; here fleets "
                                             "carry at sea only"))
        # With coasts, small letters are the rule: fleets are in "SPA/NC" and never in "spa" itself.
        if line.written.islower() and place not in self._coasts:
            self._report.note(*line.source, (f"{place} is written in small letters, so fleets cannot be "
                                             "there"))
        return DraftProvince(
            place,
            named[0] if named else place,
            _TERRAIN[line.terrain],
            tuple(self._coasts.get(place, ())),
            centre,
            home,
            line.source,
        )

    def _without_shore(
        self, places: dict[str, DraftProvince], links: dict[Link, SourceLine]
    ) -> dict[str, DraftProvince]:
        """A place that is called a coast and that no fleet reaches is inland here."""
        reached = {end.partition("/")[0] for link in links if link.afloat for end in (link.a, link.b)}
        provinces = {}
        for place, province in places.items():
            # The loader refuses a coastal province that no fleet can reach.
            dry = province.terrain is Terrain.COASTAL and place not in reached
            if dry:
                self._report.note(*province.source, (f"{place} is a coast that no fleet reaches, and is "
                                                     "written down as inland"))
            provinces[place] = replace(province, terrain=Terrain.INLAND) if dry else province
        return provinces

    def _check_coasts(self) -> None:
        for place, coasts in self._coasts.items():
            first = self._ground[f"{place}/{coasts[0]}"]
            if place not in self._base:
                self._report.fault(*first.source, f"{place} has coasts and no line")
            for coast in coasts:
                if coast not in COASTS:
                    self._report.fault(*first.source, (f"{coast} is not a coast known here; known are "
                                                       f"{', '.join(COASTS)}"))

    def _links(self, places: dict[str, DraftProvince]) -> dict[Link, SourceLine]:
        links: dict[Link, SourceLine] = {}
        for line in self._reader.ground.values():
            origin = line.written.upper()
            if origin in self._shut:
                continue
            listed: set[str] = set()
            for abut in line.abuts:
                target = abut.upper()
                place = target.partition("/")[0]
                if place in self._shut:
                    continue
                if place not in places:
                    self._report.fault(*line.source, (f"{origin} abuts {target}, and no line gives its "
                                                      "terrain"))
                elif "/" in target and target not in self._ground:
                    self._report.fault(*line.source, (f"{origin} abuts {target}, and {place} has no such "
                                                      "coast"))
                elif place == origin.partition("/")[0]:
                    self._report.fault(*line.source, f"{origin} abuts itself")
                elif target in listed:
                    self._report.fault(*line.source, f"{origin} abuts {target} twice")
                else:
                    self._link(line, abut, places, links)
                listed.add(target)
        return links

    def _link(
        self, line: TerrainLine, abut: str, places: dict[str, DraftProvince], links: dict[Link, SourceLine]
    ) -> None:
        origin, target = line.written.upper(), abut.upper()
        a, b = places.get(origin.partition("/")[0]), places[target.partition("/")[0]]
        if a is None:
            return
        seas = Terrain.SEA in {a.terrain, b.terrain}
        # "Abc" in the list of what a place abuts: fleets only. "abc": armies only. "ABC": both.
        if "/" not in origin and not seas and not (abut[:1].isupper() and abut[1:3].islower()):
            links.setdefault(Link(a.id, b.id, afloat=False), line.source)
        afloat = line.written == origin and abut[:1] == target[:1]
        floats = afloat and Terrain.INLAND not in {a.terrain, b.terrain}
        # From a place with coasts a fleet leaves by one of them, so the line of the whole place gives no such
        # link.
        if not floats or ("/" not in origin and a.coasts):
            return
        if "/" not in target and b.coasts:
            self._report.fault(*line.source, (f"{origin} abuts {target}, which has coasts; write those that "
                                              f"a fleet reaches, or {target.lower()}"))
        else:
            links.setdefault(Link(origin, target, afloat=True), line.source)

    def _stands(self, place: str, line: SourceLine, places: dict[str, DraftProvince]) -> bool:
        base, _, coast = place.partition("/")
        if base not in places:
            self._report.fault(*line, f"a unit is in {place}, and no line gives its terrain")
        elif coast and coast not in places[base].coasts:
            self._report.fault(*line, f"a unit is in {place}, and {base} has no such coast")
        else:
            return True
        return False

    def _names(self, places: dict[str, DraftProvince]) -> list[DraftName]:
        spellings = []
        for place, (name, aliases, line) in self._reader.names.items():
            base, _, coast = place.partition("/")
            if base in self._shut:
                continue
            if base not in places:
                self._report.fault(*line, f"{name} ({place}) has a name and no terrain")
                continue
            spellings += [_alias(alias, base, coast, line) for alias in aliases]
        return spellings


def _alias(written: str, base: str, coast: str, line: SourceLine) -> DraftName:
    """One more spelling: + is a blank, ? at the end states that it may be another place's. A coast that is
    stated in the usual way ("spn/nc") leaves the spelling of its province, for coasts are read wherever a
    province is."""
    text = written.rstrip("?").replace("+", " ")
    parts = _COAST_WORD.fullmatch(text)
    usual = parts is not None and (parts["slash"] or parts["bracket"]).strip().upper() in {
        coast,
        COASTS.get(coast, "").upper(),
    }
    # Our loader reads a coast behind any spelling of its province, so "spn/nc" needs no separate row.
    region = f"{base}/{coast}" if coast and not usual else base
    return DraftName(parts["base"] if parts and usual else text, region, written.endswith("?"), line)


def _seat(power: PowerLine) -> DraftPower:
    """A power with its name as it is printed: underscores in front not shown, + before a large letter."""
    # In an adjective + is a blank; in a power's id it only begins a new word.
    adjective = power.adjective.replace("+", " ").strip().title()
    name = "".join(part.title() for part in power.id.lstrip("_").split("+"))
    return DraftPower(
        power.id,
        name,
        (adjective,) if adjective and adjective != name else (),
        power.letter.strip().upper()[:1],
    )
