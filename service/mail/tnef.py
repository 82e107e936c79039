"""The attachments inside a TNEF container (winmail.dat), which Outlook sends in place of MIME.

Only what the intake needs is read: the file data of each attachment and its name, and messages embedded in
attachments. Microsoft MS-OXTNEF: a signature, a key, then attributes of level, id, length, data, checksum.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

SIGNATURE = b"\x78\x9f\x3e\x22"

_ATTACH_TITLE = 0x00018010
_ATTACH_DATA = 0x0006800F
_ATTACH_REND = 0x00069002
_ATTACH_PROPS = 0x00069005
_LONG_NAME = 0x3707
_DATA_OBJECT = 0x3701
_FIXED = {0x02: 4, 0x03: 4, 0x04: 4, 0x05: 8, 0x06: 8, 0x07: 8, 0x0A: 4, 0x0B: 4, 0x14: 8, 0x40: 8, 0x48: 16}
_VARIABLE = {0x0D, 0x1E, 0x1F, 0x102}
_MOST = 200
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class TnefFile:
    """One attachment: its file name as sent (may be empty) and its bytes."""

    name: str
    data: bytes


@dataclass(slots=True)
class _Open:
    """The attachment being read."""

    name: str = ""
    body: bytes | None = None
    nested: tuple[TnefFile, ...] = ()

    def closed(self) -> list[TnefFile]:
        own = [] if self.body is None else [TnefFile(self.name, self.body)]
        return own + list(self.nested)


def read_tnef(data: bytes, depth: int = 0) -> tuple[TnefFile, ...]:
    """The attachments in order. A container that breaks off yields what stood before the break; never
    raises."""
    if not data.startswith(SIGNATURE) or depth > _DEEPEST:
        return ()
    files: list[TnefFile] = []
    now = _Open()
    at = 6
    while at + 9 <= len(data) and len(files) < _MOST:
        attribute, length = struct.unpack_from("<II", data, at + 1)
        chunk = data[at + 9 : at + 9 + length]
        at += 9 + length + 2
        if attribute == _ATTACH_REND:
            files += now.closed()
            now = _Open()
        elif attribute == _ATTACH_TITLE:
            now.name = now.name or _text(chunk)
        elif attribute == _ATTACH_DATA:
            now.body = chunk
        elif attribute == _ATTACH_PROPS:
            long_name, now.nested = _properties(chunk, depth)
            now.name = long_name or now.name
    files += now.closed()
    return tuple(files[:_MOST])


def _text(chunk: bytes) -> str:
    return chunk.split(b"\0", 1)[0].decode("cp1252", "replace")


def _properties(data: bytes, depth: int) -> tuple[str, tuple[TnefFile, ...]]:
    """The long file name among an attachment's MAPI properties, and the files of a message embedded in it."""
    name = ""
    nested: tuple[TnefFile, ...] = ()
    try:
        (count,) = struct.unpack_from("<I", data, 0)
        at = 4
        for _ in range(min(count, 1000)):
            kind, tag = struct.unpack_from("<HH", data, at)
            at += 4
            if tag >= 0x8000:
                at = _past_name(data, at)
            values, at = _values(data, at, kind)
            if tag == _LONG_NAME and values:
                name = (
                    values[0]
                    .decode("utf-16-le" if kind & 0xFFF == 0x1F else "cp1252", "replace")
                    .rstrip("\0")
                )
            elif tag == _DATA_OBJECT and values:
                # an embedded message: sixteen bytes of interface id, then a container of its own
                nested = read_tnef(values[0][16:], depth + 1)
    except struct.error:
        pass
    return name, nested


def _past_name(data: bytes, at: int) -> int:
    """The place after the name of a named property: a GUID, then a number or a counted string."""
    kind, size = struct.unpack_from("<II", data, at + 16)
    length = 0 if kind == 0 else int(size)
    return at + 24 + length + (-length % 4)


def _values(data: bytes, at: int, kind: int) -> tuple[list[bytes], int]:
    base = kind & 0x0FFF
    count = 1
    if kind & 0x1000 or base in _VARIABLE:
        (count,) = struct.unpack_from("<I", data, at)
        at += 4
    values: list[bytes] = []
    for _ in range(min(count, 1000)):
        if base in _VARIABLE:
            (length,) = struct.unpack_from("<I", data, at)
            at += 4
        elif base in _FIXED:
            length = _FIXED[base]
        else:
            raise struct.error(f"property type {base:#x}")
        values.append(data[at : at + length])
        at += length + (-length % 4)
    return values, at
