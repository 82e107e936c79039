"""Fetches the rounds of the public beacon for phases that wait for one (ADR 0021).

Anyone who hands a round over need not be trusted: its signature is checked. A round that cannot be had is
asked for again at the next look. """

from __future__ import annotations

import json
import logging
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import select

from service.clock import Clock
from service.games import beacons, sealed_lots
from service.games.beacons import BeaconChain
from service.store.engine import Store
from service.store.tables import PhaseRow, PhaseState

log = logging.getLogger(__name__)
SECONDS = 20.0
"""Between two looks."""
RELAYS = ("https://api.drand.sh", "https://drand.cloudflare.com", "https://api2.drand.sh")
"""Servers that hand on the rounds of the League of Entropy."""
PATIENCE = 10.0
"""Seconds that a relay has to answer."""
MOST_BYTES = 10_000


class RoundSource(Protocol):
    """Where rounds come from."""

    def __call__(self, chain: BeaconChain, number: int, /) -> str | None:
        """The signature of a round in hexadecimal digits, not checked; None if no one answers."""


@dataclass(frozen=True, slots=True)
class Relays:
    """Servers with drand's HTTP interface, asked in turn."""

    addresses: tuple[str, ...] = RELAYS

    def __call__(self, chain: BeaconChain, number: int, /) -> str | None:
        """See `RoundSource`."""
        for address in self.addresses:
            url = f"{address}/{chain.chain}/public/{number}"
            try:
                # HTTPS, see RELAYS.
                with urllib.request.urlopen(url, timeout=PATIENCE) as answer:  # noqa: S310
                    reply = json.loads(answer.read(MOST_BYTES))
                if reply["round"] == number and bytes.fromhex(reply["signature"]):
                    return str(reply["signature"])
            except (OSError, ValueError, KeyError, TypeError) as error:
                log.info("a relay of the beacon did not answer: %s", type(error).__name__)
        return None


@dataclass(frozen=True, slots=True)
class BeaconRounds:
    """Looks for phases that wait, keeps their rounds, and has them judged."""

    store: Store
    clock: Clock
    source: RoundSource
    judge: Callable[[int], object]

    def look(self) -> int:
        """Fetch what is due; how many rounds came."""
        came = 0
        with self.store() as session:
            waiting = session.scalars(
                select(PhaseRow).where(PhaseRow.state == PhaseState.CLOSED, PhaseRow.beacon.is_(None))).all()
            due = [(row.id, round_due) for row in waiting
                   if (round_due := sealed_lots.round_due(row)) is not None]
        for phase_id, (chain, number, instant) in due:
            if instant <= self.clock.now() and self._fetch(phase_id, chain, number):
                came += 1
                self.judge(phase_id)
        return came

    def _fetch(self, phase_id: int, chain: BeaconChain, number: int) -> bool:
        signature = self.source(chain, number)
        if signature is None:
            return False
        if not beacons.is_signed(chain, number, signature):
            log.warning("a relay of the beacon sent a round with a false signature")
            return False
        with self.store.begin() as session:
            phase = session.get_one(PhaseRow, phase_id)
            if sealed_lots.waits_for_beacon(phase):
                sealed_lots.store_round(session, phase, number, signature)
        return True
