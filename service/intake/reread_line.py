"""A line cut anew by a person, read anew by the machine: its readings are offered beside those of before
(Q-01).

Nothing is decided here. The line stays open, and a reading keeps its number, so that nobody who looks at the
line meanwhile takes another one than they saw.
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
from service.intake.recognizer import LineRecognizer
from service.jobs import Jobs
from service.store.blobs import Blobs
from service.store.tables import GameRow, LineRow, PageRow, PhaseRow, PhaseState, SubmissionRow

WORK = "read line"

def enqueue(jobs: Jobs, session: Session, line_id: int) -> None:
    """Have a line read anew, once this transaction is committed."""
    jobs.enqueue(session, WORK, f"{WORK}:{line_id}", {"line": line_id})


@dataclass(frozen=True, slots=True)
class LineReader:
    """The step, with everything it needs. Without an eye that can look at single lines nothing is read
    anew."""

    store: sessionmaker[Session]
    blobs: Blobs
    recognizer: LineRecognizer | None
    load: Callable[[str], Variant]
    limits: ReviewLimits = ReviewLimits()

    def read(self, payload: dict[str, Any]) -> None:
        """Handler of the job `WORK`. Safe to run twice: what is read first stays."""
        key = int(payload["line"])
        with self.store() as session:
            line = session.get(LineRow, key)
            if line is None or not _may_be_read(session, line):
                return
            page = session.get_one(PageRow, line.page_id)
            phase = _phase(session, page)
            variant = self.load(session.get_one(GameRow, phase.game_id).variant)
            upright, rotation, kind, box = page.upright, page.rotation, PhaseKind(phase.kind), _box(line.box)
        if upright is None or self.recognizer is None:
            return
        seen = self.recognizer.recognize_line(self.blobs.read(upright), box, rotation)
        reader = PageReader(vocabulary_of(variant, kind), ReviewRules(self.limits))
        fresh = best_of([reader.read_line(one).candidates for one in seen])
        if not fresh:
            return
        with self.store.begin() as session:
            row = session.get_one(LineRow, key, with_for_update=True)
            if _may_be_read(session, row):
                row.candidates = [*row.candidates, *({**one, AGAIN: True} for one in fresh)]


def best_of(ways: Sequence[Sequence[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The readings of a box in the ways that its rows can be taken, the likeliest first, each order once."""
    found: dict[str, dict[str, Any]] = {}
    for one in sorted((one for way in ways for one in way), key=lambda one: -float(one["score"])):
        found.setdefault(str(one["order"] or one["text"]), one)
    return list(found.values())[:MOST_CANDIDATES]


def _may_be_read(session: Session, line: LineRow) -> bool:
    """Whether a line has no readings of its new box yet, and its phase can still be changed."""
    state = _phase(session, session.get_one(PageRow, line.page_id)).state
    return state != PhaseState.SENT and not any(AGAIN in one for one in line.candidates)


def _phase(session: Session, page: PageRow) -> PhaseRow:
    return session.get_one(PhaseRow, session.get_one(SubmissionRow, page.submission_id).phase_id)


def _box(corners: Sequence[Sequence[float]]) -> Box:
    a, b, c, d = ((float(x), float(y)) for x, y in corners)
    return Box((a, b, c, d))
