"""Letters that come by post: logged with postmark and day of receipt; a scan is read like a mail (SUB-16)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from service.clock import Clock
from service.facts.events import Event
from service.features.post.receipt import put_receipt
from service.games import lots
from service.games.refused import Refused
from service.intake.filing import file_submission, semantic_key
from service.intake.load_context import TAKING_STATES
from service.intake.opening.sandbox import ChildFault
from service.intake.sheets.recognizer import ImageOpener
from service.jobs import Jobs
from service.notices.letter_context import LetterContext
from service.store import records
from service.store.blobs import Blobs
from service.store.tables import PhaseRow, PostalOriginalRow, SubmissionRow

MOST_FILES, MOST_BYTES = 20, 25 * 1024 * 1024
"""The limits of a mail, for a scan too."""


@dataclass(frozen=True, slots=True)
class PostedLetter:
    """What the coordinator writes down about a letter. `hour`: of its arrival, in GMT; it decides whether the
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
    """What the coordinator may do with letters, and everything that needs."""

    store: sessionmaker[Session]
    blobs: Blobs
    jobs: Jobs
    clock: Clock
    opener: ImageOpener
    letters: LetterContext

    def log_letter(self, letter: PostedLetter, scans: Sequence[bytes], by: str) -> int | None:
        """Log a letter. With scans it is filed as a sheet and read, and the submission's id is returned.
        Without, only "original received" is noted. Raises Refused."""
        arrived = letter.arrived
        if arrived > self.clock.now():
            raise Refused("Nothing was logged: the letter cannot have come in the future. Times are in "
                          "GMT.")
        if letter.postmark is not None and letter.postmark > letter.received:
            raise Refused("Nothing was logged: the postmark is later than the day the letter came. Check "
                          "both days.")
        self._check(scans)
        with self.store.begin() as session:
            phase = session.get(PhaseRow, letter.phase_id)
            if (
                phase is None
                or phase.state not in TAKING_STATES
                or letter.power not in records.seats(session, phase.game_id)
            ):
                raise Refused("Nothing was logged: this phase takes no orders now, or has no such power.")
            # Whoever enters a word after the deadline may know what the lots draw without it.
            if lots.clean_word(letter.word) and self.clock.now() > phase.deadline:
                raise Refused("Nothing was logged: the deadline has passed, and a word for the lots takes "
                              "no part any more. Log the letter again without the word.")
            lots.add_word(session, phase, letter.power, letter.word, arrived, mail=None, by=by)
            submission_id = self._file(session, phase, letter, arrived, scans) if scans else None
            row = PostalOriginalRow(
                phase_id=phase.id, power=letter.power, postmark=letter.postmark, received=letter.received,
                submission_id=submission_id, made_at=self.clock.now(), made_by=by)
            session.add(row)
            session.flush()
            submission = None if submission_id is None else session.get_one(SubmissionRow, submission_id)
            put_receipt(session, self.letters, row, phase, arrived, submission)
            records.log_event(
                session, self.clock.now(), Event.LETTER_LOGGED, game_id=phase.game_id, actor=by,
                detail={"phase_id": phase.id, "power": letter.power, "received": letter.received.isoformat(),
                        "postmark": None if letter.postmark is None else letter.postmark.isoformat(),
                        "submission": submission_id})
            return submission_id

    def take_back(self, posted_id: int, by: str) -> int:
        """Take back an entry without a scan; the phase's id. Raises Refused."""
        with self.store.begin() as session:
            row = session.get(PostalOriginalRow, posted_id)
            if row is None or row.ended_at is not None:
                raise Refused("Nothing was changed: this entry was taken back already.")
            # A scan on file is a sheet like any other, and every sheet stays.
            if row.submission_id is not None:
                raise Refused("Nothing was changed: a scan was filed with this letter, and sheets are "
                              "never removed. On its Sheet page you can execute another version.")
            row.ended_at, row.ended_by = self.clock.now(), by
            phase = session.get_one(PhaseRow, row.phase_id)
            records.log_event(session, self.clock.now(), Event.LETTER_TAKEN_BACK, game_id=phase.game_id,
                              actor=by,
                              detail={"phase_id": phase.id, "power": row.power})
            return phase.id

    def _check(self, scans: Sequence[bytes]) -> None:
        if len(scans) > MOST_FILES or sum(map(len, scans)) > MOST_BYTES:
            raise Refused(f"Nothing was logged: at most {MOST_FILES} files and "
                          f"{MOST_BYTES // 1024 // 1024} MB together. Scan the sheet at 300 dots an inch "
                          "as JPEG; the letter stays as it is.")
        for file_number, scan in enumerate(scans, start=1):
            try:
                opened = self.opener.open(scan, "scan")
            except ChildFault as fault:
                raise Refused(f"Nothing was logged: {fault}. File {file_number} may be good; log the "
                              "letter again in a few minutes.") from fault
            if not opened.pages:
                raise Refused(f"Nothing was logged: file {file_number} does not open as a picture or PDF. "
                              "Scan the page again as JPEG or PDF.")

    def _file(
        self, session: Session, phase: PhaseRow, letter: PostedLetter, arrived: datetime,
        scans: Sequence[bytes]
    ) -> int:
        """File a sheet without a mail; it is read like any other."""
        scan_digests = tuple(sorted(hashlib.sha256(scan).hexdigest() for scan in scans))
        addresses = records.addresses(session, phase.game_id).get(letter.power, ())
        submission = file_submission(
            session, self.blobs, self.jobs, scans, sha256=None, phase_id=phase.id, power=letter.power,
            player_id=records.seats(session, phase.game_id)[letter.power], sender=next(iter(addresses), ""),
            received_at=arrived, version=letter.version, flags=["posted"],
            semantic_key=semantic_key(letter.version, scan_digests))
        if submission is None:
            raise Refused("Nothing was logged: this very scan is on file for this power already.")
        return submission.id


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
