"""A line is read again in the box that a person corrected; the new readings join the old ones (Q-01).

Nothing is decided here: the line stays open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session, sessionmaker

from adjudicator.calendar import PhaseKind
from maps.variant import Variant
from ocr.page import Box
from reading.decode import MOST_CANDIDATES
from reading.page import PageReader
from reading.review import ReviewLimits, ReviewRules
from reading.vocabulary import vocabulary_of
from service.games.lines import AGAIN
from service.games.options import options_of
from service.games.rulings import as_written
from service.intake.sheets.recognizer import LineRecognizer
from service.jobs import Jobs
from service.store.blobs import Blobs
from service.store.tables import GameRow, LineRow, PageRow, PhaseRow, PhaseState, SubmissionRow

WORK = "read line"


def enqueue(jobs: Jobs, session: Session, line_id: int) -> None:
    """Queue a line to be read again, once this transaction is committed."""
    jobs.enqueue(session, WORK, f"{WORK}:{line_id}", {"line": line_id})


@dataclass(frozen=True, slots=True)
class LineReader:
    """The step, with everything it needs. Without a `recognizer` nothing is read again."""

    store: sessionmaker[Session]
    blobs: Blobs
    recognizer: LineRecognizer | None
    load: Callable[[str], Variant]
    limits: ReviewLimits = ReviewLimits()

    def read(self, payload: dict[str, Any]) -> None:
        """Handle the job `WORK`. Safe to run twice: the first readings stay."""
        key = int(payload["line"])
        with self.store() as session:
            line_row = session.get(LineRow, key)
            if line_row is None or not _may_be_read(session, line_row):
                return
            page = session.get_one(PageRow, line_row.page_id)
            phase = _phase(session, page)
            game = session.get_one(GameRow, phase.game_id)
            variant = as_written(self.load(game.variant), options_of(game))
            upright, rotation, box = page.upright, page.rotation, _box(line_row.box)
            kind = PhaseKind(phase.kind)
        if upright is None or self.recognizer is None:
            return
        alternatives = self.recognizer.recognize_line(self.blobs.read(upright), box, rotation)
        reader = PageReader(vocabulary_of(variant, kind), ReviewRules(self.limits))
        candidates = best_of([reader.read_line(line).candidates for line in alternatives])
        if not candidates:
            return
        with self.store.begin() as session:
            row = session.get_one(LineRow, key, with_for_update=True)
            # Added after the old ones: a candidate keeps its number, so that no one who has the line open
            # takes another one than the one shown.
            if _may_be_read(session, row):
                row.candidates = [*row.candidates, *({**candidate, AGAIN: True} for candidate in candidates)]


def best_of(alternatives: Sequence[Sequence[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The candidates of all alternative readings of a box, the best first, each order once."""
    candidate_by_order: dict[str, dict[str, Any]] = {}
    all_candidates = (candidate for candidates in alternatives for candidate in candidates)
    for candidate in sorted(all_candidates, key=lambda candidate: -float(candidate["score"])):
        candidate_by_order.setdefault(str(candidate["order"] or candidate["text"]), candidate)
    return list(candidate_by_order.values())[:MOST_CANDIDATES]


def _may_be_read(session: Session, line: LineRow) -> bool:
    """Whether a line has no readings of its new box yet, and its phase can still be changed."""
    state = _phase(session, session.get_one(PageRow, line.page_id)).state
    return state != PhaseState.SENT and not any(AGAIN in candidate for candidate in line.candidates)


def _phase(session: Session, page: PageRow) -> PhaseRow:
    return session.get_one(PhaseRow, session.get_one(SubmissionRow, page.submission_id).phase_id)


def _box(corners: Sequence[Sequence[float]]) -> Box:
    a, b, c, d = ((float(x), float(y)) for x, y in corners)
    return Box((a, b, c, d))
