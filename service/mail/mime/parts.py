"""The files inside a mail, within limits: attached and inline parts, forwarded messages, signed mail, TNEF
containers.

The message inside an S/MIME "opaque" signature (application/pkcs7-mime; smime-type=signed-data).

The signature is not checked: `service.mail.authentication` decides who sent a mail. RFC 5652 (CMS), 3 and 5.
"""

from __future__ import annotations

import email
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from email.message import Message
from email.policy import compat32
from typing import TYPE_CHECKING

from service.facts.files import OtherKind
from service.mail.headers import Headers, decode_bytes, decode_words
from service.mail.mime.containers import Budget, opened
from service.mail.mime.tnef import SIGNATURE, read_tnef

_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
_DATA = bytes.fromhex("2a864886f70d010701")
_DEEPEST = 12
"""Elements within elements that are read."""


class _NotThisError(ValueError):
    """The bytes are not a signed message."""


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


MOST_PARTS = 400
DEEPEST = 30
"""Parts of one mail that are looked at, and levels of parts within parts."""
_TOKEN = re.compile(r"[A-Za-z0-9-]+")
"""The word of a Content-Transfer-Encoding (RFC 2045, 6.1)."""
_MOST_TYPE_LINES = 4000
_MOST_DASHED = 20_000
_MOST_WORK = 30_000_000
"""Content-Type lines, lines that begin as a boundary does, and comparisons of a line with a boundary (about
0.2 microseconds each), above which a mail is not parsed."""
# The other headers are read by `headers`; the standard parser never sees them.
_STRUCTURE = ("content-type", "content-transfer-encoding", "content-disposition", "mime-version")
# Object identifiers of encrypted S/MIME: enveloped data (RFC 5652, 6.1), authenticated and enveloped data
# (RFC 5083).
_ENVELOPED = bytes.fromhex("06092a864886f70d010703")
_AUTH_ENVELOPED = bytes.fromhex("060b2a864886f70d0109100117")

if TYPE_CHECKING:
    # Generic for the type checker only; the class itself takes no parameters in Python 3.11.
    Tree = Message[str, str]
else:
    Tree = Message


@dataclass(frozen=True, slots=True)
class MimePart:
    """One leaf: declared content type (lower case), declared file name ("" for none), decoded bytes. `kind`:
    what it is, where opening it as a container has shown that."""

    declared_type: str
    name: str
    data: bytes
    kind: OtherKind | None = None


@dataclass(slots=True)
class MimeParts:
    """The parts of a mail. `overflow`: it has too many or too deep parts, and the rest was not read."""

    leaves: list[MimePart] = field(default_factory=list)
    encrypted: bool = False
    overflow: bool = False
    root: Tree | None = None


def read_parts(headers: Headers, body: bytes) -> MimeParts:
    """Walk the body. Never raises."""
    parts = MimeParts(root=_parse_tree(headers, body))
    if parts.root is None:
        parts.overflow = True
    else:
        _walk(parts.root, parts)
    return parts


def _parse_tree(headers: Headers, body: bytes) -> Tree | None:
    """The tree of parts; None if it has too many or too deep ones. Never raises."""
    lines = [
        f"{name}: ".encode() + value.replace(b"\r", b" ").replace(b"\n", b" ")
        for name, value in headers.fields
        if name in _STRUCTURE
    ]
    return _parse(b"\r\n".join([*lines, b"", body]))


def _is_cheap(raw: bytes) -> bool:
    """Whether the standard parser ends within a few seconds: it compares each line with the boundary of each
    open multipart."""
    folded = raw.lower()
    breaks = folded.count(b"\n") + folded.count(b"\r") - folded.count(b"\r\n")
    return (
        folded.count(b"content-type:") <= _MOST_TYPE_LINES
        and folded.count(b"\n--") + folded.count(b"\r--") <= _MOST_DASHED
        and breaks * (7 + folded.count(b"multipart/") + folded.count(b"message/")) <= _MOST_WORK
    )


def _parse(raw: bytes) -> Tree | None:
    if not _is_cheap(raw):
        return None
    try:
        # The older policy keeps odd headers as text; the newer one raises on some.
        return email.message_from_bytes(raw, policy=compat32)
    except (RecursionError, ValueError, LookupError, TypeError, AttributeError, IndexError):
        return None


def content_type(part: Tree) -> str:
    """The declared type in lower case; application/octet-stream if the header cannot be read."""
    try:
        return part.get_content_type().casefold()
    except Exception:
        return "application/octet-stream"


def _walk(root: Tree, parts: MimeParts) -> None:
    # A stack instead of recursion, because a mail nested 3,000 deep must not stop us.
    stack: list[tuple[Tree | MimePart, int]] = [(root, 0)]
    budget, part_count = Budget(), 0
    while stack:
        part, depth = stack.pop()
        # The files of containers have a budget of their own.
        part_count += not isinstance(part, MimePart)
        if part_count > MOST_PARTS or depth > DEEPEST:
            parts.overflow = True
            return
        inner = _file(part, parts, budget) if isinstance(part, MimePart) else _tree(part, parts)
        stack.extend((each, depth + 1) for each in reversed(inner))


def _tree(part: Tree, parts: MimeParts) -> list[Tree | MimePart]:
    """The contents of a part of a mail."""
    parts.encrypted = parts.encrypted or content_type(part) == "multipart/encrypted"
    children: list[Tree | MimePart] = [*_children(part)]
    return children if children or part.is_multipart() else _leaf(part, parts)


def _file(part: MimePart, parts: MimeParts, budget: Budget) -> list[Tree | MimePart]:
    """The contents of an attached file; one that is not a container, or does not open, is a leaf."""
    found = opened(part.data, part.name, part.declared_type, budget)
    if found is None or found.kind is not None:
        parts.leaves.append(part if found is None else replace(part, data=b"", kind=found.kind))
        return []
    inner: list[Tree | MimePart] = []
    for each in found.inner:
        message = _parse(each.data) if each.is_mail else None
        if each.is_mail and message is None:
            parts.overflow = True
        else:
            inner.append(message or MimePart("application/octet-stream", each.name, each.data))
    return inner


def _children(part: Tree) -> Iterator[Tree]:
    # A leaf is not asked for its payload: that decodes it, and raises on a charset with a NUL in its name.
    if part.is_multipart():
        for child in part.get_payload():
            if isinstance(child, Message):
                recoded = content_type(part) == "message/rfc822" and _recoded(child, part)
                yield recoded or child
        yield from _parts_behind_end(part)


def _parts_behind_end(part: Tree) -> Iterator[Tree]:
    """The parts of a multipart that are behind its last boundary."""
    # A multipart in another with the same boundary, against RFC 2046, 5.1.2: the end of the inner one is
    # taken for the end of the outer one.
    boundary, rest = part.get_boundary(), part.epilogue
    if not boundary or not rest or f"--{boundary}" not in rest:
        return
    head = f'Content-Type: multipart/mixed; boundary="{boundary}"\r\n\r\n'
    message = _parse((head + rest).encode("ascii", "surrogateescape"))
    if message is not None and message.is_multipart():
        yield message


def _recoded(child: Tree, part: Tree) -> Tree | None:
    """A forwarded message that was sent in base64, read again; None for any other."""
    # RFC 2046, 5.2.1 forbids it, so the standard parser takes the base64 text for a message without header.
    encoding = str(part.get("content-transfer-encoding", "")).strip().casefold()
    if encoding not in {"base64", "quoted-printable"} or list(child.keys()):
        return None
    shell: Tree = Message()
    shell["content-transfer-encoding"] = encoding
    shell.set_payload(child.get_payload())
    return _parse(payload_of(shell))


def payload_of(part: Tree) -> bytes:
    """A leaf's decoded bytes; empty if they cannot be decoded."""
    encoding = str(part.get("content-transfer-encoding", ""))
    # Some programs write "base64;", which the standard parser takes for an encoding that it does not have.
    if (word := _TOKEN.search(encoding)) is not None and word.group() != encoding:
        del part["content-transfer-encoding"]
        part["content-transfer-encoding"] = word.group()
    try:
        data = part.get_payload(decode=True)
    except Exception:
        return b""
    return data if isinstance(data, bytes) else b""


def _leaf(part: Tree, parts: MimeParts) -> list[Tree | MimePart]:
    """The contents of a leaf, or the leaf itself; of an opaque signature the message in it."""
    # TNEF is known by its bytes: the part also comes as application/octet-stream, under any name.
    kind, data = content_type(part), payload_of(part)
    if data.startswith(SIGNATURE):
        return [MimePart("application/octet-stream", file.name, file.data) for file in read_tnef(data)]
    if kind in {"application/pkcs7-mime", "application/x-pkcs7-mime"}:
        inner = signed_content(data)
        message = None if inner is None else _parse(inner)
        parts.encrypted = parts.encrypted or inner is None
        parts.overflow = parts.overflow or (inner is not None and message is None)
        return [] if message is None else [message]
    if _looks_encrypted(kind, data):
        parts.encrypted = True
    return [MimePart(kind, file_name(part), data)]


def _looks_encrypted(kind: str, data: bytes) -> bool:
    if kind == "application/pgp-encrypted" or data.lstrip()[:27] == b"-----BEGIN PGP MESSAGE-----":
        return True
    return data[:1] == b"0" and (_ENVELOPED in data[:40] or _AUTH_ENVELOPED in data[:40])


def file_name(part: Tree) -> str:
    """The declared name, decoded and without any folder. Only to be shown, never for a path."""
    try:
        name = part.get_filename() or ""
    except Exception:
        return ""
    # RFC 2231: charset, language and text, which the parser leaves undecoded.
    if isinstance(name, tuple):
        name = decode_bytes(str(name[2]).encode("latin-1", "replace"), str(name[0] or "utf-8"))
    flat = decode_words(str(name)).replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(char for char in flat if char.isprintable())[:200]
