"""The war again, phase by phase (README.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from service.feature import Feature, Slot

if TYPE_CHECKING:
    from fastapi import APIRouter


def _routers() -> Sequence[APIRouter]:
    from service.features.replay import pages

    return (pages.router,)


FEATURE = Feature("replay", routers=_routers, slots={
    Slot.GAME_PLAYERS: "replay/game_link.html", Slot.END: "replay/end_link.html"})
