"""The header block of a mail as a signature counts it: every byte, in order.

Stricter than `service.mail.headers`: a line that is not a header, a CR on its own or a header that must stand
once and is there twice is refused, so that what is proved is what is read. RFC 5322, 2.2 and 3.6; RFC 6376,
8.15.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from service.mail.authentication.signature_tags import SignatureFault

LARGEST_BLOCK = 512 * 1024
MOST_LINES = 10_000
"""Bytes and lines of a header block that are looked at."""
_ONCE = (b"subject", b"date", b"content-type", b"content-transfer-encoding")
_FIELD = re.compile(rb"([!-9;-~]+):")
_END = re.compile(rb"\r?\n\r?\n")


@dataclass(frozen=True, slots=True)
class SignedMail:
    """`headers`: names and values as they are, folded, each value with its last CRLF. `body`: with the
    line ends that it was stored with."""

    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    @property
    def signatures(self) -> tuple[bytes, ...]:
        """The values of its DKIM-Signature headers, topmost first."""
        return tuple(value for name, value in self.headers if name.lower() == b"dkim-signature")

    def signature_name(self, index: int) -> bytes:
        """The name of one of these headers as it is spelled, which the simple form counts."""
        return [name for name, _ in self.headers if name.lower() == b"dkim-signature"][index]


def read_signed_mail(raw: bytes) -> SignedMail:
    """Cut a mail in headers and body. Lines end with CRLF or, from a maildir, with LF. Raises
    SignatureFault."""
    # RFC 4155: a line that mbox files put before a mail.
    start = raw.find(b"\n") + 1 if raw.startswith(b"From ") else 0
    end = _END.search(raw, start, start + LARGEST_BLOCK)
    if end is None and len(raw) - start > LARGEST_BLOCK:
        raise SignatureFault("its headers do not end")
    block = raw[start : end.start() if end else len(raw)].removesuffix(b"\n").removesuffix(b"\r")
    lines = block.replace(b"\r\n", b"\n").split(b"\n")
    if b"\r" in block.replace(b"\r\n", b"") or len(lines) > MOST_LINES:
        raise SignatureFault("its headers do not have the format of a mail")
    headers: list[tuple[bytes, bytearray]] = []
    for line in lines:
        match = _FIELD.match(line)
        if line[:1] in {b" ", b"\t"} and headers:
            headers[-1][1].extend(line + b"\r\n")
        elif match:
            headers.append((match[1], bytearray(line[match.end() :] + b"\r\n")))
        else:
            raise SignatureFault("it has a line among its headers that is not a header")
    counts = Counter(name.lower() for name, _ in headers)
    if counts[b"from"] != 1:
        raise SignatureFault("it does not have exactly one From")
    twice = [name for name in _ONCE if counts[name] > 1]
    if twice:
        raise SignatureFault(f"it has two {twice[0].decode()} headers")
    fields = tuple((name, bytes(value)) for name, value in headers)
    return SignedMail(fields, raw[end.end() :] if end else b"")
