"""Our own way from SVG to PDF draws what WeasyPrint draws, and leaves to it what it does not know."""

from __future__ import annotations

import io
import unicodedata

import numpy as np
import pypdfium2
import pytest
from numpy.typing import NDArray

import maps
from service.pictures import board_svg
from service.pictures.drawing import fonts
from service.pictures.drawing.render import to_pdf, to_png
from service.pictures.drawing.svg import text
from service.pictures.drawing.vector_form import read_form

WIDTH, HIGH = 60, 40
SHAPES = {
    "lines, curves and holes": (
        '<path d="M5 5L25 5 25 30 5 30ZM10 10L20 10 20 25 10 25Z" fill="#3a5f8a" fill-rule="evenodd"/>'
        '<path d="M30 30Q35 5 55 30M30 35C40 20 45 45 55 35" fill="none" stroke="#802020" '
        'stroke-width="1.5"/>'),
    "half seen": (
        '<rect x="5" y="5" width="30" height="20" fill="#c03030"/>'
        '<rect x="20" y="15" width="30" height="20" fill="#3030c0" fill-opacity="0.4" stroke="#000000" '
        'stroke-width="3" stroke-opacity="0.3"/>'),
    "dashes, ends and corners": (
        '<g fill="none" stroke="#102030" stroke-width="3" stroke-linejoin="round" stroke-linecap="round">'
        '<path d="M5 30L15 8 25 30"/></g><path d="M35 30L38 8 41 30M45 8L45 32" fill="none" stroke="#102030" '
        'stroke-width="2" stroke-dasharray="4 1.5"/>'),
    "moved, turned and cut": (
        '<clipPath id="cut"><rect x="2" y="2" width="16" height="30"/></clipPath>'
        '<g transform="translate(20 6) scale(0.8)" fill="#208080"><g clip-path="url(#cut)">'
        '<g transform="rotate(30 10 10)"><path d="M-20 0L30 0 30 15 -20 15Z"/></g></g></g>'
        '<rect x="1" y="30" width="8" height="8" fill="#208080"/>'),
}


def svg(body: str, more: str = "") -> str:
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}mm" height="{HIGH}mm" '
            f'viewBox="0 0 {WIDTH} {HIGH}"{more}>{body}</svg>')


def drawn(source: str) -> NDArray[np.float64]:
    """Grey levels of the page, 20 dots a millimetre put together to 5."""
    document = pypdfium2.PdfDocument(io.BytesIO(to_pdf(source)))
    page = document[0].render(scale=20 * 25.4 / 72).to_numpy().astype(float).mean(axis=2)[: 20 * HIGH]
    document.close()
    return np.asarray(page[:, : 20 * WIDTH].reshape(5 * HIGH, 4, 5 * WIDTH, 4).mean(axis=(1, 3)))


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_look_as_weasyprint_draws_them(name: str) -> None:
    """MAP-01: WeasyPrint draws the second picture, for we refuse an attribute that we do not know."""
    ours, other = svg(SHAPES[name]), svg(SHAPES[name], ' shape-rendering="auto"')
    assert read_form(ours) is not None
    assert read_form(other) is None
    left, right = drawn(ours), drawn(other)
    assert (left < 250).mean() > 0.02
    # Grey levels; a cut edge is smoothed by one renderer more than by the other.
    assert np.abs(left - right).max() < 48
    assert np.abs(left - right).mean() < 0.1


def test_round_things_are_round() -> None:
    """A disc and a rectangle with round corners, against their equations; WeasyPrint's corners are uneven."""
    page = drawn(svg('<circle cx="15" cy="20" r="9" fill="#000000"/>'
                     '<rect x="30" y="10" width="24" height="18" rx="5" fill="#000000"/>'))
    y, x = (np.indices((5 * HIGH, 5 * WIDTH)) + 0.5) / 5
    away = np.minimum(
        np.hypot(x - 15, y - 20) - 9,
        np.hypot(np.maximum(abs(x - 42) - 7, 0), np.maximum(abs(y - 19) - 4, 0)) - 5,
    )
    assert (page[away < -0.15] < 3).all()
    assert (page[away > 0.15] > 252).all()


@pytest.mark.parametrize("face", ["roman", "italic"])
def test_words_look_as_weasyprint_sets_them(face: str) -> None:
    body = text(WIDTH / 2, 24, "Solway Firth", face, 9, 'fill="#000000" stroke="#c0c0c0" stroke-width="0.2"')
    left, right = drawn(svg(body)), drawn(svg(body, ' shape-rendering="auto"'))
    assert (left < 128).mean() > 0.02
    assert np.abs(left - right).mean() < 0.5


def test_words_stand_where_they_were_measured_and_can_be_copied() -> None:
    """OUT-13: the middle of a spaced word is where it was asked for; spacing follows the last letter too."""
    rows = list(enumerate((("roman", 0.0), ("display", 1.0), ("display-italic", 0.5))))
    body = "".join(
        text(WIDTH / 2, 8 + 8 * row, "Ærø & Łódź", face, 4, f'letter-spacing="{spacing}"')
        for row, (face, spacing) in rows
    )
    assert read_form(svg(body)) is not None
    page = pypdfium2.PdfDocument(io.BytesIO(to_pdf(svg(body))))[0]
    words = page.get_textpage()
    assert unicodedata.normalize("NFC", words.get_text_range()).split() == 3 * ["Ærø", "&", "Łódź"]
    for row, (face, spacing) in rows:
        boxes = np.array([words.get_charbox(index) for index in range(words.count_chars())]) / 72 * 25.4
        line = boxes[(np.abs(HIGH - boxes[:, 1] - 8 - 8 * row) < 2) & (boxes[:, 2] > boxes[:, 0])]
        length = fonts.width("Ærø & Łódź", face, 4, spacing / 4)
        assert line[:, 0].min() == pytest.approx((WIDTH - length) / 2, abs=0.25)
        assert line[:, 2].max() == pytest.approx((WIDTH + length) / 2 - spacing, abs=0.25)


@pytest.mark.parametrize("body", [
    text(30, 20, "三国の戦い", "roman", 6),
    '<text x="3" y="20" font-family="serif" font-size="6">Powick Bridge</text>',
    '<ellipse cx="30" cy="20" rx="9" ry="5" fill="#000000"/>',
    '<path d="M5 20h40v9z" fill="#000000"/>',
    '<rect x="5" y="5" width="30" height="9" fill="black"/>',
    '<g transform="skewX(10)"><rect x="5" y="5" width="30" height="9" fill="#000000"/></g>',
    '<text x="3" y="20" font-size="6">Powick <tspan>Bridge</tspan></text>',
])  # fmt: skip
def test_what_is_not_known_is_drawn_all_the_same(body: str) -> None:
    """A game's name in letters that the faces lack, and SVG of any other kind."""
    assert read_form(svg(body)) is None
    assert (drawn(svg(body)) < 128).mean() > 0.004


@pytest.mark.parametrize("slug", [slug for slug in maps.variants() if maps.shapes(slug)])
def test_the_maps_of_all_boards_are_drawn_the_short_way(slug: str) -> None:
    variant = maps.load(slug)
    assert read_form(board_svg(variant, variant.start.centres, variant.title, "at the beginning",
                               variant.start.units)) is not None


def test_a_drawing_that_becomes_a_picture_logs_no_error(caplog: pytest.LogCaptureFixture) -> None:
    """Each map on a page logged "has no required alt description", as if a file had gone out without."""
    drawing = ('<svg xmlns="http://www.w3.org/2000/svg" width="20mm" height="10mm">'
               '<rect width="9" height="9"/></svg>')
    assert to_png(drawing, 80).startswith(b"\x89PNG")
    assert [record.getMessage() for record in caplog.records] == []
