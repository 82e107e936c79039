"""Names of games and powers against what a player wrote: exact, corrected, ambiguous or unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import OSA

from adjudicator.calendar import PhaseKind
from grammar.headings.tokens import FILLERS, Token, name_words
from grammar.headings.values import KnownGame
from grammar.order_starts import OrderStarts

Spellings = Mapping[str, tuple[tuple[str, ...], ...]]
"""Canonical name to every accepted spelling, each as folded words."""

# Likenesses, all 0..1, chosen by hand on the examples of tests/grammar/headings.
MIN_LIKENESS = 0.66
"""Least likeness at which a written name may be corrected."""
_MARGIN = 0.15
"""How far the best candidate must be before the second."""
_MIN_WORD_LIKENESS = 0.75
_OTHER_INITIAL = 0.9
"""Factor for a name that begins with another letter."""
_HALF_LIKE = 0.58


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens [`first`, `last`) are a spelling of `name`."""

    first: int
    last: int
    name: str

    def overlaps(self, other: Span) -> bool:
        """True if the two share a token."""
        return self.first < other.last and other.first < self.last

    def is_within(self, other: Span) -> bool:
        """True if the other span holds all of this one's tokens and more."""
        is_inside = other.first <= self.first and self.last <= other.last
        return is_inside and len(self.indices) < len(other.indices)

    @property
    def indices(self) -> range:
        """The indices of its tokens."""
        return range(self.first, self.last)


@dataclass(frozen=True, slots=True)
class HeadingNames:
    """What a heading may name: games, powers, and seasons with their kinds of paper."""

    games: Spellings
    powers: Spellings
    steps: tuple[tuple[str, PhaseKind], ...]

    @property
    def seasons(self) -> tuple[str, ...]:
        """Each season once, in playing order."""
        return tuple(dict.fromkeys(season for season, _ in self.steps))


class GameList(tuple[KnownGame, ...]):  # noqa: SLOT001 it keeps what it has folded
    """Games whose names are folded once, for a site of thousands that reads many headings. Compares as a
    tuple."""

    @cached_property
    def names(self) -> HeadingNames:
        """Everything a heading may name."""
        return _names(spellings((game.name, game.aliases) for game in self), self)

    @cached_property
    def by_name(self) -> Mapping[str, KnownGame]:
        """Each game by its canonical name."""
        return {game.name: game for game in self}

    @cached_property
    def starts(self) -> frozenset[OrderStarts]:
        """How orders of these games begin."""
        return frozenset(game.starts for game in self)


def heading_names(games: Sequence[KnownGame], playing: Sequence[KnownGame]) -> HeadingNames:
    """The names of `games`, with the powers and seasons of `playing`."""
    if isinstance(games, GameList):
        return games.names if playing is games else _names(games.names.games, playing)
    return _names(spellings((game.name, game.aliases) for game in games), playing)


def _names(games: Spellings, playing: Sequence[KnownGame]) -> HeadingNames:
    return HeadingNames(
        games=games,
        powers=spellings((power.name, power.aliases) for game in playing for power in game.powers),
        steps=tuple(dict.fromkeys(step for game in playing for step in game.steps)),
    )


def spellings(names: Iterable[tuple[str, Iterable[str]]]) -> Spellings:
    """A table from (canonical name, other spellings); spellings without a word are left out."""
    forms_by_name: dict[str, dict[tuple[str, ...], None]] = {}
    # Each name with its other spellings once: a thousand games of one board have the same ten powers.
    for name, others in dict.fromkeys((name, tuple(others)) for name, others in names):
        forms = forms_by_name.setdefault(name, {})
        forms.update((form, None) for form in map(name_words, (name, *others)) if form)
    return _SpellingTable((name, tuple(forms)) for name, forms in forms_by_name.items())


class _SpellingTable(dict[str, tuple[tuple[str, ...], ...]]):
    """Spellings that are also looked up by their words."""

    @cached_property
    def by_form(self) -> Mapping[tuple[str, ...], list[str]]:
        names: dict[tuple[str, ...], list[str]] = {}
        for name, forms in self.items():
            for form in forms:
                names.setdefault(form, []).append(name)
        return names

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(sorted({len(form) for form in self.by_form}))


def exact_spans(line: Sequence[Token], table: Spellings) -> tuple[Span, ...]:
    """Every place where a spelling is written word for word; of one inside another only the longer."""
    indexed = table if isinstance(table, _SpellingTable) else _SpellingTable(table)
    texts = tuple(token.text for token in line)
    spans = {
        Span(first, first + size, name)
        for size in indexed.sizes
        for first in range(len(texts) - size + 1)
        for name in indexed.by_form.get(texts[first:first + size], ())
    }
    outer = [span for span in spans if not any(span.is_within(other) for other in spans)]
    return tuple(sorted(outer, key=lambda span: (span.first, span.name)))


def ranked_names(written: Sequence[str], table: Spellings) -> tuple[tuple[float, str], ...]:
    """Every name with its likeness (0..1) to the written words, best first; fillers do not count."""
    # A name may consist of fillers alone ("The Team"), and then they are all there is.
    content = [word for word in written if word not in FILLERS] or list(written)
    scores = [(max((likeness(content, form) for form in forms), default=0.0), name)
              for name, forms in table.items()]
    return tuple(sorted(scores, key=lambda pair: (-pair[0], pair[1])))


def likeness(written: Sequence[str], form: Sequence[str]) -> float:
    """How like (0..1) the written words are to a spelling: by letters, or with whole words left out.

    A slip in the first letter is rare, so a name that begins otherwise is more likely another name.
    """
    joined, joined_form = "".join(written), "".join(form)
    # With and without spaces: "New Castle" is one space from the name, and half of it otherwise.
    letters = max(OSA.normalized_similarity(" ".join(written), " ".join(form)),
                  OSA.normalized_similarity(joined, joined_form))
    if joined[:1] != joined_form[:1]:
        letters *= _OTHER_INITIAL
    return max(letters, _left_out_likeness(written, form))


def _left_out_likeness(written: Sequence[str], form: Sequence[str]) -> float:
    """Likeness where `written` is `form` with whole words missing, in order; 0 where it is not."""
    if len(written) >= len(form):
        return 0.0
    index = 0
    likenesses: list[float] = []
    covered = 0
    for word in written:
        while index < len(form) and OSA.normalized_similarity(word, form[index]) < _MIN_WORD_LIKENESS:
            index += 1
        if index == len(form):
            return 0.0
        if form[index] not in FILLERS:
            likenesses.append(OSA.normalized_similarity(word, form[index]))
            covered += len(form[index])
        index += 1
    # Only fillers were written: "the game" is in many names and means none.
    if not likenesses:
        return 0.0
    share = covered / sum(len(word) for word in form)
    return sum(likenesses) / len(likenesses) * (0.8 + 0.2 * share)


def plausible_names(scores: Sequence[tuple[float, str]], least: float = MIN_LIKENESS) -> tuple[str, ...]:
    """The names a writer may have meant: none, one clear one, or several too near each other to choose.

    The second need not be clear itself: a name close behind the best makes the best unclear. Two that are
    only half like are a choice too, and not corrected; one alone is not a name at all.
    """
    best = scores[0][0] if scores else 0.0
    names = tuple(name for score, name in scores if score >= _HALF_LIKE and best - score < _MARGIN)
    return names if best >= least or len(names) > 1 else ()
