"""One page of ink to its heading and lines: the stages of reading, in order.

    rows -> words of the layout in their ink -> row groups -> hypotheses -> scored groups -> joined lines
    -> classified lines -> confidence
    -> waiting lines read again with the sheet's own hand, and by other looks at their ink
    -> orders without the kinds of units that are in doubt

Lexical only: nothing here depends on the position, so a sheet reads the same in any position.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from adjudicator.calendar import PhaseKind
from grammar.headings.sheet import SheetHeading
from grammar.headings.values import KnownGame
from ocr.layout.wrap import as_line
from ocr.page import Page, ReadLine
from reading.classify import classify_line, classify_page
from reading.heading import decode_heading_rows, read_heading
from reading.join_rows import JoinedLine, join_rows, read_rows, settled_line
from reading.layout_words import with_layout_words
from reading.line import InterpretedLine
from reading.other_looks import review_by_looks
from reading.own_hand import review_with_own_hand
from reading.review import ReviewRules
from reading.ticks import read_tick
from reading.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class ReadPage:
    """The reading of one page: its heading, and its lines from top to bottom, with those of the heading.
    `taught_by`: places in `lines` of those that taught the sheet's own hand; empty where it was not used."""

    heading: SheetHeading
    lines: tuple[InterpretedLine, ...]
    taught_by: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PageReader:
    """Reads the pages of sheets by one vocabulary and the rules of review. It has no state that changes."""

    vocabulary: Vocabulary
    rules: ReviewRules = field(default_factory=ReviewRules)

    def read_page(self, page: Page, games: Sequence[KnownGame]) -> ReadPage:
        """The heading of a page and its lines."""
        lines = self.join_page(page, games)
        heading, classified = classify_page(lines, games, self.vocabulary, self.rules)
        reviewed, taught_by = review_with_own_hand(lines, classified, self.vocabulary, self.rules)
        looked_at = review_by_looks(lines, reviewed, self.vocabulary, self.rules)
        return ReadPage(heading, tuple(line.leave_kinds_out() for line in looked_at), taught_by)

    def join_page(self, page: Page, games: Sequence[KnownGame]) -> tuple[JoinedLine, ...]:
        """The lines of a page, with the rows of an order that its sender broke joined; line by line as they
        are if a line's rows are not known."""
        starts = self.vocabulary.starts
        whole = with_layout_words(
            [row for line in page.lines for row in line.rows], self.vocabulary.lexicon, starts)
        rows = [read_tick(row, starts) for row in whole]
        if not rows or not all(line.rows for line in page.lines):
            return tuple(settled_line(line, self.vocabulary) for line in page.lines)
        return join_rows(read_rows(rows, games, self.vocabulary), self.vocabulary)

    def read_line(self, line: ReadLine) -> InterpretedLine:
        """A line whose place on the sheet a person has settled, without regard to its neighbours."""
        return classify_line(settled_line(line, self.vocabulary), self.vocabulary, self.rules)

    def for_heading(self, page: Page, games: Sequence[KnownGame]) -> PageReader:
        """The same for the phase in the page's heading, if it names one that is known here."""
        return PageReader(self.vocabulary.for_phase(self.heading_phase(page, games)), self.rules)

    def heading_phase(self, page: Page, games: Sequence[KnownGame]) -> PhaseKind | None:
        """The phase in the heading of a page; None if it names none."""
        # Rows are taken one by one: joining them needs the forms of the phase that is looked for here.
        rows = [row for line in page.lines for row in line.rows]
        lines = [as_line([row]) for row in rows] if rows else list(page.lines)
        headings = decode_heading_rows(lines, games, self.vocabulary.starts)
        return read_heading(lines, [headings.get(index) for index in range(len(lines))], games).kind
