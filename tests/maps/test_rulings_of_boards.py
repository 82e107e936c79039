"""Every board's house rules fit the board: each choice has its paragraph, and what results cite can be
found."""

from __future__ import annotations

import re

import pytest

import maps
from maps.rulings import FILE, rulings

BOARDS = [slug for slug in maps.variants() if (maps.folder(slug) / FILE).exists()]


@pytest.mark.parametrize("slug", BOARDS)
def test_each_choice_has_a_paragraph_with_all_its_answers(slug: str) -> None:
    """`rulings` raises where an answer is missing or unknown."""
    variant = maps.load(slug)
    house_rules = rulings(maps.folder(slug), variant)
    text = (maps.folder(slug) / FILE).read_text("utf-8")
    assert house_rules
    assert all(f"`{key}`" in text for key in variant.rules.CHOICES), slug
    assert set(variant.rules.values) == set(variant.rules.CHOICES), ("every choice is a named value of the "
                                                                     "board")


@pytest.mark.parametrize("slug", BOARDS)
def test_what_a_sentence_cites_of_the_house_rules_is_there(slug: str) -> None:
    variant = maps.load(slug)
    text = (maps.folder(slug) / FILE).read_text("utf-8")
    for sentence, citation in variant.rules.citations.items():
        source, _, where = str(citation).partition(", ")
        if source == "house rules":
            assert re.search(rf"\(?{re.escape(where)}\b", text), sentence
