"""The whole way by keys alone, at a real `galloper serve`: sign in, the inbox, read, judge, look, send, sign
out; on every page an automated check of accessibility."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select, update

from bench.desk.browser import DESKTOP
from bench.desk.sample import load_sample
from bench.desk.site import NAME, PASSWORD, SheetLocation, make, serving
from service.site_folder import opened
from service.store.tables import LineRow, OutboxRow, PhaseRow
from tests.browser.test_desk_reading import _violations as violations
from tests.support.features import of_features
from tests.support.mails import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), pytest.mark.xdist_group("browser")]

OPEN_LINES = 3
CLICKS = "() => addEventListener('click', (event) => { if (event.detail) sessionStorage.clicks = 1; }, true)"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> SheetLocation:
    """A closed phase with a hundred lines on ten sheets, of which all but a few were sure."""
    location = make(tmp_path_factory.mktemp("flow"), load_sample())
    with opened(location.settings) as store, store.begin() as session:
        first = session.scalars(
            select(LineRow.id).where(LineRow.candidates != []).order_by(LineRow.id).limit(OPEN_LINES)
        ).all()
        session.execute(update(LineRow).where(LineRow.id.not_in(first)).values(status="auto"))
    return location


@pytest.fixture
def page(chromium: Any, place: SheetLocation) -> Iterator[Any]:
    server = serving(place)
    server.start()
    context = chromium.new_context(viewport=DESKTOP, base_url=server.address)
    context.set_default_timeout(60_000)
    context.add_init_script(f"({CLICKS})()")
    yield context.new_page()
    context.close()
    server.kill()


def tab_to(page: Any, words: str) -> None:
    """Tab until the control with these words has the focus."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if words in page.evaluate("() => document.activeElement.matches('a, button') ? "
                                  "document.activeElement.textContent : ''"):
            return
    raise AssertionError(f"Tab never comes to {words!r} on {page.url}")


def state(place: SheetLocation) -> str:
    with opened(place.settings) as store, store() as session:
        return session.get_one(PhaseRow, place.phase).state


def test_a_turn_is_read_judged_and_sent_by_keys_alone(page: Any, place: SheetLocation) -> None:
    def at(path: str) -> None:
        page.wait_for_url(f"**{path}")
        page.wait_for_load_state("load")
        assert violations(page) == [], path

    page.goto(f"/desk/{place.phase}")
    at(f"/sign-in?to=%2Fdesk%2F{place.phase}")
    page.keyboard.type(NAME)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    at(f"/desk/{place.phase}*")
    tab_to(page, "Inbox")
    page.keyboard.press("Enter")
    at("/")
    # A site without a backup has alarms above the lines; each entry has its key.
    page.keyboard.press(page.locator(".entry", has_text="doubtful line").locator("kbd").first.inner_text())
    page.wait_for_selector("html[data-reading]")
    for _ in range(OPEN_LINES):
        line = page.locator("#work .desk").get_attribute("data-line")
        page.keyboard.press("Enter")
        page.wait_for_selector(f"#work .desk:not([data-line='{line}']), main .main")
    at(f"/desk/{place.phase}")
    assert "orders are read:" in page.locator("main").inner_text()
    # the last decision is saved, and judged, behind the page's back
    assert wait_for(lambda: state(place) == "ready")
    page.keyboard.press("Enter")
    at(f"/results/{place.phase}")
    # The sample's sheets order units that their powers do not have, so each is asked about once (LET-03).
    asked = page.locator("#asked")
    while asked.count():
        tab_to(page, "Yes, it is the right sheet")
        with page.expect_navigation():  # from the second answer on, the address is the same before and after
            page.keyboard.press("Enter")
        at(f"/results/{place.phase}?notice=right-sheet")
    for walk in of_features("BEFORE_SENDING").values():
        walk(page, place.phase, at, tab_to)
    assert state(place) == "ready"
    tab_to(page, "Approve and send to all players")
    page.keyboard.press("Enter")
    page.wait_for_selector("a[href='/letters']:text-is('The letters')", timeout=300_000)
    assert state(place) == "sent"
    with opened(place.settings) as store, store() as session:
        assert session.scalars(select(OutboxRow.id)).all() != []
    assert page.evaluate("() => sessionStorage.clicks") is None
    tab_to(page, "Sign out")
    page.keyboard.press("Enter")
    at("/sign-in")
