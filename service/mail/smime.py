"""The message inside an S/MIME "opaque" signature (application/pkcs7-mime; smime-type=signed-data).

The signature itself is not checked: who sent a mail is settled by `service.mail.authentication`. RFC 5652
(CMS), sections 3 and 5.
"""

from __future__ import annotations

_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
_DATA = bytes.fromhex("2a864886f70d010701")
_DEEPEST = 12


class _NotThisError(ValueError):
    """The bytes are no signed message."""


def signed_content(data: bytes) -> bytes | None:
    """The MIME entity under an opaque signature; None where `data` is anything else. Never raises."""
    try:
        return _content(data)
    except (_NotThisError, IndexError):
        return None


def _content(data: bytes) -> bytes:
    outer = _elements(_only(data, 0x30))
    if len(outer) < 2 or outer[0] != (0x06, _SIGNED_DATA):
        raise _NotThisError
    signed = _elements(_only(outer[1][1], 0x30))
    encapsulated = _elements(signed[2][1])
    if signed[2][0] != 0x30 or encapsulated[0] != (0x06, _DATA) or len(encapsulated) < 2:
        raise _NotThisError
    tag, octets = _elements(encapsulated[1][1])[0]
    return _octets(tag, octets, 0)


def _only(data: bytes, tag: int) -> bytes:
    found, value, _ = _element(data, 0, 0)
    if found != tag:
        raise _NotThisError
    return value


def _octets(tag: int, value: bytes, depth: int) -> bytes:
    """An octet string, whole or in pieces."""
    if tag == 0x04:
        return value
    if tag == 0x24 and depth < _DEEPEST:
        return b"".join(_octets(inner, piece, depth + 1) for inner, piece in _elements(value))
    raise _NotThisError


def _elements(data: bytes) -> list[tuple[int, bytes]]:
    found: list[tuple[int, bytes]] = []
    at = 0
    while at < len(data) and len(found) < 100_000:
        tag, value, at = _element(data, at, 0)
        found.append((tag, value))
    return found


def _element(data: bytes, at: int, depth: int) -> tuple[int, bytes, int]:
    """Tag, value and the place after one element. Lengths of unknown size (BER) end at two zero bytes."""
    tag, first = data[at], data[at + 1]
    at += 2
    if first == 0x80:
        return _unsized(data, tag, at, depth)
    length = first
    if first > 0x80:
        size = first & 0x7F
        if size > 4:
            raise _NotThisError
        length = int.from_bytes(data[at : at + size], "big")
        at += size
    if at + length > len(data):
        raise _NotThisError
    return tag, data[at : at + length], at + length


def _unsized(data: bytes, tag: int, start: int, depth: int) -> tuple[int, bytes, int]:
    if depth > _DEEPEST:
        raise _NotThisError
    at = start
    while data[at : at + 2] != b"\0\0":
        _, _, at = _element(data, at, depth + 1)
    return tag, data[start:at], at + 2
