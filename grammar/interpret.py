"""The meaning of a text that the automaton wrote: its orders when taken literally, and what calls for
care."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from rapidfuzz.distance import OSA, Levenshtein

from adjudicator.geo import Region
from adjudicator.orders import FieldKind, Order, order_fields
from grammar.build_orders import MAKERS, Maker
from grammar.candidates import LineContext, is_plain_word, read_literally
from grammar.compose import Forms
from grammar.lexicon import PLACE, POWER, Lexicon, Name, Rank
from grammar.order_starts import kind_word_pattern, order_starts
from grammar.order_traits import named_regions, provinces_of
from grammar.words import (
    BY_CONVOY,
    body_start,
    first_phrase,
    is_by_convoy,
    no_whole_number,
    without_elisions,
    words,
)

_ENDS = frozenset(".,;")
_PARENTHESES = frozenset("()")
_MISREAD_FROM, _TWO_MISREAD_FROM = 4, 6
"""Letters from which a word of doubt may be misread by one letter, and by two."""
_NEAR_DOUBT_FROM = 3
"""Letters from which a word that no reading has may be a word of doubt misread by one letter ("nur")."""
_UNCHANGED = re.compile(r"\(\s*no change\W*\)", re.IGNORECASE)
_ENDS_CONDITION = re.compile(r"\W*then\b", re.IGNORECASE)
"""How the second half of a condition begins, in its own row: "then Army Mar holds"."""
_JOINT = re.compile(r"[-–—→>]\s?[A-Z]")
"""A dash or arrow and a capital: what is left of "Cork - Kerry"."""
_MOVES_ON = re.compile(r"\W*(?:to|into|moving|in attacking)\b|\s*(?:[-–—]>?|→)\s?\w", re.IGNORECASE)
"""The beginning of a row that a move goes on in: "into Lancashire", "- Limerick"."""
_ALSO = re.compile(r"\W*(?:and\b|&\s*\w)", re.IGNORECASE)
"""What no line begins with by itself: "and Harris unless Hamilton is there" is the end of one."""
_SENTENCE = 5
"""Words from which a line is a sentence and no end of a name."""
_LONE_FROM = 5
"""Letters from which a word of a name is more than an article or a code."""
_LOST_IF = re.compile(r"\W*f (?:he|it|my|no|not|possible|she|there|they|you)\b", re.IGNORECASE)
"""The beginning of a condition without its first letter."""
_PLACE_LIKENESS = 0.78
"""Likeness, 0..1, from which a text may be a place's name misread."""


def orders_in_text(
    text: str, *, lexicon: Lexicon, forms: Sequence[Forms], power: str = "", line: int | None = None,
    makers: Mapping[str, Maker] = MAKERS,
) -> tuple[tuple[Order, ...], ...]:
    """The orders of a text whose every word is known.

    One reading, several where a name represents two regions, none where the text is not an order. Of several
    `forms` the first that takes it counts.
    """
    for form in forms:
        context = LineContext(form, lexicon, power, makers)
        candidates = read_literally(words(text, body_start(text)), context, line).candidates
        if candidates:
            return tuple(candidate.orders for candidate in candidates)
    return ()


def contradicts_itself(text: str, *, lexicon: Lexicon, forms: Sequence[Forms]) -> bool:
    """True if a text whose every word is known puts an army at sea, or sends a unit where it is, by its only
    reading, and so is not an order (`grammar.impossible`)."""
    line = words(text, body_start(text))
    return any(
        read_literally(line, LineContext(form, lexicon, "", MAKERS), None).contradiction is not None
        for form in forms
    )


# What is in the text.


def has_doubt(text: str, lexicon: Lexicon) -> bool:
    """True if a text as read freely holds a question mark, or a word or phrase that makes an order a
    condition, a choice, a denial or a report ("unterstützte"), in a language of the game, or begins like the
    end of a condition. "(no change)" since the last version is none."""
    # "If Cumberland attacks Army Mar", with its "If" lost, and below it "then Army Mar holds": the second
    # passed as an order.
    if "?" in text or ends_condition(text):
        return True
    text = _UNCHANGED.sub("", text)
    line = words(text, body_start(text))
    return any(word.text in lexicon.doubt_words or word.text in lexicon.reports for word in line) or bool(
        first_phrase(line, lexicon.doubt_phrases))


def leaves_out_word(text: str, reading: str, lexicon: Lexicon) -> bool:
    """True if a text as read freely holds what its reading does not: an order word of another language than
    English, or what is within a letter of a word of doubt. Always False in a game without such a language."""
    # Their shortest words are a letter apart and say the opposite: "kommt von Surrey" passed as "kommt on
    # Surrey", "rend Surrey" (gives it back) as "prend", "tient à Surrey" as "vient", and "micht nach Surrey",
    # which was "nicht", as "mich".
    if not lexicon.order_words:
        return False
    # "d'une" is a word of the forms as it is, and "l'armée" are two.
    return all(_holds_more(version, reading, lexicon)
               for version in (text, without_elisions(text, lexicon.elisions, lexicon.tree)))


def _holds_more(text: str, reading: str, lexicon: Lexicon) -> bool:
    rest = Counter(word.text for word in words(text)) - Counter(word.text for word in words(reading))
    return any(word in lexicon.order_words or _is_nearly_doubt(word, lexicon.doubt_words) for word in rest)


def _is_nearly_doubt(word: str, doubts: Iterable[str]) -> bool:
    return len(word) >= _NEAR_DOUBT_FROM and any(
        len(doubt) >= _NEAR_DOUBT_FROM and OSA.distance(word, doubt, score_cutoff=1) <= 1 for doubt in doubts)


def has_broken_number(text: str, orders: Sequence[Order]) -> bool:
    """True if an order counts something, and a text of it holds a number that is not whole ("1.5"); elsewhere
    a telephone number or a date has nothing of an order (WOR-02)."""
    return no_whole_number(text) is not None and any(map(_has_count, orders))


def _has_count(order: Order) -> bool:
    return any(kind is FieldKind.COUNT for kind, _ in order_fields(type(order)).values())


def drops_plain_word(text: str, reading: str, lexicon: Lexicon, forms: Sequence[Forms]) -> bool:
    """True if a text that is plainly read holds an order word, a unit's word or a denial that a reading of it
    does not: "doesn't move" is not "- Mayo" (WOR-03)."""
    words_of_reading = {word.text for word in words(reading)}
    return any(word.text not in words_of_reading for word in words(text)
               if is_plain_word(word.text, lexicon, forms))


def is_separate_condition(text: str, lexicon: Lexicon) -> bool:
    """True if a line is a ban or a condition that names its own unit ("Do not move Fleet Hull to York", "If
    Army Mayo holds then ..."). It then has nothing about the order above."""
    return _condition_with_unit(lexicon).match(text) is not None


def is_open_condition(text: str, lexicon: Lexicon) -> bool:
    """True if a line begins a condition that names a unit and gives no order itself: "If Hamilton attacks
    Fleet Hull then". "unless they come" names none and is rather the end of the line above."""
    names_unit = re.search(rf"\b{kind_word_pattern(lexicon.kinds)} \w{{3}}", text, re.IGNORECASE) is not None
    return names_unit and _begins_with_doubt(text, lexicon) and not is_separate_condition(text, lexicon)


def ends_condition(text: str) -> bool:
    """True if a text begins like the second half of a condition: "then Army Mar holds"."""
    return _ENDS_CONDITION.match(text) is not None


@lru_cache(maxsize=8)
def _condition_with_unit(lexicon: Lexicon) -> re.Pattern[str]:
    unit = rf"\b{kind_word_pattern(lexicon.kinds)} \w{{3}}"
    # A full ban or condition has its own unit and verb. "if Mayo holds" has none, and may be the end of the
    # line above.
    ban = rf"(?:do not|don'?t) (?:move|send|convoy|support|build)\b.*{unit}"
    # "If possible Army Cork to Kent, otherwise holds"; without its end it may go on in the next row.
    condition = rf"if\b.*{unit}.*\bthen\s+\w|if possible\b.*{unit}.*\botherwise\s+\w"
    return re.compile(rf"\W*(?:{ban}|{condition})", re.IGNORECASE)


def goes_on(text: str) -> bool:
    """True if a text begins like the end of a move, or states no more than that one goes by convoy.

    "Army Cornwall moves to County Galway", and below it "via convoy": the first passed as a march.
    """
    return _MOVES_ON.match(text) is not None or is_by_convoy(
        [word.text for word in words(text) if any(map(str.isalnum, word.text))]
    )


def ends_name(above: str, below: str, lexicon: Lexicon) -> bool:
    """True if the last words of one row and all words of the next are a place's name, in which letters may be
    misread.

    "... moves to Waterford", and below it "Roads.": the first passed as a move to another place.
    """
    first, last = ([word.text for word in words(text) if word.text.isalnum()] for text in (above, below))
    return bool(first and last) and any(
        len(name) > len(last)
        and _are_alike(last, name[-len(last):])
        and _are_alike(first[len(last) - len(name):], name[:-len(last)])
        for name in _long_names(lexicon))


def _are_alike(read: Sequence[str], name: Sequence[str]) -> bool:
    """True if the words are the same, or a longer one is misread by one letter."""
    return len(read) == len(name) and all(
        OSA.distance(word, other, score_cutoff=1) <= (len(other) >= _MISREAD_FROM)
        for word, other in zip(read, name, strict=True))


@lru_cache(maxsize=8)
def _long_names(lexicon: Lexicon) -> tuple[tuple[str, ...], ...]:
    """The words of all places' names of two words and more."""
    return tuple({name.words for name, _ in _place_names(lexicon) if len(name.words) > 1})


def may_be_order_fragment(text: str, lexicon: Lexicon) -> bool:
    """True if a text that is not an order may be what is left of one.

    Fragments are a place or the end of its name, "via convoy", a word of doubt, the end of a bracket, or a
    short order run together. A power's own name is more likely a signature, and a sentence that names no
    place states something else unless it begins like a condition.
    """
    if _speaks_of_no_place(text, lexicon):
        return _begins_with_doubt(text, lexicon)
    if (has_doubt(text, lexicon) or _ALSO.match(text) or order_starts(lexicon, ()).begins_short_order(text)
            or _begins_with_doubt(text, lexicon) or goes_on(text) or _JOINT.search(text)
            or (")" in text and "(" not in text)):
        return True
    bare = " ".join(word.text for word in words(text) if any(map(str.isalnum, word.text)))
    powers = [name.text for name in lexicon.names if name.terminal == POWER]
    place = next(iter(lexicon.nearest_places(text, 1)), None)
    likeness = place.score if place is not None and place.score >= _PLACE_LIKENESS else 0.0
    # All its words belong to places, so it may be the end of a name that a row break cut in two.
    if bare and set(bare.split()) <= _words_of_places(lexicon):
        likeness = max(likeness, _PLACE_LIKENESS)
    power_likeness = (Levenshtein.normalized_similarity(bare, power) for power in powers)
    return likeness > max(power_likeness, default=0.0)


def _speaks_of_no_place(text: str, lexicon: Lexicon) -> bool:
    """True for a sentence in which no word is like one of a place's or power's name, or of a way by sea: "As
    before, except as listed"; not for one that begins like "and Harris unless ..."."""
    texts = [word.text for word in words(text) if word.text.isalpha()]
    if len(texts) < _SENTENCE or _ALSO.match(text):
        return False
    # Shorter words are articles and codes, which a sentence holds too.
    known = [word for word in _words_of_names(lexicon) if len(word) >= _MISREAD_FROM]
    return not any(
        OSA.distance(word, name, score_cutoff=2) <= 1 + (len(name) >= _TWO_MISREAD_FROM)
        for word in texts if len(word) >= _MISREAD_FROM for name in known)


@lru_cache(maxsize=8)
def _words_of_names(lexicon: Lexicon) -> frozenset[str]:
    """Every word of a place's or power's name, and those that state that one goes by sea."""
    powers = {word for name in lexicon.names if name.terminal == POWER for word in name.words}
    return _words_of_places(lexicon) | powers | BY_CONVOY


def _begins_with_doubt(text: str, lexicon: Lexicon) -> bool:
    """True if the first word is one letter away from a word of doubt, or two where it is long ("unbess").

    A condition written on a separate row would make the order above it another one.
    """
    first = next((word.text for word in words(text) if word.text.isalpha()), "")
    if len(first) < _MISREAD_FROM:
        # Of the short words only "if" begins a condition; "or" and "no" are one letter from "of"
        # and "on". Its i may be lost; but an F by itself is a fleet.
        return _LOST_IF.match(text) is not None or (
            len(first) == len("if") and OSA.distance(first, "if") <= 1)
    long_doubts = (doubt for doubt in lexicon.doubt_words if len(doubt) >= _MISREAD_FROM)
    return any(OSA.distance(first, doubt) <= 1 + (len(doubt) >= _TWO_MISREAD_FROM) for doubt in long_doubts)


# Places whose names can be mistaken for other places' names.


def place_spans(text: str, orders: Sequence[Order], lexicon: Lexicon) -> tuple[tuple[int, int], ...]:
    """Where in a text the names of the orders' places are, as [first, last) of its words between blanks.

    Of each place the longest spelling that the text holds.
    """
    return _name_spans(text, provinces_of(orders), lexicon)


def begun_names(text: str, orders: Sequence[Order], lexicon: Lexicon) -> tuple[int, ...]:
    """Which of a text's words between blanks represent a place of the orders as no more than the beginning of
    its name, which no list has ("Iri")."""
    provinces, listed = provinces_of(orders), _listed(lexicon)
    # "Easter Ross", and "Easter" by itself would be a beginning of it.
    in_names = {index for span in place_spans(text, orders, lexicon) for index in range(*span)}
    return tuple(
        index for index, word in enumerate(text.split(" "))
        if index not in in_names and word.isalpha() and word not in listed
        and (region := lexicon.region_beginning_with(word)) is not None and region.province in provinces)


def _name_spans(text: str, provinces: Iterable[str], lexicon: Lexicon) -> tuple[tuple[int, int], ...]:
    line = [" ".join(word.text for word in words(part) if word.text not in _ENDS) for part in text.split(" ")]
    spans: set[tuple[int, int]] = set()
    for province in provinces:
        for name in (spelling.split(" ") for spelling in _spellings_of(lexicon)[province]):
            spans |= {(start, start + len(name)) for start in range(len(line) - len(name) + 1)
                      if line[start:start + len(name)] == name}
    return tuple(sorted(span for span in spans if not any(
        other != span and other[0] <= span[0] and span[1] <= other[1] for other in spans)))


def has_shared_short_name(text: str, orders: Sequence[Order], lexicon: Lexicon) -> bool:
    """True if a place is written with words that another's name has too, so that no one knows which is
    meant.

    Examples: "Shannon" for Shannon Sea Area, next to Shannon Mouth; "Minch" for The Minch, next to The Little
    Minch. A code on the board's own list is none: "TYNE" is Tyne Sea Area, whatever stands upon the Tyne.
    """
    # "Portland (Dorset)" is its own spelling.
    line = " ".join(word.text for word in words(text) if word.text not in _PARENTHESES)
    for province in {region.province: None for order in orders for _, region in named_regions(order)}:
        name = " ".join(word.text for word in words(lexicon.board.provinces[province].name))
        article, _, bare = name.partition(" ")
        if (article == "the" and province in _contained_names(lexicon)
                and re.search(rf"(?<!\bthe )\b{re.escape(bare)}\b", line)):
            return True
        longest = next(
            (s for s in _spellings_of(lexicon)[province] if re.search(rf"\b{re.escape(s)}\b", line)), None)
        if (province, longest) in _shared_spellings(lexicon):
            return True
    return False


def has_shared_short_form(text: str, reading: str, orders: Sequence[Order], lexicon: Lexicon) -> bool:
    """True if a text as read freely holds a short form that represents several regions (Yorks, of three
    Ridings). `reading`: as its order writes it, in whose longer names it may stand ("East Yorkshire")."""
    shared = {word.text for word in words(text)} & lexicon.shared_forms
    written = reading.split(" ")
    longer = {
        word.text for first, end in (place_spans(reading, orders, lexicon) if shared else ())
        if end - first > 1 for word in words(" ".join(written[first:end]))
    }
    return not shared <= longer


@lru_cache(maxsize=8)
def _spellings_of(lexicon: Lexicon) -> Mapping[str, Sequence[str]]:
    """Every spelling of each province, the longest first."""
    texts: dict[str, list[str]] = {province: [] for province in lexicon.board.provinces}
    for name, province in _place_names(lexicon):
        texts[province].append(name.text)
    return {province: sorted(spellings, key=len, reverse=True) for province, spellings in texts.items()}


@lru_cache(maxsize=8)
def _shared_spellings(lexicon: Lexicon) -> frozenset[tuple[str, str]]:
    """Provinces with those of their short spellings whose words are in their own name and in another's."""
    names = _name_words(lexicon)
    return frozenset(
        (province, name.text) for name, province in _place_names(lexicon)
        if name.rank not in {Rank.NAME, Rank.ABBREVIATION}
        and set(name.words) < names.get(province, frozenset())
        and any(set(name.words) <= other for key, other in names.items() if key != province))


@lru_cache(maxsize=8)
def _listed(lexicon: Lexicon) -> frozenset[str]:
    """Every spelling of a name."""
    return frozenset(name.text for name in lexicon.names)


@lru_cache(maxsize=8)
def _words_of_places(lexicon: Lexicon) -> frozenset[str]:
    """Every word of a place's name."""
    return frozenset(word for name in _name_words(lexicon).values() for word in name)


@lru_cache(maxsize=8)
def lone_words(lexicon: Lexicon) -> frozenset[str]:
    """Words of places' names, from five letters, that by themselves are not a spelling of a place:
    "riding"."""
    spellings = {name.text for name, _ in _place_names(lexicon)}
    return frozenset(
        word for word in _words_of_places(lexicon) - spellings if len(word) >= _LONE_FROM and word.isalpha())


@lru_cache(maxsize=8)
def _contained_names(lexicon: Lexicon) -> frozenset[str]:
    """Provinces whose name's words are all in another's name."""
    names = _name_words(lexicon)
    return frozenset(province for province, name in names.items()
                     if any(name < other for other in names.values()))


@lru_cache(maxsize=8)
def _name_words(lexicon: Lexicon) -> Mapping[str, frozenset[str]]:
    """The words of each province's name."""
    return {province: frozenset(name.words) for name, province in _place_names(lexicon)
            if name.rank is Rank.NAME}


def _place_names(lexicon: Lexicon) -> Iterable[tuple[Name, str]]:
    """Each spelling of a place with its province."""
    for name in lexicon.names:
        if name.terminal == PLACE and isinstance(name.value, Region):
            yield name, name.value.province
