"""Header blocks read without raising: encoded words, eight-bit bytes, folding, addresses, and the hostile
ones."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

from service.intake.verdicts.verdict import VerdictKind
from service.mail.headers import addresses, as_text, decode_words, message_ids, split_mail, strip_comments
from service.mail.message import read_head, read_mail
from service.mail.mime.parts import MOST_PARTS
from tests.support.mail_builder import MONTROSE, SUBJECT, judge, mail, multipart, part, picture, text
from tests.support.opening import own_probe


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("plain", "plain"),
        ("=?utf-8?B?4oKs?=", "€"),
        # A character cut in two, against RFC 2047, 5: the bytes are joined before they are decoded.
        ("=?utf-8?B?4oI=?= =?utf-8?B?rA==?=", "€"),
        ("=?UTF-8?q?=E2=82?=   =?utf-8?Q?=AC?=", "€"),
        ("=?iso-8859-1?Q?Ch=E2teaux_&?= fils", "Châteaux & fils"),
        # RFC 2231, 5: a language after the charset.
        ("=?us-ascii*en?Q?a_b?=", "a b"),
        # RFC 2047, 6.2: white space between two encoded words is not text, and elsewhere it is.
        ("=?utf-8?Q?a?= =?utf-8?Q?b?=", "ab"),
        ("=?utf-8?Q?a?= and =?utf-8?Q?b?=", "a and b"),
        ("=?utf-8?Q?a?= =?iso-8859-1?Q?=E9?=", "aé"),
        ("=?no-such-charset?Q?=E9?=", "é"),
        # A codec of Python that does not decode bytes.
        ("=?rot13?Q?abc?=", "abc"),
        ("=?utf-8?B?YQ?=", "a"),
        ("=?utf-8?B?YWJjZGVmZw?=", "abcdefg"),
        ("=?utf-8?B?*?=", ""),
        ("=?utf-8?X?a?=", "=?utf-8?X?a?="),
    ],
)
def test_encoded_words(raw: str, expected: str) -> None:
    assert decode_words(raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [(b"\xe2\x80\x93", "–"), (b"\x96", "–"), (b"\xe9t\xe9", "été"), (b"a\x81b", "a\x81b")],
)
def test_eight_bit_bytes_are_utf8_else_windows_1252(raw: bytes, expected: str) -> None:
    assert as_text(raw) == expected


@pytest.mark.parametrize(
    "subject",
    [
        b"Powick Bridge \x96 Montrose \x96 Autumn 1644 \x96 Retreats \x96 v1",
        "Powick Bridge – Montrose – Autumn 1644 – Retreats – v1".encode(),
        b"Powick Bridge,\r\n Montrose,\r\n\tAutumn 1644\r\n   Retreats, v1",
        b"=?utf-8?Q?Powick_Bridge=2C_Montrose?=\r\n =?utf-8?Q?=2C_Autumn_1644_Retreats=2C_v1?=",
    ],
)
def test_subjects_as_bytes(subject: bytes) -> None:
    raw = mail("SUBJECT").replace(b"SUBJECT", subject)
    verdict = judge(raw)
    assert (verdict.verdict, verdict.flags) == (VerdictKind.ACCEPTED, frozenset())


def test_split_keeps_order_and_passes_over_what_is_no_header() -> None:
    headers, body = split_mail(
        b"\tlost fold\r\nA: 1\r\nno header here\r\n folded onto nothing\r\nB : 2\r\n 3\r\na:4\n\nbody\n\nmore"
    )
    assert headers.fields == (("a", b"1"), ("b", b"2 3"), ("a", b"4"))
    assert headers.all("a") == ("1", "4")
    assert body == b"body\n\nmore"


def test_split_bounds_what_it_keeps() -> None:
    headers, _ = split_mail(b"X: y\r\n" * 50_000)
    assert len(headers.fields) == 2000
    headers, _ = split_mail(b"X: " + b"y" * 300_000 + b"\r\n " + b"z" * 300_000 + b"\r\n\r\n")
    assert len(headers.fields[0][1]) == 100_000


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a@b.example", ("a@b.example",)),
        ("<a@b.example>", ("a@b.example",)),
        # A name with a comma and without quotes is not an address.
        ("Name, Other <a@b.example>", ("a@b.example",)),
        ('"x, y <no@b.example>" <a@b.example>', ("a@b.example",)),
        ('"quote \\" <no@b.example>" <a@b.example>', ("a@b.example",)),
        ('"quote \\", no@b.example, " <a@b.example>', ("a@b.example",)),
        ("a@b.example (c@d.example)", ("a@b.example",)),
        ("(((( a@b.example", ()),
        ("a@b.example, c@d.example", ("a@b.example", "c@d.example")),
        ("friends: a@b.example, <c@d.example>;", ("a@b.example", "c@d.example")),
        ("undisclosed:;", ()),
        ("a@b.example <c@d.example>", ("c@d.example",)),
        # An address was meant and none can be chosen: "" counts as a sender, so the mail has no single one.
        ("<a@b.example> <c@d.example>", ("",)),
        ("<a@[>", ("",)),
        ("a@b.example\x00", ("a@b.example\x00",)),
        ("", ()),
    ],
)
def test_addresses(value: str, expected: tuple[str, ...]) -> None:
    assert addresses([value]) == expected


def test_comments_nest_and_quotes_protect() -> None:
    assert strip_comments('a (b (c) d) "(e)" f').split() == ["a", '"(e)"', "f"]
    assert strip_comments('"a \\" (b)" (c \\) d) e').split() == ['"a', '\\"', '(b)"', "e"]
    assert strip_comments("(" * 100_000 + "x" + ")" * 100_000).strip() == ""


def test_message_ids() -> None:
    assert message_ids("<a@b> junk <c@d>") == ("<a@b>", "<c@d>")
    assert message_ids("<") == ()
    assert message_ids(None) == ()


HOSTILE = [
    "Message-ID: <",
    "Message-ID: <a@[",
    'Cc: "',
    "To: =?utf-8?q?a=0D=0ABcc:_x@y.example?= <a@b.example>",
    "Cc: " + "(" * 2000,
    "To: " + "<" * 2000,
    "Content-Disposition: attachment; filename*=utf-8''%",
    "Content-Type: multipart/mixed; boundary*0=a; boundary*2=b; boundary=cut",
    "Date: Tue, 99 Xyz 99999 99:99:99 +999999",
    "MIME-Version: (",
    "Received: " + "x" * 50_000,
    "References: " + "<a@b> " * 5000,
    "X-\u2028: y",
    "Auto-Submitted: (",
    "Authentication-Results: (",
    "Return-Path: (((",
    ": no name",
    "Subject",
]


@pytest.mark.parametrize("line", HOSTILE, ids=[line[:24] for line in HOSTILE])
def test_hostile_headers_do_not_stop_the_mail(line: str) -> None:
    verdict = judge(mail(headers=[line]))
    assert verdict.verdict in {VerdictKind.ACCEPTED, VerdictKind.REJECTED}
    if not line.startswith("Content-Type"):
        assert verdict.verdict is VerdictKind.ACCEPTED


@pytest.mark.parametrize(
    "body",
    [
        b"Content-Type: multipart/mixed\r\n\r\nno boundary given",
        b'Content-Type: multipart/mixed; boundary="\xff"\r\n\r\n--\xff\r\n\r\nx',
        b"Content-Type: image/jpeg\r\nContent-Transfer-Encoding: base64\r\n\r\n!!!!",
        b"Content-Type: image/jpeg\r\nContent-Transfer-Encoding: \xff\r\n\r\nx",
        b"Content-Type: x\r\nContent-Transfer-Encoding: x-uuencode\r\n\r\nbegin 666\r\nM",
        b'Content-Type: ; name="=?utf-8?b?/////?="\r\n\r\nx',
        b"Content-Type: message/rfc822\r\n\r\n",
        b"Content-Type: message/delivery-status\r\n\r\nx",
        b"Content-Type: multipart/report; report-type=delivery-status; boundary=a\r\n\r\n--a\r\n",
        b"Content-Type: application/ms-tnef\r\n\r\n\x78\x9f\x3e\x22\x01",
    ],
)
def test_hostile_structure_does_not_raise(body: bytes) -> None:
    assert judge(mail(body=body)).verdict in {VerdictKind.REJECTED, VerdictKind.IGNORED}


def nested(depth: int) -> bytes:
    body = text()
    for level in range(depth):
        body = multipart([body], boundary=f"b{level}")
    return body


@pytest.mark.parametrize("depth", [40, 400, 3000])
def test_deep_nesting_is_left_unread_and_named_too_large(depth: int) -> None:
    body = (
        nested(depth)
        if depth <= 400
        else b"".join(
            f"Content-Type: multipart/mixed; boundary=b{level}\r\n\r\n--b{level}\r\n".encode()
            for level in range(depth)
        )
    )
    verdict = judge(mail(body=body))
    assert verdict.reason is not None
    assert verdict.reason.value == "too_large"


def test_twenty_levels_are_read() -> None:
    inner = part(picture())
    for level in range(20):
        inner = multipart([inner], boundary=f"b{level}")
    assert judge(mail(body=inner)).photos == 1


def test_very_many_parts_are_left_unread_soon() -> None:
    started = time.monotonic()
    many = b"--cut\r\nContent-Type: text/plain\r\n\r\nx\r\n" * 100_000
    verdict = judge(mail(body=b"Content-Type: multipart/mixed; boundary=cut\r\n\r\n" + many + b"--cut--\r\n"))
    assert verdict.reason is not None
    assert verdict.reason.value == "too_large"
    assert time.monotonic() - started < 5


def test_parts_beyond_the_limit_are_not_counted() -> None:
    raw = mail(parts=[text()] * MOST_PARTS + [part(picture())])
    verdict = judge(raw)
    assert verdict.reason is not None
    assert verdict.reason.value == "too_large"


@given(st.binary(max_size=400))
def test_any_bytes_are_a_mail(raw: bytes) -> None:
    incoming = read_mail(raw, own_probe())
    assert incoming.photos == 0


MAIL_WORDS = st.sampled_from([
    b"\r\n", b"--cut", b"Content-Type: ", b"multipart/mixed; boundary=cut", b"message/rfc822", b"image/jpeg",
    b"\r\n\r\n", b"base64", b"Content-Transfer-Encoding: ", b"/9j/", b"\xff\xd8\xff", b"From: ", b"<a@b>",
    b"=?utf-8?q?", b"?=", b"(", b'"', b"\0",
])


@given(st.lists(MAIL_WORDS, max_size=60))
def test_any_jumble_of_mail_words_is_a_mail(pieces: list[bytes]) -> None:
    incoming = read_mail(b"".join(pieces), own_probe())
    assert incoming.photos == 0


@given(st.binary(max_size=80))
def test_any_subject_bytes_give_a_verdict(noise: bytes) -> None:
    raw = mail("SUBJECT").replace(b"SUBJECT", noise.replace(b"\n", b"").replace(b"\r", b""))
    assert judge(raw).verdict is VerdictKind.REJECTED


@given(st.integers(0, 1000))
def test_cutting_a_mail_anywhere_never_raises_and_never_changes_its_sender(per_mille: int) -> None:
    raw = mail(SUBJECT)
    cut = read_mail(raw[: len(raw) * per_mille // 1000], own_probe())
    assert cut.senders in {(), ("",), (MONTROSE,)} or MONTROSE.startswith(cut.senders[0])


@pytest.mark.parametrize("charset", ["iso-8859-2", "koi8-r", "shift_jis", "windows-1250"])
def test_a_raw_subject_is_in_the_charset_that_its_mail_names(charset: str) -> None:
    """ARR-07: Windows-1252 was taken for all that is not UTF-8."""
    words = {"koi8-r": "Нейсби", "shift_jis": "ネーズビー"}.get(charset, "Nőseby ž")
    raw = (b"From: a@b.example\r\nSubject: " + words.encode(charset)
           + b"\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/plain; charset="
           + charset.encode() + b"\r\n\r\nhello\r\n--x--\r\n")
    assert read_head(raw).subject == words
    assert read_head(raw.replace(charset.encode(), b"rot13")).subject
