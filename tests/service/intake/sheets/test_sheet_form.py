"""The sheet as a form for who cannot write by hand (BEY-08): filled in with a keyboard, mailed, and read from
its fields by the normal intake, in the limited child."""

from __future__ import annotations

import ctypes
from datetime import timedelta

import pypdfium2
import pytest
from pypdfium2 import raw

from ocr.image.form_fields import form_fields
from ocr.image.sheet_form import MOST_FIELDS, MOST_LETTERS, rows_of
from service.games.lines import lines_of
from service.intake.sheets.read_submission import SubmissionReader
from service.intake.sheets.recognizer import EngineRecognizer, ImageOpener, OpenerProbe
from service.notices.answers.replies import Replies
from service.store import records
from service.store.tables import LineState
from tests.support.desk_table import open_desk
from tests.support.form_filling import typed_into
from tests.support.mail_builder import mail, part, pdf, stamp, text
from tests.support.site import Site
from tests.support.table import SERVER, Table, address, open_table


@pytest.fixture
def table(site: Site) -> Table:
    opened = open_table(site)
    site.clock.set(opened.phase().opens_at + timedelta(days=1))
    # The real jail: what is mailed is opened in the limited child.
    opened.probe = OpenerProbe(ImageOpener())
    return opened


def form_of(table: Table, power: str = "Montrose") -> bytes:
    client = open_desk(table).client
    client.cookies.clear()
    answer = client.get(f"/public/{table.game}/sheet-form.pdf?power={power}")
    assert answer.headers["content-type"] == "application/pdf"
    return bytes(answer.content)


def read(table: Table, data: bytes, version: int = 1) -> list[tuple[str, str | None, LineState]]:
    """Mail a file and have it read; the lines of its sheet."""
    sender = address("Montrose")
    table.take(mail(
        table.subject("Montrose", version), sender,
        parts=[text(), part(data, "application/pdf", "f.pdf")],
        stamps=[stamp(sender.rpartition("@")[2], "pass", SERVER)]), table.site.clock.now())
    paper, site = table.submissions()[-1], table.site
    # No engine at all: whatever is read comes from the fields.
    reader = SubmissionReader(
        store=site.store, blobs=site.blobs, clock=site.clock, recognizer=EngineRecognizer(engines=()),
        load=table.load, replies=Replies(table.writer), on_read=lambda _phase: None)
    reader.read({"submission": paper.id})
    with site.store() as session:
        return [(line.text, line.order, line.state) for line in lines_of(session, [paper.id])[paper.id]]


def test_a_form_filled_in_with_a_keyboard_is_read_letter_by_letter(table: Table) -> None:
    """BEY-08: no engine reads it; heading, version and orders come from the fields, with a receipt as for any
    sheet, and what is not an order waits for a person as on any sheet."""
    blank = form_of(table)
    assert [name for name, _ in form_fields(blank)][:5] == [
        "galloper-power", "galloper-game", "galloper-orders", "galloper-version", "galloper-order-01"]
    filled = typed_into(blank, {"galloper-order-01": "A Angus - Strathearn", "galloper-order-03": "A Fife H",
                                "galloper-order-04": "A Argyll - Gondor", "galloper-version": "2"})
    lines = read(table, filled, version=2)
    assert ("A Angus - Strathearn", "A Angus - Strathearn", LineState.AUTO) in lines
    assert ("A Fife H", "A Fife H", LineState.AUTO) in lines
    assert next(state for words, _, state in lines if "Gondor" in words) is LineState.OPEN
    (paper,) = table.submissions()
    assert (paper.fate, paper.version, paper.instruction, paper.flags) == ("counts", 2, 2, ["form_filled"])
    assert [kind for kind, _ in table.written_letters()] == ["receipt"]
    with table.site.store() as session:
        (page,) = records.pages(session, paper.id)
    assert table.site.blobs.read(page.original) == filled, "the file as it came is the sheet"


@pytest.mark.slow
def test_a_form_for_another_power_is_held_as_any_such_sheet(table: Table) -> None:
    filled = typed_into(form_of(table, "Argyll"), {"galloper-order-01": "A Angus - Strathearn"})
    read(table, filled)
    assert table.submissions()[0].fate == "held"


def test_what_is_no_filled_form_of_ours_is_read_from_its_picture(table: Table) -> None:
    """A blank form may be printed, written on by hand and scanned."""
    assert rows_of(form_fields(form_of(table))) == ()
    assert form_fields(pdf(1)) == ()
    assert form_fields(b"%PDF-1.7 nothing") == ()
    assert rows_of([("name", "A Angus - Strathearn"), ("galloper-order-1", "x")]) == ()
    mixed = [("galloper-order-02", " b  c "), ("galloper-order-01", "a"), ("galloper-version", "x")]
    assert rows_of(mixed) == ("a", "b c")
    assert len(rows_of([("galloper-order-01", "a" * 2 * MOST_LETTERS)])[0]) == MOST_LETTERS


def test_a_form_of_a_thousand_fields_costs_no_more_than_ours(table: Table) -> None:
    many = typed_into(form_of(table), {"galloper-order-01": "x" * 5000})
    assert dict(form_fields(many))["galloper-order-01"] == "", "longer than any of ours is not taken"
    assert len(form_fields(many)) <= MOST_FIELDS


def test_the_form_is_tagged_and_each_field_has_a_name_for_a_screen_reader(table: Table) -> None:
    form = form_of(table)
    document = pypdfium2.PdfDocument(form)
    assert raw.FPDFCatalog_IsTagged(document.raw)
    document.init_forms()
    page, labels = document[0], []
    for index in range(raw.FPDFPage_GetAnnotCount(page.raw)):
        annotation = raw.FPDFPage_GetAnnot(page.raw, index)
        room = ctypes.create_string_buffer(400)
        size = raw.FPDFAnnot_GetFormFieldAlternateName(
            document.formenv.raw, annotation, ctypes.cast(room, ctypes.POINTER(raw.FPDF_WCHAR)), 400)
        labels.append(room.raw[: max(0, size - 2)].decode("utf-16-le"))
        raw.FPDFPage_CloseAnnot(annotation)
    # What a screen reader states about a field (ISO 32000-1, table 220, TU).
    assert labels[:6] == ["Power", "Game", "Phase", "Version", "Order 1", "Order 2"]
    document.close()
