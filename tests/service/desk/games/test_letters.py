"""The page of a game's letters: which there are, its paper, and the hand-over to another coordinator."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import func, select

from service.clock import SimulatedClock
from service.notices.kinds import CORE
from service.notices.postal_packs import post_of
from service.store.tables import EventRow, GameRow
from tests.support.desk_table import DeskTable, carried, open_desk
from tests.support.site import Site
from tests.support.table import open_table

TITLES = {kind.title for kind in CORE if kind.occasion is not None}


@pytest.fixture
def desk(site: Site) -> DeskTable:
    return open_desk(open_table(site), wall=SimulatedClock(site.clock.now()))


def test_the_list_has_all_kinds(desk: DeskTable) -> None:
    page = desk.text(f"/previews/{desk.table.game}")
    assert [title for title in TITLES if title not in page] == []
    assert "There is no such" in desk.text("/previews/nowhere", 404)


def test_brittania_has_one_kind_of_phase_and_fewer_letters(site: Site) -> None:
    desk = open_desk(open_table(site, slug="brittania"))
    page = desk.text(f"/previews/{desk.table.game}")
    assert {title for title in TITLES if title not in page} == {
        kind.title for kind in CORE if kind.name in {
            "draft_results", "retreat_request", "adjustment", "year_end_results"}}


def test_a_second_reader_does_not_see_it(site: Site) -> None:
    desk = open_desk(open_table(site), role="second reader")
    assert desk.client.get(f"/previews/{desk.table.game}").status_code == 403


def test_the_game_is_handed_over_once_for_a_form(desk: DeskTable) -> None:
    path = f"/previews/{desk.table.game}/hand-over"
    form = carried(desk.post(path, name="Blaise\r\nPascal", key="form-1").text, path)
    assert desk.table.letters("announcement") == []
    for notice in ("handed-over", "again"):
        answer = desk.client.post(path, data=form)
        assert answer.headers["location"] == f"/previews/powick-bridge?notice={notice}"
    assert len(desk.table.letters("announcement")) == len(desk.table.variant.powers)
    assert "Letters are signed by Blaise Pascal." in desk.text(f"/previews/{desk.table.game}?notice=again")
    with desk.table.site.store() as session:
        assert (
            session.scalar(
                select(func.count()).select_from(EventRow).where(EventRow.what == "coordinator_changed")
            )
            == 1
        )
    assert desk.post(f"/previews/{desk.table.game}/hand-over", name=" \n", key="form-2").status_code == 400


def test_a_return_address_and_an_exception_are_kept_for_paper(desk: DeskTable) -> None:
    """POST-06, POST-01."""
    path = f"/previews/{desk.table.game}"
    assert (
        desk.post(f"{path}/return-address", lines="Ada Lovelace\r\n2 Low Street\r\nWells").status_code == 303
    )
    assert desk.post(f"{path}/accommodation", power="Ormond", words=("Mr Quill posts\r\ntheir "
                                                                     "letters")).status_code == 303
    with desk.table.site.store() as session:
        assert session.get_one(GameRow, desk.table.game).options["return_address"] == [
            "Ada Lovelace",
            "2 Low Street",
            "Wells",
        ]
        (ormond,) = [
            post for post in post_of(session, desk.table.game, date(2027, 3, 1)) if post.power == "Ormond"
        ]
    assert ormond.accommodation == "Mr Quill posts their letters"
    assert "2 Low Street" in desk.page(path)
    assert desk.post(f"{path}/return-address", lines="Wells").status_code == 400
    assert desk.post(f"{path}/accommodation", power="Nobody", words="x").status_code == 404
    assert desk.post(f"{path}/return-address", lines="").status_code == 303
    assert "2 Low Street" not in desk.page(path)
