"""TNEF containers, built from the layout of MS-OXTNEF."""

from __future__ import annotations

import struct

from hypothesis import given, strategies as st

from service.intake.verdicts.verdict import VerdictKind
from service.mail.mime.tnef import SIGNATURE, TnefFile, read_tnef
from tests.support.mail_builder import judge, mail, part, picture, text

REND, TITLE, DATA, PROPS = 0x00069002, 0x00018010, 0x0006800F, 0x00069005


def attribute(level: int, name: int, data: bytes) -> bytes:
    return struct.pack("<BII", level, name, len(data)) + data + struct.pack("<H", sum(data) % 65536)


def container(*attributes: bytes) -> bytes:
    return SIGNATURE + b"\x01\x00" + b"".join(attributes)


def file(name: bytes, data: bytes, *more: bytes) -> bytes:
    return b"".join(
        [
            attribute(2, REND, b"\x01\x00" + b"\xff" * 12),
            attribute(2, TITLE, name + b"\0"),
            attribute(2, DATA, data),
            *more,
        ]
    )


def counted(kind: int, tag: int, value: bytes) -> bytes:
    return struct.pack("<HHII", kind, tag, 1, len(value)) + value + b"\0" * (-len(value) % 4)


def test_files_in_order_with_long_names() -> None:
    name = "Grüße vom Sheet.jpg\0".encode("utf-16-le")
    named = (
        struct.pack("<HH", 0x001E, 0x8000) + b"g" * 16 + struct.pack("<II", 1, 6) + b"a\0b\0\0\0" + b"\0\0"
    )
    named += struct.pack("<II", 1, 3) + b"xyz\0"
    # A property of fixed size before the long name, and one with a name of its own (tags from 0x8000): both
    # must be passed over to the byte.
    fixed = struct.pack("<HHi", 0x0003, 0x3705, 1)
    props = struct.pack("<I", 3) + fixed + named + counted(0x001F, 0x3707, name)
    data = container(
        attribute(1, 0x00089006, struct.pack("<I", 0x10000)),
        file(b"SHEET~1.JPG", b"one", attribute(2, PROPS, props)),
        file(b"two.jpg", b"two"),
    )
    assert read_tnef(data) == (TnefFile("Grüße vom Sheet.jpg", b"one"), TnefFile("two.jpg", b"two"))


def test_a_message_within_a_message() -> None:
    inner = container(file(b"in.jpg", b"inner"))
    props = struct.pack("<I", 1) + counted(0x000D, 0x3701, b"I" * 16 + inner)
    outer = container(
        attribute(2, REND, b"\x01\x00" + b"\xff" * 12), attribute(2, PROPS, props), file(b"b", b"after")
    )
    assert read_tnef(outer) == (TnefFile("in.jpg", b"inner"), TnefFile("b", b"after"))


def test_a_container_that_breaks_off_yields_what_stood_before() -> None:
    data = container(file(b"one.jpg", b"one"), file(b"two.jpg", b"two"))
    assert read_tnef(data[:-40])[0] == TnefFile("one.jpg", b"one")
    assert read_tnef(b"PK\x03\x04" + data) == ()


def test_photographs_in_a_container_count_whatever_the_part_is_called() -> None:
    data = container(file(b"a.dat", picture(3)), file(b"b.txt", b"no picture"), file(b"c.jpg", picture(4)))
    verdict = judge(mail(parts=[text(), part(data, "application/octet-stream", "noname")]))
    assert (verdict.verdict, verdict.photos, verdict.flags) == (VerdictKind.ACCEPTED, 2, frozenset())


@given(st.binary(max_size=200), st.integers(0, 300))
def test_no_bytes_raise(noise: bytes, cut: int) -> None:
    intact = container(file(b"x.jpg", b"data", attribute(2, PROPS, struct.pack("<I", 9) + noise)))
    for files in (read_tnef(SIGNATURE + noise), read_tnef(intact[:cut] + noise), read_tnef(intact)):
        assert all(isinstance(attachment, TnefFile) for attachment in files)
