"""The contents of the gazette for each year of a game."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from adjudicator.position import Centres, Position
from maps.variant import Variant
from service.features.gazette.compose import phrases
from service.features.gazette.reports import statements_of
from service.features.gazette.values import Holdings, YearFacts
from service.games.phases import JudgedPhase, centres_by_year, names_of_years, with_deployment
from service.letters.language import ENGLISH


@dataclass(frozen=True, slots=True)
class GazetteGame:
    """The game that a gazette is printed for. `id` is also the seed of its chance."""

    id: str
    name: str
    has_omens: bool = True


def year_facts(
    variant: Variant, game: GazetteGame, numbers: Sequence[Sequence[JudgedPhase]], number: int
) -> YearFacts:
    """The contents of issue `number` (from 1). Raises IndexError if there is none of that number."""
    phases = numbers[number - 1]
    kinds = frozenset(phrases(ENGLISH).statements)
    statements = tuple(statement for judged in phases
                       for statement in statements_of(variant, with_deployment(variant, judged), kinds))
    so_far = numbers[:number]
    return YearFacts(
        game.name, number, {judged.number: judged.phase for judged in phases}, statements,
        tuple(_holdings(variant, power, phases[0].before, phases[-1].resolution.position)
              for power in variant.powers),
        names_of_years(so_far), centres_by_year(variant, so_far),
        hashlib.sha256(game.id.encode()).hexdigest(), game.has_omens,
        frozenset(power.name for power in variant.powers.values() if power.is_plural),
        variant.articled,
        tuple(f"{kind.name} " for kind in variant.kinds.values() if kind.can_convoy))


def _holdings(variant: Variant, power: str, before: Position, after: Position) -> Holdings:
    had, has = before.centres.get(power, frozenset()), after.centres.get(power, frozenset())
    owners = {"gained": _owner_of(before.centres), "lost": _owner_of(after.centres)}
    return Holdings(
        variant.powers[power].name, len(had), len(has),
        _places(variant, has - had, owners["gained"]), _places(variant, had - has, owners["lost"]))


def _places(variant: Variant, centres: frozenset[str], other: Mapping[str, str]) -> tuple[str, ...]:
    """Centres by name, each with the power that had or has it, if one did."""
    names = []
    for centre in centres:
        owner = variant.powers.get(other.get(centre, ""))
        name = variant.board.provinces[centre].name
        names.append(name if owner is None else f"{name} ({owner.name})")
    return tuple(sorted(names))


def _owner_of(centres: Centres) -> dict[str, str]:
    return {centre: power for power, owned in centres.items() for centre in owned}
