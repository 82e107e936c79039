"""One filed sheet to lines: open its files, recognise and interpret them, store the lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, sessionmaker

from adjudicator.calendar import PhaseKind
from grammar.headings.page_numbers import count_of_pages
from grammar.headings.sheet import SheetHeading, parse_sheet_heading, points_away
from grammar.headings.sheet_code import SheetCode, code_text
from grammar.headings.values import Flag, Heading, KnownGame
from grammar.order_starts import OrderStarts
from maps.variant import Variant
from ocr.engines import finetuned
from ocr.engines.hand import Hand
from ocr.page import Page, Reading
from reading.line import InterpretedLine
from reading.no_sheet import PageKind, WrittenLine, kind_of_page
from reading.page import PageReader, ReadPage
from reading.review import ReviewLimits, ReviewRules
from reading.vocabulary import known_game, vocabulary_of
from service.clock import Clock
from service.facts.events import Event
from service.facts.files import NO_ORDERS, FileFate
from service.facts.options import GameOptions
from service.facts.refusals import RefusalReason
from service.facts.sheets import Fate, SheetFlag
from service.games import ballots
from service.games.options import options_of
from service.games.phases import phase_of
from service.games.rulings import as_written
from service.intake.opening.open_mail import BodyReader, ChildBodies
from service.intake.sheets import printed_code, typed_orders
from service.intake.sheets.recognizer import HandRecognizer, RecognizedPage, Recognizer
from service.intake.sheets.typed_orders import TypedText
from service.mail.body.read import BodyNeed
from service.store import records
from service.store.blobs import Blobs
from service.store.tables import GameRow, LineRow, PageRow, PhaseRow, SeatRow, SubmissionRow

FATES = {
    PageKind.SHEET: FileFate.SHEET, PageKind.OURS: FileFate.OURS,
    PageKind.BLANK: FileFate.BLANK_SHEET, PageKind.OTHER: FileFate.NO_SHEET}
"""The fate of a page of each kind."""
MOST_OTHER_GAMES = 100
"""On a site of more games only those of a sheet's own players are looked for in its heading."""


class ReaderPost(Protocol):
    """The letters about a sheet that was read. Each call puts them into the caller's transaction."""

    def unusable(
        self, session: Session, submission: SubmissionRow, phase: PhaseRow, reason: RefusalReason
    ) -> None:
        """Inform the sender that no page could be read, and how to photograph it better."""

    def held(
        self, session: Session, submission: SubmissionRow, phase: PhaseRow, reason: RefusalReason
    ) -> None:
        """Inform sender and coordinator that a sheet is on hold, and why."""

    def read(self, session: Session, submission: SubmissionRow, phase: PhaseRow) -> None:
        """Send the receipt that waited for the reading; `unusable` and `held` send it with the reason."""


@dataclass(frozen=True, slots=True)
class InterpretedPage:
    """One page to store.

    `original`: blob of its file. `upright`: blob of its upright picture, None if it did not open. `rotation`:
    degrees. `note`: why there are no lines, else None. `code`: what the code of a printed sheet states, if it
    was read.
    """

    original: str
    upright: str | None
    rotation: int
    note: str | None
    lines: tuple[InterpretedLine, ...] = ()
    code: SheetCode | None = None


def _no_hand(_session: Session, _player_id: int) -> Hand | None:
    return None


@dataclass(frozen=True, slots=True)
class SubmissionReader:
    """The step, with everything it needs. `on_read(phase_id)` is called after each sheet, which may be the
    last that the phase waited for. `hand_of(session, player_id)`: the hand with which a player's
    sheets are read, None for everybody's."""

    store: sessionmaker[Session]
    blobs: Blobs
    clock: Clock
    recognizer: Recognizer
    load: Callable[[str], Variant]
    replies: ReaderPost
    on_read: Callable[[int], object]
    limits: ReviewLimits = ReviewLimits()
    bodies: BodyReader = ChildBodies()
    hand_of: Callable[[Session, int], Hand | None] = _no_hand

    def read(self, payload: dict[str, Any]) -> None:
        """Handle the job `filing.READ_WORK`. Safe to run twice.

        1. Expect a submission that is not read. Otherwise an earlier run has finished it: return.
        2. Recognise its files, outside any transaction, since that takes seconds. Typed orders need no
           recognition: their lines are the text of the mail.
        3. Interpret the lines by words alone.
        4. Claim the submission as read and store pages and lines, in one transaction; put it on hold if
           nothing could be read, the heading disagrees with the subject, or the sheet lists only changes.
        """
        key = int(payload["submission"])
        with self.store() as session:
            submission = session.get(SubmissionRow, key)
            if submission is None or submission.read_at is not None:
                return
            phase = session.get_one(PhaseRow, submission.phase_id)
            game = session.get_one(GameRow, phase.game_id)
            originals = [page.original for page in records.pages(session, key)]
            player = submission.player_id
            hand = None if player is None else self.hand_of(session, player)
            other_games = [
                row for row in _other_games(session, submission, game) if _is_distinguishable(row, game)]
        variant, kind = as_written(self.load(game.variant), options_of(game)), PhaseKind(phase.kind)
        limits = limits_of(options_of(game), self.limits)
        page_reader = PageReader(vocabulary_of(variant, kind), ReviewRules(limits))
        own_game = known_game(variant, game.name, game.aliases)
        games = [own_game, *(_by_name(row, own_game) for row in other_games)]
        typed_rows = self._typed_rows(submission)
        typed = TypedText(variant, kind, submission.power, [own_game])
        pages: list[InterpretedPage] = []
        heading = SheetHeading()
        recognizer, hand_digest = self._recognizer_of(hand, is_typed=bool(typed_rows))
        filled: set[str] = set()
        for original in originals:
            if typed_rows:
                recognized = typed_orders.as_reading(typed_rows, typed.row_spans(typed_rows))
            else:
                recognized = recognizer.recognize(self.blobs.read(original), "photograph")
            rows = recognized[0].typed
            if rows:
                # Each order has its own field, so no row goes on in the next.
                recognized = typed_orders.as_reading(rows, [range(row, row + 1) for row in range(len(rows))])
                filled.add(original)
            is_typed = bool(typed_rows) or original in filled
            file_pages, file_heading = self._interpreted(
                original, recognized, page_reader, games, is_typed=is_typed)
            # The photographs are in the order of the mail; the first with a heading names the sheet.
            heading = file_heading if heading == SheetHeading() else heading
            pages += file_pages
        pages = [
            replace(page, lines=typed.settle(
                page.lines, limits.score, are_whole=page.original in filled))
            if typed_rows or page.original in filled else page for page in pages]
        version = version_on_sheet([line for page in pages for line in page.lines], games, self.limits)
        with self.store.begin() as session:
            self._store(session, key, pages, heading, version, variant, hand_digest)
            if filled:
                _flag_as_form(session, key)
        self.on_read(phase.id)

    def give_up(self, payload: dict[str, Any], error: str) -> None:
        """Put a sheet on hold whose reading failed three times, and inform its sender and the coordinator."""
        # It counts as read, so that the phase does not wait for it for ever.
        key = int(payload["submission"])
        with self.store.begin() as session:
            submission = session.get(SubmissionRow, key)
            if submission is None or submission.read_at is not None:
                return
            submission.read_at = self.clock.now()
            _hold(session, submission, str(RefusalReason.READER_FAILED))
            phase = session.get_one(PhaseRow, submission.phase_id)
            self.replies.held(session, submission, phase, RefusalReason.READER_FAILED)
            records.log_event(session, self.clock.now(), Event.READING_FAILED,
                              detail={"submission": key, "fault": error.partition(":")[0]})
        self.on_read(submission.phase_id)

    def _recognizer_of(self, hand: Hand | None, *, is_typed: bool) -> tuple[Recognizer, str | None]:
        """Who reads the photographs, and the digest of the player's hand if it is used."""
        if hand is None or is_typed or not isinstance(self.recognizer, HandRecognizer):
            return self.recognizer, None
        # Of another network than today's: it was fitted before an update, and reads again once it is learnt
        # again.
        if hand.base != finetuned.SHA256:
            return self.recognizer, None
        return self.recognizer.with_hand(hand), hand.digest

    def _typed_rows(self, submission: SubmissionRow) -> tuple[str, ...]:
        """The rows of orders that were typed into the mail; empty for a photographed sheet."""
        # From the mail and not from its drawing, so nothing is misread. Sheets filed before the flag existed
        # are read from their drawing.
        if submission.sha256 is None or SheetFlag.TYPED not in submission.flags:
            return ()
        body = self.bodies.read(self.blobs.read(submission.sha256), BodyNeed.WHOLE)
        return () if body is None else body.bold

    def _interpreted(
        self, original: str, recognized: Sequence[RecognizedPage], page_reader: PageReader,
        games: Sequence[KnownGame], *, is_typed: bool,
    ) -> tuple[list[InterpretedPage], SheetHeading]:
        """The pages of one file with their lines, and the first heading on them. What was typed as orders is
        a sheet, whatever its words are."""
        pages: list[InterpretedPage] = []
        heading = SheetHeading()
        for picture in recognized:
            upright = None if picture.upright is None else self.blobs.put(picture.upright)
            if not picture.reading.pages:
                pages.append(InterpretedPage(original, upright, 0, _note(picture.reading)))
            for page in picture.reading.pages:
                read_page = page_reader.read_page(page, games)
                starts = page_reader.vocabulary.starts
                fate = FileFate.SHEET if is_typed else fate_of_page(page, read_page, starts)
                code = printed_code.code_on(page)
                if fate in NO_ORDERS:
                    # Its lines are not stored: they would wait at the desk, and the picture has them all.
                    pages.append(InterpretedPage(original, upright, page.rotation, fate, code=code))
                    continue
                heading = read_page.heading if heading == SheetHeading() else heading
                pages.append(InterpretedPage(
                    original, upright, page.rotation, None, read_page.lines, code))
        return pages, heading

    def _store(
        self, session: Session, key: int, pages: Sequence[InterpretedPage], heading: SheetHeading,
        version: int | None, variant: Variant, hand: str | None,
    ) -> None:
        """Step 4 of `read`. `version`: the one written on the sheet."""
        claimed = records.claim(
            session, SubmissionRow, SubmissionRow.id == key, SubmissionRow.read_at.is_(None),
            read_at=self.clock.now(), hand=hand,
        )
        if not claimed:
            return
        submission = session.get_one(SubmissionRow, key)
        phase = session.get_one(PhaseRow, submission.phase_id)
        self._store_pages(session, submission, pages)
        # VER-02: the number that it was filed with counts. The sheet's own counts only if there is none.
        others = [
            other for other in ballots.on_file(session, phase.id, submission.power) if other.id != key]
        believed = ballots.believed_version(version, others) if submission.version is None else (
            version if version == submission.version else None)
        submission.instruction = believed
        if version != believed:
            submission.flags = [*submission.flags, SheetFlag.VERSION_DISAGREES]
        session.flush()
        if all(page.note is not None for page in pages):
            reason = _refusal_of(pages)
            _hold(session, submission, str(reason))
            self.replies.unusable(session, submission, phase, reason)
        elif away := _away(session, phase, submission, pages, heading, variant):
            self._hold_as_away(session, submission, phase, *away)
        elif SheetFlag.NOT_AS_ANSWERED in submission.flags:
            _hold(session, submission, RefusalReason.ANSWER_DISAGREES)
            self.replies.held(session, submission, phase, RefusalReason.ANSWER_DISAGREES)
        elif self._is_version_unclear(session, submission, heading):
            _hold(session, submission, RefusalReason.VERSION_UNCLEAR)
            self.replies.held(session, submission, phase, RefusalReason.VERSION_UNCLEAR)
        elif _lacks_pages(pages, self.limits):
            _hold(session, submission, RefusalReason.PAGES_MISSING)
            self.replies.held(session, submission, phase, RefusalReason.PAGES_MISSING)
        elif heading.is_partial:
            _hold(session, submission, RefusalReason.ONLY_CHANGES)
            self.replies.held(session, submission, phase, RefusalReason.ONLY_CHANGES)
        else:
            self.replies.read(session, submission, phase)

    def _hold_as_away(
        self, session: Session, submission: SubmissionRow, phase: PhaseRow, fields: frozenset[str],
        reason: RefusalReason,
    ) -> None:
        """Hold a sheet that names something else than what it was filed as, or have its year asked about."""
        by_hand = submission.sha256 is None or "assigned" in submission.flags
        if by_hand and fields == {"year"}:
            # A person chose the year in a form: they are asked before results are approved, and once.
            submission.flags = [*submission.flags, SheetFlag.YEAR_DIFFERS]
            self.replies.read(session, submission, phase)
        else:
            _hold(session, submission, SheetFlag.FORM_DISAGREES if by_hand else str(reason))
            self.replies.held(session, submission, phase, reason)

    def _is_version_unclear(
        self, session: Session, submission: SubmissionRow, heading: SheetHeading
    ) -> bool:
        """Whether a sheet states that it is a certain version ("final", "version B") without a number that is
        understood, and there are others that it may be meant to replace (VER-01)."""
        says_so = Flag.VERSION_UNCLEAR in submission.flags or heading.is_final
        if not says_so or submission.version is not None or submission.instruction is not None:
            return False
        others = select(SubmissionRow.id).where(
            SubmissionRow.phase_id == submission.phase_id, SubmissionRow.power == submission.power,
            SubmissionRow.id != submission.id)
        return session.scalar(others.limit(1)) is not None

    def _store_pages(
        self, session: Session, submission: SubmissionRow, pages: Sequence[InterpretedPage]
    ) -> None:
        """Store pages and lines. The row of each file, made at intake, takes its first page; the others get
        rows of their own."""
        # Reversed, so that the first row counts if one file was sent twice.
        rows = {row.original: row for row in reversed(records.pages(session, submission.id))}
        _order_by_code(session, submission, pages)
        pages_of_file: dict[str, int] = {}
        for page in pages:
            first_row, page_index = rows[page.original], pages_of_file.get(page.original, 0)
            pages_of_file[page.original] = page_index + 1
            row = first_row if page_index == 0 else PageRow(
                submission_id=submission.id, ordinal=first_row.ordinal + page_index, original=page.original)
            row.upright, row.rotation, row.note = page.upright, page.rotation, page.note
            row.code = None if page.code is None else code_text(page.code)
            session.add(row)
            session.flush()
            for ordinal, line in enumerate(page.lines):
                session.add(LineRow(
                    page_id=row.id, ordinal=ordinal, box=[[round(x, 1), round(y, 1)] for x, y in line.box],
                    kind=line.kind, struck=line.struck, text=line.text, order=line.order,
                    confidence=line.confidence, status=line.status.value, candidates=list(line.candidates),
                    why_open=[reason.value for reason in line.why_open],
                ))


def fate_of_page(page: Page, read_page: ReadPage, starts: OrderStarts) -> FileFate:
    """What a page is that was read: a page of the sheet, or one that brings no orders (ARR-03)."""
    lines = [WrittenLine(line.text, line.confidence, line.kind == "heading", line.kind == "order")
             for line in read_page.lines]
    return FATES[kind_of_page(lines, read_page.heading, starts, is_form=page.printed is not None)]


def _flag_as_form(session: Session, key: int) -> None:
    submission = session.get_one(SubmissionRow, key)
    submission.flags = sorted({*submission.flags, SheetFlag.FORM_FILLED})


def _order_by_code(session: Session, submission: SubmissionRow, pages: Sequence[InterpretedPage]) -> None:
    """Put the files of a submission in the order of the page numbers that are printed on them."""
    rows = records.pages(session, submission.id)
    first_pages = {page.original: page for page in reversed(pages)}
    codes = {original: page.code for original, page in first_pages.items() if page.code is not None}
    files = [row.original for row in rows]
    ordered = printed_code.by_page_number(codes, files)
    if ordered == files:
        return
    ordinals = [row.ordinal for row in rows]
    by_file = {row.original: row for row in rows}
    # A number is unique in a submission, so each row leaves its own first.
    for row in rows:
        row.ordinal = -1 - row.ordinal
    session.flush()
    for original, ordinal in zip(ordered, ordinals, strict=True):
        by_file[original].ordinal = ordinal
    session.flush()


def limits_of(options: GameOptions, site: ReviewLimits) -> ReviewLimits:
    """The limits of a game: its own threshold, but not below the site's."""
    return replace(site, score=max(site.score, options.auto_score or 0.0))


def version_on_sheet(
    lines: Sequence[InterpretedLine], games: Sequence[KnownGame], limits: ReviewLimits
) -> int | None:
    """The version number on the sheet (VER-02), from heading lines that were clearly read; None for none."""
    # On sample sheets "v1" was read as "v7" with scores of 0.75 and 0.89. One such digit puts an old sheet
    # above every later one. No grammar proves a number, as it does an order.
    clear_headings = [
        line.text for line in lines if line.kind == "heading" and limits.is_plain(line.confidence)]
    return parse_sheet_heading(clear_headings, games).requested_version


def _other_games(session: Session, submission: SubmissionRow, game: GameRow) -> Sequence[GameRow]:
    """The games whose name on a sheet states that it is not for this one."""
    count = session.scalars(select(func.count()).select_from(GameRow)).one()
    if count <= MOST_OTHER_GAMES:
        return records.games(session)
    # No one mails the sheet of a game that they do not play; a letter may be of any player of this one.
    players = (select(SeatRow.player_id).where(SeatRow.game_id == game.id, SeatRow.player_id.is_not(None))
               if submission.player_id is None else [submission.player_id])
    return session.scalars(
        select(GameRow).join(SeatRow, SeatRow.game_id == GameRow.id)
        .where(SeatRow.player_id.in_(players)).order_by(GameRow.name).distinct()).all()


def _is_distinguishable(other: GameRow, game: GameRow) -> bool:
    """Whether a sheet that names another game cannot mean this one: neither name is part of the other."""
    # A rehearsal is called like its game, with a word more.
    ours, theirs = game.name.casefold(), other.name.casefold()
    return ours not in theirs and theirs not in ours


def _by_name(other: GameRow, own_game: KnownGame) -> KnownGame:
    """Another game of the site, whose name alone is looked for on a sheet (LET-02)."""
    return KnownGame(other.name, tuple(other.aliases), (), own_game.steps, own_game.starts)


def _away(
    session: Session, phase: PhaseRow, submission: SubmissionRow, pages: Sequence[InterpretedPage],
    heading: SheetHeading, variant: Variant,
) -> tuple[frozenset[str], RefusalReason] | None:
    """In which fields a sheet names something else than what it was filed as, and what says so; None if
    nothing holds it. A code beats the heading, in both directions (LET-12)."""
    codes = [page.code for page in pages if page.code is not None and page.note is None]
    if codes:
        fields = printed_code.differing_fields(codes, phase.game_id, submission.power, phase_of(phase))
        reason = RefusalReason.CODE_DISAGREES
    else:
        game = session.get_one(GameRow, phase.game_id)
        fields = _points_away(game, phase, submission, heading, variant)
        reason = RefusalReason.HEADING_DISAGREES
    # A subject that left out what the sheet names does not disagree with it: the letter that it answers does.
    if SheetFlag.BY_ANSWER in submission.flags:
        reason = RefusalReason.ANSWER_DISAGREES
    return (fields, reason) if fields else None


def _points_away(
    game: GameRow, phase: PhaseRow, submission: SubmissionRow, heading: SheetHeading, variant: Variant
) -> frozenset[str]:
    """The fields in which the sheet names something else than what it was filed as; empty if they do not hold
    it (HEAD-03, LET-02)."""
    subject = Heading(game.name, variant.powers[submission.power].name, phase.season, phase.year,
                      PhaseKind(phase.kind), submission.version)
    return points_away(subject, heading)


def _lacks_pages(pages: Sequence[InterpretedPage], limits: ReviewLimits) -> bool:
    """Whether a sheet has, by its own words, more pages than came with it (ARR-04): a page in its own mail
    would otherwise replace the one before."""
    # A page's number is two signs, which no grammar proves: only plainly read ones count.
    count = count_of_pages(
        line.text for page in pages for line in page.lines
        if line.kind != "order" and limits.is_plain(line.confidence))
    # A page that could not be read came with it all the same.
    return sum(page.note not in NO_ORDERS for page in pages) < count


def _hold(session: Session, submission: SubmissionRow, flag: str) -> None:
    session.execute(update(SubmissionRow).where(SubmissionRow.id == submission.id)
                    .values(fate=Fate.HELD, flags=[*submission.flags, flag]))
    session.refresh(submission)


def _note(reading: Reading) -> str:
    return SheetFlag.NOT_AN_IMAGE if reading.reason is None else reading.reason.value


def _refusal_of(pages: Sequence[InterpretedPage]) -> RefusalReason:
    """Why no page brings orders; the reason of the first that could not be read."""
    note = next((page.note for page in pages if page.note not in NO_ORDERS), RefusalReason.NO_PHOTO)
    # The reader also has reasons that no letter explains by themselves ("truncated").
    return RefusalReason(note) if note in set(RefusalReason) else RefusalReason.BAD_IMAGE
