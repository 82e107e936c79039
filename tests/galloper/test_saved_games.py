"""INS-04: a game is saved whole, and a file that was altered is refused or reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import galloper
from bench.adjudicate.random_orders import phase_orders

SCHEMA = Path(__file__).parents[2] / "docs/schemas/saved-game.json"
Data = dict[str, Any]


@cache
def _played(board: str, seed: int = 1, count: int = 14) -> galloper.Game:
    """A game of made-up orders, as JSON, with some for the phase in play."""
    game, chance = galloper.Game(board, f"A game of {board}"), Random(seed)
    for number in range(count + 1):
        sheets: dict[str, list[galloper.Order]] = {}
        for order in phase_orders(game.board.inner, game.position.inner, chance):
            sheets.setdefault(order.power, []).append(galloper.Order(game.board, order))
        for power, orders in sheets.items():
            game.set_orders(power, [order.to_json() for order in orders])
        if number == count or game.is_over:
            break
        game.judge()
    return game


def _data(board: str = "standard") -> Data:
    copy: Data = json.loads(json.dumps(_played(board).to_json()))
    return copy


@pytest.mark.parametrize("board", galloper.boards())
def test_a_game_comes_back_as_it_was(board: str, tmp_path: Path) -> None:
    game = _played(board)
    game.save(tmp_path / "game.json")
    again = galloper.Game.load(tmp_path / "game.json")
    assert again.to_json() == game.to_json()
    assert again.position == game.position
    assert again.orders == game.orders
    assert [played.position for played in again.phases] == [played.position for played in game.phases]
    assert again.phases[-1].resolution.outcomes == game.phases[-1].resolution.outcomes
    assert again.replay() == ()
    assert len(again.phases) == 14 or again.is_over


@pytest.mark.parametrize("board", galloper.boards())
def test_a_saved_game_fits_its_schema(board: str) -> None:
    rust = pytest.importorskip("jsonschema_rs")
    schema = json.loads(SCHEMA.read_text("utf-8"))
    rust.meta.validate(schema)
    validator = rust.Draft202012Validator(schema)
    assert [error.message for error in validator.iter_errors(_data(board))] == []
    alterations: list[Callable[[Data], object]] = [
        lambda data: data.pop("position"),
        lambda data: data.update(version=2),
        lambda data: data["phases"][0].update(unit=[]),
        lambda data: data["position"].update(phase="winter"),
        lambda data: data["phases"][-1]["result"].pop("positions"),
    ]
    for alter in alterations:
        data = _data(board)
        alter(data)
        assert list(validator.iter_errors(data))


def _first(data: Data) -> Data:
    phase: Data = data["phases"][0]
    return phase


FAULTS: list[tuple[Callable[[Data], object], str]] = [
    (lambda data: data.update(format="pgn"), "not a saved game"),
    (lambda data: data.update(version=2), "version 2, and this Galloper reads up to 1; use a newer Galloper"),
    (lambda data: data.update(version="1"), "version: '1'"),
    (lambda data: data.update(board="standart"), "board: There is no board 'standart'; the nearest is"),
    (lambda data: data.update(board=None), "board: None"),
    (lambda data: data.update(name=3), "name: 3"),
    (lambda data: data.pop("phases"), "phases: must be a list"),
    (lambda data: data["phases"].insert(0, 7), r"phases\[0\]: must be an object"),
    (lambda data: _first(data).pop("units"), r"phases\[0\]\.units: is missing"),
    (lambda data: _first(data)["units"].append("FRANCE A XXX"), r"phases\[0\]\.units\[22\]: there is no"),
    (lambda data: _first(data)["orders"][1].pop("power"), r"phases\[0\]\.orders\[1\]\.power: is missing"),
    (lambda data: _first(data)["orders"].pop(), r"phases\[0\]\.result\.orders: \d+ outcomes for \d+ orders"),
    (lambda data: _first(data).update(lots=["1"]), r"phases\[0\]\.lots: must be whole numbers"),
    (lambda data: _first(data).pop("result"), r"phases\[0\]\.result: must be an object"),
    (lambda data: _first(data)["result"]["orders"][0].update(result="wins"), r"orders\[0\]\.result: 'wins'"),
    (lambda data: _first(data)["result"]["orders"][0].update(result=[]), r"orders\[0\]\.result: \[\] is not"),
    (lambda data: _first(data)["result"].update(positions=[1]), r"positions: must be a list of texts"),
    (lambda data: _first(data)["result"].update(winner=1), r"result\.winner: 1 is not a power"),
    (lambda data: data["position"]["units"].pop(), r"phases\[13\]\.result\.positions: are not the units"),
    (lambda data: data.update(orders=[{"power": "FRANCE", "order": "dance"}]), r"orders\[0\]\.order: 'da"),
]


@pytest.mark.parametrize(("alter", "sentence"), FAULTS)
def test_a_faulty_file_is_refused_by_its_field(
    alter: Callable[[Data], object], sentence: str, tmp_path: Path
) -> None:
    data = _data()
    alter(data)
    file = tmp_path / "game.json"
    file.write_text(json.dumps(data), "utf-8")
    with pytest.raises(galloper.SavedGameError, match=sentence) as caught:
        galloper.Game.load(file)
    assert str(caught.value).startswith("game.json: ")


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b"\xff\xfe", b"[" * 100_000, b"null"])
def test_what_is_no_json_object_is_no_game(text: bytes, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    file.write_bytes(text)
    with pytest.raises(galloper.SavedGameError):
        galloper.Game.load(file)


def test_replay_says_which_phase_and_field_differ() -> None:
    data = _data()
    for case in data["phases"]:
        # Sets may come in any order.
        case["units"].reverse()
        case["result"]["positions"].reverse()
    assert galloper.Game.from_json(data).replay() == ()
    outcome = data["phases"][4]["result"]["orders"][3]
    outcome["result"] = "void" if outcome["result"] != "void" else "fails"
    (difference,) = galloper.Game.from_json(data).replay()
    assert (difference.number, difference.field) == (5, "result.orders[3].result")
    assert difference.saved == outcome["result"] != difference.judged


def test_replay_sees_a_unit_that_was_moved_by_hand() -> None:
    """The board after a phase is judged again too, not only what is stated about the orders."""
    data = galloper.Game("standard").to_json()
    game = galloper.Game.from_json(data)
    game.judge()
    altered = game.to_json()
    for units in (altered["position"]["units"], altered["phases"][0]["result"]["positions"]):
        units[units.index("FRANCE A PAR")] = "FRANCE A BUR"
    differences = galloper.Game.from_json(altered).replay()
    assert {difference.number for difference in differences} == {1}
    assert any(difference.field.startswith("position after it.units") for difference in differences)


def test_a_proxy_is_kept_for_the_retreat() -> None:
    """PRX-01: the power that has a unit in proxy orders its retreat as well."""
    position = galloper.Position.from_json("w3k", {
        "phase": "movement", "season": "Spring", "year": 1643,
        "units": ["Argyll A Surrey", "Montrose A London", "Montrose A Kent"],
    })
    game = galloper.Game(position)
    game.set_orders("Argyll", [{"order": "proxy", "type": "A", "loc": "Surrey", "to_power": "Ormond"}])
    game.set_orders("Montrose", "A London - Surrey\nA Kent S A London - Surrey")
    assert [str(beaten.unit) for beaten in game.judge().dislodged] == ["Argyll A Surrey"]
    again = galloper.Game.from_json(json.loads(json.dumps(game.to_json())))
    assert again.position == game.position
    assert again.to_json()["position"]["memory"]["proxies"] == [["Surrey", "Ormond"]]


def test_a_file_that_cannot_be_written_leaves_the_earlier_one(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    galloper.Game("standard").save(file)
    before = file.read_bytes()
    (tmp_path / "game.json.part").mkdir()
    with pytest.raises(OSError, match=r"game\.json\.part"):
        _played("standard").save(file)
    assert file.read_bytes() == before
