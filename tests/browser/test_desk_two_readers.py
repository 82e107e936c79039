"""Two people read one line in two real browsers: blind first, then side by side (desk plan, "Two-person
review")."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from tests.browser.conftest import Desk, Reader
from tests.browser.test_desk_reading import _violations as violations

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("browser")]


def decisions(desk: Desk, line: int) -> list[tuple[str, str, str]]:
    """Who decided what about a line, oldest first, from the database file itself."""
    with sqlite3.connect(desk.folder / "desk.sqlite") as database:
        return database.execute(
            "select by, decision, text from reviews where line_id = ? and undone_at is null order by id",
            (line,)).fetchall()


def test_a_difference_is_met_and_settled_by_keys_alone(chromium: Any, desk: Desk) -> None:
    """Ada reads a line, Blaise reads it otherwise without seeing hers, both are shown, and V closes it as
    void (Q-01)."""
    with sqlite3.connect(desk.folder / "desk.sqlite") as database:
        database.execute("update phases set review = 'doubtful'")
    ada, blaise = Reader(chromium, desk), Reader(chromium, desk, "Blaise")
    ada.open()
    line, hers = ada.line(), ada.page.locator("#work .reading").first.get_attribute("data-text")
    ada.press("Enter")
    ada.wait_saved()
    blaise.open()
    assert blaise.line() == line
    note = blaise.page.locator("#work .stands")
    assert "Another person has read this line. Their reading is not shown" in note.inner_text()
    texts = blaise.page.eval_on_selector_all("#work .reading", "all => all.map((one) => one.dataset.text)")
    assert hers in texts
    blaise.press("o")
    blaise.until("document.querySelector('#tell').textContent.includes('is read differently')")
    notice = blaise.page.locator("#tell").inner_text()
    assert "Ada “" in notice
    assert "Blaise “no order”" in notice
    assert blaise.line() == line + 1
    ada.press("s")
    ada.wait_saved()
    ada.press("k", "k")
    ada.wait_line(line)
    ada.page.wait_for_selector("#work .both")
    assert [opinion.inner_text().split("\n")[0] for opinion in ada.page.locator("#work .both div").all()] == [
        "Ada",
        "Blaise",
    ]
    assert violations(ada.page) == []
    ada.press("v")
    ada.until("document.activeElement.dataset.void === 'both'")
    assert violations(ada.page) == []
    ada.press("Enter")
    ada.wait_saved()
    filed = decisions(desk, line)
    assert [opinion[:2] for opinion in filed] == [
        ("Ada", "read"), ("Blaise", "not an order"), ("Ada", "void")]
    assert filed[-1][2].split("\n")[1] == "no order"
    ada.press("u")
    ada.wait_line(line)
    ada.wait_saved()
    assert len(decisions(desk, line)) == 2
    assert ada.faults + blaise.faults == []
    ada.context.close()
    blaise.context.close()
