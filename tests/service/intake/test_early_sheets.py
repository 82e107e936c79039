"""PHA-02, Q-74: a sheet for a phase that is announced is stored, sealed, and counts once that phase asks."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.units import Unit
from service.archive.export import Edition
from service.facts.sheets import SheetFlag
from service.games.acts.deadlines import Pause
from service.games.acts.ending import DeclareEnd
from service.games.acts.phases import RollBack
from service.games.phases import phase_of
from service.notices.broadcasts import Broadcasts
from service.notices.results import ResultsAnnouncer
from service.store.tables import MailRow, MailState, OutboxRow, PhaseRow, PhaseState
from tests.service.intake.sheets.test_read_submission import Desk, page, recognized
from tests.support.acting import do
from tests.support.checks import print_check
from tests.support.desk_table import open_desk
from tests.support.mail_builder import mail, picture, stamp, text
from tests.support.played import archived, begin, finish
from tests.support.site import Site
from tests.support.table import SERVER, SUMMER, Table, address, open_table

TOOL = Path(__file__).parents[3] / "tools" / "verify_record.py"
AUTUMN = Phase(1642, "Autumn", PhaseKind.MOVEMENT)
SUMMER_RETREATS = Phase(1642, "Summer", PhaseKind.RETREAT)
AUTUMN_1901 = Phase(1901, "Autumn", PhaseKind.MOVEMENT)
AUTUMN_RETREATS_1901 = Phase(1901, "Autumn", PhaseKind.RETREAT)
WINTER_1901 = Phase(1901, "Winter", PhaseKind.ADJUSTMENT)
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
KEPT = "opens Tue 16 Mar 2027, 07:00 GMT; your sheet is kept and counts then."


def drawn(table: Table) -> Table:
    """The table with letters of results; pictures take seconds to draw."""
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    return table


@pytest.fixture
def table(site: Site) -> Table:
    """Summer 1642 is open from 1 March 2027, 07:00 GMT; Autumn opens on 16 March."""
    return drawn(open_table(site))


def of(table: Table, phase: Phase) -> PhaseRow:
    return next(row for row in table.phases() if phase_of(row) == phase)


def send(
    table: Table, power: str, phase: Phase, shade: int, *, version: int = 1, subject: str = ""
) -> MailRow:
    """A mail with one photograph, now."""
    raw = table.mail(power, shade, subject=subject or table.subject(power, version, phase))
    return table.take(raw, table.site.clock.now())


def read(table: Table, shade: int, orders: Sequence[str]) -> None:
    """Read the newest sheet, whose only photograph has this shade."""
    row = table.submissions()[-1]
    phase = next(phase for phase in table.phases() if phase.id == row.phase_id)
    heading = [table.variant.powers[row.power].name, "Powick Bridge", f"{phase_of(phase)} Orders",
               f"v{row.version}"]
    Desk(table).read(row.id, {picture(shade): (recognized(page([*heading, *orders])),)})


def last(table: Table) -> str:
    return table.words(table.letters()[-1])


def letters_since(table: Table, before: Sequence[OutboxRow]) -> str:
    return " ".join(table.words(row) for row in table.letters()[len(before):])


def judged(data: bytes) -> dict[int, dict[str, Any]]:
    """The record's entries of judged phases, by their number in the game."""
    with zipfile.ZipFile(io.BytesIO(data)) as zipped:
        lines = [json.loads(line) for line in zipped.read("record.jsonl").decode().splitlines()]
    return {entry["body"]["tells"]["phase"]: entry["body"]["tells"]
            for entry in lines if "body" in entry and entry["body"]["what"] == "judged"}


def assert_archive_is_right(table: Table, folder: Path) -> None:
    for edition in Edition:
        path, out = folder / f"{edition.value}.zip", io.StringIO()
        path.write_bytes(archived(table, edition))
        assert print_check(path, [], out) == 0, out.getvalue()
        tool = subprocess.run([sys.executable, "-I", "-S", str(TOOL), str(path)], capture_output=True,
                              text=True, check=False, cwd=folder)
        assert tool.returncode == 0, tool.stdout + tool.stderr


@pytest.mark.slow
def test_a_year_with_sheets_before_their_phases_open(site: Site, tmp_path: Path) -> None:
    """Autumn's orders arrive between Spring's results and Autumn's opening, Winter's builds during Autumn's
    retreats: each counts for its phase alone, and nothing of it is in the results of another one."""
    board = maps.load("standard").start
    units = frozenset(Unit(power, "A", Region(place)) for power, place in (
        ("FRANCE", "BUR"), ("GERMANY", "MUN"), ("GERMANY", "RUH")))
    table = drawn(open_table(site, slug="standard", position=replace(board, units=units)))
    finish(table)
    assert of(table, AUTUMN_1901).state == PhaseState.WAITING
    assert send(table, "GERMANY", AUTUMN_1901, 40).state == MailState.USED
    read(table, 40, ["Army Munich moves to Burgundy", "Army Ruhr supports Army Munich to Burgundy"])
    assert_archive_is_right(table, tmp_path)
    begin(table)
    finish(table)
    assert table.outcomes(of(table, AUTUMN_1901).ordinal)["GERMANY", "A Munich - Burgundy"] == "succeeds"

    # France must retreat; nothing is asked of Germany, which is not told of retreats.
    for power in ("GERMANY", "FRANCE"):
        assert send(table, power, AUTUMN_1901, 50).reason == "late"
    late = [table.words(row) for row in table.letters("receipt_late")]
    assert "No orders of yours are asked for now. Winter 1901 Adjustment opens Wed 31 Mar" in late[0]
    assert "Open now: Autumn 1901 Retreat Orders" not in late[0]
    assert "Open now: Autumn 1901 Retreat Orders" in late[1]

    # It has nothing to do and sends its builds.
    retreats, winter = of(table, AUTUMN_RETREATS_1901), of(table, WINTER_1901)
    assert (retreats.state, winter.state) == (PhaseState.OPEN, PhaseState.WAITING)
    assert send(table, "GERMANY", WINTER_1901, 60).state == MailState.USED
    read(table, 60, ["Build Army Berlin"])
    before = table.letters()
    finish(table)
    news = letters_since(table, before)
    assert "Autumn 1901, final results" in news
    assert "set aside" not in news
    # The letter that requests builds offers the version after the one on file.
    assert "Powick Bridge - Germany - Winter 1901 - Adjustment Orders - v2" in news
    assert "Powick Bridge - Italy - Winter 1901 - Adjustment Orders - v1" in news
    begin(table)
    finish(table)
    assert Unit("GERMANY", "A", Region("BER")) in table.resolution(winter.ordinal).built
    counted = {number: set(tells["executed"]) for number, tells in judged(archived(table)).items()}
    assert counted == {1: set(), of(table, AUTUMN_1901).ordinal: {"GERMANY"}, retreats.ordinal: set(),
                       winter.ordinal: {"GERMANY"}}
    assert_archive_is_right(table, tmp_path)


def test_the_receipt_says_from_when_it_counts(table: Table) -> None:
    """Between two phases nothing is open, and a good sheet was thrown back."""
    finish(table)
    assert of(table, AUTUMN).state == PhaseState.WAITING
    row = send(table, "The Crown", AUTUMN, 90)
    assert (row.state, row.reason) == (MailState.USED, None)
    assert f"Autumn 1642 Movement {KEPT}" in last(table)
    assert "Powick Bridge - The Crown - Autumn 1642 - Movement Orders - v2" in last(table)
    (sheet,) = table.submissions()
    assert (sheet.phase_id, SheetFlag.EARLY in sheet.flags) == (of(table, AUTUMN).id, True)
    # The first one for that phase is on file when the second comes in time.
    begin(table)
    send(table, "The Crown", AUTUMN, 91, version=2)
    assert "replaces version 1" in last(table)
    assert "kept and counts then" not in last(table)


def test_what_it_leaves_out_is_the_next_announced_phase_of_its_kind(table: Table) -> None:
    """SUBJ-06: the open phase goes before every announced one, and nothing is guessed."""
    begins = "Powick Bridge - Montrose - "
    for shade, words in ((20, "Summer Movement - v1"), (21, "Winter - v1"), (22, "Movement Orders - v2")):
        assert send(table, "Montrose", SUMMER, shade, subject=begins + words).state == MailState.USED
        read(table, shade, [])
    # Movement or retreats: not guessed.
    refused = send(table, "Montrose", SUMMER, 23, subject=f"{begins}Autumn Orders - v1")
    assert (refused.state, refused.reason) == (MailState.REFUSED, "wrong_phase")
    finish(table)
    assert send(table, "Montrose", SUMMER, 24, subject=f"{begins}Autumn Movement Orders - v1").state == "used"
    # This Summer's, which is judged: late, and not a year early.
    late = send(table, "Montrose", SUMMER, 25, subject=f"{begins}Summer Movement Orders - v3")
    assert (late.state, late.reason) == (MailState.REFUSED, "wrong_phase")
    by_id = {row.id: phase_of(row) for row in table.phases()}
    assert [by_id[row.phase_id] for row in table.submissions()] == [
        SUMMER, Phase(1643, "Winter", PhaseKind.ADJUSTMENT), SUMMER, AUTUMN]


def test_it_stays_when_its_phase_moves_and_the_one_before_is_rolled_back(table: Table) -> None:
    unit = min(unit for unit in table.variant.start.units if (unit.power, unit.kind) == ("The Crown", "A"))
    send(table, "The Crown", AUTUMN, 90)
    read(table, 90, [f"Army {unit.region} holds"])
    summer = of(table, SUMMER)
    do(table, Pause(table.game, "7", "a printer that burned"), circulars=Broadcasts(table.writer))
    assert of(table, AUTUMN).deadline > summer.deadline + 20 * DAY
    table.site.clock.set(of(table, SUMMER).deadline + MINUTE)
    table.close_phase(summer.id)
    table.judge_when_read(summer.id)
    do(table, RollBack(table.game, summer.id, "a line was read wrongly"))
    finish(table)
    begin(table)
    finish(table)
    assert table.outcomes(of(table, AUTUMN).ordinal)["The Crown", f"A {unit.region} H"] == "succeeds"


@pytest.mark.slow
@pytest.mark.parametrize("is_ended", [False, True])
def test_a_phase_that_falls_out_judges_nothing(table: Table, tmp_path: Path, *, is_ended: bool) -> None:
    """CAL-17: a sheet for retreats that no one owes, or for a phase that the game did not come to."""
    wanted = AUTUMN if is_ended else SUMMER_RETREATS
    assert send(table, "Montrose", wanted, 30).state == MailState.USED
    if not is_ended:
        assert "counts then if a unit of yours must retreat" in last(table)
    before = table.letters()
    finish(table)
    if is_ended:
        do(table, DeclareEnd(table.game, "draw", tuple(table.variant.powers), "all of them asked for it"),
           circulars=Broadcasts(table.writer))
    row = of(table, wanted)
    assert (row.state, row.resolution) == (PhaseState.SENT, None)
    words = letters_since(table, before)
    assert "set aside" not in words
    assert "Montrose sent" not in words
    desk = open_desk(table)
    for path in ("/", f"/sheets/{row.id}", f"/games/{table.game}", f"/public/{table.game}", "/health"):
        desk.page(path)
    assert_archive_is_right(table, tmp_path)


def test_the_desk_counts_it_and_shows_nothing_of_it(table: Table) -> None:
    """DESK-02: sealed like any sheet, until its own deadline."""
    finish(table)
    send(table, "The Crown", AUTUMN, 90)
    read(table, 90, ["Army London moves to Middlesex"])
    desk, autumn, (sheet,) = open_desk(table), of(table, AUTUMN), table.submissions()
    for path in ("/", f"/sheets/{autumn.id}", f"/sheet/{sheet.id}", f"/desk/{autumn.id}", "/?show=mails",
                 f"/games/{table.game}", "/games", "/deadlines", "/log?q=Middlesex", "/health",
                 f"/public/{table.game}"):
        assert "Middlesex" not in desk.page(path).replace("“Middlesex”", "").replace(
            'value="Middlesex"', ""), path
    today = desk.text("/")
    assert "Opens Tue 16 Mar" in today
    assert "1 power has a sheet already, which is kept sealed" in today
    assert "No game" not in today
    assert "1 by mail, Sun 14 Mar, 07:01 GMT" in desk.text(f"/sheets/{autumn.id}")


def test_an_early_mail_that_cannot_be_used_is_news_of_its_own_phase(table: Table) -> None:
    """All ten players read of a Winter sheet under THE NEWS of the retreats, twice."""
    finish(table)
    begin(table)
    raw = mail(table.subject("Montrose", 1, replace(AUTUMN, kind=PhaseKind.RETREAT)), address("Montrose"),
               parts=[text(), b'Content-Type: image/jpeg; name="a.jpg"\r\n\r\nnothing'],
               stamps=[stamp("montrose.example", server=SERVER)])
    taken = table.take(raw, table.site.clock.now())
    assert (taken.state, taken.reason) == (MailState.REFUSED, "bad_image")
    assert "Powick Bridge - Montrose - Autumn 1642 - Retreat Orders - v1" in last(table)
    before = table.letters()
    finish(table)
    assert "set aside" not in letters_since(table, before)
