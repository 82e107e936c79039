"""Two acts of a coordinator for lots that could not be drawn otherwise: without the seed, because the site's
key is lost, and without the beacon, because it is gone. Both are told to all players in the next results."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from adjudicator.errors import UserFacingError
from service.games import beacons, sealed_lots
from service.games.seal import LEAST_REASON, MOST_REASON
from service.site_key import NoSiteKey
from service.store import records
from service.store.tables import PhaseRow, PhaseState

PATIENCE = timedelta(days=1)
"""How long a beacon is waited for before a person may go on without it."""
FetchRound = Callable[[beacons.BeaconChain, int], str | None]
"""Asks for the signature of a round; None if nobody answers."""


class LotsRefused(UserFacingError):
    """The lots stay as they were planned; the sentence says why."""


def go_without_seed(session: Session, phase: PhaseRow, why: str, *, by: str, now: datetime) -> None:
    """Draw the lots of a closed phase without its seed, which cannot be opened. Raises LotsRefused."""
    _settle(phase, why)
    try:
        seed = sealed_lots.opened_seed(session, phase)
    except NoSiteKey:
        seed = None
    # Who could choose between two draws would steer: what can be opened takes part.
    if seed is not None:
        raise LotsRefused("Nothing was changed: the seed of this phase can be opened, so it takes part.")
    _note(session, phase, sealed_lots.LOST, why, by, now)


def go_without_beacon(
    session: Session, phase: PhaseRow, why: str, *, by: str, now: datetime, fetch: FetchRound
) -> None:
    """Draw the lots of a closed phase with the sheets, since its beacon has not answered for a day and does
    not answer now. Raises LotsRefused."""
    _settle(phase, why)
    due = sealed_lots.round_due(phase)
    if due is None:
        raise LotsRefused("Nothing was changed: this phase does not wait for a beacon.")
    chain, number, instant = due
    if now < instant + PATIENCE:
        raise LotsRefused(f"Nothing was changed: the round is of {instant:%a %-d %b %Y, %H:%M} GMT, and a "
                          "beacon is waited for a whole day. Try again then.")
    signature = fetch(chain, number)
    if signature is not None and beacons.is_signed(chain, number, signature):
        raise LotsRefused("Nothing was changed: the beacon answers, so its round takes part.")
    _note(session, phase, sealed_lots.GIVEN_UP, why, by, now)


def _settle(phase: PhaseRow, why: str) -> None:
    if phase.draw is None or phase.state != PhaseState.CLOSED:
        raise LotsRefused("Nothing was changed: only lots of a phase that is closed and not judged can be "
                          "settled so.")
    if len(" ".join(why.split())) < LEAST_REASON:
        raise LotsRefused(f"Nothing was changed: every player reads the reason, so write at least "
                          f"{LEAST_REASON} letters.")


def _note(session: Session, phase: PhaseRow, event: str, why: str, by: str, now: datetime) -> None:
    phase.draw = {**(phase.draw or {}), event: True}
    records.log_event(session, now, event, game_id=phase.game_id, actor=by,
                      detail={"phase_id": phase.id, "why": " ".join(why.split())[:MOST_REASON]})
    session.flush()
