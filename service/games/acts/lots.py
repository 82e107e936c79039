"""Two acts for lots that could not be drawn otherwise: without the seed, because the site's key is lost, and
without the beacon, because it is gone. Both are reported to all players in the next results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from service.games import beacons, sealed_lots
from service.games.acts.act import ActTable, LoggedEvent, ReasonedAct
from service.games.refused import LEAST_REASON, Refused
from service.site_key import NoSiteKey
from service.store.tables import PhaseState

PATIENCE = timedelta(days=1)
"""How long a beacon is waited for before a person may go on without it."""
FetchRound = Callable[[beacons.BeaconChain, int], str | None]
"""Fetches the signature of a round; None without an answer."""
MOST_REASON = 300
NO_REASON = (f"Nothing was changed: all players read the reason, so write at least {LEAST_REASON} "
             "characters.")


@dataclass(frozen=True, slots=True)
class DrawWithoutSeed(ReasonedAct[None]):
    """Draws the lots of a closed phase without its seed, which cannot be opened."""

    most_reason: ClassVar[int] = MOST_REASON
    no_reason: ClassVar[str] = NO_REASON
    phase: int
    why: str

    def check(self, table: ActTable) -> None:
        """Refuse while the seed can be opened."""
        _closed(table, self.phase)
        try:
            seed = sealed_lots.opened_seed(table.session, table.any_phase(self.phase))
        except NoSiteKey:
            return
        # Who could choose between two draws would steer: what can be opened takes part.
        if seed is not None:
            raise Refused("Nothing was changed: the seed of this phase can be opened, so it takes part.")

    def change(self, table: ActTable) -> None:
        """Mark the draw."""
        _mark(table, self.phase, sealed_lots.LOST)

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The phase and the reason."""
        return LoggedEvent(sealed_lots.LOST, table.any_phase(self.phase).game_id,
                     {"phase_id": self.phase, "why": self.reason})


@dataclass(frozen=True, slots=True)
class DrawWithoutBeacon(ReasonedAct[None]):
    """Draws the lots of a closed phase with the sheets, since its beacon has not answered for a day and does
    not answer now. `fetch` tries it once more."""

    most_reason: ClassVar[int] = MOST_REASON
    no_reason: ClassVar[str] = NO_REASON
    phase: int
    why: str
    fetch: FetchRound

    def check(self, table: ActTable) -> None:
        """Refuse within a day of the round, and while the beacon answers."""
        _closed(table, self.phase)
        due = sealed_lots.round_due(table.any_phase(self.phase))
        if due is None:
            raise Refused("Nothing was changed: this phase does not wait for a beacon.")
        chain, number, instant = due
        if table.now < instant + PATIENCE:
            raise Refused(f"Nothing was changed: the round is of {instant:%a %-d %b %Y, %H:%M} GMT, and the "
                          "phase waits a whole day for it. Try again then.")
        signature = self.fetch(chain, number)
        if signature is not None and beacons.is_signed(chain, number, signature):
            raise Refused("Nothing was changed: the beacon answers, so its round takes part.")

    def change(self, table: ActTable) -> None:
        """Mark the draw."""
        _mark(table, self.phase, sealed_lots.GIVEN_UP)

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The phase and the reason."""
        return LoggedEvent(sealed_lots.GIVEN_UP, table.any_phase(self.phase).game_id,
                     {"phase_id": self.phase, "why": self.reason})


def _closed(table: ActTable, phase_id: int) -> None:
    phase = table.any_phase(phase_id)
    if phase.state != PhaseState.CLOSED:
        raise Refused("Nothing was changed: this is possible only for a phase that is closed and not judged.")


def _mark(table: ActTable, phase_id: int, mark: str) -> None:
    phase = table.any_phase(phase_id)
    phase.draw = {**phase.draw, mark: True}
