"""The fate of a file that came with a mail (ARR-02), and the kind of a file without a picture."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Self


class FileFate(StrEnum):
    """The fate of one file of a mail; `because` is a half sentence about it, where one is needed.

    SHEET: its pages are pages of the sheet. REPEATED: the same picture is in the mail before it. OURS: a
    picture of one of our own letters. NO_SHEET: it opens, and has no heading, no code and no line that may be
    an order. BLANK_SHEET: a printed sheet without writing. SMALL: too small for a sheet, as a smiley is.
    UNOPENED: meant as a picture, and does not open. OTHER: no picture. ADDED: by a mail program, as a
    signature is.
    """

    because: str

    def __new__(cls, word: str, because: str = "") -> Self:
        fate = str.__new__(cls, word)
        fate._value_ = word
        fate.because = because
        return fate

    SHEET = "sheet", "it is read as a page of the sheet"
    REPEATED = "repeated"
    OURS = "ours", "it is a picture from one of our letters"
    NO_SHEET = "no_sheet", "it has no heading and no order"
    BLANK_SHEET = "blank_sheet", "it has no writing"
    SMALL = "small", "it is too small for a sheet"
    UNOPENED = "unopened"
    OTHER = "other"
    ADDED = "added", "a mail program added it"


TOO_MANY = "too_many"
"""Why a picture is not read that comes after as many as one mail may bring."""
NO_ORDERS = frozenset({FileFate.NO_SHEET, FileFate.BLANK_SHEET, FileFate.OURS})
"""The fates of pictures that bring no orders: a mail of such ones displaces nothing (ARR-03)."""


class OtherKind(StrEnum):
    """The kind of a file without a picture, by its bytes and its name. LINK: no file, but where one lies."""

    ARCHIVE = "archive"
    EMPTY_ARCHIVE = "empty_archive"
    LOCKED_ARCHIVE = "locked_archive"
    LARGE_ARCHIVE = "large_archive"
    DAMAGED_ARCHIVE = "damaged_archive"
    DOCUMENT = "document"
    FILM = "film"
    DRAWING = "drawing"
    MAIL = "mail"
    LINK = "link"
    UNKNOWN = "other"


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """The fate of one file of a mail. `name`: as sent, only to be shown. `why`: the word of a
    `FileTrouble` or an `OtherKind`, TOO_MANY, or "". `number`: the figure of that trouble. `more`: pictures
    of it that are not read. `digest`: SHA-256 of a picture, "" for any other file."""

    name: str
    fate: FileFate
    why: str = ""
    number: int = 0
    more: int = 0
    digest: str = ""

    @property
    def is_obvious(self) -> bool:
        """Whether its sender expects this of it, so that no letter need name it."""
        return not self.more and self.fate in {FileFate.SHEET, FileFate.SMALL, FileFate.ADDED}

    def dump(self) -> list[str | int]:
        """As JSON."""
        return [self.name, self.fate.value, self.why, self.number, self.more, self.digest]


def load_outcomes(stored: object) -> tuple[FileOutcome, ...]:
    """The list that `FileOutcome.dump` wrote; empty for a mail from before this was stored."""
    rows = stored if isinstance(stored, list) else []
    return tuple(FileOutcome(str(name), FileFate(fate), str(why), int(number), int(more), str(digest))
                 for name, fate, why, number, more, digest in rows)
