"""Every name a line may hold: places with all their spellings, coasts, powers, unit kinds and numbers.

Names are known before a line is split: the longest known name is taken first (SUBJ-05, Q-44). A spelling that
is one region's name and another's alias or abbreviation means the former; a spelling two regions carry in the
same rank stays two candidates and makes a line ambiguous (Q-71).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from rapidfuzz import fuzz, process

from adjudicator.geo import LAND, SEA, Board, Region, Terrain
from adjudicator.units import UnitKind
from grammar.words import words

PLACE, POWER, KIND, COAST, NUMBER = "A_PLACE", "A_POWER", "A_KIND", "A_COAST", "A_NUMBER"
"""Terminals of the grammar that the lexicon finds."""

_COUNTS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_PLAIN = frozenset({"castle", "fort", "house", "bay", "firth", "sea", "area"})
"""Words a player may leave off the end of a name that stays unique without them."""

_LEAST = 3
"""Letters of a name that can stand for it where no other name begins so."""


class NameLike(Protocol):
    """One spelling of one region: a row of `names.csv`. `spelling` is name, alias or abbreviation."""

    @property
    def text(self) -> str: ...
    @property
    def region(self) -> Region: ...
    @property
    def spelling(self) -> str: ...


class PowerLike(Protocol):
    """A seat with every name it may be called."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> Sequence[str]: ...
    @property
    def person(self) -> str: ...


class Rank(IntEnum):
    """Which spelling wins where one text is spelled for several things; the lower wins."""

    NAME = 0
    ALIAS = 1
    ABBREVIATION = 2
    SHORTENED = 3


@dataclass(frozen=True, slots=True)
class KindWord:
    """A unit word: the kind's letter, and whether it was a plural ("Armies London and Kent")."""

    letter: str
    plural: bool = False


Value = Region | KindWord | str | int
"""What a name means: a place, a unit kind, a power's id or a coast's name, a number."""


@dataclass(frozen=True, slots=True)
class Name:
    """One spelling as a line may hold it: `words` folded, without a leading "the"; `terminal` and `value` are
    what the grammar sees."""

    words: tuple[str, ...]
    terminal: str
    value: Value
    rank: Rank = Rank.NAME

    @property
    def text(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True, slots=True)
class Match:
    """A place near a text: `score` 0..1, and `margin`, how much better it is than the next other region."""

    region: Region
    text: str
    score: float
    margin: float


class Lexicon:
    """The names of one game. Build it once with `build_lexicon`; it is never changed afterwards.

    `board` resolves coasts and prints names, `kinds` are the unit kinds by letter.
    """

    def __init__(self, board: Board, kinds: Mapping[str, UnitKind], names: Iterable[Name]) -> None:
        self.board = board
        self.kinds = kinds
        best: dict[tuple[str, tuple[str, ...]], dict[Value, Name]] = defaultdict(dict)
        for name in names:
            held = best[name.terminal, name.words]
            top = min((n.rank for n in held.values()), default=name.rank)
            if name.rank < top:
                held.clear()
            if name.rank <= top:
                held.setdefault(name.value, name)
        self.names = tuple(n for held in best.values() for n in held.values())
        self.tree: dict[str, object] = {}
        for name in self.names:
            node = self.tree
            for word in name.words:
                node = node.setdefault(word, {})  # type: ignore[assignment]  # a node is a dict of nodes
            node.setdefault("", []).append(name)  # type: ignore[attr-defined]  # "" holds the names that end here
        self._places = [n for n in self.names if n.terminal == PLACE]
        self._spelled = [n.text for n in self._places]
        self._sorted = sorted((n.text, n.value) for n in self._places if isinstance(n.value, Region))

    def near(self, text: str, count: int = 5) -> list[Match]:
        """The regions whose spelling is nearest to a text, best first, each region once."""
        key = " ".join(name_key(text))
        found: dict[Region, tuple[float, str]] = {}
        for spelled, score, n in process.extract(key, self._spelled, scorer=fuzz.ratio, limit=4 * count + 4):
            found.setdefault(self._places[n].value, (score / 100, spelled))  # type: ignore[arg-type]
        ranked = sorted(found.items(), key=lambda item: (-item[1][0], str(item[0])))
        after = [score for _, (score, _) in ranked[1:]] + [0.0]
        return [Match(r, s, score, score - after[n]) for n, (r, (score, s)) in enumerate(ranked[:count])]

    def beginning(self, word: str) -> Region | None:
        """The one region with a spelling that begins with `word`, three letters or more ("Iri"); None for
        several."""
        if len(word) < _LEAST:
            return None
        at = bisect_left(self._sorted, (word,))
        regions: set[Region] = set()
        while at < len(self._sorted) and self._sorted[at][0].startswith(word) and len(regions) < 2:
            regions.add(self._sorted[at][1])
            at += 1
        return regions.pop() if len(regions) == 1 else None

    def fits(self, kind: str | None, region: Region) -> bool:
        """Can a unit kind ever stand in a region's sort of ground? True where either is unknown."""
        known, province = self.kinds.get(kind or ""), self.board.provinces.get(region.province)
        if known is None or province is None:
            return True
        return SEA in known.moves if province.is_sea else (
            LAND in known.moves or province.terrain is not Terrain.INLAND)

    def has_coast(self, region: Region) -> bool:
        """Is the region's coast, if it has one, a coast of its province?"""
        province = self.board.provinces.get(region.province)
        return region.coast is None or province is None or region.coast in {c.id for c in province.coasts}

    def printed(self, region: Region) -> str:
        """A region's full name."""
        province = self.board.provinces.get(region.province)
        return province.name if province else region.province

    def coast(self, province: str, name: str) -> str:
        """The coast id that a coast's name means in a province; where it has no such coast, the id another
        province of the board uses, so that a wrong coast stays wrong (DATC 6.B.3) instead of being
        dropped."""
        here = self.board.provinces.get(province)
        found = here.coast_id(name) if here else None
        others = (p.coast_id(name) for p in self.board.provinces.values())
        return found or next((c for c in others if c), name.title())


def name_key(text: str) -> tuple[str, ...]:
    """The words of a name: folded, & as "and", without signs and without a leading "the"."""
    found = tuple(w.text for w in words(text) if w.text[0].isalnum())
    return found[1:] if len(found) > 1 and found[0] == "the" else found


def build_lexicon(
    board: Board,
    kinds: Mapping[str, UnitKind],
    names: Iterable[NameLike],
    powers: Iterable[PowerLike] = (),
) -> Lexicon:
    """The lexicon of a board, its unit kinds, its rows of spellings and its powers.

    Where `names` gives no NAME row for a province, the board's own id, name and abbreviation still count.
    """
    places = [Name(key, PLACE, p.value, p.rank) for p in _places(board, names) for key in _ways(p.words)]
    return Lexicon(
        board,
        kinds,
        [
            *places,
            *_short_forms(places),
            *_powers(powers),
            *_kinds(kinds),
            *_coasts(board),
            *(Name((w,), NUMBER, n) for n, w in enumerate(_COUNTS, 1)),
        ],
    )


def _places(board: Board, rows: Iterable[NameLike]) -> Iterable[Name]:
    for row in rows:
        yield Name(name_key(row.text), PLACE, row.region, Rank[row.spelling.upper()])
        joined = name_key(row.text.replace("-", ""))
        if "-" in row.text and joined:
            yield Name(joined, PLACE, row.region, Rank[row.spelling.upper()])
    for province in board.provinces.values():
        region = Region(province.id)
        yield Name(name_key(province.name), PLACE, region)
        yield Name(name_key(province.id), PLACE, region, Rank.ALIAS)
        if province.abbr:
            yield Name(name_key(province.abbr), PLACE, region, Rank.ABBREVIATION)


def _ways(key: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    """A name's words as given, and without the articles inside it ("Dublin & Pale")."""
    yield key
    bare = tuple(w for n, w in enumerate(key) if n == 0 or w != "the")
    if bare != key:
        yield bare


def _short_forms(places: Sequence[Name]) -> Iterable[Name]:
    """Short forms nobody listed that fit one region only: either half of a name joined by "and" (Q-44), the
    start of "X upon Y", a name without its last plain word ("Ashby-de-la-Zouch" for the castle)."""
    spelled = defaultdict(set)
    for name in places:
        for end in range(1, len(name.words) + 1):
            spelled["".join(name.words[:end])].add(name.value)
    texts = sorted((n.text, n.value) for n in places if isinstance(n.value, Region))
    for name in places:
        if name.rank is Rank.ABBREVIATION:
            continue
        for short in _shortened(name.words):
            text = " ".join(short)
            if len(text) > 3 and all(v == name.value for t, v in texts if t.startswith(text)):
                yield Name(short, PLACE, name.value, Rank.SHORTENED)


def _shortened(key: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    for joint in ("and", "upon"):
        if joint in key[1:-1]:  # a place may be called "And" by itself
            at = key.index(joint, 1)
            yield key[:at]
            if joint == "and":
                rest = key[at + 1:]
                yield rest[1:] if rest[0] == "the" else rest
    end = len(key)
    while end > 1 and key[end - 1] in _PLAIN:
        end -= 1
    if end < len(key):
        yield key[:end]


def _powers(powers: Iterable[PowerLike]) -> Iterable[Name]:
    for power in powers:
        for text, rank in ((power.name, Rank.NAME), (power.id, Rank.NAME), (power.person, Rank.ALIAS),
                           *((a, Rank.ALIAS) for a in power.aliases)):
            if name_key(text):
                yield Name(name_key(text), POWER, power.id, rank)


def _kinds(kinds: Mapping[str, UnitKind]) -> Iterable[Name]:
    for letter, kind in kinds.items():
        key = name_key(kind.name)
        if len(name_key(letter)) > 1:  # a letter that holds a sign, as A/F does, is that sign and all
            yield Name(tuple(word.text for word in words(letter)), KIND, KindWord(letter))
            yield Name(tuple(word.text for word in words(kind.name)), KIND, KindWord(letter))
        else:
            yield Name(name_key(letter), KIND, KindWord(letter))
        yield Name(key, KIND, KindWord(letter))
        last = key[-1]
        many = f"{last[:-1]}ies" if last.endswith("y") else f"{last}es" if last.endswith("ch") else f"{last}s"
        yield Name((*key[:-1], many), KIND, KindWord(letter, plural=True))


def _coasts(board: Board) -> Iterable[Name]:
    seen = {coast.name: coast.id for p in board.provinces.values() for coast in p.coasts}
    for name, coast_id in seen.items():
        key = name_key(name)
        yield Name(key, COAST, name)
        yield Name(name_key(coast_id), COAST, name)
        if len(key) == 2 and key[1] == "coast":
            letter, side = key[0][0], key[0]
            for words_ in (
                (f"{letter}c",),
                (letter, "c"),
                (letter, "coast"),
                (f"{side}ern", "coast"),
                (side,),
            ):
                yield Name(words_, COAST, name, Rank.ALIAS)
