"""The house rules that results cite, their page, those that a game began with, and its order words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import maps
from grammar.fragments.languages import LANGUAGES
from maps.rulings import Ruling, rulings
from maps.variant import Variant
from service.games.options import HOUSE_RULES, ORDER_LANGUAGES


@cache
def rules_of(slug: str) -> tuple[Ruling, ...]:
    """The house rules of a board that comes with the program; empty for any other board."""
    return rulings(maps.folder(slug), maps.load(slug)) if slug in maps.variants() else ()


def path_of(slug: str) -> str:
    """The path of their page on the site, "" where there are none."""
    return f"/public/rules/{slug}" if rules_of(slug) else ""


def rules_to_keep(variant: Variant) -> dict[str, Any]:
    """The option by which a game that begins now keeps today's house rules; empty where none ever changed."""
    kept = {key: variant.rules.choice(key) for key in sorted(variant.earlier)}
    return {HOUSE_RULES: kept} if kept else {}


def languages_fault(options: Mapping[str, Any]) -> list[str]:
    """A sentence if a game's option names a language that has no order words here; else nothing."""
    named = options.get(ORDER_LANGUAGES, [])
    if isinstance(named, list) and all(name in LANGUAGES for name in named):
        return []
    return [f"options.{ORDER_LANGUAGES}: write a list of any of {', '.join(LANGUAGES)}"]


def languages_option(names: Iterable[str]) -> dict[str, Any]:
    """The option by which a game takes the order words of these languages; names of no language are left
    out, and without any it is empty."""
    named = [name for name in names if name in LANGUAGES]
    return {ORDER_LANGUAGES: named} if named else {}


def as_written(variant: Variant, options: Mapping[str, Any]) -> Variant:
    """The variant with the order words of the languages that a game with these options has switched on."""
    named = tuple(name for name in options.get(ORDER_LANGUAGES) or () if name in LANGUAGES)
    return replace(variant, languages=named) if named else variant


def as_played(variant: Variant, options: Mapping[str, Any]) -> Variant:
    """The variant with the house rules that a game with these options began with.

    A change of a house rule must not reach a game that is being played, nor one that was. A game that says
    nothing of a rule began before that rule was changed.
    """
    noted = options.get(HOUSE_RULES)
    values = {**variant.earlier, **(noted if isinstance(noted, dict) else {})}
    # A rule that a newer Galloper wrote, or a cheat, is none that this rule set could play by.
    choices = {key: value for key, value in values.items() if value in variant.rules.CHOICES.get(key, ())}
    if all(variant.rules.choice(key) == value for key, value in choices.items()):
        return variant
    return replace(variant, rules=replace(variant.rules, values={**variant.rules.values, **choices}))
