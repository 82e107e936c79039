"""A clock that does not go with the mail server's: a warning in place of a judgement, and no turn lost
(SUB-09, CAL-03)."""

from __future__ import annotations

import mailbox
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic

import pytest

from service.bootstrap import open_site, server_time
from service.config import MailIn, MailOut, Settings
from service.mail.mailbox.imap import ImapSource
from service.mail.mailbox.maildir import MaildirSource
from service.mail.mailbox.source import MailboxError
from service.operations import clock_check
from service.operations.clock_check import ClockSkewGuard, behind_by_stamps, skew_sentence, standing_warning
from service.operations.findings import FindingState
from service.operations.health import Observation, check_clock
from service.operations.mailbox_status import MailboxStatus
from service.store import records
from service.store.tables import PhaseState
from tests.support.desk_table import open_desk
from tests.support.servers.dovecot import PASSWORD, USER, Dovecot
from tests.support.site import Site
from tests.support.table import COORDINATOR, Table, open_table


@dataclass
class Server:
    """A mail server whose clock goes so far behind ours."""

    table: Table
    ours_ahead: timedelta = timedelta()
    away: bool = False

    def ask(self) -> datetime:
        if self.away:
            raise MailboxError("Nothing answers.")
        return (self.table.site.clock.now() - self.ours_ahead).replace(microsecond=0)


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def guard(table: Table, ask: Callable[[], datetime | None]) -> ClockSkewGuard:
    return ClockSkewGuard(table.site.store, table.site.clock, table.writer, ask)


def warned(table: Table) -> str:
    with table.site.store() as session:
        return standing_warning(session)


@pytest.mark.parametrize(("ahead", "off"), [
    # The server's stamp has whole seconds, so 122 is surely more than a minute.
    (timedelta(), False), (timedelta(seconds=59), False), (timedelta(seconds=-59), False),
    (timedelta(seconds=122), True), (timedelta(seconds=-122), True), (timedelta(hours=1), True),
    (timedelta(days=-400), True),
])  # fmt: skip
def test_a_clock_apart_by_more_than_a_minute_is_off(table: Table, ahead: timedelta, off: bool) -> None:
    warning = guard(table, Server(table, ahead).ask).skew_warning()
    assert bool(warning) == off
    assert warned(table) == warning
    if off:
        assert ("ahead of" if ahead > timedelta() else "behind") in warning


def test_a_phase_waits_for_its_clock_and_the_coordinator_is_told_once(table: Table) -> None:
    phase, server = table.phase(), Server(table, timedelta(minutes=20))
    table.site.clock.set(phase.deadline)
    checked = guard(table, server.ask)
    assert checked.must_wait(phase.id)
    assert checked.must_wait(phase.id)
    assert table.written_letters() == [("coordinator_notice", COORDINATOR)]
    words = table.words(table.letters()[0])
    assert "This machine's clock is 20 minutes ahead of the mail server's." in words
    assert "neither closed nor judged" in words
    assert table.phase().state == PhaseState.OPEN
    # The operator sets the clock.
    server.ours_ahead = timedelta()
    table.site.clock.set(phase.deadline - timedelta(minutes=20))
    assert not checked.must_wait(phase.id)
    assert warned(table) == ""


def test_deadlines_that_come_together_ask_the_server_once_and_anew_when_the_clock_was_set(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(SCA-02) Each closing game logged in to ask for the time: 42 log-ins for 40 games."""
    # On a slow machine 300 deadlines take longer than an answer stands.
    monkeypatch.setattr(clock_check, "monotonic", lambda: 7.0)
    phase, server, asked = table.phase(), Server(table), 0

    def ask() -> datetime:
        nonlocal asked
        asked += 1
        return server.ask()

    checked = guard(table, ask)
    assert not any(checked.must_wait(phase.id) for _ in range(300))
    assert asked == 1
    server.ours_ahead = timedelta(minutes=2)
    table.site.clock.advance(timedelta(minutes=2))
    assert all(checked.must_wait(phase.id) for _ in range(300))
    assert asked == 2


def test_an_answer_about_the_clock_does_not_stand_for_long(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(SUB-09) A clock that runs wrong without being set is noticed within minutes."""
    phase, server = table.phase(), Server(table)
    checked = guard(table, server.ask)
    assert not checked.must_wait(phase.id)
    server.ours_ahead = timedelta(minutes=2)
    later = monotonic() + clock_check.ANSWER_STANDS + 1
    monkeypatch.setattr("service.operations.clock_check.monotonic", lambda: later)
    table.site.clock.advance(timedelta(seconds=clock_check.ANSWER_STANDS + 1))
    assert checked.must_wait(phase.id)


def test_the_desk_and_health_show_the_warning_while_it_stands(table: Table) -> None:
    server = Server(table, timedelta(minutes=5))
    guard(table, server.ask).skew_warning()
    desk = open_desk(table)
    warning = skew_sentence(timedelta(minutes=5)).replace("'", "&#39;")
    assert warning in desk.page("/")
    assert "Nothing is closed or judged now" in desk.page("/")
    clock = table.site.clock
    with table.site.store() as session:
        finding = check_clock(
            Observation(session, clock.now(), MailboxStatus(clock), Path(), engines_loaded=False)
        )
    assert (finding.state, finding.sentence) == (FindingState.TROUBLE, skew_sentence(timedelta(minutes=5)))
    server.ours_ahead = timedelta()
    guard(table, server.ask).skew_warning()
    assert "Nothing is closed" not in desk.page("/")


def test_a_server_that_cannot_be_asked_holds_nothing_up_but_for_stamps_from_our_future(table: Table) -> None:
    checked = guard(table, Server(table, away=True).ask)
    assert checked.skew_warning() == ""
    now = table.site.clock.now()
    with table.site.store.begin() as session:
        # A mail that waited on its server for five hours has nothing about the clock.
        records.add_mail(session, "a" * 64, 1, now - timedelta(hours=5), now)
        assert behind_by_stamps(session) == timedelta()
    assert checked.skew_warning() == ""
    with table.site.store.begin() as session:
        records.add_mail(session, "b" * 64, 1, now + timedelta(minutes=3), now)
    assert "3 minutes behind" in checked.skew_warning()


def test_a_folder_tells_the_time_of_its_disk_and_nothing_stays_behind(table: Table, tmp_path: Path) -> None:
    """SUB-09: a Maildir on a disk that another machine lends is stamped by that machine's clock."""
    assert server_time(MailIn(kind="maildir", path=str(tmp_path))) is None
    assert guard(table, lambda: None).skew_warning() == ""
    mailbox.Maildir(str(tmp_path / "box"), create=True)
    settings = MailIn(kind="maildir", path=str(tmp_path / "box"))
    # A file's stamp is the kernel's last tick, some milliseconds old.
    before = datetime.now(UTC) - timedelta(seconds=1)
    disk_time = server_time(settings)
    assert disk_time is not None
    assert before <= disk_time <= datetime.now(UTC)
    assert not [path for part in ("tmp", "new", "cur") for path in (tmp_path / "box" / part).iterdir()]


def test_a_disk_whose_clock_is_off_holds_the_judgement_up(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk's clock is was in for: another machine's, five minutes behind ours."""
    mailbox.Maildir(str(tmp_path / "box"), create=True)
    source = MaildirSource(MailIn(kind="maildir", path=str(tmp_path / "box")))
    # Maildir stamps are read with fstat; field 8 is the time of the last change.
    stat, lag = os.fstat, (datetime.now(UTC) - table.site.clock.now()).total_seconds() + 300

    def behind(file: int) -> os.stat_result:
        facts = list(stat(file))
        facts[8] -= int(lag)
        return os.stat_result(facts)

    monkeypatch.setattr("service.mail.mailbox.maildir.os.fstat", behind)
    assert "5 minutes ahead of the mail server's" in guard(table, source.server_time).skew_warning()


def test_dovecot_is_asked_for_its_time_and_nothing_stays_behind(dovecot: Dovecot) -> None:
    settings = MailIn(host="127.0.0.1", port=dovecot.imap, tls=False, user=USER, password=PASSWORD)
    before = datetime.now(UTC)
    for _ in range(2):
        dovecot_time = server_time(settings)
        assert dovecot_time is not None
        assert abs(dovecot_time - before) < timedelta(seconds=60)
    assert dovecot.contents() == []
    assert dovecot.contents("Galloper") == []
    source = ImapSource(settings)
    source.server_time()
    assert list(source.list_waiting()) == []
    source.close()


def test_a_site_on_the_machines_own_clock_has_the_guard_and_one_on_a_stand_in_has_none(
    tmp_path: object, site: Site
) -> None:
    settings = Settings(
        data=str(tmp_path), order_address="o@x.example", coordinator="c@x.example",
        mail_in=MailIn(kind="maildir", path=str(tmp_path)),
        mail_out=MailOut(kind="folder", path=str(tmp_path), sender="o@x.example"))
    real = open_site(settings)
    assert real.guard is not None
    real.engine.dispose()
    other = open_site(settings, clock=site.clock)
    assert other.guard is None
    other.engine.dispose()
