"""Words on a sheet next to its orders: remarks in parentheses, closing words, signatures.

What is not clearly harmless is for a person to look at: nothing here decides what is executed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz.distance import OSA

from grammar.headings.root_words import is_root
from grammar.lexicon import COAST, PLACE, POWER, Lexicon
from grammar.words import words

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
"""Letters and figures at most of what is behind "page"."""
_VERSION = re.compile(r"v(?:er(?:s(?:ion)?)?)?[. ]*[\dil|!]{1,2}\.?", re.IGNORECASE)
"""The number of a sheet's version by itself, a 1 in it perhaps read as a stroke. No order is so short."""
_SENTENCE = 3
"""Words from which a remark is more than one or two misread names."""
_MISREAD_FROM = 4
"""Letters from which a word may be misread by one and still be known."""
_POWER_LIKENESS = 0.75
_SHORT_REMARKS = ("nochange", "nochanges", "asagreed", "again")
"""Usual remarks too short for a likeness, without spaces."""
_ENDS = 3
"""Letters at either end that must be alike too, one of them misread: "if this will cut any support" is not
"this will cut any support"."""


def is_harmless(text: str, lexicon: Lexicon) -> bool:
    """True if a line is clearly a greeting, a signature, the number of a page or version, or the four words
    of a root of the record.

    A letter here and there may be misread.
    """
    # "v1" in a separate row was shown at the desk for every sheet that has it: two letters cannot earn the
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
