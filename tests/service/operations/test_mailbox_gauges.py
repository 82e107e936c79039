"""The status page, the alarm and the numbers while a command hangs: none of them reads well (BOX-07)."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest

from service.clock import SimulatedClock
from service.mail.mailbox.imap import ImapSource
from service.mail.mailbox.ingest import take_in, watch
from service.mail.mailbox.source import MailboxLocation
from service.operations.alarms import Alarms
from service.operations.findings import Finding, FindingState
from service.operations.health import LONGEST_LOOK, Health
from service.operations.mailbox_status import MailboxStatus
from service.operations.metrics import Metrics
from service.store import mail_troubles
from service.store.columns import MailTroubleKind
from tests.support.mails import wait_for
from tests.support.servers.dovecot import Dovecot
from tests.support.servers.mailboxes import imap_settings
from tests.support.servers.proxy import Proxy
from tests.support.site import NOON, Site
from tests.support.table import Table, open_table


def numbers(metrics: Metrics) -> dict[str, float]:
    lines = [line for line in metrics.text().decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def finding(health: Health, name: str) -> Finding:
    return next(finding for finding in health.findings() if finding.name == name)


@pytest.mark.slow
def test_a_look_that_hangs_is_seen_while_it_hangs(site: Site, dovecot: Dovecot) -> None:
    """BOX-07: the last answer was good, and for six minutes every gauge read well."""
    clock = SimulatedClock(NOON)
    between = Proxy(dovecot.imap).start()
    status, stop = MailboxStatus(clock), threading.Event()
    health = Health(site.store, clock, status, site.blobs.root.parent, lambda: False)
    metrics = Metrics(site.store, clock, status, site.blobs.root.parent)
    source = ImapSource(imap_settings(dovecot).model_copy(update={"port": between.port}), read_seconds=20)
    reports: list[str] = []
    thread = threading.Thread(target=watch, args=(
        source, lambda: status.look(lambda: take_in(source, site.store, site.blobs, site.jobs, clock)), stop,
        status.recording(reports.append), 60.0), kwargs={"wake": status.wanted})
    thread.start()
    try:
        assert wait_for(lambda: reports == [""])
        assert finding(health, "Mailbox").state is FindingState.WELL
        between.drip = 0.05
        status.wanted.set()
        assert wait_for(lambda: status.look_began_at is not None)
        clock.advance(LONGEST_LOOK + timedelta(seconds=1))
        shown = finding(health, "Mailbox")
        assert shown.state is FindingState.TROUBLE
        assert "A check of it began at 12:00 GMT and has not ended" in shown.sentence
        values = numbers(metrics)
        assert values["galloper_mailbox_up"] == 1
        assert values["galloper_mailbox_look_under_way_seconds"] == 301
        assert values["galloper_mailbox_look_age_seconds"] == 301
        between.drip = 0
        assert wait_for(lambda: len(reports) == 2, 20)
        assert finding(health, "Mailbox").state is FindingState.WELL
        assert numbers(metrics)["galloper_mailbox_look_under_way_seconds"] == 0
    finally:
        between.stop()
        stop.set()
        thread.join(30)


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def test_a_refused_login_is_written_about_at_once_and_other_troubles_after_ten_minutes(table: Table) -> None:
    """BOX-07."""
    refused = [False]
    status = MailboxStatus(table.site.clock, is_refused=lambda: refused[0])
    health = Health(table.site.store, table.site.clock, status, table.site.blobs.root, lambda: True)
    alarms = Alarms(health, table.site.store, table.writer)
    report = status.recording(lambda _: None)
    report("There is no answer from mail.example:993.")
    assert not [key for key in alarms.look() if "mailbox" in key]
    refused[0] = True
    report("The mail server mail.example:993 refused the login; check mail_in.user and mail_in.password.")
    (key,) = [key for key in alarms.look() if "mailbox" in key]
    (letter,) = [row for row in table.letters() if row.key == key]
    assert "refused the login" in table.words(letter)
    # Once a day for as long as it lasts.
    assert not [key for key in alarms.look() if "mailbox" in key]


@pytest.mark.parametrize(("kind", "says"), [
    (MailTroubleKind.UNMOVED, "2 mails were received and cannot be moved"),
    (MailTroubleKind.UNFETCHED, "2 mails cannot be fetched"),
])
def test_stuck_mails_are_told_once_as_long_as_they_are_stuck(
    table: Table, kind: MailTroubleKind, says: str
) -> None:
    """BOX-07: not once for each look, and not once a day."""
    site = table.site
    health = Health(site.store, site.clock, MailboxStatus(site.clock), site.blobs.root, lambda: True)
    alarms = Alarms(health, site.store, table.writer)
    keys: list[str] = []
    for day in range(3):
        with site.store.begin() as session:
            for uid in ("1", "2"):
                place = MailboxLocation("a", "INBOX", "1", uid)
                why = "the mail server refuses (OVERQUOTA)"
                mail_troubles.note(session, place, kind, why, site.clock.now())
        shown = finding(health, "Stuck mails")
        assert shown.state is FindingState.TROUBLE
        assert says in shown.sentence
        assert "(OVERQUOTA)" in shown.sentence
        for _ in range(2):
            keys += [key for key in alarms.look() if "stuck" in key]
            site.clock.advance(timedelta(minutes=11))
        site.clock.advance(timedelta(days=1))
        assert len(keys) == 1, day
