"""Mails that no rule could route: until when each is sealed, and the acts that set one aside and take it
back.

Nothing is deleted: the raw bytes stay. Results do not leave while such a mail may hold orders for them
(`service.games.approval.papers`), so setting one aside is part of the core.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, and_, update
from sqlalchemy.orm import Session

import maps
from maps.variant import Variant
from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent, ReasonedAct
from service.games.approval.papers import DISCARDED
from service.games.mail_phases import MailPhases
from service.games.refused import Refused
from service.games.seal import sealed
from service.store import records
from service.store.tables import GameRow, MailRow, MailState, PhaseRow, PhaseState


@dataclass(frozen=True, slots=True)
class DiscardMail(ReasonedAct[None]):
    """Sets a mail aside without an answer. It can be taken back."""

    # The record must report later why a mail was set aside; one word does not.
    no_reason: ClassVar[str] = (
        "Nothing was discarded: this needs a reason, in a sentence for the record.")
    sha256: str
    why: str

    def change(self, table: ActTable) -> None:
        """Refuse a mail that is not in quarantine."""
        row = waiting_mail(table.session, self.sha256)
        settle(table.session, row, MailState.IGNORED, DISCARDED, row.verdict)

    def event(self, table: ActTable, outcome: None, letters: int) -> list[LoggedEvent]:
        """The mail and the reason, in each game that it concerns."""
        return of_mail(table, Event.MAIL_DISCARDED, self.sha256, why=self.reason)


@dataclass(frozen=True, slots=True)
class TakeMailBack(Act[None]):
    """Puts a discarded mail back into quarantine."""

    sha256: str

    def change(self, table: ActTable) -> None:
        """Refuse a mail that no one discarded."""
        row = table.session.get(MailRow, self.sha256)
        reason = None if row is None else row.verdict_fields.get("reason") or "could_not_be_handled"
        if row is None or not records.claim(
                table.session, MailRow, MailRow.sha256 == self.sha256, MailRow.state == MailState.IGNORED,
                MailRow.reason == DISCARDED, state=MailState.QUARANTINED, reason=reason):
            raise Refused("Nothing was changed: this mail was not discarded by hand.")

    def event(self, table: ActTable, outcome: None, letters: int) -> list[LoggedEvent]:
        """The mail, in each game that it concerns."""
        return of_mail(table, Event.MAIL_TAKEN_BACK, self.sha256)


def of_mail(table: ActTable, kind: Event, sha256: str, **detail: object) -> list[LoggedEvent]:
    """An act on a mail, in each game that it concerns, with its time and the power that it names: enough for
    its player to see that it is theirs. One event of the site where it concerns no game."""
    row = table.session.get_one(MailRow, sha256)
    verdict = row.verdict_fields
    named = verdict.get("power")
    player = records.player_of(table.session, row.sender) if row.sender else None
    seats = [] if player is None else records.seats_of(table.session, player.id)
    events = []
    for game in records.games_of_mail(table.session, row):
        subject = str(verdict.get("subject", "")).casefold()
        power = named or next((power for seat, power in seats if seat == game), None) or next(
            (power for power in records.seats(table.session, game) if power.casefold() in subject), None)
        whose = {"power": power} if power else {}
        events.append(LoggedEvent(kind, game, {
            "mail": sha256[:12], "received": row.received_at.isoformat(), **whose, **detail}))
    return events or [LoggedEvent(kind, None, {"mail": sha256[:12], **detail})]


def waiting_mail(session: Session, sha256: str) -> MailRow:
    """A mail in quarantine. Raises Refused."""
    row = session.get(MailRow, sha256)
    if row is None or row.state != MailState.QUARANTINED:
        raise Refused("Nothing was changed: this mail is no longer in quarantine. Another person may have "
                      "settled it; the log names them.")
    return row


def settle(
    session: Session, row: MailRow, state: MailState, reason: str | None, verdict: dict[str, Any] | None
) -> None:
    """Take a mail out of quarantine. Raises Refused where another person was faster."""
    # The update names the state it expects, so of two coordinators who press at once only one gets through.
    if not records.claim(session, MailRow, MailRow.sha256 == row.sha256,
                         MailRow.state == MailState.QUARANTINED, state=state, reason=reason):
        raise Refused("Nothing was changed: another person settled this mail a moment ago; the log names "
                      "them.")
    session.execute(update(MailRow).where(MailRow.sha256 == row.sha256).values(verdict=verdict))


def announced_for(mail: MailRow) -> ColumnElement[bool]:
    """Of phases with their games: those that are not open yet and that the mail names (Q-74)."""
    verdict = mail.verdict_fields
    return and_(
        PhaseRow.state == PhaseState.WAITING, GameRow.name == verdict.get("game"),
        PhaseRow.season == verdict.get("season"), PhaseRow.year == verdict.get("year"),
        PhaseRow.kind == verdict.get("kind"))


def sealed_by(
    session: Session, mail: MailRow, load: Callable[[str], Variant] = maps.load
) -> PhaseRow | None:
    """The phase that seals a mail: of those for which it may have come (`MailPhases`) the sealed one whose
    deadline is last. The mail may be looked into after that deadline (DESK-02, Q-14, PHA-03). If the subject
    names a known game, only a phase of that game counts. None if the mail is not sealed."""
    named = mail.verdict_fields.get("game")
    games = [game for game in records.games(session) if game.name == named] or records.games(session)
    came_for = (MailPhases.of(session, game, load(game.variant)).phase_of(session, mail) for game in games)
    sealed_phases = [phase for phase in came_for if phase is not None and sealed(phase)]
    return max(sealed_phases, key=lambda phase: phase.deadline, default=None)
