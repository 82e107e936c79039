"""Limits on strangers' connections (SEC-05): over real sockets, with limits of a second."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, Request, Response
from starlette.requests import ClientDisconnect
from uvicorn.server import ServerState

from service.config import Web
from service.web.connections import ConnectionLimits, LimitedConnection, limited_to
from service.web.networks import network_of
from service.web.public_limits import BodyLimit
from service.web.server import WebServer

LIMITS = ConnectionLimits(most=4, head_seconds=1.0, body_seconds=1.0, bytes_a_second=1000.0)
LARGE = 24_000_000
HEAD = b"GET /alive HTTP/1.1\r\nHost: desk.example\r\n"
FORM = b"POST /form HTTP/1.1\r\nHost: desk.example\r\n"


@contextmanager
def served(*, proxies: tuple[str, ...] = ("127.0.0.1",)) -> Iterator[WebServer]:
    app = FastAPI()

    @app.get("/alive")
    def alive(request: Request) -> str:
        assert request.client is not None
        return request.client.host

    @app.post("/form")
    async def form(request: Request) -> int:
        try:
            return len(await request.body())
        except ClientDisconnect:
            return 0

    @app.get("/large")
    def large() -> Response:
        return Response(bytes(LARGE))

    app.add_middleware(BodyLimit)
    server = WebServer(app, "127.0.0.1", 0, proxies, LIMITS)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def connection(server: WebServer, *messages: bytes) -> socket.socket:
    host, _, port = server.address.removeprefix("http://").partition(":")
    opened = socket.create_connection((host, int(port)), timeout=10)
    for words in messages:
        opened.sendall(words)
    return opened


def answer(opened: socket.socket) -> bytes:
    """All that comes until the server ends the connection."""
    heard = b""
    try:
        while more := opened.recv(65536):
            heard += more
    except ConnectionResetError:
        pass
    opened.close()
    return heard


def test_a_request_that_does_not_come_to_its_end_is_given_up() -> None:
    """Three thousand of them were held for as long as their sender liked, each with an open file."""
    with served() as server:
        begun = time.monotonic()
        heads = [connection(server, HEAD), connection(server)]
        body = connection(server, FORM + b"Content-Length: 900\r\n\r\nab")
        # A person who is slow, and within the limits, is waited for.
        slow = connection(server, FORM + b"Content-Length: 1700\r\nConnection: close\r\n\r\n", b"a" * 1600)
        time.sleep(1.3)
        slow.sendall(b"a" * 100)
        assert answer(slow).endswith(b"1700")
        assert [answer(opened) for opened in (*heads, body)] == [b"", b"", b""]
        assert time.monotonic() - begun < 8
        assert httpx.get(f"{server.address}/alive").status_code == 200


def test_a_head_that_drips_after_a_first_answer_is_given_up_too() -> None:
    with served() as server:
        opened = connection(server, HEAD + b"\r\n")
        heard = b""
        while not heard.endswith(b'"127.0.0.1"'):
            heard += opened.recv(65536)
        opened.sendall(HEAD)
        for _ in range(20):
            time.sleep(0.1)
            try:
                opened.sendall(b"X: y\r\n")
            except OSError:
                break
        assert answer(opened) == b""


@pytest.mark.slow
def test_an_answer_that_nobody_takes_is_held_for_no_longer_than_a_body() -> None:
    """A map has a megabyte, and was held for each of four hundred that never read it."""
    with served() as server:
        opened = connection(server, HEAD.replace(b"/alive", b"/large") + b"\r\n")
        slow = connection(server, HEAD.replace(b"/alive", b"/large") + b"Connection: close\r\n\r\n")
        taken = 0
        for _ in range(12):  # slow, and longer than the limit
            time.sleep(0.15)
            taken += len(slow.recv(LARGE // 20))
        taken += len(answer(slow))
        assert taken > LARGE
        assert len(answer(opened)) < LARGE


def test_of_more_connections_than_are_open_at_once_the_last_is_told_to_wait() -> None:
    with served() as server:
        others = [connection(server) for _ in range(4)]
        time.sleep(0.2)
        refusal = answer(connection(server, HEAD + b"\r\n"))
        assert refusal.startswith(b"HTTP/1.1 503")
        assert b"try again in a minute" in refusal
        for opened in others:
            opened.close()
        time.sleep(0.2)
        assert httpx.get(f"{server.address}/alive").status_code == 200


def test_one_address_has_no_more_than_its_share_and_a_web_server_before_us_has() -> None:
    limited = limited_to(ConnectionLimits(most=400, most_of_a_network=2), ["198.51.100.0/24"])
    with closing(asyncio.new_event_loop()) as loop:

        def of(host: str) -> LimitedConnection:
            """A connection of this host, before anything is stated."""
            opened = limited(uvicorn.Config(FastAPI(), log_config=None), ServerState(), {}, loop)
            opened.client = (host, 1)
            return opened

        last = of("192.0.2.7")
        last.connections.update({last, of("192.0.2.7"), of("192.0.2.8"), of("127.0.0.1")})
        assert not last._is_one_too_many()
        last.connections.add(of("192.0.2.7"))
        assert last._is_one_too_many()
        # The web server that is before the desk has everybody's connections, and so has this machine.
        for host in ("198.51.100.4", "127.0.0.1"):
            server = of(host)
            server.connections.update({server, *(of(host) for _ in range(30))})
            assert not server._is_one_too_many()


def test_only_named_web_servers_say_for_whom_they_ask() -> None:
    """Anybody else would have a new address for each guess."""
    claimed = {"X-Forwarded-For": "203.0.113.9, 198.51.100.4"}
    with served() as server:
        assert httpx.get(f"{server.address}/alive", headers=claimed).json() == "198.51.100.4"
    with served(proxies=("192.0.2.0/24",)) as server:
        assert httpx.get(f"{server.address}/alive", headers=claimed).json() == "127.0.0.1"
    assert Web(proxies=("172.18.0.0/16", "::1")).proxies == ("172.18.0.0/16", "::1")
    with pytest.raises(ValueError, match="neither an address nor a network"):
        Web(proxies=("caddy",))
    assert Web.model_validate({"proxies": "172.18.0.0/16, ::1"}).proxies == ("172.18.0.0/16", "::1")


def test_no_address_that_holds_a_secret_is_a_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """The links of players are secrets in addresses (SEC-05)."""
    with caplog.at_level("DEBUG"), served() as server:
        for path in ("/alive?secret-of-a-link", "/public/me/secret-of-a-link"):
            httpx.get(f"{server.address}{path}", headers={"Referer": "https://x.example/secret-of-a-link"})
        answer(connection(server, b"GET /secret-of-a-link HTTP/1.1\r\n\r\n"))
    kept_records = [record for record in caplog.records if not record.name.startswith(("httpx", "httpcore"))]
    assert not [record for record in kept_records if "secret-of-a-link" in record.getMessage()]


def test_words_that_are_no_address_have_one_count() -> None:
    """They passed for this machine, which is not counted."""
    assert network_of("nonsense") == network_of("1.2.3.4.5") != network_of("127.0.0.1")
    assert network_of("::ffff:192.0.2.1") == "192.0.2.1"


def test_a_request_with_two_lengths_ends_its_connection() -> None:
    """RFC 9112, 6.1. The small length passed, and the stream without an end came in; what followed it was
    taken for its own request."""
    request = (FORM + b"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HEAD + b"\r\n")
    with served() as server:
        heard = answer(connection(server, request))
    assert heard.startswith(b"HTTP/1.1 400")
    assert heard.count(b"HTTP/1.1") == 1
    assert b"in two ways" in heard
