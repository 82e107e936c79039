"""A deadline waits for a mailbox that cannot be emptied, says so, and a coordinator may decide (BOX-07)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import select

from service.clock import SystemClock
from service.facts.events import Event
from service.games import mailbox_waits
from service.games.acts.phases import JudgeWithoutMailbox
from service.games.ballots import executed
from service.games.refused import Refused
from service.mail.mailbox.drain import BUSY, DrainLimits, MailboxDrain
from service.mail.mailbox.imap import ImapSource
from service.mail.mailbox.ingest import take_in, watch
from service.mail.mailbox.source import MailboxError, MailSource, WaitingMail
from service.mail.time_limit import LineLimits
from service.operations.findings import Finding, FindingState
from service.operations.health import Observation, check_deadlines
from service.operations.mailbox_status import MailboxStatus
from service.operations.mailbox_wait import MailboxWait
from service.scheduler import DEADLINE, due_now
from service.store.tables import EventRow, MailRow, PhaseState, SubmissionRow
from tests.support.acting import do
from tests.support.mails import wait_for
from tests.support.servers.dovecot import USER, Dovecot, free_port
from tests.support.servers.mailboxes import imap_settings, mails
from tests.support.servers.proxy import Proxy
from tests.support.site import Site
from tests.support.table import COORDINATOR, Table, open_table

PAST = date(2026, 3, 1)
"""T+0 of a game whose mails Dovecot can stamp: it takes no stamp in the future."""
SECOND = timedelta(seconds=1)
QUICK = DrainLimits(longest=1.0, longest_turn=0.3, first_watched=0.2, longest_watched=0.2, rest=0.0)


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site, start=PAST)


def drain_of(table: Table, source: ImapSource | None = None, *, port: int = 0, dovecot: Dovecot | None = None,
             limits: DrainLimits = QUICK) -> MailboxDrain:
    site = table.site

    def open_source(until: float) -> MailSource:
        if source is not None:
            return source
        assert dovecot is not None
        settings = imap_settings(dovecot)
        settings = settings.model_copy(update={"port": port}) if port else settings
        return ImapSource(settings, until=until, limits=LineLimits(command_seconds=1.0))

    return MailboxDrain(open_source, site.store, site.blobs, site.jobs, site.clock, limits=limits)


def close(table: Table, drain: MailboxDrain) -> bool:
    """What the work of a deadline does; whether the phase had to wait."""
    phase = table.phase()
    waits = MailboxWait(table.site.store, table.site.clock, table.writer, drain.empty).must_wait(phase.id)
    if not waits:
        table.close_phase(phase.id)
    return waits


def events(table: Table) -> list[str]:
    with table.site.store() as session:
        return [kind for kind in session.scalars(select(EventRow.what).order_by(EventRow.id))
                if kind in mailbox_waits.EVENTS]


def deadlines(table: Table) -> Finding:
    now = table.site.clock.now()
    with table.site.store() as session:
        return check_deadlines(Observation(
            session, now, MailboxStatus(table.site.clock), table.site.blobs.root, engines_loaded=False))


def test_while_a_deadline_waits_for_a_slow_mailbox_health_does_not_call_it_kept(table: Table) -> None:
    """MBX-05."""
    phase = table.phase()
    table.site.clock.set(phase.deadline - SECOND)
    assert deadlines(table).sentence == "Every phase closed at its deadline."
    table.site.clock.set(phase.deadline + 40 * SECOND)
    found = deadlines(table)
    assert found.state is FindingState.NOTE
    assert "the deadline passed 40 seconds ago; the mailbox is being emptied" in found.sentence
    table.site.clock.set(phase.deadline + timedelta(minutes=11))
    assert deadlines(table).is_trouble


def test_a_mailbox_that_is_away_holds_the_deadline_and_what_came_in_time_counts(
    table: Table, dovecot: Dovecot
) -> None:
    """BOX-07: a deadline closed without mails that were in time."""
    phase = table.phase()
    dovecot.append(table.mail("Montrose"), phase.deadline - SECOND)
    dovecot.append(table.mail("Argyll"), phase.deadline + SECOND)
    dovecot.kill()
    # A server that is away refuses at once; one that is back may take its time on a busy machine.
    drain = drain_of(table, dovecot=dovecot, limits=DrainLimits(longest=20, rest=0))
    table.site.clock.set(phase.deadline + timedelta(minutes=1))
    for _ in range(3):
        assert close(table, drain)
        table.site.clock.advance(timedelta(minutes=1))
    assert table.phase().state == PhaseState.OPEN
    assert events(table) == [Event.DEADLINE_WAITS_FOR_MAILBOX]
    # The coordinator hears of it once, with what to do.
    (notice,) = table.letters()
    assert notice.recipient == COORDINATOR
    assert "There is no answer from" in table.words(notice)
    assert "judge without the mails" in table.words(notice)
    assert deadlines(table).is_trouble
    # While it waits the deadline is tried every minute and not every five.
    keys = set()
    for _ in range(4):
        table.site.clock.advance(timedelta(minutes=1))
        due = due_now(table.site.clock, table.site.store, table.site.jobs)
        keys |= {key for key in due if key.startswith(DEADLINE)}
    assert len(keys) == 4
    dovecot.start()
    assert not close(table, drain)
    assert events(table) == [Event.DEADLINE_WAITS_FOR_MAILBOX, Event.MAILBOX_EMPTIED]
    closed = table.phase()
    assert closed.state == PhaseState.CLOSED  # Montrose's sheet is still to be read
    with table.site.store() as session:
        assert list(executed(session, closed)) == ["Montrose"]
    assert not deadlines(table).is_trouble


def test_a_coordinator_may_judge_without_the_mailbox(table: Table) -> None:
    """BOX-07: the decision is in the log with name and reason."""
    phase = table.phase()
    source = ImapSource(imap_settings(Dovecot(imap=free_port())))
    table.site.clock.set(phase.deadline + timedelta(minutes=1))
    drain = drain_of(table, source)
    assert close(table, drain)
    do(table, JudgeWithoutMailbox(table.game, phase.id, "the provider closed down for good"), "ada")
    # Twice is once.
    with pytest.raises(Refused, match="decided already"):
        do(table, JudgeWithoutMailbox(table.game, phase.id, "the provider closed down"), "ben")
    assert not close(table, drain)
    assert table.phase().state == PhaseState.READY
    with table.site.store() as session:
        row = session.scalars(select(EventRow).where(EventRow.what == Event.JUDGED_WITHOUT_MAILBOX)).one()
    assert (row.actor, row.detail["why"]) == ("ada", "the provider closed down for good")
    assert events(table) == [Event.DEADLINE_WAITS_FOR_MAILBOX, Event.JUDGED_WITHOUT_MAILBOX]


def test_a_deadline_moved_on_while_it_waits_waits_no_more(table: Table) -> None:
    phase = table.phase()
    table.site.clock.set(phase.deadline + timedelta(minutes=1))
    drain = drain_of(table, ImapSource(imap_settings(Dovecot(imap=free_port()))))
    assert close(table, drain)
    table.set_phase(1, deadline=phase.deadline + timedelta(days=1))
    with table.site.store() as session:
        assert mailbox_waits.all_standing(session) == []


@pytest.mark.parametrize(("after", "waits"), [(-1, True), (1, False)])
def test_a_mail_that_cannot_be_fetched_holds_the_deadline_only_if_it_came_in_time(
    table: Table, dovecot: Dovecot, after: int, waits: bool
) -> None:
    """BOX-07: Dovecot ends the connection at a file that it may not read; the mails behind it come in."""
    phase = table.phase()
    dovecot.append(table.mail("Montrose"), phase.deadline + after * SECOND)
    dovecot.append(table.mail("Argyll"), phase.deadline - SECOND)
    with dovecot.client() as client:
        client.select_folder("INBOX")
        client.fetch([1], ["RFC822.SIZE"])
    broken = next(path for path in (dovecot.root / "mail" / USER / "Maildir" / "cur").iterdir()
                  if b"Montrose" in path.read_bytes())
    broken.chmod(0)
    table.site.clock.set(phase.deadline + timedelta(minutes=1))
    drain = drain_of(table, dovecot=dovecot, limits=DrainLimits(longest=20, rest=0))
    assert close(table, drain) is waits
    assert len(mails(table.site)) == 1
    if waits:
        assert "1 mail that came in time cannot be fetched" in table.words(table.letters()[-1])
        broken.chmod(0o600)
        table.site.clock.advance(timedelta(minutes=2))
        assert not close(table, drain)
        assert len(mails(table.site)) == 2
    assert table.phase().state == PhaseState.CLOSED


class Rebuilt(ImapSource):
    """A mailbox that is restored from a backup between its first listing and the first fetch."""

    def __init__(self, dovecot: Dovecot) -> None:
        super().__init__(imap_settings(dovecot))
        self.dovecot = dovecot
        self.is_rebuilt = False

    def list_waiting(self, since: datetime | None = None) -> Sequence[WaitingMail]:
        waiting = super().list_waiting(since)
        if not self.is_rebuilt:
            self.is_rebuilt = True
            self.dovecot.rebuild()
            # The server cut the session; the next use connects again and meets the new folder.
            self._drop()
            super().list_waiting()
        return waiting


def test_a_folder_rebuilt_in_the_middle_does_not_pass_for_empty(table: Table, dovecot: Dovecot) -> None:
    """BOX-07: the mails that were listed are gone under their numbers, and are there under others."""
    phase = table.phase()
    dovecot.append(table.mail("Montrose"), phase.deadline - SECOND)
    table.site.clock.set(phase.deadline + timedelta(minutes=1))
    drain = drain_of(table, Rebuilt(dovecot), limits=DrainLimits(longest=20))
    assert not close(table, drain)
    assert len(mails(table.site)) == 1


def test_a_drip_at_one_deadline_delays_another_one_by_a_bounded_time(
    table: Table, dovecot: Dovecot
) -> None:
    """BOX-07: a byte a second at one game's deadline held another's for six minutes."""
    dovecot.append(table.mail("Montrose"), table.phase().deadline - SECOND)
    between = Proxy(dovecot.imap, drip=0.1).start()
    try:
        drain = drain_of(table, dovecot=dovecot, port=between.port)
        deadline = table.phase().deadline
        table.site.clock.set(deadline + timedelta(minutes=1))
        slow = threading.Thread(target=drain.empty, args=(deadline,))
        slow.start()
        time.sleep(0.1)
        # The second one waits for its turn, and then states that it waits, with the first still under way.
        assert drain.empty(deadline).trouble == BUSY
        assert slow.is_alive()
        # Its limits end it; without them it went on for six minutes.
        slow.join(60)
        assert not slow.is_alive()
        assert "does not answer in time" in drain.empty(deadline).trouble
        between.drip = 0
        # On a busy machine a server that answers may be slow once or twice, too.
        assert any(drain.empty(deadline).trouble == "" for _ in range(20))
        # Deadlines of one instant share what one of them has done, in whichever process.
        shared = drain_of(table, dovecot=dovecot, port=between.port, limits=DrainLimits())
        before = between.connections
        assert [shared.empty(deadline).trouble for _ in range(3)] == [""] * 3
        assert between.connections == before
        table.site.clock.advance(timedelta(minutes=2))
        later = table.site.clock.now() - SECOND
        assert [shared.empty(later).trouble for _ in range(3)] == [""] * 3
        assert between.connections == before + 1
    finally:
        between.stop()


@pytest.fixture
def one_connection() -> Iterator[Dovecot]:
    server = Dovecot(connections=1).start()
    yield server
    server.remove()


def test_where_only_one_connection_is_allowed_the_pollers_own_look_empties_the_mailbox(
    site: Site, one_connection: Dovecot
) -> None:
    """BOX-07: the poller waits in IDLE on the only connection that the provider allows."""
    clock = SystemClock()
    status, stop = MailboxStatus(clock), threading.Event()
    source = ImapSource(imap_settings(one_connection))
    reports: list[str] = []
    thread = threading.Thread(target=watch, args=(
        source, lambda: status.look(lambda: take_in(source, site.store, site.blobs, site.jobs, clock)), stop,
        status.recording(reports.append), 120.0), kwargs={"wake": status.wanted})
    thread.start()
    try:
        assert wait_for(lambda: reports == [""])
        with pytest.raises(MailboxError, match="allows no further connection"):
            ImapSource(imap_settings(one_connection)).list_waiting()
        drain = MailboxDrain(
            lambda until: ImapSource(imap_settings(one_connection), until=until), site.store, site.blobs,
            site.jobs, clock, status.wait_for_look)
        started = time.monotonic()
        outcome = drain.empty(datetime.now(UTC) - timedelta(minutes=1))
        assert (outcome.trouble, outcome.left) == ("", ())
        assert time.monotonic() - started < 15
    finally:
        stop.set()
        thread.join(20)
        source.close()


def test_a_mail_that_cannot_be_judged_holds_its_own_phase_and_no_other_mail(table: Table) -> None:
    """BOX-07: a mail whose judging fails stays stored; those behind it are judged, the phase waits."""
    phase = table.phase()
    broken = table.arrive(table.mail("Montrose"), phase.opens_at)
    table.arrive(table.mail("Argyll"), phase.opens_at + SECOND)
    process = table.process

    def fails(key: str) -> None:
        if key == broken:
            raise TimeoutError
        process(key)

    table.process = fails  # type: ignore[method-assign]
    table.site.clock.set(phase.deadline + timedelta(minutes=1))
    table.close_phase(phase.id)
    assert table.phase().state == PhaseState.OPEN
    with table.site.store() as session:
        assert session.scalars(select(SubmissionRow.power)).all() == ["Argyll"]
        (wait,) = [row for _phase, row in mailbox_waits.all_standing(session)]
        assert wait.why.startswith("1 mail that came in time could not be handled yet")
        assert session.get_one(MailRow, broken).state == "stored"
    table.process = process  # type: ignore[method-assign]
    table.close_phase(phase.id)
    assert table.phase().state == PhaseState.CLOSED
