"""BEY-03: the page of one phase of a game that is over."""

from __future__ import annotations

import re

from service.clock import SimulatedClock
from service.games.acts.ending import DeclareEnd
from service.notices.results import ResultsAnnouncer
from service.notices.results_facts import concerned
from tests.service.public.test_entry import BASE, visit
from tests.support.acting import do
from tests.support.desk_table import open_desk, plain
from tests.support.site import Site
from tests.support.table import autumn_1642, open_table


def test_every_power_of_the_game_is_named(site: Site) -> None:
    """Two powers that sent nothing were left out, and it looked as if they had no part in the war."""
    table = open_table(site, position=autumn_1642())
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    table.file("Manchester", ["A Lindsey - Kesteven & Holland"])
    phase = table.phase()
    due = concerned(phase, table.variant)
    site.clock.set(phase.deadline)
    table.close_phase(phase.id)
    table.judge_when_read(phase.id)
    table.approve_phase(phase.id, "Ada")
    do(table, DeclareEnd(table.game, "draw", ("Argyll", "Ormond"), "All wrote so."))
    desk = open_desk(table, base_url=BASE, wall=SimulatedClock(site.clock.now()))
    desk.client.cookies.clear()
    html = visit(desk, "Manchester").get(f"/public/{table.game}/end/1").text
    sections = {re.split("</?h2>", part)[1]: plain(part) for part in html.split("<section")[1:]}
    names = {power.name for power in table.variant.powers.values()}
    assert due <= set(sections)
    assert {"Manchester"} < set(sections) <= names
    assert all("No sheet was received." in sections[name] for name in due - {"Manchester"})
    assert "No sheet was received." not in sections["Manchester"]
    rest = plain(html).partition("No orders were due from: ")[2]
    assert all(name in rest for name in names - set(sections))
