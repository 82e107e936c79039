"""A line that was cut again, in a real browser: the machine's new reading moves nothing under a key."""

from __future__ import annotations

import json
import sqlite3

import pytest

from tests.browser.conftest import Desk, Reader

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("browser")]

FRESH = "A Merse - Carham Castle"


def _machine_reads(desk: Desk, line: int) -> None:
    """What the worker does once it has read a line's new picture."""
    with sqlite3.connect(desk.folder / "desk.sqlite") as database:
        (held,) = database.execute("select candidates from lines where id = ?", (line,)).fetchone()
        candidates = [*json.loads(held), {"text": FRESH, "order": FRESH, "score": 0.9, "again": True}]
        database.execute("update lines set candidates = ? where id = ?", (json.dumps(candidates), line))


def test_a_new_reading_is_told_and_shown_when_the_line_is_shown_again(ada: Reader) -> None:
    """The plan's M and "fix boxes": what was about to be accepted stays under the key until the person comes
    back."""
    ada.press("m")
    ada.until("document.querySelector('#where').textContent.includes('99 left')")
    ada.wait_saved()
    ada.until("'awaited' in document.querySelector('#work .desk').dataset")
    joined, before = ada.line(), ada.offers()
    _machine_reads(ada.desk, joined)
    ada.until("document.querySelector('#tell').textContent.includes('has read this line again')")
    # A reading that moved up would be accepted by the key that is already on its way.
    assert ada.offers() == before, "nothing moves while a person looks at it"
    ada.press("j")
    ada.wait_other(joined)
    ada.press("k")
    ada.wait_line(joined)
    first = ada.page.locator("#work .reading").first.inner_text()
    assert FRESH in first
    assert "read again, as the line is cut now" in first
    ada.press("Enter")
    ada.wait_saved()
    with sqlite3.connect(ada.desk.folder / "desk.sqlite") as database:
        (order,) = database.execute("select order_text from reviews order by id desc limit 1").fetchone()
    assert order == FRESH


def test_the_help_closes_by_its_key_and_nothing_is_typed_into_it(ada: Reader) -> None:
    """`?` opens the help."""
    line = ada.line()
    ada.press("?")
    # The focus is on Close, so that the next key changes no key of the map.
    assert ada.page.evaluate("document.activeElement.hasAttribute('data-close')")
    ada.press("j", "o")
    assert ada.line() == line
    ada.press("Escape")
    assert not ada.page.evaluate("document.querySelector('dialog#keys').open")
    ada.press("j")
    ada.wait_other(line)
