"""A sheet that a mail program wrote into the text itself is not lost: data URIs in HTML, uuencode in plain
text (BOX-01, SUB-01)."""

from __future__ import annotations

import base64
import binascii
import time
from urllib.parse import quote

import pytest

from service.mail.body.read import pictures_in_html
from service.mail.message import read_mail
from tests.support.mail_builder import picture
from tests.support.opening import own_probe

PHOTO = picture(7)
SMILEY = base64.b64encode(b"GIF89a" + bytes(30)).decode()
TEXT = base64.b64encode(PHOTO).decode()
LINES = "\r\n".join(TEXT[place : place + 76] for place in range(0, len(TEXT), 76))


def _uuencoded() -> str:
    lines = [binascii.b2a_uu(PHOTO[place : place + 45]).decode() for place in range(0, len(PHOTO), 45)]
    return f"begin 644 sheet.jpg\n{''.join(lines)}`\nend\n".replace("\n", "\r\n")


def _mail(kind: str, text: str, encoding: str = "8bit") -> bytes:
    body = base64.encodebytes(text.encode()).decode() if encoding == "base64" else text
    return (f"From: a@b.example\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: {kind}; charset=utf-8\r\n"
            f"Content-Transfer-Encoding: {encoding}\r\n\r\n{body}").encode()


@pytest.mark.parametrize(
    "raw",
    [
        _mail("text/html", f'<p>Orders</p><img src="data:image/jpeg;base64,{TEXT}">', "base64"),
        _mail("text/html", f"<img alt='' src='data:image/jpeg;base64,{LINES}'>"),
        _mail("text/html", f'<img src="data:image/jpeg;base64,{quote(TEXT, safe="")}">', "base64"),
        _mail("text/plain", f"My orders:\r\n\r\n{_uuencoded()}\r\nYours, Hal\r\n"),
    ],
    ids=["data", "folded", "escaped", "uuencoded"],
)
def test_a_photograph_in_the_text_is_one_of_the_mails(raw: bytes) -> None:
    mail = read_mail(raw, own_probe())
    assert [taken.data for taken in mail.pictures] == [PHOTO]
    assert mail.photos == 1


@pytest.mark.parametrize(
    "raw",
    [
        _mail("text/html", f'<img src="data:image/gif;base64,{SMILEY}">'),
        _mail("text/html", '<img src="data:image/jpeg;base64,not a picture at all">'),
        _mail("text/plain", "We begin 644 years ago.\r\nbegin 644 war\r\nof words\r\nend\r\n"),
        _mail("text/plain", f"data:image/jpeg;base64,{TEXT[:40]}"),
    ],
    ids=["smiley", "nothing", "words", "plain text"],
)
def test_what_only_looks_so_is_no_photograph(raw: bytes) -> None:
    assert read_mail(raw, own_probe()).pictures == ()


def test_many_beginnings_cost_next_to_nothing() -> None:
    started = time.process_time()
    assert list(pictures_in_html(b"data:image/jpeg;base64," * 200_000)) == []
    read_mail(_mail("text/plain", "begin 644 a\r\n" * 100_000), own_probe())
    assert time.process_time() - started < 3
