"""Results and maps for everyone (BEY-08): tables in large print with tags for screen readers, and as text."""

from __future__ import annotations

import io
import re

import pypdfium2
import pytest

import maps
from service import pictures
from service.letters.render import CHART
from service.notices.order_sheets import printed_sheet
from service.pictures.history import centre_chart
from tests.support.public_site import visitor
from tests.support.site import Site
from tests.support.table import open_table
from tests.support.tags import tags_of

QUICK = "brittania"


@pytest.mark.parametrize("slug", [
    QUICK, *(pytest.param(slug, marks=pytest.mark.slow) for slug in maps.variants() if slug != QUICK)])
def test_who_holds_what_is_a_table_in_large_print_and_as_text(site: Site, slug: str) -> None:
    """Of every board: each power and each centre that the board's own file has, on both."""
    table = open_table(site, slug=slug)
    with visitor(site) as client:
        path = f"/public/{table.game}/map-table"
        text, data = client.get(f"{path}.txt").text, client.get(f"{path}.pdf").content
        assert client.get(f"{path}.svg").status_code == 404
    tags = tags_of(data)
    assert tags.is_tagged
    assert tags.counts["H1"] == 1
    assert tags.counts["TH"] >= len(table.variant.powers)
    words = re.sub(r"\W+", "", "".join(
        page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(io.BytesIO(data)))).casefold()
    rows = {line.split("; ")[0]: line for line in text.splitlines()}
    for power in table.variant.powers.values():
        held = [table.variant.board.provinces[centre].name
                for centre in table.variant.start.centres.get(power.id, ())]
        assert all(name in rows[power.name] for name in held), power
        assert all(re.sub(r"\W+", "", name).casefold() in words for name in (power.name, *held)), power


@pytest.mark.slow
def test_the_picture_of_results_and_maps_carry_tags(site: Site) -> None:
    """Headings and the alternate text of the map, which shows where the same is in words."""
    table = open_table(site)
    variant = table.variant
    data = pictures.board_pdf(variant, variant.start.centres, "Powick Bridge", "at the beginning of 1642",
                              pictures.A4)
    tags = tags_of(data)
    assert tags.is_tagged
    assert all(tags.alternates), "a figure without words says nothing to who cannot see it"
    assert tags.counts["Figure"] >= 1


def test_a_drawing_on_paper_has_words_for_who_does_not_see_it() -> None:
    """BEY-08: the code of a sheet, and the chart of centres."""
    variant = maps.load("standard")
    sheet = printed_sheet(variant, "edgehill", "Edge <Hill>", variant.start.phase, "FRANCE")
    tags = tags_of(pictures.sheets_pdf([sheet]))
    assert tags.alternates == ("France, Edge <Hill>, Spring 1901 Movement Orders",)
    assert (tags.language, tags.title) == ("en", "Blank order sheets")
    chart = centre_chart(variant, ["1901"], {"FRANCE": [3, 4]}, "en")
    tags = tags_of(pictures.to_pdf(f"<html lang='en'><body>{chart}</body></html>"))
    assert tags.alternates == (CHART,)
