"""What a coordinator does with an ignored mail that may be a player's sheet: take it back, or leave it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from service.clock import Clock
from service.facts.events import Event
from service.facts.refusals import RefusalReason
from service.games.refused import Refused
from service.intake.ignored_mails import LEFT, TAKEN_BACK
from service.jobs import Jobs
from service.mail.mailbox import ingest
from service.store import records
from service.store.blobs import Blobs
from service.store.tables import IgnoredMailRow, MailRow, MailState, SubmissionRow

SHOWN = 200
"""Ignored mails on one page."""
ON_FILE = ("Nothing was changed: the same photographs are on file already as a sheet of this player. If that "
           "sheet should count, choose its version at Sheets, with your reason.")
GONE = ("Nothing was changed: this mail is not among the ignored ones any more. Somebody else may have "
        "settled it; the log says who.")


@dataclass(frozen=True, slots=True)
class IgnoredMails:
    """The acts, with everything they need."""

    store: sessionmaker[Session]
    blobs: Blobs
    jobs: Jobs
    clock: Clock

    def take_back(self, sha256: str, by: str) -> None:
        """Put the mail into the queue again; no rule ignores it then. The time of its receipt stays, and its
        sender must be proved like any other. Raises Refused, and BlobError if its bytes are damaged."""
        # An address may name anything; only the name of a mail of ours is looked for among the files.
        with self.store() as session:
            if session.get(MailRow, sha256) is None:
                raise Refused(GONE)
        fetched = len(self.blobs.read(sha256))
        with self.store.begin() as session:
            row = session.get(MailRow, sha256)
            if row is None:
                raise Refused(GONE)
            if _sheet_on_file(session, row):
                raise Refused(ON_FILE)
            self._end(session, sha256, TAKEN_BACK, by)
            # The only trace by which the intake knows that just the header of a mail was fetched.
            reason = ingest.TOO_LARGE if row.size > fetched else None
            if not records.claim(session, MailRow, MailRow.sha256 == sha256,
                                 MailRow.state == MailState.IGNORED, state=MailState.STORED, reason=reason):
                raise Refused(GONE)
            self.jobs.enqueue(
                session, ingest.WORK, f"{ingest.WORK}:{sha256}:taken-back", {"mail": sha256})
            self._log(session, Event.IGNORED_MAIL_TAKEN_BACK, sha256, by)

    def leave(self, sha256: str, by: str) -> None:
        """Leave the mail ignored, so that Today no longer counts it. Raises Refused."""
        with self.store.begin() as session:
            self._end(session, sha256, LEFT, by)
            self._log(session, Event.IGNORED_MAIL_LEFT, sha256, by)

    def _end(self, session: Session, sha256: str, end: str, by: str) -> None:
        # The update names the state it expects, so of two coordinators who press at once one gets through.
        if not records.claim(
            session, IgnoredMailRow, IgnoredMailRow.sha256 == sha256, IgnoredMailRow.ended_at.is_(None),
            ended_at=self.clock.now(), ended_by=by, end=end,
        ):
            raise Refused(GONE)

    def _log(self, session: Session, event: Event, sha256: str, by: str) -> None:
        records.log_event(session, self.clock.now(), event, actor=by, detail={"mail": sha256[:12]})


def _sheet_on_file(session: Session, row: MailRow) -> bool:
    """Whether the mail repeats one whose sheet is on file."""
    earlier = (row.verdict or {}).get("of")
    return row.reason == RefusalReason.DUPLICATE and earlier is not None and session.scalar(
        select(SubmissionRow.id).where(SubmissionRow.sha256 == earlier)) is not None


def waiting(session: Session) -> list[IgnoredMailRow]:
    """The ignored mails that nobody has settled, newest first, repeats last; at most `SHOWN`."""
    repeats = IgnoredMailRow.reason == RefusalReason.DUPLICATE
    return list(session.scalars(
        select(IgnoredMailRow).where(IgnoredMailRow.ended_at.is_(None))
        .order_by(repeats, IgnoredMailRow.noted_at.desc()).limit(SHOWN)))


def settled(session: Session, limit: int = 20) -> list[IgnoredMailRow]:
    """The ignored mails that were settled last."""
    return list(session.scalars(
        select(IgnoredMailRow).where(IgnoredMailRow.ended_at.is_not(None))
        .order_by(IgnoredMailRow.ended_at.desc()).limit(limit)))


def waiting_count(session: Session) -> int:
    """How many ignored mails wait for the coordinator. A repeat does not: the mail that it repeats counts or
    was answered."""
    return session.scalar(select(func.count()).select_from(IgnoredMailRow).where(
        IgnoredMailRow.ended_at.is_(None), IgnoredMailRow.reason != RefusalReason.DUPLICATE)) or 0
