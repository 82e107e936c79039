"""Words on a sheet beside its orders: remarks in parentheses, closing words, signatures, and what may be none
of these.

Whatever is not plainly harmless is somebody's to look at: nothing here decides what is executed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from rapidfuzz.distance import OSA

from grammar.exact_edges import DOUBT_WORDS
from grammar.lexicon import COAST, PLACE, POWER, Lexicon
from grammar.words import words

_REMARK = re.compile(r"\(([^()]*)\)?")
_CONVOYED = frozenset(("by", "via", "convoy"))
_GREETING = frozenset(
    (
        "luck",
        "wishes",
        "regards",
        "sincerely",
        "faithfully",
        "truly",
        "yours",
        "cheers",
        "thanks",
        "thank",
        "greetings",
        "signed",
        "page",
        "end",
        "goodbye",
        "god",
        "christmas",
        "easter",
    )
)
"""Words that make a line one of greeting, closing or counting pages ..."""
_BESIDE = frozenset(
    (
        "a",
        "all",
        "and",
        "bless",
        "best",
        "everyone",
        "for",
        "from",
        "game",
        "good",
        "happy",
        "kind",
        "king",
        "many",
        "merry",
        "much",
        "my",
        "of",
        "p",
        "parliament",
        "ps",
        "running",
        "s",
        "save",
        "the",
        "this",
        "to",
        "very",
        "warm",
        "with",
        "you",
        "your",
    )
)
"""... and those that may stand beside them."""
_VERSION = re.compile(r"v(?:er(?:s(?:ion)?)?)?[. ]*[\dil|!]{1,2}\.?", re.IGNORECASE)
"""The number of a sheet's version by itself, a one of it perhaps taken for a stroke: no order and no word
about one is so short."""
_SENTENCE = 3
"""Words from which a remark is told from a misread name or two."""
_SOME = 4
"""Letters from which a word may be misread by one and still be known."""
_POWER_LIKE = 0.75
_WONT = (
    "thiswillcutanysupport",
    "thiscutsanysupport",
    "tocutanysupport",
    "sameaslasttime",
    "sameasbefore",
    "sameaslastturn",
    "aswehaveagreed",
    "aswediscussed",
    "asinmyletter",
    "asiwrotetoyou",
)
"""Remarks as players write them, without spaces, each long enough to be known however badly it is read ..."""
_WONT_LIKE, _ENDS = 0.8, 3
"""... from such a likeness on, if it begins and ends alike in so many letters, one of them misread: "if this
will cut any support" does not."""
_PLAIN_AFTER = {"will": ("this", "that", "which", "it", "they", "he"), "cut": ("will", "to")}
"""Words like those of doubt ("till", "but"), and after which words they are none."""


def has_unclear_remark(inked: str, read: str, lexicon: Lexicon) -> bool:
    """Does an order as laid on the ink hold a remark in parentheses that may be a doubt or a condition after
    all: one whose parentheses free reading (`read`) does not show, or with a word like one of doubt? "if it
    is empty" reads much like "(fit is empty)"."""
    for found in _REMARK.findall(inked):
        said = [word.text for word in words(found) if word.text.isalnum()]
        if not said or set(said) <= _of_names(lexicon) | _CONVOYED:
            continue
        if ("".join(said) == "nochange" and "(" in read and ")" in read) or _wont(said):
            continue
        if (
            not _parenthesised(read, len(said))
            or _hold_doubt(said)
            or any(said[0].startswith(d[1:]) for d in DOUBT_WORDS)
        ):
            return True
    return False


def _wont(said: Sequence[str]) -> bool:
    """Do these words say what a player is used to add to an order, and nothing before or behind it?"""
    letters = "".join(said)
    return any(
        OSA.normalized_similarity(letters, plain) >= _WONT_LIKE
        and _alike(letters[:_ENDS], plain[: _ENDS + 1])
        and _alike(letters[-_ENDS:], plain[-_ENDS - 1 :])
        for plain in _WONT
    )


def _alike(letters: str, plain: str) -> bool:
    """Is either end of `plain`, or all of it but a letter, that row of letters but for one?"""
    return any(OSA.distance(letters, plain[at : at + _ENDS], score_cutoff=1) <= 1 for at in (0, 1))


def _parenthesised(read: str, count: int) -> bool:
    """Does free reading show both parentheses, or one of them and so many last words, three or more, of which
    none is like one of doubt with the other parenthesis read as a letter of it ("cif it is")?"""
    if "(" in read and ")" in read:
        return True
    last = [word.text for word in words(read) if word.text.isalnum()][-count:]
    first = last[0] if last else ""
    hidden = any(doubt in first for doubt in DOUBT_WORDS if len(doubt) > 1) or _doubt_like(first[1:])
    return ("(" in read or ")" in read) and count >= _SENTENCE and not hidden and not _hold_doubt(last)


def _hold_doubt(said: Sequence[str]) -> bool:
    """Is one of these words like one of doubt, where it stands?"""
    return any(
        _doubt_like(word)
        for before, word in zip(["", *said], said, strict=False)
        if not _plain_after(before, word)
    )


def _plain_after(before: str, word: str) -> bool:
    """Is a word none of doubt for the one before it, either of them short of a letter or run together ("wil"
    after "this")?"""
    return any(
        word in {plain, plain[1:], plain[:-1]}
        and any(before.endswith((one, one[:-1]) if len(one) >= _SOME else one) for one in befores)
        for plain, befores in _PLAIN_AFTER.items())


def _doubt_like(word: str) -> bool:
    return any(OSA.distance(word, doubt, score_cutoff=1) <= 1 for doubt in DOUBT_WORDS)


def is_harmless(text: str, lexicon: Lexicon) -> bool:
    """Is a line plainly a greeting, a signature or the number of a page or version, misread by a letter here
    and there?"""
    if _VERSION.fullmatch(text.strip()):
        return True
    said = [word.text for word in words(text) if word.text.isalnum()]
    if not said or any(word in DOUBT_WORDS for word in said):
        return False
    signed = [word for word in said if not _known(word, ("signed",))]
    named = " ".join(signed)
    if (
        named
        and max((OSA.normalized_similarity(named, power) for power in _powers(lexicon)), default=0.0)
        >= _POWER_LIKE
    ):
        return True
    greeting = [_known(word, _GREETING) for word in said]
    return any(greeting) and all(
        greets or word.isdecimal() or _known(word, _BESIDE) for greets,
        word in zip(greeting, said, strict=True))


def _known(word: str, known: Iterable[str]) -> bool:
    return any(
        word == one or (len(one) >= _SOME and OSA.distance(word, one, score_cutoff=1) <= 1) for one in known
    )


@lru_cache(maxsize=8)
def _powers(lexicon: Lexicon) -> tuple[str, ...]:
    return tuple(name.text for name in lexicon.names if name.terminal == POWER)


@lru_cache(maxsize=8)
def _of_names(lexicon: Lexicon) -> frozenset[str]:
    """Every word of a place's or coast's name: in parentheses it is part of one ("Portland (Dorset)")."""
    found: Mapping[str, tuple[str, ...]] = {
        name.text: name.words for name in lexicon.names if name.terminal in {PLACE, COAST}
    }
    return frozenset(word for said in found.values() for word in said)
