"""Limits on the cost of strangers (SEC-05)."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from fastapi import FastAPI, HTTPException
from fastapi.testclient import TestClient

from service import pictures
from service.web.public_limits import DrawnOnce, RateLimit
from tests.support.public_site import visitor
from tests.support.site import Site
from tests.support.table import open_table


def test_an_address_gets_its_requests_and_then_waits() -> None:
    clock = [0.0]
    limit = RateLimit(at_once=5, a_second=1.0, now=lambda: clock[0])
    assert [limit.allows("192.0.2.1") for _ in range(7)] == [True] * 5 + [False] * 2
    # No one else waits, also not in the next network of IPv6; in the same one all are one.
    assert limit.allows("192.0.2.2")
    assert sum(limit.allows(f"2001:db8::{number}") for number in range(1, 20)) == 5
    assert limit.allows("2001:db8:1::1")
    clock[0] = 2.0
    assert [limit.allows("192.0.2.1") for _ in range(3)] == [True, True, False]
    # A web server on this machine that passes on no address.
    assert all(limit.allows("127.0.0.1") for _ in range(50))


def test_invented_addresses_fill_no_memory() -> None:
    limit = RateLimit()
    for number in range(25_000):
        limit.allows(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
    assert len(limit._left) == 20_000


def test_a_picture_is_drawn_once_for_all_who_ask_at_once() -> None:
    drawn, calls = DrawnOnce(), []

    def draw() -> bytes:
        calls.append(1)
        return b"picture"

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: drawn.get("map", draw), range(40))) == {b"picture"}
    assert len(calls) == 1
    for number in range(200):
        drawn.get(number, lambda: bytes(2_000_000))
    assert len(drawn._pictures) <= 40


def test_who_asks_for_many_pictures_holds_up_nobody_else() -> None:
    """Forty requests for maps that were not drawn yet held all threads of the desk, and a map that was drawn
    waited behind them."""
    drawn, begun, end = DrawnOnce(at_once=3), Event(), Event()
    drawn.get("known", lambda: b"drawn before")

    def draw() -> bytes:
        begun.set()
        assert end.wait(20)
        return b"drawn"

    with ThreadPoolExecutor(3) as pool:
        waiting = [pool.submit(drawn.get, number, draw) for number in range(3)]
        assert begun.wait(20)
        while drawn._waiting < 3:
            time.sleep(0.01)
        assert drawn.get("known", draw) == b"drawn before"
        with pytest.raises(HTTPException) as refusal:
            drawn.get("one more", draw)
        assert (refusal.value.status_code, refusal.value.headers) == (503, {"Retry-After": "30"})
        end.set()
        assert [each.result() for each in waiting] == [b"drawn"] * 3
    assert drawn.get("one more", lambda: b"later") == b"later"


def test_a_game_draws_its_map_once_and_a_flood_is_told_to_wait(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, calls = open_table(site), []

    def draw(*_: object) -> bytes:
        calls.append(1)
        return b"\x89PNG"

    monkeypatch.setattr(pictures, "board_png", draw)
    with visitor(site) as client:
        app = client.app
        assert isinstance(app, FastAPI)
        app.state.public_limit = RateLimit(at_once=6, a_second=0.0)
        stranger = TestClient(app, client=("192.0.2.1", 5000))
        answers = [stranger.get(f"/public/{table.game}/map.png") for _ in range(8)]
    assert [answer.status_code for answer in answers] == [200] * 6 + [429] * 2
    assert answers[-1].headers["retry-after"] == "60"
    reader = stranger.get(f"/public/{table.game}", headers={"Accept": "text/html", "Accept-Language": "de"})
    assert (reader.status_code, reader.headers["retry-after"]) == (429, "60")
    assert "<h1>" in reader.text
    assert "Warten Sie eine Minute" in reader.text
    # What every answer carries.
    assert answers[-1].headers["referrer-policy"] == "no-referrer"
    assert len(calls) == 1


def test_no_form_of_a_stranger_fills_the_memory(site: Site) -> None:
    """Whether it states its size or comes piece by piece without one."""
    with visitor(site) as client:
        large = b"name=Ada&password=" + b"x" * 500_000
        form = {"content-type": "application/x-www-form-urlencoded"}
        assert client.post("/sign-in", content=large, headers=form).status_code == 413
        pieces = (b"name=Ada&" + b"x" * 1000 for _ in range(100_000))
        answer = client.post("/public/entry", content=pieces, headers=form)
        assert (answer.status_code, answer.text.count("\n")) == (413, 1)
        assert answer.headers["referrer-policy"] == "no-referrer"
        # One of ours goes through.
        small = client.post("/sign-in", content=b"name=Ada&password=" + b"x" * 50_000, headers=form)
        assert small.status_code == 401
