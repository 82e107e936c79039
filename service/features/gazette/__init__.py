"""The gazette of a game year (README.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from service.feature import Feature, Slot
from service.letters.language import N_

if TYPE_CHECKING:
    from fastapi import APIRouter
    from sqlalchemy.orm import Session

    from adjudicator.outcome import Resolution
    from maps.variant import Variant
    from service.letters.facts import ResultsPart
    from service.store.tables import PhaseRow


def _routers() -> Sequence[APIRouter]:
    from service.features.gazette import pages

    return (pages.router,)


def _results_part(
    session: Session, phase: PhaseRow, variant: Variant, resolution: Resolution
) -> ResultsPart | None:
    from service.features.gazette import game_gazette

    return game_gazette.results_part(session, phase, variant, resolution)


FEATURE = Feature(
    "gazette", routers=_routers, results_part=_results_part, file_kinds={"gazette": N_("the gazette")},
    slots={Slot.RESULTS: "gazette/_gazette.jinja", Slot.GAME_PLAYERS: "gazette/game_link.html"})
