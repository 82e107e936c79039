"""Who is written to, and about what: events to letters in the outbox, each in the transaction of its event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from adjudicator.outcome import Resolution
from maps.variant import Variant
from service import outbox
from service.clock import Clock
from service.intake_verdict import Reason, Verdict
from service.outbox_compose import OutLetter
from service.store import records
from service.store.blobs import Blobs
from service.store.engine import Store
from service.store.tables import GameRow, PhaseRow, SubmissionRow


@dataclass(frozen=True, slots=True)
class Sender:
    """What stands in the head of every letter. `base_url` is the site's public address or ""."""

    sender: str
    order_address: str
    coordinator: str
    max_bytes: int
    base_url: str = ""


@dataclass(frozen=True, slots=True)
class Correspondence:
    """Every letter of the service."""

    store: Store
    blobs: Blobs
    clock: Clock
    load: Callable[[str], Variant]
    sender: Sender

    def receipt(self, session: Session, submission: SubmissionRow, phase: PhaseRow, verdict: Verdict) -> None:
        self._put(session, f"receipt:{submission.id}", "receipt", submission.sender, f"{verdict.game} - {verdict.power} received", "received", phase)

    def refusal(self, session: Session, key: str, received_at: datetime, verdict: Verdict) -> None:
        if verdict.reply_to:
            self._put(session, f"refusal:{key}", "rejection", verdict.reply_to, "not used", str(verdict.reason))

    def notice(self, session: Session, key: str, received_at: datetime, verdict: Verdict) -> None:
        self._put(session, f"notice:{key}", "coordinator_notice", self.sender.coordinator, "quarantine", str(verdict.reason))

    def unusable(self, session: Session, submission: SubmissionRow, phase: PhaseRow, reason: Reason) -> None:
        self._put(session, f"unusable:{submission.id}", "rejection", submission.sender, "unusable", str(reason), phase)

    def held(self, session: Session, submission: SubmissionRow, phase: PhaseRow, reason: Reason) -> None:
        self._put(session, f"held:{submission.id}", "held", submission.sender, "held", str(reason), phase)

    def prepare(self, session: Session, phase: PhaseRow, resolution: Resolution) -> Callable[[Session], None]:
        game = session.get_one(GameRow, phase.game_id)
        addresses = records.addresses(session, game.id)

        def put(inside: Session) -> None:
            for power, group in addresses.items():
                for address in group:
                    self._put(inside, f"results:{phase.id}:{power}:{address}", "draft_results", address, "results", "results", phase)
        return put

    def map_pdf(self, game_id: str) -> bytes | None:
        return None

    def _put(self, session: Session, key: str, kind: str, to: str, subject: str, text: str, phase: PhaseRow | None = None) -> None:
        outbox.put(session, self.blobs, OutLetter(key, kind, to, subject, text, phase_id=None if phase is None else phase.id),
                   sender=self.sender.sender, now=self.clock.now(), max_bytes=self.sender.max_bytes)
