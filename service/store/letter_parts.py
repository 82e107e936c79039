"""A letter stored in parts: its headers and words in its row, each file once as a blob, put together when it
is sent (LET-05).

Ten letters with the same pictures once cost their pictures ten times: 21 MB for 2.1 MB. A part is cut out by
its place in the bytes, and what is put together must have the digest that the row names; so every try sends
the same bytes, whatever version of a library made them.
"""

from __future__ import annotations

import re
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from typing import Any, Protocol

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.store.blobs import BlobError, key_of
from service.store.tables import OutboxRow

LEAST_BYTES = 2_000
"""Files below this stay in the words: a blob costs a block of the disk."""
_COLUMNS = 76
"""Letters in a line of base64 (RFC 2045, section 6.8)."""
_BODY = re.compile(
    rb"\r\n\r\n((?:[A-Za-z0-9+/]{76}\r\n)*[A-Za-z0-9+/]{1,76}={0,2}\r\n)(?=\r\n--|--)")
_IS_FILE = re.compile(rb"^content-disposition:", re.IGNORECASE | re.MULTILINE)


class BlobFiles(Protocol):
    """Where files lie by their SHA-256."""

    def read(self, key: str) -> bytes:
        """The bytes; raises BlobError when they are missing or damaged."""


class BlobStore(BlobFiles, Protocol):
    """The same, to put files into."""

    def put(self, data: bytes) -> str:
        """Store the bytes and return their key."""


@dataclass(frozen=True, slots=True)
class LetterParts:
    """A finished mail as it is stored. `message`: its SHA-256. `words`: the mail without its files, None if
    it is stored whole. `files`: for each file {"at", "blob"}: the offset in `words` at which its lines of
    base64 stand, and its key."""

    message: str
    words: str | None
    files: tuple[dict[str, Any], ...] = ()


def split(mail: bytes) -> tuple[bytes, list[tuple[int, bytes]]]:
    """The mail without its attached files, and each file with its former offset."""
    words, files, end, removed = [], [], 0, 0
    for match in _BODY.finditer(mail):
        begin = match.start(1)
        header_begin = max(mail.rfind(mark, 0, match.start()) for mark in (b"\r\n\r\n", b"\r\n--"))
        if not _IS_FILE.search(mail[max(header_begin, 0):begin]):
            continue
        data = a2b_base64(match.group(1))
        # Whatever was folded in another way stays where it is.
        if len(data) < LEAST_BYTES or _lines(data) != match.group(1):
            continue
        words.append(mail[end:begin])
        files.append((begin - removed, data))
        removed += match.end(1) - begin
        end = match.end(1)
    words.append(mail[end:])
    return b"".join(words), files


def join(words: bytes, files: Iterable[tuple[int, bytes]]) -> bytes:
    """The mail that `split` took apart."""
    parts, end = [], 0
    for offset, data in sorted(files):
        parts += [words[end:offset], _lines(data)]
        end = offset
    return b"".join([*parts, words[end:]])


def _lines(data: bytes) -> bytes:
    text = b64encode(data)
    lines = [text[start:start + _COLUMNS] for start in range(0, len(text), _COLUMNS)]
    return b"\r\n".join([*lines, b""])


def keep(blobs: BlobStore, mail: bytes) -> LetterParts:
    """Keep a finished mail by parts. When this returns its files are on the disk; its words are for a row."""
    words, files = split(mail)
    try:
        text = words.decode("ascii")
    except UnicodeDecodeError:
        # No letter of ours: they are made of seven bits (RFC 5322). It is stored whole.
        return LetterParts(blobs.put(mail), None)
    if "\0" in text or join(words, files) != mail:
        return LetterParts(blobs.put(mail), None)
    return LetterParts(
        key_of(mail), text, tuple({"at": offset, "blob": blobs.put(data)} for offset, data in files))


def finished(blobs: BlobFiles, letter: OutboxRow) -> bytes:
    """The mail of a letter, byte for byte as it was written. Raises BlobError when a file of it is missing or
    damaged."""
    if letter.words is None:
        return blobs.read(letter.message)
    files = [(int(file["at"]), blobs.read(file["blob"])) for file in letter.files if file["at"] is not None]
    mail = join(letter.words.encode("ascii", "replace"), files)
    if key_of(mail) != letter.message:
        raise BlobError(f"letter {letter.id} cannot be put together as it was written: its row was changed. "
                        "Restore it from the backup")
    return mail


def message_of(blobs: BlobFiles, letter: OutboxRow) -> EmailMessage:
    """The mail of a letter, parsed. Raises BlobError."""
    return BytesParser(policy=policy.default).parsebytes(finished(blobs, letter))


def blob_keys(letters: Iterable[tuple[str, str | None, Sequence[dict[str, Any]]]]) -> set[str]:
    """The blobs of letters, each given as its `message`, `words` and `files`."""
    return {key for message, words, files in letters
            for key in ([message] if words is None else []) + [str(file["blob"]) for file in files]}


@dataclass(frozen=True, slots=True)
class LetterBlobs:
    """The blobs of a site in which each letter can be read whole by its digest, too."""

    session: Session
    blobs: BlobFiles

    def read(self, key: str) -> bytes:
        """The bytes of a blob, or of a letter with this digest. Raises BlobError."""
        row = self.session.scalars(
            select(OutboxRow).where(OutboxRow.message == key, OutboxRow.words.is_not(None))).first()
        return self.blobs.read(key) if row is None else finished(self.blobs, row)
