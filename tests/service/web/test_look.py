"""A second look before several people are written to or a clock is moved (PHA-08): the first press shows what
will happen and does nothing, the second one does just that."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select

from service.clock import SimulatedClock
from service.store.tables import AbsenceRow, EventRow, GameRow, OutboxRow, PhaseRow, SeatRow
from tests.support.desk_table import DeskTable, carried, open_desk, plain
from tests.support.site import Site
from tests.support.table import address, open_table

WHY = "The post office is on strike this week."


@pytest.fixture
def desk(site: Site) -> DeskTable:
    """Five days into a phase of thirteen."""
    table = open_table(site)
    site.clock.set(table.phase().opens_at + timedelta(days=5))
    # The coordinator stays signed in while days of the game go by.
    return open_desk(table, wall=SimulatedClock(site.clock.now()))


def state_of(desk: DeskTable) -> list[Any]:
    """All that these acts change."""
    with desk.table.site.store() as session:
        return [
            session.execute(select(PhaseRow.id, PhaseRow.opens_at, PhaseRow.deadline, PhaseRow.moved,
                                   PhaseRow.state)).all(),
            session.execute(select(SeatRow.power, SeatRow.player_id).order_by(SeatRow.power)).all(),
            session.scalars(select(GameRow.options)).all(),
            session.scalar(select(func.count()).select_from(AbsenceRow).where(AbsenceRow.ended_at.is_(None))),
            session.scalar(select(func.count()).select_from(OutboxRow)),
            session.scalar(select(func.count()).select_from(EventRow)),
        ]


def moved(desk: DeskTable, until: Any, later: str = "") -> str:
    """The page that a form shows that moves the open phase's deadline."""
    answer = desk.post(f"/games/{desk.table.game}/move", phase=desk.table.phase().id,
                       day=until.date().isoformat(), hour=f"{until:%H:%M}", later=later, why=WHY)
    assert answer.status_code == 200, answer.text
    return str(answer.text)


def part(html: str, title: str) -> str:
    """What the page mentions one phase."""
    return next(words for words in map(plain, re.findall(r"<li>(.*?)</li>", html, re.DOTALL))
                if words.startswith(title))


def test_six_minutes_by_a_slip_are_seen_before_ten_letters_leave(desk: DeskTable) -> None:
    """PHA-08."""
    before, powers = state_of(desk), sorted(power.name for power in desk.table.variant.powers.values())
    html = moved(desk, desk.table.site.clock.now() + timedelta(minutes=6))
    assert state_of(desk) == before
    first, retreats, autumn = (
        part(html, f"{row.season} {row.year} {row.kind.capitalize()}") for row in desk.table.phases()[:3])
    assert "Its players then have 6 minutes from now." in first
    assert "That is little time. The calendar gives 13 days for these orders." in first
    # They open when the movement closes, and then are open for longer.
    assert "does not move" in retreats
    assert "That is little time" not in retreats
    assert "does not move" in autumn
    words = plain(html)
    assert f"{len(powers)} letters will wait in Letters" in words
    assert f"to the players of {', '.join(powers[:-1])} and {powers[-1]}." in words
    assert WHY in words, "one letter as it will be read"
    desk.client.post(path := f"/games/{desk.table.game}/move", data=carried(html, path))
    assert len(desk.table.letters("deadline_moved")) == len(powers)
    assert desk.table.phase().deadline == desk.table.site.clock.now() + timedelta(minutes=6)


def test_a_later_phase_that_stays_and_loses_its_time_is_marked(desk: DeskTable) -> None:
    retreats = desk.table.phases()[1]
    html = moved(desk, retreats.deadline - timedelta(hours=3))
    title = f"{retreats.season} {retreats.year} Retreat"
    assert "does not move" in part(html, title)
    assert "Its players then have 3 hours from its opening" in part(html, title)
    assert "The calendar gives 2 days for these orders." in part(html, title)
    along = part(moved(desk, retreats.deadline - timedelta(hours=3), later="yes"), title)
    assert "instead of" in along
    assert "Its players then have 2 days from its opening" in along
    assert "That is little time" not in along


def test_a_day_more_in_the_last_hour_is_no_slip(desk: DeskTable) -> None:
    deadline = desk.table.phase().deadline
    desk.table.site.clock.set(deadline - timedelta(hours=1))
    html = moved(desk, deadline + timedelta(days=1), later="yes")
    assert "1 day 1 hour from now" in plain(html)
    assert "That is little time" not in html


def test_what_was_not_seen_is_not_done(desk: DeskTable) -> None:
    """Another person moves the deadline between the two presses."""
    path, new = f"/games/{desk.table.game}/move", desk.table.phase().deadline + timedelta(days=1)
    shown = carried(moved(desk, new), path)
    desk.table.set_phase(1, deadline=new - timedelta(days=3))
    before = state_of(desk)
    again = desk.client.post(path, data=shown)
    assert "Nothing was done: the game has changed since you looked." in plain(again.text)
    assert state_of(desk) == before
    assert desk.client.post(path, data=carried(again.text, path)).status_code == 303
    assert desk.table.phase().deadline == new


ACTS: dict[str, dict[str, str]] = {
    "/games/{game}/away": {"first": "FIRST", "last": "LAST"},
    "/games/{game}/pause": {"days": "10", "why": WHY},
    "/games/{game}/absence": {"power": "Argyll", "first": "FIRST", "last": "LAST"},
    "/games/{game}/absence/1/end": {},
    "/games/{game}/seat": {
        "power": "Argyll", "name": "Bea", "mail": "bea@new.example bea@two.example", "why": WHY},
    "/previews/{game}/hand-over": {"name": "Blaise Pascal", "key": "a-key-of-the-form"},
    "/games/{game}/move": {"phase": "YEAR", "day": "LATER", "why": WHY},
    "/games/{game}/end": {"kind": "draw", "power": "Argyll", "why": WHY},
}


@pytest.mark.parametrize("path", ACTS)
def test_each_act_that_writes_to_all_is_shown_before_it_is_done(desk: DeskTable, path: str) -> None:
    """PHA-08: the first press changes nothing and writes to no one; the second writes as many letters as
    were shown."""
    table, now = desk.table, desk.table.site.clock.now()
    if path == "/games/{game}/end":
        table.site.clock.set(table.phase().deadline + timedelta(minutes=1))
        table.close_phase(table.phase().id)
        table.approve_phase(table.phase().id, "ada")
    if path.endswith("/absence/1/end"):
        desk.press_twice(f"/games/{table.game}/absence", power="Argyll", first=now.date(), last=now.date())
    spring = next(row for row in table.phases() if row.season == "Spring")
    days = {"FIRST": now + timedelta(days=8), "LAST": now + timedelta(days=11),
            "LATER": spring.opens_at + timedelta(days=7)}
    fill = {name: day.date().isoformat() for name, day in days.items()} | {"YEAR": f"year {spring.id}"}
    values = {name: fill.get(value, value) for name, value in ACTS[path].items()}
    where, before, letters = path.format(game=table.game), state_of(desk), len(table.letters())
    page = desk.post(where, **values)
    assert (page.status_code, "Nothing is done yet." in plain(page.text)) == (200, True), page.text
    assert state_of(desk) == before
    shown = re.search(r"(\d+) letters will wait", plain(page.text))
    assert shown is not None
    assert desk.client.post(where, data=carried(page.text, where)).status_code == 303
    assert state_of(desk) != before
    written = [row for row in table.letters()[letters:] if row.kind != "welcome"]
    assert len(written) == int(shown[1]) >= len(table.variant.powers)


def test_an_empty_seat_is_named_as_one_that_no_letter_reaches(desk: DeskTable) -> None:
    values = {"power": "Argyll", "name": "", "mail": "", "why": WHY}
    page = plain(desk.post(f"/games/{desk.table.game}/seat", **values).text)
    assert "No letter goes to Argyll: no player with an address holds this power." in page
    assert address("Argyll") not in page
