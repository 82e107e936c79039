"""A game's letters in the coordinator's words (README.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from service.feature import Feature, Slot

if TYPE_CHECKING:
    from fastapi import APIRouter


def _routers() -> Sequence[APIRouter]:
    from service.features.own_wording import pages

    return (pages.router,)


FEATURE = Feature("own_wording", routers=_routers, slots={Slot.LETTER: "own_wording/letter_link.html"})
