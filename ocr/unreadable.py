"""Why a photograph gives no lines. Apart from `page`, so that the child that opens files loads no NumPy."""

from __future__ import annotations

from enum import StrEnum


class UnreadableReason(StrEnum):
    """Why a photograph gave no lines. The values are those of the contract's JSON."""

    TOO_DARK = "too_dark"
    BLURRED = "blurred"
    BLANK = "blank"
    NOT_A_SHEET = "not_a_sheet"
    NOT_AN_IMAGE = "not_an_image"
    TOO_LARGE = "too_large"
    TRUNCATED = "truncated"
