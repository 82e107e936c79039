"""Authentication-Results: only our own server's topmost stamp proves a sender."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from service.mail.authentication.authenticate import authenticate
from service.mail.authentication.stamps import read_stamp
from service.mail.authentication.trust import trust_in
from service.mail.authentication.verdict import AuthResult
from service.mail.headers import Headers

OURS = "mx.w3k.example"
DOMAIN = "mail.post.example"
PASS, FAIL, NONE = AuthResult.PASS, AuthResult.FAIL, AuthResult.NONE


def _judged(stamps: list[str], trusted: str = OURS) -> AuthResult:
    headers = Headers(tuple(("authentication-results", value.encode()) for value in stamps))
    return authenticate(headers, trust_in((trusted,)), DOMAIN).result


@pytest.mark.parametrize(
    ("stamps", "expected"),
    [
        ([], NONE),
        (["mx.w3k.example; dmarc=pass"], PASS),
        (["mx.w3k.example; dmarc=pass header.from=mail.post.example"], PASS),
        (["MX.W3K.Example; DMARC=Pass Header.From=Mail.Post.Example"], PASS),
        (["mx.w3k.example; dmarc=pass header.from=other.example"], FAIL),
        (["mx.w3k.example; dkim=pass header.d=mail.post.example"], PASS),
        (["mx.w3k.example; dkim=pass header.d=post.example"], PASS),
        (["mx.w3k.example; dkim=pass header.i=@post.example header.b=ab/c+d="], PASS),
        # A subdomain does not sign for its parent, nor a name that only ends alike, nor a public suffix.
        (["mx.w3k.example; dkim=pass header.d=x.mail.post.example"], FAIL),
        (["mx.w3k.example; dkim=pass header.d=ost.example"], FAIL),
        (["mx.w3k.example; dkim=pass header.d=example"], FAIL),
        (["mx.w3k.example; dkim=pass"], FAIL),
        # SPF vouches for the envelope's sender, not for From.
        (["mx.w3k.example; spf=pass smtp.mailfrom=mail.post.example"], FAIL),
        (["mx.w3k.example; none"], FAIL),
        (["mx.w3k.example; dkim=fail header.d=a.example; dkim=pass header.d=post.example"], PASS),
        # A pass inside a comment, a quoted reason or another result's properties is the sender's own work.
        (["mx.w3k.example; dmarc=fail (dmarc=pass)"], FAIL),
        (['mx.w3k.example; dmarc=fail reason="; dmarc=pass"'], FAIL),
        (['mx.w3k.example; dkim=fail reason="x" header.d=post.example dmarc=pass'], FAIL),
        (["mx.w3k.example 1; dmarc=pass (p=NONE sp=NONE dis=NONE) header.from=mail.post.example"], PASS),
        (["(a comment) mx.w3k.example; dmarc=pass"], PASS),
        (['"mx.w3k.example"; dmarc=pass'], PASS),
        # Names that look like our server's.
        (["mx.w3k.example.attacker.example; dmarc=pass"], NONE),
        (["attacker.example mx.w3k.example; dmarc=pass"], NONE),
        (["x.mx.w3k.example; dmarc=pass"], NONE),
        (["dmarc=pass; mx.w3k.example"], NONE),
        # Of two stamps of our server the topmost counts: the other came with the mail.
        (["mx.w3k.example; dmarc=fail", "mx.w3k.example; dmarc=pass"], FAIL),
        (["other.example; dmarc=fail", "mx.w3k.example; dmarc=pass"], PASS),
        (["mx.w3k.example"], FAIL),
        (["", ";", "(", '"'], NONE),
    ],
)
def test_topmost_stamp_of_the_trusted_server(stamps: list[str], expected: AuthResult) -> None:
    assert _judged(stamps) is expected


def test_a_large_providers_stamp_is_read_whole() -> None:
    stamp = read_stamp(
        'mx.w3k.example;\r\n dkim=pass header.i=@post.example header.s=sel-1 header.b="Ab/Cd+e=";'
        " spf=pass (mx.w3k.example: domain of a@post.example designates 203.0.113.20 as permitted sender)"
        " smtp.mailfrom=a@post.example; arc=pass (i=1 spf=pass; dkim=pass); dmarc=pass "
        "header.from=post.example"
    )
    assert stamp is not None
    assert [(result.method, result.result) for result in stamp.results] == [
        ("dkim", "pass"),
        ("spf", "pass"),
        ("arc", "pass"),
        ("dmarc", "pass"),
    ]
    assert stamp.results[0].get("header.b") == "Ab/Cd+e="


@given(st.text(alphabet='mx.w3k.example;=()"\\ dmarcpass/1', max_size=120))
def test_no_jumble_raises(value: str) -> None:
    assert _judged([value], "elsewhere.example") in {NONE, FAIL}
