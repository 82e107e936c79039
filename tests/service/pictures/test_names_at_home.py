"""LET-16: names and marks stand where a player looks for them. Latitudes are those of any atlas."""

from __future__ import annotations

import numpy as np
import pytest

import maps
from service.pictures import A3, A4
from service.pictures.board.shipped_maps import board_plan
from service.pictures.drawing.values import PaperSize

PAPERS = (A3, A4)


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
        middle = ((labels[box].x0 + labels[box].x1) / 2, (labels[box].y0 + labels[box].y1) / 2)
        assert left < middle[0] < right
        assert top < middle[1] < bottom
