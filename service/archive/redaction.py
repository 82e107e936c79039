"""What the players' archive keeps closed although its results were sent: boards and orders that the rules of
the game still keep from some player, as they do a fleet that has not shown itself (D66-06, D66-14)."""

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
    """Phases by their number: those whose board and those whose orders are not for every player."""

    boards: frozenset[int] = frozenset()
    orders: frozenset[int] = frozenset()

    def hold(self, kind: str, tells: Mapping[str, Any]) -> bool:
        """Whether an entry would tell a secret. A board's bare digest would too: there are few places to try
        for a fleet."""
        match kind:
            case "phase":
                return tells["position"] is not None and tells["phase"] in self.boards
            case "reading" | "decision" | "judged":
                return tells["phase"] in self.orders
            case "event":  # it counts the orders that were judged
                return bool(self.orders) and tells["event"] == "phase_judged"
            case _:
                return False


def secrets_of(session: Session, game: GameRow) -> Secrets:
    """The secrets of a game as it stands; there are none any more once its newest board hides nothing. The
    board that every game begins with is printed in the rules and no secret. Raises maps.MapError for a game
    of no known variant."""
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
