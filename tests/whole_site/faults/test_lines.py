"""Faults of the lines to the mail servers, at the length that the list gives them (docs/faults.md)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

import pytest
from sqlalchemy import func, select

from service.clock import SystemClock
from service.config import MailIn
from service.mail.mailbox.imap import LONGEST_IDLE, READ_SECONDS, ImapSource
from service.mail.mailbox.ingest import IngestCounts, take_in, watch
from service.operations.findings import FindingState
from service.operations.health import Health
from service.operations.mailbox_status import MailboxStatus
from service.store.tables import MailRow
from tests.support.mails import simple, wait_for
from tests.support.servers.dovecot import PASSWORD, USER, Dovecot
from tests.support.servers.proxy import Proxy
from tests.support.site import Site

KEEP_ALIVE = 2


@dataclass
class Poller:
    """A mailbox that a thread keeps empty, and what the Health page states about it."""

    site: Site
    source: ImapSource
    pulse: MailboxStatus = field(default_factory=lambda: MailboxStatus(SystemClock()))
    stop: threading.Event = field(default_factory=threading.Event)
    reports: list[str] = field(default_factory=list)
    thread: threading.Thread | None = None

    def start(self) -> Poller:
        def take() -> IngestCounts:
            return take_in(self.source, self.site.store, self.site.blobs, self.site.jobs, self.site.clock)

        report = self.pulse.recording(self.reports.append)
        self.thread = threading.Thread(target=watch, args=(self.source, take, self.stop, report, 120.0))
        self.thread.start()
        assert wait_for(lambda: self.reports == [""])
        time.sleep(0.3)  # into IDLE
        return self

    def shown(self) -> tuple[str, str]:
        """State and words of the mailbox on the page."""
        health = Health(
            self.site.store, SystemClock(), self.pulse, self.site.blobs.root.parent, lambda: False
        )
        fact = next(finding for finding in health.findings() if finding.name == "Mailbox")
        return fact.state, fact.sentence

    def count(self) -> int:
        with self.site.store() as session:
            return session.scalar(select(func.count()).select_from(MailRow)) or 0


@pytest.fixture
def pollers() -> Iterator[list[Poller]]:
    running: list[Poller] = []
    yield running
    for poller in running:
        poller.stop.set()
        assert poller.thread is not None
        poller.thread.join(30)
        assert not poller.thread.is_alive()


def source(port: int, **more: object) -> MailIn:
    return MailIn.model_validate(
        {"host": "127.0.0.1", "port": port, "tls": False, "user": USER, "password": PASSWORD, **more}
    )


@pytest.mark.slow
def test_1_a_server_away_for_five_seconds_costs_no_mail_and_no_second_of_the_processor(
    site: Site, dovecot: Dovecot, pollers: list[Poller]
) -> None:
    """Fault 1."""
    poller = Poller(site, ImapSource(source(dovecot.imap))).start()
    pollers.append(poller)
    spent, begun = time.process_time(), time.monotonic()
    # A killed server refuses connections at once: a poller without pauses would spin.
    dovecot.kill()
    assert wait_for(lambda: poller.shown()[0] == FindingState.TROUBLE, 20)
    while time.monotonic() - begun < 5:
        time.sleep(0.1)
    assert time.process_time() - spent < 1
    assert len(poller.reports) <= 5  # after pauses of 1, 2 and 5 seconds
    dovecot.start()
    dovecot.deliver(simple(1))
    assert wait_for(lambda: poller.count() == 1, 90)
    assert wait_for(lambda: poller.shown()[0] == FindingState.WELL, 20)


def test_2_silence_is_noticed_within_five_minutes_where_nobody_sets_another_limit() -> None:
    """Fault 2: IDLE is left at the keep-alive time, which no setting makes longer than five minutes; then an
    answer is waited for. The same with these times cut to seconds is below."""
    assert MailIn().keep_alive_seconds + READ_SECONDS <= 300
    assert LONGEST_IDLE <= 300


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_2_a_line_that_swallows_everything_is_noticed_shown_and_recovers_alone(
    site: Site, dovecot: Dovecot, pollers: list[Poller]
) -> None:
    """Fault 2: a minute of silence with the keep-alive at two seconds represents ten at four minutes, over
    several new connections that are not answered either."""
    proxy = Proxy(dovecot.imap).start()
    try:
        poller = Poller(
            site, ImapSource(source(proxy.port, keep_alive_seconds=KEEP_ALIVE), read_seconds=2)
        ).start()
        pollers.append(poller)
        # Accepts, keeps the connection, and has nothing: no error would ever be raised without a time limit.
        proxy.silent = True
        begun = time.monotonic()
        dovecot.deliver(simple(1))
        assert wait_for(lambda: poller.shown()[0] == FindingState.TROUBLE, 40)
        # two seconds of IDLE and two of waiting, on a machine that has other work
        assert time.monotonic() - begun < 20
        assert "does not answer in time" in poller.shown()[1]
        spent = time.process_time()
        while time.monotonic() - begun < 60:
            time.sleep(0.5)
        assert poller.shown()[0] == FindingState.TROUBLE
        assert poller.count() == 0
        assert time.process_time() - spent < 5
        proxy.silent = False
        assert wait_for(lambda: poller.count() == 1, 120)
        assert wait_for(lambda: poller.shown()[0] == FindingState.WELL, 20)
    finally:
        proxy.stop()


def failed(reports: list[str], times: int) -> bool:
    return sum(map(bool, reports)) >= times


@pytest.mark.slow
def test_3_a_two_megabyte_body_that_breaks_off_three_times_is_stored_once_and_whole(
    site: Site, dovecot: Dovecot
) -> None:
    """Fault 3, with a poller that mends it by itself."""
    proxy = Proxy(dovecot.imap).start()
    raw = simple(1, size=2_000_000)
    dovecot.append(raw)
    stop, reports = threading.Event(), list[str]()
    inbox = ImapSource(source(proxy.port))

    def take() -> IngestCounts:
        return take_in(inbox, site.store, site.blobs, site.jobs, site.clock)

    # Each attempt breaks off in the middle of the two megabytes.
    proxy.cut_after = 1_000_000
    thread = threading.Thread(target=watch, args=(inbox, take, stop, reports.append, 5.0))
    thread.start()
    try:
        for times in (1, 2):
            assert wait_for(partial(failed, reports, times), 60)
            proxy.cut_after = proxy.from_server + 1_000_000
        assert wait_for(lambda: reports and not reports[-1], 120)
    finally:
        stop.set()
        thread.join(40)
        proxy.stop()
    assert sum(map(bool, reports)) == 3
    with site.store() as session:
        (key,) = session.scalars(select(MailRow.sha256)).all()
    assert site.blobs.read(key) == raw
    # No half file stays behind from the attempts that broke off.
    assert sum(path.is_file() for path in site.blobs.root.rglob("*")) == 1
