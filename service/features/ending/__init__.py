"""The pages about a game that is over (README.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from service.feature import Feature, Slot

if TYPE_CHECKING:
    from fastapi import APIRouter


def _routers() -> Sequence[APIRouter]:
    from service.features.ending import pages

    return (pages.router,)


FEATURE = Feature("ending", routers=_routers, slots={Slot.GAME_PLAYERS: "ending/game_link.html"},
                  end_page="/public/{game}/end")
