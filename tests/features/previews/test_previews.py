"""The letters of a game before they are sent: each of the twenty-one, to one power, with nothing about the
others."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import func, select

from adjudicator.calendar import PhaseKind
from service.bootstrap import letter_kinds
from service.clock import SimulatedClock
from service.games.phases import phase_of
from service.notices.results import ResultsAnnouncer
from service.store import records
from service.store.tables import OutboxRow, PhaseState
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
    assert len(PREVIEWED) == 21
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
    assert "<h1>" in answer.text
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
    for kind in ("receipt", "rejection", "command", "welcome", "announcement"):
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
    assert desk.client.get(f"/previews/{table.game}/welcome?power=Montrose").status_code == 403
    desk.client.cookies.clear()
    assert desk.client.get(f"/previews/{table.game}/welcome.html?power=Montrose").status_code in {303, 401}


@pytest.mark.parametrize(
    "path", ["nowhere/welcome?power=Montrose", "powick-bridge/nonsense?power=Montrose",
             "powick-bridge/welcome?power=Nobody"]
)
def test_what_is_not_there_is_said(desk: DeskTable, path: str) -> None:
    assert "There is no such" in desk.text(f"/previews/{path}", 404)


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
