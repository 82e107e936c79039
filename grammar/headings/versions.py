"""Which version a line states that a sheet is: the one home of its words, for subjects and for sheets
(VER-01, VER-02, WOR-05)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grammar.headings.dates import KIND_WORDS
from grammar.headings.tokens import ORDINAL_ENDS, Token

_VERSION = frozenset({"v", "ver", "vers", "version", "versions", "vn"})
_NUMBER = frozenset({"no", "nr", "number"})
_BETWEEN = re.compile(r"[\s.:#=-]|\b(?:no|nr|number)\b")
"""What may be between the word "version" and its number."""
_GOES_ON = re.compile(r"[.,]\d|\s*\?")
_NUMBER_WORDS = {word: number for number, word in enumerate((
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve"))}
_ROMAN = {numeral: number for number, numeral in enumerate((
    "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"), 1)}
_ORDINALS = {word: number for number, word in enumerate((
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"), 1)}
_REVISION = frozenset({"revision", "rev", "attempt", "edition", "draft"})
_UNCLEAR = _VERSION - {"v"} | _REVISION | {"final", "definitive", "latest", "last"}
"""Words that show which version a sheet is, or that it is the last one, without a number."""
_REPLACED = re.compile(
    r"\b(?:replaces?|replacing|supersed\w*|instead of|in place of|cancels?|corrects|not)\W+"
    r"(?:my\W+)?(?:v|ver|version)\W*(\d{1,4})\b"
    r"|\b(?:v|ver|version)\W?(\d{1,4})\s*(?:->|=>|→|⇒)", re.IGNORECASE)
"""A version that another one replaces: "replaces v1", "not v1 but v2", "v1 -> v2"."""


@dataclass(frozen=True, slots=True)
class VersionSpan:
    """The words of a line about a sheet's version, and the tokens [`first`, `last`) from the first word
    about it to the last one before anything else.

    `number` is None where several different numbers are written. `replaces`: the version that it replaces.
    """

    number: int | None
    first: int
    last: int
    replaces: int | None = None

    @property
    def requested(self) -> int | None:
        """The number that is asked for: the written one, or one above the one that is replaced."""
        return self.number if self.number is not None or self.replaces is None else self.replaces + 1


def find_version(line: str, words: Sequence[Token], used: frozenset[int] = frozenset()) -> VersionSpan | None:
    """The version that a line names, in the surest form there is; None if it names none.

    v1, V1, v.1, ver 1, version 1, version one, v. II; then 2nd version, second version, revision 2; then #2,
    no. 2, and a number alone in the last place, the handbook's own form.
    """
    replaced = list(_REPLACED.finditer(line))
    old = next((int(match[1] or match[2]) for match in replaced), None)
    gone = {index for index, word in enumerate(words) for match in replaced
            if match.start() <= word.start < match.end()}
    for read in (_numbered, _ordinals, _bare, _last):
        spans = list(read(line, words, used | gone))
        if spans:
            numbers = {span.number for span in spans}
            first, last = min(span.first for span in spans), max(span.last for span in spans)
            return VersionSpan(numbers.pop() if len(numbers) == 1 else None, min([first, *gone]), last, old)
    return VersionSpan(None, min(gone), max(gone) + 1, old) if gone else None


def is_version_unclear(words: Sequence[Token], used: frozenset[int] = frozenset()) -> bool:
    """True if a line without a version's number still states that it is some version: "final", "version B".

    Whether it replaces what came before is for a person to say (VER-01).
    """
    return any(word.text in _UNCLEAR and index not in used for index, word in enumerate(words))


def is_bare_version(line: str) -> bool:
    """True if a line is the word for a version alone, its number lost: "v", "Ver.", "version no"."""
    words = re.findall(r"[a-z]+", line.lower())
    return bool(words) and words[0] in _VERSION and set(words[1:]) <= _NUMBER


def _numbered(line: str, words: Sequence[Token], used: frozenset[int]) -> Iterator[VersionSpan]:
    """v1, V1, v.1, ver 1, version 1, version one, version II."""
    for index, mark in enumerate(words[:-1]):
        if mark.text not in _VERSION or used & {index, index + 1}:
            continue
        has_number_word = words[index + 1].text in _NUMBER and index + 2 < len(words)
        end = index + 2 if has_number_word else index + 1
        number = words[end]
        # Any other sign between them parts them, as in "v, 3".
        if _BETWEEN.sub("", line[mark.end:number.start].casefold()):
            continue
        # isdigit() is true of "²" too, which int() refuses.
        if number.text.isascii() and number.text.isdigit() and len(number.text) <= 9:
            # "v2.1" and "v2?" are not numbers that can be ranked.
            is_plain = _GOES_ON.match(line, number.end) is None
            yield VersionSpan(int(number.text) if is_plain else None, index, end + 1)
        elif number.text in _NUMBER_WORDS and len(mark.text) > 1:  # a lone "v" needs a figure
            yield VersionSpan(_NUMBER_WORDS[number.text], index, end + 1)
        elif number.text in _ROMAN and (len(number.text) > 1 or len(mark.text) > 1):
            yield VersionSpan(_ROMAN[number.text], index, end + 1)


def _ordinals(line: str, words: Sequence[Token], used: frozenset[int]) -> Iterator[VersionSpan]:
    """2nd version, second attempt, revision 2, rev. 2."""
    for index, mark in enumerate(words):
        if mark.text not in _VERSION | _REVISION or index in used:
            continue
        before = index - 1
        has_end = before >= 1 and words[before].text in ORDINAL_ENDS
        if has_end and words[before - 1].end == words[before].start:
            before -= 1
        if before >= 0 and before not in used:
            number = words[before].text
            if number in _ORDINALS:
                yield VersionSpan(_ORDINALS[number], before, index + 1)
                continue
            if before < index - 1 and _is_short_number(number):
                yield VersionSpan(int(number), before, index + 1)
                continue
        after = index + 1
        if (mark.text in _REVISION and after < len(words) and _is_short_number(words[after].text)
                and not _BETWEEN.sub("", line[mark.end:words[after].start].casefold())):
            yield VersionSpan(int(words[after].text), index, after + 1)


def _bare(line: str, words: Sequence[Token], used: frozenset[int]) -> Iterator[VersionSpan]:
    """#2, no. 2, number two."""
    for index, word in enumerate(words):
        if index in used:
            continue
        if _is_short_number(word.text) and line[max(0, word.start - 1):word.start] == "#":
            yield VersionSpan(int(word.text), index, index + 1)
        after = index + 1
        if word.text in _NUMBER and after < len(words) and after not in used:
            number = words[after].text
            if not _BETWEEN.sub("", line[word.end:words[after].start]):
                if _is_short_number(number):
                    yield VersionSpan(int(number), index, after + 1)
                elif number in _NUMBER_WORDS and word.text == "number":
                    yield VersionSpan(_NUMBER_WORDS[number], index, after + 1)


def _last(line: str, words: Sequence[Token], used: frozenset[int]) -> Iterator[VersionSpan]:
    """"Powick Bridge - Montrose - Autumn 1644 - Retreat Orders - 2": a number behind everything else, and
    after a sign that parts it from the year."""
    last = len(words) - 1
    if last < 3 or last in used or not _is_short_number(words[last].text):
        return
    is_apart = words[last].hard or "#" in line[words[last - 1].end:words[last].start]
    if not is_apart or line[words[last].end:].strip(" .!"):
        return
    # "Autumn - 44" is a year, and so is the second half of 620/1.
    if words[last - 1].text in KIND_WORDS:
        yield VersionSpan(int(words[last].text), last, last + 1)


def _is_short_number(text: str) -> bool:
    """True for a figure of one or two digits: no year."""
    return text.isascii() and text.isdigit() and len(text) <= 2
