"""The heading written on a sheet: the first lines before the orders, as the eye read them (HEAD-01 to
HEAD-03)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudicator.calendar import PhaseKind
from grammar.headings.dates import VersionSpan, find_phase, find_version
from grammar.headings.names import Spellings, exact_spans, plausible_names, ranked_names, spellings
from grammar.headings.tokens import FILLERS, Token, clean_line, tokens
from grammar.headings.values import Heading, KnownGame
from grammar.order_starts import DEFAULT_STARTS

MAX_HEADING_LINES = 12
"""Lines from the top among which a heading is looked for."""
_CLEAR = 0.65
"""Least likeness of a name on paper; the eye errs more than a keyboard."""
_LIKE_YEAR = re.compile(r"\b[0-9lIiOoSsBGZz|]{3,4}\b")
_LIKE_ONE = re.compile(r"\b(v|V|ver|Ver|version|Version)([. ]?\s*)[lI|]\b")
_DIGITS = str.maketrans("lIiOoSsBGZz|", "111005586221")
_FAR = 9
"""Years between subject and sheet beyond which a digit was misread: nobody writes orders for another
decade."""
_REPLACES = re.compile(
    (r"\b(?:replaces?|replacing|supersed\w*|instead of|in place "
     r"of|cancels?|not)\W+(?:my\W+)?(?:v|ver|version)\W*(\d{1,4})\b"),
    re.IGNORECASE,
)
_FINAL = re.compile(r"\b(?:final|last|definitive)(?:\s+(?:version|orders?|word))?\b", re.IGNORECASE)
_PARTIAL = re.compile(
    r"\b(?:only\s+changes?|changes?\s+only|as\s+before|amendments?|otherwise\s+as)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class SheetHeading:
    """What the top of a sheet says; None where nothing was found.

    Names are canonical. `version`: an explicit "version 3"; `replaces`: the number in "replaces v1"; `final`:
    the sheet calls itself final; `partial`: it says that only changes are listed (Q-09). `lines`: the numbers
    of the lines that belong to the heading, from 0. `unsure`: fields that were mended, or read from shaky
    digits.
    """

    game: str | None = None
    power: str | None = None
    season: str | None = None
    year: int | None = None
    kind: PhaseKind | None = None
    version: int | None = None
    replaces: int | None = None
    final: bool = False
    partial: bool = False
    lines: tuple[int, ...] = ()
    unsure: frozenset[str] = frozenset()

    @property
    def wanted(self) -> int | None:
        """The version number the sheet itself asks for (VER-02): its own, or one above the one it
        replaces."""
        if self.version is not None:
            return self.version
        return None if self.replaces is None else self.replaces + 1


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One field in which subject and sheet differ. `sure`: the sheet says so in plain letters."""

    field: str
    subject: str
    sheet: str
    sure: bool


@dataclass(frozen=True, slots=True)
class _Book:
    games: Spellings
    powers: Spellings
    seasons: tuple[str, ...]


def parse_sheet_heading(lines: Sequence[str], games: Sequence[KnownGame]) -> SheetHeading:
    """Read the heading from the first lines of a sheet, top first, ending at the first line that is an order.

    Every field is optional (POST-08); the sender's real name and other words are passed over. Never raises.
    """
    book = _Book(
        games=spellings((game.name, game.aliases) for game in games),
        powers=spellings((power.name, power.aliases) for game in games for power in game.powers),
        seasons=tuple(dict.fromkeys(season for game in games for season in game.seasons)),
    )
    found = SheetHeading()
    for number, line in enumerate(lines[:MAX_HEADING_LINES]):
        if begins_order(line, games):
            break
        more = _line(clean_line(line), book, found)
        if more != found:
            found = replace(more, lines=(*found.lines, number))
    return found


def begins_order(line: str, games: Sequence[KnownGame]) -> bool:
    """Whether a line begins as an order of one of these games does; without any, as armies' and fleets'
    do."""
    return any(signs.looks_like_order(line) for signs in {game.signs for game in games} or {DEFAULT_STARTS})


def _straight(line: str) -> str:
    """A line with the letters the eye takes for digits put right, where digits must stand."""
    line = _LIKE_ONE.sub(r"\g<1>\g<2>1", line)
    return _LIKE_YEAR.sub(
        lambda match: (
            match.group().translate(_DIGITS)
            if sum(c.isdigit() for c in match.group()) >= 2
            else match.group()
        ),
        line,
    )


def _line(read: str, book: _Book, found: SheetHeading) -> SheetHeading:
    found, line = _instructions(_straight(read), found)
    words = tokens(line)
    game_spans = () if _settled(found, "game") else exact_spans(words, book.games)
    power_spans = () if _settled(found, "power") else exact_spans(words, book.powers)
    power_spans = tuple(span for span in power_spans if not any(span.overlaps(game) for game in game_spans))
    named = frozenset(at for span in (*game_spans, *power_spans) for at in span.places)
    version = find_version(line, words, named)
    taken = named | _places(version)
    if version is not None and found.version is None:
        found = replace(found, version=version.number)
    when = find_phase(line, words, book.seasons, taken)
    found = _with(found, "season", when.season, unsure=when.season_corrected)
    found = _with(found, "year", when.year, unsure=not re.search(rf"\b{when.year}\b", read))
    found = _with(found, "kind", when.kind, unsure=when.kind_corrected)
    if len({span.name for span in game_spans}) == 1:
        found = _with(found, "game", game_spans[0].name)
    if len({span.name for span in power_spans}) == 1:
        found = _with(found, "power", power_spans[0].name)
    return _guessed(words, taken | when.places, book, found)


def _places(version: VersionSpan | None) -> frozenset[int]:
    return frozenset() if version is None else frozenset(range(version.first, version.last))


def _settled(found: SheetHeading, field: str) -> bool:
    return getattr(found, field) is not None and field not in found.unsure


def _with(found: SheetHeading, field: str, value: Any, *, unsure: bool = False) -> SheetHeading:
    """The heading with a field filled in: what stands in plain letters outranks what was mended, else the
    first."""
    if value is None or _settled(found, field) or (unsure and getattr(found, field) is not None):
        return found
    doubts = found.unsure | {field} if unsure else found.unsure - {field}
    changes: dict[str, Any] = {field: value, "unsure": doubts}
    return replace(found, **changes)


def _instructions(line: str, found: SheetHeading) -> tuple[SheetHeading, str]:
    """Version instructions but the number, and the line without the number that is replaced."""
    replaced = _REPLACES.search(line)
    if replaced is not None:
        found = replace(found, replaces=int(replaced.group(1)) if found.replaces is None else found.replaces)
        line = line[: replaced.start()] + ", " + line[replaced.end() :]
    if _FINAL.search(line):
        found = replace(found, final=True)
    if _PARTIAL.search(line):
        found = replace(found, partial=True)
    return found, line


def _guessed(words: Sequence[Token], taken: frozenset[int], book: _Book, found: SheetHeading) -> SheetHeading:
    """Names misread or misspelt: each run of words between separators against what is still missing."""
    run: list[str] = []
    runs: list[list[str]] = [run]
    for at, word in enumerate(words):
        if at in taken or word.hard:
            run = []
            runs.append(run)
        if at not in taken and word.text not in FILLERS:
            run.append(word.text)
    for run in filter(None, runs):
        best: tuple[float, str, str] | None = None
        for field, table in (("game", book.games), ("power", book.powers)):
            if getattr(found, field) is not None:
                continue
            scores = ranked_names(run, table)
            names = plausible_names(scores, _CLEAR)
            if len(names) == 1 and (best is None or scores[0][0] > best[0]):
                best = (scores[0][0], field, names[0])
        if best is not None:
            found = _with(found, best[1], best[2], unsure=True)
    return found


def disagreements(subject: Heading, sheet: SheetHeading) -> tuple[Disagreement, ...]:
    """The fields in which both say something and not the same; such a submission is held (HEAD-03, Q-07).

    The version is not compared: an instruction on the sheet outranks the subject's number (VER-02).
    """
    pairs = (
        ("game", subject.game, sheet.game),
        ("power", subject.power, sheet.power),
        ("season", subject.season, sheet.season),
        ("year", subject.year, sheet.year),
        ("kind", subject.kind, sheet.kind),
    )
    return tuple(
        Disagreement(
            field, str(said), str(written), sure=field not in sheet.unsure and not _far(field, said, written)
        )
        for field, said, written in pairs
        if said is not None and written is not None and said != written
    )


def _far(field: str, said: object, written: object) -> bool:
    """Whether two years are too far apart to be two turns of one game: 1642 in the subject, 1612 as read."""
    return field == "year" and abs(int(str(said)) - int(str(written))) > _FAR
