"""What counts is on the photographed sheet: typed or written by hand, whatever the mail states next to it,
and with every byte of the photograph kept.

Two real photographs, read by the real recognizer: a sheet of the demo in a hasty hand, and a sheet typed
here, printed and taken by the camera of the training sheets.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import cv2
import numpy as np
import pytest
from PIL import Image
from sqlalchemy import select

from demo.story import DEFAULT_FOLDER, read_story
from reading.review import ReviewLimits
from service.intake.sheets.read_submission import SubmissionReader
from service.intake.sheets.recognizer import EngineRecognizer, RecognizedPage
from service.notices.answers.replies import Replies
from service.pictures import to_pngs
from service.store.tables import LineRow, PageRow, SubmissionRow
from tests.support.mail_builder import mail, multipart, part, stamp, text
from tests.support.site import Site
from tests.support.table import SERVER, Table, address, open_table
from training.handwriting.appearance import choose
from training.handwriting.paper import SIZE
from training.photographs import one_sheet

POWER = "Hamilton"
HANDWRITTEN = DEFAULT_FOLDER / "summer-hamilton-v1.jpg"
WHITE = np.float32(0.95)
TYPED = (
    "Army Linlithgowshire supports Army Stirling Castle to Stirlingshire",
    "Army Stirling Castle moves to Stirlingshire",
    "Army Glasgow moves to Renfrewshire",
    "Fleet Dunbar moves to Firth of Forth",
    "Army Ayr holds",
)
MEANT = (
    "A Linlithgowshire S A Stirling Castle - Stirlingshire", "A Stirling Castle - Stirlingshire",
    "A Glasgow - Renfrewshire",
    "F Dunbar - Firth of Forth", "A Ayr H",
)  # fmt: skip
BODY = "No! Army Ayr moves to Galloway.\nHamilton, Summer 1642 Movement Orders, v9\nFleet Dunbar holds"
"""Orders, heading and instruction, other than the sheet's and than all that its smudged line could be."""


@cache
def typed_sheet() -> bytes:
    """A printed page, as a telephone photographs it."""
    rows = ("Hamilton", "Powick Bridge", "Summer 1642 Movement Orders", "", *TYPED)
    page = "".join(f"<p>{row or '&#160;'}</p>" for row in rows)
    html = ("<html><style>@page { size: A4; margin: 25mm 15mm } p { font: 13pt 'Courier New', 'Liberation "
            f"Mono', 'DejaVu Sans Mono', monospace; margin: 0 0 5mm }}</style>{page}</html>")
    with Image.open(io.BytesIO(to_pngs(html, SIZE[1])[0])) as opened:
        flat = np.asarray(opened.convert("RGB")).astype(np.float32) / 255
    sheet = np.asarray(cv2.resize(flat, (SIZE[1], SIZE[0]), interpolation=cv2.INTER_AREA) * WHITE, np.float32)
    rng = np.random.default_rng([1642, 4])
    look = choose({"orientation": 6, "gps": True}, ["caveat"], rng)
    return one_sheet.jpeg(one_sheet.photograph(sheet, look, rng).colour, look)


SHEETS: dict[str, Callable[[], bytes]] = {"handwritten": HANDWRITTEN.read_bytes, "typed": typed_sheet}


@dataclass
class Once:
    """The real recognizer; each file is read once, however often it is mailed."""

    recognizer: EngineRecognizer = field(default_factory=EngineRecognizer)
    pages_by_file: dict[bytes, tuple[RecognizedPage, ...]] = field(default_factory=dict)

    def recognize(self, data: bytes, name: str) -> tuple[RecognizedPage, ...]:
        if data not in self.pages_by_file:
            self.pages_by_file[data] = self.recognizer.recognize(data, name)
        return self.pages_by_file[data]


@pytest.fixture(scope="module")
def recognizer() -> Once:
    return Once()


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def send(
    table: Table, recognizer: Once, photograph: bytes, version: int = 1, words: bytes | None = None
) -> SubmissionRow:
    """Hamilton's sheet by mail, taken in and read."""
    sender = address(POWER)
    raw = mail(
        table.subject(POWER, version), sender, parts=[words or text(""), part(photograph)],
        stamps=[stamp(sender.rpartition("@")[2], server=SERVER)],
    )  # fmt: skip
    row = table.take(raw, table.phase().opens_at)
    assert row.state == "used"
    # SUB-15: the message as it came.
    assert table.site.blobs.read(row.sha256) == raw
    site, submission_id = table.site, table.submissions()[-1].id
    SubmissionReader(
        store=site.store, blobs=site.blobs, clock=site.clock, recognizer=recognizer, load=table.load,
        replies=Replies(table.writer), on_read=lambda _: None, limits=ReviewLimits(),
    ).read({"submission": submission_id})  # fmt: skip
    return table.submissions()[-1]


def lines(table: Table, submission: SubmissionRow) -> list[LineRow]:
    with table.site.store() as session:
        return list(session.scalars(
            select(LineRow).join(PageRow).where(PageRow.submission_id == submission.id)
            .order_by(LineRow.ordinal)))


def read(rows: list[LineRow]) -> list[tuple[object, ...]]:
    """Everything that is stored of each line."""
    return [(r.box, r.kind, r.struck, r.text, r.order, r.confidence, r.status, r.candidates) for r in rows]


@pytest.mark.slow
def test_a_typed_sheet_that_was_photographed_is_read_like_a_written_one(
    table: Table, recognizer: Once
) -> None:
    """SUB-04: heading and orders, each as it was typed."""
    submission = send(table, recognizer, typed_sheet())
    assert (submission.fate, submission.flags) == ("counts", [])
    order_rows = [row for row in lines(table, submission) if row.kind == "order"]
    assert [row.order for row in order_rows] == list(MEANT)


def test_a_handwritten_sheet_that_was_photographed_is_read(table: Table, recognizer: Once) -> None:
    """SUB-04: the written order is among the readings of every line (the demo's manifest has the orders)."""
    submission = send(table, recognizer, HANDWRITTEN.read_bytes())
    assert (submission.fate, submission.flags) == ("counts", [])
    order_rows = [row for row in lines(table, submission) if row.kind == "order"]
    written = [order for _, order, struck in read_story().sheets[HANDWRITTEN.name] if not struck]
    assert len(order_rows) == len(written) == 6
    for row, order in zip(order_rows, written, strict=True):
        assert order in {row.order, *(candidate["order"] for candidate in row.candidates)}, row.text


@pytest.mark.parametrize(
    "kind", ["typed", pytest.param("handwritten", marks=pytest.mark.slow)])
def test_words_beside_the_photograph_change_no_line(table: Table, recognizer: Once, kind: str) -> None:
    """SUB-03, Q-03: the body is ignored, plain or HTML: the same photograph gives the same lines to the last
    bit, and neither the version nor an order that only the body has."""
    photograph = SHEETS[kind]()
    bare = read(lines(table, send(table, recognizer, photograph, 1)))
    html = f"Content-Type: text/html; charset=utf-8\r\n\r\n<p>{BODY}</p>\r\n".encode()
    texts = multipart([text(BODY.replace("\n", "\r\n")), html], "multipart/alternative", boundary="inner")
    submission = send(table, recognizer, photograph, 2, texts)
    assert read(lines(table, submission)) == bare
    assert len(bare) > 5
    assert (submission.power, submission.version, submission.instruction, submission.fate) == (
        POWER, 2, None, "counts")
    assert not {row[4] for row in bare} & {"A Ayr - Galloway", "F Dunbar H"}


def test_orders_in_the_body_alone_are_no_orders_and_the_receipt_says_so_at_once(table: Table) -> None:
    """SUB-03, Q-03: without a picture there is no sheet; the sender is informed in the same step."""
    sender = address(POWER)
    raw = mail(table.subject(POWER), sender, parts=[text("\r\n".join(TYPED))],
               stamps=[stamp(sender.rpartition("@")[2], server=SERVER)])  # fmt: skip
    row = table.take(raw, table.phase().opens_at)
    assert (row.state, row.reason, table.submissions()) == ("refused", "no_photo", [])
    assert table.written_letters() == [("rejection", sender)]
    assert "No picture of a sheet was found" in table.words(table.letters()[0])


@pytest.mark.parametrize("kind", SHEETS)
def test_the_photograph_is_kept_as_it_came_and_its_picture_names_it(
    table: Table, recognizer: Once, kind: str
) -> None:
    """SUB-15: the bytes with their EXIF under their own SHA-256; the upright picture is another file, and its
    row states for which original."""
    photograph = SHEETS[kind]()
    submission = send(table, recognizer, photograph)
    with table.site.store() as session:
        (page,) = session.scalars(select(PageRow).where(PageRow.submission_id == submission.id))
    assert page.original == hashlib.sha256(photograph).hexdigest()
    assert table.site.blobs.read(page.original) == photograph
    assert page.upright not in {None, page.original}
    with (
        Image.open(io.BytesIO(photograph)) as before,
        Image.open(io.BytesIO(table.site.blobs.read(page.upright or ""))) as after,
    ):
        assert before.getexif().get_ifd(0x8825), "the photograph says where it was taken"
        assert not after.getexif()
