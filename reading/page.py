"""From what the eye saw to lines with candidates: ink decoded inside forms and names, doubt kept for a
person.

Lexical only: nothing here knows the position, so the reading of a sheet is the same whatever stands on the
board.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from adjudicator.calendar import PhaseKind
from adjudicator.orders import Hold, Order
from grammar.compose import Forms
from grammar.headings.sheet import MAX_HEADING_LINES, SheetHeading
from grammar.headings.values import KnownGame
from grammar.interpret import (
    has_doubt,
)
from grammar.lexicon import Lexicon
from grammar.nearest_orders import AcceptLimits, NearestOrders, completeness, nearest_orders
from grammar.order_starts import OrderStarts, order_starts
from grammar.order_traits import is_incomplete, names_own_place
from grammar.remarks import is_harmless
from grammar.respellings import has_order_word, looks_like_order
from ocr.decoding.confidence import (
    ConfidenceTable,
    automatic,
    confidence,
    default_table,
    surely_out,
    taken_out,
)
from ocr.layout.wrap import as_line, join_by_worth, join_wrapped
from ocr.page import Page, ReadLine, Row
from reading.ahead import headings_ahead, orders_ahead
from reading.decode import (
    LETTER,
    LIKELY_LETTER,
    MOST_CANDIDATES,
    DecodedLine,
    best_lying,
    decode_line,
    features,
    to_candidates,
)
from reading.heading import DecodedHeadingRow, inked_heading, read_heading, same_digits
from reading.line import InterpretedLine, review_confusable_writers, review_uncertain_neighbours
from reading.status import LineState
from reading.vocabulary import printed

MOST_KEPT = 400
"""Texts whose readings a scribe remembers: more than one sheet has."""
BEGINS = 0.7
"""How much of a line must be one order for the heading to end above it."""
FAINT = 0.45
"""A best reading below this is no reading of an order."""


STRAY = 3.0
"""Nats by which a row is less likely no order than one: among orders one row in twenty is none."""

TAIL = 10.0
"""Nats that a row is the likelier with the one below it where that one is its end and no word put in above
the next."""

REMARK = 8.0
"""Nats by which words in parentheses are less likely a line of their own than the end of the one above."""

SIGNED = 3.0
"""Nats by which a row that says a power's name or a greeting is less likely than one of an order."""

_VERSION_FIRST = re.compile(r"\s*v(?:er(?:sion)?)?[ .]*[\dIl|]+\W+\w", re.IGNORECASE)
NO_SENSE = 0.2
LONGEST_NAME = 4
"""Words of a sender's name on top of his sheet, a salutation among them; more are a sentence."""
UNCLEAR = 0.5
"""The most confidence in a heading whose figures two readings do not share."""


PLAIN = 0.93
"""What letters score that were read plainly."""

SHORT = 2.0
"""Heights of a row that even the shortest order is longer than ("A Che H" is 2.5 and more)."""

UNTOUCHED = 0.4
"""The most that a line without posteriors may look crossed out: how well it reads tells nothing there."""


Heads: TypeAlias = Mapping[int, DecodedHeadingRow]
"""Rows that read as a heading, by their identity."""
NO_HEADS: Heads = {}


@dataclass(frozen=True, slots=True)
class ReviewLimits:
    """When a line may go without a look, the site's settings: `score` 0..1 is the least confidence, `margin`
    in letters how much dearer the next different order of a text must be."""

    score: float = 0.8
    margin: float = 1.3

    @property
    def plain(self) -> float:
        """The least score, 0..1, of a text that nobody looks at though its ink was not decoded inside the
        grammar."""
        return max(self.score, PLAIN)


@dataclass(frozen=True, slots=True)
class PageReader:
    """Reads the lines of sheets of one variant and phase. Several `forms` where the phase is not known.

    Rows with the recogniser's posteriors are decoded, by `table` of confidence; rows without are snapped by
    `care`.
    """

    lexicon: Lexicon
    forms: Sequence[Forms]
    doubt: ReviewLimits = ReviewLimits()
    care: AcceptLimits = AcceptLimits()
    table: ConfidenceTable = field(default_factory=default_table)
    _made: dict[str, NearestOrders] = field(default_factory=dict, init=False, repr=False, compare=False)
    _read: dict[tuple[int, ...], tuple[ReadLine, DecodedLine | None]] = field(
        default_factory=dict, init=False, repr=False, compare=False)

    @property
    def signs(self) -> OrderStarts:
        """By what a line is seen to begin like an order."""
        return order_starts(self.lexicon, tuple(self.forms))

    def completes(self, text: str) -> float:
        """How much a text is one whole line, for joining wrapped rows. A version that stands before other
        words is the end of the heading and no part of an order."""
        if _VERSION_FIRST.match(text):
            return 0.0
        if not looks_like_order(text, self.signs):
            return NO_SENSE
        return completeness(self._snap(text).candidates)

    def narrowed(self, kind: PhaseKind | None) -> PageReader:
        """The same for one phase kind only, where its forms are among these; for a sheet whose heading
        tells."""
        known = [forms for forms in self.forms if forms.phase is kind]
        return (
            PageReader(self.lexicon, known, self.doubt, self.care, self.table)
            if known and len(self.forms) > 1
            else self
        )

    def _snap(self, text: str) -> NearestOrders:
        """Snapped once and kept: the same row is asked for when rows are joined and when lines are read."""
        found = self._made.get(text)
        if found is None:
            found = nearest_orders(text, lexicon=self.lexicon, forms=self.forms, power="", limits=self.care)
            if len(self._made) < MOST_KEPT:
                self._made[text] = found
        return found

    def lines(
        self, page: Page, games: Sequence[KnownGame]
    ) -> tuple[SheetHeading, tuple[InterpretedLine, ...]]:
        """The heading of a page and its lines from top to bottom."""
        heads = self._heads(page, games)
        lines = self.joined(page, heads)
        inked = self._above(lines, heads)
        # What nobody could read is no heading: above the orders it is more likely a mark than a line.
        heading = read_heading(lines, inked, games)
        above = [(line, ink) for line, ink in zip(lines, inked, strict=False) if line.text]
        # Letters alone take "string" for Spring: where there is ink, it says what is heading.
        named = [
            (ink is not None and ink.likely) or (not line.rows and at in heading.lines)
            for at, (line, ink) in enumerate(above)
        ]
        begun_at = (
            0 if len(inked) == len(lines) else max((at for at, known in enumerate(named) if known), default=0)
        )
        # Below the heading's last line, and where there is no heading, what is neither order nor greeting may
        # be part of an order.
        found = [
            self._orderless(line, self._heading(line, ink), named=known or at < begun_at)
            for at, ((line, ink), known) in enumerate(zip(above, named, strict=True))
        ]
        found += [self._line(line) for line in lines[len(inked) :]]
        # of a page without a line, none
        beside = zip([None, *found], found, [*found[1:], None], strict=False)
        alone = [
            review_uncertain_neighbours(line, before, after, self.lexicon) for before, line, after in beside
        ]
        hand = [line.features for line in found if line.features is not None and not line.struck]
        return heading, tuple(review_confusable_writers(line, hand, self.table) for line in alone)

    def by_itself(self, line: ReadLine) -> InterpretedLine:
        """A line whose place somebody else has settled, whatever stands beside it."""
        return self._line(line)

    def phase(self, page: Page, games: Sequence[KnownGame]) -> PhaseKind | None:
        """The phase that the heading of a page tells, by its rows as they stand; None where it tells none."""
        rows = [row for line in page.lines for row in line.rows]
        lines = [as_line([row]) for row in rows] if rows else list(page.lines)
        headings_ahead(lines, games)
        first_order = next(
            (
                at
                for at, line in enumerate(lines[:MAX_HEADING_LINES])
                if self.signs.looks_like_order(line.text)
            ),
            MAX_HEADING_LINES,
        )
        return read_heading(lines, [inked_heading(line, games) for line in lines[:first_order]], games).kind

    def _heads(self, page: Page, games: Sequence[KnownGame]) -> Heads:
        """The rows at the top that read as a heading by their ink, down to the first that begins like an
        order."""
        found: dict[int, DecodedHeadingRow] = {}
        headings_ahead([as_line([row]) for line in page.lines for row in line.rows], games)
        for row in [row for line in page.lines for row in line.rows][:MAX_HEADING_LINES]:
            if self.signs.looks_like_order(row.text):
                break
            ink = inked_heading(as_line([row]), games)
            if ink is not None:
                found[id(row)] = ink
        return found

    def _above(self, lines: Sequence[ReadLine], heads: Heads) -> list[DecodedHeadingRow | None]:
        """The lines before the first that is an order, each as a heading."""
        found: list[DecodedHeadingRow | None] = []
        for line in lines:
            ink = heads.get(id(line.rows[0])) if len(line.rows) == 1 else None
            if self._begins(line, ink):
                break
            found.append(ink)
        return found

    def _orderless(self, line: ReadLine, seen: InterpretedLine, *, named: bool) -> InterpretedLine:
        """A line above the orders that is no part of a heading: a person looks at all but what is plainly one
        (`named`) or a signature, and is told which orders it might be."""
        plain = seen.status is LineState.NOT_ORDER
        if named or (plain and is_harmless(seen.text, self.lexicon)):
            return seen
        found = self._deciphered(line)
        return replace(seen, kind="other" if plain else seen.kind, status=LineState.OPEN,
                       candidates=() if found is None else to_candidates(found))

    def joined(self, page: Page, heads: Heads = NO_HEADS) -> tuple[ReadLine, ...]:
        """The lines of a page, the rows of an order that its sender broke put together by what they say. Rows
        of `heads` that are plainly a heading stay by themselves."""
        plain = {row for row, ink in heads.items() if ink.plain}
        rows = [row for line in page.lines for row in line.rows]
        if not rows or any(not line.rows for line in page.lines):
            return page.lines
        rows = self._own_rows(rows, plain)
        if any(row.posteriors is None for row in rows if row.text):
            return join_wrapped(rows, self.completes)
        return join_by_worth(
            rows, lambda line: self._worth(line, plain), self._stands, lambda lines: self._ahead(lines, plain)
        )

    def _own_rows(self, rows: Sequence[Row], plain: Collection[int]) -> list[Row]:
        """The rows, and by themselves those that only look put in above another: a whole order, or the end of
        the one before."""
        from ocr.corrections.apply import is_over_struck_word

        found: list[Row] = []
        for row in rows:
            own = [one for one in row.inserted if not is_over_struck_word(one, row) and (
                self._stands(as_line([one])) or (found and self._ends_in([found[-1], one], plain)))]
            found += [
                *own,
                replace(row, inserted=tuple(one for one in row.inserted if one not in own)) if own else row,
            ]
        return found

    def _ends_in(self, rows: Sequence[Row], plain: Collection[int] = frozenset()) -> bool:
        """Whether rows are much likelier with the last one as their end than without."""
        alone, both = (self._worth(as_line(part), plain) for part in (rows[:-1], rows))
        return both > alone + TAIL

    def _ahead(self, lines: Sequence[ReadLine], plain: Collection[int]) -> None:
        """Decode what `_worth` and `_stands` will ask for."""
        asked = [
            line
            for line in lines
            if len(line.rows) == 1 or all(row.text and id(row) not in plain for row in line.rows)
        ]
        orders_ahead(asked, self.lexicon, tuple(self.forms))

    def _worth(self, line: ReadLine, plain: Collection[int]) -> float:
        """Log chance of a line. Rows that make no order together are one line only where they begin like one,
        and a row that nobody could read is no part of another's."""
        if any(id(row) in plain or not row.text for row in line.rows):
            return -STRAY if len(line.rows) == 1 else -math.inf
        found = self._deciphered(line)
        if found is None or (
            len(line.rows) > 1 and found.gain() < 0 and not self.signs.looks_like_order(line.text)
        ):
            return -math.inf
        # Rows that make no order together are rather several lines: only layout can outweigh that.
        worth = found.worth - (STRAY * (2 * len(line.rows) - 1) if found.gain() <= 0 else 0.0)
        worth -= REMARK if line.text.startswith("(") else 0.0
        return max(worth, -SIGNED) if len(line.rows) == 1 and is_harmless(line.text, self.lexicon) else worth

    def _signed(self, line: ReadLine) -> bool:
        """May the last row of an order be who signs below a whole one? Most powers are called like a
        place."""
        if len(line.rows) < 2 or not is_harmless(line.rows[-1].text, self.lexicon):
            return False
        return self._stands(as_line(line.rows[:-1])) and not self._ends_in(line.rows)

    def _stands(self, line: ReadLine) -> bool:
        """Whether a row by itself is a whole order, its unit's kind and all, and begins like one: the end of
        an order may read like another."""
        found = self._deciphered(line)
        if found is None or found.gain() <= 0 or is_incomplete(found.told[0].orders):
            return False
        return self.signs.looks_like_order(line.text) or self.signs.begins_short_order(line.text)

    def _deciphered(self, line: ReadLine) -> DecodedLine | None:
        """Decoded once and kept: the same rows are asked for when rows are joined and when lines are read."""
        if not line.rows:
            return None
        key = tuple(id(row) for row in line.rows)
        held = self._read.get(key)
        if held is None:
            if len(self._read) >= MOST_KEPT:
                self._read.clear()
            # The line is kept beside its reading, so that the rows' identities stay theirs.
            held = self._read[key] = (line, decode_line(line, self.lexicon, tuple(self.forms)))
        return held[1]

    def _begins(self, line: ReadLine, ink: DecodedHeadingRow | None) -> bool:
        """Whether the orders begin with this line: by its first word, or because it is nearly a whole order
        and no heading (`ink`) fits better."""
        if self.signs.looks_like_order(line.text):
            return True
        if ink is not None and ink.plain:
            return False
        found = self._deciphered(line)
        if found is None:
            return self.completes(line.text) >= BEGINS
        return found.gain() > (0.0 if ink is None else ink.gain)

    def _line(self, line: ReadLine) -> InterpretedLine:
        """A line below the heading."""
        found = self._deciphered(line)
        return self._snapped_line(line) if found is None else self._decoded_line(line, found)

    def _decoded_line(self, line: ReadLine, found: DecodedLine) -> InterpretedLine:
        """A line by its ink, most likely an order. Where the text begins like one, free text must fit much
        better."""
        expected = self.signs.looks_like_order(line.text) or self.signs.begins_short_order(line.text)
        if (found.gain(LIKELY_LETTER) if expected else found.gain(LETTER) + STRAY) <= 0:
            return self._unread(line, found) if expected else self._no_order(line, to_candidates(found))
        best = found.told[0]
        if _bare_hold(best.orders) and is_harmless(line.text, self.lexicon):
            return self._no_order(line, to_candidates(found))
        fits = found.fits()
        marks = features(line, found, fits, self.lexicon, tuple(self.forms))
        chance = confidence(marks, self.table)
        struck = taken_out(line.strike, self.table, marks.haze)
        sure = (
            automatic(marks, chance, self.table)
            and chance >= self.doubt.score
            and not any(row.cut_off or (row.inserted and not marks.mended) for row in line.rows)
            and not self._signed(line)
        )
        return InterpretedLine(
            box=line.box.corners, kind="order", struck=struck, text=best_lying(fits).text,
            order=None if struck else best.order, confidence=chance,
            status=self._out(line) if struck else LineState.AUTO if sure else LineState.OPEN,
            candidates=to_candidates(found, chance), features=marks,
        )

    def _unread(self, line: ReadLine, found: DecodedLine) -> InterpretedLine:
        """A line that begins like an order and is none that was understood: a person looks."""
        struck = taken_out(line.strike, self.table)
        return InterpretedLine(
            box=line.box.corners, kind="order", struck=struck, text=line.text, order=None, confidence=0.0,
            status=self._out(line) if struck else LineState.OPEN, candidates=to_candidates(found),
        )

    def _out(self, line: ReadLine) -> LineState:
        """What becomes of a crossed-out line: a person looks where only a part may be out, or something was
        put in, and at a box hardly longer than high: one was a short order with a word put in above it, read
        as a letter with a wave through it."""
        short = max(row.box.width for row in line.rows) < SHORT * max(row.box.height for row in line.rows)
        whole = (
            surely_out(line.strike, self.table) and not short and not any(row.inserted for row in line.rows)
        )
        return LineState.NOT_ORDER if whole else LineState.OPEN

    def _snapped_line(self, line: ReadLine) -> InterpretedLine:
        """A line of rows whose recogniser gives no posteriors, by its text alone."""
        snapped = self._snap(line.text)
        candidates = self._candidates(line, snapped)
        best = candidates[0] if candidates else None
        order = None if best is None else best["order"]
        if best is None and not self.signs.looks_like_order(line.text):
            return self._no_order(line, candidates)
        struck = taken_out(line.strike, self.table)
        chance = self._confidence(line, snapped)
        sure = (
            snapped.automatic and not names_own_place(snapped.candidates[0].orders)
            and snapped.margin >= self.doubt.margin
            and max(line.strike.score, line.strike.max_word_score) < UNTOUCHED and chance >= self.doubt.plain
        )
        status = self._out(line) if struck else LineState.AUTO if sure else LineState.OPEN
        return InterpretedLine(
            box=line.box.corners, kind="order", struck=struck, text=line.text,
            order=None if struck or order is None else str(order), confidence=chance, status=status,
            candidates=tuple(candidates),
        )

    def _heading(self, line: ReadLine, ink: DecodedHeadingRow | None) -> InterpretedLine:
        """A line above the orders. One with a word of orders or of doubt, or a whole sentence, might be an
        order or say something about one: a person looks."""
        text = line.text if ink is None else ink.text
        clear = (
            not self.signs.begins_short_order(line.text)
            and not has_order_word(line.text, self.signs)
            and (
                ink is not None
                or not (
                    self.signs.has_unit_word(line.text)
                    or has_doubt(line.text)
                    or len(line.text.split()) > LONGEST_NAME
                )
            )
        )
        return InterpretedLine(
            box=line.box.corners, kind="heading", struck=False, text=text, order=None,
            confidence=line.score if same_digits(text, line.text) else min(line.score, UNCLEAR),
            status=LineState.NOT_ORDER if clear else LineState.OPEN, candidates=(),
        )

    def _no_order(self, line: ReadLine, candidates: Sequence[dict[str, object]]) -> InterpretedLine:
        """A line below the heading that is no order. A person looks, unless it is plainly crossed out, or
        plainly read and a signature or the like: it might be an order after all, or say something about
        one."""
        struck = taken_out(line.strike, self.table)
        clear = self._out(line) is LineState.NOT_ORDER if struck else (
            line.score >= self.doubt.plain and is_harmless(line.text, self.lexicon))
        return InterpretedLine(
            box=line.box.corners, kind="other", struck=struck, text=line.text, order=None,
            confidence=line.score,
            status=LineState.NOT_ORDER if clear else LineState.OPEN, candidates=tuple(candidates),
        )

    def _candidates(self, line: ReadLine, snapped: NearestOrders) -> list[dict[str, object]]:
        """Different orders, best first: of the first engine's text, then of the other engines' texts."""
        ranked: dict[str, dict[str, object]] = {}
        texts = [(line.score, snapped)] + [
            (other.score, self._snap(other.text))
            for other in line.alternatives[:2]
        ]
        for trust, one in texts:
            for candidate in one.candidates:
                order = printed(candidate.orders, self.lexicon.board)
                score = round(candidate.score * (0.5 + 0.5 * trust), 4)
                if order is None or candidate.score < FAINT:
                    continue
                held = ranked.get(order)
                if held is None or score > float(str(held["score"])):
                    ranked[order] = {"text": order, "order": order, "score": score}
        return sorted(ranked.values(), key=lambda c: -float(str(c["score"])))[:MOST_CANDIDATES]

    def _confidence(self, line: ReadLine, snapped: NearestOrders) -> float:
        """A first measure, not yet calibrated: what the letters lost on the way to the order, how near the
        next order is, and what the recogniser thought of its own text."""
        if not snapped.candidates:
            return round(line.score * 0.5, 4)
        best = snapped.candidates[0]
        margin = min(1.0, 0.7 + snapped.margin / 10)
        fit = best.score * (1.0 - best.worst / 4)
        return round(min(0.999, fit * margin * (0.75 + 0.25 * line.score)), 4)


def _bare_hold(orders: Sequence[Order]) -> bool:
    """Is it only a place that holds, as the name of a power who signs reads? Who holds does so without an
    order, too."""
    return len(orders) == 1 and isinstance(orders[0], Hold) and orders[0].unit.kind is None
