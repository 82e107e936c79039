"""The house rules that results cite, their page, those that a game began with, and its order words."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import maps
from maps.rulings import Ruling, rulings
from maps.variant import Variant
from service.facts.options import GameOptions, StoredOptions


@cache
def rules_of(slug: str) -> tuple[Ruling, ...]:
    """The house rules of a board that comes with the program; empty for any other board."""
    return rulings(maps.folder(slug), maps.load(slug)) if slug in maps.variants() else ()


def path_of(slug: str) -> str:
    """The path of their page on the site, "" where there are none."""
    return f"/public/rules/{slug}" if rules_of(slug) else ""


def rules_to_keep(variant: Variant) -> dict[str, str]:
    """Today's house rules that a game which begins now keeps; empty where none ever changed."""
    return {key: variant.rules.choice(key) for key in sorted(variant.earlier)}


def as_written(variant: Variant, options: GameOptions) -> Variant:
    """The variant with the order words of the languages that a game with these options has switched on."""
    return replace(variant, languages=options.order_languages) if options.order_languages else variant


def as_played(variant: Variant, options: StoredOptions) -> Variant:
    """The variant with the house rules that a game with these options began with.

    A change of a house rule must not reach a game that is being played, nor one that was. A game that states
    nothing of a rule began before that rule was changed.
    """
    values = {**variant.earlier, **options.house_rules}
    # A rule that a newer Galloper wrote, or a cheat, is none that this rule set could play by.
    choices = {key: value for key, value in values.items() if value in variant.rules.CHOICES.get(key, ())}
    if all(variant.rules.choice(key) == value for key, value in choices.items()):
        return variant
    return replace(variant, rules=replace(variant.rules, values={**variant.rules.values, **choices}))
