"""The message inside an S/MIME "opaque" signature (application/pkcs7-mime; smime-type=signed-data).

The signature is not checked: `service.mail.authentication` decides who sent a mail. RFC 5652 (CMS), 3 and 5.
"""

from __future__ import annotations

_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
_DATA = bytes.fromhex("2a864886f70d010701")
_DEEPEST = 12
"""Elements within elements that are read."""


class _NotThisError(ValueError):
    """The bytes are no signed message."""


def signed_content(data: bytes) -> bytes | None:
    """The MIME entity inside an opaque signature; None if `data` is anything else. Never raises."""
    try:
        return _content(data)
    except (_NotThisError, IndexError):
        return None


def _content(data: bytes) -> bytes:
    # ContentInfo { signedData, [0] SignedData { version, algorithms, { data, [0] OCTET STRING } } }.
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
    actual_tag, value, _ = _element(data, 0, 0)
    if actual_tag != tag:
        raise _NotThisError
    return value


def _octets(tag: int, value: bytes, depth: int) -> bytes:
    """An octet string, whole or in parts."""
    # X.690, 8.7.3: BER allows an octet string in parts.
    if tag == 0x04:
        return value
    if tag == 0x24 and depth < _DEEPEST:
        return b"".join(_octets(inner_tag, piece, depth + 1) for inner_tag, piece in _elements(value))
    raise _NotThisError


def _elements(data: bytes) -> list[tuple[int, bytes]]:
    elements: list[tuple[int, bytes]] = []
    position = 0
    while position < len(data) and len(elements) < 100_000:
        tag, value, position = _element(data, position, 0)
        elements.append((tag, value))
    return elements


def _element(data: bytes, position: int, depth: int) -> tuple[int, bytes, int]:
    """Tag, value and the position after one element (X.690, 8.1)."""
    tag, length_byte = data[position], data[position + 1]
    position += 2
    # BER, not only DER: 0x80 is a length that is not known yet; the value ends at two zero bytes.
    if length_byte == 0x80:
        return _unsized(data, tag, position, depth)
    length = length_byte
    if length_byte > 0x80:
        size = length_byte & 0x7F
        if size > 4:
            raise _NotThisError
        length = int.from_bytes(data[position : position + size], "big")
        position += size
    if position + length > len(data):
        raise _NotThisError
    return tag, data[position : position + length], position + length


def _unsized(data: bytes, tag: int, start: int, depth: int) -> tuple[int, bytes, int]:
    if depth > _DEEPEST:
        raise _NotThisError
    position = start
    while data[position : position + 2] != b"\0\0":
        _, _, position = _element(data, position, depth + 1)
    return tag, data[start:position], position + 2
