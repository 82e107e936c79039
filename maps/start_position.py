"""`setup.csv` and `names.csv`: who starts where, and every spelling."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from adjudicator.geo import SEA, Board, Province, Region
from adjudicator.units import Unit, UnitKind
from maps.faults import Faults
from maps.files import CsvRow, read_table
from maps.names import normalize
from maps.provinces import region_at
from maps.variant import NameRow, Spelling
from maps.variant_file import VariantFile

SETUP = "setup.csv"
NAMES = "names.csv"
CENTRE = "centre"


class Setup:
    """Units and centres at the start, gathered row by row."""

    def __init__(self, board: Board, heading: VariantFile, faults: Faults) -> None:
        self._board = board
        self._heading = heading
        self._faults = faults
        self._owner: dict[str, str] = {}
        self._units: dict[str, Unit] = {}

    @property
    def units(self) -> frozenset[Unit]:
        """Every unit of the opening position."""
        return frozenset(self._units.values())

    @property
    def centres(self) -> dict[str, frozenset[str]]:
        """Owner to the centres it starts with; a power without any has an empty set."""
        owned: dict[str, set[str]] = {power: set() for power in self._heading.powers}
        for centre, power in self._owner.items():
            owned[power].add(centre)
        return {power: frozenset(centres) for power, centres in owned.items()}

    def read(self, folder: Path) -> None:
        """Take in the table; every row that is impossible is a fault."""
        for row in read_table(folder, SETUP, ("power", "unit", "region"), (), self._faults):
            if row["power"] not in self._heading.powers:
                self._fault(row, f"{row['power']!r} is not a power of this game")
            elif row["unit"] == CENTRE:
                self._centre(row)
            elif row["unit"] in self._heading.kinds:
                self._unit(row, self._heading.kinds[row["unit"]])
            else:
                known = ", ".join((*self._heading.kinds, CENTRE))
                self._fault(row, f"{row['unit']!r} is not a kind of unit; known are {known}")

    def _centre(self, row: CsvRow) -> None:
        province = self._board.provinces.get(row["region"])
        if province is None:
            self._fault(row, f"{row['region']!r} is not a province of this board")
        elif not province.centre:
            self._fault(row, f"{province.id} is not a supply centre")
        elif province.id in self._owner:
            self._fault(row, f"{province.id} belongs to {self._owner[province.id]} already")
        else:
            self._owner[province.id] = row["power"]

    def _unit(self, row: CsvRow, kind: UnitKind) -> None:
        afloat = SEA in kind.moves
        region = region_at(row["region"], self._board.provinces, afloat, SETUP, row.number, self._faults)
        if region is None:
            return
        # By links, not by terrain: an army may begin on an island that nothing borders by land
        # (`build_board`).
        if not any(region in self._board.links.get(movement, {}) for movement in kind.moves):
            terrain = self._board.provinces[region.province].terrain.value
            self._fault(row, f"a unit of kind {kind.name} cannot be in {region}, which is {terrain}")
        elif region.province in self._units:
            self._fault(row, f"{region.province} holds {self._units[region.province]} already")
        else:
            self._units[region.province] = Unit(row["power"], kind.letter, region)

    def _fault(self, row: CsvRow, message: str) -> None:
        self._faults.add(SETUP, row.number, message)


def read_names(folder: Path, provinces: Mapping[str, Province], faults: Faults) -> tuple[NameRow, ...]:
    """Every spelling: names and abbreviations of the provinces, then the rows of `names.csv`.

    Two regions may share a spelling only where `names.csv` marks it ambiguous (Q-44).
    """
    spellings: dict[tuple[str, Region], NameRow] = {}
    lines: dict[tuple[str, Region], int] = {}
    for province in provinces.values():
        _spell(spellings, province.name, Region(province.id), Spelling.NAME)
        _spell(spellings, province.id, Region(province.id), Spelling.ABBREVIATION)
        _spell(spellings, province.abbr, Region(province.id), Spelling.ABBREVIATION)
    ambiguous: dict[str, int] = {}
    for row in read_table(folder, NAMES, ("text", "region", "spelling"), ("ambiguous",), faults):
        region = _named(row, provinces, faults)
        if region is None:
            continue
        key = (row["text"].casefold(), region)
        if key in lines:
            faults.add(NAMES, row.number, f"{row['text']!r} for {region} is in row {lines[key]} already")
        lines[key] = row.number
        _spell(spellings, row["text"], region, Spelling(row["spelling"]))
        if row["ambiguous"] == "yes":
            ambiguous.setdefault(normalize(row["text"]), row.number)
        elif row["ambiguous"]:
            faults.add(NAMES, row.number, f"ambiguous is {row['ambiguous']!r}; write yes or nothing")
    _check_clashes(spellings.values(), lines, ambiguous, faults)
    # One marked row makes every row of that spelling ambiguous, so a table need mark it only once.
    return tuple(replace(name, ambiguous=normalize(name.text) in ambiguous) for name in spellings.values())


def _spell(
    spellings: dict[tuple[str, Region], NameRow], text: str, region: Region, spelling: Spelling
) -> None:
    if text:
        spellings.setdefault((text.casefold(), region), NameRow(text, region, spelling))


def _named(row: CsvRow, provinces: Mapping[str, Province], faults: Faults) -> Region | None:
    if not normalize(row["text"]):
        faults.add(NAMES, row.number, f"{row['text']!r} holds no letter or figure")
        return None
    if row["spelling"] not in set(Spelling):
        faults.add(NAMES, row.number, (f"the spelling {row['spelling']!r} is not known; known are "
                                       f"{', '.join(Spelling)}"))
        return None
    # A name may mean a province as a whole, so a coast is only checked where one is written.
    afloat = "/" in row["region"]
    return region_at(row["region"], provinces, afloat, NAMES, row.number, faults)


def _check_clashes(
    names: Iterable[NameRow],
    lines: Mapping[tuple[str, Region], int],
    ambiguous: Mapping[str, int],
    faults: Faults,
) -> None:
    regions: defaultdict[str, dict[Region, int]] = defaultdict(dict)
    for name in names:
        line = lines.get((name.text.casefold(), name.region), 0)
        regions[normalize(name.text)].setdefault(name.region, line)
    for text, rows in regions.items():
        row = max(rows.values())
        if len(rows) > 1 and text not in ambiguous:
            listed = " and ".join(str(region) for region in rows)
            faults.add(NAMES, row, f"{text!r} means {listed}; mark it ambiguous or choose another spelling")
        # A mark left over from a row that was deleted would keep a clear name from being read.
        elif len(rows) == 1 and text in ambiguous:
            faults.add(NAMES, ambiguous[text], f"{text!r} is marked ambiguous and means one region only")
