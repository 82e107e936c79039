"""LET-14: pictures of letters are put in a tray, their headings propose power and phase, a person files."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import pytest
from sqlalchemy import select

from adjudicator.calendar import Phase
from grammar.headings.sheet_code import code_of
from ocr.page import Page, Reading, Status
from service.clock import SimulatedClock
from service.features.post.scans import Proposal, ScanTray, proposed
from service.intake.opening.sandbox import ChildFault
from service.intake.sheets.recognizer import RecognizedPage
from service.store.tables import GameRow, PageRow, ScanRow, SubmissionRow
from service.store.tables_features import PROPOSE_WORK
from tests.features.post.scenes import post_room
from tests.service.intake.sheets.test_printed_code import SUMMER, printed
from tests.service.intake.sheets.test_read_submission import HEADING, ORDERS, page, recognized
from tests.support.desk_table import CSRF, DeskTable, open_desk
from tests.support.mail_builder import picture
from tests.support.site import Site
from tests.support.table import Table, open_table

MONTROSE, ARGYLL, BLANK, AUTUMN = picture(110), picture(120), picture(130), picture(140)
HEADINGS = {
    MONTROSE: ("Powick Bridge", "Montrose", "Summer 1642", "Movement Orders", "version 1"),
    AUTUMN: ("Powick Bridge", "Argyll", "Autumn 1642", "Movement Orders"),
    ARGYLL: ("Powick Bridge - Argyll - Summer 1642 - Movement Orders",),
}


class Headings:
    """Reads a heading from a table: no engine is needed to try what a proposal does."""

    def __init__(self, known: Mapping[bytes, tuple[str | tuple[str, float], ...]]) -> None:
        self.known = known

    def recognize(self, data: bytes, name: str) -> tuple[RecognizedPage, ...]:
        lines = [*self.known.get(data, ()), "Army Angus holds"]
        return (RecognizedPage(data, Reading(Status.READ, pages=(page(lines),))),)


def tray_of(table: Table) -> ScanTray:
    site = table.site
    return ScanTray(site.store, site.blobs, site.jobs, site.clock, Headings(HEADINGS), table.load,
                    post_room(table))


@pytest.fixture
def tray(site: Site) -> ScanTray:
    table = open_table(site)
    return tray_of(table)


@pytest.fixture
def desk(site: Site) -> DeskTable:
    table = open_table(site)
    site.clock.advance(timedelta(days=1))
    return open_desk(table, wall=SimulatedClock(site.clock.now()), doors=[post_room(table), tray_of(table)])


def put(desk: DeskTable, *files: bytes) -> int:
    answer = desk.client.post("/post/scans", data={"csrf": CSRF}, files=[
        ("scan", (f"{number}.jpg", data, "image/jpeg")) for number, data in enumerate(files)])
    return int(answer.status_code)


def read_all(desk: DeskTable) -> list[ScanRow]:
    """Do the queued work; the tray."""
    ports = desk.client.app.state.ports  # type: ignore[attr-defined]
    with desk.table.site.store() as session:
        ids = list(session.scalars(select(ScanRow.id)))
    for key in ids:
        ports.door(ScanTray).propose({"scan": key})
    with desk.table.site.store() as session:
        return list(session.scalars(select(ScanRow).order_by(ScanRow.id)))


def test_scans_propose_their_power_and_phase_and_are_filed_by_a_person(desk: DeskTable) -> None:
    assert put(desk, MONTROSE, ARGYLL, BLANK) == 303
    assert "The machine still reads these" in desk.text("/post")
    first, second, third = read_all(desk)
    phase = desk.table.phase().id
    assert (first.phase_id, first.power, first.version) == (phase, "Montrose", 1)
    assert (second.phase_id, second.power) == (phase, "Argyll")
    assert (third.phase_id, third.power) == (None, None)
    tray = desk.page("/post")
    assert f'<option value="{phase} Montrose" selected>' in tray
    assert "No heading here names a power and a phase that takes orders now" in tray
    with desk.table.site.store() as session:
        assert session.scalars(select(SubmissionRow)).all() == [], "nothing is filed by a proposal alone"
    filed = desk.client.post("/post/scans/file", data={
        "csrf": CSRF, "scan": [first.id, third.id], "place": f"{phase} Montrose", "received": "2027-03-02",
        "hour": "06:30", "version": "3"})
    assert filed.status_code == 303
    with desk.table.site.store() as session:
        sheet = session.scalars(select(SubmissionRow)).one()
        assert (sheet.power, sheet.version, sheet.flags) == ("Montrose", 3, ["posted"])
        assert len(session.scalars(select(PageRow).where(PageRow.submission_id == sheet.id)).all()) == 2
    assert f"Picture {second.id}" in desk.text("/post")
    assert f"Picture {first.id}" not in desk.text("/post")
    out = desk.client.post("/post/scans/take-out", data={"csrf": CSRF, "scan": [second.id]})
    assert out.status_code == 303
    assert "In the tray" not in desk.text("/post")


@pytest.mark.parametrize(("number", "on_file", "shown"), [
    # Read from the "v1" of demo/data/w3k/autumn-cumberland-v1.jpg.
    (("v7", 0.89), 0, ""), (("v7", 0.99), 0, ""), (("v7", 0.99), 6, "7"), (("v1", 0.75), 0, ""),
    (("v2", 0.99), 1, "2"), (("v1", 0.99), 3, "1"),
])
def test_a_version_is_proposed_where_its_ink_is_sure_and_it_comes_next(
    desk: DeskTable, number: tuple[str, float], on_file: int, shown: str
) -> None:
    """PHA-06: a misread digit puts no older sheet above a newer one."""
    if on_file:
        desk.table.file("Montrose", ["A Angus H"], version=on_file)
    tray = desk.client.app.state.ports.door(ScanTray)  # type: ignore[attr-defined]
    tray.recognizer.known = {BLANK: (*HEADINGS[MONTROSE][:4], number)}
    put(desk, BLANK)
    read_all(desk)
    assert f'name="version" inputmode="numeric" maxlength="5" autocomplete="off" value="{shown}"' in (
        desk.page("/post").partition("In the tray")[2])


def test_a_sheet_of_another_season_is_proposed_for_nothing(desk: DeskTable) -> None:
    """Sheets of an autumn were proposed for the spring in play, whose power they named."""
    assert put(desk, AUTUMN) == 303
    (scan,) = read_all(desk)
    assert (scan.phase_id, scan.power) == (None, None)


def test_what_is_filed_or_no_picture_is_refused_with_a_sentence(desk: DeskTable) -> None:
    assert put(desk) == 409
    assert put(desk, MONTROSE, b"no picture") == 409
    assert read_all(desk) == [], "all or none"
    put(desk, MONTROSE)
    (scan,) = read_all(desk)
    form = {"csrf": CSRF, "scan": [scan.id], "place": f"{desk.table.phase().id} Montrose",
            "received": "2027-03-02"}
    assert desk.client.post("/post/scans/file", data={**form, "csrf": "x"}).status_code == 403
    assert desk.client.post("/post/scans/file", data={**form, "scan": []}).status_code == 409
    assert desk.client.post("/post/scans/file", data=form).status_code == 303
    assert desk.client.post("/post/scans/file", data=form).status_code == 409


def test_only_who_put_a_picture_there_sees_it_before_it_is_filed(desk: DeskTable) -> None:
    """DESK-02: to everybody else a picture in the tray is a sealed sheet."""
    put(desk, MONTROSE)
    (scan,) = read_all(desk)
    assert desk.client.get(f"/post/scans/{scan.id}.jpg").headers["content-type"] == "image/jpeg"
    with desk.table.site.store.begin() as session:
        session.get_one(ScanRow, scan.id).put_by = "Grace"
    assert desk.client.get(f"/post/scans/{scan.id}.jpg").status_code == 403
    assert "put here by Grace, who alone sees it" in desk.text("/post")


def test_a_reading_that_fails_leaves_the_scan_in_the_tray(tray: ScanTray) -> None:
    tray.put([MONTROSE], "Ada")

    class Broken:
        def recognize(self, data: bytes, name: str) -> tuple[RecognizedPage, ...]:
            raise ChildFault("the child ended")

    broken = ScanTray(tray.store, tray.blobs, tray.jobs, tray.clock, Broken(), tray.load, tray.post)
    with pytest.raises(ChildFault):
        broken.propose({"scan": 1})
    tray.propose({"scan": 1})
    tray.propose({"scan": 1})
    with tray.store() as session:
        assert session.get_one(ScanRow, 1).power == "Montrose"
    assert PROPOSE_WORK == "propose_scan"


def test_a_scan_is_proposed_for_what_its_code_says(site: Site) -> None:
    """LET-14: the code beats the heading, and an old sheet is proposed for nothing."""
    table = open_table(site)
    row = table.phase()
    with site.store() as session:
        phases = [(row, session.get_one(GameRow, row.game_id))]
    old = code_of(table.game, "Argyll", Phase(1641, "Summer", SUMMER.kind))

    def asked(*pages: Page) -> Proposal | None:
        return proposed([recognized(*pages)], phases, table.load)

    argyll = code_of(table.game, "Argyll", SUMMER)
    assert asked(page((*HEADING, *ORDERS))) == Proposal(row.id, "Montrose", 1)
    assert asked(printed(argyll)) == Proposal(row.id, "Argyll", 1)
    assert asked(printed(old)) is None
    # Two sheets in one file are for a person to part.
    assert asked(printed(argyll), printed(code_of(table.game, "Montrose", SUMMER))) is None
