"""What a sentence states it rests on: the tables `[rules.citations]` of the boards."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import maps
from adjudicator import rules
from tests.adjudicator.expectation import Case, answers

DATC: dict[str, Case] = {
    case["id"]: case for case in json.loads(Path("tests/data/datc/datc.json").read_text("utf-8"))["cases"]
}
STANDARD, KINGDOMS = maps.load("standard"), maps.load("w3k")
HOUSE_RULES = Path("docs/rulings/w3k.md").read_text("utf-8")
HANDBOOK = {
    "Unit orders", "Unit orders, Convert", "Convoys", "More detail on movement, attack, and support",
    "Years, seasons, turns", "Sea movement and Sea Areas", "Proxy orders for units", "Transferring supply",
    "Losing the game and the mercy position", "Annexe 3, Support", "Annexe 3, Season",
}
"""Titles in the handbook's table of contents, with the word or the entry meant where a section is long."""


@pytest.mark.parametrize(("sentence", "citation"), STANDARD.rules.citations.items())
def test_a_cited_test_case_is_one_in_which_that_sentence_is_said(sentence: str, citation: object) -> None:
    number = str(citation).removeprefix("DATC ")
    sentences = [order["why"] for order in answers(STANDARD, [DATC[number]])[0]["orders"]]
    words = STANDARD.rules.SENTENCES[sentence]
    # The blanks of a sentence are filled with names, so any text may be there.
    pattern = re.sub(r"\\\{\d\\\}", ".+", re.escape(words)) + re.escape(f" ({citation})")
    assert any(re.fullmatch(pattern, why) for why in sentences), sentences


@pytest.mark.parametrize(("sentence", "citation"), KINGDOMS.rules.citations.items())
def test_the_handbook_has_such_a_section_and_the_house_rules_such_a_ruling(
    sentence: str, citation: object
) -> None:
    source, _, where = str(citation).partition(", ")
    if source == "handbook":
        assert where in HANDBOOK, sentence
    else:
        assert source == "house rules"
        assert re.search(rf"\(?{re.escape(where)}\b", HOUSE_RULES), sentence


def test_every_sentence_of_the_handbooks_game_is_cited_but_those_it_cannot_say() -> None:
    uncited = {name for name in KINGDOMS.rules.SENTENCES
               if not KINGDOMS.rules.citation(name, None) and not _reason_cited(name)}
    # Every unit of this game may attack and retreat, and builds are not bound to home centres.
    assert uncited == {"may_not_attack", "never_retreats", "no_home_centre"}


def _reason_cited(name: str) -> bool:
    reason = {
        "bounced_off": "bounced",
        "bounced_head_on": "bounced",
        "beaten_off": "bounced",
        "beaten_head_on": "bounced",
        "bounced_with": "bounced",
        "beaten_to": "bounced",
        "no_chain": "no_convoy",
        "convoy_failed": "no_convoy",
        "fleet_lost": "no_convoy",
    }.get(name)
    return bool(KINGDOMS.rules.citation(name, reason))


@pytest.mark.parametrize(
    ("citations", "message"),
    [
        ({"suport_cut": "handbook"}, (r"rules\.citations\.suport_cut: rule set 'w3k' has no such sentence or "
                                      r"reason")),
        ({"support_cut": 7}, r"rules\.citations\.support_cut: 7 is not a text"),
    ],
)
def test_a_wrong_citation_is_our_own_fault_and_named(citations: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rules.load("w3k", {}, citations)


def test_a_citation_hangs_on_the_sentence_or_else_on_the_reason() -> None:
    cited = rules.load("standard", {}, {"bounced": "page 4", "bounced_with": "page 5", "moves": ""})
    assert cited.citation("bounced_off", "bounced") == "page 4"
    assert cited.citation("bounced_with", "bounced") == "page 5"
    # An empty text is not a citation: a variant may silence what it would inherit from the reason.
    assert cited.citation("moves", None) == ""
