"""Rows of a page to lines: which rows its sender wrote as one order.

    page rows -> row groups -> hypotheses -> scored groups -> joined lines

Each stage is a function of values. A row is known by its index from the top of the page. Decoding is what
costs, so it is done in batches: every row by itself, then the groups that layout and the single rows leave
possible.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from grammar.headings.values import KnownGame
from grammar.interpret import ends_name, goes_on
from grammar.order_traits import ends_in_help, has_kindless_unit, is_incomplete
from grammar.remarks import is_harmless
from ocr.layout.wrap import (
    MOST_ROWS,
    WHOLLY_STRUCK,
    RowGroup,
    as_line,
    best_grouping,
    groups_by_indent,
    joined_text,
    row_groups,
)
from ocr.page import ReadLine, Row
from reading.decode import BAD_FIT, DecodedLine, decode_line, decode_lines
from reading.heading import DecodedHeadingRow, decode_heading_rows
from reading.layout_words import list_heads
from reading.text_only import text_completeness
from reading.vocabulary import Vocabulary

NOT_AN_ORDER = 3.0
"""Nats, prior log-odds that a row is an order: about 20 to 1. By hand: among the orders of the sample sheets
about one row in twenty is none."""

IS_ITS_END = 10.0
"""Nats by which two rows must be likelier together than the first alone for the second to be its end, and not
a word inserted above the next row. By hand on composed sheets."""

MAY_BE_ITS_END = 6.0
"""Nats by which they may be less likely together where the second begins like the end of a move. By hand."""

REMARK = 8.0
"""Nats by which words in parentheses are less likely a line of their own than the end of the line above. By
hand."""

SIGNED = 3.0
"""Nats by which a row with a power's name or a greeting is less likely than an order. By hand."""

# "Army Down supports", and below it "Fleet Mull to Bute", which is a whole order too: the second passed as an
# order of its own (two composed sheets, seed 1009).
READS_BADLY = -15.0
"""Log chance in nats, 0 or less, below which a row may go on in the next one though that is a whole order. By
hand."""

INVENTED = -7.0
"""Log chance in nats, 0 or less, below which an order may lack its last name. Of names that the ink did not
show the cheapest, of three letters, cost 12. By hand."""


PROPOSED = 20.0
"""Nats, the most that orders of like spelling are expected to add to a group of rows. By hand."""


@dataclass(frozen=True, slots=True)
class PageRow:
    """One row of a page, and its reading by itself: as a heading, or None, and as an order, or None without
    posteriors. `is_list_head`: it heads a list of orders ("Armies:")."""

    row: Row
    heading: DecodedHeadingRow | None
    decoded: DecodedLine | None
    is_list_head: bool = False

    @property
    def may_be_order(self) -> bool:
        """False for a row that is certainly a heading, or that no one could read."""
        is_heading = self.is_list_head or (self.heading is not None and self.heading.is_certain)
        return bool(self.row.text) and not is_heading


@dataclass(frozen=True, slots=True)
class JoinedLine:
    """One line of a page. `decoded`: its reading by ink; None if a row has no posteriors. `heading`: its
    reading as a heading, for one row that reads as one. `ends_signed`: its last row may be the signature
    below a whole order. `is_list_head`: it heads a list of orders."""

    line: ReadLine
    decoded: DecodedLine | None
    heading: DecodedHeadingRow | None = None
    ends_signed: bool = False
    is_list_head: bool = False


Decoded: TypeAlias = Mapping[RowGroup, DecodedLine | None]
"""Readings of groups of rows by their ink; None if a row has no posteriors."""


def read_rows(rows: Sequence[Row], games: Sequence[KnownGame], vocabulary: Vocabulary) -> tuple[PageRow, ...]:
    """Stage 1, page rows: every row by itself, as a heading and as an order."""
    lines = [as_line([row]) for row in rows]
    headings = decode_heading_rows(lines, games, vocabulary.starts)
    decoded = decode_lines(lines, vocabulary)
    heads = list_heads(rows, vocabulary.lexicon, vocabulary.starts)
    page_rows = [
        PageRow(row, headings.get(index), decoded[index], heads[index] is not None)
        for index, row in enumerate(rows)]
    return release_inserted_rows(page_rows, vocabulary)


def release_inserted_rows(rows: Sequence[PageRow], vocabulary: Vocabulary) -> tuple[PageRow, ...]:
    """The rows, with those apart that only look inserted above another row."""
    # Imported here: it loads the recogniser's network, and a worker that only sends mail needs none.
    from ocr.corrections.apply import is_over_struck_word

    # A whole order close above a long line, or the end of the order before, was lost on composed sheets.
    inserted = [word for row in rows for word in row.row.inserted]
    decoded = iter(decode_lines([as_line([word]) for word in inserted], vocabulary))
    settled: list[PageRow] = []
    for row in rows:
        candidates = [PageRow(word, None, next(decoded)) for word in row.row.inserted]
        released = []
        for candidate in candidates:
            # "... supports", below it "Hertfordshire" over an order that is crossed out whole: no word was
            # exchanged there.
            is_all_struck = row.row.strike.score >= WHOLLY_STRUCK
            replaces = is_over_struck_word(candidate.row, row.row) and not is_all_struck
            if (not replaces and is_whole_order(candidate.row.text, candidate.decoded, vocabulary)) or (
                settled and _ends_order(settled[-1], candidate, row, vocabulary, replaces=replaces)
            ):
                released.append(candidate)
        settled += [*released, _without(row, released, vocabulary)]
    return tuple(settled)


def join_rows(rows: Sequence[PageRow], vocabulary: Vocabulary) -> tuple[JoinedLine, ...]:
    """Stages 2 to 5: the lines of a page from top to bottom, each of one to four rows."""
    if any(row.row.posteriors is None for row in rows if row.row.text):
        return _join_by_text(rows, vocabulary)
    ink = [row.row for row in rows]
    decoded: Decoded = {RowGroup(index, index + 1): row.decoded for index, row in enumerate(rows)}
    scores = score_groups(rows, decoded, vocabulary)
    # 2. Row groups: a row that is a whole order is the end of another only if the row above reads badly
    # without it, or if neither reads well. "Army Kesteven & Holland" was for 11 nats an order to hold, and
    # "supports Fleet Mull in place" below it for 32 one of a fleet in Portland.
    ends_well = [True, *(
        score > READS_BADLY and not ends_in_help(row.row.text)
        for row, score in zip(rows, scores.values(), strict=True)
    )]
    stand_alone = [
        ends_well[index] and is_whole_order(row.row.text, row.decoded, vocabulary)
        and not (index and _fits_badly(rows[index - 1]) and _reads_badly(row))
        for index, row in enumerate(rows)
    ]
    layout = {
        group: nats for group, nats in row_groups(ink, stand_alone).items()
        if _may_be_order(rows[group.start : group.end], nats)
    }
    # 3. Hypotheses. 4. Scores. Pairs first: a third row is tried only behind two that want one.
    may_go_on = [
        _may_go_on(row, below, good, vocabulary)
        for row, below, good in zip(rows, [*rows[1:], None], ends_well[1:], strict=True)
    ]
    for count in range(2, MOST_ROWS + 1):
        asked = [
            group for group in layout
            if len(group) == count and _is_asked(group, rows, layout, may_go_on, decoded, scores)
        ]
        together = _decode_groups(ink, asked, vocabulary, propose=False)
        decoded, scores = {**decoded, **together}, scores | score_groups(rows, together, vocabulary)
        hopeful = [group for group in asked if is_hopeful(group, scores, layout)]
        together = _decode_groups(ink, hopeful, vocabulary)
        decoded, scores = {**decoded, **together}, scores | score_groups(rows, together, vocabulary)
    # 5. Joined lines.
    chosen = best_grouping(
        len(rows), {group: score + layout.get(group, 0.0) for group, score in scores.items()}
    )
    return tuple(_joined(group, rows, decoded, scores, vocabulary) for group in chosen)


def _may_be_order(rows: Sequence[PageRow], layout: float) -> bool:
    """True if rows may be one order. `layout`: nats for it by layout."""
    # "... is under the orders of", and "Protectorate" indented below it: nothing but its place shows such an
    # end from the power's name in a heading.
    return rows[0].may_be_order and all(
        row.may_be_order or (layout > 0 and bool(row.row.text) and not row.is_list_head) for row in rows[1:]
    )


def _may_go_on(row: PageRow, below: PageRow | None, reads_well: bool, vocabulary: Vocabulary) -> bool:
    """True if a row begins an order that it does not end, by its own ink and the row below."""
    if row.decoded is None or not row.may_be_order:
        return False
    starts, text = vocabulary.starts, row.row.text
    if not (starts.looks_like_order(text) or starts.begins_short_order(text) or row.decoded.gain() > 0):
        return False
    if not (reads_well and is_whole_order(text, row.decoded, vocabulary)):
        return True
    return below is not None and below.may_be_order and _may_end(row, below, vocabulary)


def _may_end(row: PageRow, below: PageRow, vocabulary: Vocabulary) -> bool:
    """True if the row below a whole order may yet be its end."""
    # "in attacking London" below a whole support was an order of Lindsey's, whose short name is "Lin".
    if _lacks_kind(below):
        return True
    if not _is_no_order(below):
        return _fits_badly(row) and _reads_badly(below)
    # "Fleet Londonderry retreats": for 14 nats it had a short name for the end that it lacks, "to
    # Cambridgeshire" below it was not an order, and nothing asked for the two together. "to Essex" or "via
    # convoy" below a whole order, not indented, is its end without the row above having lost anything.
    above, end = row.row.text, below.row.text
    return _fits_badly(row) or goes_on(end) or ends_name(above, end, vocabulary.lexicon)


def _lacks_kind(row: PageRow) -> bool:
    """True if a row is an order by itself only of a unit without its kind."""
    return row.decoded is not None and row.decoded.gain() > 0 and (
        has_kindless_unit(row.decoded.hypotheses[0].orders)
    )


def _fits_badly(row: PageRow) -> bool:
    """True if a row loses as much as a name that its ink does not show costs at least."""
    return row.decoded is not None and row.decoded.log_chance <= INVENTED


def _reads_badly(row: PageRow) -> bool:
    """True if a row loses more than an order may that ends in another row."""
    return row.decoded is not None and row.decoded.log_chance <= READS_BADLY


def _is_no_order(row: PageRow) -> bool:
    """True if a row is rather no order by itself."""
    return row.decoded is None or row.decoded.gain() <= 0


def _is_asked(
    group: RowGroup, rows: Sequence[PageRow], layout: Mapping[RowGroup, float],
    may_go_on: Sequence[bool], decoded: Decoded, scores: Mapping[RowGroup, float],
) -> bool:
    """True if layout, an unfinished row or a row that is not an order by itself requests these rows as one
    line."""
    # Reading every group that layout leaves possible was half of a sheet's time. No reading gains what layout
    # takes from it beyond what its rows lose apart: the score of a group is 0 at most.
    if layout[group] <= _likeliest_apart(group, scores, layout):
        return False
    if len(group) == 2:
        return layout[group] >= 0.0 or may_go_on[group.start]
    above = RowGroup(group.start, group.end - 1)
    first = decoded.get(above)
    # Of 244 groups of three rows and four on 60 sheets of writers for calibration 11 were lines. Of the 158
    # that layout speaks against, and whose rows above are likelier apart, none was.
    if first is None or (
        layout[group] < 0.0 and scores[above] + layout[above] < _likeliest_apart(above, scores, layout)
    ):
        return False
    is_whole = not is_incomplete(first.hypotheses[0].orders) if first.hypotheses else False
    ends_well = is_whole and first.gain() > 0 and scores[above] > READS_BADLY
    last = rows[group.end - 1]
    if layout[group] > layout[above] or not ends_well or _lacks_kind(last):
        return True
    # "Army Scarborough / Castle retreats to / Waterford": for 13 nats two rows had "Louth" for an end that
    # they lack, and nothing asked for the third. "Army The Lennox supports / Army Lancashire / into
    # Lancashire" lost nothing without it, but by itself the third reads as nothing.
    alone = scores[RowGroup(group.end - 1, group.end)]
    return _is_no_order(last) and (scores[above] <= INVENTED or (last.may_be_order and alone <= READS_BADLY))


def _likeliest_apart(
    group: RowGroup, scores: Mapping[RowGroup, float], layout: Mapping[RowGroup, float]
) -> float:
    """The score of a group's rows as the likeliest lines of fewer rows that were read, layout counted."""
    parts = {
        RowGroup(part.start - group.start, part.end - group.start): score + layout.get(part, 0.0)
        for part, score in scores.items()
        if group.start <= part.start and part.end <= group.end and part != group}
    return sum(parts[part] for part in best_grouping(len(group), parts))


def is_hopeful(group: RowGroup, scores: Mapping[RowGroup, float], layout: Mapping[RowGroup, float]) -> bool:
    """True if orders of like spelling could make a group likelier than its rows apart."""
    apart = sum(scores[RowGroup(index, index + 1)] for index in range(group.start, group.end))
    return BAD_FIT > scores[group] > apart - layout[group] - PROPOSED


def settled_line(line: ReadLine, vocabulary: Vocabulary) -> JoinedLine:
    """A line whose rows a person has settled, or whose rows are not known."""
    if not line.rows:
        return JoinedLine(line, None)
    rows = [PageRow(row, None, None) for row in line.rows]
    all_rows = RowGroup(0, len(rows))
    decoded = _decode_groups(line.rows, _parts([all_rows], rows, vocabulary), vocabulary)
    return _joined(all_rows, rows, decoded, score_groups(rows, decoded, vocabulary), vocabulary)


def score_groups(rows: Sequence[PageRow], decoded: Decoded, vocabulary: Vocabulary) -> dict[RowGroup, float]:
    """Stage 4: by group the log chance, in nats, of its reading as one line, without layout; minus infinity
    for rows that cannot be one line."""
    return {group: _score(rows[group.start : group.end], line, vocabulary) for group, line in decoded.items()}


def is_whole_order(text: str, decoded: DecodedLine | None, vocabulary: Vocabulary) -> bool:
    """True if a row by itself is a whole order, with its unit's kind, and begins like one."""
    # The end of an order may read like another order: "Strathearn to County Kilkenny".
    if decoded is None or decoded.gain() <= 0 or is_incomplete(decoded.hypotheses[0].orders):
        return False
    return vocabulary.starts.looks_like_order(text) or vocabulary.starts.begins_short_order(text)


def _score(rows: Sequence[PageRow], decoded: DecodedLine | None, vocabulary: Vocabulary) -> float:
    """The score of one group, see `score_groups`."""
    if not rows[0].may_be_order:
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


def _decode_groups(
    rows: Sequence[Row], groups: Iterable[RowGroup], vocabulary: Vocabulary, *, propose: bool = True
) -> Decoded:
    """Stage 3: the readings of groups of rows by their ink, all in one batch."""
    groups = tuple(groups)
    lines = [group.line(rows) for group in groups]
    return dict(zip(groups, decode_lines(lines, vocabulary, propose=propose), strict=True))


def _join_by_text(rows: Sequence[PageRow], vocabulary: Vocabulary) -> tuple[JoinedLine, ...]:
    """Stages 2 to 5 for a page with a row without posteriors: rows are joined by how complete their texts are
    as orders, and only the lines are decoded."""
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
    """Each group, and the group without its last row if that may be a signature."""
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
        # Most powers are called like a place: "Newcastle" below "Army York supports Army Kent -" is not an
        # end of it.
        above = RowGroup(group.start, group.end - 1)
        text = above.line([row.row for row in rows]).text
        ends_signed = is_whole_order(text, decoded[above], vocabulary) and not (
            scores[group] > scores[above] + IS_ITS_END
        )
    return JoinedLine(line, decoded[group], heading, ends_signed, rows[group.start].is_list_head)


def _ends_order(
    above: PageRow, word: PageRow, host: PageRow, vocabulary: Vocabulary, *, replaces: bool
) -> bool:
    """True if a word ends the row above: the two are much likelier as one line than that row by itself, or
    both rows are much likelier so than with the word in the `host`, which it was inserted into; and with what
    is left of the host likelier than the row above with that host. `replaces`: it is over a word of the
    host that was crossed out."""
    if not (above.may_be_order and word.may_be_order):
        return False
    alone = _score([above], above.decoded, vocabulary)
    with_word = _score_together([above, word], vocabulary)
    # "... supports Army London", below it "into Cowal", low enough to touch the order after it: the first row
    # is whole without its end, and passed as another order.
    least = alone + (-MAY_BE_ITS_END if _begins_end(word.row.text) else IS_ITS_END)
    ends_above = with_word > least and not replaces
    if ends_above and (not host.may_be_order or host.row.strike.score >= WHOLLY_STRUCK):
        return True
    rest = _without(host, [word], vocabulary)
    rest_score = _score([rest], rest.decoded, vocabulary)
    # "... goes to Bristol", below it "channel" in the way of "Army Kinsale moves into Drogheda": both rows
    # are whole orders without that word, and the first passed.
    by_itself = _score([word], word.decoded, vocabulary) + rest_score
    apart = alone + max(_score([host], host.decoded, vocabulary), by_itself)
    if not ends_above and with_word + rest_score <= apart + IS_ITS_END:
        return False
    # "... into", below it "Lathom" with "House" put in at its end: an unfinished order takes any word for its
    # end, became one into "Mons", and "Lathom" was left over.
    return with_word + rest_score > _score_together([above, host], vocabulary)


def _begins_end(text: str) -> bool:
    """True for two words or more that begin like the end of a move; "to" alone is rather a word inserted."""
    return goes_on(text) and len(text.split()) > 1


def _score_together(rows: Sequence[PageRow], vocabulary: Vocabulary) -> float:
    """The score of rows as one line, which is read for it."""
    return _score(rows, decode_line(as_line([row.row for row in rows]), vocabulary), vocabulary)


def _without(row: PageRow, released: Sequence[PageRow], vocabulary: Vocabulary) -> PageRow:
    """A row without inserted words that were released, decoded again if any were."""
    if not released:
        return row
    words = [word.row for word in released]
    rest = replace(row.row, inserted=tuple(word for word in row.row.inserted if word not in words))
    return replace(row, row=rest, decoded=decode_line(as_line([rest]), vocabulary))
