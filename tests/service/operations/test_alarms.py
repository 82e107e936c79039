"""Alarms by mail and numbers for machines: what would silently cost a player their turn."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import select

import maps
from service.games.acts.act import ActTable, perform
from service.mail.sending import hold
from service.mail.sending.outbox import OutLetter, put
from service.notices.letter_context import LetterContext, Sender
from service.operations.alarms import STANDING, Alarms
from service.operations.findings import FindingState
from service.operations.health import LONGEST_OVERDUE, Health, checks
from service.operations.mailbox_status import MailboxStatus
from service.operations.metrics import Metrics
from service.store.letter_parts import finished
from service.store.tables import OutboxRow, OutboxState, PhaseRow, PhaseState, WorkerRow
from tests.support.desk_table import open_desk
from tests.support.features import of_features
from tests.support.site import Site
from tests.support.table import KINDS, Table, open_table

COORDINATOR = "coordinator@galloper.example"


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


DEPUTY = "deputy@galloper.example"


def make(table: Table, pulse: MailboxStatus | None = None, deputy: str = "") -> Alarms:
    clock = table.site.clock
    sender = Sender("Galloper <orders@galloper.example>", "orders@galloper.example", COORDINATOR, 8_000_000,
                    "https://orders.galloper.example", deputy=deputy)
    desk = LetterContext(table.site.blobs, clock, maps.load, sender, KINDS)
    health = Health(table.site.store, clock, pulse or MailboxStatus(clock), Path(), lambda: True)
    return Alarms(health, table.site.store, desk)


def written(table: Table) -> list[OutboxRow]:
    with table.site.store() as session:
        return list(session.scalars(select(OutboxRow).where(OutboxRow.key.contains("alarm-"))))


def about(table: Table, name: str) -> list[OutboxRow]:
    return [row for row in written(table) if f"alarm-{name}" in row.key]


def test_a_mailbox_away_for_ten_minutes_is_written_about_once_a_day(table: Table) -> None:
    clock = table.site.clock
    pulse = MailboxStatus(clock)
    report = pulse.recording(lambda _: None)
    alarms = make(table, pulse)
    report("There is no answer from mx.example.org:993.")
    alarms.look()
    clock.advance(STANDING - timedelta(seconds=1))
    alarms.look()
    assert about(table, "mailbox") == []
    clock.advance(timedelta(seconds=1))
    alarms.look()
    # Later the same day: the letter is not repeated.
    clock.advance(timedelta(minutes=5))
    alarms.look()
    (row,) = about(table, "mailbox")
    assert row.recipient == COORDINATOR
    assert row.state == OutboxState.QUEUED
    message = finished(table.site.blobs, row).decode()
    assert "There is no answer from mx.example.org:993." in message
    clock.advance(timedelta(days=1))
    alarms.look()
    assert len(about(table, "mailbox")) == 2


def test_a_short_outage_is_written_about_never(table: Table) -> None:
    clock = table.site.clock
    pulse = MailboxStatus(clock)
    report, alarms = pulse.recording(lambda _: None), make(table, pulse)
    for _ in range(6):
        report("It does not answer in time.")
        alarms.look()
        # Six times six minutes, and never ten in a row.
        clock.advance(timedelta(minutes=6))
        report("")
        alarms.look()
    assert about(table, "mailbox") == []


def test_several_processes_write_one_letter(table: Table) -> None:
    processes = [make(table), make(table)]
    _forget_a_deadline(table)
    for _ in range(2):
        for process in processes:
            process.look()
        table.site.clock.advance(STANDING)
    for process in processes:
        process.look()
    assert len(about(table, "deadlines")) == 1


def _forget_a_deadline(table: Table) -> None:
    with table.site.store.begin() as session:
        phase = session.get_one(PhaseRow, table.phase().id)
        phase.state = PhaseState.OPEN
        table.site.clock.set(phase.deadline + LONGEST_OVERDUE + timedelta(minutes=1))


def test_a_deadline_that_nobody_closed_is_named(table: Table) -> None:
    alarms = make(table)
    _forget_a_deadline(table)
    fact = {finding.name: finding for finding in alarms.health.findings()}["Deadlines"]
    assert fact.state is FindingState.TROUBLE
    assert "the deadline passed 11 minutes ago and the phase is still open" in fact.sentence
    with table.site.store.begin() as session:
        session.get_one(PhaseRow, table.phase().id).state = PhaseState.CLOSED
    assert {finding.name: finding.state for finding in alarms.health.findings()}["Deadlines"] == "well"


def test_a_deputy_is_told_that_results_wait_and_of_nothing_else(table: Table) -> None:
    """PHA-10: anyone who is in for the coordinator learns what late results overtake."""
    clock = table.site.clock
    pulse = MailboxStatus(clock)
    alarms = make(table, pulse, DEPUTY)
    clock.set(table.phase().deadline)
    table.close_phase(table.phase().id)
    clock.advance(timedelta(hours=25))
    pulse.recording(lambda _: None)("There is no answer from mx.example.org:993.")
    for _ in range(2):
        alarms.look()
        clock.advance(STANDING)
    assert sorted(row.recipient for row in about(table, "results")) == [COORDINATOR, DEPUTY]
    assert {row.recipient for row in written(table) if "alarm-results" not in row.key} == {COORDINATOR}


def test_a_failed_letter_brings_no_alarm_after_its_notice(table: Table) -> None:
    """PHA-09: the coordinator had a notice with power and player when it failed."""
    alarms, clock = make(table), table.site.clock
    letter = OutLetter("r1", "results", "a@example.org", "S", "T")
    with table.site.store.begin() as session:
        put(session, table.site.blobs, letter, sender="orders@galloper.example", now=clock.now())
        session.scalars(select(OutboxRow).where(OutboxRow.key == letter.key)).one().state = OutboxState.FAILED
    alarms.look()
    clock.advance(STANDING)
    alarms.look()
    assert {finding.name: finding.is_trouble for finding in alarms.health.findings()}["Letters"]
    assert about(table, "letters") == []


def test_the_letter_waits_in_the_outbox_while_letters_are_held_back(table: Table) -> None:
    alarms, clock = make(table), table.site.clock
    with table.site.store.begin() as session:
        perform(hold.HoldLetters("a fault in the map"), ActTable(session, "Ada", clock.now()))
    alarms.look()
    clock.advance(STANDING)
    alarms.look()
    # The alarm about held letters is a letter too, and is held.
    assert [row.state for row in about(table, "letters")] == [OutboxState.QUEUED]


def test_every_fact_of_health_has_its_consequence_but_those_told_elsewhere(table: Table) -> None:
    names = {fact.name for fact in make(table).health.findings()}
    # The clock has its own notice.
    consequences = {check.name for check in checks() if check.consequence}
    assert names - consequences == {"Clock", *of_features("TOLD_ELSEWHERE")}
    assert consequences <= names


def numbers(raw: bytes) -> dict[str, float]:
    values = {}
    for family in text_string_to_metric_families(raw.decode()):
        for sample in family.samples:
            labels = ",".join(sample.labels.values())
            values[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return values


def test_the_numbers_tell_what_waits_and_name_nobody(table: Table) -> None:
    clock = table.site.clock
    pulse = MailboxStatus(clock)
    pulse.recording(lambda _: None)("It does not answer in time.")
    metrics = Metrics(table.site.store, clock, pulse, Path())
    table.arrive(table.mail("Argyll"), table.phase().opens_at)
    before = numbers(metrics.text())
    clock.advance(timedelta(minutes=7))
    raw = metrics.text()
    after = numbers(raw)
    assert after["galloper_mails{stored}"] == 1
    assert after["galloper_mails{used}"] == 0
    assert (
        after["galloper_oldest_mail_waiting_seconds"] - before["galloper_oldest_mail_waiting_seconds"] == 420
    )
    assert after["galloper_mailbox_up"] == 0
    assert after["galloper_deadlines_overdue"] == 0
    assert after["galloper_disk_free_bytes"] > 0
    assert after["process_open_fds"] > 0
    text = raw.decode().lower()
    for word in ("argyll", "powick", "example.org", "galloper.example"):
        assert word not in text


def test_overdue_deadlines_and_workers_are_counted(table: Table) -> None:
    _forget_a_deadline(table)
    with table.site.store.begin() as session:
        session.add(WorkerRow(executor="one", seen_at=datetime.now(UTC)))
        # Dead for an hour: not counted.
        session.add(WorkerRow(executor="two", seen_at=datetime.now(UTC) - timedelta(hours=1)))
    values = numbers(
        Metrics(table.site.store, table.site.clock, MailboxStatus(table.site.clock), Path()).text()
    )
    assert values["galloper_deadlines_overdue"] == 1
    assert values["galloper_workers"] == 1


@pytest.mark.parametrize(
    ("token", "header", "status"),
    [
        ("", {}, 404), ("", {"Authorization": "Bearer "}, 404), ("t0ken", {}, 401),
        ("t0ken", {"Authorization": "Bearer wrong"}, 401), ("t0ken", {"Authorization": "Basic t0ken"}, 401),
        ("t0ken", {"Authorization": "Bearer t0ken"}, 200),
    ],
)
def test_numbers_are_for_whoever_shows_the_token(
    table: Table, token: str, header: dict[str, str], status: int
) -> None:
    desk = open_desk(table, metrics=lambda: b"galloper_workers 1\n", metrics_token=token)
    desk.client.cookies.clear()
    assert desk.client.get("/metrics", headers=header).status_code == status


def test_a_load_balancer_is_told_whether_the_database_answers(table: Table) -> None:
    desk = open_desk(table)
    desk.client.cookies.clear()
    assert desk.client.get("/alive").text == "alive\n"
    table.site.engine.dispose()
    database = Path(str(table.site.engine.url.database))
    for file in database.parent.glob(f"{database.name}*"):
        file.unlink()
    database.mkdir()  # a database that cannot be opened
    answer = desk.client.get("/alive")
    assert (answer.status_code, answer.text) == (503, "the database does not answer\n")
