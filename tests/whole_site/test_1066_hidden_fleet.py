"""The hidden fleet of 1066 through the service: nothing that leaves for anybody but its owner and the
coordinator names it before it shows itself (D66-06, D66-14)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage

import pytest

import maps
from service.notices.current_map import control
from service.notices.results import ResultsAnnouncer
from service.store.tables import GameRow, OutboxRow
from tests.support.site import make_site
from tests.support.table import COORDINATOR, Table, address, open_table

OWNER = "Harald Hardrada"
EARLS = "The Northern Earls"
SECRETS = ("Hidden Wash 1", "Hidden Germanicus 2", "Hidden Germanicus 4")
"""One that lies in the Wash and holds, one that moves where it cannot, and one without an order."""


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """March 1066 judged and approved: one of the fleet lands, the others stay hidden."""
    with make_site(tmp_path_factory.mktemp("1066")) as site:
        yield _judged(open_table(site, slug="britain1066"))


def _judged(table: Table) -> Table:
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    table.file(OWNER, [("Hidden Germanicus 1 lies in The "
                        "Wash"), "A/F Hidden Wash 1 H", "A/F Hidden Germanicus 2 - Lincolia",
                       "A/F Hidden Germanicus 3 - Clyveland"])
    table.file(EARLS, ["A Dunholm - Northumberland"])
    phase = table.phase()
    table.site.clock.set(phase.deadline + timedelta(minutes=1))
    table.close_phase(phase.id)
    table.approve_phase(phase.id, "ada")
    return table


def _whole(message: EmailMessage) -> str:
    """Every header, every part that is text, and the name of every file."""
    parts = [f"{name}: {value}" for name, value in message.items()]
    for part in message.walk():
        parts.append(str(part.get_filename() or ""))
        if part.get_content_maintype() == "text":
            parts.append(str(part.get_content()))
    return " ".join(" ".join(parts).split())


def _sent_to(table: Table, recipient: str) -> list[OutboxRow]:
    return [row for row in table.letters() if row.recipient == recipient]


def test_the_turn_was_judged_with_the_fleet_in_it(judged: Table) -> None:
    assert judged.outcomes() == {
        (OWNER, "Hidden Germanicus 1 lies in The Wash"): "succeeds",
        (OWNER, "A/F Hidden Wash 1 H"): "succeeds",
        (OWNER, "A/F Hidden Germanicus 2 - Lincolia"): "illegal",
        (OWNER, "A/F Hidden Germanicus 3 - Clyveland"): "succeeds",
        (EARLS, "A Dunholm - Northumberland"): "succeeds"}


def test_no_letter_to_another_power_names_what_is_hidden(judged: Table) -> None:
    """D66-14: results, their files and whatever else was written."""
    others = [power for power in judged.variant.powers if power != OWNER]
    for power in others:
        letters = _sent_to(judged, address(power))
        assert letters, power
        for row in letters:
            words = _whole(judged.message(row))
            assert not any(secret in words for secret in SECRETS), (power, row.kind)
            assert "sheet-harald-hardrada" not in words


def test_what_showed_itself_is_told(judged: Table) -> None:
    """D66-06: it acted outside."""
    texts = [_whole(judged.message(row)) for row in _sent_to(judged, address(EARLS))]
    assert any("Army/Fleet Hidden Germanicus 3 moves to Clyveland" in text for text in texts)


def test_its_owner_is_told_all(judged: Table) -> None:
    words = " ".join(_whole(judged.message(row)) for row in _sent_to(judged, address(OWNER)))
    assert all(secret in words for secret in SECRETS)


def test_the_public_map_shows_no_hidden_unit_where_it_shows_units(judged: Table) -> None:
    """D66-14, MAP-03: where a game's option requests units."""
    with judged.site.store.begin() as session:
        game = session.get_one(GameRow, judged.game)
        game.options = {**game.options, "units_on_map": True}
    with judged.site.store() as session:
        board_control = control(session, judged.game, lambda _: judged.variant)
    # The opening position is what it shows until the first adjustments.
    assert board_control is not None
    assert board_control.units
    assert not any(unit.power == OWNER for unit in board_control.units)
    assert len(maps.load("britain1066").start.units) == len(board_control.units) + 4


def test_letters_to_the_coordinator_may_say_it(judged: Table) -> None:
    """The referee knows; nothing above forbids that, and no one else is among the receivers."""
    receivers = {row.recipient for row in judged.letters()}
    assert receivers <= {address(power) for power in judged.variant.powers} | {COORDINATOR}
