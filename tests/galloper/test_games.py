"""INS-04: games, positions and orders as a programmer holds them."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

import galloper
from adjudicator.explain import Explainer

DATC = json.loads((Path(__file__).parents[1] / "data/datc/datc.json").read_text("utf-8"))["cases"]


def test_datc_cases_through_the_public_door() -> None:
    """DATC: results and positions of the published cases."""
    for case in DATC:
        position = galloper.Position.from_json("standard", case)
        resolution = position.judge(case["orders"])
        expect = case["expect"]
        assert sorted(map(str, resolution.position.units)) == sorted(expect["positions"]), case["id"]
        for outcome, wanted in zip(resolution.outcomes, expect["orders"], strict=True):
            assert outcome.result == wanted["result"], (case["id"], outcome)


def test_a_later_sheet_replaces_an_earlier_one_and_a_faulty_one_does_not() -> None:
    game = galloper.Game("standard")
    game.set_orders("france", "A Par - Bur")
    (order,) = game.set_orders("FRANCE", ["A Par - Pic"])
    with pytest.raises(galloper.OrderError, match=r"^Line 2: "):
        game.set_orders("France", "A Par H\nA Mar dances")
    assert game.orders == {"FRANCE": (order,)}
    # A single order needs no list.
    assert game.set_orders("France", order.to_json()) == game.set_orders("France", order) == (order,)
    game.clear_orders("France")
    assert not game.orders


def test_undo_gives_position_and_orders_back() -> None:
    game = galloper.Game("standard")
    before = game.to_json()
    game.set_orders("Italy", "A Ven - Tyr")
    ordered = game.to_json()
    game.judge()
    played = game.undo()
    assert game.to_json() == ordered
    assert played.orders == game.orders["ITALY"]
    game.clear_orders()
    assert game.to_json() == before
    with pytest.raises(IndexError):
        game.undo()


def test_values_are_copied_pickled_and_compared() -> None:
    game = galloper.Game("standard")
    game.set_orders("Italy", "A Ven - Tyr")
    game.judge()
    for twin in (copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        assert twin.to_json() == game.to_json()
        assert twin.position == game.position
        assert twin.phases[0].orders == game.phases[0].orders
        assert len({twin.position, game.position, *twin.phases[0].orders, *game.phases[0].orders}) == 2
        twin.judge()
    assert len(game.phases) == 1


def test_lots_are_an_argument_and_are_saved() -> None:
    """Q-35: the third of three units, by the name of its region, for a number that leaves 2."""
    data = {
        "phase": "adjustment", "season": "Winter", "year": 1643, "centres": {"Ormond": ["Cork", "Meath"]},
        "units": ["Ormond A Cork", "Ormond A Meath", "Ormond F Kinsale"],
    }
    position = galloper.Position.from_json("w3k", data)
    assert position.adjustments == {"Ormond": -1}
    with pytest.raises(galloper.LotsError, match="Winter 1643 Adjustment draws lots, and 0 numbers"):
        position.judge()
    resolution = position.judge(lots=[5])
    assert resolution.to_json()["removed_by_lot"] == ["Meath"]
    game = galloper.Game(position)
    game.judge()
    assert len(game.phases[0].lots) == 1
    assert galloper.Game.from_json(game.to_json()).replay() == ()


def test_a_game_that_was_won_is_over() -> None:
    """18 of 34 centres win on the classic board, when the year ends."""
    board = galloper.load_board("standard")
    mine, rest = board.centres[:18], board.centres[18:]
    position = galloper.Position.from_json(board, {
        "phase": "movement", "season": "Autumn", "year": 1910, "units": ["TURKEY A CON"],
        "centres": {"TURKEY": list(mine), "FRANCE": list(rest)},
    })
    game = galloper.Game(position)
    resolution = game.judge()
    assert resolution.winners == game.winners == ("TURKEY",)
    assert game.is_over
    with pytest.raises(galloper.GameOverError, match="Autumn 1910 Movement"):
        game.judge()
    assert galloper.Game.from_json(game.to_json()).is_over


STANDARD = galloper.load_board("standard")
HOLD = {"order": "hold", "type": "A", "loc": "PAR"}
FAULTS: list[tuple[Callable[[], object], type[galloper.GalloperError], str]] = [
    (lambda: galloper.load_board("w3"), galloper.BoardError, "There is no board 'w3'; the nearest is w3k"),
    (lambda: galloper.add_boards("/nowhere"), galloper.BoardError, "no such folder of boards"),
    (lambda: STANDARD.power("Frnace"), galloper.BoardError, "the nearest is FRANCE. The powers are AUSTRIA"),
    (lambda: STANDARD.moves("Atlantis", "A"), galloper.BoardError, "no place 'Atlantis'"),
    (lambda: STANDARD.moves("Paris", "K"), galloper.BoardError, "its kinds are A, F"),
    (lambda: galloper.Position.opening(STANDARD).judge(cast("Any", ["A Par H"])), galloper.OrderError,
     "has no power"),
    (lambda: galloper.Position.opening(STANDARD).judge(cast("Any", "A Par H")), galloper.OrderError,
     "'A Par H' has no power"),
    (lambda: galloper.Game(STANDARD).set_orders("France", cast("Any", [5])), galloper.OrderError, "5 is no"),
    (lambda: galloper.Position.from_json(STANDARD, cast("Any", [])), galloper.PositionError, "an object"),
    (lambda: galloper.Position.opening(STANDARD).judge([HOLD]), galloper.OrderError, "power: is missing"),
    (lambda: galloper.Game(STANDARD).set_orders("Italy", [{**HOLD, "power": "FRANCE"}]), galloper.OrderError,
     "an order of FRANCE, and not of ITALY"),
    (lambda: galloper.Game("w3k").set_orders(
        "Ormond", [galloper.Order.from_json(STANDARD, {**HOLD, "power": "FRANCE"})]), galloper.OrderError,
     "an order for the board standard"),
    (lambda: galloper.parse_order("A Par H", board="standard", power="France", phase="turn"),
     galloper.OrderError, "it has movement, retreat, adjustment"),
    (lambda: galloper.parse_order("Armies Paris and Burgundy hold", board="standard", power="France"),
     galloper.OrderError, "gives 2 orders; parse_orders takes it"),
    (lambda: galloper.read_sheet("nowhere.jpg", board="w3k"), galloper.SheetError, "cannot be read"),
    (lambda: galloper.read_sheet(b"", board="w3k", phase="turn"), galloper.SheetError, "has no phase 'turn'"),
    (lambda: galloper.draw_map(galloper.Game("w3k"), "map.gif"), galloper.DrawingError, "not as 'gif'"),
]


@pytest.mark.parametrize(("call", "error", "sentence"), FAULTS)
def test_a_fault_is_a_sentence(
    call: Callable[[], object], error: type[galloper.GalloperError], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        call()


def test_an_order_error_says_where_and_what_is_near() -> None:
    with pytest.raises(galloper.OrderError) as caught:
        galloper.parse_order("F Brest - Atlantis", board="standard", power="France")
    fault = caught.value
    assert fault.text[slice(*fault.span or ())] == "Atlantis"
    assert "F Brest - Mid-Atlantic Ocean" in fault.suggestions


def test_every_lost_or_idle_unit_is_listed() -> None:
    """LIB-04: units without an order, disbanded and removed are named, printed, and kept in a saved game."""
    game = galloper.Game(galloper.Position.from_json("standard", {
        "phase": "movement", "season": "Autumn", "year": 1901,
        "centres": {"FRANCE": ["PAR"], "TURKEY": ["SMY"]},
        # The fleet in Portugal is shut in: Spain and the ocean are taken.
        "units": ["FRANCE A GAS", "FRANCE A SPA", "FRANCE F MAO", "FRANCE A BUR", "FRANCE A PIC",
                  "TURKEY F POR", "TURKEY A SMY"]}))
    game.set_orders("France", ["A Spa - Por", "F MAO S A Spa - Por", "A Gas - Spa", "A Bur H", "A Pic H"])
    fought = game.judge()
    assert [str(unit) for unit in fought.disbanded] == ["TURKEY F POR"]
    assert [str(unit) for unit in fought.unordered] == ["TURKEY A SMY", "TURKEY F POR"]
    assert str(fought).splitlines()[-2:] == [
        "Without an order: TURKEY A SMY, TURKEY F POR", "Disbanded: TURKEY F POR"]
    game.set_orders("France", "Remove A Bur")
    winter = game.judge()
    assert winter.position.phase.year == 1902
    # France owns three centres and has five units: one goes by order. The army in Picardy and the fleet are
    # one step from a centre, the others are in one, and a fleet goes before an army (DATC 4.D.8).
    assert [str(unit) for unit in winter.removed] == ["FRANCE A BUR", "FRANCE F MAO"]
    again = galloper.Game.from_json(game.to_json())
    assert [phase.resolution for phase in again.phases] == [phase.resolution for phase in game.phases]
    assert again.phases[1].resolution.removed == winter.removed
    assert not again.replay()


def test_a_chain_of_answers_keeps_proxies_and_conversions() -> None:
    """LIB-04: an answer's parts are all that the next case needs; without the proxy Argyll's order is
    void."""
    summer: dict[str, Any] = {"season": "Summer", "year": 1642, "centres": {"Ormond": ["Dublin & the Pale"]}}
    opening = galloper.Position.from_json("w3k", {**summer, "phase": "movement", "units": [
        "Ormond A Surrey", "Ormond A Dublin & the Pale", "Manchester A London", "Manchester A Kent"]})
    fought = opening.judge({
        "Ormond": ["A Surrey proxy Argyll", "A Dublin & the Pale converts to F"],
        "Manchester": ["A London - Surrey", "A Kent S A London - Surrey"]})
    answer = fought.to_json()
    assert answer["memory"] == {
        "converting": ["Ormond A Dublin & the Pale"], "proxies": [["Surrey", "Argyll"]]}
    carried_over = {key: answer[key] for key in ("dislodged", "contested", "memory")}
    following = {**summer, "phase": "retreat", "units": answer["positions"], **carried_over}
    goal = answer["dislodged"][0]["may_retreat"][0]
    order: dict[str, Any] = {"power": "Argyll", "order": "retreat", "type": "A", "loc": "Surrey", "to": goal}
    (outcome,) = galloper.Position.from_json("w3k", following).judge([order]).outcomes
    assert outcome.result is galloper.Result.SUCCEEDS
    (refused,) = galloper.Position.from_json("w3k", {**following, "memory": {}}).judge([order]).outcomes
    assert refused.result is galloper.Result.VOID


@pytest.mark.parametrize("state", ["Essex", "Kent", "Fife"])
def test_a_king_rides_over_one_sea(state: str) -> None:
    """LIB-04: what the board lists is what the judge allows a king whose power holds every state (WSB-14)."""
    board = galloper.load_board("brittania")
    position = galloper.Position.from_json(board, {
        "phase": "turn", "year": 602, "units": [f"Red K {state}"], "centres": {"Red": list(board.centres)}})
    lots = [0] * 200
    rides = {goal for goal in board.centres if position.judge(
        [{"power": "Red", "order": "move_king", "state": goal}], lots).outcomes[0].result == "succeeds"}
    assert set(board.moves(state, "K")) == rides


def test_a_bot_pays_for_no_sentence_and_no_look_at_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """LIB-01: results are read without words, and a board by name is found without a search."""
    game = galloper.Game("standard")
    monkeypatch.setattr(Explainer, "text", lambda *_: pytest.fail("a sentence was put into words"))
    monkeypatch.setattr(Path, "glob", lambda *_: pytest.fail("the boards were looked for"))
    game.set_orders("France", [{"order": "move", "type": "A", "loc": "PAR", "to": "BUR"}])
    resolution = game.judge()
    assert [(outcome.result, outcome.reason) for outcome in resolution.outcomes] == [("succeeds", None)]
    assert not game.is_over
    order = galloper.Order.from_json("standard", {
        "power": "FRANCE", "order": "hold", "type": "A", "loc": "BUR"})
    assert resolution.position.judge([order]).outcomes[0].order == order
