"""Ignored mails that a coordinator should see: those under a player's address that seem to have an
attachment.

A reflector, a vacation program or a false alarm of ours must not cost a player a turn unseen (BOX-01). A
coordinator may take such a mail back; it is then judged as if no rule ignored mails.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.facts.refusals import RefusalReason
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.refused import Refused
from service.intake.quarantine import of_mail
from service.jobs import Jobs
from service.mail.mailbox import ingest
from service.mail.message import BodyState, IncomingMail
from service.store import records
from service.store.tables import IgnoredMailRow, MailRow, MailState, PlayerRow, SubmissionRow

TAKEN_BACK, LEFT = "taken back", "left"
"""How a coordinator settled an ignored mail."""
SHOWN = 200
"""Ignored mails on one page."""
ON_FILE = ("Nothing was changed: the same photographs are already on file as a sheet of this player. If that "
           "sheet should count, choose its version at Sheets, with your reason.")
GONE = ("Nothing was changed: this mail is no longer among the ignored mails. Another person may have "
        "settled it; the log names them.")

# Read from the bytes too: the body of a mail whose sender is not proved is never parsed.
_ATTACHMENT = re.compile(
    rb"^(?:content-disposition:\s*attachment"
    rb"|content-type:\s*(?:image|video|audio|application)/(?!pgp-|pkcs7-signature|x-pkcs7-signature)"
    rb"|begin [0-7]{3} \S)",
    re.IGNORECASE | re.MULTILINE,
)
_LOOKED_AT = 4_000_000
"""Bytes of a mail that are searched; the first attachment begins before, and anybody may send 36 MB."""
_REPORT = re.compile(rb"^content-type:\s*multipart/report\b", re.IGNORECASE | re.MULTILINE)
_COPY = re.compile(
    rb"^content-type:\s*(?:message/rfc822|text/rfc822-headers)\b", re.IGNORECASE | re.MULTILINE
)


def seems_to_have_attachment(raw: bytes) -> bool:
    """Whether a raw mail seems to have an attachment, by its header lines alone. A report's copy of the mail
    that it is about does not count: that has the attachments of our own letter."""
    raw = raw[:_LOOKED_AT]
    copy = _COPY.search(raw) if _REPORT.search(raw.partition(b"\n\n")[0].partition(b"\r\n\r\n")[0]) else None
    return _ATTACHMENT.search(raw, 0, len(raw) if copy is None else copy.start()) is not None


def note_ignored_mail(
    session: Session, key: str, mail: IncomingMail, raw: bytes, now: datetime
) -> IgnoredMailRow | None:
    """Note the mail for the coordinator, if it ended ignored, names a player as its sender and seems to have
    an attachment. None if it is not noted, or was before."""
    row = session.get(MailRow, key)
    if row is None or row.state != MailState.IGNORED:
        return None
    sender, player = next(
        ((address, player) for address in mail.senders if (player := _player(session, address)) is not None),
        ("", None),
    )
    if player is None or not _may_be_sheet(mail, raw):
        return None
    is_new = records.insert_once(
        session, IgnoredMailRow, sha256=key, player_id=player.id, sender=sender.lower(),
        reason=row.reason or "", subject=mail.subject, noted_at=now)
    return session.get(IgnoredMailRow, key) if is_new else None


def _may_be_sheet(mail: IncomingMail, raw: bytes) -> bool:
    # Of a mail that is too large only the header was fetched.
    if mail.overflow or mail.encrypted:
        return True
    # With the body read, a photograph is told from the logo of a signature.
    is_read = mail.body is BodyState.READ
    return seems_to_have_attachment(raw) and (mail.has_pictures or not is_read)


def _player(session: Session, address: str) -> PlayerRow | None:
    return records.player_of(session, address) if address else None


def is_taken_back(session: Session, key: str) -> bool:
    """Whether a coordinator took the mail back, so that no rule may ignore it again."""
    row = session.get(IgnoredMailRow, key)
    return row is not None and row.end == TAKEN_BACK


@dataclass(frozen=True, slots=True)
class TakeIgnoredBack(Act[None]):
    """Puts an ignored mail into the queue again; no rule ignores it then. The time of its receipt stays, and
    its sender must be proved like any other.

    `size`: how many of its bytes are here. `judge(session, sha256)` queues it (`judge_again`).
    """

    sha256: str
    size: int
    judge: Callable[[Session, str], None]

    def change(self, table: ActTable) -> None:
        """Refuse a mail that is settled, and one that repeats a sheet on file."""
        row = table.session.get(MailRow, self.sha256)
        if row is None:
            raise Refused(GONE)
        if _sheet_on_file(table.session, row):
            raise Refused(ON_FILE)
        _end(table, self.sha256, TAKEN_BACK)
        # The only trace that just the header of a mail was fetched.
        reason = ingest.TOO_LARGE if row.size > self.size else None
        if not records.claim(table.session, MailRow, MailRow.sha256 == self.sha256,
                             MailRow.state == MailState.IGNORED, state=MailState.STORED, reason=reason):
            raise Refused(GONE)
        self.judge(table.session, self.sha256)

    def event(self, table: ActTable, outcome: None, letters: int) -> list[LoggedEvent]:
        """The mail, in each game that it concerns."""
        return of_mail(table, Event.IGNORED_MAIL_TAKEN_BACK, self.sha256)


@dataclass(frozen=True, slots=True)
class LeaveIgnored(Act[None]):
    """Leaves a mail ignored, so that it waits for no one."""

    sha256: str

    def change(self, table: ActTable) -> None:
        """Refuse a mail that is settled."""
        _end(table, self.sha256, LEFT)

    def event(self, table: ActTable, outcome: None, letters: int) -> list[LoggedEvent]:
        """The mail, in each game that it concerns."""
        return of_mail(table, Event.IGNORED_MAIL_LEFT, self.sha256)


def judge_again(jobs: Jobs, session: Session, sha256: str) -> None:
    """Queue a mail that was taken back."""
    jobs.enqueue(session, ingest.WORK, f"{ingest.WORK}:{sha256}:taken-back", {"mail": sha256})


def _end(table: ActTable, sha256: str, end: str) -> None:
    # The update names the state it expects, so of two coordinators who press at once one gets through.
    if not records.claim(
        table.session, IgnoredMailRow, IgnoredMailRow.sha256 == sha256, IgnoredMailRow.ended_at.is_(None),
        ended_at=table.now, ended_by=table.by, end=end,
    ):
        raise Refused(GONE)


def _sheet_on_file(session: Session, row: MailRow) -> bool:
    """Whether the mail repeats one whose sheet is on file."""
    earlier = row.verdict_fields.get("of")
    return row.reason == RefusalReason.DUPLICATE and earlier is not None and session.scalar(
        select(SubmissionRow.id).where(SubmissionRow.sha256 == earlier)) is not None


def waiting(session: Session) -> list[IgnoredMailRow]:
    """The ignored mails that wait for the coordinator, newest first; at most `SHOWN`. A repeat does not wait:
    the mail that it repeats counts or was answered."""
    return list(session.scalars(
        select(IgnoredMailRow)
        .where(IgnoredMailRow.ended_at.is_(None), IgnoredMailRow.reason != RefusalReason.DUPLICATE)
        .order_by(IgnoredMailRow.noted_at.desc()).limit(SHOWN)))


def repeats(session: Session) -> list[IgnoredMailRow]:
    """The ignored repeats of another mail that a coordinator may take back, newest first; at most `SHOWN`."""
    return list(session.scalars(
        select(IgnoredMailRow)
        .where(IgnoredMailRow.ended_at.is_(None), IgnoredMailRow.reason == RefusalReason.DUPLICATE)
        .order_by(IgnoredMailRow.noted_at.desc()).limit(SHOWN)))


def settled(session: Session, limit: int = 20) -> list[IgnoredMailRow]:
    """The ignored mails that were settled last."""
    return list(session.scalars(
        select(IgnoredMailRow).where(IgnoredMailRow.ended_at.is_not(None))
        .order_by(IgnoredMailRow.ended_at.desc()).limit(limit)))
