"""The pages and acts of the feature, for tests that walk every page, route and act, play honest games, or go
to the desk by keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from service.features.dry_run.dry_run import DryRun, NoteDryRun
from service.store.tables import PhaseState

if TYPE_CHECKING:
    from tests.service.archive.honest.game import HonestGame

# A sealed phase is only counted.
ROUTES = {"/rehearsal/{phase_id}": ("get", "post"), "/rehearsal/{phase_id}/picture/{name}": ("get",)}
WHO = {route: {"coordinator of it"} for route in ROUTES}
PAGES = {"/rehearsal/7": "the name of a game"}
REFUSED = {"NoteDryRun": NoteDryRun(999, {})}
# Drawn in seconds.
FILLING = {"pictures": ""}


def tries_out(game: HonestGame) -> None:
    """The judging is rehearsed at the desk."""
    row = game.phase()
    if row is not None and row.state in {PhaseState.CLOSED, PhaseState.READY}:
        DryRun(game.site.store, game.site.clock, game.table.writer).run(row.id, "Ada", drawing=False)


HONEST_ACTS = {"tries_out": tries_out}


def rehearse_by_keys(
    page: Any, phase: int, at: Callable[[str], None], tab_to: Callable[[Any, str], None]
) -> None:
    """From the page of judged results to the rehearsal, and back."""
    tab_to(page, "Rehearse first")
    page.keyboard.press("Enter")
    at(f"/rehearsal/{phase}")
    tab_to(page, "Rehearse")
    assert page.evaluate("() => document.activeElement.tagName") == "BUTTON"
    page.keyboard.press("Enter")
    page.wait_for_selector("text=This is the first rehearsal of this phase.")
    assert ("The same results as those that wait for "
            "approval.") in page.locator("main").inner_text()
    at(f"/rehearsal/{phase}")
    tab_to(page, "To the results")
    page.keyboard.press("Enter")
    at(f"/results/{phase}")


BEFORE_SENDING = {"rehearsal": rehearse_by_keys}

IN_ENGLISH = dict.fromkeys(("features/dry_run/pages.py",), "coordinators read it")
