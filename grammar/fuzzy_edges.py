"""Edges of a line that a poor reader garbled: keywords and names found by likeness, letter by letter.

Only letters count here. Nothing in this module knows the map, who owns what or where units stand (NON-03,
DESK-03).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz, process
from rapidfuzz.distance import Levenshtein

from adjudicator.geo import Region
from grammar.compose import Forms
from grammar.edit_costs import find_pieces, flatten, swap_cost
from grammar.exact_edges import PIECE_COST
from grammar.lattice import Edge
from grammar.lexicon import COAST, KIND, NUMBER, PLACE, POWER, Lexicon, Rank, Value

_SHORT = 4
"""Abbreviations, and names below so many letters, are taken only for a whole word less than one letter
away."""
_NAMED = frozenset({PLACE, POWER})
_BRIEF = 7
"""Names of up to so many letters are weighed in every line: one letter hides them from a search by
likeness."""
_NEAR = 62.0
"""Least likeness (0..100) of a long name to its best stretch of the text at which it is weighed at all."""
_MOST = 110
"""Long names weighed in one line."""
_PIECE, _KIND_PIECE = 0.4, 0.6
"""Letters of a spelling that may be wrong, as a share, plus a quarter letter; more for the few unit words."""
_INSIDE = 0.2
"""What a piece costs that starts or ends inside a word."""
_PASS = 0.02
_STRAY = 1.0
_ALIKE = 0.45
_SHORTENED = 0.8
"""What a short form costs that nobody listed."""
PREFIX_COST = 0.3
"""What the first letters of a name cost that stand for it."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """One spelling to look for: its text, the terminal and value it stands for. `whole`: taken for whole
    words only; `extra`: letters it costs more than the listed spellings."""

    text: str
    terminal: str
    value: Value
    whole: bool = False
    extra: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Spellings:
    """All spellings of one grammar and lexicon: `long` names with their `texts`, `brief` names, `short` ones
    for whole words, `common` words found in most lines, `signs` of one character."""

    long: tuple[Spelling, ...]
    texts: tuple[str, ...]
    brief: tuple[Spelling, ...]
    short: dict[str, tuple[Spelling, ...]]
    common: tuple[Spelling, ...]
    signs: dict[str, tuple[Spelling, ...]]
    terminals: frozenset[str]


@lru_cache(maxsize=64)
def spellings(forms: Forms, lexicon: Lexicon) -> Spellings:
    """What a line of this phase may be made of, prepared once."""
    long: dict[tuple[str, str, Value], Spelling] = {}
    brief: dict[tuple[str, str, Value], Spelling] = {}
    short: dict[str, list[Spelling]] = defaultdict(list)
    common: list[Spelling] = []
    signs: dict[str, list[Spelling]] = defaultdict(list)
    known = frozenset(t for table in forms.machine.moves for t in table)
    for spelled in _all(forms, lexicon):
        if spelled.terminal not in known or not spelled.text:
            continue
        size = len(spelled.text)
        if size == 1:
            signs[spelled.text].append(spelled)
        elif spelled.whole or (size < _SHORT and spelled.terminal in _NAMED):
            short[spelled.text].append(spelled)
        elif spelled.terminal in _NAMED and size <= _BRIEF:
            brief[spelled.text, spelled.terminal, spelled.value] = spelled
        elif spelled.terminal in _NAMED:
            long[spelled.text, spelled.terminal, spelled.value] = spelled
        else:
            common.append(spelled)
    names = tuple(long.values())
    return Spellings(
        names,
        tuple(s.text for s in names),
        tuple(brief.values()),
        {k: tuple(v) for k, v in short.items()},
        tuple(common),
        {k: tuple(v) for k, v in signs.items()},
        known,
    )


def _all(forms: Forms, lexicon: Lexicon) -> Iterable[Spelling]:
    for word, terminal in forms.keywords.items():
        yield Spelling(flatten(word)[0], terminal, word)
    for name in lexicon.names:
        if (
            name.terminal == COAST
            and name.rank is not Rank.NAME
            and len(name.words) < 2
            and len(name.text) > 2
        ):
            continue  # a lone "south" is taken only where it is written so
        text = flatten(name.text)[0]
        whole = name.rank is Rank.ABBREVIATION or (name.terminal == COAST and len(text) < _SHORT)
        yield Spelling(
            text, name.terminal, name.value, whole, _SHORTENED if name.rank is Rank.SHORTENED else 0.0
        )
        if " and " in text:
            yield Spelling(text.replace(" and ", " & "), name.terminal, name.value)
        if name.terminal == "A_POWER":
            yield Spelling(f"{text}s", name.terminal, name.value)


def edges(text: str, forms: Forms, lexicon: Lexicon, *, stray: bool = False,
          typed: bool = False) -> dict[int, list[Edge]]:
    """Every likely piece of a flat text, by the character it starts at.

    `stray` lets whole words be passed over; `typed` says that no letter was taken for one that looks like it.
    """
    known = spellings(forms, lexicon)
    table: dict[int, list[Edge]] = defaultdict(list)
    long = [known.long[n] for _, _, n in process.extract(
        text, known.texts, scorer=fuzz.partial_ratio, score_cutoff=_NEAR, limit=_MOST)]
    looked = [*known.common, *known.brief, *long]
    limits = [
        (_KIND_PIECE if s.terminal == KIND else _PIECE) * len(s.text.replace(" ", "")) + 0.25 for s in looked
    ]
    for piece in find_pieces(text, [s.text for s in looked], limits, typed=typed):
        spelled = looked[piece.entry]
        if text[piece.start] != " " and text[piece.end - 1] != " ":
            _add(table, text, (piece.start, piece.end), spelled, piece.cost)
    for start, end in _wordlike(text):
        _short_words(table, text, (start, end), known)
        region = lexicon.beginning(text[start:end]) if end - start <= _SHORT + 1 else None
        if region is not None and PLACE in known.terminals:
            table[start].append(Edge(start, end, PLACE, region, PREFIX_COST, end - start))
        if stray:
            table[start].append(Edge(start, end, None, None, _STRAY * (end - start), 1))
    for at in range(len(text)):
        _signs(table, text, at, known)
    return table


def _add(table: dict[int, list[Edge]], text: str, span: tuple[int, int], spelled: Spelling, cost: float,
         size: int = 0) -> None:
    """One piece. `size` is given where a letter counts for a whole word: nothing else in an abbreviation says
    more."""
    start, end = span
    if text[start].isalnum():
        cost += _INSIDE * (2 - _whole(text, start, end))
    size = size or max(1, len(spelled.text.replace(" ", "")))
    table[start].append(
        Edge(start, end, spelled.terminal, spelled.value, cost + spelled.extra + PIECE_COST, size)
    )


def _whole(text: str, start: int, end: int) -> int:
    """How many ends of a piece are ends of a word: 0, 1 or 2."""
    before = start == 0 or not text[start - 1].isalnum()
    after = end == len(text) or not text[end].isalnum() or not text[end - 1].isalnum()
    return before + after


def is_confusable_abbreviation(word: str, named: Collection[Region], forms: Forms, lexicon: Lexicon) -> bool:
    """Is a word the abbreviation of a region in `named` that one letter taken for its like turns into
    another's (Lon, Lan)?"""
    short = spellings(forms, lexicon).short
    mine = {s.value for s in short.get(word, ()) if s.terminal == PLACE and s.value in named}
    return bool(mine) and any(
        len(other) == len(word) and 0 < swap_cost(other, word) < 1 and not mine >= {s.value for s in found}
        for other, found in short.items())


def _wordlike(text: str) -> list[tuple[int, int]]:
    spans, start = [], None
    for at, sign in enumerate(f"{text} "):
        if sign.isalnum():
            start = at if start is None else start
        elif start is not None:
            spans.append((start, at))
            start = None
    return spans


def _short_words(table: dict[int, list[Edge]], text: str, span: tuple[int, int], known: Spellings) -> None:
    word = text[span[0] : span[1]]
    if word.isdecimal() and len(word) < 3 and int(word) > 0:
        table[span[0]].append(Edge(*span, NUMBER, int(word), PIECE_COST, len(word)))
    if len(word) > _SHORT + 1:
        return
    near = process.extract(word, known.short.keys(), scorer=Levenshtein.distance, score_cutoff=1, limit=24)
    for spelling, _, _ in near:
        if len(spelling) == len(word):
            cost = swap_cost(spelling, word)
            if cost < 1 and not (cost and len(word) < 3):
                for spelled in known.short[spelling]:
                    _add(table, text, span, spelled, cost, 1 if cost else 0)


def _signs(table: dict[int, list[Edge]], text: str, at: int, known: Spellings) -> None:
    """What one character can be alone: a sign, a unit's letter, nothing."""
    sign = text[at]
    for spelled in known.signs.get(sign, ()):
        if not sign.isalnum() or _whole(text, at, at + 1) > 0:
            _add(table, text, (at, at + 1), spelled, 0.0)
    if sign == " " and "-" in known.signs:  # a dash too faint to be read
        table[at].append(Edge(at, at + 1, known.signs["-"][0].terminal, "-", _STRAY, 1))
    if sign == " ":
        table[at].append(Edge(at, at + 1, None, None, _PASS, 1))
    elif not sign.isalnum():
        table[at].append(Edge(at, at + 1, None, None, 0.4, 2))
    elif _whole(text, at, at + 1) == 2:
        table[at].append(Edge(at, at + 1, None, None, _STRAY, 2))
    _lone(table, text, at, known)


def _lone(table: dict[int, list[Edge]], text: str, at: int, known: Spellings) -> None:
    """A sign alone that is no unit's letter may be any of them, a 1 or a dash badly read: never more than a
    guess."""
    sign = text[at]
    alone = sign != " " and text[at - 1 : at] in {"", " "} and text[at + 1 : at + 2] in {"", " "}
    if not alone or any(s.terminal == KIND for s in known.signs.get(sign, ())):
        return
    if sign in "il" and NUMBER in known.terminals:
        table[at].append(Edge(at, at + 1, NUMBER, 1, _ALIKE, 1))
    for letter, spelled in known.signs.items():
        for each in spelled:
            if each.terminal == KIND or (letter == "-" and sign in "il1/"):
                table[at].append(
                    Edge(at, at + 1, each.terminal, each.value, min(_STRAY, swap_cost(letter, sign)), 1)
                )


def changed_letters(cost: float, path: Sequence[Edge]) -> float:
    """The letters changed in a path, without what each piece and space costs in itself."""
    own = sum(PIECE_COST if e.terminal is not None else min(e.cost, _PASS) for e in path)
    return max(0.0, cost - own)


def worst_changed_share(path: Sequence[Edge]) -> float:
    """The worst share of letters changed in one piece of a path, 0..1."""
    return min(1.0, max(((e.cost - PIECE_COST) / e.size for e in path if e.cost > _PASS), default=0.0))
