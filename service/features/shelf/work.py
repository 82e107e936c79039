"""The work of the shelf on an open site: games go by the clock, and come back when a page of theirs is asked
for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from fastapi import HTTPException, Request
from sqlalchemy import Select, select

from service.feature import FeatureWork, Interval, JobKind
from service.features.shelf import shelf
from service.jobs import Jobs
from service.letters.language import N_
from service.store.columns import row_number
from service.store.tables import PageRow, PhaseRow, ShelvedGameRow, SubmissionRow
from service.web.ports import DeskPorts

if TYPE_CHECKING:
    from service.bootstrap import Site

SECONDS = 60
"""After which a browser may ask again."""
SENTENCE = N_("This game is over and was put on the shelf. Nothing is lost: the game is being brought back. "
              "Reload this page in a minute.")


def be_here(jobs: Jobs, request: Request) -> None:
    """Go on where the page is about no game, or about one that is here. Raises HTTPException."""
    query = _game_of(request)
    if query is None:
        return
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        game = session.scalar(query)
        if game is None:
            return
    with ports.sessions.begin() as session:
        shelf.ask_for(session, jobs, game, ports.clock.now())
    raise HTTPException(503, SENTENCE, {"Retry-After": str(SECONDS)})


def _game_of(request: Request) -> Select[Any] | None:
    """The shelved game that an address is about, whatever it names of it."""
    away = select(ShelvedGameRow.game_id)
    named = request.path_params
    by_phase = away.join(PhaseRow, PhaseRow.game_id == ShelvedGameRow.game_id)
    by_sheet = by_phase.join(SubmissionRow, SubmissionRow.phase_id == PhaseRow.id)
    if "game_id" in named:
        return away.where(ShelvedGameRow.game_id == named["game_id"])
    for name, query in (("phase_id", by_phase.where(PhaseRow.id == row_number(named.get("phase_id")))),
                        ("submission_id", by_sheet.where(
                            SubmissionRow.id == row_number(named.get("submission_id")))),
                        ("page_id", by_sheet.join(PageRow, PageRow.submission_id == SubmissionRow.id).where(
                            PageRow.id == row_number(named.get("page_id"))))):
        if name in named:
            return query
    return None


def work(site: Site) -> FeatureWork:
    """Its work on a site."""
    def unshelve(payload: Mapping[str, Any]) -> None:
        shelf.bring_back(site.store, site.blobs, str(payload["game"]), site.clock.now())

    days = site.settings.shelve_after_days
    by_the_clock = [] if days is None else [Interval("shelf", shelf.SECONDS, lambda: shelf.shelve_old(
        site.store, site.blobs, days, site.clock.now()), leader_only=True)]
    return FeatureWork(by_the_clock, [JobKind(shelf.WORK, unshelve)], [partial(be_here, site.jobs)])
