"""The files of a board's source as values: their text, or a sentence where a file holds no text."""

from __future__ import annotations

import codecs
import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass

from maps.importers.draft import ImportReport

MAX_BYTES = 8_000_000
"""No board is as large as this; the largest of the public ones has 80 kB."""
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file: its bytes, at most MAX_BYTES of them, its whole size, and why it could not be read or ""."""

    data: bytes
    size: int
    problem: str = ""


SourceFiles = Mapping[str, SourceFile]
"""The files of one folder by name. Importers ask for files by name and never open one themselves."""


def file_bytes(files: SourceFiles, name: str, report: ImportReport) -> bytes | None:
    """The bytes of a file; None with a fault when it cannot be read, is empty or too large."""
    # A file that no one handed in reads like one that is not there.
    file = files.get(name) or SourceFile(b"", 0, os.strerror(errno.ENOENT))
    if file.problem:
        report.fault(name, 0, f"the file cannot be read ({file.problem})")
        return None
    if file.size > MAX_BYTES:
        report.fault(name, 0, f"the file has {file.size:,} bytes, and no board has more than {MAX_BYTES:,}")
        return None
    if not file.data.strip():
        report.fault(name, 0, "the file is empty")
        return None
    return file.data


def file_lines(files: SourceFiles, name: str, report: ImportReport) -> list[str] | None:
    """The lines of a text file in UTF-8, or in UTF-16 with its byte order mark.

    None with a fault that names the line that is neither.
    """
    data = file_bytes(files, name, report)
    if data is None:
        return None
    # Excel saves "Unicode text" as UTF-16, and "CSV UTF-8" with a mark in front.
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = f"{data[error.start]:#04x}"
        report.fault(name, line, f"the byte {byte} is not UTF-8; save the file as UTF-8 text")
        return None
    # UTF-16 without its mark decodes as UTF-8 full of zero bytes.
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        report.fault(name, line, "there is a zero byte in it, so this is not a text file")
        return None
    return text.splitlines()
