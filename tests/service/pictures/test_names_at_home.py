"""LET-16: names and marks are where a player looks for them. Latitudes are those of any atlas."""

from __future__ import annotations

import re

import numpy as np
import pytest
import shapely

import maps
from service.pictures import A3, A4
from service.pictures.board.inset import outline
from service.pictures.board.legend import letter_note
from service.pictures.board.map_sheet import draw_map
from service.pictures.board.shipped_maps import board_plan
from service.pictures.board.town_lands import draw_town_lands
from service.pictures.drawing.values import GroundKind, MapOptions, PaperSize

PAPERS = (A3, A4)
COAST = r'<g class="coast"><text x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]+)</text>'
"""The name of a coast as it is drawn: x, y in millimetres and its words."""


def degrees(slug: str, region: str, paper: PaperSize) -> tuple[float, float]:
    """Longitude and latitude of the middle of a region's name."""
    plan = board_plan(slug, paper)
    box = next(label.box for label in plan.labels if label.region == region)
    sheet = plan.sheet
    x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    kilometres = [[sheet.west + (x - sheet.inside.x0) * sheet.scale,
                   sheet.north - (y - sheet.inside.y0) * sheet.scale]]
    lon, lat = sheet.projection.inverse(np.array(kilometres))[0]
    return float(lon), float(lat)


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
@pytest.mark.parametrize(("slug", "region"), [("bretwalda", "Ork"), ("brittania", "Orkney")])
def test_orkneys_name_stands_on_orkney_and_not_on_shetland(slug: str, region: str, paper: PaperSize) -> None:
    # Orkney lies between 58.7 and 59.4 N, Shetland from 59.8 N on.
    _, lat = degrees(slug, region, paper)
    assert 58.5 < lat < 59.5
    seal = board_plan(slug, paper).sheet.places[region].seal
    assert seal is not None


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_the_firth_of_forth_is_named_at_the_forth(paper: PaperSize) -> None:
    # Edinburgh is at 56.0 N, the Isle of May at 56.2 N 2.6 W, Orkney beyond 58.7 N.
    lon, lat = degrees("britain1066", "FOF", paper)
    assert 55.5 < lat < 57.2
    assert -3.2 < lon < 0.5


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_the_boxes_beside_1066_stand_upright_and_hold_their_names(paper: PaperSize) -> None:
    plan = board_plan("britain1066", paper)
    boxes = [province.id for province in maps.load("britain1066").board.provinces.values()
             if "off_board" in province.marks]
    assert len(boxes) == 24
    labels = {label.region: label.box for label in plan.labels}
    for box in boxes:
        shape = plan.sheet.places[box].shape
        left, top, right, bottom = shape.bounds
        # An upright rectangle fills its bounds; rounded to a thousandth of a degree.
        assert shape.area > 0.985 * (right - left) * (bottom - top)
        assert left < labels[box].x0 < labels[box].x1 < right
        assert top < labels[box].y0 < labels[box].y1 < bottom
        # Whole on the paper: the outer ones lost their frames to the map's, and were no wider than a name.
        inside = plan.sheet.inside
        assert min(left - inside.x0, inside.x1 - right, inside.y1 - bottom) > 1


def drawn(slug: str, paper: PaperSize) -> str:
    """The map of a board as it is at its start."""
    variant = maps.load(slug)
    centres = {owner: sorted(regions) for owner, regions in variant.start.centres.items()}
    return draw_map(variant, maps.shapes(slug), centres, variant.title, "at the start", MapOptions(paper),
                    board_plan(slug, paper))


@pytest.mark.parametrize(("slug", "coasts"), [("standard", 6), ("w3k", 12)])
def test_named_coasts_stand_in_the_water_before_their_shore(slug: str, coasts: int) -> None:
    """LET-16: a fleet in Spain or Devon is on one coast, which no map of theirs named."""
    names = re.findall(COAST, drawn(slug, A3))
    # Where a shore has no room for its name off every other there is none: at most one in six.
    assert len(names) >= coasts - coasts // 6
    plan = board_plan(slug, A3)
    for x, y, _ in names:
        assert not plan.sheet.land.contains(shapely.Point(float(x), float(y)))
        assert not any(label.box.x0 < float(x) < label.box.x1 and label.box.y0 < float(y) < label.box.y1
                       for label in plan.labels)


def test_spain_has_its_north_coast_north_of_its_south_coast() -> None:
    names = re.findall(COAST, drawn("standard", A3))
    x0, y0, x1, y1 = board_plan("standard", A3).sheet.places["SPA"].shape.bounds
    heights = {words: float(y) for x, y, words in names
               if x0 - 8 < float(x) < x1 + 8 and y0 - 8 < float(y) < y1 + 8}
    assert heights["North Coast"] < heights["South Coast"]


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_the_frame_of_the_inset_stops_at_names(paper: PaperSize) -> None:
    plan = board_plan("w3k", paper)
    (inset_plan,) = plan.insets
    line = outline(inset_plan.window, [label.box for label in plan.labels])
    numbers = [float(number) for number in re.findall(r"-?\d+\.?\d*", line.split('"')[1])]
    points = list(zip(numbers[::2], numbers[1::2], strict=True))
    for label in plan.labels:
        box = label.box
        assert not any(box.x0 < x < box.x1 and box.y0 < y < box.y1 for x, y in points), label.region


def test_letters_that_begin_no_name_are_explained() -> None:
    """LET-16: R, G and I of w3k and the H of Spain on the board of 1648."""
    notes = {(slug, power.letter): letter_note(power) for slug in maps.variants()
             for power in maps.load(slug).powers.values()}
    assert notes["w3k", "R"] == "R for Rupert"
    assert notes["w3k", "G"] == "G for Graham"
    assert notes["w3k", "I"] == "I for Irish"
    assert notes["war1648", "H"] == "H for Hispania"
    assert notes["war1648", "T"] == "T for Turks"
    assert notes["britain1066", "L"] == "L in Welsh"
    assert notes["standard", "A"] == notes["w3k", "C"] == ""
    assert "R for Rupert" in drawn("w3k", A3)


def test_the_land_around_a_town_has_its_owners_wash() -> None:
    """LET-16: a town's disc of 3 mm alone is not seen at arm's length. Glamorgan's towns are the Crown's at
    the start; no land is washed for a town that no one owns."""
    plan, variant = board_plan("w3k", A3), maps.load("w3k")
    washes = re.findall(r'<path class="around" data-power="([^"]+)"', drawn("w3k", A3))
    owners = {owner for owner, regions in variant.start.centres.items() for region in regions
              if plan.sheet.places[region].ground is GroundKind.TOWN}
    assert set(washes) == {owner.replace("&", "&amp;") for owner in owners}
    assert draw_town_lands(plan.sheet, {}) == ""
