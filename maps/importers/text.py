"""The text of a board's source: what a spreadsheet or an editor may have made of it, and a sentence where it
is no text."""

from __future__ import annotations

import codecs
from pathlib import Path

from maps.importers.draft import ImportReport

MOST_BYTES = 8_000_000
"""No board is as large as this; the largest of the public ones has 80 kB."""
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def raw(path: Path, troubles: ImportReport) -> bytes | None:
    """The bytes of a file; None with a fault when it cannot be read, is empty or too large."""
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= MOST_BYTES else b""
    except OSError as error:
        troubles.fault(path.name, 0, f"the file cannot be read ({error.strerror})")
        return None
    if size > MOST_BYTES:
        troubles.fault(path.name, 0, (f"the file has {size:,} bytes, and no board has more than "
                                      f"{MOST_BYTES:,}"))
        return None
    if not data.strip():
        troubles.fault(path.name, 0, "the file is empty")
        return None
    return data


def lines(path: Path, troubles: ImportReport) -> list[str] | None:
    """The lines of a text file in UTF-8, or UTF-16 with its mark; None with a fault that names the line that
    is neither."""
    data = raw(path, troubles)
    if data is None:
        return None
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        troubles.fault(path.name, line, (f"the byte {data[error.start]:#04x} is no UTF-8; save the file as "
                                         f"UTF-8 text"))
        return None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        troubles.fault(path.name, line, "there is a zero byte in it, so this is no text file")
        return None
    return text.splitlines()
