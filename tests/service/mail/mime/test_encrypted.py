"""Mails that are encrypted are told so, whatever type their parts declare (RFC 8551, 3.3 and 3.4)."""

from __future__ import annotations

import pytest

from service.mail.headers import split_mail
from service.mail.mime.parts import read_parts

# DER: SEQUENCE of indefinite length, then the object identifiers of enveloped and of authenticated data.
ENVELOPED = b"0\x80" + bytes.fromhex("06092a864886f70d010703") + b"\xa0\x80" + bytes(60)
AUTHENTICATED = b"0\x80" + bytes.fromhex("060b2a864886f70d0109100117") + b"\xa0\x80" + bytes(60)


def is_encrypted(data: bytes, kind: str = "application/octet-stream") -> bool:
    head = b"MIME-Version: 1.0\r\nContent-Type: " + kind.encode() + b"\r\nContent-Transfer-Encoding: binary"
    headers, body = split_mail(head + b"\r\n\r\n" + data)
    return read_parts(headers, body).encrypted


@pytest.mark.parametrize("data", [ENVELOPED, AUTHENTICATED, b"-----BEGIN PGP MESSAGE-----\r\n\r\nhQEMA"])
def test_an_encrypted_part_is_known_by_its_bytes(data: bytes) -> None:
    assert is_encrypted(data)


@pytest.mark.parametrize("data", [
    b"1" + ENVELOPED[1:], b"1" + AUTHENTICATED[1:], b"0\x80" + bytes(60) + ENVELOPED[2:],
    b"Here is -----BEGIN PGP MESSAGE-----",
])
def test_what_only_holds_such_bytes_is_not(data: bytes) -> None:
    assert not is_encrypted(data)
