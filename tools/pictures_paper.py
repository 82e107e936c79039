"""Everything that leaves as a file, of a played game, as the files themselves and as PNG of each page: maps
on A3 and A4, blank sheets, envelopes, labels, written results, a correction, a receipt's picture, copies of
sheets (`make pictures`).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from email import message_from_bytes, policy
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

import maps
from adjudicator.calendar import Phase, PhaseKind
from service import pictures
from service.config import Settings
from service.games.phases import phase_of, phase_title
from service.letters.facts import CorrectionFacts, GameInfo, Recipient
from service.letters.render import phase_words
from service.mail.compose import Attachment
from service.notices import receipts
from service.notices.current_map import control
from service.pictures import A3, A4, BlankSheet, PaperEnvelope
from service.site_folder import opened
from service.store.blobs import Blobs
from service.store.tables import GameRow, OutboxRow, PhaseRow, PhaseState, SubmissionRow

WIDTH = 1240
"""Pixels across a page of a PDF: 150 to the inch on A4."""
SENDER = ("Ada Quill", "The Printing House", "3 Fleet Lane", "London EC4M 7RB")
ENVELOPES = (
    PaperEnvelope(("Hannah Tegid", "Quill Cottage", "OBAN", "PA34 4AB"), SENDER),
    PaperEnvelope((("Marguerite-Antoinette de la "
                    "Rochefoucauld-Liancourt"), ("Appartement 14, escalier C, troisième "
                                                                      "étage à droite"),
              "27 rue des Petites-Écuries", "75010 PARIS", "FRANCE"), SENDER),
    PaperEnvelope(("Σοφία Παπαδοπούλου", "Οδός Ερμού 14", "105 63 ΑΘΗΝΑ", "GREECE"), SENDER),
    PaperEnvelope(("Jiří Novák", "Nám. Míru 7", "120 00 PRAHA 2", "CZECHIA")),
)
"""Made-up people: a plain address, a long one, one in other letters, and one without a return address."""
LONGEST = ("The Marquess of Montrose’s Second Game", "Parliament of Ireland")


def draw(settings: Settings, game: str, out: Path) -> list[Path]:
    """Write the files of a played game into a folder; the pictures among them."""
    made: list[Path] = []
    with opened(settings) as store, store() as session:
        row = session.get_one(GameRow, game)
        for one in (*_maps(session, row), *_paper(row), *_correction(session, row),
                    *_reading(session, Blobs(Path(settings.data) / "blobs"), row),
                    *_sent(session, Blobs(Path(settings.data) / "blobs"), row)):
            made += _written(one, out)
    return made


def _written(one: Attachment, out: Path) -> list[Path]:
    """A file, and each page of a PDF as a picture."""
    file = out / one.name
    file.write_bytes(one.data)
    if file.suffix != ".pdf":
        return [file] if one.kind.startswith("image/") else []
    pages = pictures.to_pngs(one.data, WIDTH)
    files = [out / f"{file.stem}-{at}.png" for at in range(1, len(pages) + 1)]
    for page, data in zip(files, pages, strict=True):
        page.write_bytes(data)
    return files


def _maps(session: Session, game: GameRow) -> Iterator[Attachment]:
    found = control(session, game.id, maps.load)
    if found is None:
        return
    units = maps.load(game.variant).start.units
    for name, paper in (("a3", A3), ("a4", A4)):
        for what, shown in (("", found.units), ("-units", units)):
            data = pictures.board_pdf(found.variant, found.centres, found.game, found.when, paper, shown)
            yield Attachment(f"map-{name}{what}.pdf", "application/pdf", data)


def _paper(game: GameRow) -> Iterator[Attachment]:
    phases = [Phase(1644, "Autumn", kind) for kind in (PhaseKind.MOVEMENT, PhaseKind.RETREAT)]
    blanks = [
        BlankSheet("Montrose", game.name, phase_words(phase))
        for phase in (*phases, Phase(1645, "Winter", PhaseKind.ADJUSTMENT))
    ]
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
        "Army Newark moved to Lindsey, as its sheet of version 2 says.",
        "Lindsey is Newcastle’s. Nothing else changes.", "The player of Manchester",
        datetime(2026, 3, 1, 7, tzinfo=UTC))
    for at, data in enumerate(
        pictures.correction_pictures(_info(game), f"{phase_title(phase)}: correction", facts), 1
    ):
        yield Attachment(f"correction-{at}.png", "image/png", data)


def _reading(session: Session, blobs: Blobs, game: GameRow) -> Iterator[Attachment]:
    """The picture that goes with a receipt, of the newest sheet that was mailed."""
    found = session.execute(
        select(SubmissionRow, PhaseRow).join(PhaseRow, PhaseRow.id == SubmissionRow.phase_id).where(
            PhaseRow.game_id == game.id, PhaseRow.state == PhaseState.SENT, SubmissionRow.sha256.is_not(None))
        .order_by(SubmissionRow.id.desc())).first()
    if found is not None:
        paper, phase = found
        to = Recipient(paper.sender, maps.load(game.variant).powers[paper.power].name)
        for one in receipts.read_letter(session, blobs, _info(game), to, paper, phase).attachments:
            yield Attachment(
                f"receipt-{phase_of(phase)}-{one.name}".lower().replace(" ", "-"), one.kind, one.data
            )


def _sent(session: Session, blobs: Blobs, game: GameRow) -> Iterator[Attachment]:
    """The files of the first letter of each kind and phase; the same file once."""
    seen: set[bytes] = set()
    first: set[tuple[str, int | None]] = set()
    for row in session.scalars(select(OutboxRow).where(OutboxRow.game_id == game.id).order_by(OutboxRow.id)):
        if (row.kind, row.phase_id) in first:
            continue
        first.add((row.kind, row.phase_id))
        for part in message_from_bytes(blobs.read(row.message), policy=policy.default).iter_attachments():
            data = part.get_content()
            if isinstance(data, bytes) and data not in seen:
                seen.add(data)
                name = f"{row.kind}-{row.phase_id or 0}-{part.get_filename()}"
                yield Attachment(name, part.get_content_type(), data)
