"""A line of text as words, each tied to its characters, without spelling differences that never matter."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Container, Sequence
from typing import NamedTuple

_TICKS = "'’‘`´ʼ"
_PIECE = re.compile(
    rf"(?P<word>[^\W_]+(?:[{_TICKS}][^\W_]+)*[{_TICKS}]?)"
    r"|(?P<arrow>[-‐‑‒–—―−]+\s?>+|[-‐‑‒–—―−]+|=+>|[→⇒➔➜➝>])"
    r"|(?P<sign>\S)",
)
_ELISION = re.compile(rf"(?<![^\W_])([^\W\d_]{{1,5}})[{_TICKS}]([^\W_]+)")
_POSSESSIVE = re.compile(rf"(?<=[^\W\d_])[{_TICKS}]s(?![^\W_])", re.IGNORECASE)
_BULLET = re.compile(
    r"\s*(?:[-–—−•·*‣▪●○◦]+(?=\s)|\(?\d{1,2}\s*[.):]+(?=\s|[^\W\d])|\(?[a-z]\)(?=\s)"
    r"|(?:#|n[or]\.)\s?\d{1,2}[.):]*(?=\s))\s*", re.IGNORECASE)
_SIGNS = {"&": "and", "[": "(", "]": ")", "{": "(", "}": ")", "،": ","}
# NFKD takes accents off; these letters have no decomposition and need a table.
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th"})

SAME_SIGN = dict.fromkeys("‐‑‒–—―−~_→⇒>·•", "-") | {
    "[": "(", "]": ")", "{": "(", "}": ")", "|": "l", "\\": "/"}
"""Characters that a pen or a reader writes for another one, with that other one."""


DOUBT_WORDS = frozenset((
    "not", "no", "never", "dont", "doesnt", "wont", "cannot", "cant", "if", "unless", "or", "either",
    "neither", "nor", "else", "otherwise", "when", "whenever", "while", "until", "till", "before",
    "after", "should", "would", "could", "might", "may", "maybe", "perhaps", "possibly", "instead",
    "except", "without", "rather", "ignore", "disregard", "cancel", "cancelled", "void", "only",
    "depending", "assuming", "provided", "whether", "but", "unlike", "than"))
"""Words that make an order a condition, a choice or a denial. A line that holds one is never guessed."""

REMARK_DOUBTS = frozenset((
    "prefer", "preferred", "preferably", "preference", "ideally", "hopefully", "tentative", "tentatively",
    "provisional", "provisionally", "draft", "probably", "likely", "unsure", "undecided", "uncertain", "tbc",
    "tbd", "pending", "conditional", "alternate", "alternative", "alternatively", "optional", "option",
    "choice", "fallback", "backup", "withdrawn", "deleted", "scrapped", "crossed", "revoked", "replaced",
    "superseded", "wrong", "mistake", "error", "confirm", "confirmed", "unconfirmed", "wait", "waiting"))
"""Words that in a remark next to an order ("(second choice)", "(to be confirmed)") leave open whether it is
meant. Elsewhere in a line no order has room for them."""
COURTESIES = frozenset((
    "please", "pls", "plz", "kindly", "thanks", "thx", "cheers", "hereby", "duly", "simply", "just",
    "alas", "obvs", "lol", "hurrah"))
"""Words that have nothing anywhere in an order."""
BY_CONVOY = frozenset((
    "by", "via", "with", "convoy", "per", "mit", "uber", "ueber", "konvoi", "geleit", "geleitzug", "par",
    "convoi"))
"""The words of a remark that is the convoy of the order before it, in the languages there are."""
_CONVOYS = frozenset(("convoy", "konvoi", "geleit", "geleitzug", "convoi"))


def is_by_convoy(texts: Sequence[str]) -> bool:
    """True if folded words say no more than "by convoy", or name a way by sea that begins with "via"."""
    return (BY_CONVOY.issuperset(texts) and not _CONVOYS.isdisjoint(texts)) or texts[:1] == ["via"]


DOUBT_SIGNS = re.compile(r"[?<←↔⇐×≠↮↛⇍⇎⇏\u0337\u0338]|[-–—−=]\s?/\s?[-–—−=]")
"""Signs that question or deny an order, also in a remark: "A Ber - Kie (?)", "A Ber <- Kie",
"A Ber -/-> Kie". The last two letters strike through the one before them."""


_NO_WHOLE_NUMBER = re.compile(
    r"\d\s?[.,:·'’/⁄‐‑–—−-]\s?\d|\d\s+\d|(?<![^\s(:])[-‐‑–—−+±]\d|[¼-¾⅐-⅞]|\d\s?%")
"""Figures parted by a sign or a blank, with a sign before them, or a fraction: "1.5", "1 5", "-5"."""


def no_whole_number(text: str) -> tuple[int, int] | None:
    """The characters of the first number of a line that is not plainly a whole one, which nothing makes
    whole: figures are never joined, and never lose a sign (WOR-02). None where there is none."""
    number = _NO_WHOLE_NUMBER.search(text, body_start(text))
    return None if number is None else number.span()


class Word(NamedTuple):
    """One word or sign: `text` folded (see `fold`), `base` the same without a possessive ending, and its
    characters [start, end) of the line."""

    text: str
    base: str
    start: int
    end: int


def fold(text: str) -> str:
    """Lower case without accents and apostrophes; other signs stay."""
    if text.isascii():  # nearly every word, for a tenth of the time
        return text.lower().replace("'", "").replace("`", "")
    text = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(c for c in text if not unicodedata.combining(c) and c not in _TICKS)


def body_start(text: str) -> int:
    """The index of the first character after a bullet or a number ("- ", "3. ", "b) ", "#3 ", "No. 3 ");
    else 0."""
    bullet = _BULLET.match(text)
    return bullet.end() if bullet else 0


def words(text: str, start: int = 0) -> list[Word]:
    """Words and signs of a line from character `start`.

    Every dash and arrow becomes "-", & becomes "and"; full stops stay as signs. Time is linear in the length
    of the text.
    """
    pieces = []
    for piece in _PIECE.finditer(text, start):
        raw = piece.group()
        if piece.lastgroup == "arrow":
            folded = base = "-"
        elif piece.lastgroup == "sign":
            folded = base = _SIGNS.get(raw) or fold(raw)
        else:
            folded = base = fold(raw)
            # Both "Argyll's" and "Graemes'" are possessive; only the first loses its s.
            if raw[-1] in _TICKS or (len(raw) > 2 and raw[-2] in _TICKS and folded.endswith("s")):
                base = folded if raw[-1] not in "sS" else folded[:-1]
        if folded:  # a sign made of accents alone folds to nothing
            pieces.append(Word(folded, base, piece.start(), piece.end()))
    return pieces


def first_phrase(line: Sequence[Word], phrases: Collection[tuple[str, ...]]) -> Sequence[Word]:
    """The first words of a line that are one of these phrases of folded words; none where it holds none."""
    sizes = {len(phrase) for phrase in phrases}
    pieces = (line[start:start + size] for start in range(len(line)) for size in sizes)
    return next((piece for piece in pieces if tuple(word.text for word in piece) in phrases), ())


def without_possessives(text: str) -> str:
    """The text without a tick and an s that end a word: "Manchester's Essex" supports nothing."""
    return _POSSESSIVE.sub("", text)


def without_elisions(text: str, elisions: Collection[str], names: Container[str]) -> str:
    """The text with a blank for each tick that joins one of these folded beginnings to a word ("d'Essex"),
    but in one of these folded names ("L'derry")."""

    def apart(word: re.Match[str]) -> str:
        return word[0] if fold(word[0]) in names or fold(word[1]) not in elisions else f"{word[1]} {word[2]}"

    return _ELISION.sub(apart, text) if elisions else text
