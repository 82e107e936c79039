"""More than fifty thousand hostile mails, made from the fixtures and drawn by hypothesis: each is read and
judged without an exception, in bounded time, and none is answered to an address that its game does not know
(fault 15, fault 18)."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from ocr.image.formats import PictureFormat
from service.facts.files import FileFate
from service.intake.verdicts.rules import judge_mail
from service.intake.verdicts.verdict import Verdict, VerdictKind
from service.mail.message import read_mail
from service.mail.mime.image_types import Probe
from tests.support.mail_builder import FIXTURES, IN_TIME, context, index, mail, part, picture
from tests.support.mutate import mutated

MAILS = 44_000
DRAWN = 8_000
SLOWEST = 5.0
"""Seconds of processor that one mail may take to read and judge."""


class Unopened:
    """Pictures are opened in the limited child, which tests/service/intake/opening/test_fuzz_files.py is
    about; here each is good."""

    def probe(self, data: bytes, kind: PictureFormat, seconds: float = 60.0) -> Probe:
        return Probe(FileFate.SHEET, pages=1)


def judged(raw: bytes) -> Verdict:
    return judge_mail(read_mail(raw, Unopened()), IN_TIME, CONTEXT, [])


CONTEXT = context()
KNOWN = {address.lower() for address in re.findall(r"[\w.+-]+@[\w.-]+", json.dumps(index()["context"]))}


def check(raw: bytes) -> VerdictKind:
    started = time.process_time()
    verdict = judged(raw)
    assert time.process_time() - started < SLOWEST
    assert verdict.reply_to is None or verdict.reply_to.lower() in KNOWN
    return verdict.verdict


def headers_of(raw: bytes) -> tuple[bytes, bytes]:
    head, cut, body = raw.partition(b"\r\n\r\n")
    return (head, cut + body) if cut else raw.partition(b"\n\n")[::2]


def mutants(number: int, seed: str) -> Counter[VerdictKind]:
    """Half of them with a hostile head over a sound body, a quarter with a hostile body, a quarter cut up
    anywhere."""
    chance = Random(seed)
    seeds = [path.read_bytes() for path in sorted(FIXTURES.glob("*.eml"))]
    seeds.append(mail())
    ends: Counter[VerdictKind] = Counter()
    for _ in range(number):
        raw, other = chance.choice(seeds), chance.choice(seeds)
        head, body = headers_of(raw)
        match chance.randrange(4):
            case 0 | 1:
                raw = mutated(head, headers_of(other)[0], chance) + body
            case 2:
                raw = head + mutated(body, other, chance)
            case _:
                raw = mutated(raw, other, chance)
        ends[check(raw)] += 1
    return ends


@pytest.mark.slow
def test_a_thousand_hostile_mails_are_read_and_judged() -> None:
    ends = mutants(1000, "quick")
    # Mutants that are all rejected would test nothing behind the first check.
    assert set(ends) == set(VerdictKind)


def test_a_charset_with_a_nul_in_its_name_does_not_stop_the_mail() -> None:
    # Found by the long run below: the standard parser raises ValueError when such a leaf is asked for its
    # payload.
    leaf = (b'Content-Type: text/plain; charset="us\0ascii"\r\nContent-Transfer-Encoding: '
            b'8bit\r\n\r\ncaf\xc3\xa9\r\n')
    assert check(mail(parts=[leaf, part(picture())])) is VerdictKind.ACCEPTED
    assert check(mail(body=leaf)) is VerdictKind.REJECTED


@pytest.mark.slow
def test_more_than_forty_thousand_hostile_mails_are_read_and_judged() -> None:
    ends = mutants(MAILS, "slow")
    assert sum(ends.values()) + DRAWN > 50_000
    assert set(ends) == set(VerdictKind)


NAMES = st.sampled_from([
    b"From", b"To", b"Cc", b"Subject", b"Message-ID", b"References", b"Date", b"Authentication-Results",
    b"Reply-To", b"Sender",
    b"Content-Type", b"Content-Transfer-Encoding", b"Content-Disposition", b"Return-Path", b"Auto-Submitted",
    b"X-Auto", b"",
])
PIECES = st.sampled_from([
    b"graham.j@mailbox.example", b"<", b">", b"@", b"[", b'"', b"(", b")", b"\\", b",", b";",
    b"=?utf-8?q?=0D=0A?=",
    b"=?utf-8?b?", b"?=", b"=?x?q?a?=", b"multipart/mixed; boundary=cut", b"message/rfc822", b"image/jpeg",
    b"application/ms-tnef",
    b"base64", b"quoted-printable", b"; name*0*=utf-8''%2e%2e%2f",
    b"mx.w3k.example; dmarc=pass header.from=mailbox.example",
    b"Powick Bridge, Montrose, Autumn 1644 Retreats, v1", b"\r\n ", b"\r\n\t", b"\0", b"\xff\xfe",
    b"\xe2\x80\xae", b"(" * 500,
]) | st.binary(max_size=12)
LINES = st.tuples(
    NAMES, st.sampled_from([b": ", b":", b" :", b""]), st.lists(PIECES, max_size=6).map(b"".join)
).map(b"".join)
BODIES = st.lists(
    st.sampled_from([b"--cut\r\n", b"--cut--\r\n", b"\r\n", b"Content-Type: image/jpeg\r\n",
                     b"Content-Type: multipart/mixed; boundary=cut\r\n",
                     b"Content-Transfer-Encoding: base64\r\n", b"/9j/4AAQ", b"\xff\xd8\xff", b"=0"])
    | st.binary(max_size=40), max_size=20).map(b"".join)


@pytest.mark.slow
@settings(max_examples=DRAWN, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(LINES, max_size=14), BODIES)
def test_mails_drawn_from_the_words_of_mail_are_read_and_judged(lines: list[bytes], body: bytes) -> None:
    check(b"\r\n".join(lines) + b"\r\n\r\n" + body)
