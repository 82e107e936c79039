"""What a listener hears: transcripts of Chromium's accessibility tree of a decision, an approval and a result
(DSK-06)."""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from bench.desk.browser import DESKTOP, Tab
from tests.browser.conftest import Reader
from tests.support.desk_table import TOKEN, open_desk, served
from tests.support.letters_samples import every_letter
from tests.support.spoken import Utterance, transcript
from tests.support.table import Table

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("browser")]

CONTROLS = {"button", "link", "textbox", "combobox", "checkbox", "radio", "image", "region",
            "DisclosureTriangle", "searchbox", "spinbutton"}
LANDMARKS = ["banner", "navigation", "main", "contentinfo"]
ORDERS = ("A London - Surrey", "A Essex - Suffolk", "A Norfolk - Suffolk", "A Lindsey H",
          "F Great Yarmouth H", "F Kingston upon Hull H")
"""Of all units of Manchester; two stand each other off."""


def names(utterances: list[Utterance], role: str) -> list[str]:
    return [each.name for each in utterances if each.role == role]


def within(utterances: list[Utterance], role: str, name: str) -> list[Utterance]:
    """The utterances inside of a landmark or list."""
    first = next(n for n, each in enumerate(utterances) if (each.role, each.name) == (role, name))
    inner = utterances[first + 1:]
    end = next((n for n, each in enumerate(inner) if each.depth <= utterances[first].depth), len(inner))
    return inner[:end]


def is_well_formed(utterances: list[Utterance]) -> None:
    """Of every page: a way past the bar, landmarks in order, one title, a name for each control."""
    assert (utterances[0].role, utterances[0].name) == ("link", "Skip to the page")
    assert [each.role for each in utterances if each.role in LANDMARKS and (
        each.role != "navigation" or each.name == "Pages")] == LANDMARKS
    assert [each.states for each in utterances if each.role == "heading"].count((("level", "1"),)) == 1
    levels = [int(dict(each.states)["level"]) for each in utterances if each.role == "heading"]
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels
    assert [str(each) for each in utterances if each.role in CONTROLS and not each.name] == []


def statuses(utterances: list[Utterance]) -> str:
    """What the page announces of itself."""
    return " ".join(utterances[n + 1].name for n, each in enumerate(utterances[:-1])
                    if each.role == "status" and utterances[n + 1].role == "text")


def test_a_decision_is_heard(ada: Reader) -> None:
    """The line's place, its readings with their keys and how sure they are, and then the next line."""
    ada.until("document.querySelector('#spoken').textContent !== ''")
    utterances = transcript(ada.page)
    is_well_formed(utterances)
    assert names(utterances, "heading")[0] == "Powick Bridge Summer 1642 Movement"
    assert [name for name in names(utterances, "region") if name != "Last decisions"] == [
        "The line as photographed", "Readings", "The picture"]
    readings = within(utterances, "region", "Readings")
    buttons = names(readings, "button")
    offered = [name for name in buttons if re.match(r"(Enter )?\d ", name)]
    assert offered[0].startswith("Enter 1 ")
    assert all(re.search(r" (sure|likely|unsure|doubtful)\b", name) for name in offered), offered
    (box,) = [each for each in readings if each.role == "textbox"]
    assert (box.name, ("required", "true") in box.states) == ("E What do these marks say?", True)
    assert buttons[len(offered):] == ["Use my words", "O not an order", "V cannot be read", "S skip for now",
                                      "D ask a second reader"] or buttons[-2:] == [
                                      "S skip for now", "D ask a second reader"]
    first = ada.page.locator("#work .reading .order").first.inner_text()
    assert re.search(rf"Argyll · line 1 of 10 .* Reading 1 of {len(offered)}: {re.escape(first)}, ",
                     statuses(utterances))
    line = ada.line()
    ada.press("Enter")
    ada.wait_other(line)
    ada.wait_saved()
    after = transcript(ada.page)
    assert re.search(r"Argyll · line 2 of 10 · sheet 1 of 10 · 99 left[.] Reading 1 of \d: \S+ .*, ",
                     statuses(after))
    assert "All saved" in statuses(after)
    assert ada.page.evaluate("() => document.activeElement.id") == "work"


def test_an_approval_is_heard(chromium: Any, table: Table) -> None:
    """What is to be approved, its act before the orders, each outcome as a heading, and that it was sent."""
    table.file("Manchester", ORDERS)
    table.site.clock.set(table.phase().deadline + timedelta(minutes=1))
    table.close_phase(table.phase().id)
    with served(open_desk(table)) as address:
        tab = Tab(chromium, address, "/", TOKEN, viewport=DESKTOP, base_url=address)
        tab.page.goto("/")
        inbox = transcript(tab.page)
        is_well_formed(inbox)
        act = "See the results: Approve the results, Powick Bridge, Summer 1642 Movement"
        assert act in names(inbox, "link")
        assert inbox.index(next(each for each in inbox if each.name == act)) > inbox.index(
            next(each for each in inbox if (each.role, each.name) == ("heading", "Approve the results")))
        tab.press("Enter")
        tab.page.wait_for_url("**/results/*")
        utterances = transcript(tab.page)
        is_well_formed(utterances)
        words = [str(each).strip() for each in utterances]
        approve = words.index("button “Approve and send to all players”")
        assert "Judged and waiting." in " ".join(words[:approve])
        assert approve < words.index("heading “Manchester” level 2")
        assert words.index("heading “Manchester” level 2") < words.index("heading “Failed 2” level 3")
        assert words.index("heading “Failed 2” level 3") < words.index("heading “Succeeded 4” level 3")
        outcomes = " ".join(words[words.index("heading “Failed 2” level 3"):])
        assert "Army Essex moves to Suffolk" in outcomes.partition("Succeeded")[0]
        assert "stood off" in outcomes.partition("Succeeded")[0]
        tab.page.get_by_role("button", name="Approve and send to all players").focus()
        with tab.page.expect_navigation():
            tab.press("Enter")
        sent = transcript(tab.page)
        is_well_formed(sent)
        assert "Sent" in " ".join(each.name for each in sent if each.role == "text")
        assert "Approve and send to all players" not in names(sent, "button")
        tab.close()


@pytest.mark.parametrize(
    ("language", "title", "succeeded", "failed"),
    [("en", "Powick Bridge: Autumn 1644, final results", "Army London moves to Surrey",
      "support cut by Army Berkshire's attack on Oxford"),
     ("de", "Powick Bridge: Autumn 1644, endgültige Ergebnisse", "Army London moves to Surrey",
      "Unterstützung unterbrochen: Army Berkshire greift Oxford an")],
)
def test_a_result_is_heard(chromium: Any, language: str, title: str, succeeded: str, failed: str) -> None:
    letter = every_letter(language=language)["final_results"]
    page = chromium.new_page()
    page.set_content(letter.html or "")
    utterances = transcript(page)
    page.close()
    assert names(utterances, "heading")[0] == title
    assert f'<html lang="{language}">' in (letter.html or "")
    words = " ".join(each.name for each in utterances)
    assert words.index(succeeded) < words.index(failed)
    # The marks beside orders are drawn; their words follow.
    assert [str(each) for each in utterances if each.role in {"link", "image"} and not each.name] == []
