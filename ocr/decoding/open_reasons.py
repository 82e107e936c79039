"""Why a line waits for a person: a closed set of reasons, each with a sentence for the person who looks.

The words are those of `why_open` in the JSON of `galloper read` (docs/contract.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class OpenReason(StrEnum):
    """Why a line is open. A line may have several."""

    UNSURE = "unsure"
    UNIT_LETTER = "unit_letter"
    UNKNOWN_NAME = "unknown_name"
    ODD_ORDER = "odd_order"
    CROSSED_OUT = "crossed_out"
    CUT_OFF = "cut_off"
    RUNS_ON = "runs_on"
    INSERTED = "inserted"
    NEIGHBOUR = "neighbour"
    SIGNATURE = "signature"
    NOT_UNDERSTOOD = "not_understood"
    NOT_PLAIN = "not_plain"


PHRASES: Mapping[OpenReason, str] = {
    OpenReason.CROSSED_OUT: "Crossed out?",
    OpenReason.CUT_OFF: "Cut off",
    OpenReason.RUNS_ON: "Ink continues",
    OpenReason.INSERTED: "A word put in",
    OpenReason.NEIGHBOUR: "One line with its neighbour?",
    OpenReason.SIGNATURE: "Signature?",
    OpenReason.UNKNOWN_NAME: "Unknown name",
    OpenReason.UNIT_LETTER: "Army or fleet?",
    OpenReason.ODD_ORDER: "Odd order",
    OpenReason.NOT_UNDERSTOOD: "Not understood",
    OpenReason.NOT_PLAIN: "An order at all?",
    OpenReason.UNSURE: "Not sure enough",
}
"""Each reason in a few words, those that show a person where to look first."""
SENTENCES: Mapping[OpenReason, str] = {
    OpenReason.UNSURE: "The reader is not sure enough of this order.",
    OpenReason.UNIT_LETTER: "Army or fleet: the word for the unit is missing, or could be either.",
    OpenReason.UNKNOWN_NAME: "A plainly written word is not a name of this game; the nearest is offered.",
    OpenReason.ODD_ORDER: "Something in this order is missing, doubtful or impossible.",
    OpenReason.CROSSED_OUT: "Something here looks crossed out.",
    OpenReason.CUT_OFF: "The line touches the edge of the picture or the sheet.",
    OpenReason.RUNS_ON: "Ink continues past the end of this line.",
    OpenReason.INSERTED: "A word is put in above this line.",
    OpenReason.NEIGHBOUR: "The line above or below may belong to this one.",
    OpenReason.SIGNATURE: "Its last row may be the signature.",
    OpenReason.NOT_UNDERSTOOD: "It begins like an order and was not understood.",
    OpenReason.NOT_PLAIN: "It may be an order, or a remark about one.",
}
"""The desk's sentence for each reason. Each is a sentence about the writing and none about the
game."""
