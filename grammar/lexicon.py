"""Every name a line may hold: places with all their spellings, coasts, powers, unit kinds and numbers.

Names are known before a line is split: the longest known name is taken first (SUBJ-05, Q-44). A spelling that
is one region's name and another's alias or abbreviation means the former. A spelling that two regions share
in the same rank stays two candidates and makes a line ambiguous (Q-71).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice
from typing import Any, Protocol

from rapidfuzz import fuzz, process

from adjudicator.geo import ANY, COAST as ALONG_COAST, LAND, SEA, Board, Region, Terrain
from adjudicator.units import UnitKind
from grammar.fragments.languages import LANGUAGES, Language, doubt_words, order_words
from grammar.words import COURTESIES, DOUBT_WORDS, words

PLACE, POWER, KIND, COAST, NUMBER = "A_PLACE", "A_POWER", "A_KIND", "A_COAST", "A_NUMBER"
"""Terminals of the grammar that the lexicon finds."""
BREAK = "A_BREAK"
"""Terminal of a sign that ends one order before the next in the same line."""
ORDER_BREAKS = frozenset(",/")
"""Such signs, next to the full stop and the semicolon that every line may have."""
UNIT_WORD = "A_UNIT_WORD"
"""Terminal of a unit's word that may be behind its place ("the York army"), where a letter may not."""

_NUMBER_WORDS = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_OPTIONAL_ENDS = frozenset({"castle", "fort", "house", "bay", "firth", "sea", "area"})
"""Words a player may leave off the end of a name that stays unique without them."""

_SEA_WORDS = frozenset({
    "sea", "seas", "area", "bay", "firth", "sound", "roads", "lough", "loch", "channel", "gulf", "estuary",
    "ocean", "mouth", "strait", "straits", "minch", "deep", "water", "waters", "coast", "of",
    "the"})
"""Common words around a sea's own name."""

_AFLOAT, _ASHORE = frozenset((SEA, ALONG_COAST, ANY)), frozenset((LAND, ANY))
"""Ways to move of units that can be at sea, and of those that can be inland."""

_MIN_PREFIX = 3
"""Letters of a name that can represent it where no other name begins so."""
_MAX_ABBREVIATION = 5
"""Letters of a listed short form that counts as an abbreviation."""
_SHARED = "shared"
"""The kind of a short form that represents several regions."""
_MIN_SHORT_FORM = 4
"""Letters of a short form that no one listed."""


class NameLike(Protocol):
    """One spelling of one region: a row of `names.csv`. `spelling` is name, alias or abbreviation."""

    @property
    def text(self) -> str: ...
    @property
    def region(self) -> Region: ...
    @property
    def spelling(self) -> str: ...


class ShortFormLike(Protocol):
    """A row of `short_forms.csv`. `region` is None for a power's people ("English"), `element` is land, sea
    or None; `kind` shows what sort of short form it is."""

    @property
    def text(self) -> str: ...
    @property
    def region(self) -> Region | None: ...
    @property
    def power(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def element(self) -> str | None: ...


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
    """Which meaning wins where one text is a spelling of several things; the lower wins."""

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
"""The meaning of a name: a place, a unit kind, a power's id or a coast's name, a number."""


@dataclass(frozen=True, slots=True)
class Name:
    """One spelling as a line may hold it: `words` folded, without a leading "the"; `terminal` and `value` are
    what the grammar sees. `element`: land or sea where only units there are meant, else None."""

    words: tuple[str, ...]
    terminal: str
    value: Value
    rank: Rank = Rank.NAME
    element: str | None = None

    is_short_form: bool = False

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
    """The names of one game. `build_lexicon` makes it; it never changes afterwards.

    `board` resolves coasts and prints names; `kinds` are unit kinds by letter, `seas` the ids of sea
    provinces, `shared_forms` short forms that represent several regions (Yorks). `doubt_words` make a line a
    condition, a choice or a denial, in every language of the game. In a game with other languages than
    English (`Language`), `letters` are those of units that may be words too, `plain_words` next to an order
    have nothing of the kind, `courtesies` have nothing anywhere, `doubt_phrases` are doubts of several words,
    `reports` show what was or would be, `elisions` are what a tick joins to the word after it, and
    `order_words` are those of their orders. `kind_words` are those of units. `tree` maps a name's words, one
    after the other, to the names that end there (under the key "").
    """

    def __init__(
        self, board: Board, kinds: Mapping[str, UnitKind], names: Iterable[Name],
        doubt_words: frozenset[str] = DOUBT_WORDS, languages: Sequence[Language] = (),
    ) -> None:
        self.board = board
        self.kinds = kinds
        self.doubt_words = doubt_words
        self.letters = frozenset(letter.casefold() for letter in kinds) if languages else frozenset()
        self.plain_words = frozenset[str]().union(*(language.plain for language in languages))
        self.courtesies = COURTESIES.union(*(language.courtesies for language in languages))
        self.doubt_phrases = frozenset[tuple[str, ...]]().union(
            *(language.doubt_phrases for language in languages))
        self.reports = frozenset[str]().union(*(language.reports for language in languages))
        self.elisions = frozenset[str]().union(*(language.elisions for language in languages))
        self.order_words = frozenset(order_words(languages))
        self.seas = frozenset(key for key, province in board.provinces.items() if province.is_sea)
        best: dict[tuple[str, tuple[str, ...]], dict[Value, Name]] = defaultdict(dict)
        by_element: list[Name] = []
        for name in names:
            if name.element is not None:
                by_element.append(name)
                continue
            same = best[name.terminal, name.words]
            top = min((n.rank for n in same.values()), default=name.rank)
            # A text that is one region's name and another's alias means the former.
            if name.rank < top:
                same.clear()
            if name.rank <= top:
                same.setdefault(name.value, name)
        # What only units of one element mean is next to what all mean: the unit decides (WRD-01).
        by_element = [n for n in by_element if n.value not in best.get((n.terminal, n.words), {})]
        self.names = (*(n for same in best.values() for n in same.values()), *by_element)
        self.shared_forms = frozenset(
            n.text for n in self.names if n.is_short_form and n.rank is Rank.SHORTENED)
        self._cores = tuple(sorted({
            (core, Region(name.value.province)) for name in self.names if isinstance(name.value, Region)
            for core in _cores(name.words, is_sea=name.value.province in self.seas)}))
        self._spelled = {(n.words, n.value): n for n in self.names if n.terminal == PLACE}
        self._words: dict[tuple[str, Value], set[str]] = defaultdict(set)
        for name in self.names:
            self._words[name.terminal, name.value].update(name.words)
        self.kind_words = frozenset(
            word for name in self.names if name.terminal == KIND for word in name.words)
        self.tree: dict[str, Any] = {}
        for name in self.names:
            node = self.tree
            for word in name.words:
                node = node.setdefault(word, {})
            node.setdefault("", []).append(name)
        # A short form is near too much else: "Yours" is a letter from "Yorks".
        self._places = [n for n in self.names if n.terminal == PLACE and not n.is_short_form]
        self._place_texts = [n.text for n in self._places]
        # No one listed a beginning: only the board's own names are meant by one.
        self._sorted = sorted((n.text, n.value) for n in self._places
                              if isinstance(n.value, Region))

    def spelled(self, text: str, region: Region) -> Name | None:
        """The name of a region that a text is, word for word; None where it is not a listed one."""
        return self._spelled.get((name_key(text), region))

    def nearest_places(self, text: str, count: int = 5) -> list[Match]:
        """The regions whose spelling is nearest to a text, best first, each region once."""
        key = " ".join(name_key(text))
        best: dict[Region, tuple[float, str]] = {}
        # Several spellings of one region may be near; a few times `count` are enough to see others too.
        matches = process.extract(key, self._place_texts, scorer=fuzz.ratio, limit=4 * count + 4)
        for spelling, score, index in matches:
            region = self._places[index].value
            if isinstance(region, Region):
                best.setdefault(region, (score / 100, spelling))
        ranked = sorted(best.items(), key=lambda item: (-item[1][0], str(item[0])))
        next_scores = [score for _, (score, _) in ranked[1:]] + [0.0]
        return [Match(region, spelling, score, score - next_scores[n])
                for n, (region, (score, spelling)) in enumerate(ranked[:count])]

    def regions_beginning_with(self, prefix: str) -> tuple[Region, ...]:
        """The only region with a spelling that begins so, from three letters on ("Iri"), or the only one on
        land and the only one at sea, between which the unit decides ("Caern"); none where more begin so."""
        if len(prefix) < _MIN_PREFIX:
            return ()
        regions: dict[Region, bool] = {}
        for region in _regions_beginning_with(prefix, self._sorted):
            regions[region] = region.province in self.seas
            if len(set(regions.values())) < len(regions):
                return ()
        return tuple(regions)

    def kind_of(self, letter: str | None) -> UnitKind | None:
        """The kind of unit with this letter; None without one, or for one that the game does not have."""
        return None if letter is None else self.kinds.get(letter)

    def fits_terrain(self, kind: str | None, region: Region) -> bool:
        """True if a unit kind can ever be in a region's terrain, or where either is unknown."""
        known, province = self.kind_of(kind), self.board.provinces.get(region.province)
        if known is None or province is None:
            return True
        # Terrain only, never borders: reading does not look at the board (NON-03).
        if province.is_sea:
            return not _AFLOAT.isdisjoint(known.moves)
        return not _ASHORE.isdisjoint(known.moves) or province.terrain is not Terrain.INLAND

    def words_of(self, terminal: str, value: Value) -> AbstractSet[str]:
        """Every word of the spellings of a name; none of an unknown one."""
        return self._words.get((terminal, value), frozenset())

    def region_beginning_with(self, prefix: str) -> Region | None:
        """The only region with a spelling that begins so; None for none or several."""
        regions = self.regions_beginning_with(prefix)
        return regions[0] if len(regions) == 1 else None

    def terrain_of(self, region: Region) -> Terrain | None:
        """The terrain of a region's province; None for an unknown one."""
        province = self.board.provinces.get(region.province)
        return None if province is None else province.terrain

    def namesakes(self, region: Region, texts: Iterable[str]) -> tuple[Region, ...]:
        """The places at sea for a place on land, or the reverse, whose name without its common words is one
        of these texts, which represent the region: Galway Bay for "Galway", Sound of Jura for "Jura"."""
        keys, is_sea = {name_key(text) for text in texts}, region.province in self.seas
        return tuple(other for key, other in self._cores
                     if key in keys and (other.province in self.seas) != is_sea)

    def is_of_element(self, kind: str | None, element: str) -> bool:
        """True if a unit kind lives on this element, land or sea; False for an unknown kind."""
        known = self.kind_of(kind)
        return known is not None and not (_AFLOAT if element == SEA else _ASHORE).isdisjoint(known.moves)

    def has_coast(self, region: Region) -> bool:
        """True unless the region names a coast that its province does not have."""
        coasts = self.board.provinces[region.province].coasts
        return region.coast is None or region.coast in {coast.id for coast in coasts}

    def province_name(self, region: Region) -> str:
        """The full name of a region's province."""
        return self.board.provinces[region.province].name

    def coast_id(self, province: str, name: str) -> str:
        """The coast id that a coast's name means in a province.

        Where the province has no such coast, the id that another province uses: a wrong coast stays wrong
        (DATC 6.B.3) and is not dropped.
        """
        own_province = self.board.provinces.get(province)
        own_id = own_province.coast_id(name) if own_province else None
        other_ids = (p.coast_id(name) for p in self.board.provinces.values())
        return own_id or next((coast_id for coast_id in other_ids if coast_id), name.title())


def _cores(key: tuple[str, ...], *, is_sea: bool) -> Iterable[tuple[str, ...]]:
    """A name without the common words of a sea's name around it, if it is a sea's and has any; for a place on
    land the name itself."""
    if not is_sea:
        yield key
        return
    first, end = 0, len(key)
    while first < end and key[first] in _SEA_WORDS:
        first += 1
    while end > first and key[end - 1] in _SEA_WORDS:
        end -= 1
    if first < end and end - first < len(key):
        yield key[first:end]


def name_key(text: str) -> tuple[str, ...]:
    """The words of a name: folded, & as "and", without signs and without a leading "the"."""
    key = tuple(w.text for w in words(text) if w.text[0].isalnum())
    return key[1:] if len(key) > 1 and key[0] == "the" else key


def build_lexicon(
    board: Board,
    kinds: Mapping[str, UnitKind],
    names: Iterable[NameLike],
    powers: Iterable[PowerLike] = (),
    short_forms: Iterable[ShortFormLike] = (),
    languages: Iterable[Language] = (),
) -> Lexicon:
    """The lexicon of a board, its unit kinds, its rows of spellings, its powers, what its people write for
    short, and the unit words of other languages.

    Where `names` gives no NAME row for a province, the board's own id, name and abbreviation still count.
    """
    places = [
        Name(key, PLACE, place.value, place.rank)
        for place in _place_names(board, names) for key in _with_and_without_articles(place.words)]
    languages = tuple(languages)
    every_name = [
        *places,
        *_short_forms(places),
        *_power_names(powers),
        *_listed_short_forms(short_forms, {language.name for language in languages}),
        *_kind_names(kinds),
        *_foreign_names(kinds, board, languages),
        *_coast_names(board),
        *(Name((word,), NUMBER, number) for number, word in enumerate(_NUMBER_WORDS, 1)),
    ]
    # "Sil" is Silesia before it is "s'il".
    doubts = doubt_words(languages) - {name.words[0] for name in places if len(name.words) == 1}
    return Lexicon(board, kinds, every_name, DOUBT_WORDS | doubts, languages)


def _place_names(board: Board, rows: Iterable[NameLike]) -> Iterable[Name]:
    for row in rows:
        yield Name(name_key(row.text), PLACE, row.region, Rank[row.spelling.upper()])
        joined = name_key(row.text.replace("-", ""))  # "Ashbydelazouch"
        if "-" in row.text and joined:
            yield Name(joined, PLACE, row.region, Rank[row.spelling.upper()])
        key = name_key(row.text)
        if len(key) > 1 and key[0] == "county":
            for county in (("co",), ("county", "of")):
                yield Name((*county, *key[1:]), PLACE, row.region,
                           max(Rank.ALIAS, Rank[row.spelling.upper()]))
    for province in board.provinces.values():
        region = Region(province.id)
        yield Name(name_key(province.name), PLACE, region)
        yield Name(name_key(province.id), PLACE, region, Rank.ALIAS)
        if province.abbr:
            yield Name(name_key(province.abbr), PLACE, region, Rank.ABBREVIATION)


def _listed_short_forms(rows: Iterable[ShortFormLike], languages: Container[str]) -> Iterable[Name]:
    for row in rows:
        key = name_key(row.text)
        if row.kind in LANGUAGES:
            # A name as good as the board's own, where its language is spoken.
            if row.kind in languages and row.region is not None:
                yield Name(key, PLACE, row.region, Rank.ALIAS)
            continue
        if row.region is None:
            yield Name(key, POWER, row.power, Rank.ALIAS)
            continue
        # A short word counts as a whole only: one letter makes Hants of Hunts.
        is_abbreviation = len(key) == 1 and len(key[0]) <= _MAX_ABBREVIATION
        # What several regions share ranks last, so that a region's own name never yields to it.
        rank = (Rank.SHORTENED if row.kind == _SHARED
                else Rank.ABBREVIATION if is_abbreviation else Rank.ALIAS)
        yield Name(key, PLACE, row.region, rank, row.element, is_short_form=True)


def _with_and_without_articles(key: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    """A name's words as listed, and without the articles inside it ("Dublin & Pale")."""
    yield key
    bare = tuple(w for n, w in enumerate(key) if n == 0 or w != "the")
    if bare != key:
        yield bare


def _short_forms(places: Sequence[Name]) -> Iterable[Name]:
    """Short forms that no one listed and that fit one region only.

    These are either half of a name joined by "and" (Q-44), the start of "X upon Y", and a name without its
    last common word ("Ashby-de-la-Zouch" for the castle).
    """
    texts = sorted((n.text, n.value) for n in places if isinstance(n.value, Region))
    for name in places:
        # Half of an abbreviation is not a short form of anything.
        if name.rank is Rank.ABBREVIATION:
            continue
        for short in _shortened(name.words):
            text = " ".join(short)
            # By beginnings: a short form that another name begins with too would represent both.
            is_unique = all(region == name.value for region in _regions_beginning_with(text, texts))
            if len(text) >= _MIN_SHORT_FORM and is_unique:
                yield Name(short, PLACE, name.value, Rank.SHORTENED)


def _regions_beginning_with(prefix: str, texts: Sequence[tuple[str, Region]]) -> Iterable[Region]:
    """The region of each spelling with that beginning; `texts` are sorted."""
    # Spellings that begin alike are neighbours. Asking each of 800 took 0.1 s for a board of 130 provinces.
    for text, region in islice(texts, bisect_left(texts, (prefix,)), None):
        if not text.startswith(prefix):
            return
        yield region


def _shortened(key: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    for joint in ("and", "upon"):
        if joint in key[1:-1]:  # a place may be called "And" by itself
            index = key.index(joint, 1)
            yield key[:index]
            if joint == "and":
                rest = key[index + 1:]
                yield rest[1:] if rest[0] == "the" else rest
    end = len(key)
    while end > 1 and key[end - 1] in _OPTIONAL_ENDS:
        end -= 1
    if end < len(key):
        yield key[:end]


def _power_names(powers: Iterable[PowerLike]) -> Iterable[Name]:
    for power in powers:
        names = (power.name, Rank.NAME), (power.id, Rank.NAME), (power.person, Rank.ALIAS)
        for text, rank in (*names, *((alias, Rank.ALIAS) for alias in power.aliases)):
            if name_key(text):
                yield Name(name_key(text), POWER, power.id, rank)


def _kind_names(kinds: Mapping[str, UnitKind]) -> Iterable[Name]:
    for letter, kind in kinds.items():
        key = name_key(kind.name)
        if len(name_key(letter)) > 1:  # a letter that holds a sign, as A/F does, is spelled with that sign
            yield Name(tuple(word.text for word in words(letter)), KIND, KindWord(letter))
            yield Name(tuple(word.text for word in words(kind.name)), KIND, KindWord(letter))
        else:
            yield Name(name_key(letter), KIND, KindWord(letter))
        yield Name(key, KIND, KindWord(letter))
        yield Name((*key[:-1], plural(key[-1])), KIND, KindWord(letter, plural=True))
        for word in kind.also:
            yield Name(name_key(word), KIND, KindWord(letter))
            yield Name(name_key(plural(word)), KIND, KindWord(letter, plural=True))


def _foreign_names(
    kinds: Mapping[str, UnitKind], board: Board, languages: Iterable[Language]
) -> Iterable[Name]:
    """Unit words and coasts of the languages that a game has switched on."""
    coasts = {coast.name.casefold(): coast.name for p in board.provinces.values() for coast in p.coasts}
    for language in languages:
        for letter, kind in kinds.items():
            for word, is_plural in language.unit_words.get(kind.name.casefold(), {}).items():
                yield Name(name_key(word), KIND, KindWord(letter, plural=is_plural))
        for word, coast in language.coasts.items():
            if coast in coasts:
                yield Name(name_key(word), COAST, coasts[coast])


def plural(noun: str) -> str:
    """The plural of a unit's word: armies, fleets, coaches."""
    if noun.endswith("y"):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith("ch") else f"{noun}s"


def _coast_names(board: Board) -> Iterable[Name]:
    id_of = {coast.name: coast.id for p in board.provinces.values() for coast in p.coasts}
    for name, coast_id in id_of.items():
        key = name_key(name)
        yield Name(key, COAST, name)
        yield Name(name_key(coast_id), COAST, name)
        if len(key) == 2 and key[1] == "coast":
            side, letter = key[0], key[0][0]
            shorts = (f"{letter}c",), (letter, "c"), (letter, "coast"), (f"{side}ern", "coast"), (side,)
            for short in shorts:
                yield Name(short, COAST, name, Rank.ALIAS)
