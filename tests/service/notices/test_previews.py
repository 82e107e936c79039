"""The letters of a game before they are sent: each of the twenty-one, to one power, with nothing about the
others."""

from __future__ import annotations

import re
from datetime import date

import pytest
from sqlalchemy import func, select

from adjudicator.calendar import PhaseKind
from service.bootstrap import letter_kinds
from service.clock import SimulatedClock
from service.games.phases import phase_of
from service.notices.postal_packs import post_of
from service.notices.results import ResultsAnnouncer
from service.store import records
from service.store.tables import EventRow, GameRow, OutboxRow, PhaseState
from tests.support.desk_table import DeskTable, open_desk
from tests.support.site import Site
from tests.support.table import address, autumn_1642, open_table

ATTACK = ("A Lindsey - Kesteven & Holland", "A Norfolk S A Lindsey - Kesteven & Holland")

PREVIEWED = [kind.name for kind in letter_kinds().by_name.values() if kind.occasion is not None]


@pytest.fixture
def desk(site: Site) -> DeskTable:
    table = open_table(site, position=autumn_1642())
    return open_desk(table, wall=SimulatedClock(site.clock.now()))


def letter(page: str) -> str:
    match = re.search(r'<pre class="card letter".*?>(.*?)</pre>', page, re.DOTALL)
    assert match is not None
    return match.group(1)


def test_the_list_has_all_kinds_and_no_other(desk: DeskTable) -> None:
    assert len(PREVIEWED) == 22
    page = desk.page(f"/previews/{desk.table.game}?power=Montrose")
    for kind in PREVIEWED:
        assert f'href="/previews/powick-bridge/{kind}?power=Montrose"' in page


@pytest.mark.parametrize("kind", PREVIEWED)
def test_each_letter_is_shown_in_both_forms_of_a_game_that_has_just_begun(desk: DeskTable, kind: str) -> None:
    page = desk.page(f"/previews/{desk.table.game}/{kind}?power=Montrose")
    words = letter(page)
    assert len(words.split()) > 15
    assert "Powick Bridge" in words
    answer = desk.client.get(f"/previews/{desk.table.game}/{kind}.html?power=Montrose")
    assert answer.status_code == 200
    assert "sandbox" in answer.headers["content-security-policy"]
    # The coordinator's own answer has no headline of ours.
    assert ("<h1>" in answer.text) == (kind != "answer")
    assert "<main>" in answer.text
    # No preview names anybody's address, and a look writes nothing.
    assert not [other for other in map(address, desk.table.variant.powers) if other in page]
    with desk.table.site.store() as session:
        assert session.scalar(select(func.count()).select_from(OutboxRow)) == 0


def test_every_letter_is_of_the_phase_that_takes_orders_now(desk: DeskTable) -> None:
    """LET-01: a phase that still waits for approval while a later one is open is not asked about again."""
    with desk.table.site.store.begin() as session:
        first, second = [row for row in records.phases(session, desk.table.game)
                         if row.kind == PhaseKind.MOVEMENT][:2]
        first.state, second.state = PhaseState.READY, PhaseState.OPEN
        waiting, now = str(phase_of(first)), str(phase_of(second))
    for kind in ("receipt", "rejection", "command", "welcome", "hand_over", "announcement"):
        words = " ".join(letter(desk.page(f"/previews/{desk.table.game}/{kind}?power=Montrose")).split())
        assert now in words.replace(" - Movement", " Movement"), kind
        assert waiting not in words.replace(" - Movement", " Movement"), kind


def test_results_are_those_judged_and_never_sheets_that_are_still_sealed(desk: DeskTable) -> None:
    """DESK-02."""
    table = desk.table
    table.file("Manchester", ATTACK, heading=("Manchester",))
    sealed = letter(desk.page(f"/previews/{table.game}/draft_results?power=Montrose"))
    assert "Army Lindsey moves" not in sealed
    phase = table.phase()
    table.announce = ResultsAnnouncer(table.writer)
    table.site.clock.set(phase.deadline)
    table.close_phase(phase.id)
    page = desk.page(f"/previews/{table.game}/draft_results?power=Montrose")
    assert "As judged: Autumn 1642 Movement." in page
    assert "✓ Army Lindsey moves to Kesteven &amp; Holland, where" in letter(page)


def test_a_stranger_a_second_reader_and_a_wrong_name_see_nothing(site: Site) -> None:
    table = open_table(site)
    desk = open_desk(table, role="second reader")
    assert desk.client.get(f"/previews/{table.game}").status_code == 403
    assert desk.client.get(f"/previews/{table.game}/welcome?power=Montrose").status_code == 403
    desk.client.cookies.clear()
    assert desk.client.get(f"/previews/{table.game}/welcome.html?power=Montrose").status_code in {303, 401}


@pytest.mark.parametrize(
    "path", ["nowhere", "powick-bridge/nonsense?power=Montrose", "powick-bridge/welcome?power=Nobody"]
)
def test_what_is_not_there_is_said(desk: DeskTable, path: str) -> None:
    assert "There is no such" in desk.text(f"/previews/{path}", 404)


def test_the_game_is_handed_over_once_for_a_form(desk: DeskTable) -> None:
    for notice in ("handed-over", "again"):
        answer = desk.post(f"/previews/{desk.table.game}/hand-over", name="Blaise\r\nPascal", key="form-1")
        assert answer.headers["location"] == f"/previews/powick-bridge?notice={notice}"
    assert len(desk.table.letters("hand_over")) == len(desk.table.variant.powers)
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


@pytest.mark.parametrize("slug", ["brittania", "britain1066"])
def test_a_game_has_the_letters_that_its_phases_have(site: Site, slug: str) -> None:
    """Brittania has one kind of phase: no drafts, no retreats, no builds."""
    opened = open_table(site, slug=slug)
    power = next(iter(opened.variant.powers))
    desk = open_desk(opened, wall=SimulatedClock(site.clock.now()))
    page = desk.page(f"/previews/{opened.game}?power={power}")
    kinds = re.findall(rf'href="/previews/{opened.game}/([a-z_]+)\?power=', page)
    missing = (
        {"draft_results", "retreat_request", "adjustment", "year_end_results"}
        if slug == "brittania"
        else set()
    )
    assert set(kinds) == set(PREVIEWED) - missing
    for kind in kinds:
        assert "Powick Bridge" in letter(desk.page(f"/previews/{opened.game}/{kind}?power={power}"))
    for kind in missing:
        assert desk.client.get(f"/previews/{opened.game}/{kind}?power={power}").status_code == 404
