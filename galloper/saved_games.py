"""Games as JSON: one reader and one writer. The form has a version number and a schema,
docs/schemas/saved-game.json.

Each phase is a case of `galloper adjudicate` with its answer next to it as `result`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudicator import outcome
from adjudicator.outcome import Result
from adjudicator.serialize.case_fields import CaseFault
from adjudicator.units import Unit
from galloper.boards import Board, load_board
from galloper.errors import BoardError, OrderError, PositionError, SavedGameError
from galloper.orders import Order
from galloper.played_phase import PlayedPhase
from galloper.positions import Position, Resolution

FORMAT = "galloper game"
VERSION = 1


@dataclass(frozen=True, slots=True)
class SavedGame:
    """The contents of a file of a game. `orders` are those given for the phase in play."""

    board: Board
    name: str
    phases: tuple[PlayedPhase, ...]
    position: Position
    orders: tuple[Order, ...]


def write_game(game: SavedGame) -> dict[str, Any]:
    """The game as JSON; inverse of `read_game`."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "board": game.board.name,
        "name": game.name,
        "phases": [
            {**played.position.to_json(), "orders": [order.to_json() for order in played.orders],
             "lots": list(played.lots), "result": played.resolution.to_json()}
            for played in game.phases
        ],
        "position": game.position.to_json(),
        "orders": [order.to_json() for order in game.orders],
    }


def json_text(game: SavedGame) -> str:
    """The game as a text of JSON, each phase and each order in play on its own line."""
    rows = []
    for key, value in write_game(game).items():
        if isinstance(value, list) and value:
            items = ",\n".join(f"  {_compact(item)}" for item in value)
            rows.append(f" {_compact(key)}: [\n{items}\n ]")
        else:
            rows.append(f" {_compact(key)}: {_compact(value)}")
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def parse_json(text: str | bytes) -> Any:
    """What a text of JSON states. Raises SavedGameError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SavedGameError(f"This is not JSON, so it is not a saved game: {error}.") from error


def read_game(data: Any) -> SavedGame:
    """The game in JSON, checked field by field; nothing is judged again. Raises SavedGameError, which names
    the field at fault, and BoardError if the board is not known here."""
    top = _object("The file", data)
    if top.get("format") != FORMAT:
        raise SavedGameError(f"This is not a saved game: its \"format\" is {top.get('format')!r} and not "
                             f"{FORMAT!r}.")
    version = top.get("version")
    # In Python True is the number 1, and JSON has both.
    if type(version) is not int or version < 1:
        raise SavedGameError(f"version: {version!r} is not a version of saved games.")
    if version > VERSION:
        raise SavedGameError(f"version: the game was saved as version {version}, and this Galloper reads up "
                             f"to {VERSION}; use a newer Galloper.")
    board = _board(top)
    name = top.get("name", "")
    if not isinstance(name, str):
        raise SavedGameError(f"name: {name!r} is not a text.")
    cases = [_object(f"phases[{index}]", item) for index, item in enumerate(_list("phases", top))]
    # A phase ends in the position that the next begins with.
    last = _object("position", top.get("position"))
    paths = [*(f"phases[{index}]." for index in range(len(cases))), "position."]
    positions = [_position(board, path, case) for path, case in zip(paths, [*cases, last], strict=True)]
    phases = tuple(
        _played(path, case, before, after)
        for path, case, before, after in zip(paths, cases, positions, positions[1:], strict=False)
    )
    return SavedGame(board, name, phases, positions[-1], _orders(board, "orders", top))


def _board(top: Mapping[str, Any]) -> Board:
    name = top.get("board")
    if not isinstance(name, str):
        raise SavedGameError(f"board: {name!r} is not the name of a board.")
    try:
        return load_board(name)
    except BoardError as fault:
        raise SavedGameError(f"board: {fault} Boards of your own are added by add_boards.") from fault


def _position(board: Board, path: str, data: Mapping[str, Any]) -> Position:
    try:
        return Position.from_json(board, data)
    except PositionError as fault:
        raise SavedGameError(f"{path}{fault}") from fault


def _orders(board: Board, path: str, data: Mapping[str, Any]) -> tuple[Order, ...]:
    orders = []
    for index, item in enumerate(_list(path, data)):
        try:
            orders.append(Order.from_json(board, _object(f"{path}[{index}]", item)))
        except OrderError as fault:
            # The fault names the field of its order: "order.to: ...".
            raise SavedGameError(f"{path}[{index}].{str(fault).removeprefix('order.')}") from fault
    return tuple(orders)


def _played(path: str, case: Mapping[str, Any], before: Position, after: Position) -> PlayedPhase:
    orders = _orders(before.board, f"{path}orders", case)
    lots = _list(f"{path}lots", case) if "lots" in case else []
    if not all(type(number) is int for number in lots):
        raise SavedGameError(f"{path}lots: must be whole numbers.")
    # Checked by its form alone: what the judge states about it today is asked by `replay`.
    answer = _answer(f"{path}result", case.get("result"), len(orders))
    # The same fact is there twice in the file; where they differ, a person changed one of them.
    units = sorted(map(str, after.inner.units))
    if sorted(answer["positions"]) != units:
        raise SavedGameError(f"{path}result.positions: are not the units of the position that follows.")
    judged = _resolution(f"{path}result.", answer, orders, after, len(lots))
    return PlayedPhase(before, orders, tuple(lots), Resolution(before, orders, judged, answer))


def _resolution(
    path: str, answer: Mapping[str, Any], orders: Sequence[Order], after: Position, lots_used: int
) -> outcome.Resolution:
    """The result of a phase as the judge's values, as far as `galloper.Resolution` shows it."""
    draw = answer.get("draw_open_to")
    # A movement phase has the key "destroyed", and a retreat phase "disbanded".
    gone = (*_units(path, "disbanded", answer, after.board), *_units(path, "destroyed", answer, after.board))
    return outcome.Resolution(
        tuple(outcome.Outcome(
            order.inner, Result(item["result"]), item.get("reason"), None, str(item.get("why", "")),
            bool(item.get("dislodged", False)))
            for order, item in zip(orders, answer["orders"], strict=True)),
        after.inner,
        dislodged=after.inner.dislodged,
        unordered=_units(path, "unordered", answer, after.board),
        disbanded=gone,
        removed=_units(path, "removed", answer, after.board),
        lots_used=lots_used,
        winner=answer.get("winner"),
        draw_open_to=None if draw is None else tuple(draw),
        notes=tuple(answer.get("notes") or ()),
        joint=tuple(answer.get("joint") or ()),
    )


def _units(path: str, key: str, answer: Mapping[str, Any], board: Board) -> tuple[Unit, ...]:
    if answer.get(key) is None:
        return ()
    _texts(f"{path}{key}", answer)
    try:
        return tuple(board.cases.names.unit(f"{path}{key}", text) for text in answer[key])
    except CaseFault as fault:
        raise SavedGameError(f"{fault}.") from fault


def _answer(path: str, data: Any, count: int) -> Mapping[str, Any]:
    """The result of a phase with `count` orders, whose fields that this package reads are as they must be."""
    answer = _object(path, data)
    outcomes = _list(f"{path}.orders", answer)
    if len(outcomes) != count:
        raise SavedGameError(f"{path}.orders: {len(outcomes)} outcomes for {count} orders.")
    for index, item in enumerate(outcomes):
        result = _object(f"{path}.orders[{index}]", item).get("result")
        # A tuple and no set: a list in the file has no hash, and would be an exception without a sentence.
        if result not in tuple(Result):
            raise SavedGameError(f"{path}.orders[{index}].result: {result!r} is not one of "
                                 f"{', '.join(Result)}.")
    _texts(f"{path}.positions", answer)
    for key in ("notes", "joint", "draw_open_to"):
        if answer.get(key) is not None:
            _texts(f"{path}.{key}", answer)
    winner = answer.get("winner")
    if winner is not None and not isinstance(winner, str):
        raise SavedGameError(f"{path}.winner: {winner!r} is not a power.")
    return answer


def _texts(path: str, data: Mapping[str, Any]) -> None:
    if not all(isinstance(text, str) for text in _list(path, data)):
        raise SavedGameError(f"{path}: must be a list of texts.")


def _list(path: str, data: Mapping[str, Any]) -> Sequence[Any]:
    """The list under the last key of the path."""
    value = data.get(path.rpartition(".")[2])
    if not isinstance(value, list):
        raise SavedGameError(f"{path}: must be a list.")
    return value


def _object(path: str, data: Any) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise SavedGameError(f"{path}: must be an object.")
    return data
