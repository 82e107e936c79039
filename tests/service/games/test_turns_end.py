"""How a game ends: by a winner, and by a draw where the variant's rules end it at once (VIC-02, Q-29,
Q-30)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import maps
from adjudicator import rules
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.position import Position
from service.games.ending import EndKind, GameEnd, end_of
from service.notices.results import ResultsAnnouncer
from service.store.tables import GameRow, PhaseState
from tests.support.site import Site
from tests.support.table import Table, address, open_table

AUTUMN = Phase(1642, "Autumn", PhaseKind.MOVEMENT)
KINGDOM = {"Argyll": ["Edinburgh", "Glasgow"], "Ormond": ["Belfast", "Dublin & the Pale"]}


def _played(site: Site, centres: Mapping[str, Sequence[str]], options: Mapping[str, object] = {},
            **choices: str) -> Table:
    """An Autumn without units, judged and sent. `choices`: the board's; `options`: the game's own."""
    owned = {power: frozenset(places) for power, places in centres.items()}
    table = open_table(site, position=Position(AUTUMN, frozenset(), owned), first=AUTUMN, options=options)
    table.variant = replace(maps.load("w3k"), rules=rules.load("w3k", choices))
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    phase = table.phase()
    site.clock.set(phase.deadline + timedelta(minutes=1))
    table.close_phase(phase.id)
    table.approve_phase(phase.id, "ada")
    return table


def _over(table: Table) -> bool:
    return all(phase.state == PhaseState.SENT for phase in table.phases())


def test_a_winner_ends_the_game(site: Site) -> None:
    capitals = ["London", "Glasgow", "Belfast"]
    plain = [centre for centre in sorted(maps.load("w3k").board.centres()) if centre not in capitals]
    table = _played(site, {"Argyll": [*capitals, *plain[:52]]})
    assert table.resolution().winner == "Argyll"
    assert _over(table)
    assert _told_of_the_end(table) == {"The war is won by Argyll."}


def _told_of_the_end(table: Table) -> set[str]:
    """BEY-03: the first sentence of the letter that tells each player of the end; none while it goes on."""
    letters = table.letters("game_over")
    assert {row.recipient for row in letters} in ({address(power) for power in table.variant.powers}, set())
    return {table.words(row).partition("is over ")[2].partition(".")[0] + "." for row in letters}


def test_a_draw_is_asked_for_and_does_not_come_by_itself(site: Site) -> None:
    table = _played(site, KINGDOM)
    assert table.resolution().draw_open_to == ("Argyll", "Ormond")
    assert not _over(table)
    assert _told_of_the_end(table) == set()


def test_a_draw_ends_the_game_where_the_rules_say_so(site: Site) -> None:
    table = _played(site, KINGDOM, draw="at_once")
    assert _over(table)
    assert "on their sheets" not in table.words(table.letters("game_over")[0])
    assert _told_of_the_end(table) == {"The war ends in a draw between Argyll and Ormond."}


def test_a_game_ends_by_the_house_rules_that_it_began_with(site: Site) -> None:
    """A game whose own rules end it at the draw was judged by them and went on all the same, because its end
    was looked up by the board's."""
    table = _played(site, KINGDOM, {"house_rules": {"draw": "at_once"}})
    assert _over(table)
    assert _told_of_the_end(table) == {"The war ends in a draw between Argyll and Ormond."}
    with table.site.store() as session:
        game = session.get_one(GameRow, table.game)
        assert end_of(session, game, maps.load("w3k")) == GameEnd(EndKind.DRAW, ("Argyll", "Ormond"))
