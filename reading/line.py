"""One line of a sheet with its possible readings."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ocr.decoding.confidence import Features
from ocr.decoding.open_reasons import OpenReason
from ocr.page import Point
from reading.status import LineState


@dataclass(frozen=True, slots=True)
class InterpretedLine:
    """One line of a sheet with its possible readings.

    `box`: corners in pixels of the photograph as shown, clockwise from the top left of the writing. `kind`:
    "heading", "order" or "other". `struck`: crossed out. `text`: as written. `order`: canonical text; None
    for a line that is none, or crossed out. `confidence`: 0..1 that `order` (`text` without one) is what was
    written. `candidates`: at most five of {"text", "order", "score"}, best first. `features`: the source of
    the confidence, for a decoded order. `why_open`: the reasons for which a person must look; empty unless
    the line is open. `without_kinds`: `order` with the kinds of its units left out, where these are in doubt.
    """

    box: tuple[Point, Point, Point, Point]
    kind: str
    struck: bool
    text: str
    order: str | None
    confidence: float
    status: LineState
    candidates: tuple[dict[str, object], ...]
    features: Features | None = None
    why_open: tuple[OpenReason, ...] = ()
    without_kinds: str | None = None

    @property
    def waits_for_letters(self) -> bool:
        """True if the line waits for nothing but its letters, and may pass once they are informed better."""
        return (self.order is not None and self.features is not None
                and self.why_open == (OpenReason.UNSURE,))

    def for_review(self, reason: OpenReason) -> InterpretedLine:
        """The same line for a person to look at, for one more reason."""
        return replace(self, status=LineState.OPEN, why_open=(*self.why_open, reason))

    def leave_kinds_out(self) -> InterpretedLine:
        """The same line, its order without the kinds of units that the ink leaves in doubt (INK-10)."""
        if self.order is None or self.without_kinds is None:
            return self
        first, *others = self.candidates
        return replace(
            self, order=self.without_kinds, candidates=({**first, "order": self.without_kinds}, *others))
