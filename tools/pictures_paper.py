"""Every file that a played game mails or prints, as the file itself and as PNG of each page.

Maps on A3 and A4, blank sheets, envelopes, labels, written results, a correction, a receipt's picture, copies
of sheets (`make pictures`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

import maps
from adjudicator.calendar import Phase, PhaseKind
from service import pictures
from service.config import Settings
from service.games.phases import phase_of, phase_title
from service.letters.facts import CorrectionFacts, GameInfo, Recipient
from service.letters.language import phase_words
from service.mail.sending.compose import Attachment
from service.notices.answers import receipts
from service.notices.current_map import control
from service.notices.order_sheets import SheetReader, printed_sheet
from service.pictures import A3, A4, BlankSheet, PaperEnvelope, SheetPaper
from service.site_folder import opened
from service.store.blobs import Blobs
from service.store.letter_parts import message_of
from service.store.tables import GameRow, OutboxRow, PhaseRow, PhaseState, SubmissionRow

WIDTH = 1240  # pixels across a page of a PDF: 150 to the inch on A4
SENDER = ("Ada Quill", "The Printing House", "3 Fleet Lane", "London EC4M 7RB")
# Made-up people: a plain address, a long one, one in other letters, and one without a return address.
ENVELOPES = (
    PaperEnvelope(("Hannah Tegid", "Quill Cottage", "OBAN", "PA34 4AB"), SENDER),
    PaperEnvelope(("Marguerite-Antoinette de la Rochefoucauld-Liancourt",
                   "Appartement 14, escalier C, troisième étage à droite",
                   "27 rue des Petites-Écuries", "75010 PARIS", "FRANCE"), SENDER),
    PaperEnvelope(("Σοφία Παπαδοπούλου", "Οδός Ερμού 14", "105 63 ΑΘΗΝΑ", "GREECE"), SENDER),
    PaperEnvelope(("Jiří Novák", "Nám. Míru 7", "120 00 PRAHA 2", "CZECHIA")),
)
LONGEST = ("The Marquess of Montrose’s Second Game", "Parliament of Ireland")


def draw(settings: Settings, game: str, out: Path) -> list[Path]:
    """Write the files of a played game into a folder and return the pictures among them."""
    written: list[Path] = []
    blobs = Blobs(Path(settings.data) / "blobs")
    with opened(settings) as store, store() as session:
        row = session.get_one(GameRow, game)
        for attachment in (*_maps(session, row), *_paper(row), *_correction(session, row),
                           *_reading(session, blobs, row), *_sent(session, blobs, row)):
            written += _write(attachment, out)
    return written


def _write(attachment: Attachment, out: Path) -> list[Path]:
    """Write a file, and each page of a PDF as a picture; the pictures."""
    file = out / attachment.name
    file.write_bytes(attachment.data)
    if file.suffix != ".pdf":
        return [file] if attachment.media_type.startswith("image/") else []
    pages = pictures.to_pngs(attachment.data, WIDTH)
    files = [out / f"{file.stem}-{number}.png" for number in range(1, len(pages) + 1)]
    for page, data in zip(files, pages, strict=True):
        page.write_bytes(data)
    return files


def _maps(session: Session, game: GameRow) -> Iterator[Attachment]:
    state = control(session, game.id, maps.load)
    # The same moment with units, as in a game whose option requests them.
    game.options = {**game.options, "units_on_map": True}
    with_units = control(session, game.id, maps.load)
    session.rollback()
    if state is None or with_units is None:
        return
    for size, paper in (("a3", A3), ("a4", A4)):
        for suffix, units in (("", state.units), ("-units", with_units.units)):
            data = pictures.board_pdf(state.variant, state.centres, state.game, state.when, paper, units)
            yield Attachment(f"map-{size}{suffix}.pdf", "application/pdf", data)


def _paper(game: GameRow) -> Iterator[Attachment]:
    phases = [Phase(1644, "Autumn", kind) for kind in (PhaseKind.MOVEMENT, PhaseKind.RETREAT)]
    phases.append(Phase(1645, "Winter", PhaseKind.ADJUSTMENT))
    deadline = datetime(2027, 3, 14, 7, tzinfo=UTC)
    blanks = [
        printed_sheet(
            maps.load(game.variant), game.id, game.name, phase, "Montrose",
            SheetReader(code, "Europe/Berlin" if code == "de" else "", "orders@example.org"),
            deadline=deadline)
        for phase in phases for code in ("en", "de")
    ]
    blanks.append(replace(blanks[0], paper=SheetPaper.LETTER))
    name, power = LONGEST
    for file, data in (
        (
            "blank-sheets.pdf",
            pictures.sheets_pdf([*blanks, BlankSheet(power, name, phase_words(phases[0]), 20)]),
        ),
        ("envelopes.pdf", pictures.envelopes_pdf(ENVELOPES)),
        ("labels.pdf", pictures.labels_pdf(ENVELOPES * 3)),
    ):
        yield Attachment(file, "application/pdf", data)


def _info(game: GameRow) -> GameInfo:
    return GameInfo(game.id, game.name, maps.load(game.variant).title, "orders@example.org", "Ada Quill")


def _correction(session: Session, game: GameRow) -> Iterator[Attachment]:
    phase = session.scalars(
        select(PhaseRow).where(PhaseRow.game_id == game.id, PhaseRow.resolution.is_not(None))
    ).first()
    if phase is None:
        return
    facts = CorrectionFacts(
        "a correction", "Army Newark was said to have held.",
        "Army Newark moved to Lindsey, as version 2 of its sheet says.",
        "Lindsey is Newcastle’s. Nothing else changes.", "the player of Manchester",
        phase.sent_at or phase.deadline)
    pages = pictures.correction_pictures(_info(game), f"{phase_title(phase)}: correction", facts)
    for number, data in enumerate(pages, 1):
        yield Attachment(f"correction-{number}.png", "image/png", data)


def _reading(session: Session, blobs: Blobs, game: GameRow) -> Iterator[Attachment]:
    """The picture that goes with a receipt, of the newest sheet that was mailed."""
    newest = session.execute(
        select(SubmissionRow, PhaseRow).join(PhaseRow, PhaseRow.id == SubmissionRow.phase_id).where(
            PhaseRow.game_id == game.id, PhaseRow.state == PhaseState.SENT, SubmissionRow.sha256.is_not(None))
        .order_by(SubmissionRow.id.desc())).first()
    if newest is None:
        return
    submission, phase = newest
    variant = maps.load(game.variant)
    player = Recipient(submission.sender, variant.powers[submission.power].name)
    letter = receipts.read_letter(session, blobs, _info(game), player, submission, phase, variant)
    for picture in letter.attachments:
        name = f"receipt-{phase_of(phase)}-{picture.name}".lower().replace(" ", "-")
        yield Attachment(name, picture.media_type, picture.data)


def _sent(session: Session, blobs: Blobs, game: GameRow) -> Iterator[Attachment]:
    """The words and files of the first letter of each kind and phase; each file once."""
    yielded: set[bytes] = set()
    letters: set[tuple[str, int | None]] = set()
    for row in session.scalars(select(OutboxRow).where(OutboxRow.game_id == game.id).order_by(OutboxRow.id)):
        if (row.kind, row.phase_id) in letters:
            continue
        # One letter of a kind and phase: those of the other players differ in names only.
        letters.add((row.kind, row.phase_id))
        message = message_of(blobs, row)
        # The words themselves, to be read aloud.
        for form, suffix in (("plain", "txt"), ("html", "html")):
            body = message.get_body((form,))
            if body is not None:
                yield Attachment(f"letter-{row.kind}-{row.phase_id or 0}.{suffix}", body.get_content_type(),
                                 str(body.get_content()).encode())
        for part in message.iter_attachments():
            data = part.get_content()
            if isinstance(data, bytes) and data not in yielded:
                yielded.add(data)
                name = f"{row.kind}-{row.phase_id or 0}-{part.get_filename()}"
                yield Attachment(name, part.get_content_type(), data)
