"""Edges of a misread line: keywords and names found by likeness, letter by letter.

Positions count characters of the flattened text (`grammar.edit_costs.flatten`). Only letters count here:
nothing in this module knows the map, who owns what or where units stand (NON-03, DESK-03).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA, Levenshtein

from adjudicator.geo import Region
from grammar.compose import Forms
from grammar.edit_costs import find_pieces, flatten, swap_cost
from grammar.exact_edges import PIECE_COST
from grammar.lattice import Edge
from grammar.lexicon import BREAK, COAST, KIND, NUMBER, PLACE, POWER, Lexicon, Rank, Value

_ABBREVIATION = 4
"""Abbreviations, and names of fewer letters than this, are taken only for a whole word less than one letter
away."""
_NAMED = frozenset({PLACE, POWER})
_SHORT_NAME = 7
"""Names of up to so many letters are compared in every line: one wrong letter hides them from a search by
likeness."""
_MIN_LIKENESS = 62.0
"""Least likeness (0..100) of a long name to its best stretch of the text at which it is compared at all."""
_MAX_LONG_NAMES = 110
"""Long names compared in one line."""
_WRONG_SHARE, _KIND_WRONG_SHARE = 0.4, 0.6
"""Letters of a spelling that may be wrong, as a share, plus a quarter letter; more for the few unit words."""
# Guessed costs in letters, in round figures.
_INSIDE_WORD = 0.2
"""Cost of each end of a piece that lies inside a word."""
_PASS_COST = 0.02
_STRAY_COST = 1.0
"""Cost of a letter that is passed over, and of a sign that is guessed."""
_ALIKE_COST = 0.45
_SHORTENED_COST = 0.8
"""Cost of a short form that no one listed."""
PREFIX_COST = 0.3
"""Cost of the first letters of a name that represent it."""
_ALIKE_SHARE = 0.01
"""Share of a name's letters below which it is as listed."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Spelling:
    """One spelling to look for: its text, the terminal and value it represents.

    `whole_word_only`: taken for whole words only. `extra`: letters it costs more than the listed
    spellings, 0 or more.
    """

    text: str
    terminal: str
    value: Value
    whole_word_only: bool = False
    extra: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Spellings:
    """All spellings of one grammar and lexicon.

    `long_names` with their `long_texts` are searched by likeness; `short_names` and `words` are compared in
    every line; `abbreviations` (text to spellings) represent whole words, `signs` for single characters.
    `terminals`: those that the forms know.
    """

    long_names: tuple[Spelling, ...]
    long_texts: tuple[str, ...]
    short_names: tuple[Spelling, ...]
    abbreviations: dict[str, tuple[Spelling, ...]]
    words: tuple[Spelling, ...]
    signs: dict[str, tuple[Spelling, ...]]
    terminals: frozenset[str]


@lru_cache(maxsize=64)
def spellings(forms: Forms, lexicon: Lexicon) -> Spellings:
    """What a line of this phase may be made of; computed once and cached."""
    long_names: dict[tuple[str, str, Value], Spelling] = {}
    short_names: dict[tuple[str, str, Value], Spelling] = {}
    abbreviations: dict[str, list[Spelling]] = defaultdict(list)
    words: list[Spelling] = []
    signs: dict[str, list[Spelling]] = defaultdict(list)
    # A terminal that no form of this phase takes can be on no path.
    known = frozenset(t for table in forms.machine.moves for t in table)
    for spelling in _every_spelling(forms, lexicon):
        if spelling.terminal not in known or not spelling.text:
            continue
        size = len(spelling.text)
        if size == 1:
            signs[spelling.text].append(spelling)
        elif spelling.whole_word_only or (size < _ABBREVIATION and spelling.terminal in _NAMED):
            abbreviations[spelling.text].append(spelling)
        elif spelling.terminal in _NAMED:
            names = short_names if size <= _SHORT_NAME else long_names
            names[spelling.text, spelling.terminal, spelling.value] = spelling
        else:
            words.append(spelling)
    return Spellings(
        long_names=tuple(long_names.values()),
        long_texts=tuple(s.text for s in long_names.values()),
        short_names=tuple(short_names.values()),
        abbreviations={text: tuple(same) for text, same in abbreviations.items()},
        words=tuple(words),
        signs={text: tuple(same) for text, same in signs.items()},
        terminals=known,
    )


def _every_spelling(forms: Forms, lexicon: Lexicon) -> Iterable[Spelling]:
    for word, terminals in forms.keywords.items():
        yield from (Spelling(flatten(word)[0], terminal, word) for terminal in terminals)
    # A slash may offer a choice, which letters alone do not tell from a list.
    yield Spelling(",", BREAK, ",")
    for name in lexicon.names:
        is_coast = name.terminal == COAST
        if is_coast and name.rank is not Rank.NAME and len(name.words) < 2 and len(name.text) > 2:
            continue  # a lone "south" is a coast only where it is written exactly so
        text = flatten(name.text)[0]
        whole_word_only = name.rank is Rank.ABBREVIATION or (is_coast and len(text) < _ABBREVIATION)
        extra = _SHORTENED_COST if name.rank is Rank.SHORTENED else 0.0
        yield Spelling(text, name.terminal, name.value, whole_word_only, extra)
        # Names with an ampersand: players write either.
        if " and " in text:
            yield Spelling(text.replace(" and ", " & "), name.terminal, name.value)
        if name.terminal == POWER:  # an owner: "Argylls fleet"
            yield Spelling(f"{text}s", name.terminal, name.value)


def edges(text: str, forms: Forms, lexicon: Lexicon, *, stray: bool = False,
          typed: bool = False) -> dict[int, list[Edge]]:
    """Every likely piece of a flattened text, by the index of its first character.

    `stray`: whole words may be passed over. `typed`: no letter was taken for one that looks like it.
    """
    known = spellings(forms, lexicon)
    table: dict[int, list[Edge]] = defaultdict(list)
    # Likeness drops the hopeless names first: compared by letters, each costs an edit matrix.
    likely = [known.long_names[n] for _, _, n in process.extract(
        text, known.long_texts, scorer=fuzz.partial_ratio, score_cutoff=_MIN_LIKENESS, limit=_MAX_LONG_NAMES)]
    compared = [*known.words, *known.short_names, *likely]
    limits = [(_KIND_WRONG_SHARE if s.terminal == KIND else _WRONG_SHARE)
              * len(s.text.replace(" ", "")) + 0.25 for s in compared]
    for piece in find_pieces(text, [s.text for s in compared], limits, typed=typed):
        if text[piece.start] != " " and text[piece.end - 1] != " ":
            _add(table, text, (piece.start, piece.end), compared[piece.entry], piece.cost)
    for start, end in (word.span() for word in _WORD.finditer(text)):
        _add_whole_word(table, text, (start, end), known)
        region = lexicon.region_beginning_with(text[start:end]) if end - start <= _ABBREVIATION + 1 else None
        if region is not None and PLACE in known.terminals:
            table[start].append(Edge(start, end, PLACE, region, PREFIX_COST, end - start))
        if stray:
            table[start].append(Edge(start, end, None, None, _STRAY_COST * (end - start)))
    for index in range(len(text)):
        _add_character(table, text, index, known)
    return table


def _add(table: dict[int, list[Edge]], text: str, span: tuple[int, int], spelling: Spelling, cost: float,
         size: int = 0) -> None:
    """Add one piece. `size` is passed where one letter counts as a whole word: an abbreviation holds nothing
    else that could confirm it."""
    start, end = span
    # A sign has no ends inside a word.
    if text[start].isalnum():
        cost += _INSIDE_WORD * (2 - _word_ends(text, start, end))
    size = size or max(1, len(spelling.text.replace(" ", "")))
    table[start].append(
        Edge(start, end, spelling.terminal, spelling.value, cost + spelling.extra + PIECE_COST, size))


def _word_ends(text: str, start: int, end: int) -> int:
    """How many ends of a piece are ends of a word: 0, 1 or 2."""
    before = start == 0 or not text[start - 1].isalnum()
    after = end == len(text) or not text[end].isalnum() or not text[end - 1].isalnum()
    return before + after


def is_confusable_abbreviation(word: str, regions: Collection[Region], forms: Forms,
                               lexicon: Lexicon) -> bool:
    """True if a word abbreviates one of `regions`, and one letter read as its lookalike makes it another
    region's abbreviation (Lon, Lan)."""
    abbreviations = spellings(forms, lexicon).abbreviations
    abbreviated_regions = {
        s.value for s in abbreviations.get(word, ()) if s.terminal == PLACE and s.value in regions
    }
    return bool(abbreviated_regions) and any(
        len(other) == len(word) and 0 < swap_cost(other, word) < 1
        and not abbreviated_regions >= {s.value for s in same}
        for other, same in abbreviations.items())


def _add_whole_word(table: dict[int, list[Edge]], text: str, span: tuple[int, int], known: Spellings) -> None:
    """A whole word as a number, or as an abbreviation with at most one letter read as its lookalike."""
    word = text[span[0]:span[1]]
    if word.isdecimal() and len(word) < 3 and int(word) > 0:
        table[span[0]].append(Edge(*span, NUMBER, int(word), PIECE_COST, len(word)))
    if len(word) > _ABBREVIATION + 1:
        return
    similar = process.extract(word, known.abbreviations.keys(), scorer=Levenshtein.distance, score_cutoff=1,
                              limit=24)
    for abbreviation, _, _ in similar:
        if len(abbreviation) == len(word):
            cost = swap_cost(abbreviation, word)
            if cost < 1 and not (cost and len(word) < 3):  # of two letters, both must be right
                for spelling in known.abbreviations[abbreviation]:
                    _add(table, text, span, spelling, cost, 1 if cost else 0)


def _add_character(table: dict[int, list[Edge]], text: str, index: int, known: Spellings) -> None:
    """What one character can be alone: a sign, a unit's letter, or nothing."""
    sign, edges_here = text[index], table[index]
    for spelling in known.signs.get(sign, ()):
        if not sign.isalnum() or _word_ends(text, index, index + 1) > 0:
            _add(table, text, (index, index + 1), spelling, 0.0)
    if sign == " " and "-" in known.signs:  # a dash too faint to be read
        edges_here.append(Edge(index, index + 1, known.signs["-"][0].terminal, "-", _STRAY_COST))
    if sign == " ":
        edges_here.append(Edge(index, index + 1, None, None, _PASS_COST))
    elif not sign.isalnum():
        edges_here.append(Edge(index, index + 1, None, None, 0.4, 2))
    elif _word_ends(text, index, index + 1) == 2:
        edges_here.append(Edge(index, index + 1, None, None, _STRAY_COST, 2))
    _add_lone_sign(edges_here, text, index, known)


def _add_lone_sign(edges_here: list[Edge], text: str, index: int, known: Spellings) -> None:
    """A sign between spaces that is no unit's letter may be any of them badly read, or a 1 or a dash: a guess
    at most."""
    sign = text[index]
    is_alone = sign != " " and text[index - 1:index] in {"", " "} and text[index + 1:index + 2] in {"", " "}
    if not is_alone or any(s.terminal == KIND for s in known.signs.get(sign, ())):
        return
    if sign in "il" and NUMBER in known.terminals:
        edges_here.append(Edge(index, index + 1, NUMBER, 1, _ALIKE_COST))
    for letter, same in known.signs.items():
        for spelling in same:
            if spelling.terminal == KIND or (letter == "-" and sign in "il1/"):
                cost = min(_STRAY_COST, swap_cost(letter, sign))
                edges_here.append(Edge(index, index + 1, spelling.terminal, spelling.value, cost))


def changed_letters(cost: float, path: Sequence[Edge]) -> float:
    """The letters changed in a path of that cost, 0 or more: its cost less the fixed cost of each piece and
    space."""
    fixed = sum(PIECE_COST if e.terminal is not None else min(e.cost, _PASS_COST) for e in path)
    return max(0.0, cost - fixed)


def worst_changed_share(path: Sequence[Edge]) -> float:
    """The largest share of letters changed in one piece of a path, 0..1."""
    return min(1.0, max(((e.cost - PIECE_COST) / e.size for e in path if e.cost > _PASS_COST), default=0.0))


def worst_typed_share(path: Sequence[Edge], flat: str, lexicon: Lexicon) -> float:
    """As `worst_changed_share` for typed text, where a name is compared key by key: two letters that changed
    places are one slip ("Oxfrod"), and a piece of a name is not a name ("King" for Viking, "Banbury" for
    Bantry). An order word of another language than English is not a slip for another one: "rend Surrey" gives
    back what "prend Surrey" takes."""
    named = [e for e in path if e.terminal in _NAMED]
    others = [e for e in path if e.terminal not in _NAMED]
    slips = [_slip_share(e, flat[e.start : e.end], lexicon) for e in named]
    if any(flat[e.start : e.end] in lexicon.order_words and flat[e.start : e.end] != e.value for e in others):
        return 1.0
    return max([worst_changed_share(others), *slips])


def _slip_share(edge: Edge, written: str, lexicon: Lexicon) -> float:
    """Slips of the fingers in a name as a share of its letters, 0..1, by its nearest spelling."""
    share = (edge.cost - PIECE_COST) / edge.size
    if share <= _ALIKE_SHARE:
        return max(0.0, share)
    slips = (
        OSA.distance(written, text) / max(len(text), len(written))
        for text in (flatten(name.text)[0] for name in lexicon.names if name.value == edge.value)
        if not _differ_in_short_word(written.split(), text.split())
    )
    return min(slips, default=1.0)


def _differ_in_short_word(written: Sequence[str], name: Sequence[str]) -> bool:
    """True if a word of one or two letters is another one, or one too many: "B Channel" is not a slip for
    "N Channel", nor "N Strathclyde" for "Strathclyde"."""
    if len(written) == len(name):
        return any(mine != other and len(mine) <= 2 and len(other) <= 2
                   for mine, other in zip(written, name, strict=True))
    return {word for word in written if len(word) <= 2} != {word for word in name if len(word) <= 2}
