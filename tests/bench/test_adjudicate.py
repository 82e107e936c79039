"""The output of `galloper bench adjudicate` and the games that it measures. No test depends on a clock."""

from __future__ import annotations

import gzip
import io
import json
from importlib import metadata
from pathlib import Path
from random import Random
from typing import Any

import pytest

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.geo import LAND, SEA
from adjudicator.judge import judge
from adjudicator.orders import Convoy, Move
from bench.adjudicate import games as adj_games, peers, run
from bench.adjudicate.positions import DEFAULT, NoPositions, chosen, full_board, nearest_places

Record = dict[str, Any]
RECORDS = {record["id"]: record for record in chosen(DEFAULT)}
STANDARD = maps.load("standard")
W3K = maps.load("w3k")


def _file(path: Path, records: list[Record]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def _peer(package: str) -> peers.Peer:
    pytest.importorskip(package)
    peer = peers.load(package, STANDARD.board)
    assert peer is not None
    return peer


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "ROUNDS", 1)
    monkeypatch.setattr(run, "BOARDS", 2)
    monkeypatch.setattr(adj_games, "ROUNDS", 1)
    monkeypatch.setattr(adj_games, "TURNS", 2)


def _lines(path: Path) -> list[Record]:
    out = io.StringIO()
    assert run.run(path, out, io.StringIO()) == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


# The positions


def test_movement_positions_with_24_units_or_more_are_chosen() -> None:
    """Counted here a second way, from the file itself."""
    every = [json.loads(line) for line in gzip.decompress(DEFAULT.read_bytes()).decode().splitlines()]
    expected_ids = {r["id"] for r in every if r["phase"] == "movement" and not len(r["units"]) < 24}
    assert set(RECORDS) == expected_ids
    assert len(expected_ids) == 457


def test_smaller_positions_and_other_phases_are_left_out(tmp_path: Path) -> None:
    large = RECORDS["P0023"]
    small = large | {"id": "small", "units": large["units"][:23]}
    retreat = large | {"id": "retreat", "phase": "retreat"}
    assert [r["id"] for r in chosen(_file(tmp_path / "some.jsonl", [small, large, retreat]))] == ["P0023"]


@pytest.mark.parametrize("text", ["", "no JSON\n", "[1]\n", '{"phase": "movement"}\n'])
def test_a_file_without_positions_is_refused_in_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(NoPositions, match=r"empty\.jsonl"):
        chosen(path)
    progress = io.StringIO()
    assert run.run(path, io.StringIO(), progress) == 1
    assert progress.getvalue().count("\n") == 1


# Agreement


def test_our_count_falls_with_an_expectation_that_is_wrong() -> None:
    ours = run.Ours(STANDARD)
    good = [RECORDS["P0023"], RECORDS["P0069"]]
    wrong = good[0] | {"expect": good[0]["expect"] | {"positions": good[0]["expect"]["positions"][1:]}}
    assert run.count_agreeing(ours, good) == 2
    assert run.count_agreeing(ours, [wrong, good[1]]) == 1


def test_diplomacy_agrees_on_what_it_was_chosen_by() -> None:
    """The file holds only positions on which this package agreed (tests/data/datc/README.md)."""
    some = [RECORDS[name] for name in sorted(RECORDS)[::20]]
    assert run.count_agreeing(_peer("diplomacy"), some) == len(some)


def test_diplomacy_is_told_of_a_crossing_between_neighbours() -> None:
    peer = _peer("diplomacy")
    over_water = [r for r in RECORDS.values() if any(o.get("via_convoy") for o in r["orders"])]
    assert over_water
    assert run.count_agreeing(peer, over_water) == len(over_water)


def test_pydip_lets_a_fleet_in_a_port_cut_the_support_against_itself() -> None:
    """Its known fault, trap T5 of tests/data/datc/engine_traps.json."""
    peer = _peer("pydip")
    # In P0023 the fleet in Smyrna attacks Syria, whose army supports the attack on Smyrna.
    assert run.count_agreeing(peer, [RECORDS["P0023"]]) == 0
    # Positions without that fault come out as expected.
    some = [RECORDS[name] for name in ("P0399", "P0588")]
    assert run.count_agreeing(peer, some) == 2


# The lines


@pytest.mark.usefixtures("quick")
def test_every_line_has_what_value_and_unit(tmp_path: Path) -> None:
    lines = _lines(_file(tmp_path / "two.jsonl", [RECORDS["P0399"], RECORDS["P0588"]]))
    for line in lines:
        assert {"what", "value", "unit"} <= set(line)
        assert ("peer" in line) == ("ratio" in line)
    names = [line["what"] for line in lines]
    for part in ("positions judged", "median", "99th percentile", "108 units over 54", "memory", "loading"):
        assert any(part in name for name in names), part
    (galloper_line,) = [line for line in lines if line.get("judge") == "galloper"]
    assert (galloper_line["value"], galloper_line["of"]) == (2, 2)


@pytest.mark.usefixtures("quick")
def test_an_absent_peer_is_named_with_the_way_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(package: str) -> str:
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "version", absent)
    lines = _lines(_file(tmp_path / "one.jsonl", [RECORDS["P0399"]]))
    missing = [line for line in lines if line["what"] == "peer absent"]
    assert {line["value"] for line in missing} == {"diplomacy", "pydip"}
    assert all("bench" in line["how"] for line in missing)
    assert not any("peer" in line for line in lines)


@pytest.mark.usefixtures("quick")
def test_a_full_turn_of_each_game_has_its_limit_beside_it(tmp_path: Path) -> None:
    """The limits of issue 8: 5 ms for Bretwalda, 1066 and Brittania with ten players, 10 ms for 1648."""
    out = io.StringIO()
    path = _file(tmp_path / "one.jsonl", [RECORDS["P0399"]])
    games = ("bretwalda", "britain1066", "war1648", "brittania", "w3k")
    assert run.run(path, out, io.StringIO(), games) == 0
    lines = {
        line["what"]: line
        for line in map(json.loads, out.getvalue().splitlines())
        if line["what"] != "peer absent"
    }
    assert list(lines) == [f"full turn of {slug}, median" for slug in games]
    assert [line.get("limit_ms") for line in lines.values()] == [5, 5, 10, 5, None]
    for line in lines.values():
        assert line["unit"] == "ms"
        assert 0 < line["value"] <= line["worst"]
        assert ("within" in line) == ("limit_ms" in line)
        if "limit_ms" in line:
            assert line["within"] == (line["worst"] <= line["limit_ms"])
        if "peer" in line:
            assert line["ratio"] == pytest.approx(line["peer_value"] / line["value"], rel=0.05, abs=0.02)


def test_a_game_that_is_not_there_is_named() -> None:
    with pytest.raises(maps.MapError, match="atlantis"):
        run.run(None, io.StringIO(), io.StringIO(), ("atlantis",))


@pytest.mark.parametrize("slug", maps.variants())
def test_a_full_turn_is_full(slug: str) -> None:
    """Every kind of phase of the game but its retreats; a unit on every centre, or every power with something
    to lose."""
    variant = maps.load(slug)
    for turn in adj_games.turns(variant, 3, 7):
        kinds = {position.phase.kind for position, _ in turn.phases}
        assert kinds | {PhaseKind.RETREAT} >= {kind for _, kind in variant.calendar.steps}
        position, orders = turn.phases[0]
        if position.phase.kind is PhaseKind.MOVEMENT:
            assert {unit.region.province for unit in position.units} == set(variant.board.centres())
            assert len(orders) == len(position.units)
        else:
            assert set(position.centres) == set(variant.powers) == {order.power for order in orders}


# Full boards


def test_a_full_board_has_a_unit_and_an_order_on_every_centre() -> None:
    centres = list(W3K.board.centres())
    position, orders = full_board(W3K, Random(1), centres)
    assert {u.region.province for u in position.units} == set(centres)
    assert len(orders) == len(centres) == 109
    resolution = judge(W3K.context(), W3K.rules, position, orders)
    assert not [o.why for o in resolution.outcomes if o.result == "void"]
    assert {"bounced", "cut", "dislodged"} <= {o.reason for o in resolution.outcomes}


def test_the_same_seed_gives_the_same_board() -> None:
    places = sorted(W3K.board.provinces)[::2]
    assert full_board(W3K, Random(7), places) == full_board(W3K, Random(7), places)
    assert full_board(W3K, Random(7), places) != full_board(W3K, Random(8), places)


def test_fleets_at_sea_carry() -> None:
    position, orders = full_board(W3K, Random(3), sorted(W3K.board.provinces)[::2])
    resolution = judge(W3K.context(), W3K.rules, position, orders)
    carried = [o for o in resolution.outcomes if isinstance(o.order, Convoy) and o.result == "succeeds"]
    overseas = [o for o in resolution.outcomes if isinstance(o.order, Move) and o.result == "succeeds"]
    assert carried
    assert overseas


def test_half_the_board_is_the_nearest_half() -> None:
    centres = list(W3K.board.centres())
    half = nearest_places(W3K.board, run.MIDDLE, centres, 54)
    assert len(set(half)) == 54
    assert set(half) < set(nearest_places(W3K.board, run.MIDDLE, centres, 108)) < set(centres)
    beside = {p for m in (LAND, SEA) for p in W3K.board.near(run.MIDDLE, m)} & set(centres)
    assert beside <= set(half[: len(beside) + 1])
    assert not {"Shetland", "Jersey"} & set(half)
