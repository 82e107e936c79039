"""Proof reading in a real browser: by keys, at a telephone's width, and nothing against accessibility
(DSK-03)."""

from __future__ import annotations

import sqlite3
import time
from typing import Any

import pytest

from tests.browser.conftest import Desk
from tests.browser.test_desk_pages import tab
from tests.support.desk_site import PHASE

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("browser")]

LINES = 60
MINUTE = 60.0


@pytest.fixture
def accepted(desk: Desk) -> Desk:
    """A desk on which sixty lines were read surely, four of them without an order."""
    with sqlite3.connect(desk.folder / "desk.sqlite") as database:
        database.execute("update lines set status = 'auto' where id <= ? and \"order\" is not null", (LINES,))
        database.execute("update lines set status = 'not an order' where id > ? or \"order\" is null",
                         (LINES,))
    return desk


def shown(page: Any) -> list[str]:
    return list(page.locator(".proof .words").all_inner_texts())


def test_a_phase_is_proved_by_keys_within_a_minute(chromium: Any, accepted: Desk) -> None:
    page = tab(chromium, accepted, viewport={"width": 1280, "height": 900})
    page.goto(f"{accepted.address}/proof/{PHASE}")
    assert len(shown(page)) == 40
    began = time.monotonic()
    page.keyboard.press("3")
    page.wait_for_selector(".proof .marked")
    assert page.locator(".proof li").nth(2).get_attribute("class").split()[-1] == "marked"
    page.keyboard.press("q")
    page.wait_for_function("() => document.querySelectorAll('.proof .marked').length === 2")
    page.keyboard.press("Enter")
    page.wait_for_url("**?page=2")
    total = 40 + len(shown(page))
    page.keyboard.press("Enter")  # two lines wait at the desk now
    page.wait_for_url(f"**/desk/{PHASE}")
    assert time.monotonic() - began < MINUTE
    page.wait_for_selector("html[data-reading]")
    assert "2 left" in page.locator("#where").inner_text()
    for _ in range(2):
        line = page.locator("#work .desk").get_attribute("data-line")
        page.keyboard.press("1")
        page.wait_for_selector(f"#work .desk:not([data-line='{line}']), main .main")
    page.wait_for_function("() => !document.querySelector('#work')")
    page.goto(f"{accepted.address}/proof/{PHASE}?page=2")
    assert 40 + len(shown(page)) == total + 2
    page.keyboard.press("Enter")
    page.wait_for_url("**?notice=proof-read")
    assert f"Read again: Ada compared {total + 2} lines" in page.inner_text("main")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_it_fits_every_screen_and_an_automated_check_finds_nothing(
    chromium: Any, accepted: Desk, width: int, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = tab(chromium, accepted, viewport={"width": width, "height": 800}, color_scheme=scheme,
               bypass_csp=True)
    page.goto(f"{accepted.address}/proof/{PHASE}")
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    violations = axe.Axe().run(page).response["violations"]
    assert [(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in violations] == []


def test_without_a_script_a_mark_loads_the_page_anew(chromium: Any, accepted: Desk) -> None:
    page = tab(chromium, accepted, viewport={"width": 360, "height": 800}, java_script_enabled=False)
    page.goto(f"{accepted.address}/proof/{PHASE}")
    first, second = shown(page)[:2]
    page.locator(".proof .mark").first.click()
    assert "The line waits at the desk." in page.locator(".said").first.inner_text()
    assert shown(page)[0] == second != first
