"""A subject or heading line as tokens: prefixes dropped, case folded, separators remembered.

Text work that the subject (SUBJ-04) and the sheet heading (HEAD-01) share.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass

# "Re:" and "Fwd:" as mail programs write them in some twenty languages.
_REPLY = (
    "re|ref|aw|antw|antwort|betr|sv|vs|vb|fw|fwd|wg|tr|rv|res|enc|rif|ri|r|i|odp|pd|ynt|ilt|atb|bls|trs"
    "|doorst|回复|回覆|答复|转发|轉寄|返信|転送|ответ|отв|пересл|на"
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

ORDINAL_ENDS = frozenset({"st", "nd", "rd", "th"})
"""What is behind the figure of an ordinal number."""
FILLERS = frozenset((
    "a", "an", "and", "are", "as", "attached", "by", "game", "find", "for", "from", "here", "here's",
    "hereby", "i", "in", "is", "it", "its", "message", "me", "my", "new", "of", "on", "order", "orders",
    "our", "paper", "phase", "photo", "photos", "picture", "please", "position", "power", "re", "revised",
    "season", "sender", "sent", "sheet", "sheets", "sir", "submission", "subject", "team", "the", "these",
    "this", "to", "turn", "type", "with", "year", "your"))
"""Words that belong to no field and may are anywhere."""


@dataclass(frozen=True, slots=True)
class Token:
    """One word or number. `start`, `end`: offsets in the cleaned line. `hard`: a separator is before it."""

    text: str
    start: int
    end: int
    hard: bool


def clean_line(line: str) -> str:
    """The line on one row: compatibility forms folded, control characters removed, white space collapsed."""
    text = unicodedata.normalize("NFKC", line)
    text = "".join(" " if unicodedata.category(c)[0] in "ZC" else c for c in text)
    return " ".join(text.split())


def drop_prefixes(line: str) -> str:
    """Without leading reply and forward prefixes, list tags and external-sender marks (SUBJ-04)."""
    rest = line
    while True:
        prefix = _PREFIX.match(rest) or _TAG.match(rest) or _MARK.match(rest)
        if prefix is None:
            return rest
        rest = rest[prefix.end():].lstrip()


def fold(word: str) -> str:
    """A word without case, accents and possessive ending; `&` is `and`."""
    if word == "&":
        return "and"
    bare = unicodedata.normalize("NFKD", word.casefold())
    bare = "".join(c for c in bare if not unicodedata.combining(c))
    # Phones write the curly apostrophe.
    bare = bare.replace("’", "'").replace("ʼ", "'")
    return bare.removesuffix("'s").replace("'", "")


def tokens(line: str) -> tuple[Token, ...]:
    """The words and numbers of a cleaned line, each with whether a separator is before it.

    A hyphen without a space on either side is not a separator: `Ashby-de-la-Zouch` stays one name (SUBJ-05).
    """
    parts: list[Token] = []
    last = 0
    for match in _WORD.finditer(line):
        hard = not parts or _HARD.search(line[last:match.start()]) is not None
        parts.append(Token(fold(match.group()), match.start(), match.end(), hard))
        last = match.end()
    return tuple(parts)


def word_runs(line: Sequence[Token], used: Collection[int]) -> list[tuple[int, ...]]:
    """The indices of words that no field uses, in runs cut at separators; without runs of fillers alone."""
    runs: list[list[int]] = []
    for index, word in enumerate(line):
        if index in used:
            continue
        if not runs or word.hard or runs[-1][-1] != index - 1:
            runs.append([])
        runs[-1].append(index)
    return [tuple(run) for run in runs if any(line[index].text not in FILLERS for index in run)]


def name_words(name: str) -> tuple[str, ...]:
    """A name as folded words, without a leading article."""
    parts = tuple(token.text for token in tokens(clean_line(name)))
    return parts[1:] if len(parts) > 1 and parts[0] == "the" else parts
