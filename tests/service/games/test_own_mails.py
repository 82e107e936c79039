"""A deadline waits for the mails of its own players, and for no others (SCA-02)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from sqlalchemy import update

from service.games import mailbox_waits, turns
from service.mail.mailbox.drain import BUSY, DrainOutcome
from service.operations.mailbox_wait import MailboxWait
from service.scheduler import due_now
from service.store import records
from service.store.tables import AddressRow, MailRow, PhaseState
from tests.support.mail_builder import mail, part, picture
from tests.support.site import Site
from tests.support.table import Table, address, open_table

SECOND = timedelta(seconds=1)


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def close(table: Table) -> list[str]:
    """What a deadline's job does while the mails' own jobs are still at work; the mails it asked for."""
    asked: list[str] = []

    def ask(keys: Sequence[str]) -> None:
        asked.extend(keys)

    turns.close_phase(table.site.store, table.phase().id, table.site.clock, table.load,
                      judge_mails=ask)
    return asked


def stranger(number: int, sender: str) -> bytes:
    return mail("Orders", sender, parts=[part(picture(number))], headers=[f"X-Number: {number}"])


@pytest.mark.parametrize("sender", [
    "somebody@elsewhere.example", "player@montrose.example, second@elsewhere.example", "no address",
])
def test_a_mail_that_counts_for_nobody_here_holds_no_deadline(table: Table, sender: str) -> None:
    """(SCA-02) Today's fault: each closing game decoded every mail of the site that was not judged."""
    phase = table.phase()
    table.arrive(stranger(1, sender), phase.opens_at)
    table.site.clock.set(phase.deadline + SECOND)
    assert close(table) == []
    assert table.phase().state == PhaseState.READY


@pytest.mark.parametrize("sender", [
    "player@montrose.example", "Player@MONTROSE.example.", '"M" <PLAYER@montrose.example>',
])
def test_a_players_mail_holds_its_deadline_however_the_address_is_written(table: Table, sender: str) -> None:
    phase = table.phase()
    key = table.arrive(stranger(1, sender), phase.opens_at)
    table.site.clock.set(phase.deadline + SECOND)
    assert close(table) == [key]
    assert table.phase().state == PhaseState.OPEN


def test_a_mail_from_before_authors_were_kept_may_be_anybodys(table: Table) -> None:
    phase = table.phase()
    key = table.arrive(stranger(1, "somebody@elsewhere.example"), phase.opens_at)
    with table.site.store.begin() as session:
        session.execute(update(MailRow).values(author=None))
    table.site.clock.set(phase.deadline + SECOND)
    assert close(table) == [key]
    assert table.phase().state == PhaseState.OPEN


def test_an_address_registered_after_the_mail_came_in_holds_its_deadline(table: Table) -> None:
    phase = table.phase()
    key = table.arrive(stranger(1, "new@elsewhere.example"), phase.opens_at)
    with table.site.store.begin() as session:
        player = records.player_of(session, address("Montrose"))
        assert player is not None
        session.execute(update(AddressRow).where(AddressRow.player_id == player.id)
                        .values(email="new@elsewhere.example"))
    table.site.clock.set(phase.deadline + SECOND)
    assert close(table) == [key]


def deadline_keys(table: Table) -> list[str]:
    due = due_now(table.site.clock, table.site.store, table.site.jobs)
    return [key for key in due if key.startswith("deadline")]


def test_the_end_of_a_mail_calls_its_phase_back_at_once_and_nobody_hears_of_a_moments_wait(
    table: Table
) -> None:
    """(SCA-02) A wait of seconds for a mail that is being judged is not an event; one of a minute is."""
    phase, store, clock = table.phase(), table.site.store, table.site.clock
    key = table.arrive(table.mail("Montrose"), phase.opens_at)
    clock.set(phase.deadline + SECOND)
    keys = deadline_keys(table)
    close(table)
    assert deadline_keys(table) == []
    with store() as session:
        assert mailbox_waits.all_standing(session) == []
    # Another person's mail calls no one back.
    turns.go_on(store, {"somebody@elsewhere.example"}, clock, table.load)
    assert deadline_keys(table) == []
    table.process(key)
    turns.go_on(store, {address("Montrose")}, clock, table.load)
    (again,) = deadline_keys(table)
    assert again not in keys  # the queue takes each key once
    close(table)
    assert table.phase().state == PhaseState.CLOSED  # the sheet is still to be read


def test_a_deadline_comes_back_by_itself_if_the_mails_worker_died_before_it_called(table: Table) -> None:
    """(SCA-02) Killed between the end of the mail and the call: the look after ten seconds closes."""
    phase, clock = table.phase(), table.site.clock
    key = table.arrive(table.mail("Montrose"), phase.opens_at)
    clock.set(phase.deadline + SECOND)
    keys = deadline_keys(table)
    close(table)
    table.process(key)
    clock.advance(turns.CALLED_BACK)
    (again,) = deadline_keys(table)
    assert again not in keys
    close(table)
    assert table.phase().state == PhaseState.CLOSED


def test_a_deadline_that_meets_anothers_look_comes_back_unseen_and_is_told_of_after_a_minute(
    table: Table
) -> None:
    """(SCA-02) A look of a quarter of a minute once made a notice for each of the games that met it."""
    phase, clock, store = table.phase(), table.site.clock, table.site.store
    waits = MailboxWait(store, clock, table.writer, lambda _deadline: DrainOutcome(clock.now(), BUSY))
    clock.set(phase.deadline + SECOND)
    keys = deadline_keys(table)
    assert waits.must_wait(phase.id)
    with store() as session:
        assert mailbox_waits.all_standing(session) == []
    clock.advance(turns.CALLED_BACK)
    (again,) = deadline_keys(table)
    assert again not in keys
    assert table.letters() == []
    clock.set(phase.deadline + turns.SOON)
    assert waits.must_wait(phase.id)
    assert [letter.kind for letter in table.letters()] == ["coordinator_notice"]


@pytest.mark.parametrize("later", [timedelta(), timedelta(minutes=2)], ids=str)
def test_a_closed_phase_that_only_waited_for_a_mail_is_judged_at_its_end(
    table: Table, later: timedelta
) -> None:
    """A mail that came in after the close and was refused once left its phase closed for ever."""
    phase, store, clock = table.phase(), table.site.store, table.site.clock
    table.set_phase(1, state=PhaseState.CLOSED, closed_at=phase.deadline)
    clock.set(phase.deadline + later)
    key = table.arrive(table.mail("Montrose", subject="Powick Bridge"), phase.deadline)
    assert not table.judge_when_read(phase.id)
    table.process(key)
    turns.go_on(store, {address("Montrose")}, clock, table.load)
    assert table.phase().state == PhaseState.READY
