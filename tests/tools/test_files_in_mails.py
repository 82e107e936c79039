"""The checker of records finds a photograph in a mail where the program found it: what an honest keeper filed
from an archive is not a fault (C5, ARR-05)."""

from __future__ import annotations

import email
import io
import zipfile

import pytest

from tests.support.mail_builder import mail, multipart, part, picture, text
from tools import verify_record

SHEET = picture(40)
INNER = b"From: a@quill.example\r\nSubject: scan\r\n" + multipart([text(), part(SHEET)], boundary="deep")


def _zipped(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a", data)
    return out.getvalue()


@pytest.mark.parametrize("data", [
    SHEET, _zipped(SHEET), _zipped(_zipped(SHEET)), INNER, _zipped(INNER),
    b"From a@quill.example Mon Mar  3 10:00:00 2025\n" + INNER,
])
def test_a_photograph_is_found_where_it_lies(data: bytes) -> None:
    raw = mail(parts=[text(), part(data, "application/octet-stream", "x")])
    parts = [each for each in email.message_from_bytes(raw).walk() if not each.is_multipart()]
    files = {inner for each in parts for inner in verify_record.inner_files(verify_record.payload_of(each))}
    assert SHEET in files
    assert picture(80) not in files
    assert not any(map(verify_record.is_beyond, email.message_from_bytes(raw).walk()))


def test_what_the_checker_does_not_open_is_named() -> None:
    raw = mail(parts=[text(), part(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), name="x.msg")])
    assert any(map(verify_record.is_beyond, email.message_from_bytes(raw).walk()))
