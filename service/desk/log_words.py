"""The log in words: what each entry states happened, as a sentence with its place to look at. The stored
kinds and details stay as they are; the export and the record have those."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.desk.queries import CLOCK_ONLY
from service.facts.events import Event
from service.facts.refusals import RefusalReason
from service.games.phases import phase_title
from service.store import records
from service.store.tables import EventRow, GameRow, MailRow, MailState, PhaseRow, SeatRow

SENTENCES: Mapping[str, str] = {event.value: event.sentence for event in Event}
"""A sentence for each kind of entry. Another kind is shown with its underscores as blanks."""
_IN_SENTENCE = frozenset({
    "mail", "power", "phase", "phase_id", "person", "submission", "letter", "command", "reply"})
_UNKNOWN = "?"
"""In place of a detail that an entry lacks; a log is shown whatever is in it."""
_ACTORS: Mapping[str, str] = {
    "galloper": "The machine", "galloper, for a player": "The machine, for a player",
    "coordinator": "The coordinator", "player": "The player", "demo": "The demo"}
"""Who did something, where the log names no one."""
_NOBODY_KNOWN = "A mail from an unknown sender"


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """One entry in words: its `sentence`, the address of the page that it is about, or "", and further
    details by name."""

    row: EventRow
    sentence: str
    address: str
    details: tuple[tuple[str, str], ...]

    @property
    def actor(self) -> str:
        """Who did it: a person's name, a command, or "The machine"."""
        return _ACTORS.get(self.row.actor, self.row.actor)


def in_words(
    session: Session, rows: Sequence[EventRow], power_name: Callable[[str, str], str],
    details: Callable[[Mapping[str, Any]], list[tuple[str, str]]],
) -> list[LoggedEvent]:
    """The entries in words. `power_name` takes a board and a power's id. The database is asked
    once for each mail and otherwise as often for one entry as for a hundred."""
    boards = {game.id: game.variant for game in session.scalars(select(GameRow))}
    phase_ids = {row.detail["phase_id"] for row in rows if isinstance(row.detail.get("phase_id"), int)}
    phases = {phase.id: phase_title(phase) for phase in session.scalars(
        select(PhaseRow).options(*CLOCK_ONLY).where(PhaseRow.id.in_(phase_ids)))}
    senders = _senders(
        session, {str(row.detail["mail"])[:12] for row in rows if row.detail.get("mail")}, boards, power_name)
    events = []
    for row in rows:
        power = str(row.detail.get("power") or "a power")
        words = {
            "mail": senders.get(str(row.detail.get("mail"))[:12], _NOBODY_KNOWN),
            "power": power_name(boards[row.game_id], power) if row.game_id in boards else power,
            "phase": phases.get(row.detail.get("phase_id", 0)) or str(row.detail.get("phase") or "A phase"),
            "person": str(row.detail.get("person") or "Somebody"),
        }
        pattern = SENTENCES.get(row.what, "")
        named = {name for _, name, _, _ in Formatter().parse(pattern) if name}
        words = {**{name: _said(row.detail.get(name)) for name in named}, **words}
        sentence = pattern.format(**words) if pattern else row.what.replace("_", " ")
        rest = {key: value for key, value in row.detail.items()
                if key not in _IN_SENTENCE | named or (not pattern and key != "phase_id")}
        events.append(LoggedEvent(row, sentence, _address(row), tuple(details(rest))))
    return events


def _said(value: object) -> str:
    return _UNKNOWN if value is None else str(value)


def _senders(
    session: Session, keys: set[str], boards: Mapping[str, str], power_name: Callable[[str, str], str]
) -> dict[str, str]:
    """Whose mail each is, by the first twelve letters of its digest: "Mail from Manchester's player"."""
    if not keys:
        return {}
    # A player who wrote under another power's name is not called that power's player.
    held = {(seat.player_id, power_name(boards[seat.game_id], seat.power))
            for seat in session.scalars(select(SeatRow).where(SeatRow.player_id.is_not(None)))}
    start = func.substr(MailRow.sha256, 1, 12)
    phrases = {}
    for key, sender, state, reason, verdict in session.execute(
        select(start, MailRow.sender, MailRow.state, MailRow.reason, MailRow.verdict).where(start.in_(keys))
    ):
        # The sender of a mail that was ignored as a repeat is the sender of the one that it repeats.
        proved = sender or session.scalar(
            select(MailRow.sender).where(MailRow.sha256 == (verdict or {}).get("of")))
        player = None if proved is None else records.player_of(session, proved)
        power = str((verdict or {}).get("power") or "")
        if player is None and not power:
            phrases[key] = _NOBODY_KNOWN
        elif player is None and state == MailState.USED and proved is None:
            # A question to the machine keeps no sender, and is answered to the player of that power alone.
            phrases[key] = f"Mail from {power}'s player"
        elif player is None:
            phrases[key] = f"Mail under the name of {power}, {_whose(proved, reason)}"
        elif (player.id, power) in held:
            phrases[key] = f"Mail from {power}'s player"
        else:
            phrases[key] = f"Mail from {player.name}" + (f" under the name of {power}" if power else "")
    return phrases


def _whose(proved: str | None, reason: str | None) -> str:
    """Whose a mail is that has no player now."""
    if proved is None:
        return "its sender not proved"
    is_stranger = reason == RefusalReason.UNKNOWN_SENDER
    return "from a stranger" if is_stranger else "from an address that is no longer a player's"


def _address(row: EventRow) -> str:
    """The page that an entry is about, or ""."""
    if isinstance(row.detail.get("submission"), int):
        return f"/sheet/{row.detail['submission']}"
    if isinstance(row.detail.get("letter"), int):
        return f"/letters/{row.detail['letter']}"
    if isinstance(row.detail.get("phase_id"), int) and row.what.startswith(("phase_", "results_")):
        return f"/results/{row.detail['phase_id']}"
    return ""
