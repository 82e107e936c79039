"""A short game for tests of the keeper's conduct: played once, stopped at stages, and copied for each cheat.

A Winter with lots, then a Spring in which three players mail typed-looking pictures whose lines are known.
The record is dated by the clock of the site, and each mail has the mail server's own line, as in a real
mailbox.
"""

from __future__ import annotations

import contextlib
import email.utils
import importlib.util
import io
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import maps
from adjudicator.calendar import Phase, PhaseKind
from service.archive.export import Edition
from service.intake.verdicts.explanations import canonical_subject
from service.notices.broadcasts import Broadcasts
from service.notices.results import ResultsAnnouncer
from service.store import records
from service.store.blobs import BlobError
from service.store.letter_parts import finished
from service.store.tables import LineRow, LineState, PhaseRow, PhaseState, SubmissionRow, UserRow
from tests.support.checks import print_check
from tests.support.mail_builder import mail, part, stamp, text
from tests.support.played import WINTER, archived, begin, decide
from tests.support.site import NOON, Site, make_site
from tests.support.table import (
    SERVER,
    START,
    NotedAnnouncer,
    Table,
    address,
    autumn_1642,
    open_table,
    picture,
)

SPRING = Phase(1643, "Spring", PhaseKind.MOVEMENT)
VICTIM, OTHER, SHORT = "Montrose", "Argyll", "Newcastle"
"""The player who keeps her letters, another one, and the power that loses units by lot."""
PLAYERS = (VICTIM, OTHER, SHORT)
STAGES = ("winter", "spring", "sheets", "closed", "ready", "sent")
TOOL = Path(__file__).parents[2] / "tools" / "verify_record.py"


def mailed(power: str, version: int, shade: int, stamped_at: datetime, *, received_at: datetime | None = None,
           word: str = "", phase: Phase = SPRING) -> bytes:
    """A player's mail with one picture, as the mail server left it. `received_at`: the time in the server's
    own line."""
    sender = address(power)
    when = email.utils.format_datetime(received_at or stamped_at)
    subject = canonical_subject("Powick Bridge", maps.load("w3k").powers[power].name, phase, version)
    return mail(
        subject + (f", lots: {word}" if word else ""), sender,
        headers=[f"Received: from mx.{power.lower()}.example by {SERVER} with ESMTPS id {shade}; {when}"],
        parts=[text("See the sheet."), part(picture(shade))],
        stamps=[stamp(sender.rpartition("@")[2], "pass", SERVER)])


def start(folder: Path) -> None:
    """Play the game once; each stage's folder is a copy of the site at that moment."""
    with opened(folder / "play", None) as table:
        save(folder, "winter", table)
        go_on(table, 1)
        save(folder, "spring", table)
        send_sheets(table)
        save(folder, "sheets", table)
        row = in_play(table)
        table.site.clock.set(row.deadline + timedelta(minutes=1))
        table.close_phase(row.id)
        save(folder, "closed", table)
        decide(table, row.id)
        table.judge_when_read(row.id)
        save(folder, "ready", table)
        go_on(table, 1)
        save(folder, "sent", table)


def new_table(site: Site) -> Table:
    """The game's first phase, open, with one coordinator at the desk."""
    board = autumn_1642()
    centres = {power: frozenset(sorted(owned)[:4]) if power == SHORT else owned
               for power, owned in board.centres.items()}
    with site.store.begin() as session:
        session.add(UserRow(name="Ada", password="-", role="coordinator", created_at=site.clock.now()))
    position = replace(board, phase=WINTER, centres=centres, memory=type(board.memory)())
    players = {power: (address(power),) for power in PLAYERS}
    table = open_table(site, position=position, players=players)
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    return table


@contextmanager
def opened(folder: Path, saved: Path | None) -> Iterator[Table]:
    """The site in a folder, a copy of a saved one if there is one, else a new game."""
    folder.mkdir(parents=True, exist_ok=True)
    if saved is not None:
        shutil.copytree(saved, folder, dirs_exist_ok=True)
    now = datetime.fromisoformat((folder / "now").read_text()) + timedelta(minutes=10) if saved else NOON
    with make_site(folder, now=now) as site:
        if saved is None:
            site.clock.set(datetime.combine(START, datetime.min.time(), site.clock.now().tzinfo))
            yield new_table(site)
        else:
            board = maps.load("w3k")
            table = Table(site, board, "powick-bridge", NotedAnnouncer())
            table.variant = replace(board, start=table.position(1))
            table.announce = ResultsAnnouncer(table.writer, drawing=False)
            table.sent = [path.read_bytes() for path in sorted(folder.glob("sent-*"))]
            yield table


def save(folder: Path, stage: str, table: Table) -> None:
    """Copy the site as it is now."""
    table.site.engine.dispose()
    played = folder / "play"
    (played / "now").write_text(table.site.clock.now().isoformat())
    for number, raw in enumerate(table.sent):
        (played / f"sent-{number}").write_bytes(raw)
    shutil.copytree(played, folder / stage)


def in_play(table: Table) -> PhaseRow:
    return next(phase for phase in table.phases() if phase.state != PhaseState.SENT)


def phase_of_row(row: PhaseRow) -> Phase:
    """The phase as a subject names it."""
    return Phase(row.year, row.season, PhaseKind(row.kind))


def send_sheets(table: Table) -> None:
    """Two versions of one player, one sheet of each other."""
    opens = in_play(table).opens_at
    for minutes, (power, version, shade) in enumerate(
        [(VICTIM, 1, 90), (OTHER, 1, 100), (SHORT, 1, 110), (VICTIM, 2, 120)], start=1
    ):
        sent_at = opens + timedelta(hours=minutes)
        table.site.clock.set(sent_at)
        raw = mailed(power, version, shade, sent_at)
        if power == VICTIM:
            table.sent.append(raw)
        table.take(raw, sent_at)
        recognize(table, table.submissions()[-1].id, moved=version == 1)


def recognize(table: Table, submission_id: int, *, moved: bool = False, doubtful: bool = True) -> None:
    """What the recognizer would have made of a sheet: a heading, its units' orders, a line crossed out, and
    one that a person must look at."""
    with table.site.store.begin() as session:
        submission = session.get_one(SubmissionRow, submission_id)
        phase = session.get_one(PhaseRow, submission.phase_id)
        units = sorted(unit for unit in table.position(phase.ordinal).units if unit.power == submission.power)
        rows: list[tuple[str, str, str | None, LineState, bool]] = [
            ("heading", "Powick Bridge", None, LineState.NOT_ORDER, False)]
        rows += [("order", f"{u.kind} {u.region} H", f"{u.kind} {u.region} H", LineState.AUTO, False)
                 for u in units[: 2 if moved else 4] if phase.kind == PhaseKind.MOVEMENT]
        rows += [("order", "A Nowhere H", None, LineState.NOT_ORDER, True)]
        if doubtful:
            rows += [("order", "A Nowhere H", None, LineState.OPEN, False)]
        page = records.pages(session, submission.id)[0]
        page.upright = page.original
        for ordinal, (kind, words, order, state, struck) in enumerate(rows):
            top = 100 + 60 * ordinal
            session.add(LineRow(
                page_id=page.id, ordinal=ordinal, kind=kind, text=words, order=order, struck=struck,
                confidence=0.9, box=[[100, top], [700, top], [700, top + 40], [100, top + 40]], candidates=[],
                status=state.value))
        submission.read_at = table.site.clock.now()


def go_on(table: Table, phases: int = 1) -> None:
    """Play on from whatever state the game is in, until `phases` more results are sent, and open the next."""
    for _ in range(phases):
        row = in_play(table)
        if row.state in {PhaseState.WAITING, PhaseState.OPEN}:
            row = begin(table)
            table.site.clock.set(max(table.site.clock.now(), row.deadline + timedelta(minutes=1)))
            table.close_phase(row.id)
        if table.phase(row.ordinal).state == PhaseState.CLOSED:
            decide(table, row.id)
            table.judge_when_read(row.id)
        table.approve_however_late(row.id, "Ada")
    begin(table)


def broadcasts(table: Table) -> Broadcasts:
    return Broadcasts(table.writer)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is shown to a checker: an archive for each edition, and each player's letters."""

    whole: bytes
    players: bytes
    letters: dict[str, dict[str, bytes]]

    def shown(self, powers: tuple[str, ...]) -> dict[str, bytes]:
        """The letters of some players together."""
        return {name: data for power in powers for name, data in self.letters[power].items()}


def evidence(table: Table) -> Evidence:
    """The archives as they are now, and the letters that left the site or were sent to it."""
    letters: dict[str, dict[str, bytes]] = {power: {} for power in PLAYERS}
    for row in table.letters():
        for power in PLAYERS:
            if row.recipient == address(power):
                letters[power][f"{row.id:03}-{row.kind}-{power}.eml"] = finished(table.site.blobs, row)
    letters[VICTIM] |= {f"sent-{number}.eml": raw for number, raw in enumerate(table.sent)}
    players = archived(table, Edition.PLAYERS)
    try:
        return Evidence(archived(table), players, letters)
    except BlobError:
        # A file is gone, and the whole archive cannot be made; what is given out is the players'.
        return Evidence(players, players, letters)


Checker = Callable[[bytes, dict[str, bytes]], tuple[str, str]]
"""Shows an archive and letters to a checker; its alarms, and its other sentences."""


def galloper(folder: Path) -> Checker:
    """The check of `galloper verify`, within this process."""

    def check(archive: bytes, mails: dict[str, bytes]) -> tuple[str, str]:
        path, paths = _written(folder, archive, mails)
        out = io.StringIO()
        print_check(path, paths, out)
        lines = out.getvalue().split("\n")
        return ("\n".join(line for line in lines if line.startswith("NOT AS")),
                "\n".join(line for line in lines if line.startswith("To know")))

    return check


def tool_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verify_record", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def independent(folder: Path) -> Checker:
    """The independent checker within this process, without a judge."""

    def check(archive: bytes, mails: dict[str, bytes]) -> tuple[str, str]:
        path, paths = _written(folder, archive, mails)
        before, sys.argv = sys.argv, ["verify_record.py", str(path), *map(str, paths)]
        out, alarms = io.StringIO(), ""
        module = tool_module()
        try:
            with contextlib.redirect_stdout(out), patch.dict(os.environ, GALLOPER=str(folder / "no-program")):
                module.run()
        except SystemExit as fault:
            alarms = str(fault.code)
        finally:
            sys.argv = before
        return alarms, "\n".join(line for line in out.getvalue().split("\n") if line.startswith("To know"))

    return check


def _written(folder: Path, archive: bytes, mails: dict[str, bytes]) -> tuple[Path, list[Path]]:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "archive.zip").write_bytes(archive)
    for name, data in mails.items():
        (folder / name).write_bytes(data)
    return folder / "archive.zip", [folder / name for name in sorted(mails)]
