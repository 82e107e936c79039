"""Is the site well: one list of checks, `checks()`, with four views.

The Health page shows every finding, `service.operations.alarms` writes to the coordinator about those that
stay, and `service.operations.metrics` gives each as a number.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.orm import Session, defer, sessionmaker

from service.clock import Clock
from service.facts.events import Event
from service.feature import features
from service.games import mailbox_waits
from service.games.phases import next_phase, phase_of
from service.games.turns import JUDGEABLE
from service.mail.mailbox import mark
from service.mail.sending import hold
from service.mail.sending.failed import failed_addresses
from service.operations import clock_check, inspection
from service.operations.findings import Finding, FindingState, ago, counted
from service.operations.key_health import key_finding
from service.operations.mailbox_status import MailboxStatus
from service.store import mail_troubles
from service.store.columns import MailTroubleKind
from service.store.engine import connections_for_sites
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

# The limits below were set by hand when each check was written; each shows what it gives time for.
RECENT = timedelta(hours=24)
FEWEST_FREE_BYTES = 2_000_000_000
"""A few seasons of photographs: time for the operator to make room."""
FEWEST_FREE_FILES = 10_000
"""A mail with its pictures and letters is some ten files."""
LEAST_MEMORY = 800_000_000
"""Bytes that one process needs which reads photographs, next to the child that opens them
(docs/operations.md)."""
PACE_OF = timedelta(hours=1)
"""The span whose sheets show how fast reading is."""
FEWEST_WAITING = 50
"""Fewer waiting sheets are read within minutes, and press no one."""
LONGEST_UNJUDGED = timedelta(minutes=15)
"""A mail that waits longer than this is held up by something."""
LONGEST_OVERDUE = timedelta(minutes=10)
LONGEST_WAIT = timedelta(days=1)
"""How long results may wait for the coordinator before that is a trouble (PHA-10)."""
"""A phase that stays open longer than this after its deadline was forgotten."""
LONGEST_WITHOUT_WORKER = timedelta(minutes=3)
LONGEST_WITHOUT_POLL = timedelta(minutes=10)
"""The mailbox is asked again at least at every keep-alive, which is five minutes at most."""
LONGEST_LOOK = timedelta(minutes=5)
"""A look takes seconds; a hundred large mails on a slow line take longer, which is worth knowing."""
MOST_CLOCK_SKEW = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class Observation:
    """What the checks read: the database in one transaction, and the state of this process."""

    session: Session
    now: datetime
    mailbox: MailboxStatus
    data: Path
    engines_loaded: bool

    def recent_events(self, kind: str) -> int:
        """How many events of a kind the log has from the last 24 hours."""
        return self.session.scalar(
            select(func.count()).select_from(EventRow).where(
                EventRow.what == kind, EventRow.at > self.now - RECENT)) or 0


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its name, the function that makes its finding, and what follows if a trouble is left alone.
    `is_daily`: the front page shows it even when it is well. `to_deputy`: its alarm goes to the coordinator's
    deputy too, if the site has one.

    Without a `consequence` no alarm is written: that trouble is reported elsewhere.
    """

    name: str
    find: Callable[[Observation], Finding]
    consequence: str = ""
    is_daily: bool = False
    to_deputy: bool = False


@dataclass(frozen=True, slots=True)
class Health:
    """Runs every check. `data` is the folder of photographs; `loaded` shows whether this process
    has loaded the reading engines."""

    store: sessionmaker[Session]
    clock: Clock
    mailbox: MailboxStatus
    data: Path
    loaded: Callable[[], bool]

    def findings(self) -> tuple[Finding, ...]:
        """One finding a check, in the order of `checks`."""
        with self.store() as session:
            observation = Observation(session, self.clock.now(), self.mailbox, self.data, self.loaded())
            return tuple(check.find(observation) for check in checks())


def check_mailbox(observation: Observation) -> Finding:
    """Did the mailbox answer when it was last asked, and was that lately?"""
    name, mailbox = "Mailbox", observation.mailbox
    if mailbox.last is None:
        return Finding(
            name, FindingState.UNKNOWN, "Not checked since this process started.",
            "If this stays for a minute, the desk runs without `galloper serve`; mail waits on its server.")
    good_at = mailbox.good_at
    last_good = "never since the start" if good_at is None else ago(observation.now - good_at)
    began_at = mailbox.look_began_at
    if began_at is not None and observation.now - began_at > LONGEST_LOOK:
        return Finding(
            name, FindingState.TROUBLE,
            f"A check of it began at {began_at:%H:%M} GMT and has not ended. Last good answer: "
            f"{last_good}.",
            "The mail server is slow, or very much mail is waiting. Nothing is lost; deadlines wait for it.")
    if mailbox.last.trouble:
        return Finding(
            name, FindingState.TROUBLE, f"{mailbox.last.trouble} Last good answer: {last_good}.",
            "Nothing is lost meanwhile: mail waits on its server, stamped with the server's time.",
            is_urgent=mailbox.is_refused() or mailbox.last.trouble in {mark.ANOTHER_SITE, mark.LATER_COPY})
    if mailbox.settings_fault:
        return Finding(name, FindingState.TROUBLE, f"Last checked {last_good}. {mailbox.settings_fault}",
                       "Correct the settings file; it is read again as soon as it is saved.")
    if good_at is not None and observation.now - good_at > LONGEST_WITHOUT_POLL:
        return Finding(name, FindingState.TROUBLE, f"Last checked {last_good}.",
                       "Restart the site; mail waits on its server.")
    return Finding(name, FindingState.WELL, f"Last checked {last_good}.")


def check_other_readers(observation: Observation) -> Finding:
    """Does another program take mail out of the mailbox?"""
    name, session = "Other readers", observation.session
    moved = session.scalars(select(EventRow).where(
        EventRow.what == Event.MAIL_MOVED_ELSEWHERE, EventRow.at > observation.now - RECENT)
        .order_by(EventRow.at)).all()
    if not moved:
        return Finding(name, FindingState.WELL, "Every mail taken from the mailbox was received by this "
                                                "site.")
    mails = _mails(sum(int(event.detail.get("count", 0)) for event in moved))
    restored_at = last_event(session, Event.RESTORED)
    if restored_at is not None and all(
            datetime.fromisoformat(event.detail["last"]) <= restored_at for event in moved):
        return Finding(name, FindingState.NOTE, f"{mails} that the backup did not have yet were received "
                                                "again.")
    return Finding(
        name, FindingState.TROUBLE,
        f"{mails} of the last 24 hours were moved by another program, and received by this site from the "
        "folder of received mails.",
        "Look for a second Galloper, a mail filter or a person who moves mails, and stop it: mails moved to "
        "another folder would be missed.",
        moved[0].at.isoformat(), is_urgent=True)


def check_stuck_mails(observation: Observation) -> Finding:
    """Does the mail server hand out and let go every mail?"""
    name, session = "Stuck mails", observation.session
    unread = mail_troubles.of_kind(session, MailTroubleKind.UNFETCHED)
    if unread:
        return Finding(
            name, FindingState.TROUBLE,
            f"{_mails(len(unread))} cannot be fetched, first tried {ago(observation.now - unread[0].since)}: "
            f"{unread[0].why}.",
            "Check the mailbox with a mail program. The site tries again every hour, and a deadline waits "
            "for mails that came in time.",
            unread[0].since.isoformat())
    unmoved = mail_troubles.of_kind(session, MailTroubleKind.UNMOVED)
    if unmoved:
        # The beginning is the id, so that one such trouble is written about once.
        return Finding(
            name, FindingState.TROUBLE,
            f"{_mails(len(unmoved))} were received and cannot be moved, first tried "
            f"{ago(observation.now - unmoved[0].since)}: {unmoved[0].why}.",
            "They are received and count. Check the space and the folders of the mailbox; they are moved as "
            "soon as possible.",
            unmoved[0].since.isoformat())
    return Finding(name, FindingState.WELL, "Every mail can be fetched and moved.")


def _mails(count: int) -> str:
    return f"{count} mail{'' if count == 1 else 's'}"


def check_workers(observation: Observation) -> Finding:
    """Has any worker process given a sign of life lately?"""
    last_seen = observation.session.scalar(select(func.max(WorkerRow.seen_at)))
    if last_seen is None:
        return Finding("Workers", FindingState.UNKNOWN, "No worker has reported.",
                       "Start the site with `galloper serve`.")
    age = observation.now - last_seen
    if age > LONGEST_WITHOUT_WORKER:
        return Finding("Workers", FindingState.TROUBLE, f"Last report {ago(age)}.",
                       "Restart the site; interrupted work continues.")
    off = observation.session.scalars(
        select(WorkerRow).where(WorkerRow.seen_at > last_seen - LONGEST_WITHOUT_WORKER,
                                func.abs(WorkerRow.ahead) > MOST_CLOCK_SKEW.total_seconds())
        .order_by(func.abs(WorkerRow.ahead).desc())).first()
    if off is not None:
        way = "ahead of" if off.ahead > 0 else "behind"
        return Finding(
            "Workers", FindingState.TROUBLE,
            f"The clock of {off.executor.partition(':')[0]} is {abs(off.ahead):.0f} seconds {way} the "
            "database's.",
            "Set it by NTP. No work is done twice because of it, but that machine's dates are wrong.")
    return Finding("Workers", FindingState.WELL, f"Last report {ago(age)}.")


def check_connections(observation: Observation) -> Finding:
    """Does the database server have room for all processes of the site at their busiest?"""
    name, session = "Connections", observation.session
    room = connections_for_sites(session.connection())
    if room is None:
        return Finding(name, FindingState.WELL,
                       "The database is a file, or behind a pooler with its own limit.")
    connections = list(session.scalars(select(WorkerRow.connections).where(
        WorkerRow.seen_at > observation.now - LONGEST_WITHOUT_WORKER)))
    processes = f"{len(connections)} process{'' if len(connections) == 1 else 'es'}"
    sentence = (f"{processes} may have {sum(connections)} connections to the database together; its server "
                f"has room for {room}.")
    if sum(connections) > room:
        return Finding(
            name, FindingState.TROUBLE, sentence,
            "Start fewer processes, set database_connections lower, or raise max_connections of the server: "
            "at a busy deadline it would refuse some of them, and a backup.")
    return Finding(name, FindingState.WELL, sentence)


def check_queue(observation: Observation) -> Finding:
    """Is every mail judged soon after it came in?"""
    name, session = "Queue", observation.session
    unjudged = session.scalar(
        select(func.count()).select_from(MailRow).where(MailRow.state == MailState.STORED)) or 0
    unread = session.scalar(
        select(func.count()).select_from(SubmissionRow).where(SubmissionRow.read_at.is_(None))) or 0
    counts = f"{counted(unjudged, 'mail')} to handle, {counted(unread, 'sheet')} to read"
    # A mail that waits for its sender's DNS has its own finding.
    oldest = session.scalar(select(func.min(MailRow.stored_at)).where(
        MailRow.state == MailState.STORED, MailRow.try_again_at.is_(None)))
    if oldest is not None and observation.now - oldest > LONGEST_UNJUDGED:
        return Finding(
            name, FindingState.TROUBLE,
            f"{counts}; a mail that was stored {ago(observation.now - oldest)} is not handled yet.",
            "Restart the site; its bytes are stored, and mails in time count.")
    # These mails are in no table: they stay in quarantine on their server, and the log is their only trace
    # here.
    unreadable = observation.recent_events("mail_unreadable")
    if unreadable:
        return Finding(
            name, FindingState.TROUBLE,
            f"{counts}; {counted(unreadable, 'mail')} of the last 24 hours could not be fetched from "
            "the mail server.",
            "They are in the folder for quarantine: check them with a mail program, and ask their senders "
            "to send them again.")
    failures = observation.recent_events("work_failed") + observation.recent_events("mail_given_up")
    if failures:
        return Finding(name, FindingState.TROUBLE,
                       f"{counts}; work failed {counted(failures, 'time')} in the last 24 hours.",
                       ("The log names the failure; mails that were given up are in quarantine with their "
                        "bytes."))
    return Finding(name, FindingState.WELL, f"{counts}.")


def check_reading_pace(observation: Observation) -> Finding:
    """Are sheets read as fast as their deadlines come? Without a deadline ahead nothing presses."""
    name, session, now = "Reading pace", observation.session, observation.now
    waiting, nearest = session.execute(
        select(func.count(SubmissionRow.id), func.min(PhaseRow.deadline))
        .join(PhaseRow, PhaseRow.id == SubmissionRow.phase_id)
        .where(SubmissionRow.read_at.is_(None), PhaseRow.deadline > now)).one()
    done = session.scalar(select(func.count()).select_from(SubmissionRow).where(
        SubmissionRow.read_at > now - PACE_OF)) or 0
    # A handful has nothing about a pace.
    if waiting < FEWEST_WAITING or nearest is None:
        return Finding(name, FindingState.WELL, f"{counted(waiting, 'sheet')} to read before their deadline.")
    left = nearest - now
    sentence = f"{waiting} sheets wait to be read, {done} were read in the last hour."
    if waiting * PACE_OF > done * left:
        remaining = ago(left).removesuffix(" ago")
        return Finding(
            name, FindingState.TROUBLE,
            f"{sentence} The nearest of their deadlines is in {remaining}.",
            "Start more workers, here (`galloper worker --processes`) or elsewhere. Nothing is lost: "
            "a phase is judged when its sheets are read.")
    return Finding(name, FindingState.WELL, sentence)


def check_senders_dns(observation: Observation) -> Finding:
    """Does the DNS of senders' domains answer, where mails are proved by their signatures?"""
    name, session = "Senders' domains", observation.session
    waiting = session.execute(
        select(func.count(), func.min(MailRow.stored_at)).where(
            MailRow.state == MailState.STORED, MailRow.try_again_at.is_not(None))).one()
    if waiting[1] is None:
        return Finding(name, FindingState.WELL, "No mail waits for the domain of its sender to answer.")
    why = session.scalar(
        select(MailRow.proof).where(MailRow.state == MailState.STORED, MailRow.try_again_at.is_not(None))
        .order_by(MailRow.stored_at).limit(1))
    return Finding(
        name, FindingState.TROUBLE,
        f"{counted(waiting[0], 'mail')} wait for proof, the oldest stored "
        f"{ago(observation.now - waiting[1])}. {(why or {}).get('reason', '')}".strip(),
        "The site tries again by itself; a phase waits for those that came in time. After 12 hours they go "
        "to quarantine, where you decide. If several domains fail, check this machine's name service (DNS).")


def overdue_phases(
    session: Session, now: datetime, grace: timedelta = LONGEST_OVERDUE
) -> list[tuple[str, datetime]]:
    """The game and the deadline of each phase that is open `grace` after its deadline, oldest first."""
    rows = session.execute(
        select(PhaseRow.game_id, PhaseRow.deadline).where(
            PhaseRow.state == PhaseState.OPEN, PhaseRow.deadline < now - grace)
        .order_by(PhaseRow.deadline))
    return [(game, deadline) for game, deadline in rows]


def check_deadlines(observation: Observation) -> Finding:
    """Was every phase closed at its deadline?"""
    waiting = mailbox_waits.all_standing(observation.session)
    if waiting:
        phase, wait = waiting[0]
        others = f" and {len(waiting) - 1} more" if len(waiting) > 1 else ""
        return Finding(
            "Deadlines", FindingState.TROUBLE,
            f"{phase.game_id}{others}: the deadline passed {ago(observation.now - phase.deadline)} and the "
            f"phase waits. {wait.why}",
            "It continues by itself once that is repaired; on the game's page you can give it a later "
            "deadline, or decide to judge without mails still missing.")
    overdue = overdue_phases(observation.session, observation.now)
    passed = overdue or overdue_phases(observation.session, observation.now, timedelta())
    if not passed:
        return Finding("Deadlines", FindingState.WELL, "Every phase closed at its deadline.")
    if not overdue:
        return Finding(
            "Deadlines", FindingState.NOTE,
            f"{passed[0][0]}: the deadline passed {ago(observation.now - passed[0][1])}; the mailbox is "
            "being emptied for it.")
    game, deadline = overdue[0]
    others = f" and {len(overdue) - 1} more" if len(overdue) > 1 else ""
    return Finding(
        "Deadlines", FindingState.TROUBLE,
        f"{game}{others}: the deadline passed {ago(observation.now - deadline)} and the phase is still open.",
        "Check Workers, Clock and the log; once they work, it closes by itself within five minutes.")


def check_results(observation: Observation) -> Finding:
    """Do results wait for the coordinator, and what will they overtake (PHA-10)?"""
    session, now = observation.session, observation.now
    unsent = session.scalars(
        select(PhaseRow).options(defer(PhaseRow.position), defer(PhaseRow.resolution))
        .where(PhaseRow.state.in_(JUDGEABLE), PhaseRow.deadline < now - LONGEST_WAIT)
        .order_by(PhaseRow.deadline)).all()
    if not unsent:
        return Finding("Results", FindingState.WELL, "No results have waited longer than a day.")
    phase = unsent[0]
    others = f" and {len(unsent) - 1} more" if len(unsent) > 1 else ""
    following = next_phase(session, phase.game_id)
    overtaken = "" if following is None else (
        f" {phase_of(following)} closes {following.deadline:%d %b %Y, %H:%M} GMT; results sent with less "
        "than half of its time left need a later deadline.")
    return Finding(
        "Results", FindingState.TROUBLE,
        f"{phase.game_id}{others}: {phase_of(phase)} closed {ago(now - phase.deadline)}, and its results are "
        f"not sent.{overtaken}", "Read the waiting lines at the desk and send the results. Next time, "
                                 "announce a holiday on the game's page.", trouble_id=f"{phase.id}")


def check_letters(observation: Observation) -> Finding:
    """Do letters leave? Not while a person holds them back or some have failed."""
    name, session = "Letters", observation.session

    def count(*states: OutboxState) -> int:
        return session.scalar(
            select(func.count()).select_from(OutboxRow).where(OutboxRow.state.in_(states))) or 0

    counts = (f"{count(OutboxState.QUEUED, OutboxState.SENDING)} waiting, "
              f"{count(OutboxState.FAILED)} failed.")
    pause = hold.current_hold(session)
    if pause is not None:
        return Finding(
            name, FindingState.TROUBLE,
            f"Held back by {pause.by} since {pause.at:%a %-d %b, %H:%M} GMT: {pause.why} {counts}",
            "Release them below. Meanwhile incoming mail is stored and counts.")
    lost = failed_addresses(session)
    if lost:
        sentences = " ".join([counts, *(address.sentence for address in lost)])
        return Finding(
            name, FindingState.TROUBLE, sentences,
            "Ask each player for another address in some other way, add it on the game's page, and send the "
            "letters again below. Letters lists them.", has_notice=True)
    return Finding(name, FindingState.WELL, counts)


def check_reading_engine(observation: Observation) -> Finding:
    """Are the networks installed, and did they read every sheet?"""
    name, session = "Reading engine", observation.session
    # Looked up and not imported: a desk without the reader must not load the networks.
    missing = [package for package in ("onnxruntime", "rapidocr") if find_spec(package) is None]
    if missing:
        return Finding(name, FindingState.TROUBLE, f"Not installed: {', '.join(missing)}.",
                       "Install the package with its reading engines. Until then sheets are held; none is "
                       "lost.")
    last_read = session.scalar(select(func.max(SubmissionRow.read_at)))
    age = (
        "No sheet was read yet."
        if last_read is None
        else f"The last sheet was read {ago(observation.now - last_read)}."
    )
    # Another process, a worker, may have read it.
    loaded = "At work." if observation.engines_loaded else "Installed; it starts with the next photograph."
    failures = observation.recent_events("reading_failed")
    if failures:
        return Finding(
            name, FindingState.TROUBLE,
            f"{loaded} {age} {counted(failures, 'sheet')} could not be read in the last 24 hours.",
            "They are held with their photographs; read them by hand on their Sheet pages.")
    return Finding(name, FindingState.WELL, f"{loaded} {age}")


def check_disk(observation: Observation) -> Finding:
    """Is there room for photographs?"""
    try:
        usage, system = shutil.disk_usage(observation.data), os.statvfs(observation.data)
    except OSError as error:
        return Finding("Disk", FindingState.TROUBLE, (f"The data folder cannot be checked "
                                                      f"({error.strerror})."),
                       "Check the setting data.")
    if system.f_flag & os.ST_RDONLY:
        return Finding(
            "Disk", FindingState.TROUBLE, "The disk of the data folder is read-only.",
            "Check the kernel's log: a failing disk is often set read-only. Mail waits on its server, and no "
            "deadline closes meanwhile.", is_urgent=True)
    if system.f_files and system.f_favail < FEWEST_FREE_FILES:
        return Finding("Disk", FindingState.TROUBLE, f"It has room for {system.f_favail} more files.",
                       "Remove unneeded files; mail waits on its server meanwhile.")
    sentence = f"{usage.free / 1e9:.1f} GB free of {usage.total / 1e9:.1f} GB."
    if usage.free < FEWEST_FREE_BYTES:
        return Finding("Disk", FindingState.TROUBLE, sentence, ("Make room; mail waits on its server "
                                                                "meanwhile."))
    return Finding("Disk", FindingState.WELL, sentence)


def check_memory(_observation: Observation) -> Finding:
    """Has this machine, or the container, the memory that reading needs?"""
    most = memory()
    if most is None:
        return Finding("Memory", FindingState.UNKNOWN, "This system does not report its memory.")
    sentence = f"{most / 1e9:.1f} GB."
    if most < LEAST_MEMORY:
        return Finding(
            "Memory", FindingState.TROUBLE, sentence,
            f"Give this machine or container {LEAST_MEMORY / 1e6:.0f} MB or more: otherwise the kernel "
            "keeps ending the process that reads photographs.")
    return Finding("Memory", FindingState.WELL, sentence)


MEMORY_FILES = (Path("/sys/fs/cgroup/memory.max"), Path("/proc/meminfo"))
"""What the container may use, and what the machine has."""


def memory() -> int | None:
    """Bytes of memory of this machine, or of its container if that has less; None where neither is known."""
    limits = []
    for path in MEMORY_FILES:
        with suppress(OSError, ValueError, IndexError):
            words = path.read_text(encoding="ascii").split()
            limits.append(int(words[1]) * 1024 if words[0] == "MemTotal:" else int(words[0]))
    return min(limits, default=None)


def check_clock(observation: Observation) -> Finding:
    """Does this machine's clock agree with the mail server's?"""
    warning = clock_check.standing_warning(observation.session)
    if warning:
        return Finding("Clock", FindingState.TROUBLE, warning,
                       "Until then no deadline is closed; no incoming mail is lost.")
    stamps = clock_check.newest_stamps(observation.session)
    if not stamps:
        return Finding("Clock", FindingState.UNKNOWN, "No mail yet to compare the clock with.")
    # A mail is stamped before we can store it, so a stamp ahead of our clock means that ours is behind.
    ahead = max(received_at - stored_at for received_at, stored_at in stamps)
    if ahead > MOST_CLOCK_SKEW:
        return Finding(
            "Clock", FindingState.TROUBLE,
            (f"The mail server's stamps are up to {int(ahead.total_seconds())} seconds ahead of this "
             f"machine's clock."),
            "Set this machine's clock by NTP; deadlines depend on it.")
    return Finding("Clock", FindingState.WELL,
                   f"Not behind the mail server's, by the stamps of the last {len(stamps)} mails.")


def last_event(session: Session, kind: str) -> datetime | None:
    """When the log last noted an event of a kind; None if it never did."""
    return session.scalar(select(func.max(EventRow.at)).where(EventRow.what == kind))


def check_stored_files(observation: Observation) -> Finding:
    """Is every stored file whole?"""
    return inspection.files_finding(observation.session)


def check_database(observation: Observation) -> Finding:
    """Are the pages of the database whole?"""
    return inspection.database_finding(observation.session)


def check_site_key(observation: Observation) -> Finding:
    """Is the key here that seeds and receipts come from?"""
    return key_finding(observation.session, "Site key")


CHECKS = (
    Check(
        "Mailbox", check_mailbox,
        "mails wait on their server, stamped with its time, and count; but no receipts are sent, and "
        "deadlines wait for them."),
    Check("Other readers", check_other_readers,
          "a sheet may be moved without being received, and its player gets no answer."),
    Check("Stuck mails", check_stuck_mails,
          "a mail that cannot be fetched is missing in the results, and its deadline waits; a mail that "
          "cannot be moved counts, and stays in the folder."),
    Check("Workers", check_workers, "no mail is handled, no deadline is closed and no letter is sent."),
    Check("Connections", check_connections,
          "at a busy deadline the database refuses the site's own processes, and a backup."),
    Check("Queue", check_queue, "a sheet that came in time is not read, and its phase waits for it.",
          is_daily=True),
    Check("Reading pace", check_reading_pace,
          "results come later, by the time that reading the sheets takes."),
    Check("Senders' domains", check_senders_dns,
          "after 12 hours these mails go to quarantine; until then their phases wait for them."),
    Check(
        "Deadlines", check_deadlines,
        ("the phase is neither closed nor judged. No player is harmed: the mail server's stamps decide what "
         "came in time.")),
    Check("Results", check_results, "the players wait for results and their next orders.",
          to_deputy=True),
    Check("Letters", check_letters,
          "a player misses results, or a notice about a fault of a sheet."),
    Check("Reading engine", check_reading_engine,
          "sheets are held with their photographs, and their phases wait for a person to read them."),
    Check("Disk", check_disk, "no more mail can be received; it waits on its server.", is_daily=True),
    Check("Memory", check_memory, "photographs are not read, and their phases wait for a person."),
    Check("Stored files", check_stored_files,
          "pages, letters and archives that need such a file lack it, and the last copy may be lost one "
          "day."),
    Check("Database", check_database, "the data on the damaged pages is lost, and more may follow."),
    # A clock that is off is reported by `service.operations.clock_check`, at the deadline that it holds up.
    Check("Clock", check_clock),
    Check("Site key", check_site_key,
          "the next phase with lots cannot be judged, and receipts are sent without a signature."),
)
"""The checks of the core."""


def checks() -> tuple[Check, ...]:
    """Every check: those of the core, and of the features that are there."""
    return (*CHECKS, *(check for feature in features() for check in feature.checks()))
