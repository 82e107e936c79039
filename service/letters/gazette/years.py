"""The years of a game, as its gazette counts them, and what each of them tells."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from adjudicator.calendar import PhaseKind
from adjudicator.position import Centres, Position
from maps.variant import Variant
from service.letters.gazette.phrases import phrases
from service.letters.gazette.reports import statements_of
from service.letters.gazette.values import Holdings, JudgedPhase, YearFacts
from service.letters.language import ENGLISH


@dataclass(frozen=True, slots=True)
class GazetteGame:
    """The game that a gazette is printed for. `id` is also the seed of its chance."""

    id: str
    name: str
    has_omens: bool = True


def numbers_of(
    variant: Variant, phases: Sequence[JudgedPhase], *, over: bool
) -> tuple[tuple[JudgedPhase, ...], ...]:
    """The phases of each number, in order: a number ends with the phase that ends its game year. What comes
    after the last of these is told once the game is over."""
    numbers: list[tuple[JudgedPhase, ...]] = []
    current: list[JudgedPhase] = []
    for judged in phases:
        current.append(judged)
        if (judged.phase.season, judged.phase.kind) == variant.calendar.year_end:
            numbers.append(tuple(current))
            current = []
    if over and current:
        numbers.append(tuple(current))
    return tuple(numbers)


def year_facts(
    variant: Variant, game: GazetteGame, numbers: Sequence[Sequence[JudgedPhase]], number: int
) -> YearFacts:
    """What number `number` (from 1) tells. Raises IndexError if there is none of that number."""
    phases = numbers[number - 1]
    kinds = frozenset(phrases(ENGLISH).statements)
    statements = tuple(statement for judged in phases
                       for statement in statements_of(variant, with_deployment(variant, judged), kinds))
    ends = [numbers[0][0].before, *(each[-1].resolution.position for each in numbers[:number])]
    return YearFacts(
        game.name, number, {judged.number: judged.phase for judged in phases}, statements,
        tuple(_holdings(variant, power, phases[0].before, phases[-1].resolution.position)
              for power in variant.powers),
        tuple(str(each[-1].phase.year) for each in numbers[:number]),
        {power: tuple(len(end.centres.get(power, ())) for end in ends) for power in variant.powers},
        hashlib.sha256(game.id.encode()).hexdigest(), game.has_omens,
        frozenset(power.name for power in variant.powers.values() if power.is_plural),
        variant.articled,
        tuple(f"{kind.name} " for kind in variant.kinds.values() if kind.can_convoy))


def with_deployment(variant: Variant, judged: JudgedPhase) -> JudgedPhase:
    """The phase with its units where orders say that they begin it."""
    if judged.phase.kind is not PhaseKind.MOVEMENT:
        return judged
    orders = [outcome.order for outcome in judged.resolution.outcomes]
    return replace(judged, before=variant.rules.initial_deployment(variant.context(), judged.before, orders))


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
