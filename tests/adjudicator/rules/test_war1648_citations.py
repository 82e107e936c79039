"""What results of 1648 rest on: one of the thirteen printed rules, or a house rule that players can read."""

from __future__ import annotations

import re

import pytest

import maps
from maps.rulings import rulings

VARIANT = maps.load("war1648")
HOUSE_RULES = {ruling.name for ruling in rulings(maps.folder("war1648"), VARIANT)}
RULINGS = (maps.folder("war1648") / "rulings.md").read_text("utf-8")


@pytest.mark.parametrize(("sentence", "citation"), VARIANT.rules.citations.items())
def test_a_citation_leads_somewhere(sentence: str, citation: object) -> None:
    printed = re.fullmatch(r"rule (\d+)", str(citation))
    if printed:
        assert 1 <= int(printed[1]) <= 13, sentence
    else:
        source, _, where = str(citation).partition(", ")
        assert (source, where in HOUSE_RULES) == ("house rules", True), sentence


def test_every_sentence_that_only_this_game_says_is_cited() -> None:
    shared = set(maps.load("standard").rules.SENTENCES)
    new_sentences = set(VARIANT.rules.SENTENCES) - shared
    assert new_sentences == new_sentences & set(VARIANT.rules.citations)


def test_every_open_question_has_its_paragraph() -> None:
    """Q-16, Q-18, Q-22, Q-50 to Q-55: each decision is told, each choice with both answers."""
    questions = set(re.findall(r"^\*\*[^*]+, `(\w+)`\.\*\*", RULINGS, re.MULTILINE))
    assert questions == set(VARIANT.rules.CHOICES)
    assert {f"Q-{number}" for number in range(50, 56)} <= set(re.findall(r"Q-\d\d", RULINGS))
