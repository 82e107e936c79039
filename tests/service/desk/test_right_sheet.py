"""LET-03: before approval, and only then, a check in words: is this the right sheet? It is asked once.

The fault: a power whose every order was void, plainly the wrong sheet, went out as "36 void".
"""

from __future__ import annotations

import pytest

from service.clock import SimulatedClock
from service.notices.results import ResultsAnnouncer
from service.store.tables import EventRow, LineRow, LineState, PageRow, PhaseState, SubmissionRow
from tests.support.desk_table import DeskTable, open_desk
from tests.support.site import Site
from tests.support.table import Table, open_table

POWER = "Montrose"


@pytest.fixture
def desk(site: Site) -> DeskTable:
    table = open_table(site)
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    return open_desk(table, wall=SimulatedClock(site.clock.now()))


def own(table: Table, power: str = POWER) -> list[str]:
    return [f"{unit.kind} {table.variant.board.region_text(unit.region)}" for unit in
            sorted(table.position(1).units, key=str) if unit.power == power]


def close(desk: DeskTable, number: int = 1) -> int:
    phase = desk.table.phase(number)
    desk.table.site.clock.set(phase.deadline)
    desk.table.close_phase(phase.id)
    assert desk.table.phase(number).state == PhaseState.READY
    return phase.id


def asked(desk: DeskTable, phase: int) -> str:
    text = desk.text(f"/results/{phase}")
    return text.partition("Is this the right sheet?")[2].partition("The results wait here")[0]


def test_a_sheet_whose_orders_name_units_of_another_is_asked_about_once(desk: DeskTable) -> None:
    table = desk.table
    sheet = table.file(POWER, [f"{unit} H" for unit in own(table, "Argyll")])
    # DESK-03: while lines may be read, nothing of it is shown.
    assert "right sheet" not in desk.text(f"/sheet/{sheet}")
    phase = close(desk)
    assert "right sheet" not in desk.text(f"/desk/{phase}")
    assert "Every order on it names a unit that Montrose does not have." in asked(desk, phase)
    page = desk.page(f"/results/{phase}")
    assert f'href="/sheet/{sheet}"' in page
    assert "Approve and send" not in page
    assert desk.post(f"/results/{phase}/approve").status_code == 409
    assert "Is this the right sheet?" in desk.text(f"/sheet/{sheet}")
    assert desk.post(f"/sheet/{sheet}/right").status_code == 303
    assert asked(desk, phase) == ""
    assert desk.post(f"/sheet/{sheet}/right").status_code == 400
    assert desk.post(f"/results/{phase}/approve").status_code == 303
    with table.site.store() as session:
        assert [row.actor for row in session.query(EventRow).filter_by(what="sheet_looked_at")] == ["Ada"]


def test_the_wrong_sheet_is_refused_and_the_results_say_so(desk: DeskTable) -> None:
    table = desk.table
    sheet = table.file(POWER, [f"{unit} H" for unit in own(table, "Argyll")])
    phase = close(desk)
    assert desk.post(f"/sheet/{sheet}/refuse", why="it is the sheet of Argyll").status_code == 303
    assert table.phase().state == PhaseState.READY  # judged again without it
    assert desk.post(f"/results/{phase}/approve").status_code == 303
    words = table.words(table.letters("final_results")[0])
    assert "A sheet was received and set aside: it is the sheet of Argyll." in words
    assert "void" not in words.partition("MONTROSE")[2][:400]


def test_fewer_orders_than_half_the_units_and_lines_of_another_phase(desk: DeskTable) -> None:
    table, units = desk.table, own(desk.table)
    table.file(POWER, [f"{units[0]} H"])
    with table.site.store.begin() as session:
        page = session.query(LineRow).one().page_id
        for ordinal, words in enumerate(["Build an Army at Fort William", "Remove Army Aberdeen"], start=5):
            session.add(LineRow(page_id=page, ordinal=ordinal, box=[[0, 0], [1, 0], [1, 1], [0, 1]],
                                kind="order", text=words, confidence=0.9, status=LineState.READ))
    phase = close(desk)
    text = asked(desk, phase)
    assert f"It orders 1 of the {len(units)} units of Montrose." in text
    assert "2 of its lines are builds or removals" in text


def test_a_whole_sheet_of_ones_own_units_is_not_asked_about(desk: DeskTable) -> None:
    table = desk.table
    table.file(POWER, [f"{unit} H" for unit in own(table)])
    assert asked(desk, close(desk)) == ""


def test_the_sheet_of_last_season_is_known_again(desk: DeskTable) -> None:
    table, units = desk.table, own(desk.table)
    orders = ["A Aberdeen - The Mearns", *(f"{unit} H" for unit in units if unit != "A Aberdeen")]
    table.file(POWER, orders)
    phase = close(desk)
    assert desk.post(f"/results/{phase}/approve").status_code == 303
    number = next(row.ordinal for row in table.phases() if row.position is not None and row.ordinal > 1)
    table.site.clock.set(max(table.site.clock.now(), table.phase(number).opens_at))
    table.open_phase(table.phase(number).id)
    table.file(POWER, orders, number=number)
    text = asked(desk, close(desk, number))
    # In these tests every sheet has the same picture.
    assert "Its picture is the same file that came for Summer 1642 Movement." in text
    with table.site.store.begin() as session:
        page = session.query(PageRow).order_by(PageRow.id.desc()).first()
        assert page is not None
        page.original = "0" * 64
    text = asked(desk, table.phase(number).id)
    assert "Its orders are word for word those of Summer 1642 Movement." in text


def test_a_year_chosen_by_hand_is_asked_about_once(desk: DeskTable) -> None:
    """LET-02: what a person chose in a form is not held for its year alone."""
    table = desk.table
    sheet = table.file(POWER, [f"{unit} H" for unit in own(table)])
    with table.site.store.begin() as session:
        session.get_one(SubmissionRow, sheet).flags = ["posted", "year_differs"]
    phase = close(desk)
    assert "Its heading names another year than 1642, for which it was filed by hand." in asked(desk, phase)
    desk.post(f"/sheet/{sheet}/right")
    assert asked(desk, phase) == ""
