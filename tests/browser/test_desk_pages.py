"""The desk's other pages in a real browser: nothing against accessibility, nothing wider than a telephone,
and a box drawn on a page."""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.browser.conftest import Desk
from tests.browser.reading_site import token
from tests.support.desk_site import PHASE
from tests.support.features import of_features

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("browser")]

PAGES = (
    "/",
    "/sheet/1",
    f"/sheets/{PHASE}",
    "/?show=mails",
    "/?show=ignored",
    "/?show=letters",
    "/letters",
    "/games",
    "/games/powick-bridge",
    "/games/new?variant=w3k",
    "/people",
    "/log",
    "/health",
    *of_features("PAGES"),
)


def tab(browser: Any, desk: Desk, **options: Any) -> Any:
    """A browser's tab with a signed-in person."""
    context = browser.new_context(**options)
    context.add_cookies([{"name": "galloper", "value": token("Ada"), "url": desk.address}])
    return context.new_page()


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_no_page_is_wider_than_its_screen_and_none_needs_a_script(
    chromium: Any, desk: Desk, width: int
) -> None:
    page = tab(chromium, desk, viewport={"width": width, "height": 800}, java_script_enabled=False)
    for path in PAGES:
        answer = page.goto(desk.address + path)
        assert answer.status == 200, path
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{path} is {wide} px wider than its screen of {width} px"


@pytest.mark.parametrize("width", [390, 1280])
def test_an_automated_check_finds_nothing_against_accessibility(
    chromium: Any, desk: Desk, width: int
) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed (make setup-bench)")
    # axe runs as a script in the page, which the page's content security policy forbids.
    page = tab(chromium, desk, viewport={"width": width, "height": 800}, bypass_csp=True)
    violations_by_path = {}
    for path in PAGES:
        page.goto(desk.address + path)
        # What is folded away is checked too.
        page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        violations = axe.Axe().run(page).response["violations"]
        if violations:
            violations_by_path[path] = [
                f"{rule['id']}: {[node['target'] for node in rule['nodes']]}" for rule in violations]
    assert violations_by_path == {}


@pytest.mark.parametrize("script", [False, True])
def test_an_absence_is_looked_at_and_then_told_on_a_telephone(
    chromium: Any, desk: Desk, script: bool
) -> None:
    """PHA-08: the page between the two presses needs no script, is no wider than the telephone, and leads
    back."""
    page = tab(chromium, desk, viewport={"width": 390, "height": 800}, java_script_enabled=script,
               bypass_csp=script)
    page.goto(f"{desk.address}/games/powick-bridge?task=players")
    page.get_by_text("Add an address…").click()
    page.get_by_label("Mail address", exact=True).fill(f"one-{script}@players.example")
    page.get_by_role("button", name="Add the address").click()
    page.get_by_text("A player is away…").click()
    now = datetime.fromisoformat(page.locator("footer time").get_attribute("datetime"))
    form, day = page.locator("form[action$='/absence']"), (now + timedelta(days=3)).date()
    for name in ("first", "last"):
        form.locator(f"input[name={name}]").fill(day.isoformat())
    form.get_by_role("button").click()
    assert "Nothing is done yet." in page.inner_text("main")
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    if script:
        axe = pytest.importorskip("axe_playwright_python.sync_playwright")
        assert axe.Axe().run(page).response["violations"] == []
        page.get_by_role("link", name="Do not do it").click()
        assert page.url == f"{desk.address}/games/powick-bridge"
        return
    page.get_by_role("button", name="Announce the absence to all players").click()
    assert "The days are noted, and a letter to each player waits in Letters." in page.inner_text("main")


def test_a_box_drawn_on_a_page_fills_in_where_a_missed_line_stands(chromium: Any, desk: Desk) -> None:
    page = tab(chromium, desk, viewport={"width": 1280, "height": 1000})
    page.goto(desk.address + "/sheet/1")
    picture = page.locator("img.whole").first
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    from_x, to_x = box["x"] + 0.25 * box["width"], box["x"] + 0.75 * box["width"]
    from_y, to_y = box["y"] + 0.6 * box["height"], box["y"] + 0.65 * box["height"]
    page.mouse.move(to_x, to_y)  # drawn from below: the sides are sorted
    page.mouse.down()
    page.mouse.move(from_x, from_y)
    page.mouse.up()
    sides = [
        float(page.locator(f".add-line [name={edge}]").input_value())
        for edge in ("left", "top", "right", "bottom")
    ]
    assert sides == pytest.approx([25, 60, 75, 65], abs=0.5)
    # The picture is a link, and a dragged link once swallowed the drawing.
    assert page.url.endswith("/sheet/1"), "drawing does not follow the picture's link"
    page.fill(".add-line [name=text]", "Army Merse holds")
    page.click(".add-line button")
    assert "The line is added" in page.locator(".said").inner_text()


def test_a_box_is_set_right_by_drawing_or_by_keys_alone(chromium: Any, desk: Desk) -> None:
    """The form begins from the box as it is, so that one number can be mended; a box drawn while it is used
    fills it."""
    page = tab(chromium, desk, viewport={"width": 1280, "height": 1000})
    page.goto(desk.address + "/sheet/1")
    field = page.locator(".fix-box [name=left]")
    before = float(field.input_value())
    assert 0 < before < 50
    assert "now" not in page.locator(".fix-box option").first.inner_text()
    page.locator(".fix-box select").focus()
    picture = page.locator("img.whole").first
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    page.mouse.move(box["x"] + 0.1 * box["width"], box["y"] + 0.6 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 0.65 * box["height"])
    page.mouse.up()
    assert float(field.input_value()) == pytest.approx(10, abs=0.5)
    assert page.locator(".add-line [name=left]").input_value() == ""
    field.fill(str(before))
    page.keyboard.press("Enter")
    page.wait_for_url("**/sheet/1?notice=box-fixed")
    assert "The line is cut by the new box and open again" in page.locator(".said").inner_text()


def test_today_tells_a_deadline_in_gmt_and_in_the_visitors_own_time(chromium: Any, desk: Desk) -> None:
    """The desk plan's Today: clock to the deadline in GMT and in one's own zone, GMT first."""
    with sqlite3.connect(desk.folder / "desk.sqlite") as database:
        # A week before Europe's summer time: Paris is an hour ahead of GMT and London is not.
        database.execute("update phases set state = 'open', deadline = '2027-03-20 07:00:00.000000'")
    page = tab(chromium, desk, timezone_id="Europe/Paris")
    page.goto(desk.address + "/")
    assert ("Sealed until Sat 20 Mar, 07:00 GMT (Sat 20 Mar, 08:00 your "
            "time).") in page.locator("main").inner_text()
    at_home = tab(chromium, desk, timezone_id="Europe/London")  # still GMT on that day
    at_home.goto(desk.address + "/")
    assert "your time" not in at_home.locator("main").inner_text()
