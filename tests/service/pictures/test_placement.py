"""MAP-01: names are placed once at development time; what is shipped is what the solver gives, and a file of
another board is noticed."""

from __future__ import annotations

import json
import logging
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import maps
from service.pictures import board_plan, plan_map
from service.pictures.board import placement
from service.pictures.board.placement import (
    PlacementOutdated,
    board_digest,
    placement_file,
    placement_text,
    plan_from,
    read_placement,
)
from service.pictures.drawing.values import A3, A4, Label, PaperSize

STANDARD = maps.load("standard")
SHEETS = [
    pytest.param("standard", A3), pytest.param("standard", A4),
    pytest.param("w3k", A3, marks=pytest.mark.slow), pytest.param("w3k", A4, marks=pytest.mark.slow),
]


def shipped_text(slug: str, paper: PaperSize) -> str:
    return placement_file(maps.folder(slug), paper).read_text(encoding="utf-8")


def spot(label: Label) -> tuple[float, float, float, float]:
    return label.box.x0, label.box.y0, label.box.x1, label.box.y1


@pytest.mark.parametrize(("slug", "paper"), SHEETS)
def test_the_solver_gives_what_is_shipped(slug: str, paper: PaperSize) -> None:
    """Worked out again from the same board, without the file."""
    variant, shapes = maps.load(slug), maps.shapes(slug)
    solved, shipped = (
        plan_map(variant, shapes, paper),
        read_placement(shipped_text(slug, paper), variant, shapes, paper),
    )
    assert len(solved.labels) == len(shipped.labels) == len(variant.board.provinces)
    for label, expected in zip(solved.labels, shipped.labels, strict=True):
        assert (label.region, label.wording) == (expected.region, expected.wording)
        assert spot(label) == pytest.approx(spot(expected), abs=0.001), label.region
        assert (label.leader is None) == (expected.leader is None)
    assert solved.pieces == shipped.pieces
    assert solved.base == shipped.base
    assert [(inset.window, inset.box, inset.base) for inset in solved.insets] == [
        (inset.window, inset.box, inset.base) for inset in shipped.insets
    ]
    for solved_inset, shipped_inset in zip(solved.insets, shipped.insets, strict=True):
        assert [label.wording for label in solved_inset.labels] == [label.wording
            for label in shipped_inset.labels]


@pytest.mark.slow
def test_every_board_that_is_drawn_comes_with_its_placing_and_nobody_waits_for_the_solver(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def solve(*_: object) -> object:
        raise AssertionError("the solver ran")

    # Working a placement out takes seconds, and the first visitor would wait.
    monkeypatch.setattr(placement, "plan_map", solve)
    for slug in maps.variants():
        if maps.shapes(slug):
            for paper in (A3, A4):
                assert board_plan.__wrapped__(slug, paper).labels


def test_a_file_of_another_board_is_noticed_and_not_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A province gets another name: the shipped file would print the old one."""
    shutil.copy(placement_file(maps.folder("standard"), A3), tmp_path)
    london = STANDARD.board.provinces["LON"]
    other = replace(STANDARD, board=replace(
        STANDARD.board, provinces={**STANDARD.board.provinces, "LON": replace(london, name="Londinium")}))
    with caplog.at_level(logging.WARNING):
        plan = plan_from(tmp_path, other, maps.shapes("standard"), A3)
    (label,) = [label for label in plan.labels if label.region == "LON"]
    assert " ".join(label.wording.lines).lower() == "londinium"
    (warning,) = caplog.messages
    assert "placing-a3.json is not used (board or paper have changed since it was made)" in warning
    assert "python -m service.pictures.board.place_names standard" in warning


def test_the_mark_follows_everything_that_a_name_is_placed_by() -> None:
    shapes = maps.shapes("standard")
    lon = shapes["LON"]
    moved = {**shapes, "LON": replace(lon, polygons=(((
        *lon.polygons[0][0][:-1], (lon.polygons[0][0][-1][0] + 0.001, lon.polygons[0][0][-1][1])),),))}
    fewer = dict(list(STANDARD.powers.items())[1:])
    marks = [
        board_digest(STANDARD, shapes, A3), board_digest(STANDARD, shapes, A4),
        board_digest(STANDARD, moved, A3),
        board_digest(replace(STANDARD, title="Another"), shapes, A3),
        board_digest(replace(STANDARD, powers=fewer), shapes, A3),
        board_digest(replace(STANDARD, capitals={"England": ("LON",)}), shapes, A3),
    ]
    assert len(set(marks)) == len(marks)


def test_type_of_another_width_is_noticed() -> None:
    """Another version of the typeface: names as placed would run into each other."""
    saved_plan = json.loads(shipped_text("standard", A3))
    saved_plan["labels"][0]["box"][2] += 0.1
    with pytest.raises(PlacementOutdated, match="type is of another size on this machine"):
        read_placement(json.dumps(saved_plan), STANDARD, maps.shapes("standard"), A3)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "null"])
def test_a_broken_file_is_stale_and_no_fault(text: str) -> None:
    with pytest.raises(PlacementOutdated, match="cannot be read"):
        read_placement(text, STANDARD, maps.shapes("standard"), A3)


def test_a_plan_survives_being_written() -> None:
    plan, shapes = board_plan("standard"), maps.shapes("standard")
    again = read_placement(placement_text(STANDARD, shapes, plan, A3), STANDARD, shapes, A3)
    assert again.labels == plan.labels
    assert again.base == plan.base


@pytest.mark.slow
def test_a_map_in_a_new_process_needs_no_solver() -> None:
    """A process that draws its first map: three quarters of its time went into placing names."""
    # `_settle` is the solver: a process that calls it fails here.
    code = ("import sys, maps; from service.pictures import board_svg; from service.pictures.board import "
            "labels; "
            "labels._settle = None; v = maps.load('w3k'); "
            "sys.stdout.write(board_svg(v, v.start.centres, 'Powick Bridge', 'in 1643')[:4])")
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (process.returncode, process.stdout) == (0, "<svg"), process.stderr
