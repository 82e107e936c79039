"""A subject or heading line as tokens: prefixes dropped, case folded, separators remembered.

Pure text work that both the subject (SUBJ-04) and the sheet heading (HEAD-01) stand on.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_REPLY = (
    "re|ref|aw|antw|antwort|betr|sv|vs|vb|fw|fwd|wg|tr|rv|res|enc|rif|ri|r|i|odp|pd|ynt|ilt|atb|bls|trs|doorst"
    "|回复|回覆|答复|转发|轉寄|返信|転送|ответ|отв|пересл|на"
)
_PREFIX = re.compile(rf"(?:{_REPLY})\s*(?:[\[(]\s*\d+\s*[\])]|\^\d+|\*\d+)?\s*[:：]\s*", re.IGNORECASE)
_TAG = re.compile(r"\[[^\[\]]{0,80}\]\s*[:：]?\s*(?:[-–—]\s+)?")
_OUTSIDE = r"(?:externe?|external|ext|caution|spam|suspected spam)"
_SUFFIX = r"(?:[\s-]+(?:e-?mail|mail|sender|message|source))?"
_MARK = re.compile(
    rf"(?:[(<{{*#!]+\s*{_OUTSIDE}{_SUFFIX}\s*[)>}}*#!]+\s*[:：|-]?|{_OUTSIDE}{_SUFFIX}\s*[:：|])\s*",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’ʼ][^\W\d_]+)*|\d+|&")
_HARD = re.compile(r"[,;:：|/\\()\[\]{}<>·•\"“”«»=+!?―—]|\s[-‐-―−~]|[-‐-―−~]\s|--|\.\s")

FILLERS = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "attached",
        "by",
        "game",
        "find",
        "for",
        "from",
        "here",
        "here's",
        "hereby",
        "i",
        "in",
        "is",
        "it",
        "its",
        "message",
        "me",
        "my",
        "new",
        "of",
        "on",
        "order",
        "orders",
        "our",
        "paper",
        "phase",
        "photo",
        "photos",
        "picture",
        "please",
        "position",
        "power",
        "re",
        "revised",
        "season",
        "sender",
        "sent",
        "sheet",
        "sheets",
        "sir",
        "submission",
        "subject",
        "team",
        "the",
        "these",
        "this",
        "to",
        "turn",
        "type",
        "with",
        "year",
        "your",
    ]
)
"""Words that belong to no field and may stand anywhere."""


@dataclass(frozen=True, slots=True)
class Token:
    """One word or number. `start`, `end`: offsets in the cleaned line; `hard`: a separator stands before
    it."""

    text: str
    start: int
    end: int
    hard: bool


def clean_line(line: str) -> str:
    """The line on one row: compatibility forms folded, control characters gone, white space collapsed."""
    text = unicodedata.normalize("NFKC", line)
    text = "".join(" " if unicodedata.category(c)[0] in "ZC" else c for c in text)
    return " ".join(text.split())


def drop_prefixes(line: str) -> str:
    """Without leading reply and forward prefixes, list tags and external-sender marks (SUBJ-04)."""
    rest = line
    while True:
        found = _PREFIX.match(rest) or _TAG.match(rest) or _MARK.match(rest)
        if found is None:
            return rest
        rest = rest[found.end() :].lstrip()


def fold(word: str) -> str:
    """A word without case, accents, possessive ending; `&` is `and`."""
    if word == "&":
        return "and"
    bare = unicodedata.normalize("NFKD", word.casefold())
    bare = "".join(c for c in bare if not unicodedata.combining(c))
    bare = bare.replace("’", "'").replace("ʼ", "'")
    return bare.removesuffix("'s").replace("'", "")


def tokens(line: str) -> tuple[Token, ...]:
    """The words and numbers of a cleaned line, each knowing whether a separator parts it from the one before.

    A hyphen without space on either side does not part, so that `Ashby-de-la-Zouch` stays one name (SUBJ-05).
    """
    found: list[Token] = []
    last = 0
    for match in _WORD.finditer(line):
        hard = not found or _HARD.search(line[last : match.start()]) is not None
        found.append(Token(fold(match.group()), match.start(), match.end(), hard))
        last = match.end()
    return tuple(found)


def name_words(name: str) -> tuple[str, ...]:
    """A name as folded words, without a leading article."""
    parts = tuple(token.text for token in tokens(clean_line(name)))
    return parts[1:] if len(parts) > 1 and parts[0] == "the" else parts
