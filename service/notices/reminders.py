"""Reminders before a deadline, for players who asked for them (OUT-11): that nothing is on file, and nothing
else.

Who was reminded is what the outbox knows: a letter's key names the deadline and the hours before it, so that
a moved deadline reminds anew and a restart nobody twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.calendar import PhaseKind
from adjudicator.serialize import codec
from service.games.phases import phase_of
from service.intake.explanations import canonical_subject
from service.letters import render
from service.letters.facts import Closing, ReminderFacts
from service.mail.compose import OutLetter
from service.notices.replies import LetterContext
from service.store import records
from service.store.tables import GameRow, OutboxRow, PhaseRow, PhaseState, PlayerRow

HOURS = (12, 48)
"""Hours before a deadline at which those who asked are reminded, the last first."""


@dataclass(frozen=True, slots=True)
class Reminders:
    """The writer of reminders."""

    desk: LetterContext

    def put_due(self, session: Session, phase_id: int) -> int:
        """Put what is due for one phase into the outbox, in the caller's transaction; how many letters."""
        phase = session.get(PhaseRow, phase_id)
        if phase is None:
            return 0
        return sum(self.desk.put(session, letter, phase) for letter in self.written(session, phase))

    def written(self, session: Session, phase: PhaseRow) -> list[OutLetter]:
        """The reminders of a phase that are due now, one for each address; nothing is put."""
        now, hours = self.desk.clock.now(), hours_before(phase, self.desk.clock.now())
        if hours is None:
            return []
        game = session.get_one(GameRow, phase.game_id)
        info, variant = self.desk.game_info(game), self.desk.load(game.variant)
        base = self.desk.sender.base_url.rstrip("/")
        found = []
        for power in silent(session, phase):
            name = variant.powers[power].name
            for address in records.addresses(session, game.id).get(power, ()):
                facts = ReminderFacts(
                    hours, Closing(phase_of(phase), phase.deadline), now,
                    canonical_subject(info.name, name, phase_of(phase), 1),
                    f"{base}/public/{game.id}/calendar.ics" if base else "",
                    f"{base}/public/entry" if base else "")
                found.append(render.reminder(info, self.desk.recipient(session, address, name), facts))
        return found


def due(session: Session, now: datetime) -> list[tuple[PhaseRow, int]]:
    """Open phases for which somebody is to be reminded now, with the hours before their deadline.

    Costs a query where nobody asked for reminders, which is what makes it fit for a look every few seconds.
    """
    if session.scalar(select(PlayerRow.id).where(PlayerRow.reminders).limit(1)) is None:
        return []
    rows = session.scalars(select(PhaseRow).where(
        PhaseRow.state == PhaseState.OPEN, PhaseRow.deadline > now,
        PhaseRow.deadline <= now + timedelta(hours=HOURS[-1])).order_by(PhaseRow.id)).all()
    return [
        (row, hours)
        for row in rows
        if (hours := hours_before(row, now)) is not None and _waits(session, row, hours)
    ]


def hours_before(phase: PhaseRow, now: datetime) -> int | None:
    """Which reminder belongs to this instant: 48, 12, or None. One that was missed for days is not made up
    for."""
    left = phase.deadline - now
    if phase.state != PhaseState.OPEN or left <= timedelta():
        return None
    return next((hours for hours in HOURS if left <= timedelta(hours=hours)), None)


def silent(session: Session, phase: PhaseRow) -> Iterator[str]:
    """Powers that asked to be reminded, may send orders in this phase, and have nothing on file for it,
    neither a photograph nor a letter. Of retreats only those who must retreat are asked."""
    filed = {row.power for row in records.submissions(session, phase.id)} | records.posted(session, phase.id)
    asked = _asked_to_order(phase)
    for power, key in sorted(records.seats(session, phase.game_id).items()):
        player = None if key is None else session.get(PlayerRow, key)
        if (
            player is not None
            and player.reminders
            and power not in filed
            and (asked is None or power in asked)
        ):
            yield power


def _asked_to_order(phase: PhaseRow) -> frozenset[str] | None:
    """The powers a retreat phase waits for; None for a phase in which everybody may order."""
    if phase.kind != PhaseKind.RETREAT:
        return None
    if phase.position is None:
        return frozenset()
    return frozenset(one.unit.power for one in codec.load_position(phase.position).dislodged)


def _waits(session: Session, phase: PhaseRow, hours: int) -> bool:
    """Whether a power that is to be reminded was not, at an address that it has now."""
    mark = f"/{hours}h-{phase.deadline.isoformat()}"
    told = {
        (row.recipient, row.key) for row in session.scalars(select(OutboxRow).where(
            OutboxRow.kind == "reminder", OutboxRow.phase_id == phase.id)) if mark in row.key
    }
    reached = {recipient for recipient, _ in told}
    addresses = records.addresses(session, phase.game_id)
    return any(
        address not in reached for power in silent(session, phase) for address in addresses.get(power, ())
    )
