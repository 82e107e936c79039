"""Join an order that its sender broke over two or three rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from ocr.layout.column_extents import ColumnExtent, column_extents
from ocr.page import Alternative, Box, ReadLine, Row

MOST_ROWS = 3
"""No order needs more at any hand's width."""

INDENTED = 0.42
"""A row that starts this many row heights right of the one before is a continuation by its looks.

On the sample sheets continuations start 0.5 and more to the right, other rows at most 0.37.
"""

LAYOUT = 0.25
"""What looks are worth, on the scale of `completes` (0..1): for joining when indented, against when not."""

INDENTED_NATS, EARLY_NATS, MIXED_NATS = 4.0, 6.0, 32.0
"""The same on the scale of log chances: what speaks for joining when indented, and against it when the sender
broke off though the next word had room, or when one row is crossed out from end to end and the other is
not."""

BADLY = -15.0
"""Log chance, in nats, of a row that by itself reads badly: what it says may go on in the next row, though
that one is an order too ("Army Down supports", "Fleet Mull to Bute")."""

SLACK = 0.02
"""Share of the sheet's width by which people keep away from where their longest row ends."""

STRUCK = 0.5
"""A strike score from which a row counts as crossed out; rows of one order are all struck or none is."""

OUT = 0.8
"""The same where the ink has its say: bold letters alone look a little crossed out, so the row as a whole and
one stretch of it must both score this."""


def join_wrapped(
    rows: Sequence[Row], completes: Callable[[str], float] | None = None
) -> tuple[ReadLine, ...]:
    """Rows in reading order as lines, each of one to three rows.

    `completes(text)`, 0..1: how well a text is one whole line (1 an order or heading without fault, 0.5
    cannot say). Of all ways to group the rows, the one with the best sum over rows is taken; without
    `completes` only indentation speaks.
    """
    alone = [completes(row.text) if completes else 0.5 for row in rows]
    room = column_extents(rows)
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(rows) + 1):
        best.append(
            max(
                (
                    best[start][0] + _value(rows[start:end], alone[start:end], room[start:end], completes),
                    start,
                )
                for start in range(max(0, end - MOST_ROWS), end)
            )
        )
    return _cut(rows, best)


def join_by_worth(
    rows: Sequence[Row], worth: Callable[[ReadLine], float], stands: Callable[[ReadLine], bool],
    ahead: Callable[[Sequence[ReadLine]], object] = lambda _: None,
) -> tuple[ReadLine, ...]:
    """Rows in reading order as lines, each of one to three rows, by how well each group reads as one line.

    `worth(line)`: the log chance, in nats, of what the line says; of all ways to group the rows, the one with
    the best sum is taken, layout added. `stands(line)`: whether a row by itself is a whole order; one that
    is, and is not indented, is tried as the end of another only where that one reads badly without. `ahead`
    is told which lines `worth` will be asked for.
    """
    single = [as_line(rows[k : k + 1]) for k in range(len(rows))]
    ahead(single)
    alone = [worth(line) for line in single]
    whole = [stands(line) for line in single]
    joined = _joined(rows, [stands and fits > BADLY for stands, fits in zip(whole[1:], alone, strict=False)])
    ahead([line for ways in joined for _, line, _ in ways])
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(rows) + 1):
        ways = [(best[end - 1][0] + alone[end - 1], end - 1)]
        ways += [(best[start][0] + (worth(line) + looks), start) for start, line, looks in joined[end - 1]]
        best.append(max(ways))
    return _cut(rows, best)


def _joined(rows: Sequence[Row], apart: Sequence[bool]) -> list[list[tuple[int, ReadLine, float]]]:
    """For each row the lines of several rows that may end with it: their first row, the line, and what its
    looks are worth. `apart`: for each row but the last, whether the next one is a line of its own unless it
    is indented."""
    found: list[list[tuple[int, ReadLine, float]]] = [[] for _ in rows]
    room = column_extents(rows)
    for end in range(2, len(rows) + 1):
        for start in range(end - 2, max(0, end - MOST_ROWS) - 1, -1):
            looks = [
                _goes_on(rows[start], rows[k], rows[k + 1], room[k])
                if room[k] == room[k + 1]
                else -EARLY_NATS
                for k in range(start, end - 1)
            ]
            if any(apart[start + k] and look <= 0 for k, look in enumerate(looks)):
                break
            found[end - 1].append((start, as_line(rows[start:end]), sum(looks)))
    return found


def _cut(rows: Sequence[Row], best: Sequence[tuple[float, int]]) -> tuple[ReadLine, ...]:
    lines: list[ReadLine] = []
    end = len(rows)
    while end:
        start = best[end][1]
        lines.append(as_line(rows[start:end]))
        end = start
    return tuple(reversed(lines))


def as_line(rows: Sequence[Row]) -> ReadLine:
    """One line of these rows, whatever they say. `rows` is not empty."""
    whole = tuple(rows)
    return ReadLine(
        box=_around([row.box for row in whole]),
        rows=whole,
        text=_text([row.text for row in whole]),
        score=min(row.score for row in whole),
        strike=min((row.strike for row in whole), key=lambda s: s.score),
        alternatives=_alternatives(whole),
    )


def _value(
    rows: Sequence[Row], alone: Sequence[float], room: Sequence[ColumnExtent],
    completes: Callable[[str], float] | None
) -> float:
    """What these rows are worth as one line. Sense is not asked for where the best of it could not outweigh
    the rows taken one by one: asking is what costs."""
    if len(rows) == 1:
        return alone[0]
    looks = sum(_looks(rows[0], a, b, reach) for (a, b), reach in zip(pairwise(rows), room, strict=False))
    if len(rows) + looks <= sum(alone):
        return -2.0 * len(rows)
    sense = completes(_text([row.text for row in rows])) if completes else 0.5
    return len(rows) * sense + looks


def _looks(first: Row, above: Row, below: Row, reach: ColumnExtent) -> float:
    """What layout says of `below` going on where `above` stopped."""
    if (above.strike.score >= STRUCK) != (below.strike.score >= STRUCK):
        return -2.0
    room = above.right > reach.middle and above.right > below.left
    further = below.indent - first.indent >= INDENTED
    return LAYOUT if further and room else -LAYOUT


def _goes_on(first: Row, above: Row, below: Row, reach: ColumnExtent) -> float:
    """The same in nats, for rows of one column. A sender breaks a row where the next word has no room."""
    one, other = sorted(min(row.strike.score, row.strike.max_word_score) for row in (above, below))
    if one < STRUCK and other >= OUT:
        return -MIXED_NATS
    if below.indent - first.indent >= INDENTED and above.right > max(reach.middle, below.left):
        return INDENTED_NATS
    word = len(below.text.split(" ", 1)[0]) / max(1, len(below.text)) * (below.right - below.left)
    return 0.0 if above.right + word > reach.right - SLACK else -EARLY_NATS


def _text(parts: Sequence[str]) -> str:
    """Parts with a space between, none after a hyphen that ends a row within a word."""
    text = ""
    for part in parts:
        glued = len(text) > 1 and text[-1] == "-" and text[-2].isalpha()
        text = f"{text}{part}" if glued or not text else f"{text} {part}"
    return text


def _alternatives(rows: Sequence[Row]) -> tuple[Alternative, ...]:
    """The line with one row read otherwise, for each other reading of a row."""
    found = []
    for k, row in enumerate(rows):
        for other in row.alternatives:
            texts = [other.text if j == k else r.text for j, r in enumerate(rows)]
            found.append(Alternative(_text(texts), min(other.score, *(r.score for r in rows)), other.engine))
    return tuple(sorted(found, key=lambda a: -a.score)[:4])


def _around(boxes: Sequence[Box]) -> Box:
    """The least box, along the first row's slope, that holds all boxes."""
    if len(boxes) == 1:
        return boxes[0]
    (ax, ay), (bx, by) = boxes[0].corners[:2]
    length = max(1.0, ((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5)
    ux, uy = (bx - ax) / length, (by - ay) / length
    points = [point for box in boxes for point in box.corners]
    along = [x * ux + y * uy for x, y in points]
    across = [y * ux - x * uy for x, y in points]
    edges = [(a, b) for b in (min(across), max(across)) for a in (min(along), max(along))]
    tl, tr, bl, br = ((round(a * ux - b * uy, 1), round(a * uy + b * ux, 1)) for a, b in edges)
    return Box((tl, tr, br, bl))
