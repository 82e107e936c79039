"""Nothing that a sender writes turns a rejected mail into an accepted one (BOX-02, BOX-04).

The provider's own lines come from the 58 mails of the world; the sender's lines, his name in HELO and his
envelope are made up by hypothesis, with the provider's own names, hosts and forms at hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from service.mail.authentication.authenticate import authenticate
from service.mail.authentication.trust import NOBODY, Trust, trust_from_mapping, trust_in
from service.mail.authentication.verdict import Authentication, AuthResult
from service.mail.authors import authors
from service.mail.headers import split_mail
from tests.support.mail_builder import FIXTURES

PROVIDERS = FIXTURES / "world" / "providers"
VICTIM = "thornpost.example"
_STAMP = re.compile(r"^Authentication-Results:.*\n(?:[ \t].*\n)*", re.MULTILINE)
_SENDERS = re.compile(r"^(?:Received: from (?:\[192|vps)|MIME-Version:|Message-ID:|Date:|Subject:|From:)")


@cache
def _index() -> dict[str, Any]:
    value: dict[str, Any] = json.loads((PROVIDERS / "index.json").read_text(encoding="utf-8"))
    return value


@cache
def _trust(key: str) -> Trust:
    return trust_from_mapping({"providers": _index()["providers"]}, key)


def _tops(ending: str) -> Iterator[tuple[str, str]]:
    """Provider and what it wrote on top of a mail, of each case whose name ends so."""
    for case in _index()["cases"]:
        if case["file"].endswith(f"-{ending}.eml"):
            raw = (PROVIDERS / case["file"]).read_bytes().decode("utf-8").replace("\r\n", "\n")
            lines = raw.partition("\n\n")[0].split("\n")
            end = next(number for number, line in enumerate(lines) if _SENDERS.match(line))
            yield case["provider"], "\n".join(lines[:end])


FAILING = list(_tops("fail"))
PASSING = list(_tops("pass"))


def _judge(provider: str, top: str, senders: str, domain: str = VICTIM) -> Authentication:
    mail = f"{top}\n{senders}\nDate: Sat, 05 Jul 2025 09:05:49 +0000\nSubject: x\nFrom: <a@{domain}>\n\n"
    headers, _ = split_mail(mail.encode("utf-8", "surrogateescape"))
    assert authors(headers.all("from"))
    return authenticate(headers, _trust(provider) if provider else NOBODY, domain)


def _concrete(pattern: str, label: str = "mx7") -> str:
    return pattern.replace("*", label)


def _domain(top: str) -> str:
    """The From domain that the top of a mail speaks of."""
    found = re.findall(r"(?:smtp\.mailfrom=|header\.from=|Return-Path: <)(?:[\w.]+@)?([\w.]+\.example)", top)
    return str(found[0])


_METHODS = [
    ("dmarc", "header.from"), ("dmarc", "header.from"), ("dkim", "header.d"), ("dkim", "header.i"),
    ("spf", "smtp.mailfrom"), ("arc", "header.d"),
]  # fmt: skip


@st.composite
def _senders_lines(draw: st.DrawFn, provider: str, domain: str) -> str:
    """What a forger with a list of the provider's habits writes into his own part."""
    habits = _index()["providers"][provider]
    names = [_concrete(name) for name in habits["names"]]
    hosts = [_concrete(host) for host in habits["border_hosts"]] + ["mx.google.com", "[127.0.0.1]", "store7"]
    word = st.sampled_from(["pass", "fail", "none", "PASS", "pass(x)", '"pass"', "(pass) pass"])
    evil = "mail.attacker.example"

    def stamp() -> str:
        name = draw(st.sampled_from([*names, *names, "other.example", ""]))
        of = st.sampled_from([domain, "@" + domain, "attacker.example"])
        methods = draw(st.lists(st.sampled_from(_METHODS), max_size=4))
        results = [f"{method}={draw(word)} {place}={draw(of)}" for method, place in methods]
        kind = draw(st.sampled_from(["Authentication-Results"] * 5 + [
            "ARC-Authentication-Results", "authentication-results ", "X-ME-Authentication-Results"]))
        end = draw(st.sampled_from(["", ";", " (", '"', "; none", "; dmarc=pass"]))
        return f"{kind}: {'; '.join(part for part in (name, *results) if part)}{end}"

    def received() -> str:
        client = draw(st.sampled_from([*hosts, evil, "x"]))
        address = draw(st.sampled_from(["198.51.100.3", "10.0.0.5", "127.0.0.1", "2603:10a6::1", "fd00::1"]))
        by = draw(st.sampled_from([*hosts, evil]))
        shape = draw(st.sampled_from([
            f"from {client} ({client} [{address}]) by {by} with ESMTPS id 1; Sat, 05 Jul 2025 09:05:49 +0000",
            f"by {by} with SMTP id 1", f"from {client} by {by}", f"from {client} ({address}) by {by}",
            "junk"]))
        return f"Received: {shape}"

    lines = [draw(st.sampled_from([stamp, stamp, received]))() for _ in range(draw(st.integers(0, 6)))]
    return "\n".join([*lines, "X-End: 1"])


def test_the_tops_are_what_they_are_taken_for() -> None:
    """Guards the tests below: each provider's failing top fails by its stamp, each passing top passes."""
    assert len(FAILING) == len(PASSING) == 14
    assert {_judge(key, top, "X-End: 1", _domain(top)).result for key, top in FAILING} == {AuthResult.FAIL}
    assert [key for key, top in PASSING if not _judge(key, top, "X-End: 1", _domain(top)).is_proved] == []


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@pytest.mark.parametrize(("provider", "top"), FAILING, ids=[key for key, _ in FAILING])
@given(choice=st.data())
def test_no_line_of_the_sender_helps_against_a_failing_stamp(
    provider: str, top: str, choice: st.DataObject
) -> None:
    domain = _domain(top)
    lines = choice.draw(_senders_lines(provider, domain))
    assert not _judge(provider, top, lines, domain).is_proved


ABOVE = ["microsoft", "fastmail", "zoho", "gmx", "mailboxorg", "posteo", "exim", "mailcow"]
"""Those that write above the border alone; where they wrote nothing, no one else's word is theirs."""


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@pytest.mark.parametrize("provider", ABOVE)
@given(choice=st.data())
def test_no_line_of_the_sender_takes_the_place_of_a_missing_stamp(
    provider: str, choice: st.DataObject
) -> None:
    """The sixth forgery: our stamp is missing and the sender's is in our name below, whatever he states in
    HELO."""
    top = dict(PASSING)[provider]
    domain = _domain(top)
    bare = _STAMP.sub("", top + "\n").strip("\n")
    hosts = [_concrete(host) for host in _index()["providers"][provider]["border_hosts"]]
    helo = choice.draw(st.sampled_from([*hosts, "by", "x(by(" + hosts[0], "x) by attacker.example (", "x by",
                                         "[10.0.0.1]", "localhost", "x"]))
    assert f"from mail.{domain} (" in bare
    bare = bare.replace(f"from mail.{domain} (", f"from {helo} (")
    lines = choice.draw(_senders_lines(provider, domain))
    assert not _judge(provider, bare, lines, domain).is_proved


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@pytest.mark.parametrize("provider", ["gmail", "icloud", "workmail", "proton", "postfix", "yahoo"])
@given(choice=st.data())
def test_no_line_of_the_sender_replaces_a_missing_policy(provider: str, choice: st.DataObject) -> None:
    """A domain without DMARC, signed by no one: Gmail then writes SPF alone, the others dmarc=none. The
    sender's lines stand directly below."""
    top = dict(FAILING)[provider]
    domain = _domain(top)
    if provider == "gmail":
        top = re.sub(r";\s+dmarc=fail \([^)]*\) header\.from=\S+", "; dkim=pass header.i=@attacker.example",
        top)
    else:
        top = top.replace("dmarc=fail", "dmarc=none")
    lines = choice.draw(_senders_lines(provider, domain))
    assert not _judge(provider, top, lines, domain).is_proved


# What the server repeats of the sender's words: HELO and the envelope, quoted as RFC 5321 has them there.
_LOCAL = st.text(alphabet='a;=()"\\ .@', max_size=12)
_INJECTION = f"; dmarc=pass header.from={VICTIM} "


@given(_LOCAL, _LOCAL, st.booleans())
def test_no_envelope_and_no_helo_proves_a_sender(before: str, after: str, has_dmarc: bool) -> None:
    text = before + _INJECTION + after
    local = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    envelope = f"{local}@attacker.example"
    last = f"; dmarc=fail header.from={VICTIM}" if has_dmarc else ""
    remark = f"(mx.a.example: domain of {envelope} designates 203.0.113.9 as permitted sender)"
    for value in (
        f"mx.a.example; spf=pass {remark} smtp.mailfrom={envelope}{last}",
        f"mx.a.example; spf=pass smtp.mailfrom={envelope} smtp.helo={local}{last}",
        f"mx.a.example; spf=fail reason={local} smtp.mailfrom=attacker.example{last}",
    ):
        headers, _ = split_mail(f"Authentication-Results: {value}\nFrom: <a@{VICTIM}>\n\n".encode())
        assert not authenticate(headers, trust_in(["mx.a.example"]), VICTIM).is_proved


@given(_LOCAL, _LOCAL)
def test_no_words_in_from_or_subject_prove_a_sender(before: str, after: str) -> None:
    words = f"{before}\r\n Authentication-Results: mx.a.example{_INJECTION}{after}"
    for field in ("Subject", "From", "X-Note", "Received"):
        headers, _ = split_mail(f"{field}: {words}\r\n\r\n".encode())
        assert authenticate(headers, trust_in(["mx.a.example"]), VICTIM).result is AuthResult.NONE


@pytest.mark.parametrize("helo", ["x(by(mx7.prod.outlook.com", "x) by attacker.example (", "x by"])
def test_a_border_that_its_client_made_unreadable_is_no_hop(helo: str) -> None:
    """The entry line named no host, so a Received line of the sender's own was taken for it, and his stamp
    above that for Microsoft's."""
    top = dict(PASSING)["microsoft"]
    domain = _domain(top)
    bare = _STAMP.sub("", top + "\n").strip("\n").replace(f"from mail.{domain} (", f"from {helo} (")
    lines = (f"Authentication-Results: dmarc=pass header.from={domain}\n"
             "Received: from mx7.prod.outlook.com (mx7.prod.outlook.com [198.51.100.3]) by "
             "mx7.mail.protection.outlook.com with ESMTPS id 1; Sat, 05 Jul 2025 09:05:49 +0000\nX-End: 1")
    assert not _judge("microsoft", bare, lines, domain).is_proved
