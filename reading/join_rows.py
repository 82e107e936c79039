"""Rows of a page to lines: which rows its sender wrote as one order.

    page rows -> row groups -> hypotheses -> scored groups -> joined lines

Each stage is a function of values, and a row is known by its index from the top of the page. Decoding is what
costs, so it is done in batches: every row by itself first, then the groups that layout and the single rows
leave possible.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from grammar.headings.values import KnownGame
from grammar.order_traits import is_incomplete
from grammar.remarks import is_harmless
from ocr.layout.wrap import (
    RowGroup,
    as_line,
    best_grouping,
    groups_by_indent,
    joined_text,
    row_groups,
)
from ocr.page import ReadLine, Row
from reading.decode import DecodedLine, decode_line, decode_lines
from reading.heading import DecodedHeadingRow, decode_heading_rows
from reading.text_only import text_completeness
from reading.vocabulary import Vocabulary

NOT_AN_ORDER = 3.0
"""Nats by which a row is less likely no order than an order: odds of 20 to 1. Set by hand: among the orders
of the sample sheets about one row in twenty is none."""

IS_ITS_END = 10.0
"""Nats by which two rows must be likelier together than the first alone for the second to be its end, and no
word put in above the next row. Set by hand on composed sheets."""

REMARK = 8.0
"""Nats by which words in parentheses are less likely a line of their own than the end of the line above. Set
by hand."""

SIGNED = 3.0
"""Nats by which a row that says a power's name or a greeting is less likely than an order. Set by hand."""

READS_BADLY = -15.0
"""Log chance, in nats, of a row that reads badly by itself: its order may go on in the next row though that
row is a whole order ("Army Down supports", "Fleet Mull to Bute"). Set by hand after two composed sheets, seed
1009."""


@dataclass(frozen=True, slots=True)
class PageRow:
    """One row of a page and what it says by itself: as a heading, if it reads as one, and by its ink, if it
    has posteriors."""

    row: Row
    heading: DecodedHeadingRow | None
    decoded: DecodedLine | None

    @property
    def may_be_order(self) -> bool:
        """False for a row that is certainly a heading, or that nobody could read."""
        return bool(self.row.text) and not (self.heading is not None and self.heading.is_certain)


@dataclass(frozen=True, slots=True)
class JoinedLine:
    """One line of a page. `decoded`: what it says by its ink; None where a row has no posteriors. `heading`:
    what it says as a heading, for one row that reads as one. `ends_signed`: its last row may be the signature
    below a whole order."""

    line: ReadLine
    decoded: DecodedLine | None
    heading: DecodedHeadingRow | None = None
    ends_signed: bool = False


Decoded: TypeAlias = Mapping[RowGroup, DecodedLine | None]
"""What groups of rows say by their ink; None where a row has no posteriors."""


def read_rows(rows: Sequence[Row], games: Sequence[KnownGame], vocabulary: Vocabulary) -> tuple[PageRow, ...]:
    """Stage 1, page rows: every row by itself, as a heading and as an order."""
    lines = [as_line([row]) for row in rows]
    headings = decode_heading_rows(lines, games, vocabulary.starts)
    decoded = decode_lines(lines, vocabulary)
    page_rows = [PageRow(row, headings.get(index), decoded[index]) for index, row in enumerate(rows)]
    return release_inserted_rows(page_rows, vocabulary)


def release_inserted_rows(rows: Sequence[PageRow], vocabulary: Vocabulary) -> tuple[PageRow, ...]:
    """The rows, and by themselves those that only look put in above another row: a whole order close above a
    long line, or the end of the order before. Seen on composed sheets; without this such an order is lost."""
    # Imported here: it loads the recogniser's network, and a worker that only sends mail needs none.
    from ocr.corrections.apply import is_over_struck_word

    inserted = [[word for word in row.row.inserted if not is_over_struck_word(word, row.row)] for row in rows]
    decoded = iter(decode_lines([as_line([word]) for words in inserted for word in words], vocabulary))
    settled: list[PageRow] = []
    for row, words in zip(rows, inserted, strict=True):
        candidates = [PageRow(word, None, next(decoded)) for word in words]
        released = [
            candidate for candidate in candidates
            if is_whole_order(candidate.row.text, candidate.decoded, vocabulary)
            or (settled and _ends_order(settled[-1], candidate, vocabulary))
        ]
        settled += [*released, _without(row, released, vocabulary)]
    return tuple(settled)


def join_rows(rows: Sequence[PageRow], vocabulary: Vocabulary) -> tuple[JoinedLine, ...]:
    """Stages 2 to 5: the lines of a page from top to bottom, each of one to three rows."""
    if any(row.row.posteriors is None for row in rows if row.row.text):
        return _join_by_text(rows, vocabulary)
    ink = [row.row for row in rows]
    decoded: Decoded = {RowGroup(index, index + 1): row.decoded for index, row in enumerate(rows)}
    scores = score_groups(rows, decoded, vocabulary)
    # 2. Row groups: a row that is a whole order is the end of another only where the row above reads badly
    # without it.
    ends_well = [True, *(score > READS_BADLY for score in scores.values())]
    stand_alone = [
        ends_well[index] and is_whole_order(row.row.text, row.decoded, vocabulary) for index,
        row in enumerate(rows)
    ]
    layout = {
        group: nats for group, nats in row_groups(ink, stand_alone).items()
        if all(row.may_be_order for row in rows[group.start : group.end])
    }
    # 3. Hypotheses. 4. Scores.
    together = _decode_groups(ink, layout, vocabulary)
    decoded, scores = {**decoded, **together}, scores | score_groups(rows, together, vocabulary)
    # 5. Joined lines.
    chosen = best_grouping(
        len(rows), {group: score + layout.get(group, 0.0) for group, score in scores.items()}
    )
    return tuple(_joined(group, rows, decoded, scores, vocabulary) for group in chosen)


def given_line(line: ReadLine, vocabulary: Vocabulary) -> JoinedLine:
    """A line whose rows somebody else has settled, or whose rows are not known."""
    if not line.rows:
        return JoinedLine(line, None)
    rows = [PageRow(row, None, None) for row in line.rows]
    whole = RowGroup(0, len(rows))
    decoded = _decode_groups(line.rows, _parts([whole], rows, vocabulary), vocabulary)
    return _joined(whole, rows, decoded, score_groups(rows, decoded, vocabulary), vocabulary)


def score_groups(rows: Sequence[PageRow], decoded: Decoded, vocabulary: Vocabulary) -> dict[RowGroup, float]:
    """Stage 4: the log chance, in nats, of what each group says as one line, layout left out; minus infinity
    for rows that cannot be one line."""
    return {group: _score(rows[group.start : group.end], line, vocabulary) for group, line in decoded.items()}


def is_whole_order(text: str, decoded: DecodedLine | None, vocabulary: Vocabulary) -> bool:
    """True if a row by itself is a whole order, its unit's kind and all, and begins like one: the end of an
    order may read like another ("Strathearn to County Kilkenny")."""
    if decoded is None or decoded.gain() <= 0 or is_incomplete(decoded.hypotheses[0].orders):
        return False
    return vocabulary.starts.looks_like_order(text) or vocabulary.starts.begins_short_order(text)


def _score(rows: Sequence[PageRow], decoded: DecodedLine | None, vocabulary: Vocabulary) -> float:
    """The score of one group, see `score_groups`."""
    if not all(row.may_be_order for row in rows):
        return -NOT_AN_ORDER if len(rows) == 1 else -math.inf
    text = joined_text([row.row.text for row in rows])
    if decoded is None or (
        # Rows that make no order together are one line only where they begin like an order.
        len(rows) > 1 and decoded.gain() < 0 and not vocabulary.starts.looks_like_order(text)
    ):
        return -math.inf
    # ... and even then they are rather several lines: only layout can outweigh this.
    score = decoded.log_chance - (NOT_AN_ORDER * (2 * len(rows) - 1) if decoded.gain() <= 0 else 0.0)
    score -= REMARK if text.startswith("(") else 0.0
    return max(score, -SIGNED) if len(rows) == 1 and is_harmless(text, vocabulary.lexicon) else score


def _decode_groups(rows: Sequence[Row], groups: Iterable[RowGroup], vocabulary: Vocabulary) -> Decoded:
    """Stage 3: what groups of rows say by their ink, all in one batch."""
    groups = tuple(groups)
    return dict(zip(groups, decode_lines([group.line(rows) for group in groups], vocabulary), strict=True))


def _join_by_text(rows: Sequence[PageRow], vocabulary: Vocabulary) -> tuple[JoinedLine, ...]:
    """Stages 2 to 5 for a page with a row that has no posteriors: rows are joined by how much their texts are
    whole orders, and only the lines are decoded."""
    own_rows, alone = [row.row for row in rows], [text_completeness(row.row.text, vocabulary) for row in rows]
    scores = {RowGroup(index, index + 1): value for index, value in enumerate(alone)}
    for group, layout in groups_by_indent(own_rows, alone).items():
        text = joined_text([row.text for row in own_rows[group.start : group.end]])
        scores[group] = len(group) * text_completeness(text, vocabulary) + layout
    chosen = best_grouping(len(rows), scores)
    decoded = {RowGroup(index, index + 1): row.decoded for index, row in enumerate(rows)}
    missing = [group for group in _parts(chosen, rows, vocabulary) if group not in decoded]
    decoded |= _decode_groups(own_rows, missing, vocabulary)
    nats = score_groups(rows, decoded, vocabulary)
    return tuple(_joined(group, rows, decoded, nats, vocabulary) for group in chosen)


def _parts(
    groups: Iterable[RowGroup], rows: Sequence[PageRow], vocabulary: Vocabulary
) -> Iterator[RowGroup]:
    """Each group, and the group without its last row where that may be a signature."""
    for group in groups:
        yield group
        if _may_be_signed(group, rows, vocabulary):
            yield RowGroup(group.start, group.end - 1)


def _may_be_signed(group: RowGroup, rows: Sequence[PageRow], vocabulary: Vocabulary) -> bool:
    return len(group) > 1 and is_harmless(rows[group.end - 1].row.text, vocabulary.lexicon)


def _joined(
    group: RowGroup, rows: Sequence[PageRow], decoded: Decoded, scores: Mapping[RowGroup, float],
    vocabulary: Vocabulary,
) -> JoinedLine:
    """A chosen group as a line."""
    line = group.line([row.row for row in rows])
    heading = rows[group.start].heading if len(group) == 1 else None
    ends_signed = False
    if _may_be_signed(group, rows, vocabulary):
        # Most powers are called like a place: "Newcastle" below "Army York supports Army Kent -" is no end of
        # it.
        above = RowGroup(group.start, group.end - 1)
        text = above.line([row.row for row in rows]).text
        ends_signed = is_whole_order(text, decoded[above], vocabulary) and not (
            scores[group] > scores[above] + IS_ITS_END
        )
    return JoinedLine(line, decoded[group], heading, ends_signed)


def _ends_order(above: PageRow, row: PageRow, vocabulary: Vocabulary) -> bool:
    """True if two rows are much likelier as one line than the first by itself."""
    if not (above.may_be_order and row.may_be_order):
        return False
    together = decode_line(as_line([above.row, row.row]), vocabulary)
    alone = _score([above], above.decoded, vocabulary)
    return _score([above, row], together, vocabulary) > alone + IS_ITS_END


def _without(row: PageRow, released: Sequence[PageRow], vocabulary: Vocabulary) -> PageRow:
    """A row without words that were put in above it, decoded again where any were."""
    if not released:
        return row
    words = [word.row for word in released]
    rest = replace(row.row, inserted=tuple(word for word in row.row.inserted if word not in words))
    return PageRow(rest, row.heading, decode_line(as_line([rest]), vocabulary))
