"""Lines that a person joins or breaks: new lines in their place, the old ones back when it is undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from service.desk.reading.shape import size
from service.store.tables import LineRow, PageRow, SubmissionRow
from tests.support.desk_site import DEADLINE, DeskSite

# What the desk's acts ask of a database is asked on both kinds at each landing in test_undo.py.
SLOW_ON_POSTGRES = True


@pytest.fixture
def desk(tmp_path: Path, database_url: str) -> Iterator[DeskSite]:
    desk_site = DeskSite(tmp_path, database_url)
    desk_site.sign_in()
    yield desk_site
    desk_site.close()


def _row(desk: DeskSite, line: int) -> LineRow:
    with desk.store() as session:
        return session.get_one(LineRow, line)


def test_two_rows_of_one_order_become_one_line_in_their_place(desk: DeskSite) -> None:
    answer = desk.act("join", 2, seen="")
    joined_id = max(answer["about"])
    assert [(s[0], s[2]) for s in desk.states()] == [(1, "not an order"), (joined_id, "open"), (4, "open")]
    row = _row(desk, joined_id)
    assert row.text == "Army Merse moves to Carham Arrny Eskdale holds"
    assert row.box == [[50, 100], [800, 100], [800, 260], [50, 260]]
    assert "reread Army Merse moves to Carham Arrny Eskdale holds" in desk.text(f"/desk/7?line={joined_id}")
    assert desk.client.get(f"/images/line/{joined_id}.jpg").status_code == 200
    # The machine's own line is never changed, so undo needs no copy of it.
    assert _row(desk, 2).text == "Army Merse moves to Carham"


def test_a_row_with_two_orders_becomes_two_lines_cut_at_the_place_shown(desk: DeskSite) -> None:
    """The place is a share of the crop, which shows 40 % of the line's height around it."""
    wide, high = size(_row(desk, 3).box)
    # 300 of the line's 750 pixels represent 40 % of its 19 letters; the nearest blank is behind "Arrny".
    crop = wide + 2 * 0.4 * high
    left, right = desk.act("break", 3, seen="", at=(0.4 * high + 300) / crop)["about"][1:]
    assert [s[0] for s in desk.states()] == [1, 2, left, right, 4]
    assert _row(desk, left).box == [[50, 200], [350, 200], [350, 260], [50, 260]]
    assert _row(desk, right).box == [[350, 200], [800, 200], [800, 260], [350, 260]]
    assert [_row(desk, n).text for n in (left, right)] == ["Arrny", "Eskdale holds"]


def test_undo_brings_back_exactly_what_was_there(desk: DeskSite) -> None:
    before = desk.states()
    for do in ("join", "break"):
        desk.act(do, 2)
        assert desk.states() != before
        desk.act("undo")
        assert desk.states() == before
        desk.act("redo")
        assert desk.states() != before
        desk.act("undo")


def test_parts_that_were_decided_keep_their_act_from_being_undone_first(desk: DeskSite) -> None:
    """No one's decision disappears because another person takes back the cut below it."""
    joined_id = max(desk.act("join", 2, "the-cut-itself")["about"])
    desk.second_reader()
    desk.act("reading-1", joined_id)
    desk.sign_in()
    # A person has decided the joined line since; that decision must be taken back first.
    assert desk.act("undo", target="the-cut-itself")["about"] == []
    assert [s[2] for s in desk.states() if s[0] == joined_id] == ["read"]


def test_an_order_of_a_joined_line_counts_and_those_of_its_rows_do_not(desk: DeskSite) -> None:
    """What is judged: the lines of the executed sheet that are sure or read."""
    joined_id = max(desk.act("join", 2)["about"])
    desk.act("reading-1", joined_id)
    with desk.store() as session:
        from service.games.lines import lines_of

        states = {line.id: (line.state.value, line.order) for line in lines_of(session, [1])[1]}
    assert states[joined_id] == ("read", "A Merse H")
    assert states[2] == ("not an order", None)


def test_lines_of_two_pages_are_not_joined(desk: DeskSite) -> None:
    with desk.store.begin() as session:
        session.add(PageRow(id=2, submission_id=1, ordinal=1, original="x", upright=None))
        session.flush()
        session.add(
            LineRow(
                id=9, page_id=2, ordinal=0, box=[[0, 0], [9, 0], [9, 9], [0, 9]], kind="order", text="x",
                status="open", confidence=0.5, candidates=[],
            )
        )
    assert "on the same page" in desk.act("join", 4)["refused"]
    assert 'data-do="join"' not in desk.page("/desk/7?line=4").partition("<nav")[0]


def test_joining_and_breaking_work_by_form(desk: DeskSite) -> None:
    where = desk.post("/desk/7/decide", line=2, key="k1", do="join").headers["location"]
    assert "Army Merse moves to Carham Arrny Eskdale holds" in desk.page(where)
    where = desk.post("/desk/7/decide", line=4, key="k2", do="break", at=50).headers["location"]
    assert 'value="F Lyne"' in desk.page(where)


def test_places_of_a_page_stay_apart_whatever_is_cut(desk: DeskSite) -> None:
    desk.add(SubmissionRow(id=2, phase_id=7, power="Ormond", player_id=1, sender="o@players.example",
                           received_at=DEADLINE, version=1, semantic_key="y", read_at=DEADLINE))
    # Three cuts on one page: each moves the lines below, which share a unique place number.
    desk.act("break", 2)
    desk.act("join", 3)
    desk.act("break", 4)
    with desk.store() as session:
        places = list(session.scalars(select(LineRow.ordinal).where(LineRow.page_id == 1)))
    assert len(set(places)) == len(places)
    assert min(places) == 0
