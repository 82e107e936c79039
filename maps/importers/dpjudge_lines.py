"""The lines of DPjudge's map files, directive by directive; `dpjudge.py` makes a board of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from maps.importers.draft import PHASES, SEASONS, ImportReport, SourceLine
from maps.importers.source import SourceFiles, file_lines

SHUT = "SHUT"
_NEUTRAL = ("UNOWNED", "NEUTRAL")
_ABBREVIATION = re.compile(r"[A-Z0-9]{3}(/[A-Z]{2})?")


@dataclass(slots=True)
class TerrainLine:
    """One terrain line: the directive, the place as written, and what it abuts, as written."""

    terrain: str
    written: str
    abuts: list[str]
    source: SourceLine


@dataclass(slots=True)
class PowerLine:
    """A power as it grows: homes, what it owns where that is stated apart, units as kind, place and line."""

    id: str
    source: SourceLine
    adjective: str = ""
    letter: str = ""
    homes: dict[str, SourceLine] = field(default_factory=dict)
    owns: dict[str, SourceLine] | None = None
    units: list[tuple[str, str, SourceLine]] = field(default_factory=list)


class DpjudgeReader:
    """Reads line by line; of two lines on one thing the last counts."""

    def __init__(self, files: SourceFiles, report: ImportReport) -> None:
        self._files = files
        self._report = report
        self._used_files: set[str] = set()
        self._current: PowerLine | None = None
        self.ground: dict[str, TerrainLine] = {}
        self.names: dict[str, tuple[str, list[str], SourceLine]] = {}
        self.powers: dict[str, PowerLine] = {}
        self.neutral: dict[str, SourceLine] = {}
        self.start: tuple[str, int, str] | None = None
        self.victory = 0
        self._table: dict[str, Callable[[list[str], SourceLine], None]] = {
            **dict.fromkeys(("WATER", "COAST", "PORT", "LAND", SHUT, "AMEND"), self._terrain),
            **dict.fromkeys(("USE", "USES", "MAP"), self._use),
            **dict.fromkeys(("OWNS", "CENTERS"), self._owns),
            **dict.fromkeys(("INHABITS", "HOME", "HOMES"), self._inhabits),
            **dict.fromkeys(("A", "F"), self._unit),
            **dict.fromkeys(("DUMMY", "DUMMIES", "RULE", "RULES"), self._behaviour),
            "BEGIN": self._begin, "VICTORY": self._victory, "UNITS": self._units, "DROP": self._drop,
            "UNPLAYED": self._unplayed,
        }

    def file(self, name: str) -> bool:
        """Read one file; False when it cannot be read as text."""
        # Noted before its lines are read: a file that uses itself is a fault, not an endless loop.
        self._used_files.add(name)
        source_lines = file_lines(self._files, name, self._report)
        if source_lines is None:
            return False
        for number, line in enumerate(source_lines, start=1):
            words = line.split()
            if words and not words[0].startswith("#"):
                self._line(line, words, (name, number))
        return True

    def _line(self, line: str, words: list[str], position: SourceLine) -> None:
        directive = words[0].upper()
        # Before any power CENTERS lists those that no one owns.
        if directive == "CENTERS" and self._current is None:
            directive = "UNOWNED"
        # Names first: "A + B = ab" would otherwise begin a power called A.
        if "=" in line:
            self._name(line, position)
        elif directive in self._table:
            self._table[directive](words, position)
        else:
            # A first word that is not a directive begins a power; `dpjudge.py` finds out which of them are
            # none.
            self._power(directive, line, position)

    def _fault(self, position: SourceLine, message: str) -> None:
        self._report.fault(*position, message)

    def _name(self, line: str, position: SourceLine) -> None:
        name, _, rest = line.partition("=")
        words = rest.split()
        if not words or not name.strip():
            return self._fault(position, "a place needs a name, then = and its abbreviation")
        place = words[0].upper()
        if not _ABBREVIATION.fullmatch(place):
            return self._fault(position, (f"{words[0]!r} is no abbreviation: three letters or figures, and "
                                          "/NC or such for a coast"))
        if place in self.names:
            return self._fault(position, (f"the abbreviation {place} belongs to {self.names[place][0]} "
                                          f"already ({line_reference(self.names[place][2])})"))
        # A plus is a blank, as in the spellings: "Washington D+C". In an order line it would begin a build.
        self.names[place] = (" ".join(name.replace("+", " ").split()), words[1:], position)
        return None

    def _terrain(self, words: list[str], position: SourceLine) -> None:
        if len(words) < 2:
            return self._fault(position, f"{words[0]} needs the abbreviation of a place")
        place, directive = words[1], words[0].upper()
        if len(words) > 2 and words[2].upper() != "ABUTS":
            return self._fault(position, f"after {words[0]} {place} comes ABUTS, not {words[2]!r}")
        # Popped and put back, so that the order of places is that of the lines that count.
        known = self.ground.pop(place, None) or self._other_case(place)
        if directive == "AMEND" and known is None:
            return self._fault(position, f"AMEND {place}: no line before has this place")
        # AMEND changes the list it finds; any other directive with its own list replaces it.
        abuts = list(known.abuts) if known and (directive == "AMEND" or len(words) <= 3) else []
        for word in words[3:]:
            # "-XYZ" takes a neighbour away again.
            if word.startswith("-"):
                abuts = [abut for abut in abuts if not abut.upper().startswith(word[1:].upper())]
            else:
                abuts.append(word)
        terrain = known.terrain if known and directive == "AMEND" else directive
        self.ground[place] = TerrainLine(terrain, place, abuts, position)
        return None

    def _other_case(self, place: str) -> TerrainLine | None:
        """The line of the same place in other letters, which the new one replaces, and its coasts with it."""
        # "spa" and "SPA" are one place; its letters' case shows who may enter it.
        known = self.ground.pop(place.swapcase(), None)
        if known is not None and place.isupper():
            for coast in [name for name in self.ground if name.startswith(f"{place}/")]:
                del self.ground[coast]
        return known

    def _use(self, words: list[str], position: SourceLine) -> None:
        for word in words[1:]:
            name = word if "." in word else f"{word}.map"
            if "/" in name or "\\" in name or name.startswith("."):
                self._fault(position, f"{word!r} is not the plain name of a file in the same folder")
            elif name in self._used_files:
                self._fault(position, f"{name} is used already")
            elif name not in self._files:
                self._fault(position, (f"uses {name}, which is not in the same folder; put both into one "
                                       "folder"))
            else:
                self.file(name)

    def _begin(self, words: list[str], position: SourceLine) -> None:
        match [word.upper() for word in words[1:]]:
            case [season, year, phase] if season in SEASONS and year.isdecimal() and phase in PHASES:
                self.start = (SEASONS[season], int(year), PHASES[phase])
            case _:
                self._fault(position, ("BEGIN needs a season, a year and a phase, as in BEGIN SPRING 1901 "
                                       "MOVEMENT"))

    def _victory(self, words: list[str], position: SourceLine) -> None:
        if len(words) < 2 or not all(word.isdecimal() for word in words[1:]):
            return self._fault(position, "VICTORY needs a number of centres")
        if len(words) > 2:
            # VICTORY 18 17 16 is a number for each year in turn; our boards have one number.
            self._report.note(*position, "the number that wins changes over the years; the last is taken")
        self.victory = int(words[-1])
        return None

    def _power(self, word: str, line: str, position: SourceLine) -> None:
        rest = line.split(maxsplit=1)[1:]
        brackets = re.match(r"\s*\(([^()]*)\)", rest[0]) if rest else None
        centres = (rest[0][brackets.end():] if brackets else rest[0]).upper().split() if rest else []
        if word in _NEUTRAL:
            self._current = None
            for centre in centres:
                if centre.startswith("-"):
                    self.neutral.pop(centre[1:], None)
                else:
                    self.neutral[centre] = position
            return
        if word == "CENTERS":
            return
        power = self.powers.setdefault(word, PowerLine(word, position))
        self._current = power
        if brackets:
            power.adjective, _, power.letter = brackets[1].strip().partition(":")
        self._add_homes(power, centres, position)

    def _add_homes(self, power: PowerLine, centres: list[str], position: SourceLine) -> None:
        for centre in centres:
            if centre.startswith("-"):
                power.homes.pop(centre[1:], None)
                self.neutral[centre[1:]] = position
            else:
                power.homes[centre] = position

    def _owner(self, words: list[str], position: SourceLine) -> PowerLine | None:
        if self._current is None:
            self._fault(position, f"{words[0]} comes before any power")
        return self._current

    def _owns(self, words: list[str], position: SourceLine) -> None:
        if (power := self._owner(words, position)) is not None:
            # CENTERS begins the list of what a power owns, OWNS adds to it.
            if power.owns is None or words[0].upper() == "CENTERS":
                power.owns = {}
            power.owns |= dict.fromkeys((word.upper() for word in words[1:]), position)

    def _inhabits(self, words: list[str], position: SourceLine) -> None:
        if (power := self._owner(words, position)) is not None:
            # INHABITS replaces the homes on the power's own line.
            power.homes = {}
            self._add_homes(power, [word.upper() for word in words[1:]], position)

    def _unit(self, words: list[str], position: SourceLine) -> None:
        if (power := self._owner(words, position)) is None:
            return None
        if len(words) != 2:
            return self._fault(position, (f"a unit is {words[0].upper()} and a place, as in "
                                          f"{words[0].upper()} VIE"))
        place = words[1].upper()
        for other in self.powers.values():
            # A unit line takes the place from anyone who was there: a file that uses another one may set its
            # pieces again.
            other.units = [
                unit for unit in other.units if unit[1].partition("/")[0] != place.partition("/")[0]
            ]
        power.units.append((words[0].upper(), place, position))
        return None

    def _units(self, words: list[str], position: SourceLine) -> None:
        if (power := self._owner(words, position)) is not None:
            power.units = []

    def _drop(self, words: list[str], _position: SourceLine) -> None:
        for word in words[1:]:
            place = word.upper()
            self.ground = {
                name: entry for name, entry in self.ground.items() if not name.upper().startswith(place)
            }
            self.names = {name: entry for name, entry in self.names.items() if not name.startswith(place)}
            for entry in self.ground.values():
                entry.abuts = [abut for abut in entry.abuts if not abut.upper().startswith(place)]
            self.neutral.pop(place, None)

    def _unplayed(self, words: list[str], position: SourceLine) -> None:
        listed = [word.strip(",").upper() for word in words[1:]]
        match listed:
            case []:
                unplayed = [self._current.id] if self._current else []
            case ["ALL"]:
                unplayed = list(self.powers)
            case ["ALL", "EXCEPT", *played] if played:
                unplayed = [power for power in self.powers if power not in played]
            case _:
                unplayed = listed
        for power in unplayed:
            if self.powers.pop(power, None) is None:
                self._fault(position, f"{power} is not a power of this file")
        self._current = None

    def _behaviour(self, words: list[str], position: SourceLine) -> None:
        self._report.note(*position, (f"{' '.join(words)}: how a game is run is not part of a board, and is "
                                      "left out"))


def line_reference(position: SourceLine) -> str:
    """A source line as part of a sentence."""
    return f"{position[0]}, line {position[1]}"
