"""Authentication-Results by its grammar (RFC 8601, 2.2): what is a result, what is a comment, what is nothing
(BOX-04)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

from service.mail.authentication.stamps import read_stamp


def _results(value: str) -> list[tuple[str, str]]:
    return [(result.method, result.result) for result in read_stamp(value).results]


@pytest.mark.parametrize(
    ("value", "server", "results"),
    [
        ("mx.a.example; dmarc=pass", "mx.a.example", [("dmarc", "pass")]),
        ("MX.A.Example 1;DMARC=Pass", "mx.a.example", [("dmarc", "pass")]),
        ('"mx.a\\.example" ; none', "mx.a.example", []),
        ("mx.a.example", "mx.a.example", []),
        ("mx.a.example; none;", "mx.a.example", []),
        # RFC 8601, appendix B.7: comments wherever they may stand.
        ("(a) mx.a.example (b) 1 (c); dkim (d) / 1 (e) = (f) fail (g) header (h) . (i) d (j) = (k) b.c (l)",
         "mx.a.example", [("dkim", "fail")]),
        # A quote in a comment is not a quote, and a bracket in a quoted string closes nothing.
        ('mx; spf=pass (it "was" so) smtp.mailfrom=")"@b.example; dmarc=fail', "mx",
         [("spf", "pass"), ("dmarc", "fail")]),
        ('mx; spf=fail reason="a \\"; dmarc=pass" smtp.mailfrom=b.example', "mx", [("spf", "fail")]),
        ("mx; dmarc=fail (p=x \\) ; dmarc=pass)", "mx", [("dmarc", "fail")]),
        ("mx; x-new/1=odd policy.a=1; dkim-atps=neutral", "mx", [("x-new", "odd"), ("dkim-atps", "neutral")]),
        # Microsoft: no name, and in the older form the tenant's domain between results.
        ("spf=pass (sender IP is 203.0.113.1)\r\n smtp.mailfrom=a.b; t.example; dkim=none\r\n header.d=none",
         "", [("spf", "pass"), ("dkim", "none")]),
        # Amazon SES: statements that are properties. Yahoo: no blank in front of a comment.
        ("amazonses.com; spf=pass (x) client-ip=203.0.113.1; envelope-from=a@b.example; helo=b.example;",
         "amazonses.com", [("spf", "pass"), ("envelope-from", "a@b.example"), ("helo", "b.example")]),
        ("y; dmarc=pass(p=NONE,sp=NONE) header.from=a.example;", "y", [("dmarc", "pass")]),
        ("mx; spf=none smtp.mailfrom=; dmarc=none", "mx", [("spf", "none"), ("dmarc", "none")]),
        ("mx; dkim=pass header.b=Ab/Cd+e= header.i=@a.example", "mx", [("dkim", "pass")]),
    ],
)
def test_what_is_read(value: str, server: str, results: list[tuple[str, str]]) -> None:
    stamp = read_stamp(value)
    assert (stamp.is_whole, stamp.authserv_id, _results(value)) == (True, server, results)


@pytest.mark.parametrize(
    "value",
    [
        "mx 2; dmarc=pass", "mx other; dmarc=pass", "mx; dmarc/2=pass", "mx; dmarc=pass; none",
        "mx; dmarc=pass junk", "mx; junk; dmarc=pass", "mx; dmarc=pass=fail", "mx; =pass", "mx; dmarc=",
        'mx; dmarc="pass', "mx; dmarc=pass (", "mx; dmarc=pass )", "mx; dmarc=pass header.from",
        "mx; dmarc=passheader.from=a.example x", "mx; dmarc=pass\x00",
        "mx; dmarc=pass\rheader.from=a.example",
        "mx; dmarc=pass header.from=a.example header.from=b.example", 'mx; dmarc=pass"x"',
        "mx; dmarc=pa ss=x y",
        # The server repeats the envelope's sender; a lone quote in it ends nothing and opens nothing.
        'mx; spf=pass (domain of "x) ; dmarc=pass header.from=a.b ("@b.example) smtp.mailfrom=b.example',
        "mx; dmarc=pass header.from=a.example " + "(" * 200, "mx; x=" + "y" * 100_000 + "; dmarc=pass",
    ],
)  # fmt: skip
def test_a_malformed_stamp_keeps_its_name_and_proves_nothing(value: str) -> None:
    stamp = read_stamp(value)
    assert (stamp.is_whole, stamp.authserv_id, stamp.results) == (False, "mx", ())


@given(st.text(alphabet='mx.;=()"\\ dmarcpass/1\t\r\n\x00é', max_size=80))
def test_no_jumble_raises_and_a_malformed_stamp_has_no_results(value: str) -> None:
    stamp = read_stamp(value)
    assert stamp.is_whole or not stamp.results


_ATOMS = st.text(alphabet="abcdefghijk0123456789-", min_size=1,
max_size=8).filter(lambda text: text[0] != "-")
_NOISE = st.text(alphabet='ab;=.\\()" /', max_size=8)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _comment(text: str) -> str:
    return "(" + "".join("\\" + letter if letter in '()\\"' else letter for letter in text) + ")"


@given(
    st.lists(st.tuples(st.sampled_from(["dmarc", "dkim", "spf", "x-y"]), _ATOMS, _ATOMS, _NOISE), min_size=1,
             max_size=5),
    st.lists(st.one_of(st.just(" "), st.just("\t"), _NOISE.map(_comment)), min_size=12, max_size=12),
)
def test_a_correct_header_is_read_as_it_was_written(
    written: list[tuple[str, str, str, str]], gaps: list[str]
) -> None:
    """The writer knows where each value stands; whatever quotes and comments hold, the reader finds just
    that."""
    gap = [*gaps, *gaps].__getitem__
    value = f"{gap(0)}mx.a.example{gap(1)};" + ";".join(
        f"{gap(2)}{method}{gap(3)}={gap(4)}{result}{gap(5)} policy{gap(6)}.{gap(7)}{name}{gap(8)}={gap(9)}"
        f"{_quoted(text)}{gap(10)}"
        for method, result, name, text in written
    )
    stamp = read_stamp(value)
    assert stamp.is_whole
    assert [(found.method, found.result, dict(found.properties)) for found in stamp.results] == [
        (method, result, {f"policy.{name}": text}) for method, result, name, text in written
    ]


@pytest.mark.parametrize("piece", ["(", '"', "\\", "a=b ", ";", "(a)", '"\\"', "a.", "()", " ",
"mx; spf=pass ;"])
def test_a_hundred_kilobytes_take_no_time(piece: str) -> None:
    started = time.process_time()
    for prefix in ("", "mx; spf=pass ", "mx; spf=pass (", 'mx; spf="'):
        read_stamp((prefix + piece * 100_000)[:99_999])
    assert time.process_time() - started < 3
