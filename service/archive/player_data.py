"""All that a site keeps of one player, as one file for that player (docs/privacy.md)."""

from __future__ import annotations

import json
import zipfile
from typing import Any, BinaryIO

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from service.archive.forget import games_of
from service.games.names import pseudonym
from service.store.blobs import BlobError, Blobs
from service.store.columns import TableBase
from service.store.digests import plain
from service.store.letter_parts import LetterBlobs
from service.store.tables import (
    AbsenceRow,
    AccessLinkRow,
    AddressRow,
    CorrespondenceRow,
    HandRow,
    LineRow,
    LotContributionRow,
    MailRow,
    OutboxRow,
    PageRow,
    PhaseRow,
    PlayerRow,
    PostalAddressRow,
    PostalOriginalRow,
    SeatRow,
    SignUpRow,
    SubmissionRow,
)

README = """\
ALL THAT A SITE OF GALLOPER KEEPS OF ONE PLAYER

data.json      the rows of the program's tables: who you are, your addresses, seats, sheets with what was read
               on them, mails, letters, words for the lots, and what the machine learnt of your hand.
photographs/   your sheets, each named by its SHA-256: as they came, and upright.
mails/         the mails that came from you.
letters/       the letters that went to you.

The record of a game calls you by a pseudonym, which data.json names. What was decided about your sheets, and
the rest of the game, is in the game's own archive.
"""
_WITHOUT = frozenset({"token_hash", "feed", "layer"})
"""Columns that open a page, or are numbers that mean nothing without the program."""


def write_player_data(session: Session, blobs: Blobs, player: PlayerRow, out: BinaryIO) -> int:
    """Write everything of a player as a ZIP file; how many files are in it. What is missing is named in
    `data.json`."""
    addresses = select(AddressRow.email).where(AddressRow.player_id == player.id)
    sheets = or_(SubmissionRow.player_id == player.id, SubmissionRow.sender.in_(addresses))
    sheet_ids, mails = select(SubmissionRow.id).where(sheets), select(SubmissionRow.sha256).where(sheets)
    pages = select(PageRow.id).where(PageRow.submission_id.in_(sheet_ids))
    seats = select(SeatRow).where(SeatRow.player_id == player.id)
    queries = {
        "player": select(PlayerRow).where(PlayerRow.id == player.id),
        "addresses": select(AddressRow).where(AddressRow.player_id == player.id),
        "postal_addresses": select(PostalAddressRow).where(PostalAddressRow.player_id == player.id),
        "seats": seats,
        "sheets": select(SubmissionRow).where(sheets),
        "pages": select(PageRow).where(PageRow.submission_id.in_(sheet_ids)),
        "lines": select(LineRow).where(LineRow.page_id.in_(pages)),
        "letters_by_post": select(PostalOriginalRow).where(PostalOriginalRow.submission_id.in_(sheet_ids)),
        "mails": select(MailRow).where(or_(MailRow.sender.in_(addresses), MailRow.sha256.in_(mails))),
        "letters": select(OutboxRow).where(
            or_(OutboxRow.recipient.in_(addresses), OutboxRow.player_id == player.id)),
        "correspondence": select(CorrespondenceRow).where(CorrespondenceRow.player_id == player.id),
        "links": select(AccessLinkRow).where(AccessLinkRow.player_id == player.id),
        "absences": select(AbsenceRow).where(AbsenceRow.player_id == player.id),
        "sign_ups": select(SignUpRow).where(SignUpRow.email.in_(addresses)),
        "hands": select(HandRow).where(HandRow.player_id == player.id),
    }
    rows: dict[str, list[TableBase]] = {
        name: list(session.scalars(query)) for name, query in queries.items()}
    rows["words_for_the_lots"] = list(_words(session, player))
    data: dict[str, Any] = {
        "pseudonym": pseudonym(player), "games": [game.name for game in games_of(session, player)],
        **{name: [_row_content(row) for row in some] for name, some in rows.items()}}
    wanted = [("mails", row.sha256, "eml") for row in rows["mails"] if isinstance(row, MailRow)]
    wanted += [("letters", row.message, "eml") for row in rows["letters"] if isinstance(row, OutboxRow)]
    wanted += [("photographs", key, "jpg") for row in rows["pages"] if isinstance(row, PageRow)
               for key in (row.original, row.upright) if key]
    return _write(LetterBlobs(session, blobs), data, list(dict.fromkeys(wanted)), out)


def _words(session: Session, player: PlayerRow) -> list[LotContributionRow]:
    """The words for the lots of the powers that a player has now."""
    return list(session.scalars(
        select(LotContributionRow).join(PhaseRow, PhaseRow.id == LotContributionRow.phase_id)
        .join(SeatRow, (SeatRow.game_id == PhaseRow.game_id) & (SeatRow.power == LotContributionRow.power))
        .where(SeatRow.player_id == player.id)))


def _row_content(row: TableBase) -> dict[str, Any]:
    return {column.key: plain(getattr(row, column.key)) for column in row.__mapper__.column_attrs
            if column.key not in _WITHOUT}


def _write(
    blobs: LetterBlobs, data: dict[str, Any], wanted: list[tuple[str, str, str]], out: BinaryIO
) -> int:
    missing, count = [], 0
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("README.txt", README)
        for folder, key, ending in wanted:
            try:
                zipped.writestr(f"{folder}/{key}.{ending}", blobs.read(key))
                count += 1
            except BlobError:
                missing.append(f"{folder}/{key}.{ending}")
        data["missing"] = missing
        zipped.writestr("data.json", json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    return count
