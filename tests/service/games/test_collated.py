"""The coordinator finds the photographs of a season together: by game, power, season and kind of orders
(SUB-02)."""

from __future__ import annotations

import re

import pytest

from adjudicator.calendar import Phase, PhaseKind
from service.store import records
from service.store.tables import PageRow, PhaseState
from tests.service.intake.sheets.test_subject_to_paper import begin
from tests.support.desk_table import DeskTable, open_desk, plain
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.site import Site
from tests.support.table import SERVER, START, SUMMER, Table, address, open_table

RETREATS = Phase(1642, "Summer", PhaseKind.RETREAT)


@pytest.fixture
def desk(site: Site) -> DeskTable:
    """Two games and three powers have sent. Of the first, movement is over and retreats are closed; the other
    is still sealed."""
    table = open_table(site)
    begin(table, "Roundway Down", START)
    opens = table.phase().opens_at
    for power, version, game in (
        ("Montrose", 1, "Powick Bridge"), ("Argyll", 1, "Powick Bridge"), ("Montrose", 2, "Powick Bridge"),
        ("Montrose", 1, "Roundway Down"), ("Ormond", 1, "Roundway Down"),
    ):  # fmt: skip
        send(table, power, version, SUMMER, game)
    assert len(table.submissions()) == 5
    table.set_phase(1, state=PhaseState.SENT)
    table.set_phase(2, state=PhaseState.OPEN)
    site.clock.set(table.phase(2).opens_at)
    send(table, "Montrose", 1, RETREATS, "Powick Bridge")
    site.clock.set(table.phase(2).deadline)
    table.set_phase(2, state=PhaseState.CLOSED)
    assert opens < table.phase(2).opens_at
    return open_desk(table)


def send(table: Table, power: str, version: int, phase: Phase, game: str) -> None:
    """A sheet of two photographs."""
    subject = table.subject(power, version, phase).replace("Powick Bridge", game)
    shade = 10 * len(table.submissions())
    sender = address(power)
    raw = mail(subject, sender, parts=[text(), part(picture(shade)), part(picture(shade + 5))],
               stamps=[stamp(sender.rpartition("@")[2], server=SERVER)])  # fmt: skip
    assert table.take(raw, table.site.clock.now()).state == "used"


def collated(desk: DeskTable, phase_id: int) -> dict[str, list[str]]:
    """Each power's heading on the page of a phase, with the names of its papers."""
    page = desk.page(f"/sheets/{phase_id}")
    return {
        plain(section.group(1)): re.findall(r'<a href="/sheet/\d+">([^<]+)</a>', section.group(2))
        for section in re.finditer(r"<section[^>]*>\s*<h3[^>]*>(.*?)</h3>(.*?)</section>", page)
    }


def papers(desk: DeskTable, game: str, season: str, kind: str) -> dict[str, list[str]]:
    with desk.table.site.store() as session:
        row = next(p for p in records.phases(session, game) if (p.season, p.kind) == (season, kind))
    page = desk.text(f"/sheets/{row.id}")
    assert f"{season} 1642" in page
    return {power: names for power, names in collated(desk, row.id).items() if names}


def test_each_page_has_one_game_and_phase_with_its_papers_by_power(desk: DeskTable) -> None:
    """SUB-02: in order of receipt, older versions next to the newer; nothing of another game, season or
    kind."""
    assert papers(desk, "powick-bridge", "Summer", "movement") == {"Argyll": ["v1"], "Montrose": ["v1", "v2"]}
    assert papers(desk, "powick-bridge", "Summer", "retreat") == {"Montrose": ["v1"]}
    assert papers(desk, "roundway-down", "Summer", "movement") == {"Montrose": ["v1"], "Ormond": ["v1"]}
    assert papers(desk, "roundway-down", "Summer", "retreat") == {}


def test_every_power_has_its_place_though_nothing_came(desk: DeskTable) -> None:
    """SUB-02: so that a missing sheet is seen."""
    sheets_by_power = collated(desk, desk.table.phase(2).id)
    assert set(sheets_by_power) == {power.name for power in desk.table.variant.powers.values()}
    assert desk.text(f"/sheets/{desk.table.phase(2).id}").count("Nothing received.") == 9


def test_a_paper_shows_all_its_photographs_in_the_order_of_the_mail(desk: DeskTable) -> None:
    """SUB-02, SUB-10."""
    submissions = [
        submission
        for submission in desk.table.submissions()
        if submission.phase_id in {desk.table.phase(1).id, desk.table.phase(2).id}
    ]
    assert len(submissions) == 4
    for submission in submissions:
        with desk.table.site.store() as session:
            query = session.query(PageRow).filter_by(submission_id=submission.id)
            pages = query.order_by(PageRow.ordinal).all()
        shade = 10 * (submission.id - 1)
        photographs = [desk.table.site.blobs.read(page.original) for page in pages]
        assert photographs == [picture(shade), picture(shade + 5)]
        page_text = desk.page(f"/sheet/{submission.id}")
        page_ids = re.findall(rf'/sheet/{submission.id}/original/(\d+)"', page_text)
        assert list(dict.fromkeys(map(int, page_ids))) == [page.id for page in pages]
