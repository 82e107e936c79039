"""DPjudge's map files (`.map`), as the package `diplomacy` uses them too, read into a draft of a board.

The format is that of the package's README_MAPS: capitals tell who may go where. A place in small letters
cannot be entered by fleets, one with only its first letter large not by armies. The package's own reader says
neither file nor line of what it does not like and forgives much, so it is not used; tests hold its answers
beside ours.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

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

_TERRAIN = {"WATER": Terrain.SEA, "COAST": Terrain.COASTAL, "PORT": Terrain.COASTAL, "LAND": Terrain.INLAND}
_COAST_WORD = re.compile(r"(?P<base>.+?)(?:/(?P<slash>[^/()]+)|\((?P<bracket>[^()]+)\))")


def read(path: Path, troubles: ImportReport) -> BoardDraft | None:
    """The board of a `.map` file and of the files it uses, which stand beside it; None with faults noted."""
    reader = DpjudgeReader(path.parent, troubles)
    if not reader.file(path.name):
        return None
    return _Board(reader, path, troubles).draft()


class _Board:
    """What was read, put together and checked."""

    def __init__(self, reader: DpjudgeReader, path: Path, troubles: ImportReport) -> None:
        self._reader = reader
        self._path = path
        self._troubles = troubles
        self._shut = {one.written.upper() for one in reader.ground.values() if one.terrain == SHUT}
        self._coasts: dict[str, list[str]] = {}
        self._base: dict[str, TerrainLine] = {}
        self._ground = {one.written.upper(): one for one in reader.ground.values()}
        for one in self._ground.values():
            place, _, coast = one.written.upper().partition("/")
            if coast:
                self._coasts.setdefault(place, []).append(coast)
            elif place not in self._shut:
                self._base[place] = one

    def draft(self) -> BoardDraft | None:
        powers = self._powers()
        homes = self._homes(powers)
        centres = {
            **self._reader.neutral,
            **{place: at for power in powers for place, at in (power.owns or {}).items()},
        }
        places = {place: self._place(place, one, place in centres or place in homes, homes.get(place, ""))
                  for place, one in self._base.items()}
        self._check_coasts()
        for place, at in {
            **centres,
            **{place: at for power in powers for place, at in power.homes.items()},
        }.items():
            if place not in places:
                self._troubles.fault(*at, f"{place} is a centre here, and no line tells its terrain")
        links = self._links(places)
        for one in (one for one in self._reader.ground.values() if one.terrain == SHUT):
            self._troubles.note(*one.at, (f"{one.written.upper()} is shut: nobody enters it, and it is left "
                                          f"out"))
        places = self._without_shore(places, links)
        won = self._reader.victory or len({place for place, one in places.items() if one.centre}) // 2 + 1
        return BoardDraft(
            title=self._path.stem.replace("_", " ").title(), origin=self._path.name, places=places,
            links=links,
            seats=tuple(_seat(power) for power in powers),
            units=tuple((power.id, kind, place) for power in powers for kind, place, at in power.units
                        if self._stands(place, at, places)),
            owned=tuple((power.id, place) for power in powers
                        for place in (power.homes if power.owns is None else power.owns) if place in places),
            names=tuple(self._names(places)), start=self._reader.start or ("Spring", 1901, "movement"),
            victory=won)

    def _powers(self) -> list[PowerLine]:
        """The powers; what is none for certain is an unknown directive."""
        found = []
        for power in self._reader.powers.values():
            strange = [place for place in power.homes if place.partition("/")[0] not in self._base]
            if not power.homes and not power.units and power.owns is None:
                self._troubles.fault(*power.at, (f"{power.id} is no directive known here, and no power with "
                                                 f"a centre or a unit"))
            elif (strange and len(strange) == len(power.homes)) or "ABUTS" in power.homes:
                self._troubles.fault(*power.at, (f"{power.id} is no directive known here, and no power: "
                                                 f"{strange[0]} is no place"))
                continue
            found.append(power)
        return found

    def _homes(self, powers: list[PowerLine]) -> dict[str, str]:
        found: dict[str, str] = {}
        for power in powers:
            for place, at in power.homes.items():
                other = found.setdefault(place, power.id)
                if other != power.id:
                    self._troubles.fault(*at, (f"{place} is a home of {other} already; a centre is the home "
                                               f"of one power"))
        return found

    def _place(self, place: str, one: TerrainLine, centre: bool, home: str) -> DraftProvince:
        named = self._reader.names.get(place)
        if named is None:
            self._troubles.fault(*one.at, (f"{place} has terrain and no name; add a line such as: Somewhere "
                                           f"= {place.lower()}"))
        if one.terrain == "PORT":
            self._troubles.note(*one.at, (f"{place} is a port whose fleets carry armies; here fleets carry "
                                          f"at sea only"))
        if one.written.islower() and place not in self._coasts:
            self._troubles.note(*one.at, f"{place} is written in small letters, so no fleet may stand there")
        return DraftProvince(
            place,
            named[0] if named else place,
            _TERRAIN[one.terrain],
            tuple(self._coasts.get(place, ())),
            centre,
            home,
            one.at,
        )

    def _without_shore(
        self, places: dict[str, DraftProvince], links: dict[Link, SourceLine]
    ) -> dict[str, DraftProvince]:
        """A place that is called a coast and that no fleet reaches is inland here."""
        reached = {end.partition("/")[0] for link in links if link.afloat for end in (link.a, link.b)}
        found = {}
        for place, one in places.items():
            dry = one.terrain is Terrain.COASTAL and place not in reached
            if dry:
                self._troubles.note(*one.at, (f"{place} is a coast that no fleet reaches, and is written "
                                              f"down as inland"))
            found[place] = replace(one, terrain=Terrain.INLAND) if dry else one
        return found

    def _check_coasts(self) -> None:
        for place, coasts in self._coasts.items():
            first = self._ground[f"{place}/{coasts[0]}"]
            if place not in self._base:
                self._troubles.fault(*first.at, f"{place} has coasts and no line of its own")
            for coast in coasts:
                if coast not in COASTS:
                    self._troubles.fault(*first.at, (f"{coast} is no coast known here; known are "
                                                     f"{', '.join(COASTS)}"))

    def _links(self, places: dict[str, DraftProvince]) -> dict[Link, SourceLine]:
        found: dict[Link, SourceLine] = {}
        for one in self._reader.ground.values():
            here = one.written.upper()
            if here in self._shut:
                continue
            seen: set[str] = set()
            for abut in one.abuts:
                there = abut.upper()
                place = there.partition("/")[0]
                if place in self._shut:
                    continue
                if place not in places:
                    self._troubles.fault(*one.at, f"{here} abuts {there}, and no line tells its terrain")
                elif "/" in there and there not in self._ground:
                    self._troubles.fault(*one.at, f"{here} abuts {there}, and {place} has no such coast")
                elif place == here.partition("/")[0]:
                    self._troubles.fault(*one.at, f"{here} abuts itself")
                elif there in seen:
                    self._troubles.fault(*one.at, f"{here} abuts {there} twice")
                else:
                    self._link(one, abut, places, found)
                seen.add(there)
        return found

    def _link(
        self, one: TerrainLine, abut: str, places: dict[str, DraftProvince], found: dict[Link, SourceLine]
    ) -> None:
        here, there = one.written.upper(), abut.upper()
        a, b = places.get(here.partition("/")[0]), places[there.partition("/")[0]]
        if a is None:
            return
        seas = Terrain.SEA in {a.terrain, b.terrain}
        if "/" not in here and not seas and not (abut[:1].isupper() and abut[1:3].islower()):
            found.setdefault(Link(a.id, b.id, afloat=False), one.at)
        afloat = one.written == here and abut[:1] == there[:1]
        floats = afloat and Terrain.INLAND not in {a.terrain, b.terrain}
        if not floats or ("/" not in here and a.coasts):
            return
        if "/" not in there and b.coasts:
            self._troubles.fault(*one.at, (f"{here} abuts {there}, which has coasts; write those that a "
                                           f"fleet reaches, or {there.lower()}"))
        else:
            found.setdefault(Link(here, there, afloat=True), one.at)

    def _stands(self, place: str, at: SourceLine, places: dict[str, DraftProvince]) -> bool:
        base, _, coast = place.partition("/")
        if base not in places:
            self._troubles.fault(*at, f"a unit stands in {place}, and no line tells its terrain")
        elif coast and coast not in places[base].coasts:
            self._troubles.fault(*at, f"a unit stands in {place}, and {base} has no such coast")
        else:
            return True
        return False

    def _names(self, places: dict[str, DraftProvince]) -> list[DraftName]:
        found = []
        for place, (name, aliases, at) in self._reader.names.items():
            base, _, coast = place.partition("/")
            if base in self._shut:
                continue
            if base not in places:
                self._troubles.fault(*at, f"{name} ({place}) has a name and no terrain")
                continue
            found += [_alias(alias, base, coast, at) for alias in aliases]
        return found


def _alias(written: str, base: str, coast: str, at: SourceLine) -> DraftName:
    """One more spelling: + is a blank, ? at the end says that it may be another place's. A coast that is said
    in the usual way ("spn/nc") leaves the spelling of its province, for coasts are read wherever a province
    is."""
    text = written.rstrip("?").replace("+", " ")
    parts = _COAST_WORD.fullmatch(text)
    usual = parts is not None and (parts["slash"] or parts["bracket"]).strip().upper() in {
        coast,
        COASTS.get(coast, "").upper(),
    }
    region = f"{base}/{coast}" if coast and not usual else base
    return DraftName(parts["base"] if parts and usual else text, region, written.endswith("?"), at)


def _seat(power: PowerLine) -> DraftPower:
    """A power with its name as it is printed: underscores in front not shown, + before a large letter."""
    adjective = power.adjective.replace("+", " ").strip().title()
    name = "".join(part.title() for part in power.id.lstrip("_").split("+"))
    return DraftPower(
        power.id,
        name,
        (adjective,) if adjective and adjective != name else (),
        power.letter.strip().upper()[:1],
    )
