"""A line of text as words, each tied to its characters; spelling differences that never matter are gone."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_PIECE = re.compile(
    r"(?P<word>[^\W_]+(?:['’‘`´ʼ][^\W_]+)*['’‘`´ʼ]?)"
    r"|(?P<arrow>[-‐‑‒–—―−]+\s?>+|[-‐‑‒–—―−]+|=+>|[→⇒➔➜➝>])"
    r"|(?P<sign>\S)",
)
_BULLET = re.compile(
    r"\s*(?:[-–—−•·*‣▪●○◦]+(?=\s)|\(?\d{1,2}\s*[.):]+(?=\s|[^\W\d])|\(?[a-z]\)(?=\s))\s*", re.IGNORECASE)
_SIGNS = {"&": "and", "+": "and", "[": "(", "]": ")", "{": "(", "}": ")", "،": ","}
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th"})


class Word(NamedTuple):
    """One word or sign: `text` folded (see `fold`), `base` the same without a possessive ending, and the
    characters [start, end) of the line it stands on."""

    text: str
    base: str
    start: int
    end: int


def fold(text: str) -> str:
    """Lower case without accents and apostrophes; other signs stay."""
    text = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(c for c in text if not unicodedata.combining(c) and c not in "'’‘`´ʼ")


def body_start(text: str) -> int:
    """Where the order starts after a bullet or a number ("- ", "3. ", "b) ")."""
    found = _BULLET.match(text)
    return found.end() if found else 0


def words(text: str, start: int = 0) -> list[Word]:
    """Words and signs of a line from character `start`. Dashes and arrows of every sort become "-", & becomes
    "and".

    Stops stay as signs of their own; time is linear in the length of the text.
    """
    found = []
    for piece in _PIECE.finditer(text, start):
        raw = piece.group()
        if piece.lastgroup == "arrow":
            folded = base = "-"
        elif piece.lastgroup == "sign":
            folded = base = _SIGNS.get(raw) or fold(raw)
        else:
            folded = base = fold(raw)
            if raw[-1] in "'’‘`´ʼ" or (len(raw) > 2 and raw[-2] in "'’‘`´ʼ" and folded.endswith("s")):
                base = folded if raw[-1] not in "sS" else folded[:-1]
        if folded:
            found.append(Word(folded, base, piece.start(), piece.end()))
    return found
