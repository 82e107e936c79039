"""What the marks of provinces mean, in words for players: harbours, ice, whose fleets are built where."""

from __future__ import annotations

from operator import attrgetter

from adjudicator.geo import Province
from maps.variant import Variant


def mark_phrases(variant: Variant, province: Province) -> tuple[str, ...]:
    """The marks of one province that its rule set has words for (`Ruleset.MARKS`), sorted: "freezes in
    January". A mark "fleets=Sweden" has "Sweden" for the blank of its words."""
    return tuple(sorted(filter(None, (_words(variant, mark) for mark in province.marks))))


def provinces_by_mark(variant: Variant) -> dict[str, list[str]]:
    """Each mark in words, to the names of the provinces that have it; both sorted."""
    names_by_mark: dict[str, list[str]] = {}
    for province in sorted(variant.board.provinces.values(), key=attrgetter("name")):
        for words in mark_phrases(variant, province):
            names_by_mark.setdefault(words, []).append(province.name)
    return dict(sorted(names_by_mark.items()))


def _words(variant: Variant, mark: str) -> str:
    name, _, value = mark.partition("=")
    # Marks have a power's id, players its printed name.
    power = variant.powers.get(value)
    return variant.rules.MARKS.get(name, "").format(power.name if power else value)
