"""Outcomes in a reader's language (LET-10, REL-03): each sentence of each rule set is known, and reads the
same in English."""

from __future__ import annotations

import re

import pytest

import maps
from adjudicator.geo import Region
from adjudicator.orders import Hold
from adjudicator.outcome import Outcome, Result
from adjudicator.units import UnitRef
from service.games.results import ShownOrder, show_order
from service.letters.language import language
from service.letters.outcomes import messages, translatable

PARTS = ("Army Kent", "Surrey", "Fleet Dover", "Argyll")
ENGLISH = re.compile(r"\b(the|is|are|was|were|no|not|void|orders?|units?|cannot|and|with|from|by|against)\b")


def sentences() -> list[str]:
    """With strengths in the blanks that have parentheses."""
    boards = map(maps.load, maps.variants())
    known = {sentence for board in boards for sentence in board.rules.SENTENCES.values()}
    return sorted(re.sub(r"\(\{\d\}\)", "(2 against 1)", sentence) for sentence in known)


def shown(
    why: str, mark: str = "void", result: Result = Result.VOID, *, dislodged: bool = False
) -> ShownOrder:
    return ShownOrder("Army Kent moves to Surrey", result.value, mark, why, None, dislodged=dislodged)


@pytest.mark.parametrize(("kind", "unit"), [("A", "Army London"), ("F", "Fleet London"), (None, "London")])
def test_an_order_is_shown_with_its_unit_in_words(kind: str | None, unit: str) -> None:
    """LET-10: the news of a letter names units by it."""
    order = Hold(power="The Crown", unit=UnitRef(kind, Region("London")))
    assert show_order(maps.load("w3k"), Outcome(order, Result.SUCCEEDS)).unit == unit


@pytest.mark.parametrize("sentence", sentences())
def test_every_sentence_of_the_judge_is_said_in_german(sentence: str) -> None:
    """REL-03: as a page has it, and as letters have it (`ShownOrder.failure`, `ShownOrder.ending`)."""
    text = sentence.format(*PARTS)
    lines = {text, shown(text).failure, shown(text, "moves", Result.SUCCEEDS).ending}
    for line in lines - {""}:
        assert str(translatable(line)) == line
        assert language("en").value(translatable(line)) == line
        # The strait of 1066 has an English name.
        german = str(language("de").value(translatable(line))).replace("Straits of Dover", "")
        assert ENGLISH.search(german) is None, german
        for part in (part for part in PARTS if part in line):
            assert part in german


@pytest.mark.parametrize(("text", "german"), [
    ("void: there is no Army Kent (house rules, Q-16)",
     "ungültig: Es gibt keine solche Einheit: Army Kent (Hausregeln, Q-16)"),
    ("moves to Surrey, where Army Kent is dislodged (2 against 1)",
     "zieht nach Surrey, wo Army Kent vertrieben wird (2 gegen 1)"),
    ("bounced, dislodged", "zurückgeworfen, vertrieben"),
    (": conversion begun (1 of 2)", ": Umwandlung begonnen (1 von 2)"),
    ("rule 4", "Regel 4"),
    ("rules, Boat bunches", "Regeln, Boat bunches"),
    ("void: there is no unit in Kent", "ungültig: Es gibt keine solche Einheit: Einheit in Kent"),
    ("Essex is held against Red and Gold: Red: 6 + 9 = 15 against 4 + 12 = 16; Gold: 1 + 2 = 3 against 4",
     "Essex ist gegen Red and Gold gehalten: Red: 6 + 9 = 15 gegen 4 + 12 = 16; Gold: 1 + 2 = 3 gegen 4"),
])
def test_parts_of_a_sentence_are_said_too(text: str, german: str) -> None:
    """REL-03: strengths, rules, and units of a kind that is not known."""
    assert language("de").value(translatable(text)) == german


def test_a_failure_of_a_dislodged_unit_names_both() -> None:
    failure = shown("stood off by Army Kent (1 against 1)", "bounced", Result.FAILS, dislodged=True).failure
    assert language("de").value(translatable(failure)) == (
        "zurückgeworfen durch Army Kent (1 gegen 1), und die Einheit wird vertrieben")


def test_words_that_no_rule_set_has_stay() -> None:
    """A rule set of a site's own reads in its own words."""
    for text in ("", "eaten by a dragon of Kent", "Army Kent to Surrey", "A/F Kent is in Surrey"):
        assert translatable(text) == text
        assert language("de").value(translatable(text)) == text


def test_each_message_has_the_blanks_of_its_sentence() -> None:
    for message in messages():
        assert "{" not in message
        assert message % {f"part{number}": "x" for number in range(4)}
