"""The phase of a game for which a mail came: one rule for the seal and for what keeps results back (PHA-03).

A mail came for the phase that it names, if that phase could still take it. Otherwise it came for the first
phase whose deadline it met and that asks its power. The time of receipt decides, never what is open when
a person looks: a retreat mail in time was once sealed until Winter's deadline, while the results of the
retreats waited for it and Winter waited for the results.

A mail came for one phase of a game, never for two. So a mail that keeps the results of a closed phase back
can be looked at, and a mail that may hold orders of a phase before its deadline is sealed, also before that
phase takes orders. An unsealed mail may hold orders of a later phase only if it came for a closed phase by
its time and did not name the later one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from sqlalchemy import or_, select
from sqlalchemy.orm import Session, defer

from maps.variant import Variant
from service.games.phases import powers_asked
from service.games.turns import AHEAD
from service.store import records
from service.store.tables import GameRow, MailRow, PhaseRow, PhaseState

NAMED_AHEAD = AHEAD + 1
"""How many phases ahead a mail may name one: all that are announced, and the one in play."""


@dataclass(frozen=True, slots=True)
class MailPhases:
    """The phases of a game that took or take mails, in order, and whose mails are whose. `powers`: name to
    id; `seats`: player to the ids of their powers."""

    game: str
    phases: Sequence[PhaseRow]
    powers: Mapping[str, str]
    seats: Mapping[int, tuple[str, ...]]

    @classmethod
    def of(cls, session: Session, game: GameRow, variant: Variant) -> Self:
        """The phases of a game. A phase that fell out took no mail."""
        # Boards are read of those alone that a mail is compared with.
        phases = session.scalars(
            select(PhaseRow).options(defer(PhaseRow.position), defer(PhaseRow.resolution))
            .where(PhaseRow.game_id == game.id,
                   or_(PhaseRow.state != PhaseState.SENT, PhaseRow.position.is_not(None)))
            .order_by(PhaseRow.ordinal)).all()
        seats: dict[int, tuple[str, ...]] = {}
        for power, player in records.seats(session, game.id).items():
            if player is not None:
                seats[player] = (*seats.get(player, ()), power)
        return cls(game.name, phases, {power.name: power.id for power in variant.powers.values()}, seats)

    def phase_of(self, session: Session, mail: MailRow) -> PhaseRow | None:
        """The phase for which a mail came; None if it met no deadline, or names another game."""
        verdict = mail.verdict_fields
        if verdict.get("game") not in {None, self.game}:
            return None
        ahead = self.ahead(mail.received_at)
        wanted = (verdict.get("season"), verdict.get("year"), verdict.get("kind"))
        if verdict.get("game") == self.game:
            for phase in ahead[:NAMED_AHEAD]:
                if wanted == (phase.season, phase.year, phase.kind):
                    return phase
        return self.first(ahead, self.powers_of(session, mail))

    def ahead(self, received_at: datetime) -> Sequence[PhaseRow]:
        """The phases whose deadline a mail of that instant met, in order."""
        # No one is late for a phase that has not opened: its deadline moves if results leave late
        # (PHA-01).
        return [phase for phase in self.phases
                if received_at <= phase.deadline or phase.state == PhaseState.WAITING]

    @staticmethod
    def first(phases: Sequence[PhaseRow], powers: Collection[str]) -> PhaseRow | None:
        """The first of these phases that asks one of the powers; with none known, the first."""
        return next((phase for phase in phases if not powers or _asks(phase, powers)), None)

    def powers_of(self, session: Session, mail: MailRow) -> tuple[str, ...]:
        """The powers that a mail is from: the one it names, else those of its proved sender."""
        verdict = mail.verdict_fields
        if verdict.get("game") not in {None, self.game}:
            return ()
        named = self.powers.get(str(verdict.get("power"))) if verdict.get("game") else None
        if named is not None:
            return (named,)
        player = records.player_of(session, mail.sender) if mail.sender else None
        return () if player is None else self.seats.get(player.id, ())


def _asks(phase: PhaseRow, powers: Collection[str]) -> bool:
    # The powers with orders in a phase are known with its board; before that it may be any.
    asked = None if phase.position is None else powers_asked(phase)
    return asked is None or not asked.isdisjoint(powers)
