"""The log in words: what each entry says happened, as a sentence with its place to look at. The stored kinds
and details stay as they are; the export and the record have those."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.games.phases import phase_title
from service.store import records
from service.store.tables import EventRow, GameRow, MailRow, PhaseRow, SeatRow

SENTENCES: Mapping[str, str] = {
    "mail_used": "{mail}: used",
    "mail_refused": "{mail}: refused with an answer",
    "mail_quarantined": "{mail}: set aside in quarantine",
    "mail_ignored": "{mail}: ignored",
    "mail_letter": "{mail}: a letter to the coordinator",
    "mail_command": "{mail}: a question, answered by the machine",
    "mail_given_up": "{mail}: it could not be handled, and waits in quarantine",
    "mail_waits_for_dns": "{mail}: it waits until its sender's domain answers",
    "mail_unreadable": "A mail in the mailbox could not be fetched",
    "mail_assigned": "{mail}: assigned to {power}",
    "mail_refused_by_hand": "{mail}: refused with an answer, from quarantine",
    "mail_discarded": "{mail}: discarded, from quarantine",
    "mail_taken_back": "{mail}: back in quarantine",
    "ignored_mail_taken_back": "{mail}: ignored before, and back in the queue",
    "ignored_mail_left": "{mail}: left ignored",
    "letter_answered": "{mail}: answered",
    "letter_done": "{mail}: marked as done",
    "letter_logged": "A letter of {power} came by post",
    "letter_taken_back": "The entry about a letter of {power} by post was taken back",
    "letter_not_sent": "A letter was not sent: its player has no address any more",
    "letter_readdressed": "A letter went to its player's present address",
    "letters_paused": "Letters are held back",
    "letters_resumed": "Letters leave again",
    "letters_tried_again": "Failed letters are tried again",
    "sheet_chosen": "A sheet of {power} was chosen to count",
    "sheet_choice_taken_back": "The choice of a sheet of {power} was taken back",
    "sheet_refused": "A sheet of {power} was refused",
    "sheet_refusal_taken_back": "The refusal of a sheet of {power} was taken back",
    "sheet_looked_at": "The sheet of {power} was called the right one",
    "sheet_filed_anew": "A sheet was filed for another power",
    "orders_taken_over": "A sheet of {power} took over the orders that it leaves out",
    "reading_failed": "The machine failed to read a sheet",
    "line_read_differently": "Two people read a line differently",
    "differences_closed": "Lines that two people read differently were made void",
    "lines_without_a_look": "Lines were accepted without a look",
    "hand_forgotten": "What the machine learnt of a player's hand was forgotten",
    "phase_opened": "{phase} opened",
    "phase_closed": "{phase} closed at its deadline",
    "phase_judged": "{phase} was judged",
    "phase_rolled_back": "{phase} was rolled back to the desk",
    "phase_unsealed": "The sheets of {phase} were opened before the deadline",
    "deadline_waits_for_mailbox": "{phase} waits for the mailbox",
    "mailbox_emptied": "The mailbox was emptied, and {phase} goes on",
    "judged_without_mailbox": "{phase} goes on without what may be in the mailbox",
    "results_approved": "The results of {phase} were approved and sent",
    "results_corrected": "An error in the results of {phase} was corrected",
    "deadline_moved": "The deadline of {phase} was moved",
    "year_moved": "The first day of a year was moved, from {phase} on",
    "game_created": "The game was created",
    "game_imported": "The game was imported",
    "board_kept": "A board of the site's own was kept",
    "option_changed": "An option was changed",
    "accommodation_changed": "What a player needs was changed",
    "entry_changed": "A player changed their entry",
    "address_added": "The player of {power} has one address more",
    "address_removed": "The player of {power} has one address less",
    "return_address_changed": "The return address for letters by post was changed",
    "absence_announced": "The player of {power} is away from {first} to {last}",
    "absence_ended": "An absence of the player of {power} was taken back",
    "game_paused": "The game pauses for {days} days",
    "game_offered": "A game to sign up for was offered: {offer}",
    "powers_drawn": "The powers of {offer} were drawn",
    "sign_up_removed": "Number {number} was taken off the list of {offer}",
    "offer_ended": "The offer {offer} has ended",
    "sign_up_letter": "A letter about the list of {offer} was written",
    "mail_sign_up": "A mail signed its sender up for a game",
    "upload_link_made": "A link to send photographs for {power} was made",
    "upload_link_ended": "A link to send photographs for {power} has ended",
    "upload_links_ended": "All links to send photographs for {power} have ended",
    "seat_changed": "{power} has another player",
    "coordinator_changed": "The coordinator changed",
    "person_added": "{person} may sign in",
    "person_removed": "{person} cannot sign in any more",
    "person_signed_out": "{person} was signed out everywhere",
    "passkey_added": "{person} has a new passkey",
    "passkey_removed": "{person} removed a passkey",
    "role_changed": "{person} has another role",
    "game_role_changed": "{person} has another role in this game",
    "work_failed": "A piece of work failed and is tried again",
    "backup_made": "A backup was made",
    "root_stamped": "An authority outside stamped the root of the results of {phase}",
    "restored": "The site was restored from a backup",
    "restore_tested": "A backup was put back as a test",
    "phase_rehearsed": "{phase} was rehearsed",
    "game_shelved": "The rows of a game that is over were put into a file",
    "game_unshelved": "The rows of a game that is over were brought back",
    "webhook_delivered": "Another program was told that results are out",
    "webhook_failed": "Another program could not be told that results are out",
}
"""A sentence for each kind of entry. Another kind is shown with its underscores as blanks."""
_IN_SENTENCE = frozenset({
    "mail", "power", "phase", "phase_id", "person", "submission", "letter", "command", "reply"})
_UNKNOWN = "?"
"""In place of a detail that an entry lacks; a log is shown whatever is in it."""
_ACTORS: Mapping[str, str] = {
    "galloper": "The machine", "galloper, for a player": "The machine, for a player",
    "coordinator": "The coordinator", "player": "The player", "demo": "The demo"}
"""Who did something, where the log names no person."""
_NOBODY_KNOWN = "A mail whose sender is not known"


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
        select(PhaseRow).where(PhaseRow.id.in_(phase_ids)))}
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
    for key, sender, verdict in session.execute(
        select(start, MailRow.sender, MailRow.verdict).where(start.in_(keys))
    ):
        player = None if sender is None else records.player_of(session, sender)
        power = str((verdict or {}).get("power") or "")
        if player is None:
            phrases[key] = f"Mail under the name of {power}, from a stranger" if power else _NOBODY_KNOWN
        elif (player.id, power) in held:
            phrases[key] = f"Mail from {power}'s player"
        else:
            phrases[key] = f"Mail from {player.name}" + (f" under the name of {power}" if power else "")
    return phrases


def _address(row: EventRow) -> str:
    """The page that an entry is about, or ""."""
    if isinstance(row.detail.get("submission"), int):
        return f"/sheet/{row.detail['submission']}"
    if isinstance(row.detail.get("letter"), int):
        return f"/letters/{row.detail['letter']}"
    if isinstance(row.detail.get("phase_id"), int) and row.what.startswith(("phase_", "results_")):
        return f"/results/{row.detail['phase_id']}"
    return ""
