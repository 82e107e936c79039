"""One page of ink to its heading and lines: the stages of reading, in order.

    rows -> row groups -> hypotheses -> scored groups -> joined lines -> classified lines -> confidence

Lexical only: nothing here knows the position, so the reading of a sheet is the same whatever stands on the
board.
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
from reading.join_rows import JoinedLine, given_line, join_rows, read_rows
from reading.line import InterpretedLine
from reading.review import ReviewRules
from reading.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class ReadPage:
    """What one page says: its heading, and its lines from top to bottom, those of the heading among them."""

    heading: SheetHeading
    lines: tuple[InterpretedLine, ...]


@dataclass(frozen=True, slots=True)
class PageReader:
    """Reads the pages of sheets by one vocabulary and the rules of review. It has no state that changes."""

    vocabulary: Vocabulary
    rules: ReviewRules = field(default_factory=ReviewRules)

    def read_page(self, page: Page, games: Sequence[KnownGame]) -> ReadPage:
        """The heading of a page and its lines."""
        lines = self.join_page(page, games)
        return ReadPage(*classify_page(lines, games, self.vocabulary, self.rules))

    def join_page(self, page: Page, games: Sequence[KnownGame]) -> tuple[JoinedLine, ...]:
        """The lines of a page, the rows of an order that its sender broke put together. A page whose rows are
        not known is taken line by line as it is."""
        rows = [row for line in page.lines for row in line.rows]
        if not rows or not all(line.rows for line in page.lines):
            return tuple(given_line(line, self.vocabulary) for line in page.lines)
        return join_rows(read_rows(rows, games, self.vocabulary), self.vocabulary)

    def read_line(self, line: ReadLine) -> InterpretedLine:
        """A line whose place somebody else has settled, whatever is written beside it."""
        return classify_line(given_line(line, self.vocabulary), self.vocabulary, self.rules)

    def for_heading(self, page: Page, games: Sequence[KnownGame]) -> PageReader:
        """The same for the phase that the page's heading names, where it names one that is known here."""
        return PageReader(self.vocabulary.for_phase(self.heading_phase(page, games)), self.rules)

    def heading_phase(self, page: Page, games: Sequence[KnownGame]) -> PhaseKind | None:
        """The phase that the heading of a page names, row by row as they are; None where it names none."""
        rows = [row for line in page.lines for row in line.rows]
        lines = [as_line([row]) for row in rows] if rows else list(page.lines)
        headings = decode_heading_rows(lines, games, self.vocabulary.starts)
        return read_heading(lines, [headings.get(index) for index in range(len(lines))], games).kind
