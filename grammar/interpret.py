"""What a text that the automaton wrote means: the orders it is when taken as it stands, and what in them asks
for care."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from rapidfuzz.distance import OSA, Levenshtein

from adjudicator.geo import Region
from adjudicator.orders import Convoy, FieldKind, Order, SupportHold, SupportMove, UnitOrder, order_fields
from grammar import candidates, fuzzy_edges
from grammar.build_orders import MAKERS, Maker
from grammar.candidates import LineContext
from grammar.compose import Forms
from grammar.exact_edges import DOUBT_WORDS
from grammar.lexicon import PLACE, POWER, Lexicon, Rank
from grammar.order_starts import kind_letter_pattern, kind_word_pattern, order_starts
from grammar.print import canonical
from grammar.words import body_start, words

_ODD, _MORE = 4.0, 3.0
_ENDS = frozenset(".,;")
_SOME, _LONG = 4, 6
"""Letters from which a word of doubt may be misread by one and by two."""
_NEARLY = 3
"""Letters by which two printed orders differ that are easily taken for each other."""


def orders_in_text(
    text: str, *, lexicon: Lexicon, forms: Sequence[Forms], power: str = "", line: int | None = None,
    makers: Mapping[str, Maker] = MAKERS,
) -> tuple[tuple[Order, ...], ...]:
    """The orders of a text every word of which is known: one reading, several where a name stands for two
    regions, none where the text is no order. Of several `forms` the first that takes it counts."""
    for each in forms:
        found = candidates.read_literally(
            words(text, body_start(text)), LineContext(each, lexicon, power, makers), line
        ).candidates
        if found:
            return tuple(candidate.orders for candidate in found)
    return ()


_UNCHANGED = re.compile(r"\(\s*no change\W*\)", re.IGNORECASE)


def has_doubt(text: str) -> bool:
    """Does a text as read freely hold a word that makes an order a condition, a choice or a denial, or a
    question mark? That nothing changed since the last version, said in parentheses, is none."""
    return "?" in text or any(word.text in DOUBT_WORDS for word in words(_UNCHANGED.sub("", text)))


def is_incomplete(orders: Sequence[Order]) -> bool:
    """Not exactly one order, or one whose unit has no kind: players write it, so a reader has more likely
    lost it."""
    return len(orders) != 1 or any(isinstance(o, UnitOrder) and o.unit.kind is None for o in orders)


def has_kindless_target(orders: Sequence[Order]) -> bool:
    """Is a supported or convoyed unit named without its kind?"""
    return any(isinstance(o, SupportHold | SupportMove | Convoy) and o.target.kind is None for o in orders)


def names_own_place(orders: Sequence[Order]) -> bool:
    """Whether an order names its own place as its goal or partner ("Army Limerick moves to Limerick"): by
    words alone a sign that one was lost, since county and town share names."""
    for order in orders:
        if isinstance(order, UnitOrder):
            named = [getattr(order, "to", None), getattr(getattr(order, "target", None), "region", None)]
            if any(region is not None and region.province == order.unit.region.province for region in named):
                return True
    return False


def has_strange_coast(orders: Sequence[Order], lexicon: Lexicon) -> bool:
    """Whether an order names a coast that its place has not ("Charlemont north coast"): more likely a name
    misread ("Channel") than meant. Who does mean it has it, wrong as it is (DATC 6.B.3)."""
    return any(
        not lexicon.has_coast(region) for order in orders for _, region in candidates.named_regions(order)
    )


def oddity_cost(orders: Sequence[Order], lexicon: Lexicon) -> float:
    """Nats that orders cost which nobody means to write, wherever anything stands: a unit that goes to,
    supports or convoys its own place, a convoy by an army, a coast that a place has not, several orders in
    one line."""
    convoys = sum(isinstance(o, Convoy) and o.unit.kind == "A" for o in orders)
    return _ODD * (convoys + names_own_place(orders) + has_strange_coast(orders, lexicon)) + _MORE * (
        len(orders) - 1
    )


def hangs_on_one_letter(text: str, orders: Sequence[Order], lexicon: Lexicon, forms: Sequence[Forms]) -> bool:
    """Does the text hold an abbreviation that one letter taken for its like turns into another's (Lon, Lan),
    or a figure in an order of the game's own (5 grain), which any figure may stand in for?"""
    if any(
        order.TERSE and any(holds is FieldKind.COUNT for holds, _ in order_fields(type(order)).values())
        for order in orders
    ):
        return True
    named = {Region(region.province) for order in orders for _, region in candidates.named_regions(order)}
    return any(
        fuzzy_edges.is_confusable_abbreviation(word.text, named, each, lexicon)
        for word in words(text)
        for each in forms
    )


def are_near(ours: Sequence[Order], others: Sequence[Order], lexicon: Lexicon) -> bool:
    """Are two readings printed nearly alike (A or F, Cork or York), or is one the other with words more?"""
    a, b = ("; ".join(canonical(o, lexicon.board) for o in each) for each in (ours, others))
    return (
        Levenshtein.distance(a, b) <= _NEARLY
        or set(a.split()) <= set(b.split())
        or set(b.split()) <= set(a.split())
    )


def has_homonym(orders: Sequence[Order], lexicon: Lexicon) -> bool:
    """Would a word that was lost have made a place of the orders another (Cork, of County Cork)?"""
    return bool(_twinned(orders, lexicon))


def _twinned(orders: Sequence[Order], lexicon: Lexicon) -> set[str]:
    return {region.province for order in orders for _, region in candidates.named_regions(order)} & _shorter(
        lexicon
    )


def place_spans(text: str, orders: Sequence[Order], lexicon: Lexicon) -> tuple[tuple[int, int], ...]:
    """Where in a text, counted in words between blanks, the names of the orders' places stand: the first word
    of each and the one after its last, the longest spelling that is found."""
    return _spans(
        text, {region.province for order in orders for _, region in candidates.named_regions(order)}, lexicon
    )


def homonym_spans(text: str, orders: Sequence[Order], lexicon: Lexicon) -> tuple[tuple[int, int], ...]:
    """The same of places that a lost word would have made others. Without one that is found the whole text,
    where `has_homonym` says that there is one."""
    twinned = _twinned(orders, lexicon)
    return _spans(text, twinned, lexicon) or (((0, len(text.split(" "))),) if twinned else ())


def _spans(text: str, provinces: Iterable[str], lexicon: Lexicon) -> tuple[tuple[int, int], ...]:
    said = [" ".join(word.text for word in words(part) if word.text not in _ENDS) for part in text.split(" ")]
    found: set[tuple[int, int]] = set()
    for province in provinces:
        for name in (spelled.split(" ") for spelled in _spelled(lexicon)[province]):
            found |= {
                (at, at + len(name))
                for at in range(len(said) - len(name) + 1)
                if said[at : at + len(name)] == name
            }
    return tuple(sorted(one for one in found if not any(
        other != one and other[0] <= one[0] and one[1] <= other[1] for other in found)))


def differ_in_kinds_only(ours: Sequence[Order], others: Sequence[Order], lexicon: Lexicon) -> bool:
    """Do two readings differ in nothing but the kinds of units (A Cork holds, F Cork holds)?"""
    a, b = ("; ".join(canonical(order, lexicon.board) for order in each) for each in (ours, others))
    return a != b and _kind(lexicon).sub("_", a) == _kind(lexicon).sub("_", b)


@lru_cache(maxsize=8)
def _kind(lexicon: Lexicon) -> re.Pattern[str]:
    """A unit's letter in canonical text."""
    return re.compile(kind_letter_pattern(lexicon.kinds))


def has_shared_short_name(text: str, orders: Sequence[Order], lexicon: Lexicon) -> bool:
    """Is a place written short by words of another's name too ("Shannon" for Shannon Sea Area, beside Shannon
    Mouth), or without its article where that does it ("Minch" for The Minch, beside The Little Minch)? Which
    was meant nobody knows."""
    said = " ".join(word.text for word in words(text))
    for order in orders:
        for _, region in candidates.named_regions(order):
            name = " ".join(word.text for word in words(lexicon.board.provinces[region.province].name))
            article, _, bare = name.partition(" ")
            if (
                article == "the"
                and region.province in _shorter(lexicon)
                and re.search(rf"(?<!\bthe )\b{re.escape(bare)}\b", said)
            ):
                return True
            spelled = next(
                (n for n in _spelled(lexicon)[region.province] if re.search(rf"\b{re.escape(n)}\b", said)),
                None,
            )
            if (region.province, spelled) in _shared(lexicon):
                return True
    return False


_LETTER_AT = re.compile(r"^\W*[A-Z]\.? (?:at|of|in|from) ", re.IGNORECASE)


def has_word_after_kind_letter(inked: str) -> bool:
    """Does a little word stand behind a unit's letter ("A at Essex")? Whoever writes a letter for the unit
    leaves such words out; a word for the unit, badly written, reads like one ("Fleet" in a joined hand)."""
    return _LETTER_AT.match(inked) is not None


def has_abbreviation_like_name(inked: str, orders: Sequence[Order], lexicon: Lexicon) -> bool:
    """Is a place's name written in capitals, and so another's abbreviation (MAYO, of Gulf of Mayo)? `inked`
    keeps case."""
    short = {
        province.abbr.casefold(): key for key, province in lexicon.board.provinces.items() if province.abbr
    }
    names = {
        lexicon.board.provinces[region.province].name
        for order in orders
        for _, region in candidates.named_regions(order)
    }
    return any(
        name.casefold() in short and re.search(rf"\b{re.escape(name.upper())}\b", inked) for name in names
    )


@lru_cache(maxsize=8)
def _spelled(lexicon: Lexicon) -> Mapping[str, Sequence[str]]:
    """Every spelling of each province, the longest first."""
    found: dict[str, list[str]] = {province: [] for province in lexicon.board.provinces}
    for name in lexicon.names:
        if name.terminal == PLACE and isinstance(name.value, Region):
            found[name.value.province].append(name.text)
    return {province: sorted(texts, key=len, reverse=True) for province, texts in found.items()}


@lru_cache(maxsize=8)
def _shared(lexicon: Lexicon) -> frozenset[tuple[str, str]]:
    """Provinces with those of their short spellings whose words stand in their own name and in another's."""
    named = _names(lexicon)
    return frozenset(
        (name.value.province, name.text) for name in lexicon.names
        if name.terminal == PLACE and isinstance(name.value, Region) and name.rank is not Rank.NAME
        and set(name.words) < named.get(name.value.province, frozenset())
        and any(set(name.words) <= other for key, other in named.items() if key != name.value.province)
    )


_JOINT = re.compile(r"[-–—→>]\s?[A-Z]")
_LIKE = 0.78
"""Likeness from which a text may be a place's name misread."""


def may_be_order_fragment(text: str, lexicon: Lexicon) -> bool:
    """May a text that is no order be what is left of one: a place or the end of its name, a word of doubt,
    the end of a bracket, or a short order run together? A power's own name is rather a signature."""
    if (
        has_doubt(text)
        or order_starts(lexicon, ()).begun(text)
        or _begins_doubtfully(text)
        or _JOINT.search(text)
        or (")" in text and "(" not in text)
    ):
        return True
    bare = " ".join(word.text for word in words(text) if any(map(str.isalnum, word.text)))
    powers = [name.text for name in lexicon.names if name.terminal == POWER]
    place = next(iter(lexicon.near(text, 1)), None)
    likeness = place.score if place is not None and place.score >= _LIKE else 0.0
    if bare and set(bare.split()) <= _parts(lexicon):
        likeness = max(likeness, _LIKE)
    return likeness > max((Levenshtein.normalized_similarity(bare, power) for power in powers), default=0.0)


@lru_cache(maxsize=8)
def _apart(lexicon: Lexicon) -> re.Pattern[str]:
    """A ban, or a condition, that names a unit."""
    unit = rf"\b{kind_word_pattern(lexicon.kinds)} \w{{3}}"
    return re.compile(
        (rf"\W*(?:(?:do not|don'?t) "
         rf"(?:move|send|convoy|support|build)\b.*{unit}|if\b.*{unit}.*\bthen\b.*\w{{3}})"), re.IGNORECASE)


def is_separate_condition(text: str, lexicon: Lexicon) -> bool:
    """Is a line a ban or a condition that names its own unit ("Do not move Fleet Hull to York", "If Army Mayo
    holds then ...")? Then it says nothing of the order above."""
    return _apart(lexicon).match(text) is not None


def _begins_doubtfully(text: str) -> bool:
    """Is the first word a letter or, where it is long, two away from one of doubt ("unbess")? A condition
    that was written on a row of its own would make the order above it another."""
    first = next((word.text for word in words(text) if word.text.isalpha()), "")
    if len(first) < _SOME:
        return len(first) == len("if") and OSA.distance(first, "if") <= 1
    return any(
        len(doubt) >= _SOME and OSA.distance(first, doubt) <= 1 + (len(doubt) >= _LONG)
        for doubt in DOUBT_WORDS
    )


@lru_cache(maxsize=8)
def _parts(lexicon: Lexicon) -> frozenset[str]:
    """Every word of a place's name."""
    return frozenset(word for named in _names(lexicon).values() for word in named)


@lru_cache(maxsize=8)
def _names(lexicon: Lexicon) -> Mapping[str, frozenset[str]]:
    """The words of each province's name."""
    return {name.value.province: frozenset(name.words) for name in lexicon.names
            if name.terminal == PLACE and name.rank is Rank.NAME and isinstance(name.value, Region)}


@lru_cache(maxsize=8)
def _shorter(lexicon: Lexicon) -> frozenset[str]:
    """Provinces whose name's words all stand in another's."""
    named = _names(lexicon)
    return frozenset(one for one, own in named.items() if any(own < other for other in named.values()))
