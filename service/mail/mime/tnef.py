"""The attachments inside a TNEF container (winmail.dat), which Outlook sends instead of MIME.

Only each attachment's name and bytes are read, and messages embedded in attachments. Source: MS-OXTNEF.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

SIGNATURE = b"\x78\x9f\x3e\x22"

# Attributes of an attachment: type (two bytes) and name (two bytes) in one number.
_ATTACH_TITLE = 0x00018010
_ATTACH_DATA = 0x0006800F
_ATTACH_REND = 0x00069002
_ATTACH_PROPS = 0x00069005
# MAPI properties PidTagAttachLongFilename and PidTagAttachDataObject.
_LONG_NAME = 0x3707
_DATA_OBJECT = 0x3701
# Bytes of a property by its type, where that is fixed; the other types have their length before the value.
_FIXED = {0x02: 4, 0x03: 4, 0x04: 4, 0x05: 8, 0x06: 8, 0x07: 8, 0x0A: 4, 0x0B: 4, 0x14: 8, 0x40: 8, 0x48: 16}
_VARIABLE = {0x0D, 0x1E, 0x1F, 0x102}
_MOST = 200
_DEEPEST = 4
"""Files of one container, and containers within containers, that are read."""


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
        files = [] if self.body is None else [TnefFile(self.name, self.body)]
        return files + list(self.nested)


def read_tnef(data: bytes, depth: int = 0) -> tuple[TnefFile, ...]:
    """The attachments in order; of a damaged container those before the damage. Never raises."""
    if not data.startswith(SIGNATURE) or depth > _DEEPEST:
        return ()
    files: list[TnefFile] = []
    attachment = _Open()
    # After the signature (4 bytes) and a key (2): attributes of level (1), id (4), length (4), data and
    # checksum (2). The checksum is not verified: damage shows when the photograph is opened.
    position = 6
    while position + 9 <= len(data) and len(files) < _MOST:
        attribute, length = struct.unpack_from("<II", data, position + 1)
        chunk = data[position + 9 : position + 9 + length]
        position += 9 + length + 2
        # The rendering data is the first attribute of each attachment.
        if attribute == _ATTACH_REND:
            files += attachment.closed()
            attachment = _Open()
        elif attribute == _ATTACH_TITLE:
            attachment.name = attachment.name or _text(chunk)
        elif attribute == _ATTACH_DATA:
            attachment.body = chunk
        elif attribute == _ATTACH_PROPS:
            long_name, attachment.nested = _properties(chunk, depth)
            attachment.name = long_name or attachment.name
    files += attachment.closed()
    return tuple(files[:_MOST])


def _text(chunk: bytes) -> str:
    return chunk.split(b"\0", 1)[0].decode("cp1252", "replace")


def _properties(data: bytes, depth: int) -> tuple[str, tuple[TnefFile, ...]]:
    """The long file name among an attachment's MAPI properties, and the files of a message embedded in it."""
    name = ""
    nested: tuple[TnefFile, ...] = ()
    try:
        (count,) = struct.unpack_from("<I", data, 0)
        position = 4
        for _ in range(min(count, 1000)):
            kind, tag = struct.unpack_from("<HH", data, position)
            position += 4
            if tag >= 0x8000:
                position = _past_name(data, position)
            values, position = _values(data, position, kind)
            if tag == _LONG_NAME and values:
                name = (
                    values[0]
                    .decode("utf-16-le" if kind & 0xFFF == 0x1F else "cp1252", "replace")
                    .rstrip("\0")
                )
            elif tag == _DATA_OBJECT and values:
                # An embedded message: 16 bytes of interface id, then a separate container.
                nested = read_tnef(values[0][16:], depth + 1)
    # A damaged property ends the list; the name and files before it are good.
    except struct.error:
        pass
    return name, nested


def _past_name(data: bytes, position: int) -> int:
    """The position after the name of a named property: a GUID, then a number or a counted string."""
    kind, size = struct.unpack_from("<II", data, position + 16)
    length = 0 if kind == 0 else int(size)
    return position + 24 + length + (-length % 4)


def _values(data: bytes, position: int, kind: int) -> tuple[list[bytes], int]:
    base_type = kind & 0x0FFF
    count = 1
    if kind & 0x1000 or base_type in _VARIABLE:
        (count,) = struct.unpack_from("<I", data, position)
        position += 4
    values: list[bytes] = []
    for _ in range(min(count, 1000)):
        if base_type in _VARIABLE:
            (length,) = struct.unpack_from("<I", data, position)
            position += 4
        elif base_type in _FIXED:
            length = _FIXED[base_type]
        else:
            raise struct.error(f"property type {base_type:#x}")
        # Each value is filled up to a multiple of four bytes.
        values.append(data[position : position + length])
        position += length + (-length % 4)
    return values, position
