"""The effect of a deadline now (README.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from service.feature import Feature, Slot

if TYPE_CHECKING:
    from fastapi import APIRouter


def _routers() -> Sequence[APIRouter]:
    from service.features.dry_run import pages

    return (pages.router,)


FEATURE = Feature("dry_run", routers=_routers, slots={
    Slot.PHASE: "dry_run/phase_link.html", Slot.BEFORE_SENDING: "dry_run/results_sentence.html",
    Slot.JUDGED: "dry_run/results_button.html"})
