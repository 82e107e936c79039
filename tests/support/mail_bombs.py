"""Mails that are cheap to write and dear to read, each from a registered address; anyone who sends them."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable

from tests.support.mail_builder import MONTROSE, SUBJECT

HEAD = (
    f"Return-Path: <{MONTROSE}>\r\nFrom: {MONTROSE}\r\nSubject: {SUBJECT}\r\nMIME-Version: 1.0\r\n".encode()
)
BASE64 = b"Content-Transfer-Encoding: base64\r\n\r\n"


def nested(depth: int, lines: int) -> bytes:
    """Multiparts within multiparts. A standard parser compares each line with every boundary."""
    shells = [
        b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n' % (k, k) for k in range(depth)
    ]
    return b"".join(shells) + b"Content-Type: text/plain\r\n\r\n" + b"x\r\n" * lines


def prefixes(depth: int, lines: int) -> bytes:
    """Boundaries that each begin another one."""
    names = [b"a" * (k + 1) for k in range(depth)]
    form = b'Content-Type: multipart/mixed; boundary="%s"\r\n\r\n--%s\r\n'
    shells = [form % (name, name) for name in names]
    return b"".join(shells) + (b"--" + b"a" * (depth + 1) + b"z\r\n") * lines


def tiny_parts(count: int) -> bytes:
    return b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\n" * count + b"--b--\r\n"


def forwarded(depth: int, lines: int) -> bytes:
    return b"Content-Type: message/rfc822\r\n\r\n" * depth + b"x\r\n" * lines


def continued_name(pieces: int) -> bytes:
    """A file name in pieces (RFC 2231)."""
    name = b"".join(b" name*%d*=a;\r\n" % k for k in range(pieces))
    return (b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: image/jpeg;\r\n" + name
            + b" x=y\r\n\r\nabc\r\n--b--\r\n")


def long_boundary(size: int) -> bytes:
    outer = b"Content-Type: multipart/mixed; boundary=q\r\n\r\n--q\r\n"
    inner = b'Content-Type: multipart/mixed; boundary="' + b"b" * size + b'"\r\n\r\n'
    return outer + inner + b"--bbbb\r\n" * 200_000


def tnef(count: int) -> bytes:
    """A winmail.dat with many attachments (MS-OXTNEF, 2.1.3)."""
    rendering = b"\x02" + struct.pack("<II", 0x00069002, 0) + b"\0\0"
    content = b"\x02" + struct.pack("<II", 0x0006800F, 4) + b"abcd" + b"\0\0"
    container = b"\x78\x9f\x3e\x22\0\0" + (rendering + content) * count
    return b"Content-Type: application/ms-tnef\r\n" + BASE64 + base64.encodebytes(container)


def element(tag: int, content: bytes) -> bytes:
    """One element of DER with a length of four bytes (X.690, 8.1.3.5)."""
    return bytes((tag, 0x84)) + len(content).to_bytes(4, "big") + content


def signed(entity: bytes) -> bytes:
    """An opaque S/MIME signature around a mail (RFC 5652, 5.1)."""
    inner = element(0x30, element(0x06, bytes.fromhex("2a864886f70d010701"))
                    + element(0xA0, element(0x04, entity)))
    version, algorithms = element(0x02, b"\1"), element(0x31, b"")
    outer = element(0x06, bytes.fromhex("2a864886f70d010702"))
    outer += element(0xA0, element(0x30, version + algorithms + inner))
    return b"Content-Type: application/pkcs7-mime\r\n" + BASE64 + base64.encodebytes(element(0x30, outer))


def soft_breaks(size: int) -> bytes:
    return (b"Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
            + b"=\r\n" * (size // 3))


def junk_in_base64(size: int) -> bytes:
    return b"Content-Type: image/jpeg\r\n" + BASE64 + b"!@#$ /9\r\n" * (size // 9)


def uuencoded(size: int) -> bytes:
    line = b"M" + b"0" * 60 + b"\n"
    return (b"Content-Type: image/jpeg\r\nContent-Transfer-Encoding: x-uuencode\r\n\r\nbegin 644 a.jpg\n"
            + line * (size // len(line)) + b"end\n")


def open_tags(count: int) -> bytes:
    """Letters below 299 open tags, each of which is looked at for each letter: 6 seconds for 110,000.

    Comments that are not closed were as dear once; since CVE-2025-6069 was mended (Debian 12, Python 3.13.5)
    the standard parser of HTML passes them at once.
    """
    return b"Content-Type: text/html\r\n\r\n" + b"<u>" * 299 + b"x<i></i>" * count


def bold_marks(count: int) -> bytes:
    return b"Content-Type: text/plain\r\n\r\n**" + b"[b]" * count


BODIES: dict[str, Callable[[], bytes]] = {
    "0.4 MB in 450 multiparts": lambda: nested(450, 130_000),
    "6 MB in 29 multiparts": lambda: nested(29, 2_000_000),
    "boundaries that begin others": lambda: prefixes(900, 6000),
    "a million parts": lambda: tiny_parts(1_000_000),
    "450 forwarded mails in each other": lambda: forwarded(450, 130_000),
    "a file name in 30,000 pieces": lambda: continued_name(30_000),
    "a boundary of 2 MB": lambda: long_boundary(2_000_000),
    "300,000 files in a winmail.dat": lambda: tnef(300_000),
    "multiparts in a signature": lambda: signed(nested(450, 130_000)),
    "12 MB of soft line breaks": lambda: soft_breaks(12_000_000),
    "6 MB of junk in base64": lambda: junk_in_base64(6_000_000),
    "12 MB of uuencode": lambda: uuencoded(12_000_000),
    "300,000 marks of bold text": lambda: bold_marks(300_000),
}
HEADS: dict[str, Callable[[], bytes]] = {
    "a million headers": lambda: b"".join(b"X-H%d: v\r\n" % k for k in range(1_000_000)),
    "four million folds": lambda: b"X-Long: a\r\n" + b" b\r\n" * 4_000_000,
    "a hundred thousand open brackets": lambda: b"Reply-To: " + b'"a" <' * 20_000 + b"\r\n",
    "a stamp of comments": lambda: b"Authentication-Results: mx; " + b"dmarc=fail (" * 40_000 + b"\r\n",
    "words in a subject": lambda: b"Subject: " + b"=?utf-8?b?YQ==?= " * 6000 + b"\r\n",
    "marks in a subject": lambda: b"Subject: " + b"=?" * 50_000 + b"\r\n",
    "escaped quotes in From": lambda: b"From: " + b'\\"' * 50_000 + b"\r\n",
    "dots in From": lambda: b"From: a@" + b"b." * 50_000 + b"@\r\n",
}


def bomb(name: str) -> bytes:
    """The whole mail of this name."""
    return HEAD + BODIES[name]() if name in BODIES else HEADS[name]() + HEAD + b"\r\nhello\r\n"
