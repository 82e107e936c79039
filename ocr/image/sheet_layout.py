"""Where everything is on a printed order sheet: for who prints it and for who reads it back (LET-12).

Places are millimetres from the outer corner of the top left mark, x to the right and y down. The block of
BLOCK fits on A4 and on US Letter. A change of any place needs another `LAYOUT`, since printed sheets stay.
"""

from __future__ import annotations

from typing import NamedTuple

LAYOUT = "GALLOPER1"
"""The first word of a code: this layout, and the form of what follows in `grammar.headings.sheet_code`."""


class Area(NamedTuple):
    """An upright rectangle, in millimetres."""

    left: float
    top: float
    right: float
    bottom: float


BLOCK = (190.0, 257.0)
"""Width and height from the outer corners of the marks on the left and top to those on the right and foot."""

MARK = 11.0
"""Side of a corner mark: six cells, of which the outer ring is black."""

MARKS = ((0.0, 0.0), (BLOCK[0] - MARK, 0.0), (BLOCK[0] - MARK, BLOCK[1] - MARK), (0.0, BLOCK[1] - MARK))
"""Top left corners of the marks, clockwise from the top left of the sheet. The index is the mark's number."""

MARK_CELLS = (
    ("1011", "0101", "0011", "0010"), ("0000", "1111", "1001", "1010"),
    ("0011", "0011", "0010", "1101"), ("1001", "1001", "0100", "0110"),
)  # fmt: skip
"""The inner four by four cells of the marks, "1" white: numbers 0 to 3 of OpenCV's DICT_4X4_50, whose marks
differ from each other in at least four cells whichever way they are turned."""

CODE = Area(133.0, 0.0, 163.0, 30.0)
"""The QR code without its quiet zone, 3 mm of which stay white on each side. It stands away from the corner,
where a thumb holds the paper."""

HEADING = Area(15.0, 0.0, 129.0, 33.0)
"""Three lines of heading, 11 mm each: the only print that is read as writing."""

NOTES = Area(13.5, 34.0, 141.0, 47.0)
"""The address, the deadline and the example, in small type."""

VERSION = Area(160.0, 34.5, 175.0, 46.0)
"""The box for the version number; its word is in VERSION_WORD, to the left of it."""

VERSION_WORD = Area(141.5, 34.5, 159.5, 46.0)

ROWS, FIRST_ROW, ROW_PITCH = 16, 50.0, 12.1
"""Rules for orders; where the room of the first begins, and the distance from rule to rule."""

RULE = (14.0, 190.0)
"""Where a rule begins and ends."""

KIND_BOX, KIND_BOXES, BOX_ABOVE_RULE = 5.2, (0.0, 6.2), 1.6
"""Side of a box for the kind of a unit; the left edges of the two boxes, army and fleet; and how far above
its rule a box ends. They are to the left of the rules, where no one begins to write."""

FOOT_CODE = Area(15.0, 247.4, 53.4, 257.0)
"""The same code once more, as a rectangular Data Matrix: where the head is cut off or folded away, it alone
shows what the sheet is. Its quiet zone is white on all sides. Older sheets have none."""

WORDS, WORDS_WORD = Area(83.0, 247.5, 175.0, 256.5), Area(55.0, 247.5, 82.0, 256.5)
"""The box for these words, and the small type to the left of it. Older sheets have neither, or the box from
76 and its small type from 15 on: both are where this layout clears print too."""


def rule_height(row: int) -> float:
    """The place of a row's rule, rows counted from 0."""
    return FIRST_ROW + ROW_PITCH * (row + 1)


def kind_box(row: int, kind: int) -> Area:
    """The box of a row for an army (0) or a fleet (1)."""
    bottom = rule_height(row) - BOX_ABOVE_RULE
    left = KIND_BOXES[kind]
    return Area(left, bottom - KIND_BOX, left + KIND_BOX, bottom)


def mark_corners(number: int) -> tuple[tuple[float, float], ...]:
    """The four corners of a mark, clockwise from its top left."""
    left, top = MARKS[number]
    return ((left, top), (left + MARK, top), (left + MARK, top + MARK), (left, top + MARK))
