"""The written results: a picture of the letter's own words."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pypdfium2
import pytest
from PIL import Image

from service.letters import render
from service.letters.facts import GameInfo, Recipient
from service.notices.results_facts import DRAFT_RESULTS
from service.pictures import results_html, results_pdf, results_pictures, to_pdf
from service.pictures.drawing.render import balance_columns
from service.pictures.paper.results_sheet import TYPE
from tests.support import letters_samples as samples

GAME = GameInfo(
    "powick-bridge", "Powick Bridge", "Wars of the Three Kingdoms", "orders@w3k.example", "Ada Marlowe"
)
HEADING = "Autumn 1644, draft results before retreats"


def pdf_words(data: bytes) -> str:
    document = pypdfium2.PdfDocument(data)
    pages = [page.get_textpage().get_text_range() for page in document]
    return re.sub(r"[\s￾\ufffe]+", "", "".join(pages)).casefold()


def test_the_picture_says_what_the_letter_says() -> None:
    facts = samples.results()
    # A printer sets an apostrophe as a curl, a letter as text has it straight.
    drawn_words = pdf_words(results_pdf(GAME, HEADING, facts)).replace("’", "'")
    text = render.letter(DRAFT_RESULTS, GAME, Recipient("a@b.example", "Montrose"), facts,
        phase=samples.MOVEMENT).text
    # The picture has no greeting, no dates, no signature and no proofs: it is the results.
    unwrapped = re.sub(r"\n  (?! )", " ", text).partition("THE NEWS")[2].partition("WHAT COMES NEXT")[0]
    lines = [re.sub(r"^[-✓✗] ", "", line) for line in unwrapped.splitlines() if line.strip()]
    assert len(lines) > 25
    missing = [line for line in lines if re.sub(r"\s+", "", line).casefold() not in drawn_words]
    assert not missing


def test_the_pictures_open_and_are_an_a4_page_each() -> None:
    crown = replace(samples.CROWN, orders=samples.CROWN.orders * 12)
    long = replace(samples.results(), powers=(crown,) * 10)
    pages = results_pictures(GAME, HEADING, long, 800)
    assert len(pages) > 2
    for page in pages:
        with Image.open(io.BytesIO(page)) as opened:
            assert opened.format == "PNG"
            assert opened.size[0] == 800
            assert abs(opened.size[1] / 800 - 297 / 210) < 0.01
            assert len(page) < 400_000
    assert f"{len(pages)}/{len(pages)}" in pdf_words(results_pdf(GAME, HEADING, long))


def test_a_page_has_the_colours_of_type_and_those_of_the_areas_of_its_map() -> None:
    """Purple and orange are two powers; the 96 most frequent colours of a page once made both brown."""
    fills = {(193, 21, 133), (240, 140, 20)}
    boxes = "".join(f'<rect x="{number * 20}" width="18" height="18" fill="rgb{fill}"/>'
                    for number, fill in enumerate(sorted(fills)))
    changes = ('<svg xmlns="http://www.w3.org/2000/svg" width="40mm" height="18mm" viewBox="0 0 40 18">'
               f"{boxes}</svg>")
    colours = {}
    for drawing in ("", changes):
        pages = results_pictures(GAME, HEADING, samples.results(), changes=drawing)
        with Image.open(io.BytesIO(pages[0])) as page:
            colours[drawing] = {colour for _, colour in page.convert("RGB").getcolors() or []}
    assert colours[""] <= set(TYPE)
    assert fills <= colours[changes] <= set(TYPE) | fills


def test_no_name_writes_markup_into_the_sheet() -> None:
    game = replace(GAME, name="<script>x</script>\r\n<img src='file:///etc/passwd'>", coordinator="<b>")
    html = results_html(game, HEADING, samples.results())
    assert "<script>" not in html
    assert "<img" not in html
    assert "&lt;script&gt;" in html


def test_nothing_is_loaded_from_a_file_or_the_network() -> None:
    """A picture that names a file stays without it."""
    plain = to_pdf("<html><body>one</body></html>")
    tried = to_pdf("<html><body>one<img src='file:///usr/share/pixmaps/debian-logo.png'><img "
                   "src='http://127.0.0.1:9/x.png'></body></html>")
    assert b"/Image" not in tried
    assert len(pypdfium2.PdfDocument(tried)) == len(pypdfium2.PdfDocument(plain)) == 1


def test_a_citation_is_words_and_no_ornament() -> None:
    """The rule that a failure cites and the printer's rule below the title once shared a name in the style
    sheet: every citation was below a double line (LET-01)."""
    def lines(html: str) -> int:
        page = pypdfium2.PdfDocument(to_pdf(html))[0]
        return sum(1 for _ in page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_PATH]))

    cited = tuple(replace(order, rule="handbook, Unit orders") for order in samples.CROWN.orders)
    facts = replace(samples.results(), powers=(replace(samples.CROWN, orders=cited),))
    html = results_html(GAME, HEADING, facts)
    assert '<small class="rule">' in html
    assert lines(html) == lines(html.replace('<small class="rule">', "<small>"))


@pytest.mark.parametrize(("lines", "first_of_the_right"), [
    ([3, 1, 1, 1], 1), ([1, 1, 1, 3], 3), ([1, 1], 1), ([2], None),
    # A column has 40 lines: the fifth section and those after it are on the second page.
    ([15, 15, 15, 15, 6, 2, 2, 2, 15], 8), ([15, 15, 15, 15, 15, 2, 2, 2, 6], 5)])
def test_columns_of_the_last_page_end_at_the_same_height(
    lines: list[int], first_of_the_right: int | None
) -> None:
    """No section is parted (OUT-13), and the larger column is as small as it can be."""
    style = ("@page { size: 100mm 200mm; margin: 0 } body { margin: 0; line-height: 5mm; font-size: 3mm }"
             "div { columns: 2; column-fill: auto } section { break-inside: avoid }")
    sections = "".join(f"<section>{'a<br>' * count}</section>" for count in lines)
    html = balance_columns(f"<html><style>{style}</style><body><div>{sections}</div></body></html>")
    before, mark, _ = html.partition("break-before: column")
    assert (before.count("</section>") if mark else None) == first_of_the_right
