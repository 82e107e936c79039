"""The body of a mail as a signature counts it, in memory and time that grow only with its size.

dkimpy's own would do for honest mail, but its search for white space at line ends takes time with the square
of a line's length, and strangers write these mails. RFC 6376, 3.4.3 and 3.4.4.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from service.mail.authentication.signature_tags import Canonicalization

_BLOCK = 1 << 20
"""Bytes that are worked on at a time; a longer line is taken whole."""


def body_digest(body: bytes, how: Canonicalization) -> bytes:
    """The SHA-256 of a body in its canonical form. Lines may end with CRLF or, from a maildir, with LF."""
    digest = hashlib.sha256()
    for part in canonical_body(body, how):
        digest.update(part)
    return digest.digest()


def canonical_body(body: bytes, how: Canonicalization) -> Iterator[bytes]:
    """The canonical form, part by part."""
    line_ends = 0
    has_text = False
    for block in _blocks(body):
        text = _relaxed(block) if how is Canonicalization.RELAXED else block
        end = _end_of_text(text)
        # Empty lines count only if text follows them.
        if end:
            yield b"\r\n" * line_ends
            yield text[:end]
            line_ends, has_text = 0, True
        line_ends += (len(text) - end) // 2
    # The last line ends with CRLF even if the mail left it out. A body without text is one empty line in the
    # simple form, and nothing in the relaxed one.
    if has_text or how is Canonicalization.SIMPLE:
        yield b"\r\n"


def _blocks(body: bytes) -> Iterator[bytes]:
    """Whole lines with CRLF, about `_BLOCK` bytes at a time."""
    position = 0
    while position < len(body):
        end = body.find(b"\n", position + _BLOCK - 1) + 1 or len(body)
        block = body[position:end].replace(b"\r\n", b"\n")
        if not block.endswith(b"\n"):
            block += b"\n"
        yield block.replace(b"\n", b"\r\n")
        position = end


def _relaxed(text: bytes) -> bytes:
    text = text.replace(b"\t", b" ")
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    return text.replace(b" \r\n", b"\r\n")


def _end_of_text(text: bytes) -> int:
    """Where the empty lines at the end begin, with the CRLF of the last line that has text."""
    end = len(text.rstrip(b"\r\n"))
    # A CR on its own is text, though nothing honest has one.
    bare = text.rfind(b"\r\r", end)
    return end if bare < 0 else bare + 1
