"""The inbox in a real browser: by keys alone, and on a telephone (DSK-01)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import Desk
from tests.browser.inbox_rows import BLOCKING, ENTRIES, HELD, add_rows
from tests.browser.test_desk_pages import tab
from tests.browser.test_desk_whole_flow import tab_to
from tests.support.desk_site import PHASE

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("browser")]

WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
FOCUSED = "() => document.activeElement.closest('.entry').querySelector('h2').textContent.trim()"


@pytest.fixture
def waiting(desk: Desk) -> Desk:
    """The desk with something of each kind in its inbox."""
    add_rows(desk.folder)
    return desk


def titles(page: Any) -> list[str]:
    return [heading.strip() for heading in page.locator(".entry h2").all_inner_texts()]


def test_the_list_is_worked_through_by_keys_alone(chromium: Any, waiting: Desk) -> None:
    page = tab(chromium, waiting, viewport={"width": 1280, "height": 800})
    page.goto(waiting.address + "/")
    listed = titles(page)
    assert len(listed) == ENTRIES
    assert page.locator(".top .wide .badge").inner_text() == str(ENTRIES)
    # What results wait for comes first: the mail of the closed phase, and its lines.
    assert listed[:2] == ["Orders for the summer, sheet 0", "Read 100 doubtful lines"]
    assert listed[-1] == "Out of office: Edgehill"
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate(FOCUSED) == listed[1]
    page.keyboard.press("k")
    assert page.evaluate(FOCUSED) == listed[0]
    page.keyboard.press("2")
    page.wait_for_url(f"**/desk/{PHASE}")
    page.goto(waiting.address + "/")
    page.keyboard.press("Enter")
    page.wait_for_url("**/quarantine/*")
    page.goto(waiting.address + "/")
    page.keyboard.press(str(listed.index("May I send my sheet a day late?") + 1))
    page.wait_for_url("**/correspondence/2")
    tab_to(page, "Done without an answer")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?notice=letters-done")
    assert "The letters are closed." in page.locator(".said").inner_text()
    assert titles(page) == [title for title in listed if title != "May I send my sheet a day late?"]
    assert page.locator(".top .wide .badge").inner_text() == str(ENTRIES - 1)


def test_several_mails_are_found_ticked_and_discarded_together(chromium: Any, waiting: Desk) -> None:
    """BOX-05: twenty forged mails once cost twenty pages."""
    page = tab(chromium, waiting, viewport={"width": 1280, "height": 800})
    page.goto(waiting.address + "/?show=mails")
    assert len(titles(page)) == HELD
    page.get_by_label("Find among these entries").fill("stranger")
    page.get_by_text("Discard several mails…").click()
    page.get_by_role("button", name="Tick all that are shown").click()
    page.get_by_label("Reason").fill("They are forged, each of them.")
    page.get_by_role("button", name="Discard the ticked mails").click()
    assert len(titles(page)) == BLOCKING
    assert page.get_by_text(f"Discarded: {HELD - BLOCKING} mails").count() == 1


@pytest.mark.parametrize("script", [False, True])
def test_a_telephone_shows_the_same_list_with_the_same_acts(
    chromium: Any, waiting: Desk, script: bool
) -> None:
    wide = tab(chromium, waiting, viewport={"width": 1280, "height": 800})
    wide.goto(waiting.address + "/")
    acts = [link.get_attribute("href") for link in wide.locator("a[data-step]").all()]
    page = tab(chromium, waiting, viewport={"width": 360, "height": 800}, java_script_enabled=script,
               has_touch=True, is_mobile=True)
    page.goto(waiting.address + "/")
    assert page.evaluate(WIDER) <= 0
    assert titles(page) == titles(wide)
    assert [link.get_attribute("href") for link in page.locator("a[data-step]").all()] == acts
    for link in page.locator("[data-step]").all():
        box = link.bounding_box()
        assert box["height"] >= 44, "large enough for a finger"
        assert box["x"] + box["width"] <= 360
    page.locator("[data-step]").nth(1).click()
    page.wait_for_url(f"**/desk/{PHASE}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_an_automated_check_finds_nothing_in_a_full_inbox(
    chromium: Any, waiting: Desk, width: int, scheme: str
) -> None:
    """DSK-06."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = tab(chromium, waiting, viewport={"width": width, "height": 800}, color_scheme=scheme,
               bypass_csp=True)
    for path in ("/", "/?show=mails", "/?show=ignored", "/?show=letters"):
        page.goto(waiting.address + path)
        page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        violations = axe.Axe().run(page).response["violations"]
        assert [(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in violations] == [], path
