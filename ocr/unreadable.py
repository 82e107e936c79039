"""Why a photograph gives no lines, and why a file does not open. Apart from `page`, so that the child that
opens files loads no NumPy."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class UnreadableReason(StrEnum):
    """Why a photograph gave no lines. The values are those of the contract's JSON."""

    TOO_DARK = "too_dark"
    BLURRED = "blurred"
    BLANK = "blank"
    NOT_A_SHEET = "not_a_sheet"
    NOT_AN_IMAGE = "not_an_image"
    TOO_LARGE = "too_large"
    TRUNCATED = "truncated"


class FileTrouble(StrEnum):
    """Why a file gives no page: its word, `reason` as the contract has it, and `phrase`, the end of a
    sentence that begins with the file; `%(number)s` in it is a figure of that file."""

    reason: UnreadableReason
    phrase: str

    def __new__(
        cls, word: str, reason: UnreadableReason = UnreadableReason.NOT_AN_IMAGE, phrase: str = ""
    ) -> Self:
        trouble = str.__new__(cls, word)
        trouble._value_ = word
        trouble.reason, trouble.phrase = reason, phrase
        return trouble

    EMPTY = "empty", UnreadableReason.NOT_AN_IMAGE, "the file is empty"
    UNKNOWN = "unknown", UnreadableReason.NOT_AN_IMAGE, "it is not a kind of image known here"
    NOT_HERE = "not_here", UnreadableReason.NOT_AN_IMAGE, "no picture of this kind opens on this machine"
    LOCKED = "locked", UnreadableReason.NOT_AN_IMAGE, "the PDF needs a password"
    NO_PAGES = "no_pages", UnreadableReason.NOT_AN_IMAGE, "the PDF has no pages"
    FAILED = "failed", UnreadableReason.NOT_AN_IMAGE, "opening it failed"
    DAMAGED = "damaged", UnreadableReason.TRUNCATED, "it is cut off or damaged"
    MANY_PIXELS = "many_pixels", UnreadableReason.TOO_LARGE, "it has %(number)s million pixels"
    MANY_PAGES = "many_pages", UnreadableReason.TOO_LARGE, "it has %(number)s pages or more"
    MANY_BYTES = "many_bytes", UnreadableReason.TOO_LARGE, "the file has %(number)s MB"
    COSTLY = "costly", UnreadableReason.TOO_LARGE, "opening it took too much time or memory"
