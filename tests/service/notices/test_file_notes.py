"""Letters name each file that is not read as a page, with what is wrong and what to do (ARR-02)."""

from __future__ import annotations

import io
import zipfile

import pytest
from PIL import Image
from sqlalchemy import select

from service.facts.files import load_outcomes
from service.store import records
from service.store.tables import AddressRow, MailRow, MailState
from tests.support import odd_files as odd
from tests.support.mail_builder import locked_pdf, mail, part, picture, stamp, text
from tests.support.table import SERVER, Table, address

POWER = "Montrose"


def arrives(table: Table, *parts: bytes, version: int = 1) -> str:
    """The words of the letter that answers a mail with these files."""
    raw = mail(table.subject(POWER, version), address(POWER), parts=[text("My orders."), *parts],
               stamps=[stamp("montrose.example", server=SERVER)])
    before = len(table.letters())
    table.take(raw, table.phase().opens_at)
    (letter,) = [row for row in table.letters()[before:] if row.recipient == address(POWER)]
    return table.words(letter)


def film(kind: str) -> bytes:
    frames = [odd.quarters(400, 300), *(odd.quarters(400, 300).rotate(turn) for turn in (90, 180, 270))]
    return odd.saved(frames[0], kind, save_all=True, append_images=frames[1:])


def zipped(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, b"words")
    return out.getvalue()


@pytest.mark.parametrize(("data", "name", "sentence"), [
    (odd.pdf(80), "scan.pdf", "scan.pdf: the file has 80 pages or more, and at most 20 are read."),
    (odd.png_header(20_000, 10_000), "panorama.png",
     "panorama.png: the picture has 200 million pixels, and at most 120 million are read."),
    (locked_pdf(), "orders.pdf", "orders.pdf: the file needs a password. Send it without a password."),
    (zipped(), "photos.zip", "photos.zip: this archive is empty. Attach the pictures themselves."),
    (zipped("orders.txt"), "orders.zip", "orders.txt: this is a document."),
    (b"", "sheet.jpg", "sheet.jpg: the file is empty. Attach the picture again."),
    (picture(90)[:-300], "sheet.jpg", "sheet.jpg: the file is cut off or damaged."),
    (b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom", "sheet.mp4", "sheet.mp4: this is a film or a sound."),
], ids=lambda value: value if isinstance(value, str) else "")
def test_a_refusal_names_the_file(table: Table, data: bytes, name: str, sentence: str) -> None:
    words = arrives(table, part(data, "application/octet-stream", name))
    assert sentence in words
    assert "Your mail could not be used" in words


def test_forty_photographs_are_refused_and_those_past_the_limit_named(table: Table) -> None:
    files = [part(picture(6 * number), "image/jpeg", f"IMG_{number}.jpg") for number in range(40)]
    words = arrives(table, *files)
    assert "IMG_20.jpg: the mail has more than 20 photographs. Send fewer." in words
    assert "IMG_19.jpg" not in words
    assert "10 more files were not read." in words


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "HEIF"])
def test_a_receipt_names_a_film_or_a_burst_of_which_one_picture_is_read(table: Table, kind: str) -> None:
    words = arrives(table, part(film(kind), "application/octet-stream", "burst.heic"))
    sentence = "burst.heic: the file holds 3 more pictures, as a film or a burst does, which are not read."
    assert sentence in words
    assert "Photographs: 1" in words


def test_a_receipt_names_what_lies_beside_the_sheet(table: Table) -> None:
    smiley, logo = odd.saved(Image.new("RGB", (40, 40)), "PNG"), picture(7)
    words = arrives(
        table, part(logo, "image/jpeg", "sheet.jpg"), part(logo, "image/jpeg", "sheet (2).jpg"),
        part(smiley, "image/png", "smile.png"), part(b"Dear coordinator", "text/plain", "remarks.txt"))
    assert "sheet (2).jpg: the same picture is in this mail a second time. One of them is enough." in words
    assert "remarks.txt: this is a document." in words
    assert "smile.png" not in words
    assert "Photographs: 1" in words


def test_a_mail_keeps_what_became_of_its_files(table: Table) -> None:
    arrives(table, part(picture(7), "image/jpeg", "sheet.jpg"), part(b"x", "application/zip", "a.zip"))
    with table.site.store() as session:
        row = session.scalars(select(MailRow).where(MailRow.state == MailState.USED)).one()
        outcomes = load_outcomes((row.verdict or {})["files"])
    assert [(file.name, file.fate.value, file.why) for file in outcomes] == [
        ("sheet.jpg", "sheet", ""), ("a.zip", "other", "archive")]


def test_a_receipt_goes_to_the_address_as_it_is_registered(table: Table) -> None:
    """ARR-06: and the sheet on file names that one."""
    registered = "marie.rich@gmail.com"
    with table.site.store.begin() as session:
        player = records.player_of(session, address(POWER))
        assert player is not None
        session.add(AddressRow(email=registered, player_id=player.id))
    raw = mail(table.subject(POWER, 1), "marierich@googlemail.com", parts=[text("Orders."), part(picture(7))],
               stamps=[stamp("googlemail.com", server=SERVER)])
    table.take(raw, table.phase().opens_at)
    (receipt,) = table.letters("receipt")
    assert receipt.recipient == registered
    assert [row.sender for row in table.submissions()] == [registered]


def test_the_receipt_of_what_a_rule_sent_on_answers_no_mail(table: Table) -> None:
    """ARR-05: it goes to the registered address, once, as its own letter."""
    raw = mail(table.subject(POWER, 1), address(POWER), parts=[text("My orders."), part(picture(7))],
               headers=["Message-ID: <one@montrose.example>", "Auto-Submitted: auto-forwarded"],
               stamps=[stamp("montrose.example", server=SERVER)])
    for _ in range(2):
        table.take(raw, table.phase().opens_at)
    (receipt,) = table.letters("receipt")
    assert receipt.recipient == address(POWER)
    assert table.message(receipt)["In-Reply-To"] is None
