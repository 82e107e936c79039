"""An approval as a job: the page answers at once, the letters are drawn in a worker, and the page shows how
far they are (LET-04).

Nothing leaves before every letter is made: they are put into the outbox in one transaction. A worker that
dies under way has left nothing but files that no one names, and the queue begins the job again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from service.clock import Clock
from service.facts.events import Event
from service.games.approval.approve import AnswerBy, approve_phase, check, check_time
from service.games.refused import Refused
from service.games.turns import Load
from service.jobs import Jobs
from service.notices.results import ResultsAnnouncer
from service.store import records
from service.store.engine import Store
from service.store.tables import ApprovalRow, PhaseRow, PhaseState

log = logging.getLogger(__name__)
WORK = "approve"
"""Name of the job; its payload is {"phase": id, "asked": ISO instant}, and with a deadline that was confirmed
{"deadline": ISO instant, "why": its reason}."""
DRAWING, SENT, FAILED = "drawing", "sent", "failed"
"""The states of an approval."""


def _nothing_more(_phase_id: int) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Approvals:
    """Approvals of results, with everything they need. `after(phase_id)` is called once the letters are in
    the outbox; it may be called twice."""

    store: Store
    jobs: Jobs
    clock: Clock
    load: Load
    announcer: ResultsAnnouncer
    after: Callable[[int], None] = _nothing_more

    def request(self, phase_id: int, by: str, answer_by: AnswerBy | None = None) -> None:
        """Have the results of a judged phase drawn and sent; `answer_by` is the deadline that was confirmed
        for the phase that follows. A second press while they are drawn changes nothing. Raises NotReady,
        which shows what is in the way."""
        with self.store.begin() as session:
            phase = session.get_one(PhaseRow, phase_id)
            if phase.state == PhaseState.SENT or is_drawing(session, phase):
                return
            check(session, phase, self.load)
            now = self.clock.now()
            check_time(session, phase, self.load, now, answer_by)
            values = {"asked_at": now, "by": by, "judged_at": phase.judged_at, "state": DRAWING, "done": 0,
                      "total": 0, "step": "", "error": None}
            if not records.insert_once(session, ApprovalRow, phase_id=phase_id, **values):
                records.claim(session, ApprovalRow, ApprovalRow.phase_id == phase_id, **values)
            payload = {"phase": phase_id, "asked": now.isoformat()}
            if answer_by is not None:
                payload |= {"deadline": answer_by.deadline.isoformat(), "why": answer_by.why}
            self.jobs.enqueue(session, WORK, f"{WORK}:{phase_id}:{payload['asked']}", payload)

    def run(self, payload: dict[str, Any]) -> None:
        """Handle the job. Safe to run twice, and again after its worker died.

        1. Expect the approval that the payload names, still drawing; otherwise return.
        2. Approve the phase, noting each step.
        3. Note that it was sent, or why it was not. A fault that no one foresaw is raised: the queue tries
           again.
        """
        row = self._row(payload)
        if row is None or row.state != DRAWING:
            return
        answer_by = AnswerBy(datetime.fromisoformat(payload["deadline"]), payload["why"]) \
            if "deadline" in payload else None
        announcer = replace(self.announcer, progress=self._progress(row.phase_id, row.asked_at))
        try:
            approve_phase(self.store, row.phase_id, row.by, announcer, self.clock, self.load, answer_by)
        except Refused as fault:
            self._note(row.phase_id, row.asked_at, state=FAILED, error=f"{fault}")
            return
        self.after(row.phase_id)
        self._note(row.phase_id, row.asked_at, state=SENT, error=None)

    def give_up(self, payload: dict[str, Any], error: str) -> None:
        """Note that the job failed every time; nothing was sent."""
        row = self._row(payload)
        if row is None:
            return
        # The text of a fault may quote a letter, so only its kind is shown; the log has the rest.
        kind = error.partition(":")[0]
        what = f"“{row.step}” could not be made" if row.step else "the letters could not be made"
        self._note(row.phase_id, row.asked_at, state=FAILED,
                   error=f"{what}: an unforeseen fault ({kind}). Try again; if it fails again, report it to "
                   "the operator, whose log names it")
        with self.store.begin() as session:
            records.log_event(session, self.clock.now(), Event.WORK_FAILED,
                              detail={"work": WORK, "phase": row.phase_id, "fault": kind})

    def _row(self, payload: dict[str, Any]) -> ApprovalRow | None:
        with self.store() as session:
            row = session.get(ApprovalRow, int(payload["phase"]))
            # A newer press has its own job.
            if row is None or row.asked_at != datetime.fromisoformat(payload["asked"]):
                return None
            session.expunge(row)
            return row

    def _progress(self, phase_id: int, asked_at: datetime) -> Callable[[int, int, str], None]:
        def note(done: int, total: int, step: str) -> None:
            self._note(phase_id, asked_at, done=done, total=total, step=step)

        return note

    def _note(self, phase_id: int, asked_at: datetime, **values: object) -> None:
        with self.store.begin() as session:
            records.claim(session, ApprovalRow, ApprovalRow.phase_id == phase_id,
                          ApprovalRow.asked_at == asked_at, ApprovalRow.state == DRAWING, **values)


def is_drawing(session: Session, phase: PhaseRow) -> bool:
    """Whether the letters of this judging are drawn at present."""
    row = session.get(ApprovalRow, phase.id)
    return row is not None and row.state == DRAWING and row.judged_at == phase.judged_at
