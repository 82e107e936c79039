"""A sketch of a board from its tables: what is adjacent touches along a line and nothing else does (BEY-07).

Shapely shows what touches; the sketch itself never uses it.
"""

from __future__ import annotations

import json
import random
import shutil
from itertools import combinations
from pathlib import Path

import pytest
from typer.testing import CliRunner

import maps
from maps import loader
from service.cli.main import app
from service.features.sketch.mesh import HEIGHT, WIDTH, mesh_of, signed_areas, spread_of
from service.features.sketch.outlines import _cells, _smooth, borders_of, sketch_board, touching
from service.features.sketch.planar import Border, Scattered, lay_flat
from service.features.sketch.relax import relaxed
from service.pictures import board_svg
from tests.support.features import commands_of


def field(seed: int, wide: int = 4, high: int = 4) -> list[Border]:
    """Borders of a field of squares with some diagonals, some borders taken out, and three islands at one
    place each: faces of many corners, and provinces that stand twice around a face."""
    rng = random.Random(seed)
    cells = [(x, y) for x in range(wide) for y in range(high)]
    pairs = [((x, y), (x + dx, y + dy)) for x, y in cells for dx, dy in ((1, 0), (0, 1), (1, 1))
             if (x + dx, y + dy) in cells and rng.random() < (0.4 if dx and dy else 0.85)]
    borders = [(f"{a[0]}{a[1]}", f"{b[0]}{b[1]}") for a, b in pairs]
    return borders + [(f"{rng.randrange(wide)}{rng.randrange(high)}", f"island {name}") for name in "abc"]


@pytest.mark.parametrize("seed", range(8))
def test_what_is_adjacent_touches_and_nothing_else_does(seed: int) -> None:
    borders = field(seed)
    provinces = {province for border in borders for province in border}
    try:
        flat = lay_flat(provinces, borders)
    except Scattered as error:
        # The largest part alone is a board too.
        part = set(error.parts[0])
        flat = lay_flat(part, [border for border in borders if part.issuperset(border)])
    assert not flat.left_out
    outer = max(range(len(flat.faces)), key=lambda face: spread_of(flat, face))
    mesh = relaxed(mesh_of(flat, outer))
    assert signed_areas(mesh.points, mesh.triangles).min() > 0
    wanted = {(min(border), max(border)) for border in flat.borders}
    cells = _cells(mesh)
    assert touching(cells) == wanted
    shapes = _smooth(cells, flat)
    assert touching(shapes) == wanted
    assert sum(shape.area for shape in shapes.values()) == pytest.approx(WIDTH * HEIGHT)


@pytest.mark.parametrize(("provinces", "borders", "left_out"), [
    # K. Kuratowski, 1930: five that all touch, and three that touch three others, cannot lie on a plane.
    ("abcde", list(combinations("abcde", 2)), 1),
    ("abcxyz", [(one, other) for one in "abc" for other in "xyz"], 1),
    ("abcd", list(combinations("abcd", 2)), 0),
])
def test_borders_that_would_cross_are_left_out_and_named(
    provinces: str, borders: list[Border], left_out: int
) -> None:
    flat = lay_flat(provinces, borders)
    assert len(flat.left_out) == left_out
    assert set(flat.borders) == set(borders) - set(flat.left_out)
    # The last ones give way: a board lists its borders by sea last.
    assert flat.left_out == tuple(borders[len(borders) - left_out:])


def test_a_place_without_a_way_to_it_is_named() -> None:
    with pytest.raises(Scattered) as caught:
        lay_flat("abcd", [("a", "b"), ("b", "c")])
    assert caught.value.parts == (("a", "b", "c"), ("d",))


def test_north_lies_up_and_west_left_and_the_same_board_gives_the_same_sketch() -> None:
    board = maps.load("brittania").board
    sketch = sketch_board(board, north="Orkney", west="Connachta")
    assert sketch.shapes["Orkney"].centroid.y > HEIGHT / 2
    assert sketch.shapes["Connachta"].centroid.x < WIDTH / 2
    assert sketch.geojson() == sketch_board(board, north="Orkney", west="Connachta").geojson()
    assert touching(sketch.shapes) == set(borders_of(board)) - set(sketch.left_out)


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["standard", "bretwalda", "war1648"])
def test_a_real_board_is_sketched_exactly(slug: str) -> None:
    board = maps.load(slug).board
    sketch = sketch_board(board)
    assert touching(sketch.shapes) == set(borders_of(board)) - set(sketch.left_out)
    areas = sorted(shape.area for shape in sketch.shapes.values())
    # Each place can be found: none is under a sixth of an even share.
    assert areas[0] > WIDTH * HEIGHT / len(areas) / 6


def test_the_command_writes_a_board_that_can_be_drawn_and_says_what_it_cannot_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "isles"
    shutil.copytree(maps.folder("brittania"), folder, ignore=shutil.ignore_patterns("partition*", "placing*"))
    run = CliRunner().invoke
    result = run(app, ["map", "sketch", str(folder), "--north", "Atlantis"])
    assert result.exit_code == 1
    assert "Atlantis is not a province" in result.stderr
    result = run(app, ["map", "sketch", str(folder), "--north", "orkney", "--json"])
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    assert [sorted(pair) for pair in answer["adjacent_without_touching"]] == [
        ["North Channel (5)", "The Isles"]]
    again = run(app, ["map", "sketch", str(folder)])
    assert again.exit_code == 1
    assert "which was not changed" in again.stderr
    assert run(app, ["map", "check", str(folder)]).exit_code == 0

    monkeypatch.setattr(loader, "_roots", loader._roots)
    maps.add_folder(tmp_path)
    variant = maps.load("isles")
    picture = board_svg(variant, variant.start.centres, variant.title, "601")
    words = " ".join(picture.split())
    assert "places that touch along a line are adjacent" in words
    assert "North Channel (5) and The Isles" in words
    # Nothing on a sketch has a distance or a degree.
    assert "MILES" not in words.upper()
    assert "°" not in words


def test_its_commands() -> None:
    assert commands_of("sketch") == {"map sketch"}
