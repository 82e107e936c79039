"""One look into the mailbox serves the deadlines of every process of a site (SCA-02)."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from service.mail.mailbox.drain import BUSY, CLAIM, DrainLimits, MailboxDrain
from service.mail.mailbox.source import MailboxError, MailboxLocation, RawMail, Signal, WaitingMail
from service.store.tables import MailboxDrainRow
from tests.support.mails import wait_for
from tests.support.servers.mailboxes import NoDoneFolder
from tests.support.site import Site

QUICK = DrainLimits(longest=1.0, longest_turn=0.5, first_watched=0.2, longest_watched=0.2, longest_asked=0.3)


class CountedSource(NoDoneFolder):
    """A mailbox that is empty, or away, and counts who logs in."""

    log_ins = 0
    is_away = False

    def __init__(self, _until: float = 0.0) -> None:
        CountedSource.log_ins += 1

    def list_waiting(self, since: datetime | None = None) -> Sequence[WaitingMail]:
        if CountedSource.is_away:
            raise MailboxError("Nothing answers.")
        return ()

    def fetch(self, waiting: WaitingMail) -> RawMail | None:
        raise AssertionError("An empty mailbox has no mail to fetch.")

    def move_to_done(self, places: Sequence[MailboxLocation]) -> Mapping[MailboxLocation, MailboxLocation]:
        raise AssertionError("An empty mailbox has no mail to move.")

    def quarantine(self, place: MailboxLocation) -> None:
        raise AssertionError("An empty mailbox has no mail to set aside.")

    def wait(self, seconds: float, stop: Signal) -> None:
        raise AssertionError("A look at a deadline waits for no mail.")

    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def _quiet() -> None:
    CountedSource.log_ins, CountedSource.is_away = 0, False


PATIENT = DrainLimits(longest_turn=30.0, longest_asked=30.0)


def drain(
    site: Site, *, answers: bool = False, has_poller: bool = True, limits: DrainLimits = QUICK
) -> MailboxDrain:
    return MailboxDrain(CountedSource, site.store, site.blobs, site.jobs, site.clock,
                        lambda _after, _seconds: answers, limits, has_poller=has_poller)


def past(site: Site, minutes: int = 1) -> datetime:
    """A deadline that has passed."""
    return site.clock.now() - timedelta(minutes=minutes)


def test_thousands_of_deadlines_in_several_processes_log_in_once(any_site: Site) -> None:
    processes = [drain(any_site) for _ in range(3)]
    for number in range(300):
        assert processes[number % 3].empty(past(any_site, 1 + number % 50)).is_empty
    assert CountedSource.log_ins == 1


def test_the_pollers_own_connection_is_asked_first(site: Site) -> None:
    assert drain(site, answers=True).empty(past(site)).is_empty
    assert CountedSource.log_ins == 0


def test_a_process_without_a_poller_asks_the_one_that_has_it(any_site: Site) -> None:
    outcomes: list[bool] = []
    serving, working = drain(any_site, answers=True), drain(any_site, has_poller=False, limits=PATIENT)
    serving.answer()  # no one needs anything
    thread = threading.Thread(target=lambda: outcomes.append(working.empty(past(any_site)).is_empty))
    thread.start()

    def wanted() -> bool:
        with any_site.store() as session:
            row = session.get(MailboxDrainRow, "orders")
        return row is not None and row.wanted_at is not None

    assert wait_for(wanted, 5)
    serving.answer()
    thread.join(20)
    assert outcomes == [True]
    assert CountedSource.log_ins == 0


def test_a_poller_that_does_not_answer_is_not_waited_for(site: Site) -> None:
    assert drain(site, has_poller=False).empty(past(site)).is_empty
    assert CountedSource.log_ins == 1


def test_a_process_killed_while_it_looked_is_followed_and_until_then_deadlines_wait(site: Site) -> None:
    """Killed between claim and answer: no deadline passes for emptied, and none waits for ever."""
    now = datetime.now(UTC)
    with site.store.begin() as session:
        session.add(MailboxDrainRow(name="orders", claimed_until=now + CLAIM / 2))
    assert drain(site).empty(past(site)).trouble == BUSY
    for ended in (now - timedelta(seconds=1), now + 2 * CLAIM):  # over, or of a clock that was ahead
        with site.store.begin() as session:
            session.execute(update(MailboxDrainRow).values(claimed_until=ended, ended_at=None))
        assert drain(site).empty(past(site)).is_empty
    assert CountedSource.log_ins == 2


def test_a_look_serves_no_deadline_after_it_and_trouble_is_shared_too(site: Site) -> None:
    first = drain(site)
    assert first.empty(past(site)).is_empty
    CountedSource.is_away = True
    site.clock.advance(timedelta(minutes=2))
    later = past(site)
    assert "Nothing answers" in first.empty(later).trouble
    assert "Nothing answers" in drain(site).empty(later).trouble
    assert CountedSource.log_ins == 2
