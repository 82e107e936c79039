"""Letters that come by post: logged with postmark and day of receipt; a scan is read like a mail (SUB-16)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.features.post.receipt import put_receipt
from service.games import lots
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.refused import Refused
from service.intake.filing import file_submission, semantic_key
from service.intake.opening.sandbox import ChildFault
from service.intake.sheets.recognizer import ImageOpener
from service.intake.verdicts.rules import MOST_BYTES, MOST_PHOTOS
from service.jobs import Jobs
from service.notices.letter_context import LetterContext
from service.store import records
from service.store.blobs import Blobs
from service.store.tables import PhaseRow, PhaseState, PostalOriginalRow


@dataclass(frozen=True, slots=True)
class PostedLetter:
    """The coordinator's entries about a letter. `hour`: of its arrival, in GMT; it decides whether the
    letter is in time. `word`: one that it adds to the lots, or ""."""

    phase_id: int
    power: str
    received: date
    hour: time
    postmark: date | None = None
    version: int | None = None
    word: str = ""

    @property
    def arrived(self) -> datetime:
        """The moment of receipt in UTC."""
        return datetime.combine(self.received, self.hour, UTC)


@dataclass(frozen=True, slots=True)
class PostalMail:
    """Opens and files the scans of letters, with everything that needs."""

    blobs: Blobs
    jobs: Jobs
    opener: ImageOpener
    letters: LetterContext

    def check(self, scans: Sequence[bytes]) -> None:
        """Raises Refused for scans that are too many, too large, or do not open."""
        too_many = (f"Nothing was logged: at most {MOST_PHOTOS} pages and {MOST_BYTES // 1024 // 1024} MB "
                    "together. Scan the sheet at 300 dots per inch as JPEG; the letter stays as it is.")
        if len(scans) > MOST_PHOTOS or sum(map(len, scans)) > MOST_BYTES:
            raise Refused(too_many)
        pages = 0
        for file_number, scan in enumerate(scans, start=1):
            try:
                opened = self.opener.open(scan)
            except ChildFault as fault:
                raise Refused(f"Nothing was logged: {fault}. File {file_number} may be good; log the "
                              "letter again in a few minutes.") from fault
            if not opened.pages:
                raise Refused(f"Nothing was logged: file {file_number} does not open as a picture or PDF "
                              f"({opened.detail}). Scan the page again as JPEG or PDF.")
            pages += len(opened.pages)
        if pages > MOST_PHOTOS:
            raise Refused(too_many)

    def file(self, session: Session, phase: PhaseRow, letter: PostedLetter, scans: Sequence[bytes]) -> int:
        """File a sheet without a mail; it is read like any other. The sheet's id. Raises Refused."""
        scan_digests = tuple(sorted(hashlib.sha256(scan).hexdigest() for scan in scans))
        addresses = records.addresses(session, phase.game_id).get(letter.power, ())
        submission = file_submission(
            session, self.blobs, self.jobs, scans, sha256=None, phase_id=phase.id, power=letter.power,
            player_id=records.seats(session, phase.game_id)[letter.power], sender=next(iter(addresses), ""),
            received_at=letter.arrived, version=letter.version, flags=["posted"],
            semantic_key=semantic_key(letter.version, scan_digests))
        if submission is None:
            raise Refused("Nothing was logged: the same scan is already on file for this power.")
        return submission.id


@dataclass(frozen=True, slots=True)
class LogLetter(Act[PostalOriginalRow]):
    """Logs a letter. With scans it is filed as a sheet and read; without, only "original received" is
    noted."""

    room: PostalMail
    letter: PostedLetter
    scans: Sequence[bytes]

    def check(self, table: ActTable) -> None:
        """Refuse days that cannot be, scans that do not open, a phase that takes no orders, and a word after
        the deadline."""
        letter = self.letter
        if letter.arrived > table.now:
            raise Refused("Nothing was logged: the letter cannot have come in the future. Times are in "
                          "GMT.")
        if letter.postmark is not None and letter.postmark > letter.received:
            raise Refused("Nothing was logged: the postmark is later than the day the letter came. Check "
                          "both days.")
        self.room.check(self.scans)
        phase = table.session.get(PhaseRow, letter.phase_id)
        if (
            phase is None
            or phase.state == PhaseState.SENT
            or letter.power not in records.seats(table.session, phase.game_id)
        ):
            raise Refused("Nothing was logged: this phase no longer takes orders, or has no such power.")
        # Anyone who enters a word after the deadline may know what the lots draw without it.
        if lots.clean_word(letter.word) and table.now > phase.deadline:
            raise Refused("Nothing was logged: a word for the lots does not count after the deadline. Log "
                          "the letter again without the word.")

    def change(self, table: ActTable) -> PostalOriginalRow:
        """File its scans, and note that it came."""
        letter, phase = self.letter, table.any_phase(self.letter.phase_id)
        lots.add_word(table.session, phase, letter.power, letter.word, letter.arrived, mail=None, by=table.by)
        row = PostalOriginalRow(
            phase_id=phase.id, power=letter.power, postmark=letter.postmark, received=letter.received,
            submission_id=self.room.file(table.session, phase, letter, self.scans) if self.scans else None,
            made_at=table.now, made_by=table.by)
        table.session.add(row)
        return row

    def event(self, table: ActTable, outcome: PostalOriginalRow, letters: int) -> LoggedEvent:
        """The power, both days and the sheet."""
        letter = self.letter
        return LoggedEvent(Event.LETTER_LOGGED, table.any_phase(letter.phase_id).game_id, {
            "phase_id": letter.phase_id, "power": letter.power, "received": letter.received.isoformat(),
            "postmark": None if letter.postmark is None else letter.postmark.isoformat(),
            "submission": outcome.submission_id})

    def letters(self, table: ActTable, outcome: PostalOriginalRow) -> int:
        """The receipt, at each address of the player."""
        phase = table.any_phase(outcome.phase_id)
        return put_receipt(table.session, self.room.letters, outcome, phase, self.letter.arrived)


@dataclass(frozen=True, slots=True)
class TakeLetterBack(Act[PhaseRow]):
    """Takes back the entry of a letter without a scan. The outcome is its phase."""

    posted: int

    def change(self, table: ActTable) -> PhaseRow:
        """Take it back. Refuses it twice, and for a letter with a scan."""
        row = table.session.get(PostalOriginalRow, self.posted)
        if row is None or row.ended_at is not None:
            raise Refused("Nothing was changed: this entry was taken back already.")
        # A scan on file is a sheet like any other, and every sheet stays.
        if row.submission_id is not None:
            raise Refused("Nothing was changed: a scan was filed with this letter, and sheets are "
                          "never removed. On its Sheet page you can execute another version.")
        row.ended_at, row.ended_by = table.now, table.by
        return table.any_phase(row.phase_id)

    def event(self, table: ActTable, outcome: PhaseRow, letters: int) -> LoggedEvent:
        """The power."""
        row = table.session.get_one(PostalOriginalRow, self.posted)
        return LoggedEvent(
            Event.LETTER_TAKEN_BACK, outcome.game_id, {"phase_id": outcome.id, "power": row.power})


def logged_letters(session: Session, phase_id: int) -> list[PostalOriginalRow]:
    """The letters of a phase that were not taken back, in the order they were logged."""
    return list(session.scalars(select(PostalOriginalRow).where(
        PostalOriginalRow.phase_id == phase_id,
        PostalOriginalRow.ended_at.is_(None)).order_by(PostalOriginalRow.id)))


def originals_awaited(session: Session, phase: PhaseRow) -> list[str]:
    """Powers that mailed a photograph for a movement phase and whose original has not come by post yet
    (SUB-05, Q-04)."""
    if phase.kind != "movement":
        return []
    powers_by_mail = {row.power for row in records.submissions(session, phase.id) if row.sha256 is not None}
    return sorted(powers_by_mail - records.posted(session, phase.id))
