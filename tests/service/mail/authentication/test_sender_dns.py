"""The way to DNS: what an answer means, how long it is stored, and how long a mail may wait for it
(BOX-03)."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import dns.flags
import dns.message
import dns.rcode
import dns.resolver
import dns.rrset
import pytest

from service.mail.authentication.dns import (
    ABSENT_KEPT,
    LONGEST_KEPT,
    MOST_NAMES,
    SECONDS_PER_MAIL,
    SECONDS_PER_QUERY,
    SHORTEST_KEPT,
    UNAVAILABLE_KEPT,
    CachedLookup,
    MailLookups,
    SystemLookup,
    TableLookup,
    TxtAnswer,
    TxtState,
)
from service.mail.authentication.domains import covers, organizational_domain

Answer = Callable[[dns.message.Message], dns.message.Message | None]


@contextmanager
def _name_server(answer: Answer, answer_tcp: Answer | None = None) -> Iterator[int]:
    """A real DNS server on loopback; its port."""
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    port = udp.getsockname()[1]
    tcp = socket.create_server(("127.0.0.1", port))

    def by_udp() -> None:
        while True:
            try:
                wire, client = udp.recvfrom(4096)
            except OSError:
                return
            reply = answer(dns.message.from_wire(wire))
            if reply is not None:
                udp.sendto(reply.to_wire(), client)

    def by_tcp() -> None:
        while True:
            try:
                connection, _ = tcp.accept()
            except OSError:
                return
            with connection:
                wire = connection.recv(4096)[2:]
                reply = (answer_tcp or answer)(dns.message.from_wire(wire))
                if reply is not None:
                    text = reply.to_wire()
                    connection.sendall(len(text).to_bytes(2, "big") + text)

    for target in (by_udp, by_tcp):
        threading.Thread(target=target, daemon=True).start()
    try:
        yield port
    finally:
        udp.close()
        tcp.close()


def _ask(
    monkeypatch: pytest.MonkeyPatch, port: int, name: str = "a.example", seconds: float = 1.0
) -> TxtAnswer:
    whole = dns.resolver.Resolver

    def resolver(*_: Any, **__: Any) -> dns.resolver.Resolver:
        local = whole(configure=False)
        local.nameservers, local.port = ["127.0.0.1"], port
        return local

    monkeypatch.setattr(dns.resolver, "Resolver", resolver)
    return SystemLookup().txt(name, seconds)


def _texts(query: dns.message.Message, *texts: str, ttl: int = 300) -> dns.message.Message:
    reply = dns.message.make_response(query)
    reply.answer.append(dns.rrset.from_text(query.question[0].name, ttl, "IN", "TXT", *texts))
    return reply


def _coded(code: int) -> Answer:
    def answer(query: dns.message.Message) -> dns.message.Message:
        reply = dns.message.make_response(query)
        reply.set_rcode(dns.rcode.Rcode(code))
        return reply

    return answer


def _cut_off(query: dns.message.Message) -> dns.message.Message:
    reply = dns.message.make_response(query)
    reply.flags |= dns.flags.TC
    return reply


def test_strings_are_joined_and_records_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    with _name_server(lambda query: _texts(query, '"v=DKIM1; " "p=abc"', '"other"', ttl=77)) as port:
        answer = _ask(monkeypatch, port)

    assert answer.state is TxtState.ANSWERED
    assert set(answer.records) == {b"v=DKIM1; p=abc", b"other"}
    assert 70 <= answer.ttl <= 77


def test_a_long_answer_comes_by_tcp(monkeypatch: pytest.MonkeyPatch) -> None:
    with _name_server(_cut_off, lambda query: _texts(query, *[f'"{"k" * 255}"'] * 9)) as port:
        assert len(_ask(monkeypatch, port).records[0]) == 255


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (_coded(dns.rcode.NXDOMAIN), TxtState.ABSENT),
        (_coded(dns.rcode.NOERROR), TxtState.ABSENT),
        (_coded(dns.rcode.SERVFAIL), TxtState.UNAVAILABLE),
        (_coded(dns.rcode.REFUSED), TxtState.UNAVAILABLE),
        (lambda _query: None, TxtState.UNAVAILABLE),
    ],
)  # fmt: skip
def test_only_an_answer_says_that_there_is_none(
    answer: Answer, state: TxtState, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that fails, refuses or is silent has nothing about a player's key."""
    with _name_server(answer) as port:
        # A busy machine may take half a second for an answer; only silence is waited for.
        answered = _ask(monkeypatch, port, seconds=10.0 if state is TxtState.ABSENT else 0.5)

    assert answered.state is state
    assert bool(answered.fault) == (state is TxtState.UNAVAILABLE)


def test_names_that_cannot_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    with _name_server(_coded(dns.rcode.SERVFAIL)) as port:
        for name in ("a..example", f"{'a' * 64}.example", ".".join(["a" * 60] * 5), "\N{SNOWMAN}" * 70):
            assert _ask(monkeypatch, port, name).state is TxtState.ABSENT


class Counting:
    """DNS whose answers are given, with the names that it was asked for."""

    def __init__(self, answer: TxtAnswer) -> None:
        self.answer = answer
        self.asked: list[tuple[str, float]] = []

    def txt(self, name: str, seconds: float) -> TxtAnswer:
        self.asked.append((name, seconds))
        return self.answer


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        (TxtAnswer(TxtState.ANSWERED, (b"x",), 600), 600),
        (TxtAnswer(TxtState.ANSWERED, (b"x",), 0), SHORTEST_KEPT),
        (TxtAnswer(TxtState.ANSWERED, (b"x",), 10**9), LONGEST_KEPT),
        (TxtAnswer(TxtState.ABSENT), ABSENT_KEPT),
        (TxtAnswer(TxtState.UNAVAILABLE, fault="x"), UNAVAILABLE_KEPT),
    ],
)  # fmt: skip
def test_how_long_an_answer_is_kept(answer: TxtAnswer, seconds: int) -> None:
    now = [1000.0]
    asked = Counting(answer)
    cache = CachedLookup(asked, lambda: now[0])
    for moment, count in ((0, 1), (seconds - 1, 1), (seconds, 2)):
        now[0] = 1000.0 + moment
        assert cache.txt("A.example.", 5) == answer
        assert len(asked.asked) == count


def test_the_cache_is_bounded() -> None:
    asked = Counting(TxtAnswer(TxtState.ANSWERED, (b"x",), 600))
    cache = CachedLookup(asked)
    for number in range(MOST_NAMES + 1):
        cache.txt(f"{number}.example", 5)
    cache.txt(f"{MOST_NAMES}.example", 5)
    assert len(asked.asked) == MOST_NAMES + 1
    cache.txt("0.example", 5)
    assert len(asked.asked) == MOST_NAMES + 2


def test_one_mail_waits_so_long_and_no_longer() -> None:
    slow = Slow()
    lookups = MailLookups(slow, seconds_now=lambda: slow.now)
    for _ in range(20):
        assert lookups.txt("a.example").state is TxtState.UNAVAILABLE
    assert slow.now == SECONDS_PER_MAIL
    assert max(slow.waits) == SECONDS_PER_QUERY


class Slow:
    """DNS that is silent for as long as it is given, or for four seconds."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def txt(self, name: str, seconds: float) -> TxtAnswer:
        self.waits.append(seconds)
        self.now += min(seconds, 4.0)
        return TxtAnswer(TxtState.UNAVAILABLE, fault="was silent")


def test_a_table() -> None:
    table = TableLookup({"A.Example.": "x", "b.example": ["y", "z"]})
    assert table.txt("a.example", 1).records == (b"x",)
    assert table.txt("b.example.", 1).records == (b"y", b"z")
    assert table.txt("c.example", 1).state is TxtState.ABSENT


@pytest.mark.parametrize(
    ("signer", "domain", "speaks"),
    [
        ("post.example", "post.example", True),
        ("post.example", "mail.post.example", True),
        ("Post.Example.", "post.example", True),
        ("mail.post.example", "post.example", False),
        ("one.post.example", "two.post.example", False),
        ("badpost.example", "post.example", False),
        ("example", "post.example", False),
        ("co.uk", "a.co.uk", False),
        ("co.uk", "co.uk", False),
        ("a.co.uk", "mx.a.co.uk", True),
        # The private part of the list: each name below belongs to another person.
        ("github.io", "galloper.github.io", False),
        ("galloper.github.io", "galloper.github.io", True),
        # Wildcards and exceptions of the list.
        ("kawasaki.jp", "a.kawasaki.jp", False),
        ("city.kawasaki.jp", "a.city.kawasaki.jp", True),
        ("xn--mller-kva.example", "m\N{LATIN SMALL LETTER U WITH DIAERESIS}ller.example", True),
        ("", "", False),
        (".", "a.example", False),
        ("a..example", "a..example", False),
    ],
)  # fmt: skip
def test_who_speaks_for_whom(signer: str, domain: str, speaks: bool) -> None:
    assert covers(signer, domain) is speaks


def test_organizations() -> None:
    assert organizational_domain("mx.a.co.uk") == "a.co.uk"
    assert organizational_domain("co.uk") is None
