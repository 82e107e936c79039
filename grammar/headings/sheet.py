"""The heading written on a sheet: the lines before the orders, as read from ink (HEAD-01 to HEAD-03)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudicator.calendar import PhaseKind
from grammar.headings.dates import PhaseFields, find_phase, is_year
from grammar.headings.names import (
    GameList,
    HeadingNames,
    exact_spans,
    heading_names,
    plausible_names,
    ranked_names,
)
from grammar.headings.outside import outside
from grammar.headings.tokens import FILLERS, Token, clean_line, tokens, word_runs
from grammar.headings.values import Heading, KnownGame
from grammar.headings.versions import VersionSpan, find_version
from grammar.order_starts import DEFAULT_STARTS

MAX_HEADING_LINES = 12
"""Lines from the top among which a heading is looked for."""
_MIN_LIKENESS = 0.65
"""Least likeness, 0..1, of a name on paper; a reader of ink errs more than a keyboard."""
_LIKE_YEAR = re.compile(r"\b[0-9lIiOoSsBGZz|]{3,4}\b")
_LIKE_ONE = re.compile(r"\b(v|V|ver|Ver|version|Version)([. ]?\s*)[lI|]\b")
_DIGITS = str.maketrans("lIiOoSsBGZz|", "111005586221")
_MAX_YEARS_APART = 9
"""Years between subject and sheet beyond which a digit was misread: no one writes orders for another
decade."""
_MANY_DOUBTS = 2
"""Fields of a heading, read dimly, that together hold a sheet. Set by hand: one is as often a slip of the
reader."""
_FINAL = re.compile(r"\b(?:final|last|definitive)(?:\s+(?:version|orders?|word))?\b", re.IGNORECASE)
_PARTIAL = re.compile(
    r"\b(?:only\s+changes?|changes?\s+only|as\s+before|amendments?|otherwise\s+as)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SheetHeading:
    """The fields at the top of a sheet; None where nothing was found. Names are canonical.

    `version`: an explicit "version 3". `replaces`: the number in "replaces v1". `is_final`: the sheet calls
    itself final, or names several versions. `is_partial`: it lists only changes (Q-09). `lines`: the indices
    of the lines that belong to the heading. `unsure`: names of the fields that were corrected, or read from
    unclear digits.
    """

    game: str | None = None
    power: str | None = None
    season: str | None = None
    year: int | None = None
    kind: PhaseKind | None = None
    version: int | None = None
    replaces: int | None = None
    is_final: bool = False
    is_partial: bool = False
    lines: tuple[int, ...] = ()
    unsure: frozenset[str] = frozenset()

    @property
    def requested_version(self) -> int | None:
        """The version number the sheet itself requests (VER-02): its own, or one above the one it
        replaces."""
        if self.version is not None:
            return self.version
        return None if self.replaces is None else self.replaces + 1


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One field in which subject and sheet differ. `is_certain`: the sheet shows the field clearly."""

    field: str
    subject: str
    sheet: str
    is_certain: bool


def parse_sheet_heading(lines: Sequence[str], games: Sequence[KnownGame]) -> SheetHeading:
    """Read the heading from the first lines of a sheet, top first, ending at the first line that is an order.

    Every field is optional (POST-08); the sender's real name and other words are skipped. Never raises.
    """
    known = heading_names(games, games)
    heading, parts = SheetHeading(), list[_Part]()
    for index, line in enumerate(lines[:MAX_HEADING_LINES]):
        if begins_order(line, games):
            break
        extended, part = _read_line(clean_line(line), known, heading)
        parts.append(part)
        if extended != heading:
            heading = replace(extended, lines=(*heading.lines, index))
    return _joined(heading, parts)


@dataclass(frozen=True, slots=True)
class _Part:
    """The words of one line about the phase and the version. `read`: the line as read, before letters
    became digits."""

    read: str
    phase: PhaseFields
    version: VersionSpan | None

    @property
    def weight(self) -> int:
        """How many of season, year, kind and version are together here."""
        version = None if self.version is None else self.version.requested
        fields = (self.phase.season, self.phase.year, self.phase.kind, version)
        return sum(value is not None for value in fields)


def _joined(heading: SheetHeading, parts: Sequence[_Part]) -> SheetHeading:
    """The heading with season, year, kind and version from where most of them stand together; what that line
    leaves out, from the next such one. Of lines with as many, the first counts."""
    fields = {"season", "year", "kind", "version"}
    heading = replace(
        heading, season=None, year=None, kind=None, version=None, unsure=heading.unsure - fields)
    for part in sorted(parts, key=lambda part: -part.weight):
        heading = _with_part(heading, part)
    return heading


def _with_part(heading: SheetHeading, part: _Part) -> SheetHeading:
    phase = part.phase
    if part.version is not None and heading.version is None:
        heading = replace(heading, version=part.version.number)
    heading = _with_field(heading, "season", phase.season, unsure=phase.season_corrected)
    # A year that is not in the line as read had letters for digits.
    heading = _with_field(heading, "year", phase.year, unsure=not re.search(rf"\b{phase.year}\b", part.read))
    return _with_field(heading, "kind", phase.kind, unsure=phase.kind_corrected)


def begins_order(line: str, games: Sequence[KnownGame]) -> bool:
    """True if a line begins as an order of one of these games; without games, as one for an army or fleet."""
    all_starts = games.starts if isinstance(games, GameList) else {game.starts for game in games}
    all_starts = all_starts or {DEFAULT_STARTS}
    return any(starts.looks_like_order(line) for starts in all_starts)


def _with_digits(line: str) -> str:
    """A line with letters turned into the digits they were read from, where digits must be."""
    def year(match: re.Match[str]) -> str:
        text = match.group()
        # Two real digits at least: "Boss" is made of letters that look like digits.
        return text.translate(_DIGITS) if sum(c.isdigit() for c in text) >= 2 else text

    return _LIKE_YEAR.sub(year, _LIKE_ONE.sub(r"\g<1>\g<2>1", line))


def _read_line(read: str, known: HeadingNames, heading: SheetHeading) -> tuple[SheetHeading, _Part]:
    """The heading with what one more line adds to it, and what the line states about phase and version."""
    line = _with_digits(read)
    words = tokens(line)
    beside = outside(line, words, {season.casefold() for season in known.seasons})
    game_spans = () if _is_settled(heading, "game") else exact_spans(words, known.games)
    power_spans = () if _is_settled(heading, "power") else exact_spans(words, known.powers)
    # A game may be named for a power.
    power_spans = tuple(span for span in power_spans if not any(span.overlaps(game) for game in game_spans))
    used = beside | {index for span in (*game_spans, *power_spans) for index in span.indices}
    version = find_version(line, words, used)
    heading = _with_instructions(line, heading, version)
    if version is not None:
        used |= set(range(version.first, version.last))
    part = _Part(read, find_phase(line, words, known.seasons, used), version)
    heading = _with_part(heading, part)
    # "Manchester M1 2AB" and "Montrose, 21st June" are where a letter comes from.
    if beside and not game_spans and not part.weight:
        return heading, part
    for field, spans in (("game", game_spans), ("power", power_spans)):
        if len({span.name for span in spans}) == 1:
            heading = _with_field(heading, field, spans[0].name)
    return _with_misspelt_names(words, used | part.phase.indices, known, heading), part


def _is_settled(heading: SheetHeading, field: str) -> bool:
    return getattr(heading, field) is not None and field not in heading.unsure


def _with_field(heading: SheetHeading, field: str, value: Any, *, unsure: bool = False) -> SheetHeading:
    """The heading with a field filled in: what is clearly written outranks a correction, else the first
    counts."""
    if value is None or _is_settled(heading, field) or (unsure and getattr(heading, field) is not None):
        return heading
    doubts = heading.unsure | {field} if unsure else heading.unsure - {field}
    changes: dict[str, Any] = {field: value, "unsure": doubts}
    return replace(heading, **changes)


def _with_instructions(line: str, heading: SheetHeading, version: VersionSpan | None) -> SheetHeading:
    """The heading with the version instructions except the number."""
    if version is not None and version.replaces is not None and heading.replaces is None:
        heading = replace(heading, replaces=version.replaces)
    if _FINAL.search(line) or (version is not None and version.requested is None):
        heading = replace(heading, is_final=True)
    return replace(heading, is_partial=True) if _PARTIAL.search(line) else heading


def _with_misspelt_names(words: Sequence[Token], used: frozenset[int], known: HeadingNames,
                         heading: SheetHeading) -> SheetHeading:
    """The heading with names misread or misspelt: each run of words compared with what is still missing."""
    for run in word_runs(words, used):
        texts = [words[index].text for index in run if words[index].text not in FILLERS]
        best: tuple[float, str, str] | None = None
        for field, table in (("game", known.games), ("power", known.powers)):
            if getattr(heading, field) is not None:
                continue
            scores = ranked_names(texts, table)
            names = plausible_names(scores, _MIN_LIKENESS)
            # One run of words fills one field, the one that it is most like.
            if len(names) == 1 and (best is None or scores[0][0] > best[0]):
                best = (scores[0][0], field, names[0])
        if best is not None:
            heading = _with_field(heading, best[1], best[2], unsure=True)
    return heading


def disagreements(subject: Heading, sheet: SheetHeading) -> tuple[Disagreement, ...]:
    """The fields in which subject and sheet differ; such a submission is held (HEAD-03, Q-07).

    A field that one of them lacks is not a disagreement. The version is not compared: an instruction on the
    sheet outranks the subject's number (VER-02).
    """
    fields = ("game", "power", "season", "year", "kind")
    pairs = [(field, getattr(subject, field), getattr(sheet, field)) for field in fields]
    return tuple(
        Disagreement(field, str(expected), str(written),
                     is_certain=field not in sheet.unsure and not _is_misread_year(field, expected, written))
        for field, expected, written in pairs
        if expected is not None and written is not None and expected != written
        and not (field == "year" and is_year(int(str(written)), int(str(expected)))))


def points_away(subject: Heading, sheet: SheetHeading) -> frozenset[str]:
    """The fields that speak against a sheet being for what its subject states; empty if they do not hold it.

    One field that the sheet shows clearly is enough, or `_MANY_DOUBTS` that it shows dimly: a sheet headed
    for another power, season and year once counted, since each of the three was unsure by itself. A year of
    another decade is a misread digit and no doubt.
    """
    differing = disagreements(subject, sheet)
    certain = [field.field for field in differing if field.is_certain]
    doubts = [field.field for field in differing
              if not _is_misread_year(field.field, field.subject, field.sheet)]
    return frozenset(doubts) if certain or len(doubts) >= _MANY_DOUBTS else frozenset()


def _is_misread_year(field: str, expected: object, written: object) -> bool:
    """True if two years are too far apart for one game: 1642 in the subject, 1612 as read."""
    return field == "year" and abs(int(str(expected)) - int(str(written))) > _MAX_YEARS_APART
