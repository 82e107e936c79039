"""Where a letter goes at the moment it is sent: to an address that its player has now (BOX-08).

Days may lie between writing and sending: a relay is away, a person holds letters back. Meanwhile a player may
change an address or leave a seat.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.mail.sending.compose import Addressee, OutLetter, addressed_to, readdress
from service.store import records
from service.store.blobs import BlobError, Blobs
from service.store.letter_parts import finished, keep
from service.store.tables import AddressRow, OutboxRow, OutboxState, SeatRow

_LONGEST_KEY = 300


@dataclass(frozen=True, slots=True)
class LetterReader:
    """Whom a letter was written for: the player, and the seat if they hold a single one in its game."""

    player_id: int | None = None
    power: str | None = None


def reader_of(session: Session, letter: OutLetter) -> LetterReader:
    """The player to whose address a letter is written; no one for the coordinator's letters."""
    if letter.addressee is Addressee.COORDINATOR:
        return LetterReader()
    player = records.player_of(session, letter.recipient)
    if player is None:
        return LetterReader()
    seats = records.seats(session, letter.game_id).items() if letter.game_id else ()
    held = [power for power, holder in seats if holder == player.id]
    return LetterReader(player.id, held[0] if len(held) == 1 else None)


@dataclass(frozen=True, slots=True)
class NotSent:
    """A letter that goes to no one. `is_missed`: a person should hear of it."""

    state: OutboxState
    sentence: str
    is_missed: bool = True


def bring_up_to_date(
    session: Session, blobs: Blobs, row: OutboxRow, now: datetime, addressee: Addressee
) -> NotSent | None:
    """Give a claimed letter the address its player has now, in its row and in its To; None if it can be sent.
    `addressee` is that of its kind.

    A letter that no one is to get ends here, with the reason in its row.
    """
    if row.player_id is None:
        return None
    chosen = _address(session, row, addressee)
    if isinstance(chosen, NotSent):
        row.state, row.error, row.claimed_until = chosen.state, chosen.sentence, None
        records.log_event(session, now, Event.LETTER_NOT_SENT, game_id=row.game_id, detail={"letter": row.id})
        return chosen
    # A letter that a person sends again has another address in its row already (`move_to_other_address`).
    if chosen != row.recipient or addressed_to(_head(row)) not in {None, chosen}:
        try:
            mail = finished(blobs, row)
            parts = keep(blobs, readdress(mail, chosen))
            # The record names the letter as it was written, so those bytes stay.
            blobs.put(mail)
        except BlobError:
            # Sending reads the same bytes next, and shows what is wrong with them.
            return None
        row.message, row.words = parts.message, parts.words
        row.files = [*parts.files, *(file for file in row.files if file["at"] is None)]
        row.key, row.recipient = _key_with(row, chosen), chosen
        records.log_event(session, now, Event.LETTER_READDRESSED, game_id=row.game_id,
                          detail={"letter": row.id})
    session.flush()
    return None


def move_to_other_address(session: Session, row: OutboxRow, failing: Collection[str]) -> None:
    """Give a failed letter another address of its player, which does not fail and has no letter of its own;
    if there is none the letter keeps its address (PHA-09). `failing`: addresses in lower case to which
    letters failed. `bring_up_to_date` puts the address into the mail when it is sent."""
    if row.player_id is None:
        return
    for address in _addresses(session, row.player_id):
        if address not in failing and _is_free(session, key := _key_with(row, address)):
            row.key, row.recipient = key, address
            return


def _head(row: OutboxRow) -> str:
    return (row.words or "").partition("\r\n\r\n")[0]


def _addresses(session: Session, player: int | None) -> Sequence[str]:
    return session.scalars(
        select(AddressRow.email).where(AddressRow.player_id == player).order_by(AddressRow.email)).all()


def _is_free(session: Session, key: str) -> bool:
    """Whether no letter has a key: each address of a player gets its own letter, and none twice."""
    return session.scalar(select(OutboxRow.id).where(OutboxRow.key == key)) is None


def _address(session: Session, row: OutboxRow, addressee: Addressee) -> str | NotSent:
    player, gone = _player(session, row, addressee)
    if gone is not None:
        return gone
    known = _addresses(session, player)
    if not known:
        return NotSent(OutboxState.FAILED, "its player has no mail address now; add one, and send it again")
    # The row may have the address in the case in which the player's program writes it.
    if row.recipient.lower() in known:
        return row.recipient
    for address in known:
        key = _key_with(row, address)
        if key == row.key or _is_free(session, key):
            return address
    return NotSent(OutboxState.CANCELLED, "its address was removed; the player's other addresses each have "
                                          "their own letter", is_missed=False)


def _player(
    session: Session, row: OutboxRow, addressee: Addressee
) -> tuple[int | None, NotSent | None]:
    """Who is to get a letter now, or why no one is."""
    follows_seat = addressee in {Addressee.SEAT, Addressee.SEATED_PLAYER}
    if row.game_id is None or row.power is None or not follows_seat:
        return row.player_id, None
    seat = session.get(SeatRow, (row.game_id, row.power))
    holder = None if seat is None else seat.player_id
    if holder == row.player_id:
        return holder, None
    if addressee is Addressee.SEATED_PLAYER:
        return None, NotSent(OutboxState.CANCELLED, "its player has left the seat")
    if holder is None:
        return None, NotSent(OutboxState.CANCELLED, "its player has left the seat, which is vacant now")
    return holder, None


def _key_with(row: OutboxRow, address: str) -> str:
    """The key of the same letter to another address (`service.letters.render` puts the address into it)."""
    old, new = (text.replace("/", "-") for text in (row.recipient, address))
    key = "/".join(new if part == old else part for part in row.key.split("/"))
    return key if len(key) <= _LONGEST_KEY else row.key
