"""A mail's subject line to a Heading, or a complaint that says what was missing (SUBJ-01 to SUBJ-07)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from adjudicator.calendar import PhaseKind
from grammar.headings.dates import PhaseFields, VersionSpan, find_phase, find_version
from grammar.headings.names import Span, Spellings, exact_spans, plausible_names, ranked_names, spellings
from grammar.headings.tokens import FILLERS, Token, clean_line, drop_prefixes, tokens
from grammar.headings.values import Flag, Heading, HeadingCode, HeadingComplaint, KnownGame

_LONGEST = 2000
"""Characters of a subject that are looked at; nobody writes more on purpose."""
_FULL_WORDS = 0.85
"""Least likeness at which a name is picked out of a longer run of unknown words."""


@dataclass(frozen=True, slots=True)
class _Name:
    """What was found for one name field. No candidate: unknown; one: found; several: ambiguous."""

    names: tuple[str, ...] = ()
    written: str = ""
    missing: bool = False
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class _Table:
    games: Spellings
    powers: Spellings
    steps: tuple[tuple[str, PhaseKind], ...]

    @property
    def seasons(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(season for season, _ in self.steps))


def parse_subject(subject: str, games: Sequence[KnownGame]) -> Heading | HeadingComplaint:
    """Read a decoded subject line.

    Fields are found by content, so their order does not matter; known names are matched before anything is
    split (SUBJ-05). A misspelt name with one clear candidate is corrected and flagged; one with two near
    candidates is refused, whatever the other fields say. Never raises on any text.
    """
    line = drop_prefixes(clean_line(subject)[:_LONGEST])
    words = tokens(line)
    table = _table(games, games)
    named = frozenset(
        at for span in exact_spans(words, table.games) for at in span.places if len(span.places) > 1
    )
    version = find_version(line, words, named)
    if version is None:
        found = _read(line, words, games)
        return _with_version(found, None, "")
    return _around(line, words, version, games)


def _around(
    line: str, words: tuple[Token, ...], version: VersionSpan, games: Sequence[KnownGame]
) -> Heading | HeadingComplaint:
    """Fields stand before the version; only where they do not suffice are the words after it looked at."""
    head, tail = words[: version.first], words[version.last :]
    trailing = line[tail[0].start :] if tail else ""
    found = _read(line, head, games)
    if isinstance(found, Heading) or found.code is not HeadingCode.SUBJECT_UNPARSED or not tail:
        return _with_version(found, version.number, trailing)
    whole = _read(line, (*head, replace(tail[0], hard=True), *tail[1:]), games)
    if isinstance(whole, Heading) or not head:
        return _with_version(whole, version.number, "")
    return _with_version(found, version.number, trailing)


def _with_version(
    found: Heading | HeadingComplaint, number: int | None, trailing: str
) -> Heading | HeadingComplaint:
    if isinstance(found, HeadingComplaint):
        return replace(found, partial=replace(found.partial, version=number))
    flags = set(found.flags)
    if number is None:
        flags.add(Flag.VERSION_MISSING)
    if trailing:
        flags.add(Flag.TRAILING_TEXT)
    return replace(found, version=number, trailing=trailing, flags=frozenset(flags))


def _table(games: Sequence[KnownGame], players: Sequence[KnownGame]) -> _Table:
    return _Table(
        games=spellings((game.name, game.aliases) for game in games),
        powers=spellings((power.name, power.aliases) for game in players for power in game.powers),
        steps=tuple(dict.fromkeys(step for game in players for step in game.steps)),
    )


def _read(line: str, words: tuple[Token, ...], games: Sequence[KnownGame]) -> Heading | HeadingComplaint:
    """All fields but the version. Powers of other variants stop counting once the game is known."""
    found = _read_with(line, words, _table(games, games))
    heading = found if isinstance(found, Heading) else found.partial
    mine = [game for game in games if game.name == heading.game]
    if not mine or len(games) == 1:
        return found
    return _read_with(line, words, _table(games, mine))


def _read_with(line: str, words: tuple[Token, ...], table: _Table) -> Heading | HeadingComplaint:
    game_spans, power_spans = _apart(exact_spans(words, table.games), exact_spans(words, table.powers))
    taken = frozenset(at for span in (*game_spans, *power_spans) for at in span.places)
    when = find_phase(line, words, table.seasons, taken)
    chunks = _chunks(words, taken | when.places)
    game, power, used = _names(words, (game_spans, power_spans), chunks, table)
    beside = [at for chunk in chunks if chunk not in used for at in chunk]
    game = _beside(words, game, game_spans, beside)
    power = _beside(words, power, power_spans, beside)
    return _judged(game, power, when, table)


def _apart(games: tuple[Span, ...], powers: tuple[Span, ...]) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Spans of games and powers that can stand together: a name is not both, and the longer one wins."""
    outer_games = tuple(game for game in games if not any(_within(game, power) for power in powers))
    powers = tuple(power for power in powers if not any(_within(power, game) for game in games))
    games = outer_games
    pairs = [(game, power) for game in games for power in powers if not game.overlaps(power)]
    if pairs:
        return tuple({game: None for game, _ in pairs}), tuple({power: None for _, power in pairs})
    if games:
        return games, ()
    return (), powers


def _within(one: Span, other: Span) -> bool:
    return one.overlaps(other) and len(one.places) < len(other.places)


def _chunks(words: Sequence[Token], taken: frozenset[int]) -> list[tuple[int, ...]]:
    """Runs of words no field has taken, cut at separators; runs of fillers alone are left out."""
    runs: list[list[int]] = []
    for at, word in enumerate(words):
        if at in taken or word.text.isdigit():
            continue
        if not runs or word.hard or runs[-1][-1] != at - 1:
            runs.append([])
        runs[-1].append(at)
    return [tuple(run) for run in runs if any(words[at].text not in FILLERS for at in run)]


def _names(
    words: Sequence[Token],
    spans: tuple[tuple[Span, ...], tuple[Span, ...]],
    chunks: list[tuple[int, ...]],
    table: _Table,
) -> tuple[_Name, _Name, list[tuple[int, ...]]]:
    """Game and power, and the chunks that were needed to find them."""
    games, powers = spans
    if games and powers:
        return _exactly(games), _exactly(powers), []
    if games:
        power, used = _alone(words, chunks, table.powers)
        return _exactly(games), power, used
    if powers:
        game, used = _alone(words, chunks, table.games)
        return game, _exactly(powers), used
    return _both(words, chunks, table)


def _exactly(spans: tuple[Span, ...]) -> _Name:
    return _Name(names=tuple(dict.fromkeys(span.name for span in spans)))


def _text(words: Sequence[Token], places: Sequence[int]) -> list[str]:
    return [words[at].text for at in places]


def _guess(words: Sequence[Token], places: tuple[int, ...], table: Spellings) -> tuple[float, _Name]:
    """The best likeness of these words to a name, and what they may mean."""
    text = _text(words, places)
    scores = ranked_names(text, table)
    best = scores[0][0] if scores else 0.0
    return best, _Name(names=plausible_names(scores), written=" ".join(text), corrected=True)


def _alone(
    words: Sequence[Token], chunks: list[tuple[int, ...]], table: Spellings
) -> tuple[_Name, list[tuple[int, ...]]]:
    """The one missing name: the chunk most like one, or a run of words inside a chunk very like one."""
    if not chunks:
        return _Name(missing=True), []
    guesses = [(*_guess(words, chunk, table), chunk) for chunk in chunks]
    score, name, chunk = max(guesses, key=lambda guess: guess[0])
    if name.names:
        return name, [chunk]
    for outer in chunks:
        for inner in _inner(outer):
            score, name = _guess(words, inner, table)
            if score >= _FULL_WORDS and name.names and _is_whole(_text(words, inner), name.names, table):
                return name, [outer]
    return _guess(words, chunks[0], table)[1], [chunks[0]]


def _inner(chunk: tuple[int, ...]) -> list[tuple[int, ...]]:
    longest = min(len(chunk) - 1, 6)
    return [chunk[at : at + size] for size in range(longest, 0, -1) for at in range(len(chunk) - size + 1)][
        :200
    ]


def _is_whole(text: Sequence[str], names: Sequence[str], table: Spellings) -> bool:
    """Whether the words are as many as a spelling has: words left out count only where nothing else
    stands."""
    return any(len(form) == len(text) for name in names for form in table[name])


def _both(
    words: Sequence[Token], chunks: list[tuple[int, ...]], table: _Table
) -> tuple[_Name, _Name, list[tuple[int, ...]]]:
    """Game and power where neither stands word for word: the pair of pieces most like a game and a power."""
    best: tuple[float, _Name, _Name, list[tuple[int, ...]]] | None = None
    for one, two, used in _pairs(chunks):
        game_score, game = _guess(words, one, table.games)
        power_score, power = _guess(words, two, table.powers)
        if len(used) == 1 and not (game.names and power.names):
            continue
        total = game_score + power_score + (0.001 if one < two else 0.0)
        if best is None or total > best[0]:
            best = (total, game, power, used)
    if best is not None:
        return best[1:]
    if len(chunks) != 1:
        return _Name(missing=True), _Name(missing=True), []
    game_score, game = _guess(words, chunks[0], table.games)
    power_score, power = _guess(words, chunks[0], table.powers)
    if not game.names and not power.names:
        return _Name(missing=True), _Name(missing=True), []
    if game_score >= power_score:
        return game, _Name(missing=True), chunks
    return _Name(missing=True), power, chunks


def _pairs(
    chunks: list[tuple[int, ...]],
) -> list[tuple[tuple[int, ...], tuple[int, ...], list[tuple[int, ...]]]]:
    few = chunks[:8]
    apart = [(one, two, [one, two]) for one in few for two in few if one is not two]
    cut: list[tuple[tuple[int, ...], tuple[int, ...], list[tuple[int, ...]]]] = []
    for chunk in few:
        for at in range(1, min(len(chunk), 12)):
            cut += [(chunk[:at], chunk[at:], [chunk]), (chunk[at:], chunk[:at], [chunk])]
    return apart + cut


def _beside(words: Sequence[Token], name: _Name, spans: tuple[Span, ...], free: list[int]) -> _Name:
    """A name written out, with strange words in the same field, is a corrected name and not an exact one."""
    for span in spans:
        after = span.last in free and not words[span.last].hard
        before = span.first - 1 in free and not words[span.first].hard
        if (after and words[span.last].text not in FILLERS) or (
            before and words[span.first - 1].text not in FILLERS
        ):
            return replace(name, corrected=True)
    return name


def _judged(game: _Name, power: _Name, when: PhaseFields, table: _Table) -> Heading | HeadingComplaint:
    kind = when.kind or _only_kind(when, table)
    flags: set[Flag] = set()
    if game.corrected and len(game.names) == 1:
        flags.add(Flag.GAME_CORRECTED)
    if power.corrected and len(power.names) == 1:
        flags.add(Flag.POWER_CORRECTED)
    if when.season_corrected:
        flags.add(Flag.SEASON_CORRECTED)
    if when.kind_corrected:
        flags.add(Flag.TYPE_CORRECTED)
    heading = Heading(
        game=game.names[0] if len(game.names) == 1 else None,
        power=power.names[0] if len(power.names) == 1 else None,
        season=when.season,
        year=when.year,
        kind=kind,
        flags=frozenset(flags),
    )
    return _complaint(game, power, when, heading) or heading


def _only_kind(when: PhaseFields, table: _Table) -> PhaseKind | None:
    """A season that asks for one kind of paper only names it: a bare "Winter" is an adjustment (SUBJ-03)."""
    kinds = {kind for season, kind in table.steps if season == when.season}
    return kinds.pop() if len(kinds) == 1 and "type" not in when.unclear else None


def _complaint(game: _Name, power: _Name, when: PhaseFields, heading: Heading) -> HeadingComplaint | None:
    checks = {
        "game": game.missing,
        "power": power.missing,
        "season": heading.season is None or "season" in when.unclear,
        "year": "year" in when.unclear,
        "type": (heading.kind is None and not when.orders) or "type" in when.unclear,
    }
    missing = tuple(field for field, absent in checks.items() if absent)
    if missing:
        message = f"the subject does not say the {', '.join(missing)}"
        return HeadingComplaint(HeadingCode.SUBJECT_UNPARSED, message, heading, missing=missing)
    return _name_complaint("game", game, heading) or _name_complaint("power", power, heading)


def _name_complaint(field: str, name: _Name, heading: Heading) -> HeadingComplaint | None:
    if len(name.names) == 1:
        return None
    if name.names:
        code = HeadingCode.AMBIGUOUS_GAME if field == "game" else HeadingCode.AMBIGUOUS_POWER
        message = f"the {field} may be {' or '.join(name.names)}"
    else:
        code = HeadingCode.UNKNOWN_GAME if field == "game" else HeadingCode.UNKNOWN_POWER
        message = f'there is no {field} called "{name.written}"'
    return HeadingComplaint(code, message, heading, written=name.written, candidates=name.names)
