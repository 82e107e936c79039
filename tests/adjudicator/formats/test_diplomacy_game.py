"""The saved game of the package `diplomacy` (INS-09): written, read back, and read by the package itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.formats import diplomacy_game
from adjudicator.formats.game_log import FormatFault, GameLog, LoggedPhase
from adjudicator.formats.judge_again import check
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.orders import Convert, Hold, Move, Order
from adjudicator.units import UnitRef
from maps.game_board import game_board
from tests.support.game_logs import STANDARD, random_game, standard_board

BOARD = standard_board()


def _game(*orders: Order) -> GameLog:
    resolution = judge(STANDARD.context(), STANDARD.rules, STANDARD.start, orders)
    return GameLog("g", "standard", (
        LoggedPhase(STANDARD.start, orders, resolution), LoggedPhase(resolution.position)))  # fmt: skip


def _written(log: GameLog) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(diplomacy_game.write(BOARD, log).data)
    return data


def test_the_opening_is_what_the_package_writes() -> None:
    """INS-09. The numbers are those of a test of facebookresearch/diplomacy_searchbot, which has the state of
    the opening as the package writes it."""
    state = _written(_game())["phases"][0]["state"]
    assert state["name"] == "S1901M"
    assert state["zobrist_hash"] == "1919110489198082658"
    assert state["units"]["RUSSIA"] == ["A MOS", "A WAR", "F SEV", "F STP/SC"]
    assert state["centers"]["AUSTRIA"] == ["BUD", "TRI", "VIE"]


def test_orders_stand_as_the_package_writes_them() -> None:
    """A void order is under our own key: the package would refuse it."""
    army, fleet = UnitRef("A", Region("LVP")), UnitRef("F", Region("LON"))
    game = _written(_game(
        Move(power="ENGLAND", unit=fleet, to=Region("NTH")),
        Move(power="ENGLAND", unit=army, to=Region("BRE")),
        Hold(power="FRANCE", unit=UnitRef(None, Region("PAR")))))  # fmt: skip
    first = game["phases"][0]
    assert first["orders"]["ENGLAND"] == ["F LON - NTH"]
    assert first["orders"]["FRANCE"] == ["A PAR H"]
    assert game["galloper"]["void"] == ["S1901M ENGLAND: A LVP - BRE"]
    assert [phase["name"] for phase in game["phases"]] == ["S1901M", "F1901M"]


@pytest.mark.parametrize("seed", range(3))
def test_what_is_written_is_read_back_and_judged_alike(seed: int) -> None:
    """INS-09: void orders and the rules' removals included, so that nothing is lost."""
    log = random_game(seed, 30)
    (again,) = diplomacy_game.read(BOARD, diplomacy_game.write(BOARD, log).data)
    judged = list(check(BOARD, again))
    assert len(judged) > 20
    assert not [one_phase for one_phase in judged if one_phase.differences or one_phase.unread]
    expected, got = log.phases[-1].position, again.phases[-1].position
    assert (expected.units, expected.centres) == (got.units, got.centres)


@pytest.mark.parametrize("slug", [slug for slug in maps.variants() if slug != "standard"])
def test_a_board_that_the_package_has_not_is_refused(slug: str) -> None:
    """INS-09: plainly, with the reason and with the format that holds it."""
    variant = maps.load(slug)
    log = GameLog("g", slug, (LoggedPhase(variant.start),))
    refusal = rf"diplomacy cannot hold a game of {slug}: .*cases holds every board"
    with pytest.raises(FormatFault, match=refusal):
        diplomacy_game.write(game_board(variant), log, lossy=True)


def test_an_order_without_a_word_is_refused_unless_the_loss_is_asked_for() -> None:
    order = Convert(power="FRANCE", unit=UnitRef("A", Region("PAR")), to_kind="F")
    log = GameLog("g", "standard", (LoggedPhase(STANDARD.start, (order,)), LoggedPhase(STANDARD.start)))
    sentence = r"Spring 1901 Movement: FRANCE's order 'convert' has no word there\..*--lossy"
    with pytest.raises(FormatFault, match=sentence):
        diplomacy_game.write(BOARD, log)
    assert "convert" in diplomacy_game.write(BOARD, log, lossy=True).left_out[0]


def _with(path: str, value: object) -> bytes:
    game = _written(_game())
    *steps, last = path.split(".")
    place: Any = game
    for step in steps:
        place = place[int(step)] if step.isdigit() else place[step]
    place[last] = value
    return json.dumps(game).encode()


@pytest.mark.parametrize(("data", "sentence"), [
    (b"", "The file is empty"),
    (b"\xff\xfe\x00", "not UTF-8 text"),
    (b"[" * 200_000, "Line 1 is not JSON"),
    (b"[]", "line 1: an object is missing"),
    (b'{"phases": [{"name": "COMPLETED"}]}', r"phases\[0\] \(COMPLETED\), state: an object is missing"),
    (_with("map", "modern"), "played on the map 'modern'"),
    (_with("phases", {}), "a list is missing"),
    (_with("phases.0.name", "S1901X"), "not a phase such as"),
    (_with("phases.0.name", "W1901M"), "there is no phase W1901M"),
    (_with("phases.0.state.units.FRANCE", ["A ATLANTIS"]), "not a unit of standard"),
    (_with("phases.0.state.units.FRANCE", ["F PAR"]), "cannot be there"),
    (_with("phases.0.state.units.FRANCE", ["A VIE", "A PAR"]), "two units are in VIE"),
    (_with("phases.0.state.units.FRANCE", [7]), "not a unit of standard"),
    (_with("phases.0.state.units.PRUSSIA", []), "no power 'PRUSSIA'"),
    (_with("phases.0.state.centers.FRANCE", ["BUR"]), "BUR is not a supply centre"),
    (_with("phases.0.orders.FRANCE", [["A PAR H"]]), "is not text"),
])  # fmt: skip
def test_a_bad_file_is_told_where_it_is_bad(data: bytes, sentence: str) -> None:
    """INS-09: what a stranger hands in is refused with a sentence."""
    with pytest.raises(FormatFault, match=sentence):
        diplomacy_game.read(BOARD, data)


def test_an_order_that_cannot_be_read_is_noted() -> None:
    orders = ["A PAR - ATLANTIS", "x" * 5000, "A PAR H"]
    (log,) = diplomacy_game.read(BOARD, _with("phases.0.orders.FRANCE", orders))
    assert [text[:24] for text in log.phases[0].unread] == ["FRANCE: A PAR - ATLANTIS", "FRANCE: " + "x" * 16]
    assert log.phases[0].orders == (Hold(power="FRANCE", unit=UnitRef("A", Region("PAR"))),)


def test_a_game_that_is_over_ends_as_the_package_ends_it() -> None:
    log = random_game(0, 3)
    over = GameLog(log.name, log.board, log.phases, is_over=True)
    data = diplomacy_game.write(BOARD, over).data
    assert json.loads(data)["phases"][-1]["name"] == "COMPLETED"
    (again,) = diplomacy_game.read(BOARD, data)
    assert again.is_over
    assert again.phases[-1].position.units == log.phases[-1].position.units


@pytest.mark.slow
def test_the_package_loads_and_replays_what_is_written() -> None:
    """INS-09: `diplomacy` 1.1.2 itself judges each phase again from our file, and comes to our next phase and
    to our state, by its own number of it."""
    diplomacy = pytest.importorskip("diplomacy")
    export = pytest.importorskip("diplomacy.utils.export")
    for seed in range(4):
        log = random_game(seed, 16)
        saved = _written(log)
        game = export.from_saved_game_format(saved)
        assert game.get_hash() == saved["phases"][-1]["state"]["zobrist_hash"]
        assert game.get_current_phase() == saved["phases"][-1]["name"]
        for before, after in zip(saved["phases"], saved["phases"][1:], strict=False):
            again = diplomacy.Game("again", map_name="standard", rules=["SOLITAIRE"])
            again.set_phase_data(diplomacy.utils.game_phase_data.GamePhaseData.from_dict(before))
            again.process()
            assert again.get_current_phase() == after["name"], (seed, before["name"])
            assert again.get_hash() == after["state"]["zobrist_hash"], (seed, before["name"])


def test_every_phase_has_its_name() -> None:
    retreat = Phase(1905, "Autumn", PhaseKind.RETREAT)
    (log,) = diplomacy_game.read(BOARD, _with("phases.1.name", "F1905R"))
    assert log.phases[1].position.phase == retreat
