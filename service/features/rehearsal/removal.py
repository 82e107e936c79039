"""A rehearsal taken off its site: its rows, its record, its files, its mails and letters, and its work.

Everything that another game names stays: a person who plays there, a mail that is in its record. The other
games' records are computed again before anything is committed. The caller sees to it that no one serves the
site.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email import policy
from email.parser import BytesParser
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Engine, delete, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from service.archive.after_loading import check_record
from service.games.options import options_of, recorded_options
from service.games.refused import Refused
from service.intake import process_mail
from service.intake.filing import READ_WORK
from service.intake.sheets import reread_line
from service.jobs import DbosJobs
from service.mail.mailbox import ingest
from service.record import chain
from service.store.blobs import Blobs
from service.store.letter_parts import blob_keys, finished
from service.store.tables import (
    AbsenceRow,
    AccessLinkRow,
    AddressRow,
    ApprovalRow,
    CorrectionRow,
    CorrespondenceRow,
    EntryRow,
    EventRow,
    GameKeyRow,
    GameRoleRow,
    GameRow,
    HandRow,
    HeadRow,
    IgnoredMailRow,
    LineRow,
    LotContributionRow,
    MailboxLocationRow,
    MailboxWaitRow,
    MailRow,
    OutboxRow,
    PageRow,
    PhaseLookRow,
    PhaseRow,
    PlayerRow,
    PostalAddressRow,
    PostalOriginalRow,
    RecordPendingRow,
    ReviewActionRow,
    ReviewRow,
    ScanRow,
    SeatRow,
    ShelvedFileRow,
    ShelvedGameRow,
    SubmissionRow,
)
from service.store.tables_features import PROPOSE_WORK

PHASE_WORK = ("open", "deadline", "remind12", "remind48", "approve")
"""The beginning of the keys of work on a phase (`scheduler`, `notices.phase_letters.approval`)."""
_SECRET = re.compile(r"/public/letter/([0-9a-f]{64})")
_PART = 500
"""Values in one condition; SQLite takes some thousands at most."""


@dataclass(frozen=True, slots=True)
class Removed:
    """The removed parts: rows by table, files, and the Message-IDs of the letters; and the ends of the
    records of the games that stay."""

    name: str
    rows: dict[str, int]
    files: int
    letters: tuple[str, ...]
    roots: tuple[chain.Root, ...]


def remove_rehearsal(engine: Engine, blobs: Blobs, game_id: str) -> Removed:
    """Remove a rehearsal. Raises Refused for a game that is none, and BackupFault if the record of
    another game is broken; then nothing was removed."""
    queue = DbosJobs(engine)
    queue.prepare()
    with Session(engine) as session:
        removal = _Removal(session, rehearsal_called(session, game_id))
        before = _roots(session, game_id)
        work = [key for key in queue.all_keys() if removal.is_work(key)]
    # First, since the queue has transactions of its own: a phase that got the number of a removed one would
    # find its work done.
    jobs = queue.forget(work)
    with Session(engine) as session, session.begin():
        if engine.dialect.name == "sqlite":
            session.connection().exec_driver_sql("BEGIN IMMEDIATE")
        game = rehearsal_called(session, game_id)
        removal = _Removal(session, game)
        removal.remove_rows(blobs)
        removal.counts["jobs"] = jobs
        roots = _roots(session, game_id)
        if roots != before:
            raise Refused("The record of another game would have changed. Nothing was removed; please "
                          "report this.")
        # Before the commit: if this is cut off, the rows are still there and the same command ends the work.
        files = removal.remove_files(blobs)
        return Removed(game.name, removal.counts, files, removal.letters, roots)


def rehearsal_called(session: Session, game_id: str) -> GameRow:
    """The rehearsal of this id. Raises Refused unless the game's options and the first entry about it in its
    record both have the hours of a rehearsal."""
    game = session.get(GameRow, game_id)
    if game is None:
        known = [row.id for row in session.scalars(select(GameRow).order_by(GameRow.id))
                 if options_of(row).is_rehearsal]
        has = f"its rehearsals are {', '.join(known)}" if known else "it has no rehearsal"
        raise Refused(f"There is no game {game_id} on this site; {has}. Nothing was removed.")
    # The record too: a row may be changed by hand, an entry cannot without breaking the chain.
    first = session.scalars(
        select(EntryRow.body).where(EntryRow.game_id == game_id, EntryRow.what == "game")
        .order_by(EntryRow.number).limit(1)).first()
    entered = {} if first is None else json.loads(first)["tells"]["options"]
    if not options_of(game).is_rehearsal or not recorded_options(entered).is_rehearsal:
        raise Refused(f"{game.name} is a real game, which cannot be removed. Nothing was removed.")
    return game


def _roots(session: Session, but: str) -> tuple[chain.Root, ...]:
    """The end of every other game's record, each digest before it computed again."""
    others = session.scalars(select(GameRow.id).where(GameRow.id != but).order_by(GameRow.id)).all()
    return tuple(check_record(session, other) for other in others)


class _Removal:
    """The rows of one rehearsal alone, found once and then deleted."""

    def __init__(self, session: Session, game: GameRow) -> None:
        self._session = session
        self._game = game
        self.counts: dict[str, int] = {}
        self.phases = self._all(PhaseRow.id, PhaseRow.game_id == game.id)
        self.sheets = self._all(SubmissionRow.id, SubmissionRow.phase_id.in_(self.phases))
        self.scans = self._all(ScanRow.id, ScanRow.phase_id.in_(self.phases))
        self.pages = self._among(PageRow.id, PageRow.submission_id, self.sheets)
        self.lines = self._among(LineRow.id, LineRow.page_id, self.pages)
        self.mails = self._own_mails()
        self.players = self._own_players()
        self.addresses = self._among(AddressRow.email, AddressRow.player_id, self.players)
        self._outbox = self._own_letters()
        self.letters = tuple(self._among(OutboxRow.message_id, OutboxRow.id, self._outbox))
        self._files: set[str] = set()
        self._work_keys = self._begin_of_work_keys()

    def _all(self, column: InstrumentedAttribute[Any], *where: ColumnElement[bool]) -> list[Any]:
        return list(self._session.scalars(select(column).where(*where).distinct()))

    def _among(
        self, column: InstrumentedAttribute[Any], of: InstrumentedAttribute[Any], keys: Iterable[Any]
    ) -> list[Any]:
        """The values of a column in the rows whose `of` is one of the keys."""
        return [value for part in _parts(keys) for value in self._all(column, of.in_(part))]

    def _own_mails(self) -> list[str]:
        """Mails that are about this game and no other."""
        game, session = self._game, self._session
        about = set(self._all(EntryRow.fact, EntryRow.what == "mail", EntryRow.game_id == game.id))
        about |= set(self._among(SubmissionRow.sha256, SubmissionRow.id, self.sheets))
        about |= set(self._all(LotContributionRow.mail, LotContributionRow.phase_id.in_(self.phases)))
        elsewhere = set(self._all(EntryRow.fact, EntryRow.what == "mail", EntryRow.game_id != game.id))
        elsewhere |= set(self._all(SubmissionRow.sha256, SubmissionRow.phase_id.not_in(self.phases)))
        elsewhere |= set(self._all(LotContributionRow.mail, LotContributionRow.phase_id.not_in(self.phases)))
        for mail in session.scalars(select(MailRow).where(MailRow.verdict.is_not(None))):
            named = mail.verdict_fields.get("game")
            if named == game.name:
                about.add(mail.sha256)
            elif named:
                elsewhere.add(mail.sha256)
        return sorted(about - elsewhere - {None})

    def _own_players(self) -> list[int]:
        """People who came to the site for this game alone."""
        game, session = self._game, self._session
        seated = set(self._all(SeatRow.player_id, SeatRow.game_id == game.id))
        seated |= set(self._among(SubmissionRow.player_id, SubmissionRow.id, self.sheets))
        elsewhere = set(self._all(SeatRow.player_id, SeatRow.game_id != game.id))
        elsewhere |= set(self._all(SubmissionRow.player_id, SubmissionRow.phase_id.not_in(self.phases)))
        game_mails = set(self.mails)
        for row in session.scalars(select(AddressRow).where(AddressRow.player_id.in_(seated - {None}))):
            # A player who left another game keeps the letters and mails of that time.
            wrote = set(self._all(MailRow.sha256, MailRow.sender == row.email)) - game_mails
            got = self._all(OutboxRow.id, OutboxRow.recipient == row.email, OutboxRow.game_id != game.id)
            if wrote or got:
                elsewhere.add(row.player_id)
        return sorted(seated - elsewhere - {None})

    def _own_letters(self) -> list[int]:
        """Letters of the game, answers to its mails that named no game, and letters to its own people."""
        letter_ids = set(self._all(OutboxRow.id, or_(OutboxRow.game_id == self._game.id,
                                                     OutboxRow.phase_id.in_(self.phases))))
        addresses, mails = set(self.addresses), set(self.mails)
        for row in self._session.scalars(select(OutboxRow).where(OutboxRow.game_id.is_(None))):
            digest = row.key.rpartition("/")[2].removeprefix("held-")
            if row.recipient in addresses or digest in mails:
                letter_ids.add(row.id)
        return sorted(letter_ids)

    def remove_rows(self, blobs: Blobs) -> None:
        """Delete every row, each before those that it points to, and note the files that they named."""
        session, game = self._session, self._game.id
        letters = [row for part in _parts(self._outbox) for row in session.scalars(
            select(OutboxRow).where(OutboxRow.id.in_(part)))]
        self._files = {*self.mails, *blob_keys((row.message, row.words, row.files) for row in letters),
                       *self._among(PageRow.original, PageRow.id, self.pages),
                       *self._among(PageRow.upright, PageRow.id, self.pages),
                       *(key for column in (ScanRow.original, ScanRow.upright)
                         for key in self._among(column, ScanRow.phase_id, self.phases))} - {None}
        tokens = self._link_tokens(blobs, letters)
        self._files |= set(tokens)
        noted_before = session.scalar(select(func.max(RecordPendingRow.id))) or 0
        self._forget_events()
        self._delete(AccessLinkRow.token_hash, [sha256(token.encode()).hexdigest() for token in tokens])
        by_key: tuple[tuple[InstrumentedAttribute[Any], Iterable[Any]], ...] = (
            (ReviewRow.line_id, self.lines), (LineRow.id, self.lines), (PageRow.id, self.pages),
            (ReviewActionRow.phase_id, self.phases), (CorrectionRow.phase_id, self.phases),
            (LotContributionRow.phase_id, self.phases), (ScanRow.phase_id, self.phases),
            (ScanRow.submission_id, self.sheets), (PostalOriginalRow.phase_id, self.phases),
            (SubmissionRow.id, self.sheets), (CorrespondenceRow.letter_id, self._outbox),
            (CorrespondenceRow.sha256, self.mails), (CorrespondenceRow.game_id, [game]),
            (CorrespondenceRow.player_id, self.players), (IgnoredMailRow.sha256, self.mails),
            (IgnoredMailRow.player_id, self.players), (OutboxRow.id, self._outbox),
            (EntryRow.game_id, [game]), (HeadRow.game_id, [game]),
            (GameKeyRow.game_id, [game]), (EventRow.game_id, [game]),
            (MailboxWaitRow.phase_id, self.phases), (ApprovalRow.phase_id, self.phases),
            (PhaseLookRow.phase_id, self.phases), (PhaseRow.id, self.phases),
            (SeatRow.game_id, [game]), (GameRoleRow.game_id, [game]), (AbsenceRow.game_id, [game]),
            (ShelvedFileRow.game_id, [game]), (ShelvedGameRow.game_id, [game]), (GameRow.id, [game]),
            (MailboxLocationRow.sha256, self.mails), (MailRow.sha256, self.mails),
            (PostalAddressRow.player_id, self.players), (HandRow.player_id, self.players),
            (AccessLinkRow.game_id, [game]), (AccessLinkRow.player_id, self.players),
            (AddressRow.player_id, self.players),
            (PlayerRow.id, self.players),
        )
        for column, values in by_key:
            self._delete(column, values)
        # The triggers noted each row as deleted. No record that stays names one, and a later row may get
        # its number.
        session.execute(delete(RecordPendingRow).where(RecordPendingRow.id > noted_before))

    def _delete(self, column: InstrumentedAttribute[Any], keys: Iterable[Any]) -> None:
        table: Any = column.class_
        for part in _parts(keys):
            statement = delete(table).where(column.in_(part))
            # Without synchronizing: rows in the session may point to rows that are gone by now.
            result: Any = self._session.execute(statement, execution_options={"synchronize_session": False})
            name = table.__tablename__
            self.counts[name] = self.counts.get(name, 0) + result.rowcount

    def _forget_events(self) -> None:
        """Events of no game that are about a phase, a sheet or a mail of this one."""
        phases, sheets = set(self.phases), set(self.sheets)
        mails = {key[:12] for key in self.mails}
        about = [row.id for row in self._session.scalars(select(EventRow).where(EventRow.game_id.is_(None)))
                 if row.detail.get("phase") in phases or row.detail.get("submission") in sheets
                 or str(row.detail.get("mail", ""))[:12] in mails]
        self._delete(EventRow.id, about)

    def _link_tokens(self, blobs: Blobs, letters: Iterable[OutboxRow]) -> list[str]:
        """The secrets of links to files that were too large for a letter; of a letter kept whole each is the
        name of a file too."""
        if not self._all(AccessLinkRow.token_hash, AccessLinkRow.opens == "letter"):
            return []
        return [token for row in letters if row.words is not None or blobs.has(row.message)
                for token in _secrets(finished(blobs, row))]

    def is_work(self, key: str) -> bool:
        """Whether a job with this key is work on this game."""
        return ":".join(key.partition("@")[0].split(":")[:2]) in self._work_keys

    def _begin_of_work_keys(self) -> set[str]:
        about: dict[str, list[Any]] = dict.fromkeys(PHASE_WORK, self.phases) | {
            READ_WORK: self.sheets, reread_line.WORK: self.lines,
            ingest.WORK: self.mails, process_mail.TELL_WORK: self.mails, PROPOSE_WORK: self.scans,
        }
        return {f"{kind}:{key}" for kind, numbers in about.items() for key in numbers}

    def remove_files(self, blobs: Blobs) -> int:
        """Delete the files that no row names any more; how many."""
        named: set[str] = set()
        for column in (MailRow.sha256, PageRow.original, PageRow.upright, ScanRow.original, ScanRow.upright,
                       ShelvedFileRow.blob):
            named |= set(self._among(column, column, self._files))
        named |= blob_keys(self._session.execute(
            select(OutboxRow.message, OutboxRow.words, OutboxRow.files)))
        for key in sorted(self._files - named):
            blobs.remove(key)
        return len(self._files - named)


def _secrets(message: bytes) -> list[str]:
    body = BytesParser(policy=policy.default).parsebytes(message).get_body(("plain",))
    return [] if body is None else _SECRET.findall(body.get_content())


def _parts(keys: Iterable[Any]) -> Iterator[list[Any]]:
    known = [key for key in keys if key is not None]
    for begin in range(0, len(known), _PART):
        yield known[begin : begin + _PART]
