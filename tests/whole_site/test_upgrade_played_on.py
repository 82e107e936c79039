"""The old site of commit a9edea3, brought up to date and played on by the code of today (HOU-08)."""

from __future__ import annotations

import io
import os
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

import maps
from adjudicator.serialize import codec
from demo.coordinator import ScriptedCoordinator
from demo.story import StoryMail, WrittenLine
from grammar.print import canonical
from service.archive.export import Edition, write_archive
from service.bootstrap import Running, Site, open_site
from service.cli.migrate import move_site
from service.clock import SimulatedClock
from service.site_folder import bring_up_to_date, settings_of
from service.store.letter_parts import finished
from service.store.tables import (
    GameRow,
    MailRow,
    MailState,
    OutboxRow,
    OutboxState,
    PhaseRow,
    PhaseState,
    SubmissionRow,
)
from service.web.server import WebServer
from tests.whole_site.old_site import (
    BRIDGE,
    CROWN,
    STOPPED,
    kept_letters,
    letters_expected,
    letters_named,
    verified,
)

RETREATS = {"Newcastle": "A Kesteven & Holland R Newark", "Ormond": "A County Wexford R Duncannon Fort"}
"""The orders on the two sheets of the phase that was open. The first was read before the upgrade, with
doubt; the second was taken in and waits to be judged."""
PATIENCE = 240.0
"""Seconds to wait for any one thing: reading loads the networks, which may find every core busy."""


@pytest.mark.slow
def test_the_games_are_played_on(
    old: Path, site_folder: Path, tmp_path: Path, database: str, database_url: str
) -> None:
    """On its own SQLite file, and moved to PostgreSQL by `galloper migrate --to` (INS-07).

    A mail that waited in the queue is judged and its sheet read. Letters that were held leave once. The
    open phase is closed, its old reading settled at the desk, judged and sent, and a turn of the other game
    after it. The archives that follow begin with the old records and prove the old letters."""
    clock, environment = SimulatedClock(STOPPED), {}
    if database == "postgres":
        # A database is moved with today's tables, as `galloper migrate` without --to leaves them.
        bring_up_to_date(settings_of(site_folder, {}))
        assert move_site(site_folder, database_url, io.StringIO(), io.StringIO()) == 0
        environment = {"GALLOPER_DATABASE": database_url}
    with running_site(site_folder, clock, environment) as (site, coordinator):
        wait(
            "the waiting mail to be judged",
            lambda: count(site, MailRow, MailRow.state == MailState.STORED) == 0,
        )
        wait("its sheet to be read", lambda: count(site, SubmissionRow, SubmissionRow.read_at.is_(None)) == 0)
        held_letters_leave_once(site, coordinator, clock, site_folder / "outbox")
        retreats_are_judged(site, coordinator, clock)
        archive_proves_letters(site, old, BRIDGE, judged=2, folder=tmp_path)
        harvest_is_played(site, coordinator, clock, site_folder / "mail")
        archive_proves_letters(site, old, CROWN, judged=3, folder=tmp_path)


@contextmanager
def running_site(
    site_folder: Path, clock: SimulatedClock, environment: dict[str, str]
) -> Iterator[tuple[Site, ScriptedCoordinator]]:
    """The old site, served by today's code, with its coordinator signed in."""
    settings = settings_of(site_folder, environment)
    # Letters may be larger than they were: making their pictures small takes longer than all the rest.
    larger = settings.mail_out.model_copy(update={"max_bytes": 8_000_000})
    site = open_site(settings.model_copy(update={"mail_out": larger}), clock=clock)
    reports: list[str] = []
    running, web = Running(site, report=reports.append), WebServer(site.desk(), "127.0.0.1", 0)
    running.start()
    web.start()
    try:
        coordinator = ScriptedCoordinator(web.address)
        coordinator.sign_in()
        yield site, coordinator
    finally:
        web.stop()
        running.stop()
        site.engine.dispose()
    assert not [report for report in reports if report]


def wait(event: str, is_done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_done():
        assert time.monotonic() < end, f"waited {PATIENCE:.0f} s for {event}"
        time.sleep(0.1)


def count(site: Site, row: type[Any], *conditions: Any) -> int:
    """How many rows of a table fulfil the conditions."""
    with site.store() as session:
        return session.scalar(select(func.count()).select_from(row).where(*conditions)) or 0


def state_of(site: Site, phase_id: int) -> str:
    with site.store() as session:
        return session.get_one(PhaseRow, phase_id).state


def held_letters_leave_once(
    site: Site, coordinator: ScriptedCoordinator, clock: SimulatedClock, outbox: Path
) -> None:
    """None of them leaves before the coordinator allows it."""
    sent = len(list(outbox.iterdir()))
    assert sent == letters_expected(OutboxState.SENT)
    clock.advance(timedelta(minutes=2))
    site.look()
    site.jobs.wait_idle(PATIENCE)
    assert len(list(outbox.iterdir())) == sent
    held = count(site, OutboxRow, OutboxRow.state == OutboxState.QUEUED)
    assert held == letters_expected(OutboxState.QUEUED) + 1  # the receipt of the mail that waited
    page = coordinator.get("/health")
    coordinator.post("/health/resume", csrf=page.partition('name="csrf" value="')[2].partition('"')[0])
    all_letters_leave(site, clock)
    assert len(list(outbox.iterdir())) == sent + held


def all_letters_leave(site: Site, clock: SimulatedClock) -> None:
    """The clock goes on first: letters are sent once for each of its instants."""
    clock.advance(timedelta(minutes=2))
    site.look()
    wait("all letters to leave", lambda: count(site, OutboxRow, OutboxRow.state != OutboxState.SENT) == 0)


def retreats_are_judged(site: Site, coordinator: ScriptedCoordinator, clock: SimulatedClock) -> None:
    """The phase that was open at the upgrade. Newcastle's line was read before it, with doubt: the
    coordinator takes the first of the readings that lie in the database."""
    with site.store() as session:
        phase = session.scalars(
            select(PhaseRow).where(PhaseRow.game_id == BRIDGE, PhaseRow.state == PhaseState.OPEN)
        ).one()
        submissions = session.scalars(select(SubmissionRow).where(SubmissionRow.phase_id == phase.id)).all()
        assert sorted((submission.power, submission.fate) for submission in submissions) == [
            (power, "counts") for power in sorted(RETREATS)
        ]
    written = {power: [WrittenLine(order, order, struck=False)] for power, order in RETREATS.items()}
    outcomes = close_judge_send(site, coordinator, clock, phase, written)
    assert coordinator.decisions["reading"] >= 1
    assert sorted(outcomes) == [(power, order, "succeeds") for power, order in sorted(RETREATS.items())]


def harvest_is_played(
    site: Site, coordinator: ScriptedCoordinator, clock: SimulatedClock, maildir: Path
) -> None:
    """Harvest 603 was still to come: it opens, a typed mail is taken in, and it is judged and sent."""
    with site.store() as session:
        phase = session.scalars(
            select(PhaseRow).where(PhaseRow.game_id == CROWN, PhaseRow.ordinal == 3)
        ).one()
    clock.set(phase.opens_at)
    site.look()
    wait("Harvest 603 to open", lambda: state_of(site, phase.id) == PhaseState.OPEN)
    mail = StoryMail(
        "red-603",
        "Harvest 603 Turn",
        "ansel.dray@other.example",
        "Broken Crown - Red - Harvest 603 - Turn Orders",
        (),
        "accepted",
        body="**15 Grain for Investing of Essex**",
    )
    file = maildir / "tmp" / "red-603"
    file.write_bytes(mail.to_bytes("orders@galloper.example", clock.now()))
    os.utime(file, (clock.now().timestamp(), clock.now().timestamp()))
    file.rename(maildir / "new" / "red-603")
    read = (SubmissionRow.phase_id == phase.id, SubmissionRow.read_at.is_not(None))
    wait("the mail to be read", lambda: count(site, SubmissionRow, *read) == 1)
    outcomes = close_judge_send(site, coordinator, clock, phase, {})
    assert outcomes == [("Red", "15 Grain for Investing of Essex", "succeeds")]


def close_judge_send(
    site: Site,
    coordinator: ScriptedCoordinator,
    clock: SimulatedClock,
    phase: PhaseRow,
    written: dict[str, list[WrittenLine]],
) -> list[tuple[str, str, str]]:
    """Take a phase from its deadline to its letters; power, order and result of every order."""
    clock.set(phase.deadline + timedelta(minutes=1))
    site.look()
    closed = {PhaseState.CLOSED, PhaseState.READY}
    wait("the phase to close", lambda: state_of(site, phase.id) in closed)
    coordinator.sign_in()  # a sign-in ends after twelve hours of rest
    coordinator.read_lines(phase.id, written)
    wait("the phase to be judged", lambda: state_of(site, phase.id) == PhaseState.READY)
    coordinator.approve(phase.id)
    wait("the results to be sent", lambda: state_of(site, phase.id) == PhaseState.SENT)
    all_letters_leave(site, clock)
    with site.store() as session:
        resolution = codec.load_resolution(session.get_one(PhaseRow, phase.id).resolution or {})
        board = maps.load(session.get_one(GameRow, phase.game_id).variant).board
    return [
        (outcome.order.power, canonical(outcome.order, board), outcome.result.value)
        for outcome in resolution.outcomes
    ]


def archive_proves_letters(site: Site, old: Path, game: str, *, judged: int, folder: Path) -> None:
    """The whole archive of a game played on: the old record is its beginning, and it proves every letter of
    before and after the upgrade. `judged`: how many phases it judges again."""
    name = f"{game}-whole.zip"
    with site.store() as session, (folder / name).open("w+b") as file:
        write_archive(session, site.blobs, game, Edition.WHOLE, site.clock.now(), "today", file)
        letters = session.scalars(select(OutboxRow).where(OutboxRow.game_id == game)).all()
    paths = [folder / f"{game}-{letter.id}.eml" for letter in letters]
    for letter, path in zip(letters, paths, strict=True):
        path.write_bytes(finished(site.blobs, letter))
    code, printed = verified(folder / name, [*kept_letters(old, name), *paths])
    assert code == 0, printed
    assert f"{judged} judged phases were judged again, with the same results." in printed
    marked = {"receipt", "draft_results", "final_results"}
    assert {
        path.name for letter, path in zip(letters, paths, strict=True) if letter.kind in marked
    } <= letters_named(printed)
    with zipfile.ZipFile(folder / name) as new, zipfile.ZipFile(old / "archives" / name) as then:
        assert new.read("record.jsonl").startswith(then.read("record.jsonl"))
