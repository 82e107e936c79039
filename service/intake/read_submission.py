"""One filed paper to lines: open its files, look at them, keep what was seen. One paper, one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from sqlalchemy import update
from sqlalchemy.orm import Session, sessionmaker

from adjudicator.calendar import PhaseKind
from grammar.headings.sheet import SheetHeading, disagreements, parse_sheet_heading
from grammar.headings.values import Heading, KnownGame
from maps.variant import Variant
from ocr.page import Reading
from reading.line import InterpretedLine
from reading.page import PageReader, ReviewLimits
from reading.vocabulary import forms_of, lexicon_of
from service.clock import Clock
from service.intake.load_context import known_game
from service.intake.recognizer import RecognizedPage, Recognizer
from service.intake.verdict import RefusalReason
from service.store import records
from service.store.blobs import Blobs
from service.store.tables import GameRow, LineRow, PageRow, PhaseRow, SubmissionRow


class ReaderPost(Protocol):
    """Who is told about a paper once it was looked at."""

    def unusable(
        self, session: Session, submission: SubmissionRow, phase: PhaseRow, reason: RefusalReason
    ) -> None:
        """Tell the sender that no page could be read, and how to photograph it better."""

    def held(
        self, session: Session, submission: SubmissionRow, phase: PhaseRow, reason: RefusalReason
    ) -> None:
        """Tell sender and coordinator that a paper waits, and why."""

    def read(self, session: Session, submission: SubmissionRow, phase: PhaseRow) -> None:
        """Tell the sender how a paper was read, where the game does so."""

    def unread(self, session: Session, submission: SubmissionRow, phase: PhaseRow) -> None:
        """Send the receipt that waited for a reading which failed."""


@dataclass(frozen=True, slots=True)
class SeenPage:
    """One page to be kept: which file it is of, its upright picture and its lines, or why there are none."""

    original: str
    upright: str | None
    rotation: int
    note: str | None
    lines: tuple[InterpretedLine, ...] = ()


@dataclass(frozen=True, slots=True)
class SubmissionReader:
    """The step, with everything it needs. `settled(phase)` is told of each paper read, in case it was the
    last."""

    store: sessionmaker[Session]
    blobs: Blobs
    clock: Clock
    eye: Recognizer
    load: Callable[[str], Variant]
    post: ReaderPost
    settled: Callable[[int], object]
    doubt: ReviewLimits = ReviewLimits()

    def read(self, payload: dict[str, Any]) -> None:
        """Handler of the job `take.READ_WORK`. Safe to run twice: only a paper not yet read is kept."""
        key = int(payload["submission"])
        with self.store() as session:
            submission = session.get(SubmissionRow, key)
            if submission is None or submission.read_at is not None:
                return
            phase = session.get_one(PhaseRow, submission.phase_id)
            game = session.get_one(GameRow, phase.game_id)
            originals = [page.original for page in records.pages(session, key)]
        variant = self.load(game.variant)
        scribe = PageReader(
            lexicon_of(variant),
            [forms_of(variant, PhaseKind(phase.kind))],
            doubt_of(game.options, self.doubt),
        )
        known = [known_game(variant, game.name, game.aliases)]
        pages: list[SeenPage] = []
        heading = SheetHeading()
        for original in originals:
            sights = self.eye.look(self.blobs.read(original), "photograph")
            seen, found = self._pages(original, sights, scribe, known)
            heading = found if heading == SheetHeading() else heading
            pages += seen
        asked = _asked(pages, known, self.doubt)
        with self.store.begin() as session:
            self._keep(session, key, pages, heading, asked, variant)
        self.settled(phase.id)

    def give_up(self, payload: dict[str, Any], error: str) -> None:
        """Reading failed three times: the paper is held, and its sender and the coordinator are told."""
        key = int(payload["submission"])
        with self.store.begin() as session:
            submission = session.get(SubmissionRow, key)
            if submission is None or submission.read_at is not None:
                return
            submission.read_at = self.clock.now()
            _hold(session, submission, str(RefusalReason.READER_FAILED))
            phase = session.get_one(PhaseRow, submission.phase_id)
            self.post.unread(session, submission, phase)
            self.post.held(session, submission, phase, RefusalReason.READER_FAILED)
            records.log_event(session, self.clock.now(), "reading_failed",
                              detail={"submission": key, "fault": error.partition(":")[0]})
        self.settled(submission.phase_id)

    def _pages(
        self, original: str, sights: Sequence[RecognizedPage], scribe: PageReader, known: Sequence[KnownGame]
    ) -> tuple[list[SeenPage], SheetHeading]:
        pages: list[SeenPage] = []
        heading = SheetHeading()
        for sight in sights:
            upright = None if sight.upright is None else self.blobs.put(sight.upright)
            if not sight.reading.pages:
                pages.append(SeenPage(original, upright, 0, _note(sight.reading)))
            for page in sight.reading.pages:
                found, lines = scribe.lines(page, known)
                heading = found if heading == SheetHeading() else heading
                pages.append(SeenPage(original, upright, page.rotation, None, lines))
        return pages, heading

    def _keep(
        self, session: Session, key: int, pages: Sequence[SeenPage], heading: SheetHeading, asked: int | None,
        variant: Variant,
    ) -> None:
        claimed = records.claim(
            session,
            SubmissionRow,
            SubmissionRow.id == key,
            SubmissionRow.read_at.is_(None),
            read_at=self.clock.now(),
        )
        if not claimed:
            return
        submission = session.get_one(SubmissionRow, key)
        phase = session.get_one(PhaseRow, submission.phase_id)
        self._keep_pages(session, submission, pages)
        if submission.version in {None, asked}:
            submission.instruction = asked
        elif asked is not None:
            submission.flags = [*submission.flags, "version_disagrees"]
        session.flush()
        self.post.read(session, submission, phase)
        if all(page.note is not None for page in pages):
            reason = _reason(pages)
            _hold(session, submission, str(reason))
            self.post.unusable(session, submission, phase, reason)
        elif _disagrees(session.get_one(GameRow, phase.game_id), phase, submission, heading, variant):
            _hold(session, submission, "heading_disagrees")
            self.post.held(session, submission, phase, RefusalReason.HEADING_DISAGREES)
        elif heading.partial:
            _hold(session, submission, "only_changes")
            self.post.held(session, submission, phase, RefusalReason.ONLY_CHANGES)

    def _keep_pages(self, session: Session, submission: SubmissionRow, pages: Sequence[SeenPage]) -> None:
        """The rows that intake made, one per file, take the first page of their file; further pages come
        after."""
        rows = {row.original: row for row in reversed(records.pages(session, submission.id))}
        used: dict[str, int] = {}
        for page in pages:
            first, at = rows[page.original], used.get(page.original, 0)
            used[page.original] = at + 1
            row = first if at == 0 else PageRow(submission_id=submission.id, ordinal=first.ordinal + at,
                                                original=page.original)
            row.upright, row.rotation, row.note = page.upright, page.rotation, page.note
            session.add(row)
            session.flush()
            for ordinal, line in enumerate(page.lines):
                session.add(LineRow(
                    page_id=row.id, ordinal=ordinal, box=[[round(x, 1), round(y, 1)] for x, y in line.box],
                    kind=line.kind, struck=line.struck, text=line.text, order=line.order,
                    confidence=line.confidence, status=line.status.value, candidates=list(line.candidates),
                ))


THRESHOLD = "auto_score"
"""The option of a game that says how sure the machine must be of a line that nobody looks at, 0..1; above 1
for never."""


def doubt_of(options: Mapping[str, Any], site: ReviewLimits) -> ReviewLimits:
    """When a line of this game may go without a look: the game's own threshold, never below the site's."""
    return replace(site, score=max(site.score, float(options.get(THRESHOLD) or 0.0)))


def _asked(pages: Sequence[SeenPage], known: Sequence[KnownGame], doubt: ReviewLimits) -> int | None:
    """The version number that the sheet itself asks for (VER-02), from lines that were clearly read: one
    digit misread ("v1" as "v7") would put an old sheet above every later one. Where the subject names another
    number, that one counts and the paper is marked: it is what the player's receipt says."""
    clear = [
        line.text
        for page in pages
        for line in page.lines
        if line.kind == "heading" and line.confidence >= doubt.score
    ]
    return parse_sheet_heading(clear, known).wanted


def _disagrees(
    game: GameRow, phase: PhaseRow, submission: SubmissionRow, heading: SheetHeading, variant: Variant
) -> bool:
    """Whether the sheet says in plain letters something else than the subject (HEAD-03)."""
    subject = Heading(game.name, variant.powers[submission.power].name, phase.season, phase.year,
                      PhaseKind(phase.kind), submission.version)
    return any(one.sure for one in disagreements(subject, heading))


def _hold(session: Session, submission: SubmissionRow, flag: str) -> None:
    session.execute(update(SubmissionRow).where(SubmissionRow.id == submission.id)
                    .values(fate="held", flags=[*submission.flags, flag]))
    session.refresh(submission)


def _note(reading: Reading) -> str:
    return "not_an_image" if reading.reason is None else reading.reason.value


def _reason(pages: Sequence[SeenPage]) -> RefusalReason:
    note = next((page.note for page in pages if page.note), "not_a_sheet")
    known = {r.value for r in RefusalReason}
    return (
        RefusalReason(note)
        if note in known
        else RefusalReason.TOO_LARGE
        if note == "too_large"
        else RefusalReason.BAD_IMAGE
    )
