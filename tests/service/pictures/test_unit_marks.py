"""Units on the map: none by default, and where a game requests them each in its region (MAP-03, Q-13)."""

from __future__ import annotations

import io
import itertools
import unicodedata
from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree as ET

import pypdfium2
import pytest
import shapely
from fastapi.testclient import TestClient

import maps
from service.facts.options import YES_OR_NO
from service.pictures import board_pdf, board_plan, board_svg
from service.pictures.board.labels import NameGround, step_aside
from service.pictures.board.unit_marks import unit_boxes
from service.pictures.drawing.values import A3, A4, PaperSize
from service.store.tables import GameRow
from tests.support.public_site import map_of, visitor
from tests.support.site import Site
from tests.support.table import Table, open_table

SVG = "{http://www.w3.org/2000/svg}"
W3K = maps.load("w3k")


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


@pytest.fixture
def client(site: Site, table: Table) -> Iterator[TestClient]:
    with visitor(site, map_of(table)) as browser:
        yield browser


def plates(svg: str) -> list[tuple[str, str, str]]:
    """Power, kind and region of each plate of the map itself: those in its inset are there once more."""
    root = ET.fromstring(svg)
    again = [plate for group in root.iter(f"{SVG}g") if group.get("class") == "inset"
             for plate in _plates(group)]
    on_map = Counter(_plates(root))
    assert set(again) <= set(on_map)
    return list((on_map - Counter(again)).elements())


def _plates(node: ET.Element) -> list[tuple[str, str, str]]:
    return [(str(group.get("data-power")), str(group.get("data-kind")), str(group.get("data-region")))
            for group in node.iter(f"{SVG}g") if group.get("class") == "unit"]


@pytest.mark.parametrize("paper", [A3, A4])
@pytest.mark.parametrize("slug", ["w3k", "standard"])
def test_each_unit_stands_by_its_region_off_every_mark_and_every_other_unit(
    slug: str, paper: PaperSize
) -> None:
    variant, plan = maps.load(slug), board_plan(slug, paper)
    unit_box = unit_boxes(plan.sheet, plan.labels, variant.start.units)
    assert set(unit_box) == set(variant.start.units)
    marks = [
        shapely.Point(place.seal).buffer(place.radius)
        for place in plan.sheet.places.values()
        if place.seal is not None
    ]
    seals = {place.id: place.seal for place in plan.sheet.places.values() if place.seal is not None}
    for unit, box in unit_box.items():
        plate = shapely.box(box.x0, box.y0, box.x1, box.y1)
        if unit.region.province in seals:
            # No one takes a unit for that of the next town: its own mark is the nearest.
            nearest = min(seals, key=lambda name: shapely.distance(plate.centroid,
                shapely.Point(seals[name])))
            assert nearest == unit.region.province, unit
        assert not any(plate.intersects(mark) for mark in marks), unit
        assert shapely.distance(plate, plan.sheet.places[unit.region.province].shape) < 4.0, unit
    assert not any(place.meets(other) for place, other in itertools.combinations(unit_box.values(), 2))


@pytest.mark.parametrize("paper", [A3, A4])
@pytest.mark.parametrize("slug", ["w3k", "standard"])
def test_names_step_aside_for_units_and_stay_whole(slug: str, paper: PaperSize) -> None:
    """What a plate would cover is set elsewhere: off every plate, mark and other name, as long as it was. On
    A4 two names of the thickest crowd may keep a plate at their edge; they stand whole in the inset."""
    variant, plan = maps.load(slug), board_plan(slug, paper)
    boxes = list(unit_boxes(plan.sheet, plan.labels, variant.start.units).values())
    names = step_aside(NameGround(plan.sheet, plan.pieces.values()), plan.labels, boxes)
    assert [label.region for label in names] == [label.region for label in plan.labels]
    covered = [label for label in names if any(label.box.meets(box) for box in boxes)]
    assert len(covered) <= (2 if paper is A4 else 0)
    for label in covered:
        assert label.region in {label.region for inset in plan.insets for label in inset.labels}
    marks = [
        shapely.Point(place.seal).buffer(place.radius)
        for place in plan.sheet.places.values()
        if place.seal is not None
    ]
    for label, before in zip(names, plan.labels, strict=True):
        label_box = shapely.box(label.box.x0, label.box.y0, label.box.x1, label.box.y1)
        assert before.wording.short or not label.wording.short, label.region
        assert not any(label_box.intersects(mark) for mark in marks), label.region
        assert shapely.distance(label_box,
            plan.sheet.places[label.region].shape) <= 2.3 or label.leader is not None
    assert not any(left.box.meets(right.box) for left, right in itertools.combinations(names, 2))


def test_without_units_no_name_moves() -> None:
    plan = board_plan("standard")
    assert step_aside(NameGround(plan.sheet, plan.pieces.values()), plan.labels, []) == plan.labels


def test_a_map_shows_units_only_when_they_are_given() -> None:
    """MAP-03: control alone by default."""
    centres = W3K.start.centres
    assert plates(board_svg(W3K, centres, "Powick Bridge", "in 1643")) == []
    drawn_units = Counter(plates(board_svg(W3K, centres, "Powick Bridge", "in 1643", W3K.start.units)))
    assert drawn_units == Counter((unit.power, unit.kind, unit.region.province) for unit in W3K.start.units)


@pytest.mark.slow
def test_the_pdf_says_in_words_where_each_unit_stands() -> None:
    document = pypdfium2.PdfDocument(io.BytesIO(board_pdf(
        W3K, W3K.start.centres, "Powick Bridge", "in 1643", units=W3K.start.units)))
    words = "".join(
        "".join(unicodedata.normalize("NFKC", page.get_textpage().get_text_range()).split())
        for page in document
    )
    for unit in W3K.start.units:
        assert f"{W3K.kinds[unit.kind].name}{unit.region.province}".replace(" ", "") in words, unit
    assert "Units:theletterofthepowerbesideAarmy,Ffleet." in words
    for province in W3K.board.provinces.values():
        assert province.name.replace(" ", "") in words


def test_the_public_map_shows_units_only_where_the_game_asks_for_them(
    client: TestClient, table: Table
) -> None:
    """MAP-03, Q-13: an option of the game; off, the page states that there are none."""
    base = f"/public/{table.game}/map"
    page = client.get(base).text
    assert "and no units." in page
    assert "Army" not in page
    assert plates(client.get(f"{base}.svg").text) == []
    assert "units_on_map" in YES_OR_NO
    with table.site.store.begin() as session:
        row = session.get_one(GameRow, table.game)
        row.options = {**row.options, "units_on_map": True}
    page = client.get(base).text
    assert "where each unit stood then" in page
    units = [unit for unit in W3K.start.units if unit.power == "Montrose"]
    assert all(f"{W3K.kinds[unit.kind].name} {unit.region.province}" in page for unit in units)
    assert len(plates(client.get(f"{base}.svg").text)) == len(W3K.start.units)


@pytest.mark.parametrize("end", ["-a4.pdf", pytest.param(".pdf", marks=pytest.mark.slow)])
def test_the_public_pdf_names_the_units_where_the_game_asks_for_them(
    client: TestClient, table: Table, end: str
) -> None:
    with table.site.store.begin() as session:
        row = session.get_one(GameRow, table.game)
        row.options = {**row.options, "units_on_map": True}
    pdf = client.get(f"/public/{table.game}/map{end}").content
    words = "".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(io.BytesIO(pdf)))
    assert "Army Inverness" in unicodedata.normalize("NFKC", words)


def test_units_ordered_during_a_year_are_not_on_the_map_before_its_end(
    client: TestClient, table: Table
) -> None:
    """MAP-03: the map is the year-end one; what moves in between is in the results alone."""
    with table.site.store.begin() as session:
        row = session.get_one(GameRow, table.game)
        row.options = {**row.options, "units_on_map": True}
    before = plates(client.get(f"/public/{table.game}/map.svg").text)
    table.file("Montrose", ("A Inverness - Easter Ross",))
    table.site.clock.set(table.phase().deadline)
    table.close_phase(table.phase().id)
    table.approve_phase(table.phase().id, "ada")
    assert [unit for unit in table.resolution().position.units if unit.region.province == "Easter Ross"]
    assert plates(client.get(f"/public/{table.game}/map.svg").text) == before
