"""Names of games and powers against what a player wrote: exact, corrected, ambiguous or unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import OSA

from grammar.headings.tokens import FILLERS, Token, name_words

Spellings = Mapping[str, tuple[tuple[str, ...], ...]]
"""Canonical name to every accepted spelling, each as folded words."""

CLEAR = 0.66
"""Least likeness (0..1) at which a written name may be corrected."""
MARGIN = 0.15
"""How far (0..1) the best candidate must stand before the second."""
_WORD_CLEAR = 0.75
_OTHER_INITIAL = 0.9
_HALF = 0.58


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens `first` up to, not including, `last` name `name`. `score`: 0..1, 1 is exact."""

    first: int
    last: int
    name: str
    score: float

    def overlaps(self, other: Span) -> bool:
        """Whether the two share a token."""
        return self.first < other.last and other.first < self.last

    @property
    def places(self) -> range:
        """The token numbers it covers."""
        return range(self.first, self.last)


def spellings(names: Iterable[tuple[str, Iterable[str]]]) -> Spellings:
    """A table from (canonical name, other spellings); spellings without a word are left out."""
    table: dict[str, tuple[tuple[str, ...], ...]] = {}
    for name, others in names:
        forms = {name_words(form): None for form in (name, *others)}
        table[name] = table.get(name, ()) + tuple(form for form in forms if form)
    return table


def exact_spans(line: Sequence[Token], table: Spellings) -> tuple[Span, ...]:
    """Every place where a spelling stands word for word, longest first where one lies inside another."""
    found: set[Span] = set()
    texts = [token.text for token in line]
    for name, forms in table.items():
        for form in forms:
            size = len(form)
            for at in range(len(texts) - size + 1):
                if tuple(texts[at : at + size]) == form:
                    found.add(Span(at, at + size, name, 1.0))
    outer = [
        one
        for one in found
        if not any(
            one is not two and _inside(one, two) and len(two.places) > len(one.places) for two in found
        )
    ]
    return tuple(sorted(outer, key=lambda span: (span.first, span.name)))


def _inside(one: Span, two: Span) -> bool:
    return two.first <= one.first and one.last <= two.last


def ranked_names(written: Sequence[str], table: Spellings) -> tuple[tuple[float, str], ...]:
    """Every name with its likeness (0..1) to the written words, best first; fillers do not count."""
    kept = [word for word in written if word not in FILLERS] or list(written)
    scores = [
        (max((likeness(kept, form) for form in forms), default=0.0), name) for name, forms in table.items()
    ]
    return tuple(sorted(scores, key=lambda pair: (-pair[0], pair[1])))


def likeness(written: Sequence[str], form: Sequence[str]) -> float:
    """How like (0..1) the written words are to a spelling: by letters, or with whole words left out.

    A slip in the first letter is rare, so a name that begins otherwise is more likely another name.
    """
    one, two = "".join(written), "".join(form)
    letters = max(
        OSA.normalized_similarity(" ".join(written), " ".join(form)), OSA.normalized_similarity(one, two)
    )
    if one[:1] != two[:1]:
        letters *= _OTHER_INITIAL
    return max(letters, _left_out(written, form))


def _left_out(written: Sequence[str], form: Sequence[str]) -> float:
    """Likeness where `written` is `form` with whole words missing, in order; 0 where it is not."""
    if not written or len(written) >= len(form):
        return 0.0
    at = 0
    likes: list[float] = []
    covered = 0
    for word in written:
        while at < len(form) and OSA.normalized_similarity(word, form[at]) < _WORD_CLEAR:
            at += 1
        if at == len(form):
            return 0.0
        if form[at] not in FILLERS:
            likes.append(OSA.normalized_similarity(word, form[at]))
            covered += len(form[at])
        at += 1
    if not likes:
        return 0.0
    share = covered / sum(len(word) for word in form)
    return sum(likes) / len(likes) * (0.8 + 0.2 * share)


def plausible_names(scores: Sequence[tuple[float, str]], clear: float = CLEAR) -> tuple[str, ...]:
    """The names a writer may have meant: none, one clear one, or several too near each other to choose.

    The second need not be clear itself: what stands close behind the best makes the best unclear. Two that
    are both only half like are a choice too, and not mended; one alone is no name at all.
    """
    best = scores[0][0] if scores else 0.0
    names = tuple(name for score, name in scores if score >= _HALF and best - score < MARGIN)
    return names if best >= clear or len(names) > 1 else ()
