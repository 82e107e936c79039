"""A mail's subject line to a Heading, or a complaint that names what is missing (SUBJ-01 to SUBJ-07)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from adjudicator.calendar import PhaseKind
from grammar.headings.dates import PhaseFields, find_phase
from grammar.headings.names import (
    GameList,
    HeadingNames,
    Span,
    Spellings,
    exact_spans,
    heading_names,
    plausible_names,
    ranked_names,
)
from grammar.headings.outside import outside
from grammar.headings.tokens import FILLERS, Token, clean_line, drop_prefixes, tokens, word_runs
from grammar.headings.values import Flag, Heading, HeadingCode, HeadingComplaint, KnownGame
from grammar.headings.versions import VersionSpan, find_version, is_version_unclear

_MAX_SUBJECT = 2000
"""Characters of a subject that are read; no one writes more on purpose."""
_MIN_INNER_LIKENESS = 0.85
"""Least likeness, 0..1, at which a name is picked out of a longer run of unknown words."""
_MAX_INNER_RUNS = 200
_MAX_PAIRED_RUNS, _MAX_PAIRED_WORDS = 8, 12
"""Runs, and words of one run, among which a game and a power are looked for together."""

_Run = tuple[int, ...]
"""Indices of words side by side."""


@dataclass(frozen=True, slots=True)
class _NameField:
    """The finds for one name field. No name: unknown. One: found. Several: ambiguous.

    `written`: the words in doubt. `missing`: no words are left for the field. `corrected`: misspelt.
    """

    names: tuple[str, ...] = ()
    written: str = ""
    missing: bool = False
    corrected: bool = False


_MISSING = _NameField(missing=True)


def parse_subject(subject: str, games: Sequence[KnownGame]) -> Heading | HeadingComplaint:
    """Read a decoded subject line.

    Fields are found by content, so their order does not matter; known names are matched before anything is
    split (SUBJ-05). A misspelt name with one clear candidate is corrected and flagged. One with two near
    candidates is refused, whatever the other fields say. Never raises on any text.
    """
    line = drop_prefixes(clean_line(subject)[:_MAX_SUBJECT])
    words = tokens(line)
    game_spans = exact_spans(words, heading_names(games, games).games)
    # "Version" may be part of a game's name; a name of one word may not hide a version.
    used = frozenset(index for span in game_spans for index in span.indices if len(span.indices) > 1)
    version = find_version(line, words, used)
    if version is None:
        return _with_version(_read(line, words, games), None, "", is_unclear=is_version_unclear(words, used))
    return _read_around(line, words, version, games)


def _read_around(line: str, words: tuple[Token, ...], version: VersionSpan,
                 games: Sequence[KnownGame]) -> Heading | HeadingComplaint:
    """The fields before the version; the words after it are read only where these are not enough."""
    head, tail = words[: version.first], words[version.last :]
    trailing = line[tail[0].start:] if tail else ""
    heading, number = _read(line, head, games), version.requested
    is_unclear = number is None
    if (isinstance(heading, Heading) or heading.code is not HeadingCode.SUBJECT_UNPARSED) or not tail:
        return _with_version(heading, number, trailing, is_unclear=is_unclear)
    # "Hard", because the version was between them: the words around it are not one name.
    whole_heading = _read(line, (*head, replace(tail[0], hard=True), *tail[1:]), games)
    if isinstance(whole_heading, Heading) or not head:
        return _with_version(whole_heading, number, "", is_unclear=is_unclear)
    return _with_version(heading, number, trailing, is_unclear=is_unclear)


def _with_version(
    heading: Heading | HeadingComplaint, number: int | None, trailing: str, *, is_unclear: bool = False
) -> Heading | HeadingComplaint:
    if isinstance(heading, HeadingComplaint):
        return replace(heading, partial=replace(heading.partial, version=number))
    flags = set(heading.flags)
    if number is None:
        flags.add(Flag.VERSION_MISSING)
    if is_unclear:
        flags.add(Flag.VERSION_UNCLEAR)
    if trailing:
        flags.add(Flag.TRAILING_TEXT)
    return replace(heading, version=number, trailing=trailing, flags=frozenset(flags))


def _read(line: str, words: tuple[Token, ...], games: Sequence[KnownGame]) -> Heading | HeadingComplaint:
    """All fields but the version. Powers of other games stop counting once the game is known."""
    result = _read_with(line, words, heading_names(games, games))
    heading = result if isinstance(result, Heading) else result.partial
    named = _named(games, heading.game)
    if not named or len(games) == 1:
        return result
    # Two games may have a power of one name, and seasons of their own.
    return _read_with(line, words, heading_names(games, named))


def _named(games: Sequence[KnownGame], name: str | None) -> list[KnownGame]:
    if isinstance(games, GameList):
        named = None if name is None else games.by_name.get(name)
        return [] if named is None else [named]
    return [game for game in games if game.name == name]


def _read_with(line: str, words: tuple[Token, ...], known: HeadingNames) -> Heading | HeadingComplaint:
    """1. Names written exactly. 2. Season, year and kind. 3. Misspelt names among the words that are left."""
    game_spans, power_spans = _compatible(exact_spans(words, known.games), exact_spans(words, known.powers))
    used = frozenset(index for span in (*game_spans, *power_spans) for index in span.indices)
    used |= outside(line, words, {season.casefold() for season in known.seasons}, used)
    phase = find_phase(line, words, known.seasons, used)
    digits = frozenset(index for index, word in enumerate(words) if word.text.isdigit())
    runs = word_runs(words, used | phase.indices | digits)
    game, power, used_runs = _name_fields(words, (game_spans, power_spans), runs, known)
    left = [index for run in runs if run not in used_runs for index in run]
    game = _flag_neighbours(words, game, game_spans, left)
    power = _flag_neighbours(words, power, power_spans, left)
    return _judge_fields(game, power, phase, known)


def _compatible(games: tuple[Span, ...],
                powers: tuple[Span, ...]) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The spans of games and powers that fit together: no words are both, and the longer name wins."""
    outer_games = tuple(game for game in games if not any(_is_shorter(game, power) for power in powers))
    outer_powers = tuple(power for power in powers if not any(_is_shorter(power, game) for game in games))
    # What overlaps cannot be both a game and a power.
    pairs = [(game, power) for game in outer_games for power in outer_powers if not game.overlaps(power)]
    if pairs:
        return tuple({game: None for game, _ in pairs}), tuple({power: None for _, power in pairs})
    return (outer_games, ()) if outer_games else ((), outer_powers)


def _is_shorter(span: Span, other: Span) -> bool:
    return span.overlaps(other) and len(span.indices) < len(other.indices)


def _name_fields(words: Sequence[Token], spans: tuple[tuple[Span, ...], tuple[Span, ...]], runs: list[_Run],
                 known: HeadingNames) -> tuple[_NameField, _NameField, list[_Run]]:
    """Game and power, and the runs that were needed to find them."""
    games, powers = spans
    if games and powers:
        return _exact_field(games), _exact_field(powers), []
    if games:
        power, used = _find_one(words, runs, known.powers)
        return _exact_field(games), power, used
    if powers:
        game, used = _find_one(words, runs, known.games)
        return game, _exact_field(powers), used
    return _find_both(words, runs, known)


def _exact_field(spans: tuple[Span, ...]) -> _NameField:
    return _NameField(names=tuple(dict.fromkeys(span.name for span in spans)))


def _guess(words: Sequence[Token], run: _Run, table: Spellings) -> tuple[float, _NameField]:
    """The best likeness (0..1) of these words to a name, and the names they may mean."""
    texts = [words[index].text for index in run]
    scores = ranked_names(texts, table)
    best = scores[0][0] if scores else 0.0
    return best, _NameField(names=plausible_names(scores), written=" ".join(texts), corrected=True)


def _find_one(words: Sequence[Token], runs: list[_Run], table: Spellings) -> tuple[_NameField, list[_Run]]:
    """The one missing name: the run most like one, or words inside a run that are very like one."""
    if not runs:
        return _MISSING, []
    guesses = [(*_guess(words, run, table), run) for run in runs]
    _, name, best_run = max(guesses, key=lambda guess: guess[0])
    if name.names:
        return name, [best_run]
    for run in runs:
        for inner in _inner_runs(run):
            score, name = _guess(words, inner, table)
            # Words left out of a name count only where nothing else is in the run.
            is_whole = any(len(form) == len(inner) for each in name.names for form in table[each])
            if score >= _MIN_INNER_LIKENESS and is_whole:
                return name, [run]
    return _guess(words, runs[0], table)[1], [runs[0]]


def _inner_runs(run: _Run) -> list[_Run]:
    """Up to six words side by side of a run, the longest first."""
    longest = min(len(run) - 1, 6)
    inner = [run[first:first + size]
             for size in range(longest, 0, -1) for first in range(len(run) - size + 1)]
    return inner[:_MAX_INNER_RUNS]


def _find_both(words: Sequence[Token], runs: list[_Run],
               known: HeadingNames) -> tuple[_NameField, _NameField, list[_Run]]:
    """Game and power where neither is written exactly: the pair of runs most like a game and a power."""
    best: tuple[float, _NameField, _NameField, list[_Run]] | None = None
    for game_run, power_run, used in _run_pairs(runs):
        game_score, game = _guess(words, game_run, known.games)
        power_score, power = _guess(words, power_run, known.powers)
        if len(used) == 1 and not (game.names and power.names):
            continue  # one run is cut in two only if both halves are names
        total = game_score + power_score + (0.001 if game_run < power_run else 0.0)  # a tie: game first
        if best is None or total > best[0]:
            best = (total, game, power, used)
    if best is not None:
        return best[1:]
    # With several runs and no pair no one can show which was to be the game.
    if len(runs) != 1:
        return _MISSING, _MISSING, []
    game_score, game = _guess(words, runs[0], known.games)
    power_score, power = _guess(words, runs[0], known.powers)
    if not game.names and not power.names:
        return _MISSING, _MISSING, []
    if game_score >= power_score:
        return game, _MISSING, runs
    return _MISSING, power, runs


def _run_pairs(runs: list[_Run]) -> list[tuple[_Run, _Run, list[_Run]]]:
    """Every pair of runs, and every run cut in two, with the runs used. Limits keep long subjects cheap."""
    few = runs[:_MAX_PAIRED_RUNS]
    pairs = [(first, second, [first, second]) for first in few for second in few if first is not second]
    for run in few:
        for cut in range(1, min(len(run), _MAX_PAIRED_WORDS)):
            pairs += [(run[:cut], run[cut:], [run]), (run[cut:], run[:cut], [run])]
    return pairs


def _flag_neighbours(words: Sequence[Token], name: _NameField, spans: tuple[Span, ...],
                     left: list[int]) -> _NameField:
    """A name written exactly, with unknown words in the same field, counts as corrected."""
    for span in spans:
        after = span.last in left and not words[span.last].hard
        before = span.first - 1 in left and not words[span.first].hard
        if (after and words[span.last].text not in FILLERS) or (
                before and words[span.first - 1].text not in FILLERS):
            return replace(name, corrected=True)
    return name


def _judge_fields(game: _NameField, power: _NameField, phase: PhaseFields,
                  known: HeadingNames) -> Heading | HeadingComplaint:
    corrected = {
        Flag.GAME_CORRECTED: game.corrected and len(game.names) == 1,
        Flag.POWER_CORRECTED: power.corrected and len(power.names) == 1,
        Flag.SEASON_CORRECTED: phase.season_corrected,
        Flag.TYPE_CORRECTED: phase.kind_corrected,
    }
    heading = Heading(
        game=game.names[0] if len(game.names) == 1 else None,
        power=power.names[0] if len(power.names) == 1 else None,
        season=phase.season,
        year=phase.year,
        kind=phase.kind or _only_kind(phase, known),
        flags=frozenset(flag for flag, is_set in corrected.items() if is_set),
    )
    return _complaint(game, power, phase, heading) or heading


def _only_kind(phase: PhaseFields, known: HeadingNames) -> PhaseKind | None:
    """The kind of a season that has one kind of paper only: a bare "Winter" is an adjustment (SUBJ-03)."""
    kinds = {kind for season, kind in known.steps if season == phase.season}
    return kinds.pop() if len(kinds) == 1 and "type" not in phase.unclear else None


_FIELD_NAMES = {"type": "kind of orders"}
"""The name of a field of a heading."""


def _complaint(game: _NameField, power: _NameField, phase: PhaseFields,
               heading: Heading) -> HeadingComplaint | None:
    # A missing year is not a fault (SUBJ-06), and a missing version none either; two different years are.
    is_missing = {
        "game": game.missing,
        "power": power.missing,
        "season": heading.season is None or "season" in phase.unclear,
        "year": "year" in phase.unclear,
        "type": (heading.kind is None and not phase.orders) or "type" in phase.unclear,
    }
    missing = tuple(field for field, absent in is_missing.items() if absent)
    if missing:
        names = [_FIELD_NAMES.get(field, field) for field in missing]
        named = " and the ".join([", the ".join(names[:-1]), names[-1]] if names[1:] else names)
        message = f"the subject does not name the {named}"
        return HeadingComplaint(HeadingCode.SUBJECT_UNPARSED, message, heading, missing=missing)
    return _name_complaint("game", game, heading) or _name_complaint("power", power, heading)


def _name_complaint(field: str, name: _NameField, heading: Heading) -> HeadingComplaint | None:
    if len(name.names) == 1:
        return None
    if name.names:
        code = HeadingCode.AMBIGUOUS_GAME if field == "game" else HeadingCode.AMBIGUOUS_POWER
        message = f"the {field} may be {' or '.join(name.names)}"
    else:
        code = HeadingCode.UNKNOWN_GAME if field == "game" else HeadingCode.UNKNOWN_POWER
        message = f'there is no {field} called "{name.written}"'
    return HeadingComplaint(code, message, heading, written=name.written, candidates=name.names)
