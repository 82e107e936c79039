"""Our own proof of a sender: DKIM signatures of the From domain (BOX-03).

Mails of others first (RFC 6376, RFC 8463, dkim_verifier), then one fault at a time on mails signed here.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest

from service.mail.authentication.dns import MailLookups, TableLookup, TxtAnswer, TxtState
from service.mail.authentication.signatures import prove_by_signature
from service.mail.authentication.verdict import Authentication, AuthResult, Method
from tests.support.mail_builder import FIXTURES
from tests.support.signing import key, signed

OTHERS = FIXTURES / "dkim_verifier"
AT = datetime(2025, 7, 6, 10, 0, tzinfo=UTC)
SECOND = int(AT.timestamp())
MAIL = (
    b"From: Hal <hal@post.example>\r\nTo: orders@site.example\r\nSubject: Powick  Bridge,\r\n\tMontrose\r\n"
    b"Date: Sun, 06 Jul 2025 10:00:00 +0000\r\n\r\nHello  there\t\r\n\r\nx \r\n\r\n\r\n"
)
NAME = "s1._domainkey.post.example"


def prove(
    raw: bytes, dns: Mapping[str, str | list[str]] | None = None, *, domain: str = "post.example",
    at: datetime = AT,
) -> Authentication:
    table = {NAME: key().record} if dns is None else dns
    return prove_by_signature(raw, domain, at, MailLookups(TableLookup(table)))


def _of_others() -> list[tuple[str, str]]:
    index = json.loads((OTHERS / "index.json").read_text())
    return [(case["file"], case["result"]) for case in index["cases"]]


@pytest.mark.parametrize(("file", "result"), _of_others())
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_mails_of_others(file: str, result: str, line_end: bytes) -> None:
    dns = json.loads((OTHERS / "index.json").read_text())["dns"]
    raw = (OTHERS / file).read_bytes().replace(b"\r\n", b"\n").replace(b"\n", line_end)
    name = raw.split(b"\nFrom:", 1)[1].partition(b"@")[2].partition(b">")[0].decode()

    answer = prove(raw, dns, domain=name, at=datetime(2025, 3, 1, tzinfo=UTC))

    assert answer.result == result, answer.reason


@pytest.mark.parametrize(
    "form", ["simple/simple", "simple/relaxed", "relaxed/simple", "relaxed/relaxed", "relaxed"])
@pytest.mark.parametrize("stored", [b"\r\n", b"\n"])
def test_a_good_signature_proves_the_domain(form: str, stored: bytes) -> None:
    raw = signed(MAIL, key(), form=form).replace(b"\r\n", stored)

    answer = prove(raw)

    assert answer.result is AuthResult.PASS, answer.reason
    assert answer.proof is not None
    assert (answer.proof.method, answer.proof.by, answer.proof.domain) == (
        Method.OWN_DKIM, "ourselves", "post.example")


@pytest.mark.parametrize(
    "body", [b"", b"\r\n", b"\r\n\r\n", b" \r\n\t\r\n", b"text", b"a\r\r\n\r\n", b"\r\n\r\na\r\n"])
@pytest.mark.parametrize("form", ["relaxed/simple", "relaxed/relaxed"])
def test_odd_bodies(body: bytes, form: str) -> None:
    head = MAIL.partition(b"\r\n\r\n")[0]

    assert prove(signed(head + b"\r\n\r\n" + body, key(), form=form)).result is AuthResult.PASS


def _changed(old: bytes, new: bytes) -> bytes:
    raw = signed(MAIL, key())
    assert raw.count(old) == 1
    return raw.replace(old, new)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (_changed(b"Hello", b"hello"), "body was changed"),
        (_changed(b"Powick", b"Ripple"), "headers were changed"),
        (_changed(b"From: Hal", b"From: Hob"), "headers were changed"),
        (_changed(b"To: orders", b"From: mal@post.example\r\nTo: orders"), "exactly one From"),
        (b"Subject: Ripple Field\r\n" + signed(MAIL, key()), "two subject"),
        (b"Content-Type: a/b\r\nContent-type: c/d\r\n" + signed(MAIL, key()), "two content-type"),
        (b"no header\r\n" + signed(MAIL, key()), "line among its headers"),
        (b"X: a\rb\r\n" + signed(MAIL, key()), "the format of a mail"),
        (signed(MAIL, key(), extra="l=5; "), "only the beginning"),
        (signed(MAIL, key(), extra=f"x={SECOND - 1}; "), "expired when the mail came"),
        (signed(MAIL, key(), extra=f"t={SECOND + 7200}; "), "made after the mail came"),
        (signed(MAIL, key(), extra=f"t={SECOND}; x={SECOND}; "), "expired before it was made"),
        (signed(MAIL, key(), extra="x=soon; "), "x= is not a time"),
        (signed(MAIL, key(), extra="i=hal@other.example; "), "i= is not in the domain"),
        (signed(MAIL, key(), extra="i=hal@badpost.example; "), "i= is not in the domain"),
        (signed(MAIL, key(), extra="d=post.example; "), "d= twice"),
        (signed(MAIL, key(), extra="q=http; "), "key is not in DNS"),
        (signed(MAIL, key(), extra="nonsense; "), "not written as a list of tags"),
        (signed(MAIL, key(), extra=f"z={'A' * 20_000}; "), "longer than a genuine"),
        (signed(MAIL, key(), signed_names="to:subject:date"), "does not cover From"),
        (signed(MAIL, key(), signed_names="from:to:date"), "does not cover the Subject"),
        (signed(MAIL, key(), algorithm="rsa-sha1"), "SHA-1"),
        (signed(MAIL, key(), form="loose/simple"), "c= is unknown"),
        (signed(MAIL, key(), leave_out=("bh",)), "lacks bh="),
        (signed(MAIL, key(), domain="other.example"), "it is of other.example"),
        (signed(MAIL, key(), domain="example"), "it is of example"),
        (signed(MAIL, key(), domain="mx.post.example"), "it is of mx.post.example"),
        (signed(MAIL, key(), selector="gone"), "publishes no such key"),
        (signed(MAIL, key(seed=2)), "or the key is another"),
    ],
)  # fmt: skip
def test_what_proves_nothing(raw: bytes, words: str) -> None:
    answer = prove(raw)

    assert answer.result is AuthResult.FAIL
    assert words in answer.reason


@pytest.mark.parametrize(
    "raw",
    [
        signed(MAIL, key(), extra=f"t={SECOND + 1800}; "),
        signed(MAIL, key(), extra=f"x={SECOND}; "),
        signed(MAIL, key(), extra="i=hal@mail.post.example; "),
        # Oversigned: each counted once more than it is there.
        signed(MAIL, key(), signed_names="from:from:subject:subject:to:cc:reply-to:date:content-type"),
        signed(MAIL, key(), signed_names=" From : TO :Subject"),
        # Another domain's signature, a broken one and one of the domain that was spoilt on the way, above it.
        b"DKIM-Signature: v=1; a=rsa\r\n" + signed(signed(MAIL, key()), key(), domain="list.example"),
        signed(MAIL, key(), selector="gone").partition(b"\r\nFrom")[0] + b"\r\n" + signed(MAIL, key()),
        b"From hal@post.example Sun Jul  6 10:00:00 2025\r\n" + signed(MAIL, key()),
        # Written by the way in, above the signature.
        b"Received: from a by b; Sun, 06 Jul 2025 10:00:00 +0000\r\nX-Spam: no\r\n" + signed(MAIL, key()),
    ],
)  # fmt: skip
def test_what_is_right_though_odd(raw: bytes) -> None:
    assert prove(raw).result is AuthResult.PASS, prove(raw).reason


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (key(768).record, "768 bits is too short"),
        ("v=DKIM1; k=rsa; p=", "key was revoked"),
        ("v=DKIM1; k=rsa", "has no key"),
        (key().record + "; t=y", "as tests"),
        (key().record + "; h=sha1", "not for mail with this kind"),
        (key().record + "; s=tlsrpt", "not for mail with this kind"),
        (key().record.replace("k=rsa", "k=ed25519"), "another algorithm"),
        (key().record.replace("DKIM1", "DKIM2"), "another kind"),
        ("k=rsa; " + key().record.replace("k=rsa; ", ""), "another kind"),
        (key().record + "; p=abcd", "cannot be read"),
        ("v=DKIM1; p=MIGfMA0G", "cannot be read"),
        ("v=DKIM1; p=" + base64.b64encode(b"\x30\x84\xff\xff\xff\xff" * 9).decode(), "cannot be read"),
        ("v=spf1 -all", "another kind"),
        ("all=yes;;", "cannot be read"),
        ("\N{SNOWMAN}", "cannot be read"),
        (key().record + "; n=" + "x" * 9000, "longer than a genuine"),
    ],
)  # fmt: skip
def test_keys_that_must_not_be_used(record: str, words: str) -> None:
    signing = key(768) if "768" in words else key()

    answer = prove(signed(MAIL, signing), {NAME: record})

    assert answer.result is AuthResult.FAIL
    assert words in answer.reason


@pytest.mark.parametrize(
    "records",
    [
        key().record.replace("v=DKIM1; k=rsa; ", ""),
        key().record + "; h=sha1:sha256; s=email; n=by hand; g=*; x_own=1;",
        ["v=spf1 -all", key(seed=2).record, key().record],
    ],
)  # fmt: skip
def test_keys_that_may(records: str | list[str]) -> None:
    assert prove(signed(MAIL, key()), {NAME: records}).result is AuthResult.PASS


def test_a_key_for_its_own_domain_alone() -> None:
    strict = {NAME: key().record + "; t=s"}

    assert prove(signed(MAIL, key()), strict).result is AuthResult.PASS
    below = prove(signed(MAIL, key(), extra="i=@mail.post.example; "), strict)
    assert (below.result, "t=s" in below.reason) == (AuthResult.FAIL, True)


def test_ed25519_alone_is_told_honestly() -> None:
    # RFC 8463, A.3; the RSA signature next to it is what proves such mails.
    dns = json.loads((OTHERS / "index.json").read_text())["dns"]
    raw = (OTHERS / "rfc8463-A.3.eml").read_bytes()
    start = raw.index(b"DKIM-Signature", 1)
    alone = raw[:start] + raw[raw.index(b"From:") :]

    answer = prove(alone, dns, domain="football.example.com")

    assert answer.result is AuthResult.FAIL
    assert "Ed25519, which this installation cannot check" in answer.reason


def test_a_parent_signs_unless_the_domain_forbids_it() -> None:
    below = MAIL.replace(b"hal@post.example", b"hal@mail.post.example")
    raw = signed(below, key())
    for policy, result in (
        ({}, AuthResult.PASS),
        ({"_dmarc.post.example": "v=DMARC1; p=none; adkim=r"}, AuthResult.PASS),
        ({"_dmarc.post.example": "v=DMARC1; p=none; adkim=s"}, AuthResult.FAIL),
        # RFC 7489, 6.6.3: the domain's own record goes before the organization's.
        ({"_dmarc.post.example": "v=DMARC1; p=none; adkim=s", "_dmarc.mail.post.example": "v=DMARC1; p=none"},
         AuthResult.PASS),
    ):
        assert prove(raw, {NAME: key().record, **policy}, domain="mail.post.example").result is result
    exact = signed(below, key(), domain="mail.post.example")
    strict = "v=DMARC1; p=none; adkim=s"
    dns = {"s1._domainkey.mail.post.example": key().record, "_dmarc.post.example": strict}
    assert prove(exact, dns, domain="mail.post.example").result is AuthResult.PASS


def test_no_signature_asks_nobody() -> None:
    lookup = Silent()
    for raw in (MAIL, signed(MAIL, key(), domain="stranger.example"), b"", b"\r\n", b"From: "):
        answer = prove_by_signature(raw, "post.example", AT, MailLookups(lookup))
        assert answer.result in {AuthResult.NONE, AuthResult.FAIL}
    assert lookup.asked == []


class Silent:
    """DNS that never answers, at once."""

    def __init__(self, *names: str) -> None:
        self.asked: list[str] = []
        self.silent = names
        self.table = TableLookup({NAME: key().record})

    def txt(self, name: str, seconds: float) -> TxtAnswer:
        self.asked.append(name)
        if self.silent and name not in self.silent:
            return self.table.txt(name, seconds)
        return TxtAnswer(TxtState.UNAVAILABLE, fault="did not answer")


def test_dns_that_does_not_answer_refuses_nobody() -> None:
    """Neither the key nor the policy: a player's mail must not be refused for good because of it."""
    answer = prove_by_signature(signed(MAIL, key()), "post.example", AT, MailLookups(Silent()))
    assert (answer.result, answer.reason) == (AuthResult.TEMPORARY, "The DNS of post.example did not answer.")
    below = signed(MAIL.replace(b"hal@post.example", b"hal@mail.post.example"), key())
    policy = Silent("_dmarc.post.example")
    assert prove_by_signature(
        below, "mail.post.example", AT, MailLookups(policy)).result is AuthResult.TEMPORARY
    # One good signature is enough, though the key of the other cannot be had.
    both = signed(signed(MAIL, key()), key(), selector="slow")
    assert prove_by_signature(
        both, "post.example", AT, MailLookups(Silent("slow._domainkey.post.example"))
    ).result is AuthResult.PASS


def test_absurdly_many_signatures_ask_for_few_keys() -> None:
    head = signed(MAIL, key()).partition(b"\r\nFrom:")[0] + b"\r\n"
    lookup = Silent()

    prove_by_signature(head * 400 + MAIL, "post.example", AT, MailLookups(lookup))

    assert len(lookup.asked) <= 4


@pytest.mark.parametrize("part", [b" \r\n", b" ", b"b=", b"; b=", b"\t\r\n ", b"A=", b"\\"])
def test_a_malicious_signature_header_costs_little(part: bytes) -> None:
    raw = signed(MAIL, key())
    start = datetime.now(UTC)
    for at in (b"; s=", b"\r\nFrom:", b"b="):
        prove(raw.replace(at, part * (15_000 // len(part)) + at, 1))
    assert datetime.now(UTC) - start < timedelta(seconds=2)
