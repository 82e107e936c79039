"""Each letter of a game as it would read (README.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from service.feature import Feature, Slot

if TYPE_CHECKING:
    from fastapi import APIRouter


def _routers() -> Sequence[APIRouter]:
    from service.features.previews import pages

    return (pages.router,)


FEATURE = Feature("previews", routers=_routers, slots={
    Slot.LETTERS: "previews/power_form.html", Slot.LETTER_TITLE: "previews/title_link.html"})
