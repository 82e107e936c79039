"""Words on a sheet beside its orders: remarks in parentheses, closing words, signatures.

What is not clearly harmless is for a person to look at: nothing here decides what is executed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from rapidfuzz.distance import OSA

from grammar.headings.root_words import is_root
from grammar.lexicon import COAST, PLACE, POWER, Lexicon
from grammar.plain_remarks import USUAL_REMARKS, is_plain
from grammar.words import BY_CONVOY, REMARK_DOUBTS, body_start, words

_REMARK = re.compile(r"\(([^()]*)\)?")
_GREETING = frozenset((
    "luck", "wishes", "regards", "sincerely", "faithfully", "truly", "yours", "cheers", "thanks", "thank",
    "greetings", "signed", "page", "end", "goodbye", "god", "christmas", "easter"))
"""Words that make a line a greeting, a closing or a page number ..."""
_BESIDE_GREETING = frozenset((
    "a", "all", "and", "bless", "best", "everyone", "for", "from", "game", "good", "happy", "kind", "king",
    "many", "merry", "much", "my", "of", "p", "parliament", "ps", "running", "s", "save", "the", "this", "to",
    "very", "warm", "with", "you", "your"))
"""... and words that may be in such a line too."""
_SIGNS = 2
"""Letters and figures at most of what stands behind "page"."""
_VERSION = re.compile(r"v(?:er(?:s(?:ion)?)?)?[. ]*[\dil|!]{1,2}\.?", re.IGNORECASE)
"""The number of a sheet's version by itself, a 1 in it perhaps read as a stroke. No order is so short."""
_SENTENCE = 3
"""Words from which a remark is more than one or two misread names."""
_MISREAD_FROM = 4
"""Letters from which a word may be misread by one and still be known."""
_POWER_LIKENESS = 0.75
_USUAL_LIKENESS = 0.75
"""Least likeness, 0..1, to such a remark. By hand: "(thio wil at any suppert)" has .76."""
_SHORT_REMARKS = ("nochange", "nochanges", "asagreed", "again")
"""Usual remarks too short for a likeness, without spaces."""
_ENDS = 3
"""Letters at either end that must be alike too, one of them misread: "if this will cut any support" is not
"this will cut any support"."""
_CLEAR_AFTER = {"will": ("this", "that", "which", "it", "they", "he"), "cut": ("will", "to")}
"""Words like those of doubt ("till", "but"), and the words after which they are none."""


def has_unclear_remark(inked: str, read: str, lexicon: Lexicon) -> bool:
    """True if an order as aligned to the ink holds a remark that may be a doubt or a condition.

    That is a remark in parentheses that free reading (`read`) does not show, or one with a word like one of
    doubt. "if it is empty" reads much like "(fit is empty)".
    """
    doubts = lexicon.doubt_words
    # "(1)" numbers its line.
    for remark in _REMARK.findall(inked[body_start(inked):]):
        texts = [word.text for word in words(remark) if word.text.isalnum()]
        # "Portland (Dorset)" and "(by convoy)" are parts of the order, and no remarks.
        if not texts or set(texts) <= _name_words(lexicon) | BY_CONVOY:
            continue
        if _is_usual_remark(texts) or (_is_short_remark("".join(texts)) and _ends_in_short_remark(read)):
            continue
        if _is_page_number(texts, doubts) or _shows_short_remark(read):
            continue
        # The parenthesis may be the first letter of the word, misread: "(nless" for "unless".
        if (not _shows_parentheses(read, len(texts), doubts) or _holds_doubt(texts, doubts | REMARK_DOUBTS)
                or any(texts[0].startswith(doubt[1:]) for doubt in doubts)
                or not is_plain(texts, lexicon, _is_like)):
            return True
    return False


def _is_page_number(texts: Sequence[str], doubts: frozenset[str]) -> bool:
    """True for "page l af i": the word, and signs after it."""
    return _is_known(texts[0], ("page",)) and all(
        len(text) <= _SIGNS and text not in doubts for text in texts[1:])


def _shows_short_remark(read: str) -> bool:
    """True if the only remark that free reading shows is a short usual one, letter by letter, where the order
    as aligned has another in its place: "(as aqveed)"."""
    remarks = _REMARK.findall(read)
    return len(remarks) == 1 and ")" in read and "".join(
        word.text for word in words(remarks[0])) in _SHORT_REMARKS


def _is_short_remark(letters: str) -> bool:
    """True if these letters are a short usual remark, one of which may be misread, but none of the first two:
    "(to change)" is not "(no change)"."""
    return any(
        len(letters) == len(usual) and letters[:2] == usual[:2]
        and OSA.distance(letters, usual, score_cutoff=1) <= 1
        for usual in _SHORT_REMARKS)


def _ends_in_short_remark(read: str) -> bool:
    """True if free reading shows such a remark at its end, a parenthesis of which may be read as a letter
    ("cas agreed)", "Ino changel")."""
    letters = "".join(word.text for word in words(read) if word.text.isalnum())
    return any(
        _is_short_remark(letters[-len(usual) - beyond : len(letters) - beyond])
        for usual in _SHORT_REMARKS for beyond in (0, 1))


def _is_usual_remark(texts: Sequence[str]) -> bool:
    """True if these words are what players usually add to an order, with nothing before or after it."""
    letters = "".join(texts)
    return any(
        OSA.normalized_similarity(letters, usual) >= _USUAL_LIKENESS
        and _ends_alike(letters[:_ENDS], usual[: _ENDS + 1])
        and _ends_alike(letters[-_ENDS:], usual[-_ENDS - 1 :])
        for usual in USUAL_REMARKS)


def _ends_alike(letters: str, usual: str) -> bool:
    """True if `letters` differ in one letter at most from the start of `usual`, or from the rest of it."""
    return any(OSA.distance(letters, usual[shift:shift + _ENDS], score_cutoff=1) <= 1 for shift in (0, 1))


def _shows_parentheses(read: str, count: int, doubts: frozenset[str]) -> bool:
    """True if free reading shows both parentheses, or one of them and enough words without a doubt.

    Enough are three or more of the last `count`; the other parenthesis may be read as a letter ("cif it is").
    """
    if "(" in read and ")" in read:
        return True
    last = [word.text for word in words(read) if word.text.isalnum()][-count:]
    first = last[0] if last else ""
    is_hidden = (any(doubt in first for doubt in doubts if len(doubt) > 1)
                 or _is_like_doubt(first[1:], doubts) or _holds_doubt(last, doubts))
    return ("(" in read or ")" in read) and count >= _SENTENCE and not is_hidden


def _holds_doubt(texts: Sequence[str], doubts: frozenset[str]) -> bool:
    """True if one of these words is like one of doubt, where it is."""
    return any(_is_like_doubt(word, doubts) and not _is_clear_after(before, word)
               for before, word in zip(["", *texts], texts, strict=False))


def _is_clear_after(before: str, word: str) -> bool:
    """True if a word is no word of doubt because of the one before it ("wil" after "this").

    Either may lack a letter, or be run together with its neighbour.
    """
    return any(
        word in {clear, clear[1:], clear[:-1]}
        and any(before.endswith((first, first[:-1]) if len(first) >= _MISREAD_FROM else first)
                for first in firsts)
        for clear, firsts in _CLEAR_AFTER.items())


def _is_like_doubt(word: str, doubts: frozenset[str]) -> bool:
    return any(OSA.distance(word, doubt, score_cutoff=1) <= 1 for doubt in doubts)


def is_harmless(text: str, lexicon: Lexicon) -> bool:
    """True if a line is clearly a greeting, a signature, the number of a page or version, or the four words
    of a root of the record.

    A letter here and there may be misread.
    """
    # "v1" in a row of its own was shown at the desk for every sheet that has it: two letters cannot earn the
    # likeness that a heading must.
    if _VERSION.fullmatch(text.strip()):
        return True
    texts = [word.text for word in words(text) if word.text.isalnum()]
    if not texts or any(word in lexicon.doubt_words for word in texts):
        return False
    if is_root(texts):
        return True
    signature = " ".join(word for word in texts if not _is_known(word, ("signed",)))
    likenesses = (OSA.normalized_similarity(signature, power) for power in _power_names(lexicon))
    if signature and max(likenesses, default=0.0) >= _POWER_LIKENESS:
        return True
    greets = [_is_known(word, _GREETING) for word in texts]
    return any(greets) and all(
        greeting or word.isdecimal() or _is_known(word, _BESIDE_GREETING)
        for greeting, word in zip(greets, texts, strict=True))


def _is_like(word: str, known: str) -> bool:
    return _is_known(word, (known,))


def _is_known(word: str, known_words: Iterable[str]) -> bool:
    return any(
        word == known or (len(known) >= _MISREAD_FROM and OSA.distance(word, known, score_cutoff=1) <= 1)
        for known in known_words)


@lru_cache(maxsize=8)
def _power_names(lexicon: Lexicon) -> tuple[str, ...]:
    return tuple(name.text for name in lexicon.names if name.terminal == POWER)


@lru_cache(maxsize=8)
def _name_words(lexicon: Lexicon) -> frozenset[str]:
    """Every word of a place's or coast's name: in parentheses it is part of one ("Portland (Dorset)")."""
    return frozenset(word for name in lexicon.names if name.terminal in {PLACE, COAST} for word in name.words)
