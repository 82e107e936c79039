"""Mails in mails, archives and folders of mails: the pictures in them are those of the mail (ARR-05), and
what holds none is named with what it is."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

import pytest

from ocr.image.formats import PictureFormat
from service.facts.files import FileFate, OtherKind
from service.mail.message import IncomingMail, read_mail
from service.mail.mime import containers
from tests.support.mail_builder import FIXTURES, mail, multipart, part, picture, text
from tests.support.opening import own_probe

INNER = b"From: a@quill.example\r\nSubject: scan\r\nMIME-Version: 1.0\r\n" + multipart(
    [text(), part(picture(40))], boundary="deep")


def read(*parts: bytes) -> IncomingMail:
    return read_mail(mail(parts=[text(), *parts]), own_probe())


def zipped(files: Sequence[tuple[str, bytes]], **options: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return out.getvalue()


def attached(data: bytes, name: str) -> bytes:
    return part(data, "application/octet-stream", name)


@pytest.mark.parametrize(
    "declared", ["application/octet-stream", "text/plain", "message/rfc822", "text/x-mail"])
def test_a_mail_in_a_mail_however_it_is_declared(declared: str) -> None:
    assert [each.data for each in read(part(INNER, declared, "scan.eml")).pictures] == [picture(40)]


def test_a_text_that_quotes_headers_is_a_text() -> None:
    raw = mail(body=text("Content-Type: multipart/mixed; boundary=x\r\nFrom: a@b.example\r\n\r\n--x--"))
    assert read_mail(raw, own_probe()).pictures == ()


def test_a_folder_of_mails() -> None:
    folder = b"".join(b"From a@quill.example Mon Mar  3 10:00:00 2025\n" + each + b"\n\n" for each in (
        INNER, INNER.replace(b"deep", b"well").replace(b"scan", b"second")))
    mailed = read(attached(folder, "mails.mbox"))
    # Both hold the same picture, which is read once.
    assert [each.data for each in mailed.pictures] == [picture(40)]
    assert [file.fate for file in mailed.other_files] == [FileFate.REPEATED]


def test_an_archive_of_pictures_and_what_systems_add_to_one() -> None:
    archive = zipped([
        ("sheets/1.jpg", picture(40)), ("sheets/2.jpg", picture(80)), ("__MACOSX/sheets/._1.jpg", b"junk"),
        ("sheets/.DS_Store", b"junk")])
    mailed = read(attached(archive, "photos.zip"))
    assert [(each.name, each.data) for each in mailed.pictures] == [
        ("1.jpg", picture(40)), ("2.jpg", picture(80))]
    assert mailed.other_files == ()


def test_an_archive_in_an_archive_in_a_mail_in_a_mail() -> None:
    deep = zipped([("inner.zip", zipped([("scan.eml", INNER)]))])
    assert [each.data for each in read(attached(deep, "outer.zip")).pictures] == [picture(40)]


def _locked() -> bytes:
    data = bytearray(zipped([("1.jpg", picture(40))]))
    # Bit 0 of the general purpose flags, in both headers (APPNOTE 4.4.4).
    data[data.index(b"PK\x03\x04") + 6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def test_the_attachments_of_a_message_of_outlook() -> None:
    """A file of python-oxmsg's tests."""
    message = (FIXTURES / "others" / "message.msg").read_bytes()
    (photograph,) = read(attached(message, "Fwd sheet.msg")).pictures
    assert (photograph.name, photograph.kind) == ("serveimage.jpg", PictureFormat.JPEG)


@pytest.mark.parametrize(("data", "name", "kind"), [
    (zipped([]), "photos.zip", OtherKind.EMPTY_ARCHIVE),
    (_locked(), "photos.zip", OtherKind.LOCKED_ARCHIVE),
    (zipped([("1.jpg", picture(40))])[:-60], "photos.zip", OtherKind.DAMAGED_ARCHIVE),
    (zipped([("[Content_Types].xml", b"<x/>"), ("word/media/image1.jpeg", picture(40))]), "orders.docx",
     OtherKind.DOCUMENT),
    (zipped([(f"{number}.jpg", b"x") for number in range(containers.MOST_FILES + 1)]), "many.zip",
     OtherKind.LARGE_ARCHIVE),
    (zipped([("zeros.jpg", bytes(containers.MOST_BYTES + 1))]), "bomb.zip", OtherKind.LARGE_ARCHIVE),
    (b"Rar!\x1a\x07\x01\0junk", "photos.rar", OtherKind.ARCHIVE),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "orders.msg", OtherKind.MAIL),
    (b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom", "sheet.mp4", OtherKind.FILM),
    (b"see the link", "Photos.url", OtherKind.LINK),
    (b"Dear coordinator", "orders.txt", OtherKind.DOCUMENT),
    (b"\0\1\2\3", "unknown.bin", OtherKind.UNKNOWN),
])
def test_what_holds_no_picture_is_named_with_what_it_is(data: bytes, name: str, kind: OtherKind) -> None:
    mailed = read(attached(data, name))
    assert mailed.pictures == ()
    assert [(file.name, file.fate, file.kind) for file in mailed.other_files] == [
        (name, FileFate.OTHER, kind)]


def test_the_budget_is_one_for_all_archives_of_a_mail() -> None:
    half = zipped([(f"{number}.jpg", picture(40)) for number in range(containers.MOST_FILES // 2 + 1)])
    kinds = [file.kind for file in read(attached(half, "1.zip"), attached(half, "2.zip")).other_files]
    assert OtherKind.LARGE_ARCHIVE in kinds


def test_links_to_stores_of_pictures_are_named_and_never_opened() -> None:
    raw = mail(body=text("Here: https://photos.app.goo.gl/abc and https://www.dropbox.com/s/x?dl=0 and "
                         "https://galloper.example/public"))
    assert [(file.name, file.kind) for file in read_mail(raw, own_probe()).other_files] == [
        ("photos.app.goo.gl", OtherKind.LINK), ("dropbox.com", OtherKind.LINK)]
    # Next to a picture it is rather a signature's.
    beside = mail(parts=[text("https://www.flickr.com/photos/rich"), part(picture(40))])
    assert read_mail(beside, own_probe()).other_files == ()


@pytest.mark.parametrize(("declared", "name"), [
    ("text/vcard", "rich.vcf"), ("text/plain", "ATT00001.txt"), ("text/html", "ATT000001.htm"),
    ("application/pgp-signature", "signature.asc"), ("image/svg+xml", "logo.svg"), ("text/calendar", "x.ics"),
])
def test_what_a_mail_program_adds_needs_no_word(declared: str, name: str) -> None:
    data = b"<svg/>" if name.endswith("svg") else b"BEGIN"
    (outcome,) = read(part(data, declared, name)).outcomes
    assert (outcome.fate, outcome.is_obvious) == (FileFate.ADDED, True)


@pytest.mark.parametrize("word", ["base64;", " base64 ; x", '"base64"', "base64 (sic)"])
def test_an_encoding_with_something_behind_it(word: str) -> None:
    # ARR-07: mail programs show the picture.
    name = b"Content-Transfer-Encoding: "
    raw = part(picture(40)).replace(name + b"base64", name + word.encode())
    assert [each.data for each in read(raw).pictures] == [picture(40)]


def test_a_multipart_in_one_with_the_same_boundary() -> None:
    # ARR-07, against RFC 2046, 5.1.2.
    head, end = b"Content-Type: multipart/mixed; boundary=same\r\n\r\n--same\r\n", b"\r\n--same--\r\n"
    inner = head + part(picture(40)) + end
    raw = mail(body=head + inner + b"\r\n--same\r\n" + part(picture(80)) + end)
    assert [each.data for each in read_mail(raw, own_probe()).pictures] == [picture(40), picture(80)]
