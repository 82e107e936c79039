"""LET-09: written results hold a small map of what changed hands. Places are those of the board's own
file."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pypdfium2
import pytest

import maps
from service.letters.facts import GameInfo
from service.pictures import board_changes, results_pdf
from tests.support import letters_samples as samples

GAME = GameInfo("powick-bridge", "Powick Bridge", "Wars", "orders@w3k.example", "Ada Marlowe")

SVG = "{http://www.w3.org/2000/svg}"


def words_of(data: bytes) -> str:
    pages = [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(data)]
    return re.sub(r"\W+", "", "".join(pages)).casefold()


def drawn(slug: str, owners: dict[str, str | None]) -> tuple[ET.Element, list[float]]:
    root = ET.fromstring(board_changes(maps.load(slug), owners))
    return root, [float(number) for number in root.attrib["viewBox"].split()]


def test_each_changed_centre_has_its_new_owners_colour_letter_and_its_name() -> None:
    variant = maps.load("w3k")
    owners = {"Suffolk": "Manchester", "The Mearns": "Montrose", "Northumberland": None}
    root, (left, top, width, height) = drawn("w3k", owners)
    words = ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]
    fills = {element.get("fill") for element in root.iter(f"{SVG}path")}
    for centre, owner in owners.items():
        assert centre in words
        assert owner is None or variant.powers[owner].letter in words
        assert owner is None or variant.powers[owner].colour in fills
    assert variant.powers["Argyll"].colour not in fills
    assert set(root.attrib["aria-label"].split(", ")) == set(owners)
    for mark in root.iter(f"{SVG}circle"):
        assert left < float(mark.attrib["cx"]) < left + width
        assert top < float(mark.attrib["cy"]) < top + height


@pytest.mark.parametrize("slug", [slug for slug in maps.variants() if maps.shapes(slug)])
def test_every_drawn_board_shows_each_of_its_centres(slug: str) -> None:
    variant = maps.load(slug)
    power = next(iter(variant.powers))
    for centre in variant.board.centres()[::7]:
        root, (_, _, width, height) = drawn(slug, {centre: power})
        assert min(width, height) > 20
        words = {"".join(element.itertext()) for element in root.iter(f"{SVG}text")}
        assert variant.board.provinces[centre].name in words


def test_nothing_is_drawn_where_nothing_changed() -> None:
    assert board_changes(maps.load("w3k"), {}) == ""
    assert board_changes(maps.load("w3k"), {"no such place": "Montrose"}) == ""


def test_the_picture_of_results_holds_the_map_and_the_same_words() -> None:
    changes = board_changes(maps.load("w3k"), {"Suffolk": "Manchester"})
    with_map = words_of(results_pdf(GAME, "Autumn 1644", samples.results(), changes))
    without = words_of(results_pdf(GAME, "Autumn 1644", samples.results()))
    assert "suffolk" in with_map
    assert "suffolk" not in without
    for words in ("nosheetcamefrommontrose", "armylondonmovestosurrey", "montroselostorkneyandaberdeen"):
        assert words in with_map
        assert words in without
