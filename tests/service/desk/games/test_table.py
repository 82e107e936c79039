"""What all players are informed of: absences, pauses, and a draw that all ask for on paper (BEY-04)."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from sqlalchemy import select

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.position import Position
from service.clock import SimulatedClock
from service.games.draw_votes import asks_for_draw, ends_here, vote_of
from service.games.lines import SettledLine
from service.public.visits import COOKIE, VISIT, VISIT_HOURS, _keep
from service.store.tables import GameRow, LineRow, LineState, PhaseRow, PhaseState, SeatRow
from tests.support.desk_table import DeskTable, carried, open_desk, plain
from tests.support.site import Site
from tests.support.table import address, open_table

BASE = "https://orders.example.org"
AUTUMN = Phase(1642, "Autumn", PhaseKind.MOVEMENT)
KINGDOM = {"Argyll": ["Edinburgh", "Glasgow"], "Ormond": ["Belfast", "Dublin & the Pale"]}


@pytest.mark.parametrize(("text", "asks"), [
    ("Draw", True), ("I ask for the draw.", True), ("We vote for a draw", True), ("Unentschieden", True),
    ("no draw", False), ("I do not agree to a draw", False), ("I don't want a draw", False),
    ("A London - Surrey", False), ("Drawbridge", False), ("", False),
    ("Of all the things that I thought of this week the draw was the one I liked", False),
])
def test_a_line_asks_for_a_draw_or_does_not(text: str, asks: bool) -> None:
    assert asks_for_draw(text) is asks


def test_all_are_told_of_an_absence_and_of_its_end(site: Site) -> None:
    desk = open_desk(open_table(site), base_url=BASE)
    table, today = desk.table, site.clock.now().date()
    # By the player, on their own page.
    with site.store.begin() as session:
        player = session.get_one(SeatRow, (table.game, "Montrose")).player_id or 0
        cookie = _keep(session, player, VISIT, site.clock.now(), VISIT_HOURS)
    desk.client.cookies.set(COOKIE, cookie, path="/public")
    token = re.search(r'name="csrf" value="(\w+)"', desk.client.get("/public/me").text)
    assert token is not None
    path = f"/public/me/do/absence/{table.game}"
    days = {"csrf": token[1], "first": str(today + timedelta(days=3)), "last": str(today + timedelta(days=9))}
    assert desk.client.post(path, data={**days, "csrf": "x"}).status_code == 403
    assert desk.client.post(path, data={**days, "last": str(today)}).status_code == 400
    assert desk.client.post("/public/me/do/absence/nowhere", data=days).status_code == 403
    assert desk.client.post(path, data=days).status_code == 303
    letters = table.letters("announcement")
    assert len(letters) == len(table.variant.powers)
    # The same form once more: a thumb that taps twice, or "back" and send.
    assert desk.client.post(path, data=days).headers["location"] == "/public/me?notice=absence"
    assert len(table.letters("announcement")) == len(letters)
    words = table.words(letters[0])
    assert "The player of Montrose is away from" in words
    assert address("Montrose") not in words
    assert "Player Montrose" not in words.replace("Dear Player Montrose", "")
    assert "Player Montrose" in desk.text(f"/games/{table.game}")
    row = re.search(r"/absence/(\d+)/end", desk.page(f"/games/{table.game}"))
    assert row is not None
    assert desk.client.post(path, data={"csrf": token[1], "row": row[1]}).status_code == 303
    assert "is not away from" in table.words(table.letters("announcement")[-1])
    assert desk.post(f"/games/{table.game}/absence/{row[1]}/end").status_code == 409


def test_a_pause_moves_every_deadline_and_all_are_told(site: Site) -> None:
    desk = open_desk(open_table(site), base_url=BASE)
    before = [phase.deadline for phase in desk.table.phases()]
    assert desk.post(f"/games/{desk.table.game}/pause", days="10", why="short").status_code == 409
    assert desk.post(f"/games/{desk.table.game}/pause", days="0", why="Summer holidays").status_code == 409
    path = f"/games/{desk.table.game}/pause"
    form = carried(desk.post(path, days="10", why="Summer holidays").text, path)
    answer = desk.client.post(path, data=form)
    assert answer.headers["location"].endswith("?notice=game-paused"), plain(answer.text)
    # Of two sentences with one name the second was shown: that letters are held back.
    assert "Every deadline ahead is later by as many days." in desk.text(answer.headers["location"])
    assert [phase.deadline for phase in desk.table.phases()] == [d + timedelta(days=10) for d in before]
    # The same form sent twice pauses once.
    letters_before = len(desk.table.letters("announcement"))
    again = desk.client.post(path, data=form)
    assert (again.status_code, "Nothing was done" in plain(again.text)) == (200, True)
    assert [phase.deadline for phase in desk.table.phases()] == [d + timedelta(days=10) for d in before]
    assert len(desk.table.letters("announcement")) == letters_before
    words = desk.table.words(desk.table.letters("announcement")[0])
    assert "The game pauses for 10 days" in words
    assert "Summer holidays" in words


def open_draw(site: Site) -> DeskTable:
    """Ormond and Argyll hold a kingdom each, and the Autumn is open."""
    owned = {power: frozenset(places) for power, places in KINGDOM.items()}
    table = open_table(site, position=Position(AUTUMN, frozenset(), owned), first=AUTUMN)
    # The coordinator stays signed in while weeks of the game go by.
    return open_desk(table, base_url=BASE, wall=SimulatedClock(site.clock.now()))


def test_words_that_do_not_stand_on_a_sheet_are_no_vote() -> None:
    """Q-30: crossed out, void, for another person, or taken back on the same sheet."""
    def line(text: str, state: LineState = LineState.NOT_ORDER, *, struck: bool = False) -> SettledLine:
        return SettledLine(1, 1, 0, "order", state, text, None, None, 0.9, struck, (), ())

    ask = line("I ask for the draw")
    assert vote_of([line("A London H"), ask]) == "I ask for the draw"
    assert vote_of([line("A London H")]) is None
    assert vote_of([line(ask.text, struck=True)]) is None
    assert vote_of([line(ask.text, LineState.READ, struck=True)]) == ask.text, "a person read it all the same"
    assert vote_of([line(f"{ask.text}\nI ask for the drum", LineState.VOID)]) is None
    assert vote_of([line("Ormond asks for a draw"), line("A London H")], ["Ormond", "The Crown"]) is None
    assert vote_of([line("I ask for a draw with Ormond")], ["Ormond"]) == "I ask for a draw with Ormond"
    assert vote_of([ask, line("No draw after all")]) == ""


def test_a_draw_needs_every_survivor_on_paper_and_a_coordinator(site: Site) -> None:
    """Q-30, DRW-01, BEY-04: one sheet that asks is not enough; with both the game ends with the results."""
    desk = open_draw(site)
    table = desk.table
    table.file("Argyll", [("Draw, please", LineState.NOT_ORDER)])
    silent = table.file("Ormond", [("no draw", LineState.NOT_ORDER)])
    game, phase = f"/games/{table.game}", table.phase()
    # Nothing of a sheet is stated before its deadline.
    assert "A draw is open" not in desk.text(game)
    site.clock.set(phase.deadline + timedelta(minutes=1))
    table.close_phase(phase.id)
    assert table.phase().state == PhaseState.READY
    assert "it is asked for by: Argyll (“Draw, please”)." in desk.text(game)
    refused = desk.post(f"{game}/draw", phase=phase.id, why="Both have asked for it")
    assert (refused.status_code, "Missing: Ormond" in plain(refused.text)) == (409, True)
    assert silent


def test_a_draw_that_all_ask_for_ends_the_game_with_the_results(site: Site) -> None:
    """BEY-04: and not before they are approved."""
    desk = open_draw(site)
    table = desk.table
    table.file("Argyll", [("Draw, please", LineState.NOT_ORDER)])
    table.file("Ormond", [("I vote for the draw", LineState.NOT_ORDER)])
    phase = table.phase()
    site.clock.set(phase.deadline + timedelta(minutes=1))
    table.close_phase(phase.id)
    answer = desk.press_twice(f"/games/{table.game}/draw", phase=phase.id, why="Both have asked for it")
    assert answer.headers["location"].endswith("?notice=draw-agreed"), plain(answer.text)
    assert table.phase(2).state == PhaseState.WAITING
    words = table.words(table.letters("announcement")[0])
    assert "All survivors asked for the draw" in words
    assert "Argyll and Ormond" in words
    # A sheet that asks no more, since a person looked again: the game goes on.
    with site.store() as session:
        game, row = session.get_one(GameRow, table.game), session.get_one(PhaseRow, phase.id)
        assert ends_here(session, game, row)
        line = session.scalars(select(LineRow).where(LineRow.text == "I vote for the draw")).one()
        line.text = "I vote against the draw"
        session.flush()
        assert not ends_here(session, game, row)
        session.rollback()
    table.approve_phase(phase.id, "ada")
    assert all(row.state == PhaseState.SENT for row in table.phases())
