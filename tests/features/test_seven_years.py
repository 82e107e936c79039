"""A game of ten powers over seven years: what checking its archive costs, and a restore drill of its site on
either database (issue "Trust", figures). Each figure is printed as a line of JSON: run it with -s.

Orders are random valid moves; every sheet is a mail with its own photograph of `PHOTOGRAPH` bytes.
Results letters have no drawn pictures: drawing would take hours, and to the checkers they are bytes like any
others.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from adjudicator.calendar import Phase, PhaseKind
from bench.storm.site import photograph
from maps.valid_moves import valid_moves
from service.archive.export import Edition
from service.features.backup import site_file
from service.mail.sending import hold, outbox
from service.mail.sending.smtp import FolderTransport
from service.notices.results import ResultsAnnouncer
from service.record import chain
from service.store import records
from service.store.tables import LineRow, LineState, OutboxRow, OutboxState, SubmissionRow
from tests.support.played import archived, begin, finish
from tests.support.site import Site, make_site
from tests.support.table import Table, open_table

YEARS, PHOTOGRAPH = 7, 500_000
MOST_SECONDS, MOST_MEMORY, MOST_DRILL = 60.0, 500_000_000, 600.0
TOOL = Path(__file__).parents[2] / "tools" / "verify_record.py"
GALLOPER = Path(sys.executable).parent / "galloper"
pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]


@dataclass(frozen=True, slots=True)
class Game:
    """The game, its archive and a backup of its site."""

    table: Table
    archive: Path
    backup: Path


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Game]:
    folder = tmp_path_factory.mktemp("seven-years")
    with make_site(folder) as site:
        began = time.process_time()
        table = open_table(site)
        table.announce = ResultsAnnouncer(table.writer, drawing=False)
        chance, first = random.Random(1642), table.phase().year
        while (row := begin(table)).year < first + YEARS:
            if row.kind == PhaseKind.MOVEMENT:
                _sheets(table, row.ordinal, chance)
            finish(table)
        path, saved = folder / "game.zip", folder / "site.tar"
        path.write_bytes(archived(table))
        with saved.open("wb") as file:
            site_file.write(site.engine, site.blobs, file, site.clock.now(), "test")
        figure(
            "playing it",
            seconds=time.process_time() - began,
            phases=row.ordinal - 1,
            entries=_root(site, table.game).number,
            archive=path.stat().st_size,
            backup=saved.stat().st_size,
        )
        yield Game(table, path, saved)


def figure(label: str, **values: float) -> None:
    """One line of JSON; seconds are of the processor."""
    print(json.dumps({"what": label, **{name: round(value, 2) for name, value in values.items()}}),
          flush=True)


def _root(site: Site, game: str) -> chain.Root:
    with site.store() as session:
        return chain.root(session, game)


def _sheets(table: Table, number: int, chance: random.Random) -> None:
    """A mail of every power with an order for each of its units, read and sure."""
    row, position = table.phase(number), table.position(number)
    phase = Phase(row.year, row.season, PhaseKind(row.kind))
    board = table.variant.board
    for minute, power in enumerate(table.variant.powers):
        units = [unit for unit in sorted(position.units) if unit.power == power]
        # No mail is stored before its server stamped it (rule C3).
        arrival = row.opens_at + timedelta(minutes=minute)
        table.site.clock.set(max(arrival, table.site.clock.now()))
        table.take(_mail(table, power, phase, photograph(100 * number + minute, PHOTOGRAPH)), arrival)
        written = []
        for unit in units:
            ways = [
                valid_move.to
                for valid_move in valid_moves(table.variant, unit.region)
                if valid_move.kind == table.variant.kinds[unit.kind].letter
            ]
            # None: the unit holds.
            to = chance.choice([*ways[0], None]) if ways else None
            written.append(f"{unit.kind} {board.region_text(unit.region)} H" if to is None else
                           f"{unit.kind} {board.region_text(unit.region)} - {board.region_text(to)}")
        with table.site.store.begin() as session:
            submission = session.scalars(select(SubmissionRow).where(SubmissionRow.read_at.is_(None))).one()
            page = records.pages(session, submission.id)[0]
            page.upright, submission.read_at = page.original, table.site.clock.now()
            for ordinal, order in enumerate(written):
                top = 100 + 60 * ordinal
                session.add(
                    LineRow(
                        page_id=page.id,
                        ordinal=ordinal,
                        kind="order",
                        text=order,
                        order=order,
                        confidence=0.97,
                        status=LineState.AUTO.value,
                        box=[[100, top], [700, top], [700, top + 40], [100, top + 40]],
                        candidates=[
                            {"text": order, "order": order, "score": 0.97},
                            {"text": order[:-3], "order": None, "score": 0.03},
                        ],
                    )
                )


def _mail(table: Table, power: str, phase: Phase, photo: bytes) -> bytes:
    from tests.support.mail_builder import mail, part, stamp, text
    from tests.support.table import SERVER, address

    sender = address(power)
    return mail(table.subject(power, 1, phase), sender, parts=[text("See the sheet."), part(photo)],
                stamps=[stamp(sender.rpartition("@")[2], "pass", SERVER)])


def _run(*command: object) -> tuple[float, int, str]:
    """Processor seconds and the most memory of its own program, and what it said."""
    # A separate program, so that the memory of this process is not counted.
    code = ("import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], capture_output=True, "
            "text=True); "
            "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
            "print(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, done.returncode); "
            "print(done.stdout, done.stderr)")
    completed_process = subprocess.run(
        [sys.executable, "-c", code, *map(str, command)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "GALLOPER": str(GALLOPER)},
    )
    spent, memory, status = completed_process.stdout.split("\n", 1)[0].split()
    assert int(status) == 0, completed_process.stdout
    return float(spent), int(memory), completed_process.stdout


def test_both_checkers_are_done_within_a_minute_and_half_a_gigabyte(game: Game, tmp_path: Path) -> None:
    theirs = tmp_path / "players.zip"
    theirs.write_bytes(archived(game.table, Edition.PLAYERS))
    for name, command in (
        ("galloper verify", (GALLOPER, "verify")),
        ("verify_record.py", (sys.executable, "-I", TOOL)),
    ):
        for edition, path in (("whole", game.archive), ("players", theirs)):
            spent, memory, output = _run(*command, path)
            figure(f"{name}, {edition} archive", seconds=spent, memory=memory, archive=path.stat().st_size)
            assert "judged again, with the same results" in output
            assert spent <= MOST_SECONDS
            assert memory <= MOST_MEMORY


def _sent(session: Session) -> int:
    return session.scalar(
        select(func.count()).select_from(OutboxRow).where(OutboxRow.state == OutboxState.SENT)) or 0


def test_a_restore_drill_checks_the_chain_and_sends_nothing(
    game: Game, any_site: Site, tmp_path: Path
) -> None:
    began, processor = time.monotonic(), time.process_time()
    with game.backup.open("rb") as file:
        restored = site_file.restore(file, any_site.engine, any_site.blobs, None, any_site.clock.now())
    spent = time.monotonic() - began
    # The chain is checked before anybody may work on the restored site.
    assert restored.roots == (_root(game.table.site, game.table.game),)
    folder = tmp_path / "sent"
    folder.mkdir()
    any_site.clock.set(game.table.site.clock.now() + timedelta(days=1))
    outbox.send_due(
        any_site.store, any_site.blobs, FolderTransport(folder), any_site.clock, sender="a@example.org"
    )
    with any_site.store() as session:
        # A restored copy must not send the letters that the real site has sent.
        assert hold.current_hold(session) is not None
        sent = _sent(session)
    with game.table.site.store() as session:
        sent_before = _sent(session)
    figure(
        f"restore drill, {any_site.engine.dialect.name}",
        seconds=time.process_time() - processor,
        wall=spent,
        rows=sum(restored.rows.values()),
        files=restored.blobs,
        letters_waiting=restored.letters,
        sent=len(list(folder.iterdir())),
    )
    assert (list(folder.iterdir()), sent) == ([], sent_before)
    assert spent <= MOST_DRILL
