"""From what the eye saw to lines with candidates: words snapped to forms and names, doubt kept for a person.

Lexical only: nothing here knows the position, so the reading of a sheet is the same whatever stands on the board.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from adjudicator.calendar import PhaseKind
from adjudicator.orders import UnitOrder
from grammar.compose import Forms
from grammar.heading_sheet import SheetHeading, looks_like_order, parse_sheet_heading
from grammar.heading_values import KnownGame
from grammar.lexicon import Lexicon
from grammar.snap import Care, Snapped, sense, snap
from ocr.page import Page, ReadLine
from service.lexical import printed
from service.store.tables import LineState

MOST_CANDIDATES = 5
MOST_KEPT = 400
"""Texts whose readings a scribe remembers: more than one sheet has."""
HARDLY_STRUCK, SURELY_STRUCK = 0.2, 0.6
"""Strike scores: below the first a line is live, above the second crossed out, between them a person looks."""
BEGINS = 0.7
"""How much of a line must be one order for the heading to end above it."""
FAINT = 0.45
"""A best reading below this is no reading of an order."""


_VERSION_FIRST = re.compile(r"\s*v(?:er(?:sion)?)?[ .]*[\dIl|]+\W+\w", re.IGNORECASE)
_ORDER_WORD = re.compile(
    r"\b(?:army|armies|fleets?|holds?|stands?|moves?|supports?|convoys?|attacks?|enters?|retreats?\s+to|converts?"
    r"|builds?|removes?|disbands?|sends?|command)\b", re.IGNORECASE)
"""Words that no heading has: a line above the orders that holds one may be an order after all."""
_TERSE = re.compile(r"^\W*[AFaf]\b|[-–—→>]")
"""Signs of the short style ("A Lon - Sur"); a text with neither these nor a word of orders is not worth snapping."""
NO_SENSE = 0.2


@dataclass(frozen=True, slots=True)
class Doubt:
    """When a line may go without a look, the site's settings: `score` 0..1 is the least confidence, `margin` in letters
    how much dearer the next different order must be."""

    score: float = 0.93
    margin: float = 1.3


@dataclass(frozen=True, slots=True)
class ReadableLine:
    """One line of a sheet with what it may say.

    `box`: corners in pixels of the photograph as shown, clockwise from the top left of the writing. `kind`:
    "heading", "order" or "other". `order`: canonical text or None. `confidence`: 0..1 that `order` (or `text` where
    there is none) is what was written. `candidates`: at most five of {"text", "order", "score"}, best first.
    """

    box: tuple[tuple[float, float], ...]
    kind: str
    struck: bool
    text: str
    order: str | None
    confidence: float
    status: LineState
    candidates: tuple[dict[str, object], ...]


@dataclass(frozen=True, slots=True)
class Scribe:
    """Reads the lines of sheets of one variant and phase. Several `forms` where the phase is not known."""

    lexicon: Lexicon
    forms: Sequence[Forms]
    doubt: Doubt = Doubt()
    care: Care = Care()
    _made: dict[str, Snapped] = field(default_factory=dict, init=False, repr=False, compare=False)

    def completes(self, text: str) -> float:
        """How much a text is one whole line, for joining wrapped rows. A version that stands before other words is the
        end of the heading and no part of an order."""
        if _VERSION_FIRST.match(text):
            return 0.0
        if _ORDER_WORD.search(text) is None and _TERSE.search(text) is None:
            return NO_SENSE
        return sense(self._snap(text).candidates)

    def narrowed(self, kind: PhaseKind | None) -> Scribe:
        """The same for one phase kind only, where its forms are among these; for a sheet whose heading tells."""
        known = [forms for forms in self.forms if forms.phase is kind]
        return Scribe(self.lexicon, known, self.doubt, self.care) if known and len(self.forms) > 1 else self

    def _snap(self, text: str) -> Snapped:
        """Snapped once and kept: the same row is asked for when rows are joined and when lines are read."""
        found = self._made.get(text)
        if found is None:
            found = snap(text, lexicon=self.lexicon, forms=self.forms, power="", care=self.care)
            if len(self._made) < MOST_KEPT:
                self._made[text] = found
        return found

    def lines(
        self, page: Page, games: Sequence[KnownGame]
    ) -> tuple[SheetHeading, tuple[ReadableLine, ...]]:
        """The heading of a page and its lines from top to bottom."""
        texts = [line.text for line in page.lines]
        heading = parse_sheet_heading(texts, games)
        first_order = next((at for at, text in enumerate(texts) if self._begins(text)), len(texts))
        found = []
        for at, line in enumerate(page.lines):
            above = at < first_order
            found.append(self._line(line, above=above))
        return heading, tuple(found)

    def _begins(self, text: str) -> bool:
        """Whether the orders begin with this line: by its first word, or because it is nearly a whole order."""
        return looks_like_order(text) or self.completes(text) >= BEGINS

    def _line(self, line: ReadLine, *, above: bool) -> ReadableLine:
        snapped = self._snap(line.text)
        candidates = self._candidates(line, snapped)
        best = candidates[0] if candidates else None
        order = None if best is None else best["order"]
        if above or (best is None and not looks_like_order(line.text)):
            return self._no_order(line, candidates, above=above)
        struck = line.strike.score >= SURELY_STRUCK
        confidence = self._confidence(line, snapped)
        sure = (
            snapped.automatic and not _names_itself(snapped) and snapped.margin >= self.doubt.margin
            and line.strike.score < HARDLY_STRUCK and confidence >= self.doubt.score
        )
        status = LineState.NOT_ORDER if struck else LineState.AUTO if sure else LineState.OPEN
        return ReadableLine(
            box=line.box.corners, kind="order", struck=struck, text=line.text,
            order=None if struck or order is None else str(order), confidence=confidence, status=status,
            candidates=tuple(candidates),
        )

    def _no_order(self, line: ReadLine, candidates: list[dict[str, object]], *, above: bool) -> ReadableLine:
        """A heading, a signature or a remark. Below the heading a line that is clearly read is no order; a faint one
        might be an order after all, and so might one in the heading that has a word of orders: a person looks."""
        clear = _ORDER_WORD.search(line.text) is None and (above or line.score >= self.doubt.score)
        return ReadableLine(
            box=line.box.corners, kind="heading" if above else "other", struck=False, text=line.text, order=None,
            confidence=line.score, status=LineState.NOT_ORDER if clear else LineState.OPEN,
            candidates=tuple(candidates),
        )

    def _candidates(self, line: ReadLine, snapped: Snapped) -> list[dict[str, object]]:
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

    def _confidence(self, line: ReadLine, snapped: Snapped) -> float:
        """A first measure, not yet calibrated: what the letters lost on the way to the order, how near the next order
        is, and what the recogniser thought of its own text."""
        if not snapped.candidates:
            return round(line.score * 0.5, 4)
        best = snapped.candidates[0]
        margin = min(1.0, 0.7 + snapped.margin / 10)
        fit = best.score * (1.0 - best.worst / 4)
        return round(min(0.999, fit * margin * (0.75 + 0.25 * line.score)), 4)


def _names_itself(snapped: Snapped) -> bool:
    """Whether the order names its own place as its goal or partner ("Army Limerick moves to Limerick"): by words alone a
    sign that one was lost, since county and town share names. A person looks; nothing is changed."""
    for order in snapped.candidates[0].orders:
        if not isinstance(order, UnitOrder):
            continue
        own = order.unit.region.province
        named = [getattr(order, "to", None), getattr(getattr(order, "target", None), "region", None)]
        if any(region is not None and region.province == own for region in named):
            return True
    return False
