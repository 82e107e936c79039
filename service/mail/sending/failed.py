"""Letters that failed, by the reader they were for: one answer for the inbox, a game's page, Health and the
coordinator's notice (PHA-09).

No sentence here has an address. The address is its own value, for the list of a game's players alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

import maps
from maps.variant import Variant
from service.games.names import seats_in_words
from service.mail.sending.returned import cause_of
from service.store.tables import OutboxRow, OutboxState, PlayerRow

_ANSWER = re.compile(r"the mail server answered (\d{3} ([45]\.\d{1,3}\.\d{1,3}))")
_RETURNED = "it came back as undeliverable: "


@dataclass(frozen=True, slots=True)
class FailedAddress:
    """An address to which letters failed. `whose`: its player with their seats, in words; `cause`: why the
    newest of the letters failed; `letters`: how many. `newest`: the key of that letter, and `game` the id of
    its game, or None."""

    address: str
    whose: str
    cause: str
    letters: int
    newest: int
    game: str | None

    @property
    def sentence(self) -> str:
        """Who lacks how many letters, and why, in a sentence without the address."""
        return f"{self.whose}: {self.number} did not arrive: {self.cause}."

    @property
    def number(self) -> str:
        """The number of letters in words."""
        return f"{self.letters} letter{'' if self.letters == 1 else 's'}"


def failed_addresses(
    session: Session, games: frozenset[str] | None = None, load: Callable[[str], Variant] = maps.load
) -> tuple[FailedAddress, ...]:
    """The addresses to which letters failed and were not sent again, the newest first. `games`: of the
    letters of these games alone."""
    query = select(OutboxRow).where(OutboxRow.state == OutboxState.FAILED).order_by(OutboxRow.id.desc())
    if games is not None:
        query = query.where(OutboxRow.game_id.in_(games))
    rows: dict[tuple[int | None, str], list[OutboxRow]] = {}
    for row in session.scalars(query):
        rows.setdefault((row.player_id, row.recipient.lower()), []).append(row)
    return tuple(
        FailedAddress(address, reader_in_words(session, letters[0], games, load), cause_in_words(letters[0]),
                      len(letters), letters[0].id, letters[0].game_id)
        for (_, address), letters in rows.items())


def reader_in_words(
    session: Session, letter: OutboxRow, games: frozenset[str] | None = None,
    load: Callable[[str], Variant] = maps.load,
) -> str:
    """The player of a letter with their seats: "Ann Quill (Powick Bridge, Montrose)". `games`: name seats of
    these games alone."""
    player = None if letter.player_id is None else session.get(PlayerRow, letter.player_id)
    if player is None:
        return "A reader who is not a player"
    seats = seats_in_words(session, player, games, load)
    return f"{player.name} ({seats})" if seats else f"{player.name} (no power now)"


def came_back(letter: OutboxRow) -> bool:
    """Whether a letter failed by the report of another server, after ours had taken it."""
    return (letter.error or "").startswith(_RETURNED.rstrip(": "))


def cause_in_words(letter: OutboxRow) -> str:
    """Why a letter failed, for a person: "there is no such address (550 5.1.1)"."""
    error = letter.error or "no reason is known"
    answer = _ANSWER.match(error)
    cause = None if answer is None else cause_of(answer[2])
    return error.removeprefix(_RETURNED) if answer is None or cause is None else f"{cause} ({answer[1]})"
