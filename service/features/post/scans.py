"""Scans of letters on the Post page: put in a tray, read for their heading, and filed as sheets (LET-14).

The heading proposes game, power and phase; a person files. Nothing is filed by a proposal alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from grammar.headings.sheet import SheetHeading
from grammar.headings.sheet_code import SheetCode
from maps.variant import Variant
from reading.page import PageReader
from reading.review import ReviewLimits, ReviewRules
from reading.vocabulary import known_game, vocabulary_of
from service.clock import Clock
from service.features.post.postal_mail import LogLetter, PostalMail, PostedLetter
from service.games import ballots
from service.games.acts.act import ActTable, perform
from service.games.options import options_of
from service.games.phases import phase_of
from service.games.refused import Refused
from service.games.rulings import as_written
from service.intake.load_context import TAKING_STATES
from service.intake.opening.sandbox import ChildFault
from service.intake.sheets import printed_code
from service.intake.sheets.read_submission import version_on_sheet
from service.intake.sheets.recognizer import RecognizedPage, Recognizer
from service.intake.verdicts.rules import MOST_BYTES, MOST_PHOTOS
from service.jobs import Jobs
from service.store import records
from service.store.blobs import Blobs
from service.store.tables import GameRow, PhaseRow, ScanRow
from service.store.tables_features import PROPOSE_WORK


@dataclass(frozen=True, slots=True)
class Proposal:
    """The proposal of a heading: a phase's id, a power's id, and the version that is clearly read, or
    None."""

    phase_id: int
    power: str
    version: int | None


@dataclass(frozen=True, slots=True)
class ScanTray:
    """Acts on scans, and their needs. `post` files them."""

    store: sessionmaker[Session]
    blobs: Blobs
    jobs: Jobs
    clock: Clock
    recognizer: Recognizer
    load: Callable[[str], Variant]
    post: PostalMail
    limits: ReviewLimits = ReviewLimits()

    def put(self, files: Sequence[bytes], by: str) -> int:
        """Put files in the tray and queue their reading; how many. Raises Refused if one is not a picture, or
        they are too large; then none is put."""
        if not files or len(files) > MOST_PHOTOS or sum(map(len, files)) > MOST_BYTES:
            raise Refused(f"Nothing was put in the tray: choose 1 to {MOST_PHOTOS} files of "
                          f"{MOST_BYTES // 1024 // 1024} MB together.")
        opened = [self._opened(number, data) for number, data in enumerate(files, start=1)]
        with self.store.begin() as session:
            for data, pages in zip(files, opened, strict=True):
                row = ScanRow(original=self.blobs.put(data), upright=self.blobs.put(pages[0]),
                              pages=len(pages), put_at=self.clock.now(), put_by=by)
                session.add(row)
                session.flush()
                self.jobs.enqueue(session, PROPOSE_WORK, f"{PROPOSE_WORK}:{row.id}", {"scan": row.id})
        return len(files)

    def propose(self, payload: Mapping[str, Any]) -> None:
        """Handle the job `PROPOSE_WORK`. Safe to run twice."""
        key = int(payload["scan"])
        with self.store() as session:
            scan = session.get(ScanRow, key)
            if scan is None or scan.read_at is not None or scan.ended_at is not None:
                return
            original = scan.original
            phases = [(phase, session.get_one(GameRow, phase.game_id)) for phase in session.scalars(
                select(PhaseRow).where(PhaseRow.state.in_(TAKING_STATES)).order_by(PhaseRow.deadline))]
        # Outside any transaction, since it takes seconds.
        pictures = self.recognizer.recognize(self.blobs.read(original), "scan")
        proposal = proposed(pictures, phases, self.load, self.limits)
        upright = next((picture.upright for picture in pictures if picture.upright is not None), None)
        with self.store.begin() as session:
            claimed = records.claim(session, ScanRow, ScanRow.id == key, ScanRow.read_at.is_(None),
                                    read_at=self.clock.now())
            if not claimed:
                return
            scan = session.get_one(ScanRow, key)
            if upright is not None:
                scan.upright = self.blobs.put(upright)
            if proposal is not None:
                scan.phase_id, scan.power = proposal.phase_id, proposal.power
                # PHA-06: a misread digit would put an old sheet above every later one.
                scan.version = ballots.believed_version(
                    proposal.version, ballots.on_file(session, proposal.phase_id, proposal.power))

    def file(self, table: ActTable, scan_ids: Sequence[int], letter: PostedLetter) -> int | None:
        """File scans of the tray as one letter, in their order and the caller's transaction; the sheet's id.
        Raises Refused."""
        rows = self._waiting(table.session, scan_ids)
        files = [self.blobs.read(row.original) for row in rows]
        submission_id = perform(LogLetter(self.post, letter, files), table).outcome.submission_id
        for row in rows:
            row.submission_id, row.ended_at, row.ended_by = submission_id, table.now, table.by
        return submission_id

    def take_out(self, scan_ids: Sequence[int], by: str) -> None:
        """Take scans out of the tray without filing them; their files are stored. Raises Refused."""
        with self.store.begin() as session:
            for row in self._waiting(session, scan_ids):
                row.ended_at, row.ended_by = self.clock.now(), by

    def _waiting(self, session: Session, scan_ids: Sequence[int]) -> list[ScanRow]:
        rows = list(session.scalars(select(ScanRow).where(ScanRow.id.in_(scan_ids)).order_by(ScanRow.id)))
        if not rows or any(row.ended_at is not None for row in rows):
            raise Refused("Nothing was changed: tick the pictures of one letter. A picture that is missing "
                          "was filed or taken out meanwhile.")
        return rows

    def _opened(self, number: int, data: bytes) -> tuple[bytes, ...]:
        try:
            pages = tuple(self.post.opener.open(data).pages)
        except ChildFault as fault:
            raise Refused(f"Nothing was put in the tray: {fault}. Try again in a few minutes.") from fault
        if not pages:
            raise Refused(f"Nothing was put in the tray: file {number} does not open as a picture or PDF.")
        return pages


def in_tray(session: Session) -> list[ScanRow]:
    """The scans that wait to be filed, in the order they were put."""
    return list(session.scalars(select(ScanRow).where(ScanRow.ended_at.is_(None)).order_by(ScanRow.id)))


def proposed(
    pictures: Sequence[RecognizedPage], phases: Sequence[tuple[PhaseRow, GameRow]],
    load: Callable[[str], Variant], limits: ReviewLimits = ReviewLimits(),
) -> Proposal | None:
    """The phase and power that the heading of a sheet names, by words alone, or its printed code, which beats
    the heading (LET-12); None where it names no power that a phase waits for, or another season or kind of
    orders. `phases` take orders now, the
    nearest deadline first."""
    codes = [code for picture in pictures for page in picture.reading.pages
             if (code := printed_code.code_on(page)) is not None]
    if codes:
        return _by_code(codes, pictures, phases, load, limits)
    best: tuple[int, Proposal] | None = None
    headings: dict[str, tuple[SheetHeading, int | None]] = {}
    for row, game in phases:
        variant = as_written(load(game.variant), options_of(game))
        if game.id not in headings:
            headings[game.id] = _heading(pictures, variant, row, game, limits)
        (heading, version), phase = headings[game.id], phase_of(row)
        power = next((power.id for power in variant.powers.values() if power.name == heading.power), None)
        is_for_another = (heading.season not in {None, phase.season}
                          or heading.kind not in {None, phase.kind})
        # Last season's sheet is proposed for nothing; a wrong year alone is a common slip in January.
        if power is None or is_for_another:
            continue
        fits = 8 * (heading.game == game.name) + sum(
            written == expected for written, expected in (
                (heading.season, phase.season), (heading.year, phase.year), (heading.kind, phase.kind)))
        # Of phases that fit alike the one whose deadline comes first.
        if best is None or fits > best[0]:
            best = (fits, Proposal(row.id, power, version))
    return None if best is None else best[1]


def _by_code(
    codes: Sequence[SheetCode], pictures: Sequence[RecognizedPage],
    phases: Sequence[tuple[PhaseRow, GameRow]], load: Callable[[str], Variant], limits: ReviewLimits,
) -> Proposal | None:
    """The phase and power for which every page was printed; None if none of these phases is it."""
    for row, game in phases:
        variant, phase = as_written(load(game.variant), options_of(game)), phase_of(row)
        for power in variant.powers:
            if not printed_code.differing_fields(codes, game.id, power, phase):
                _, version = _heading(pictures, variant, row, game, limits)
                return Proposal(row.id, power, version)
    return None


def _heading(
    pictures: Sequence[RecognizedPage], variant: Variant, phase: PhaseRow, game: GameRow,
    limits: ReviewLimits,
) -> tuple[SheetHeading, int | None]:
    """The first heading on the pages, read with the words of this game, and the version that stands clearly
    in it, or None."""
    reader = PageReader(vocabulary_of(variant, phase_of(phase).kind), ReviewRules(limits))
    games = [known_game(variant, game.name, game.aliases)]
    for picture in pictures:
        for page in picture.reading.pages:
            read = reader.read_page(page, games)
            if read.heading != SheetHeading():
                return read.heading, version_on_sheet(read.lines, games, limits)
    return SheetHeading(), None
