"""Texts that differ in the kind of one unit: what is weighed against the ink next to the best text (a kind is
one letter)."""

from __future__ import annotations

import pytest

from grammar.respellings import with_other_kinds
from tests.grammar.boards import lexicon


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ("a kent holds", {"f kent holds", "fleet kent holds"}),
        ("fleet kent holds", {"a kent holds", "army kent holds"}),
        ("armies kent and york hold", {"fleets kent and york hold"}),
        ("a at kent holds", {"f at kent holds", "f kent holds", "fleet at kent holds", "fleet kent holds"}),
        (
            "a kent s fleet york",
            {"f kent s fleet york", "fleet kent s fleet york", "a kent s a york", "a kent s army york"},
        ),
        ("kent holds", set()),
        ("", set()),
    ],
)
def test_each_unit_s_kind_is_turned_by_itself(text: str, turned: set[str]) -> None:
    assert set(with_other_kinds(text, lexicon())) == turned


def test_a_game_with_a_third_kind_has_more_of_them() -> None:
    """1648 has mercenaries."""
    texts = set(with_other_kinds("army kent holds", lexicon("war1648")))
    assert texts == {"f kent holds", "fleet kent holds", "m kent holds", "mercenary kent holds",
                     "merc kent holds"}
