"""A game keeps the house rules that it began with, whatever a later Galloper plays by (JUD-03)."""

from __future__ import annotations

import pytest

import maps
from service.facts.options import StoredOptions
from service.games.rulings import as_played, rules_to_keep

CHANGED = [slug for slug in maps.variants() if maps.load(slug).earlier]


def test_two_games_have_house_rules_that_were_changed() -> None:
    assert set(CHANGED) == {"w3k", "brittania"}


@pytest.mark.parametrize("slug", CHANGED)
def test_a_game_of_before_the_change_is_played_on_by_the_old_rule(slug: str) -> None:
    variant = maps.load(slug)
    for key, value in variant.earlier.items():
        assert as_played(variant, StoredOptions()).rules.choice(key) == value != variant.rules.choice(key)


@pytest.mark.parametrize("slug", CHANGED)
def test_a_game_that_begins_now_notes_and_keeps_the_rules_of_today(slug: str) -> None:
    """Also when they are changed once more, and also when the note has words that no rule set has."""
    variant = maps.load(slug)
    kept = rules_to_keep(variant)
    assert kept.keys() == variant.earlier.keys()
    assert as_played(variant, StoredOptions(house_rules=kept)) is variant
    earlier = StoredOptions(house_rules=dict(variant.earlier))
    assert as_played(variant, earlier).rules.values != variant.rules.values
    odd = StoredOptions(house_rules={**kept, "papers": "burnt", "no_such_rule": "x"})
    assert as_played(variant, odd) is variant


def test_a_game_without_changed_rules_notes_nothing() -> None:
    assert rules_to_keep(maps.load("standard")) == {}
