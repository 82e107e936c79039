"""Signed out, signed in as another person, and two tabs: in a real browser, with what was typed still on its
way."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from tests.browser.conftest import Desk, Reader
from tests.browser.test_desk_reading import _violations as violations, decisions

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("browser")]

ORDER, TYPED = "A Fife H", "Army Fife holds"


def sign_out_of(desk: Desk) -> None:
    """Every sign-in runs out, as after twelve idle hours."""
    with sqlite3.connect(desk.folder / "desk.sqlite") as database:
        # Two weeks before the site's clock.
        database.execute("update sessions set seen_at = '2027-03-01 00:00:00.000000'")


def sign_in(page: Any, name: str = "Ada") -> None:
    """By keys alone."""
    page.locator("#name").fill(name)
    page.locator("#password").fill("correct horse")
    page.keyboard.press("Enter")


def type_order(reader: Reader) -> int:
    """Type an order for the line on the screen; the line."""
    line = reader.line()
    reader.press("e", "Control+a", *TYPED, "Escape", "Enter")
    reader.wait_other(line)
    return line


def by(desk: Desk) -> set[str]:
    with sqlite3.connect(desk.folder / "desk.sqlite") as database:
        return {name for (name,) in database.execute("select by from reviews")}


def test_typed_words_survive_a_sign_in_that_has_run_out(ada: Reader) -> None:
    """The page says so and opens the sign-in page in another tab; then everything is sent automatically."""
    ada.until("window.readingNames !== undefined")
    sign_out_of(ada.desk)
    line = type_order(ada)
    ada.until("document.querySelector('#saved').textContent.includes('You are signed out.')")
    notice = ada.page.locator("#saved").inner_text()
    assert ("1 not yet saved. You are signed out. Your decisions are kept here and sent again "
            "automatically.") in notice
    assert "Sign in again in another tab" in notice
    assert violations(ada.page) == []
    assert decisions(ada.desk) == {}
    with ada.context.expect_page() as opened:
        ada.page.locator("#saved a").press("Enter")
    tab = opened.value
    sign_in(tab)
    tab.wait_for_url("**/")
    ada.wait_saved()
    assert decisions(ada.desk) == {line: ("read", ORDER)}


def test_typed_words_survive_a_sign_in_in_the_same_tab(ada: Reader) -> None:
    ada.until("window.readingNames !== undefined")
    sign_out_of(ada.desk)
    line = type_order(ada)
    ada.until("document.querySelector('#saved').textContent.includes('You are signed out.')")
    ada.page.on("dialog", lambda dialog: dialog.accept())
    ada.page.goto(ada.desk.page)
    assert "/sign-in?to=" in ada.page.url
    sign_in(ada.page)
    ada.page.wait_for_url(f"{ada.desk.page}**")
    ada.page.wait_for_selector("html[data-reading]")
    ada.wait_saved()
    assert decisions(ada.desk) == {line: ("read", ORDER)}


def test_decisions_are_never_filed_under_the_name_of_who_signed_in_next(ada: Reader) -> None:
    sign_out_of(ada.desk)
    line = ada.line()
    ada.press("o")
    ada.until("document.querySelector('#saved').textContent.includes('You are signed out.')")
    other = ada.context.new_page()
    other.goto(f"{ada.desk.address}/sign-in")
    sign_in(other, "Blaise")
    other.wait_for_url("**/")
    ada.page.locator("#again").press("Enter")
    ada.until("document.querySelector('#saved').textContent.includes('signed in as Blaise now; these are "
              "decisions of Ada')")
    assert by(ada.desk) == set()
    other.goto(f"{ada.desk.address}/sign-in")
    sign_in(other, "Ada")
    other.wait_for_url("**/")
    ada.page.locator("#again").press("Enter")
    ada.wait_saved()
    assert decisions(ada.desk) == {line: ("not an order", None)}
    assert by(ada.desk) == {"Ada"}


def test_without_script_typed_words_are_shown_after_the_new_sign_in_and_sent_by_one_press(
    chromium: Any, desk: Desk
) -> None:
    reader = Reader(chromium, desk, java_script_enabled=False)
    reader.page.goto(desk.page)
    line = reader.line()
    reader.page.locator("#work .words").fill(TYPED)
    sign_out_of(desk)
    reader.page.get_by_role("button", name="Use my words").click()
    assert "Your input is still on this page" in reader.page.locator("main").inner_text()
    sign_in(reader.page)
    reader.page.get_by_role("heading", name="Signed in again").wait_for()
    assert TYPED in reader.page.locator("main").inner_text()
    assert decisions(desk) == {}
    reader.page.get_by_role("button", name="Send it now").click()
    reader.wait_other(line)
    assert decisions(desk) == {line: ("read", ORDER)}
    reader.context.close()


def test_two_tabs_of_one_person_overwrite_nothing_unseen(ada: Reader) -> None:
    """The second tab still shows the line as it was: its decision is shown next to the first one's, and
    neither is lost."""
    line = ada.line()
    stale = ada.context.new_page()
    stale.goto(ada.desk.page)
    stale.wait_for_selector("html[data-reading]")
    ada.press("o")
    ada.wait_saved()
    stale.keyboard.press("Enter")
    stale.wait_for_selector("#difference:not([hidden])")
    notice = stale.locator("#difference").inner_text()
    assert "was decided by Ada while you read it. Nothing was overwritten." in notice
    assert "not an order" in notice
    assert decisions(ada.desk) == {line: ("not an order", None)}
    stale.keyboard.press("t")
    stale.wait_for_selector("#difference", state="hidden")
    assert decisions(ada.desk) == {line: ("not an order", None)}
