"""On a board no one marches over the move browser gives each state's neighbours: what the judge lets it
attack, and how."""

from __future__ import annotations

import maps
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.outcome import Result
from adjudicator.position import Position
from adjudicator.rules.brittania_realm import Conquer, Realm
from service.public.moves import page
from tests.service.public.test_moves import read

BRITTANIA = maps.load("brittania")
FIGHTS = 10


def test_the_page_says_what_the_judge_allows() -> None:
    """WSB-11, WSB-19: by land all the grain fights, across a sea 5 less, and nowhere else can be attacked."""
    states = {p.name for p in BRITTANIA.board.provinces.values() if not p.is_sea}
    rows = [row for row in read(page(BRITTANIA).html).rows if row[0] in states]
    assert {place for place, *_ in rows} == states
    for state in states:
        costs = {goal: FIGHTS if way == "By land" else FIGHTS - 5
                for place, way, _, goals in reversed(rows) if place == state for goal in goals}
        assert costs == _judged(state, states), state


def _judged(state: str, states: set[str]) -> dict[str, int]:
    """State to the grain that fights of 10 spent on it by a power that holds one state."""
    orders = [Conquer(power="Red", grain=FIGHTS, state=Region(goal)) for goal in sorted(states)]
    realm = Realm(grain={"Red": FIGHTS * len(orders)})
    position = Position(BRITTANIA.start.phase, frozenset(), {"Red": frozenset({state})}, own=realm)
    resolution = judge(BRITTANIA.context(), BRITTANIA.rules, position, orders, Lots(tuple(range(200))))
    battles = resolution.report.battles  # type: ignore[union-attr]
    fought = {battle.state: battle.fights[0].grain for battle in battles}
    valid = [outcome.order for outcome in resolution.outcomes if outcome.result is not Result.VOID]
    assert {order.state.province for order in valid} == set(fought)  # type: ignore[attr-defined]
    return fought


def test_a_sea_shows_the_land_it_washes() -> None:
    rows = {place: goals for place, _, _, goals in read(page(BRITTANIA).html).rows}
    assert rows["Narrow Sea (2)"] == ["Cornwall", "Devon", "Essex", "Kent", "Somerset", "Sussex", "Wessex"]
