"""A player is forgotten once their games are over: the real name becomes a pseudonym, and photographs, mails,
letters and the words next to the orders are deleted; their digests stay (docs/adr/0024, docs/privacy.md).

The orders stay too, since they are the game. The record shows what was forgotten in its own entry, so
that its chain can still be checked (docs/record.md, C20).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import String, cast, delete, or_, select, update
from sqlalchemy.orm import Session, sessionmaker

from service.archive import away
from service.facts.events import Event
from service.feature import features
from service.games.acts.act import Act, ActTable, LoggedEvent, perform
from service.games.names import pseudonym
from service.games.options import options_of
from service.games.refused import Refused
from service.record.entries import ORDERS
from service.store import records
from service.store.blobs import Blobs
from service.store.digests import canonical, inner, is_forgotten
from service.store.letter_parts import blob_keys
from service.store.tables import (
    AbsenceRow,
    AccessLinkRow,
    AddressRow,
    CorrespondenceRow,
    EntryRow,
    EventRow,
    GameRow,
    LineRow,
    MailRow,
    OutboxRow,
    OutboxState,
    PageRow,
    PhaseRow,
    PhaseState,
    PlayerRow,
    PostalAddressRow,
    ScanRow,
    SeatRow,
    SignUpRow,
    SubmissionRow,
)

SHREDDED = frozenset({"aside", "seat", "addresses"})
"""Kinds of entries whose words are deleted: they may hold a home address, in an older record a name, or the
digest of a mail address."""
NOBODY = "forgotten.invalid"
"""The domain of what is in place of an address (RFC 2606)."""


class NotForgotten(Refused):
    """No one was forgotten; the sentence shows why, and what to do."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The result: the pseudonym, the files to be deleted, and the numbers of the entries of each game that
    lost their words."""

    player: str
    files: tuple[str, ...]
    entries: Mapping[str, list[int]]


def player_called(session: Session, name_or_address: str) -> PlayerRow:
    """The player with this address, number, pseudonym or name. Raises NotForgotten for none, or several."""
    wanted = name_or_address.strip()
    player = records.player_of(session, wanted)
    if player is None:
        rows = [row for row in session.scalars(select(PlayerRow).order_by(PlayerRow.id))
                if wanted in {row.name, pseudonym(row), str(row.id)}]
        if len(rows) != 1:
            many = f"{len(rows)} players have this name; give a mail address" if rows else (
                "no player has this address or name")
            raise NotForgotten(f"Nothing was done: {many}.")
        player = rows[0]
    return player


def games_of(session: Session, player: PlayerRow) -> list[GameRow]:
    """The games in which a player has a seat, or sent a sheet."""
    seats = select(SeatRow.game_id).where(SeatRow.player_id == player.id)
    sheets = (select(PhaseRow.game_id).join(SubmissionRow, SubmissionRow.phase_id == PhaseRow.id)
              .where(SubmissionRow.player_id == player.id))
    return list(session.scalars(select(GameRow).where(
        or_(GameRow.id.in_(seats), GameRow.id.in_(sheets))).order_by(GameRow.id)))


def _check_all_are_over(session: Session, games: Sequence[GameRow]) -> None:
    running = [game for game in games if session.scalar(select(PhaseRow.id).where(
        PhaseRow.game_id == game.id, PhaseRow.state != PhaseState.SENT).limit(1)) is not None]
    names = [game.name for game in running if not options_of(game).is_rehearsal]
    if names:
        raise NotForgotten(
            f"Nothing was done: {', '.join(names)} is not over. Give the seat to another person, and forget "
            "this player after the game: until then its results must stay checkable.")
    if running:
        raise NotForgotten(
            f"Nothing was done: {running[0].name} still exists. Remove it, and try again with: galloper game "
            f"remove-rehearsal DIR {running[0].id}")


def forget(
    store: sessionmaker[Session], blobs: Blobs, name_or_address: str, by: str, now: datetime
) -> Forgotten:
    """Forget a player all of whose games are over. What was begun and cut off is finished by the same command
    again. Raises NotForgotten."""
    with store() as session:
        player_id = player_called(session, name_or_address).id
    away.bring_back_all_of(store, blobs, player_id, now)
    with store.begin() as session:
        done = perform(ForgetPlayer(name_or_address), ActTable(session, by, now)).outcome
    # Rows go first, so a crash leaves at worst bytes that only an entry of the record names.
    with store() as session:
        for key in done.files:
            if not _is_needed(session, key):
                blobs.remove(key)
    return done


@dataclass(frozen=True, slots=True)
class ForgetPlayer(Act[Forgotten]):
    """Takes from every row of a player what shows who they are. Their files are deleted after it."""

    name_or_address: str

    def check(self, table: ActTable) -> None:
        """Refuse a player who is unknown, or whose games are not over."""
        _check_all_are_over(
            table.session, games_of(table.session, player_called(table.session, self.name_or_address)))

    def change(self, table: ActTable) -> Forgotten:
        """Forget them."""
        player = player_called(table.session, self.name_or_address)
        return _forget_rows(table, player, games_of(table.session, player))

    def event(self, table: ActTable, outcome: Forgotten, letters: int) -> Sequence[LoggedEvent]:
        """One in each game: the files, and the entries of its record."""
        return [LoggedEvent(Event.FORGOTTEN, game, {
            "player": outcome.player, "files": list(outcome.files), "entries": numbers})
            for game, numbers in outcome.entries.items()]


def _forget_rows(table: ActTable, player: PlayerRow, games: Sequence[GameRow]) -> Forgotten:
    """Every row of a player without what shows who they are."""
    session = table.session
    addresses = list(session.scalars(select(AddressRow.email).where(AddressRow.player_id == player.id)))
    name, stand_in = pseudonym(player), f"{pseudonym(player)}@{NOBODY}"
    sheets = list(session.scalars(select(SubmissionRow).where(
        or_(SubmissionRow.player_id == player.id, SubmissionRow.sender.in_(addresses)))))
    sheet_ids = [sheet.id for sheet in sheets]
    pages = list(session.scalars(select(PageRow).where(PageRow.submission_id.in_(sheet_ids))))
    mails = list(session.scalars(select(MailRow).where(or_(
        MailRow.sender.in_(addresses), MailRow.sha256.in_([sheet.sha256 for sheet in sheets])))))
    letters = list(session.scalars(select(OutboxRow).where(
        or_(OutboxRow.recipient.in_(addresses), OutboxRow.player_id == player.id))))
    scans = list(session.scalars(select(ScanRow).where(ScanRow.submission_id.in_(sheet_ids))))
    keys = {mail.sha256 for mail in mails} | {letter.message for letter in letters}
    pictures = [(page.original, page.upright) for page in pages]
    pictures += [(scan.original, scan.upright) for scan in scans]
    keys |= {key for both in pictures for key in both if key}
    keys |= _parts_of_them_alone(session, letters)
    keys |= away.old_files(session, {*(game.id for game in games), *(
        letter.game_id for letter in letters if letter.game_id is not None)})
    # Again, after it was cut off: what an entry states was deleted, and is still there.
    keys |= {key for event in session.scalars(select(EventRow).where(EventRow.what == Event.FORGOTTEN))
             if event.detail.get("player") == name for key in event.detail.get("files", ())}
    entries = {game.id: _shred_entries(session, game.id, sheet_ids, player, name) for game in games}
    for sheet in sheets:
        sheet.sender = stand_in
    session.execute(
        update(LineRow).where(LineRow.page_id.in_([page.id for page in pages]), LineRow.kind.not_in(ORDERS))
        .values(text="", candidates=[]), execution_options={"synchronize_session": False})
    for mail in mails:
        mail.sender, mail.proof = None, None
        mail.verdict = {key: value for key, value in mail.verdict_fields.items()
                        if key in {"game", "power", "kind", "season", "year", "version"}} or None
    for letter in letters:
        letter.recipient, letter.words, letter.files, letter.error = stand_in, None, [], None
        letter.subject, letter.key = "", f"{Event.FORGOTTEN}-{letter.id}"
        if letter.state in {OutboxState.QUEUED, OutboxState.HELD}:
            letter.state = OutboxState.CANCELLED
    session.execute(delete(CorrespondenceRow).where(CorrespondenceRow.player_id == player.id))
    session.execute(delete(PostalAddressRow).where(PostalAddressRow.player_id == player.id))
    session.execute(delete(AbsenceRow).where(AbsenceRow.player_id == player.id))
    session.execute(delete(SignUpRow).where(SignUpRow.email.in_(addresses)))
    session.execute(delete(AccessLinkRow).where(AccessLinkRow.player_id == player.id))
    session.execute(delete(AddressRow).where(AddressRow.player_id == player.id))
    for feature in features():
        feature.forget_player(table, player.id)
    player.name, player.feed, player.accommodation = name, None, ""
    return Forgotten(name, tuple(sorted(keys)), entries)


def _parts_of_them_alone(session: Session, letters: Iterable[OutboxRow]) -> set[str]:
    """The files of letters that no letter to anybody else has, such as the copy of their own sheet."""
    letter_ids = {letter.id for letter in letters}
    keys = blob_keys((letter.message, letter.words, letter.files) for letter in letters)
    others = blob_keys((message, words, files) for message, words, files in session.execute(
        select(OutboxRow.message, OutboxRow.words, OutboxRow.files)
        .where(OutboxRow.id.not_in(letter_ids))).all())
    return keys - others


def _shred_entries(
    session: Session, game_id: str, sheets: Iterable[int], player: PlayerRow, name: str
) -> list[int]:
    """Take away the words of entries; their leaf can still be computed. The numbers of these entries."""
    sheet_keys, numbers = {str(key) for key in sheets}, []
    for row in session.scalars(select(EntryRow).where(
        EntryRow.game_id == game_id, EntryRow.what.in_(SHREDDED)).order_by(EntryRow.number)
    ):
        body = json.loads(row.body)
        is_theirs = {
            "aside": row.fact in sheet_keys, "addresses": row.fact == str(player.id),
            "seat": body["tells"].get("player") == player.name and player.name != name}
        if is_forgotten(row.body) or not is_theirs[row.what]:
            continue
        # The salt's column takes the digest of what was there (`digests.kept_inner`).
        row.salt = inner(row.salt, row.body)
        row.body = canonical({**body, "tells": _left(body["tells"]), Event.FORGOTTEN: True})
        numbers.append(row.number)
    return numbers


def _left(tells: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in tells.items() if key in {"phase", "sheet", "power"}}


def _is_needed(session: Session, key: str) -> bool:
    """Whether a row of a person who is not forgotten names these bytes: the same picture, the same letter."""
    stranger = f"%@{NOBODY}"
    pages = select(PageRow.id).join(SubmissionRow, SubmissionRow.id == PageRow.submission_id).where(
        or_(PageRow.original == key, PageRow.upright == key), SubmissionRow.sender.not_like(stranger))
    letters = select(OutboxRow.id).where(
        or_(OutboxRow.message == key, cast(OutboxRow.files, String).contains(key)),
        OutboxRow.recipient.not_like(stranger))
    mails = select(MailRow.sha256).where(MailRow.sha256 == key, MailRow.sender.is_not(None))
    return any(session.scalar(query.limit(1)) is not None for query in (pages, letters, mails))


def forgotten_files(session: Session, game_id: str = "") -> frozenset[str]:
    """The digests of all files that were deleted by forgetting; of one game where it is named."""
    query = select(EventRow.detail).where(EventRow.what == Event.FORGOTTEN)
    details = session.scalars(query.where(EventRow.game_id == game_id) if game_id else query)
    return frozenset(key for detail in details for key in detail.get("files", ()))
