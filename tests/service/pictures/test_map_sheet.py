"""The map of control: every name in its place, every owner seen without colour, and files that open."""

from __future__ import annotations

import ctypes
import io
import itertools
import math
import unicodedata
from collections import Counter
from functools import cache
from xml.etree import ElementTree as ET

import numpy as np
import pypdfium2
import pytest
import shapely
import shapely.affinity
from PIL import Image
from pypdfium2 import raw

import maps
from service.pictures import MapPlan, NoShapes, board_pdf, board_plan, draw_map, plan_map, to_png
from service.pictures.board.inset import magnification
from service.pictures.board.labels import PAD
from service.pictures.drawing.hatch import PATTERNS, hatch
from service.pictures.drawing.projection import (
    EARTH_KM,
    EqualArea,
    Projection,
    TransverseMercator,
    projection_for,
)
from service.pictures.drawing.values import A3, A4, GroundKind, Label, PaperSize, Rect

SVG = "{http://www.w3.org/2000/svg}"
BOARDS = [slug for slug in maps.variants() if maps.shapes(slug)]
SHEETS = [(slug, paper) for slug in BOARDS for paper in (A3, A4)]
W3K = maps.load("w3k")
NASTY = "<script>alert(1)</script>\r\n\"&'" + "x" * 500


@cache
def picture(slug: str, title: str = "Powick Bridge") -> str:
    variant = maps.load(slug)
    return draw_map(
        variant, maps.shapes(slug), variant.start.centres, title, "Winter 1643", plan=board_plan(slug)
    )


@pytest.fixture(scope="module")
def pdf() -> bytes:
    return board_pdf(W3K, W3K.start.centres, W3K.title, "as they stood in Summer 1642")


def _box(rect: Rect) -> shapely.Polygon:
    return shapely.box(rect.x0, rect.y0, rect.x1, rect.y1)


@pytest.mark.parametrize(("slug", "paper"), SHEETS)
def test_each_region_is_named_once_and_no_two_names_touch(slug: str, paper: PaperSize) -> None:
    plan = board_plan(slug, paper)
    assert sorted(left.region for left in plan.labels) == sorted(maps.load(slug).board.provinces)
    for left, right in itertools.combinations(plan.labels, 2):
        assert not left.box.grown(PAD / 2 - 1e-6).meets(right.box.grown(PAD / 2 - 1e-6)), (
            left.region,
            right.region,
        )


@pytest.mark.parametrize(("slug", "paper"), SHEETS)
def test_each_name_stays_with_its_region_and_off_every_mark(slug: str, paper: PaperSize) -> None:
    plan = board_plan(slug, paper)
    places = plan.sheet.places
    marks = _marks(plan)
    tree = shapely.STRtree(marks)
    for label in plan.labels:
        box = _box(label.box)
        distance = shapely.distance(box, places[label.region].shape)
        assert distance <= 2.3 or label.leader is not None, label.region
        assert distance <= 9.0, label.region
        assert not len(tree.query(box, predicate="intersects")), label.region
        assert plan.sheet.inside.grown(-1).x0 <= label.box.x0
        assert label.box.y1 <= plan.sheet.inside.grown(-1).y1


@pytest.mark.parametrize(("slug", "paper"), SHEETS)
def test_a_sea_keeps_its_name_on_its_own_water(slug: str, paper: PaperSize) -> None:
    plan = board_plan(slug, paper)
    wet = [
        label
        for label in plan.labels
        if plan.sheet.places[label.region].ground in {GroundKind.SEA, GroundKind.AREA}
    ]
    shares = [
        _box(label.box).intersection(plan.sheet.places[label.region].shape).area / _box(label.box).area
        for label in wet
    ]
    assert wet
    # A narrow sea may let its name run over the shore, most may not.
    assert float(np.median(shares)) == 1.0
    assert min(shares) > 0.45


@pytest.mark.parametrize(("slug", "paper"), SHEETS)
def test_furniture_hides_no_land_and_no_name(slug: str, paper: PaperSize) -> None:
    plan = board_plan(slug, paper)
    pieces = list(plan.pieces.values())
    for left, right in itertools.combinations(pieces, 2):
        assert not left.meets(right)
    for piece in pieces:
        assert not any(piece.meets(label.box) for label in plan.labels)
        # Square millimetres: an islet of Malta's size may lie under the open scale bar.
        assert plan.sheet.land.intersection(_box(piece)).area < 1.0
        assert not any(_box(piece).intersects(mark) for mark in _marks(plan))


def _marks(plan: MapPlan) -> list[shapely.Polygon]:
    return [shapely.Point(p.seal).buffer(p.radius) for p in plan.sheet.places.values() if p.seal is not None]


@pytest.mark.parametrize("paper", [A3, A4])
def test_where_the_board_is_crowded_it_is_drawn_once_more_and_larger(paper: PaperSize) -> None:
    """MAP-01: the densest part of the board, over open water, with names that touch neither each other nor a
    mark, fewer of them short than on the map."""
    plan = board_plan("w3k", paper)
    (inset,) = plan.insets
    middle = inset.window
    inside = {name for name, place in plan.sheet.places.items()
              if middle.x0 < place.shape.representative_point().x < middle.x1
              and middle.y0 < place.shape.representative_point().y < middle.y1}
    for x, y in itertools.product(
        np.arange(30, paper.width - 60, 15.0), np.arange(30, paper.height - 60, 15.0)
    ):
        other = {name for name, place in plan.sheet.places.items()
                 if x < place.shape.representative_point().x < x + middle.width
                 and y < place.shape.representative_point().y < y + middle.height}
        assert len(other) <= len(inside), (x, y)
    # A mark that the edge cut would have no name.
    edge = _box(middle).boundary
    assert [name for name, place in plan.sheet.places.items() if place.seal
            and shapely.Point(place.seal).buffer(place.radius).intersects(edge)] == []
    names = {label.region for label in inset.labels}
    assert len(names) >= 14
    assert names <= set(inset.sheet.places)
    for first, second in itertools.combinations(inset.labels, 2):
        assert not first.box.grown(PAD / 2 - 1e-6).meets(second.box.grown(PAD / 2 - 1e-6)), (
            first.region,
            second.region,
        )
    marks = [shapely.Point(p.seal).buffer(p.radius) for p in inset.sheet.places.values()
        if p.seal is not None]
    for label in inset.labels:
        assert not any(_box(label.box).intersects(mark) for mark in marks), label.region
        assert inset.sheet.inside.x0 <= label.box.x0 < label.box.x1 <= inset.sheet.inside.x1
        assert inset.sheet.inside.y0 <= label.box.y0 < label.box.y1 <= inset.sheet.inside.y1
    short = {label.region for label in plan.short()} & names
    assert sum(label.wording.short for label in inset.labels) < len(short)
    times = magnification(middle, paper)
    assert times > 1.4
    larger = shapely.affinity.scale(plan.sheet.places["Cunninghame"].shape, times, times)
    assert inset.sheet.places["Cunninghame"].shape.area == pytest.approx(larger.area, rel=1e-6)


def test_an_inset_shows_the_same_owners_and_a_board_with_room_has_none() -> None:
    root = ET.fromstring(picture("w3k"))
    (group,) = [node for node in root.iter(f"{SVG}g") if node.get("class") == "inset"]
    owners = {
        seal.get("data-region"): seal.get("data-power")
        for seal in root.iter(f"{SVG}g")
        if seal.get("class") == "seal"
    }
    inset_owners = {
        seal.get("data-region"): seal.get("data-power")
        for seal in group.iter(f"{SVG}g")
        if seal.get("class") == "seal"
    }
    assert len(inset_owners) > 6
    assert {owners[name] for name in inset_owners} >= {"Argyll", "Hamilton", None}
    owner_by_region = {region: owner for owner, regions in W3K.start.centres.items() for region in regions}
    assert inset_owners == {name: owner_by_region.get(str(name)) for name in inset_owners}
    assert board_plan("standard").insets == ()


def test_short_names_are_few_and_explained_on_the_map() -> None:
    plan = board_plan("w3k")
    assert 0 < len(plan.short()) <= 15
    words = _words(picture("w3k"))
    for label in plan.short():
        assert f"{label.wording.lines[0]}  {plan.sheet.places[label.region].name}" in words


def _words(svg: str) -> list[str]:
    return ["".join(node.itertext()) for node in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("slug", BOARDS)
def test_the_legend_speaks_of_towns_and_counties_only_where_the_board_has_them(slug: str) -> None:
    """The handbook's board has counties with towns in them (County Cork, Cork); those of the other games'
    rules have none."""
    counties = {
        slug
        for slug in BOARDS
        if {"County Cork", "Cork"} <= {province.name for province in maps.load(slug).board.provinces.values()}
    }
    legend_lines = [
        words
        for words in _words(picture(slug))
        if ("town" in words or "county" in words) and words != maps.load(slug).note
    ]
    expected = ["a town, as wide as its ground; a wash of its owner around",
                "the centre of a county, and its owner"]
    assert legend_lines == (expected if slug in counties else [])



@pytest.mark.parametrize("slug", BOARDS)
def test_every_owner_is_seen_by_letter_and_pattern(slug: str) -> None:
    variant = maps.load(slug)
    root = ET.fromstring(picture(slug))
    seals: Counter[str] = Counter()
    for inset in [node for node in root if node.get("class") == "inset"]:
        root.remove(inset)
    for seal in root.iter(f"{SVG}g"):
        if seal.get("class") == "seal" and seal.get("data-power"):
            power = variant.powers[str(seal.get("data-power"))]
            letters = [node.text for node in seal.iter(f"{SVG}text")]
            assert letters == [power.letter]
            seals[power.id] += 1
    assert seals == Counter({owner: len(held) for owner, held in variant.start.centres.items() if held})
    for group in root.iter(f"{SVG}g"):
        if group.get("class") == "held":
            assert group.get("data-pattern") == variant.powers[str(group.get("data-power"))].pattern
            assert len(str(list(group)[-1].get("d"))) > 20
    assert len({power.letter for power in variant.powers.values()}) == len(variant.powers)
    assert len({power.pattern for power in variant.powers.values()}) == len(variant.powers)
    assert {power.pattern for power in variant.powers.values()} <= set(PATTERNS)


def test_patterns_differ_from_each_other_in_grey() -> None:
    """Drawn in black in a square, no two patterns share more than two thirds of their ink."""
    square = shapely.box(0, 0, 6, 6)
    ink = {name: hatch(name, square, 1.15).buffer(0.1) for name in PATTERNS}
    for name, strokes in ink.items():
        assert 0.08 < strokes.area / 36 < 0.7, name
    for left, right in itertools.combinations(ink, 2):
        common = ink[left].intersection(ink[right]).area
        assert common / max(ink[left].area, ink[right].area) < 0.67, (left, right)
    assert hatch("no such pattern", square, 1.0).length > 10


def test_every_town_shows_its_pattern_however_small() -> None:
    for name in PATTERNS:
        assert hatch(name, shapely.Point(40.3, 17.7).buffer(1.55), 0.62).length > 3


def test_colours_of_powers_differ_in_lightness_or_pattern_only_where_they_must() -> None:
    """MAP-04: the four colours the handbook names, recognised by their hue."""
    named = {"The Crown": (0, 15), "Newcastle": (300, 335), "Cumberland": (20, 40), "Montrose": (210, 240)}
    for power, (low, high) in named.items():
        red, green, blue = (int(W3K.powers[power].colour[start : start + 2], 16) for start in (1, 3, 5))
        hue = math.degrees(math.atan2(math.sqrt(3) * (green - blue), 2 * red - green - blue)) % 360
        assert low <= hue <= high, (power, hue)


def test_the_svg_is_well_formed_and_escapes_what_it_is_told() -> None:
    root = ET.fromstring(picture("w3k", NASTY.replace("\r\n", " ")))
    assert not list(root.iter(f"{SVG}script"))
    assert root.get("width") == "297mm"
    assert "href" not in picture("w3k")


def test_nobody_owns_anything_and_one_owns_everything() -> None:
    shapes = maps.shapes("w3k")
    empty = draw_map(W3K, shapes, {}, "T", "S", plan=board_plan("w3k"))
    assert any("(109 of 109)" in words for words in _words(empty))
    full = draw_map(W3K, shapes, {"Argyll": W3K.board.centres()}, "T", "S", plan=board_plan("w3k"))
    assert "109 centres" in _words(full)
    assert _words(full).count("A") >= 109


def test_an_owner_or_a_region_that_is_not_of_the_board_is_our_fault() -> None:
    shapes, plan = maps.shapes("w3k"), board_plan("w3k")
    with pytest.raises(KeyError):
        draw_map(W3K, shapes, {"Nobody": ["London"]}, "T", "S", plan=plan)
    with pytest.raises(KeyError):
        draw_map(W3K, shapes, {"Argyll": ["Atlantis"]}, "T", "S", plan=plan)
    with pytest.raises(NoShapes):
        plan_map(W3K, {})


def test_the_same_board_gives_the_same_map() -> None:
    plan: MapPlan = plan_map(maps.load("standard"), maps.shapes("standard"))
    assert plan.labels == board_plan("standard").labels


def test_the_pdf_opens_with_two_pages_on_a3_under_three_megabytes(pdf: bytes) -> None:
    document = pypdfium2.PdfDocument(pdf)
    assert len(document) == 2
    assert document[0].get_size() == pytest.approx((841.89, 1190.55), abs=0.5)
    assert len(pdf) < 3_000_000
    assert document.get_metadata_value("Title") == "Wars of the Three Kingdoms, as they stood in Summer 1642"
    index = document[1].get_textpage().get_text_range()
    # The extractor takes wide kerning for a space.
    flat = "".join(unicodedata.normalize("NFKC", index).split())
    for province in W3K.board.provinces.values():
        assert province.name.replace(" ", "") in flat
    assert "Bristol,Exeter,Glamorganshire,PendennisCastle,RaglanCastle,Worcestershire" in flat
    front = "".join(document[0].get_textpage().get_text_range().split())
    assert "county-borders.co.uk" in front
    assert "MadewithNaturalEarth" in front


def test_the_pdf_is_tagged_for_screen_readers(pdf: bytes) -> None:
    """MAP-05, OUT-13: the table of control is a table to a screen reader too."""
    document = pypdfium2.PdfDocument(pdf)
    assert raw.FPDFCatalog_IsTagged(document)
    kinds = Counter(_tags(document[1]))
    assert kinds["H1"] == 1
    assert kinds["Table"] == 1
    assert kinds["TH"] >= 4 + len(W3K.powers)


def _tags(page: pypdfium2.PdfPage) -> list[str]:
    """The kinds of all structure elements of a page."""
    tree = raw.FPDF_StructTree_GetForPage(page)
    waiting = [
        raw.FPDF_StructTree_GetChildAtIndex(tree, index)
        for index in range(raw.FPDF_StructTree_CountChildren(tree))
    ]
    tags = []
    while waiting:
        element = waiting.pop()
        if not element:
            continue
        buffer = ctypes.create_string_buffer(64)
        size = raw.FPDF_StructElement_GetType(element, buffer, 64)
        tags.append(buffer.raw[: size - 2].decode("utf-16-le"))
        waiting += [raw.FPDF_StructElement_GetChildAtIndex(element, index)
                    for index in range(raw.FPDF_StructElement_CountChildren(element))]
    return tags


def test_the_map_stands_on_a4_too() -> None:
    pdf_bytes = board_pdf(W3K, W3K.start.centres, "Powick Bridge", "at the beginning of 1643", A4)
    document = pypdfium2.PdfDocument(pdf_bytes)
    assert document[0].get_size() == pytest.approx((595.28, 841.89), abs=0.5)
    assert document[1].get_size() == pytest.approx((595.28, 841.89), abs=0.5)
    assert len(pdf_bytes) < 3_000_000
    assert board_pdf(W3K, W3K.start.centres, "Powick Bridge", "at the beginning of 1643", A4) is pdf_bytes


def test_names_stand_in_the_pdf_where_the_plan_put_them(pdf: bytes) -> None:
    """The renderer's own boxes, not ours: type measured elsewhere must not be wider than was planned."""
    page = pypdfium2.PdfDocument(pdf)[0]
    text, high = page.get_textpage(), page.get_height()
    checked = 0
    for label in board_plan("w3k").labels:
        if label.wording.spacing or len(label.wording.lines) > 1 or not label.wording.upright:
            continue
        assert any(_within(label, box) for box in _found(text, label.wording.lines[0], high)), label.region
        checked += 1
    assert checked > 40


def _found(text: pypdfium2.PdfTextPage, words: str, high: float) -> list[Rect]:
    search, boxes_of_words = text.search(words, match_case=True), []
    while (hit := search.get_next()) is not None:
        boxes = [text.get_charbox(index) for index in range(hit[0], hit[0] + hit[1])]
        edges = np.array([box for box in boxes if box[2] > box[0]]) / 72 * 25.4
        top = high / 72 * 25.4
        boxes_of_words.append(
            Rect(edges[:, 0].min(), top - edges[:, 3].max(), edges[:, 2].max(), top - edges[:, 1].min())
        )
    return boxes_of_words


def _within(label: Label, box: Rect) -> bool:
    room = label.box.grown(PAD / 2 + 0.1)
    return room.x0 <= box.x0 and box.x1 <= room.x1 and room.y0 <= box.y0 and box.y1 <= room.y1


def test_the_png_opens_at_the_width_asked_for() -> None:
    with Image.open(io.BytesIO(to_png(picture("standard"), 900))) as opened:
        assert opened.size[0] == 900
        assert opened.format == "PNG"
        assert len(opened.convert("RGB").getcolors(1_000_000) or []) > 500


def test_the_transverse_mercator_is_true_along_its_meridian() -> None:
    """One degree of a sphere of 6371 km is 111.195 km; the inverse gives the place back."""
    points = TransverseMercator().forward(np.array([[-4.0, 55.0], [-4.0, 54.0]]))
    assert points[0] == pytest.approx([0.0, 111.195], abs=0.001)
    assert points[1] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_the_equal_area_projection_keeps_areas() -> None:
    """A cell between two meridians and two parallels has the area R² · Δλ · (sin φ2 - sin φ1)."""
    for west, south in ((-10.0, 36.0), (20.0, 52.0), (40.0, 60.0)):
        ring = [
            *((west + t, south) for t in np.linspace(0, 1, 20)),
            *((west + 1, south + t) for t in np.linspace(0, 1, 20)),
            *((west + 1 - t, south + 1) for t in np.linspace(0, 1, 20)),
            *((west, south + 1 - t) for t in np.linspace(0, 1, 20)),
        ]  # fmt: skip
        drawn_area = shapely.Polygon(EqualArea().forward(np.array(ring))).area
        bands = math.sin(math.radians(south + 1)) - math.sin(math.radians(south))
        assert drawn_area == pytest.approx(EARTH_KM**2 * math.radians(1) * bands, rel=1e-4)


@pytest.mark.parametrize("projection", [TransverseMercator(), EqualArea()])
def test_projections_come_back(projection: Projection) -> None:
    places = np.array([[-10.0, 50.0], [1.5, 60.0], [-4.0, 54.0], [8.0, 47.0]])
    assert projection.inverse(projection.forward(places)) == pytest.approx(places, abs=1e-7)


def test_wide_boards_are_drawn_equal_in_area() -> None:
    assert isinstance(projection_for(-25.0, 60.0), EqualArea)
    assert isinstance(projection_for(-12.0, 7.0), TransverseMercator)
