"""What the players' archive keeps closed although its results were sent.

The rules of a game may hide boards and orders from some players even then, such as a fleet that has not shown
itself (D66-06, D66-14).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

import maps
from adjudicator.serialize import codec
from service.store import records
from service.store.tables import GameRow


@dataclass(frozen=True, slots=True)
class Secrets:
    """Numbers of the phases whose board, and of those whose orders, some player may not see."""

    boards: frozenset[int] = frozenset()
    orders: frozenset[int] = frozenset()

    def hides(self, kind: str, tells: Mapping[str, Any]) -> bool:
        """Whether an entry of this kind would give a secret away."""
        match kind:
            case "phase":
                # Even the bare digest gives the board away: a fleet can be in so few places that a player
                # could try them all.
                return tells["position"] is not None and tells["phase"] in self.boards
            case "reading" | "decision" | "judged":
                return tells["phase"] in self.orders
            case "event":  # it says how many orders were judged
                return bool(self.orders) and tells["event"] == "phase_judged"
            case _:
                return False


def secrets_of(session: Session, game: GameRow) -> Secrets:
    """The secrets of a game as it is now.

    There are none once its newest board hides nothing. The opening board is printed in the rules and is no
    secret. Raises maps.MapError for a game whose variant is not known.
    """
    variant = maps.load(game.variant)
    setting, boards, orders, hides = variant.context(), set(), set(), False
    for row in records.phases(session, game.id):
        if row.position is not None:
            position = codec.load_position(row.position)
            hides = variant.rules.visible_position(setting, position, None) != position
            if hides and position != variant.start:
                boards.add(row.ordinal)
        if row.resolution is not None:
            resolution = codec.load_resolution(row.resolution)
            hides = variant.rules.visible_position(setting, resolution.position, None) != resolution.position
            if variant.rules.redact_resolution(setting, resolution, None) != resolution:
                orders.add(row.ordinal)
    return Secrets(frozenset(boards), frozenset(boards | orders)) if hides else Secrets()
