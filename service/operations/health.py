"""How the site is, for the operator: mailbox, queue, reading, disk, clock, backup. Facts only, each with its
age."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from service.clock import Clock
from service.mail import hold
from service.operations import clock_check
from service.operations.mailbox_status import MailboxStatus
from service.store.tables import (
    EventRow,
    MailRow,
    MailState,
    OutboxRow,
    OutboxState,
    PhaseRow,
    PhaseState,
    SubmissionRow,
    WorkerRow,
)

BACKUP = "backup_made"
"""The event that a backup leaves."""
RESTORED = "restore_tested"
"""The event that somebody leaves who has put a backup back, elsewhere, and found it whole."""
RESTORE_REST = timedelta(days=92)
"""A backup that nobody has put back for a quarter of a year may be none."""
BACKUP_REST = timedelta(hours=36)
"""A nightly backup that is this old did not come."""
RECENT = timedelta(hours=24)
FEW_BYTES = 2_000_000_000
"""Free bytes on the disk below which the operator should act: a few seasons of photographs."""
STUCK = timedelta(minutes=15)
"""A mail that was stored so long ago and is not judged yet is held up by something."""
OVERDUE = timedelta(minutes=10)
"""A phase that is open so long after its deadline was forgotten."""
WORKER_REST = timedelta(minutes=3)
POLL_REST = timedelta(minutes=30)
SKEWED = timedelta(seconds=60)
SEEN = 20
"""Newest mails whose stamps the clock is held against."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing of the site: its name, whether it is well ("well", "look", "unknown"), what is so, and what
    to do. `mark`: by what one trouble is told from the next of its name; "" where the day tells them
    apart."""

    name: str
    state: str
    said: str
    do: str = ""
    mark: str = ""

    @property
    def word(self) -> str:
        """The state in words and a sign."""
        return {"well": "✓ well", "look": "! look", "unknown": "? not known"}[self.state]


@dataclass(frozen=True, slots=True)
class Health:
    """The look, with what it looks at. `data` is the folder of photographs; `engines` says whether the
    networks are loaded in this process, None where that is not known."""

    store: sessionmaker[Session]
    clock: Clock
    pulse: MailboxStatus
    data: Path
    loaded: Callable[[], bool]

    def look(self) -> tuple[Fact, ...]:
        """Every fact, those of the mail first."""
        with self.store() as session:
            now = self.clock.now()
            return (
                self._mailbox(now), _workers(session, now), _queue(session, now), _deadlines(session, now),
                _letters(session),
                self._reading(session, now), self._disk(), _skew(session), _backup(session, now),
                _restored(session, now))

    def _mailbox(self, now: datetime) -> Fact:
        last = self.pulse.last
        if last is None:
            return Fact("Mailbox", "unknown", "Not asked since this process started.",
                        ("If this stays for a minute, the desk runs without `galloper serve`; mail waits on "
                         "its server."))
        good = "never since the start" if self.pulse.good_at is None else ago(now - self.pulse.good_at)
        if last.trouble:
            return Fact("Mailbox", "look", f"{last.trouble} Last good answer: {good}.",
                        ("Nothing is lost while it is away: mail waits on its server, stamped with its own "
                         "time."))
        # `watch` waits for a push and asks again at least every keep-alive, half an hour at most
        late = self.pulse.good_at is not None and now - self.pulse.good_at > POLL_REST
        return Fact("Mailbox", "look" if late else "well", f"Last asked {good}.",
                    "Restart the site; mail waits on its server." if late else "")

    def _reading(self, session: Session, now: datetime) -> Fact:
        missing = [name for name in ("onnxruntime", "rapidocr") if find_spec(name) is None]
        if missing:
            return Fact("Reading engine", "look", f"Not installed: {', '.join(missing)}.",
                        "Install the package with its reading engines. Until then sheets are held, not lost.")
        failed = _events(session, "reading_failed", now)
        last = session.scalar(select(func.max(SubmissionRow.read_at)))
        read = "No sheet was read yet." if last is None else f"Last sheet read {ago(now - last)}."
        state = "Loaded." if self.loaded() else "Loads at the first photograph."
        if failed:
            return Fact(
                "Reading engine",
                "look",
                f"{state} {read} {failed} sheets could not be read in the last 24 hours.",
                "They are held with their photographs; read them by hand at their Sheet pages.",
            )
        return Fact("Reading engine", "well", f"{state} {read}")

    def _disk(self) -> Fact:
        try:
            usage = shutil.disk_usage(self.data)
        except OSError as fault:
            return Fact("Disk", "look", (f"The data folder cannot be looked at "
                                         f"({fault.strerror})."), "Check the setting data.")
        said = f"{usage.free / 1e9:.1f} GB free of {usage.total / 1e9:.1f} GB."
        few = usage.free < FEW_BYTES
        return Fact(
            "Disk",
            "look" if few else "well",
            said,
            "Make room; mail waits on its server meanwhile." if few else "",
        )


def ago(span: timedelta) -> str:
    """12 seconds ago, 5 minutes ago, 3 hours ago, 2 days ago."""
    seconds = max(0, int(span.total_seconds()))
    for size, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            number = seconds // size
            return f"{number} {unit}{'' if number == 1 else 's'} ago"
    return f"{seconds} second{'' if seconds == 1 else 's'} ago"


def _workers(session: Session, now: datetime) -> Fact:
    seen = session.scalar(select(func.max(WorkerRow.seen_at)))
    if seen is None:
        return Fact(
            "Workers", "unknown", "No worker has said that it lives.", "Start the site with `galloper serve`."
        )
    resting = now - seen > WORKER_REST
    return Fact("Workers", "look" if resting else "well", f"Last sign of life {ago(now - seen)}.",
                "Restart the site; what was cut off goes on." if resting else "")


def _queue(session: Session, now: datetime) -> Fact:
    mails = (
        session.scalar(select(func.count()).select_from(MailRow).where(MailRow.state == MailState.STORED))
        or 0
    )
    unread = (
        session.scalar(select(func.count()).select_from(SubmissionRow).where(SubmissionRow.read_at.is_(None)))
        or 0
    )
    failed = _events(session, "work_failed", now) + _events(session, "mail_given_up", now)
    said = f"{mails} mails to judge, {unread} sheets to read"
    oldest = session.scalar(select(func.min(MailRow.stored_at)).where(MailRow.state == MailState.STORED))
    if oldest is not None and now - oldest > STUCK:
        return Fact("Queue", "look", f"{said}; a mail that was stored {ago(now - oldest)} is not judged yet.",
                    "Restart the site; its bytes are kept, and what came in time counts.")
    unreadable = _events(session, "mail_unreadable", now)
    if unreadable:
        return Fact("Queue", "look", (f"{said}; {unreadable} mails of the last 24 hours could not be fetched "
                                      f"from their server."),
                    ("They lie there in the folder for quarantine: look at them with a mail program, and ask "
                     "who sent them for others."))
    if failed:
        return Fact("Queue", "look", f"{said}; work failed {failed} times in the last 24 hours.",
                    "The log names what failed; mails given up lie in quarantine with their bytes.")
    return Fact("Queue", "well", f"{said}.")


def overdue(session: Session, now: datetime) -> list[tuple[str, datetime]]:
    """The game and the deadline of each phase that should be closed and is not. A phase whose predecessor
    waits for approval is none."""
    rows = session.execute(
        select(PhaseRow.game_id, PhaseRow.deadline).where(
            PhaseRow.state == PhaseState.OPEN, PhaseRow.position.is_not(None),
            PhaseRow.deadline < now - OVERDUE)
        .order_by(PhaseRow.deadline))
    return [(game, deadline) for game, deadline in rows]


def _deadlines(session: Session, now: datetime) -> Fact:
    late = overdue(session, now)
    if late:
        game, since = late[0]
        more = f" and {len(late) - 1} more" if len(late) > 1 else ""
        return Fact("Deadlines", "look", (f"{game}{more}: the deadline passed {ago(now - since)} and the "
                                          f"phase is still open."),
                    ("Look at Workers, Clock and the log; once they are well it closes by itself within five "
                     "minutes."))
    return Fact("Deadlines", "well", "Every deadline that has passed was kept.")


def backup_at(session: Session) -> datetime | None:
    """When the last backup was made, as far as it was noted."""
    return session.scalar(select(func.max(EventRow.at)).where(EventRow.what == BACKUP))


def _letters(session: Session) -> Fact:
    def count(state: OutboxState) -> int:
        return (
            session.scalar(select(func.count()).select_from(OutboxRow).where(OutboxRow.state == state)) or 0
        )

    waiting, failed = count(OutboxState.QUEUED) + count(OutboxState.SENDING), count(OutboxState.FAILED)
    said = f"{waiting} waiting, {failed} failed."
    pause = hold.held(session)
    if pause is not None:
        return Fact("Letters", "look", (f"Held back by {pause.by} since {pause.at:%a %-d %b, %H:%M} GMT: "
                                        f"{pause.why} {said}"),
                    "Let them leave again below. Mail that comes in is kept and counts meanwhile.")
    newest = session.scalar(select(func.max(OutboxRow.id)).where(OutboxRow.state == OutboxState.FAILED))
    return Fact(
        "Letters",
        "look" if failed else "well",
        said,
        "Letters shows which and why." if failed else "",
        mark=str(newest or ""),
    )


def _skew(session: Session) -> Fact:
    """The mail server stamps a mail before we can store it: a stamp ahead of our clock says that ours is
    behind."""
    said = clock_check.standing(session)
    if said:
        return Fact("Clock", "look", said, "Until then no deadline is closed; nothing that comes in is lost.")
    pairs = session.execute(
        select(MailRow.received_at, MailRow.stored_at).order_by(MailRow.stored_at.desc()).limit(SEEN)
    ).all()
    if not pairs:
        return Fact("Clock", "unknown", "No mail yet to hold the clock against.")
    ahead = max(received - stored for received, stored in pairs)
    if ahead > SKEWED:
        return Fact(
            "Clock",
            "look",
            f"The mail server's stamps lie up to {int(ahead.total_seconds())} seconds ahead of this "
            "machine's clock.",
            "Set this machine's clock by NTP; deadlines go by it.",
        )
    return Fact("Clock", "well", (f"Not behind the mail server's, by the stamps of the last {len(pairs)} "
                                  f"mails."))


def _backup(session: Session, now: datetime) -> Fact:
    made, week = backup_at(session), f"{now:%G-W%V}"
    if made is None:
        return Fact(
            "Backup",
            "look",
            "None made yet.",
            "Copy the database and the data folder together, or mail is the only copy.",
            week,
        )
    said = f"Last made {ago(now - made)}."
    if now - made > BACKUP_REST:
        return Fact(
            "Backup",
            "look",
            said,
            "Make one now: what came in since lies on this machine and the mail server only.",
            week,
        )
    return Fact("Backup", "well", said)


def _restored(session: Session, now: datetime) -> Fact:
    tested = session.scalar(select(func.max(EventRow.at)).where(EventRow.what == RESTORED))
    if tested is None:
        return Fact(
            "Restore test",
            "look",
            "Never made.",
            "Put a backup back on another machine, look whether its games are there, and note it below: only "
            "then it is a backup.",
        )
    said = f"Last made {ago(now - tested)}."
    if now - tested > RESTORE_REST:
        return Fact(
            "Restore test", "look", said, "Put a backup back on another machine again, and note it below."
        )
    return Fact("Restore test", "well", said)


def _events(session: Session, what: str, now: datetime) -> int:
    return session.scalar(select(func.count()).select_from(EventRow).where(
        EventRow.what == what, EventRow.at > now - RECENT)) or 0
