"""Pages for players in a real browser: without a script, on the narrowest screen, enlarged, and the move
browser used as a reader would (MOVE-01, MOVE-03; section 3 of the desk plan)."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

import maps
from service.public.moves import page as moves_of
from tests.browser.conftest import Desk

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("browser")]

GAME = "powick-bridge"
PAGES = (
    f"/public/{GAME}",
    f"/public/{GAME}/calendar",
    f"/public/{GAME}/map",
    "/public/moves/w3k",
    "/public/rules/w3k",
    "/public/entry",
)
# Points (ISO 216: 148 by 210 mm).
A5 = (419.5, 595.3)


@pytest.mark.parametrize("width", [320, 640])
def test_public_pages_fit_the_narrowest_screen_and_none_needs_a_script(
    chromium: Any, desk: Desk, width: int
) -> None:
    """A screen of 1280 at 200 % has 640 pixels of its own."""
    context = chromium.new_context(viewport={"width": width, "height": 800}, java_script_enabled=False)
    context.set_default_timeout(120_000)  # the map is drawn when it is first asked for
    page = context.new_page()
    for path in PAGES:
        answer = page.goto(desk.address + path)
        assert answer.status == 200, path
        assert page.locator("h1").first.is_visible(), path
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{path} is {wide} px wider than its screen of {width} px"
    context.close()


@pytest.mark.parametrize("path", PAGES)
def test_an_automated_check_finds_nothing_against_the_public_pages(
    chromium: Any, desk: Desk, path: str
) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed (make setup-bench)")
    context = chromium.new_context(viewport={"width": 390, "height": 800}, bypass_csp=True)
    context.set_default_timeout(120_000)
    page = context.new_page()
    page.goto(desk.address + path)
    violations = axe.Axe().run(page).response["violations"]
    context.close()
    assert [f"{rule['id']}: {[node['target'] for node in rule['nodes']]}" for rule in violations] == []


@pytest.fixture
def saved(chromium: Any, tmp_path: Path) -> Any:
    """The move browser as a reader saved it, opened with no network at all."""
    file = tmp_path / "moves.html"
    file.write_text(moves_of(maps.load("w3k")).html, encoding="utf-8")
    # MOVE-01: the saved page needs nothing from the network.
    context = chromium.new_context(offline=True, viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(file.as_uri())
    yield page
    context.close()


def shown(page: Any) -> list[str]:
    return list(page.locator("section:visible h3").all_inner_texts())


@pytest.mark.parametrize(("typed", "first"), [
    ("lyme", "Lyme Bay"), ("LYME BAY", "Lyme Bay"), ("Dublin and the pale", "Dublin & the Pale"),
    ("pale", "Dublin & the Pale"),
    ("the pentland frith", "Pentland Firth"), ("Ashby de la Zuch", "Ashby-de-la-Zouch Castle"),
])
def test_a_place_is_found_by_its_beginning_and_however_it_is_spelt(
    saved: Any, typed: str, first: str
) -> None:
    everything = shown(saved)
    saved.fill("#wanted", typed)
    names = shown(saved)
    assert first in names
    assert len(names) <= 3
    saved.fill("#wanted", "")
    assert shown(saved) == everything
    assert len(everything) == len(maps.load("w3k").board.provinces)


def test_what_is_no_place_hides_none(saved: Any) -> None:
    saved.fill("#wanted", "qqqqqqqqqqqq")
    assert len(shown(saved)) == len(maps.load("w3k").board.provinces)
    assert "No place has this name" in saved.locator("#told").inner_text()


def test_without_a_script_the_whole_list_stands_and_no_box_that_does_nothing(
    chromium: Any, desk: Desk
) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(desk.address + "/public/moves/w3k")
    assert not page.locator("#find").is_visible()
    assert page.locator("section:visible").count() == len(maps.load("w3k").board.provinces)
    context.close()


def test_it_is_printed_whole_as_a_booklet_whatever_was_looked_for(saved: Any) -> None:
    """MOVE-03: A5 leaves, every place on them, although the screen shows one."""
    saved.fill("#wanted", "Lyme Bay")
    document = pypdfium2.PdfDocument(io.BytesIO(saved.pdf(prefer_css_page_size=True)))
    assert document[0].get_size() == pytest.approx(A5, abs=1)
    # A PDF breaks words where its lines end, so only letters are compared.
    words = re.sub(r"\W+", "", "".join(leaf.get_textpage().get_text_range() for leaf in document)).casefold()
    missing = [
        province.name
        for province in maps.load("w3k").board.provinces.values()
        if re.sub(r"\W+", "", province.name).casefold() not in words
    ]
    assert missing == []
    assert "findaplace" not in words
