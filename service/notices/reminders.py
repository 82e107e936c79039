"""Reminders before a deadline, for players who asked for them (OUT-11). They state that nothing counts yet,
what came and was set aside, and nothing else.

The outbox is the memory of who was reminded: a letter's key names the deadline and the hours before it. So a
moved deadline brings a new reminder, and a restart brings none twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.calendar import Phase
from service.games.approval import papers
from service.games.ballots import executed, next_version
from service.games.deadlines import pace_of
from service.games.options import options_of
from service.games.phases import phase_of, powers_asked
from service.intake.verdicts.explanations import canonical_subject
from service.letters import render
from service.letters.facts import Closing, LetterFacts
from service.letters.kinds import LetterKind, Occasion, Sample
from service.letters.set_aside import translatable
from service.mail.sending.compose import Addressee, OutLetter, Rank
from service.notices.letter_context import LetterContext
from service.notices.previews import Previews
from service.store import phase_looks, records
from service.store.phase_looks import DuePhase, Look
from service.store.tables import GameRow, OutboxRow, PhaseRow, PhaseState, PlayerRow

HOURS = (12, 48)
"""Hours before a deadline at which reminders leave, the last first."""


def reminder_key(hours: int, deadline: datetime) -> str:
    """What shows a reminder from others of its phase: the outbox is the memory of who was reminded."""
    return f"{hours}h-{deadline.isoformat()}"


@dataclass(frozen=True, slots=True)
class ReminderFacts(LetterFacts):
    """A deadline draws near and nothing from a power counts (OUT-11). `hours` shows which reminder this
    is, 48 or 12 hours before the deadline. `feed` is the address of the calendar, `entry` the page on which
    the player can end reminders; each may be "". `received`: what came and does not count, in sentences."""

    hours: int
    closing: Closing
    now: datetime
    subject: str
    feed: str = ""
    entry: str = ""
    received: tuple[str, ...] = ()

    @property
    def letter_key(self) -> str:
        """See `reminder_key`."""
        return reminder_key(self.hours, self.closing.deadline)

    @property
    def letter_phase(self) -> Phase:
        """See `LetterFacts`."""
        return self.closing.phase


@dataclass(frozen=True, slots=True)
class Reminders:
    """The writer of reminders."""

    letters: LetterContext

    def put_due(self, session: Session, phase_id: int) -> int:
        """Put the reminders that are due for one phase into the outbox, in the caller's transaction. Returns
        their number."""
        phase = session.get(PhaseRow, phase_id)
        if phase is None:
            return 0
        return sum(self.letters.put(session, letter, phase) for letter in self.written(session, phase))

    def written(self, session: Session, phase: PhaseRow) -> list[OutLetter]:
        """The reminders of a phase that are due now, one for each address. Nothing is put into the outbox."""
        now = self.letters.clock.now()
        hours = hours_before(phase, now, _pace(session, phase))
        if hours is None:
            return []
        game = session.get_one(GameRow, phase.game_id)
        info, variant = self.letters.game_info(game), self.letters.load(game.variant)
        base = self.letters.sender.base_url.rstrip("/")
        letters = []
        set_aside = translatable(papers.set_aside(session, phase, variant))
        for power in silent(session, phase):
            name = variant.powers[power].name
            number = next_version(session, phase.id, power)
            for address in records.addresses(session, game.id).get(power, ()):
                facts = ReminderFacts(
                    hours, Closing(phase_of(phase), phase.deadline), now,
                    canonical_subject(info.name, name, phase_of(phase), number),
                    f"{base}/public/{game.id}/calendar.ics" if base else "",
                    f"{base}/public/entry" if base else "", set_aside.get(power, ()))
                to = self.letters.recipient(session, address, name)
                letters.append(render.letter(REMINDER, info, to, facts))
        return letters


def to_look_at(session: Session, look: Look) -> list[DuePhase]:
    """Open phases that may have a reminder due, the nearest deadline first."""
    # The scheduler looks every second, so a site on which no one asked for reminders costs one query.
    if session.scalar(select(PlayerRow.id).where(PlayerRow.reminders).limit(1)) is None:
        return []
    return phase_looks.before_deadline(session, look, timedelta(hours=HOURS[-1]))


def due(session: Session, phase_id: int, now: datetime) -> int | None:
    """The hours before its deadline (12 or 48) of the reminder that a phase has due now; None if it has
    none."""
    phase = session.get_one(PhaseRow, phase_id)
    hours = hours_before(phase, now, _pace(session, phase))
    return hours if hours is not None and _waits(session, phase, hours) else None


def _pace(session: Session, phase: PhaseRow) -> float:
    return pace_of(options_of(session.get_one(GameRow, phase.game_id)))


def hours_before(phase: PhaseRow, now: datetime, pace: float) -> int | None:
    """The reminder that belongs to this instant, in hours before the deadline: 48, 12, or None. After a stop
    of the server only the nearest one leaves. `pace` makes the hours of a rehearsal shorter."""
    left = phase.deadline - now
    if phase.state != PhaseState.OPEN or left <= timedelta():
        return None
    return next((hours for hours in HOURS if left <= timedelta(hours=hours) * pace), None)


def silent(session: Session, phase: PhaseRow) -> Iterator[str]:
    """Powers that asked for reminders, may send orders in this phase, and have nothing on file that counts:
    neither a photograph nor a sheet by post. In a retreat phase only those that must retreat."""
    # A sheet that is on its way by post counts only once it is logged, so the letter states to ignore it
    # then. One that is set aside is not a sheet that counts: its player was not reminded, and learnt it from
    # results.
    filed = executed(session, phase).keys() | records.posted(session, phase.id)
    asked_powers = powers_asked(phase)
    for power, key in sorted(records.seats(session, phase.game_id).items()):
        player = None if key is None else session.get(PlayerRow, key)
        if player is None or not player.reminders or power in filed:
            continue
        if asked_powers is None or power in asked_powers:
            yield power


def _waits(session: Session, phase: PhaseRow, hours: int) -> bool:
    """Whether some power is due a reminder that was not sent to one of its present addresses."""
    # The end of the key that `render.letter` gives such a letter.
    mark = f"/{reminder_key(hours, phase.deadline)}"
    reached = {
        row.recipient for row in session.scalars(select(OutboxRow).where(
            OutboxRow.kind == REMINDER.name, OutboxRow.phase_id == phase.id)) if mark in row.key
    }
    addresses = records.addresses(session, phase.game_id)
    return any(
        address not in reached for power in silent(session, phase) for address in addresses.get(power, ())
    )


# The kinds of these letters
# --------------------------------------------------------------------------------------------------


def _reminder_sample(seat: Previews) -> Sample[ReminderFacts]:
    closing, base = seat.closing(), seat.letters.sender.base_url.rstrip("/")
    facts = ReminderFacts(
        48, closing, closing.deadline - timedelta(hours=48),
        seat.subject(closing.phase, seat.next_version),
        f"{base}/public/{seat.game.id}/calendar.ics" if base else "",
        f"{base}/public/entry" if base else "")
    return Sample(facts, "As it is sent two days before this deadline.")


REMINDER = LetterKind(
    "reminder", ReminderFacts, "Reminder before a deadline",
    Occasion("a player who asked for reminders",
             "48 and 12 hours before a deadline, while no sheet of theirs counts", _reminder_sample),
    rank=Rank.REMINDER, addressee=Addressee.SEATED_PLAYER)
"""Says that a deadline draws near and nothing is on file, and nothing about the game (OUT-11)."""
