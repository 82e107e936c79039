"""A game whose every word is hostile, walked route by route in a real browser (SEC-06): nothing runs, nothing
leaves."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI

import maps
from service.intake.opening.open_mail import OwnBodies
from service.store.tables import (
    EventRow,
    GameRow,
    LineRow,
    MailRow,
    OutboxRow,
    PlayerRow,
    PostalAddressRow,
    SessionRow,
    UserRow,
)
from service.web import sessions
from service.web.server import WebServer
from tests.support.desk_site import AFTER, DEADLINE, DeskSite
from tests.support.features import of_features

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800), pytest.mark.xdist_group("browser")]

TOKEN = "a-token-of-somebody-hostile"
# Markup in every place of a page: text, attribute, address, script, style; a mark of direction; Jinja's
# braces.
HOSTILE = (
    "\u202e\"'><script>window.owned=1</script><img src=//evil.example/x onerror=window.owned=2>"
    "<svg onload=window.owned=3><a href=javascript:window.owned=4>x</a>{{ 7 * 7 }}"
)
SHORT = "<img src=//evil.example onerror=window.owned=5>"
LONG = (HOSTILE * 60)[:10_000]
LETTER = (
    "From: a@example.org\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: text/html; "
    f"charset=utf-8\r\n\r\n{HOSTILE}"
).encode()
VALUES = {
    "game_id": "powick-bridge",
    "phase_id": "7",
    "line": "3",
    "submission_id": "1",
    "slug": "w3k",
    "variant": "w3k",
}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskSite]:
    desk_site = DeskSite(tmp_path)
    ports = desk_site.client.app.state.ports  # type: ignore[attr-defined]
    # The page of a mail opens it, and queues and answers nothing.
    table = SimpleNamespace(
        site=SimpleNamespace(blobs=desk_site.blobs, jobs=None), load=maps.load, writer=ports.letters,
        bodies=OwnBodies())
    doors = [open_door(table) for name, open_door in of_features("DOORS").items() if name == "quarantine"]
    desk_site.client.app.state.ports = replace(ports, doors=doors)  # type: ignore[attr-defined]
    with desk_site.store.begin() as session:
        game = session.get_one(GameRow, "powick-bridge")
        game.name, game.aliases = HOSTILE[:200], [HOSTILE]
        game.options = {**game.options, "coordinator": HOSTILE, "return_address": [HOSTILE, LONG]}
        player = session.get_one(PlayerRow, 1)
        player.name, player.accommodation = HOSTILE[:200], LONG
        session.add(PostalAddressRow(player_id=1, lines=[HOSTILE, LONG], made_at=AFTER, made_by=SHORT))
        for line in session.query(LineRow):
            line.text = HOSTILE
        session.add(UserRow(name=SHORT, password="", created_at=AFTER))
        session.flush()
        session.add(
            SessionRow(
                token_hash=hashlib.sha256(TOKEN.encode()).hexdigest(),
                user=SHORT,
                csrf="t" * 24,
                browser=HOSTILE[:200],
                created_at=AFTER,
                seen_at=AFTER,
            )
        )
        session.add(
            MailRow(
                sha256=desk_site.blobs.put(LETTER),
                size=len(LETTER),
                received_at=DEADLINE,
                stored_at=DEADLINE,
                state="quarantined",
                reason=SHORT[:60],
                sender=HOSTILE,
                verdict={"subject": LONG, "game": HOSTILE, "power": HOSTILE, "files": [HOSTILE]},
            )
        )
        session.add(
            OutboxRow(
                key="k",
                kind="rejection",
                recipient=HOSTILE,
                subject=LONG,
                message=desk_site.blobs.put(LETTER),
                message_id="<1@x>",
                state="failed",
                error=LONG,
                due_at=DEADLINE,
            )
        )
        session.add(
            EventRow(
                at=DEADLINE,
                game_id="powick-bridge",
                actor=SHORT,
                what="option_changed",
                detail={"why": LONG, HOSTILE: SHORT},
            )
        )
    yield desk_site
    desk_site.close()


def routes(app: FastAPI) -> list[str]:
    paths = [path for path, methods in app.openapi()["paths"].items() if "get" in methods]
    return sorted({re.sub(r"\{(\w+)\}", lambda match: VALUES.get(match[1], "1"), path) for path in paths})


def test_nothing_runs_and_nothing_leaves_on_any_route(chromium: Any, desk: DeskSite) -> None:
    app = desk.client.app
    assert isinstance(app, FastAPI)
    paths = [
        *routes(app),
        f"/quarantine/{hashlib.sha256(LETTER).hexdigest()}",
        "/people",
        "/log?q=" + SHORT,
        "/nowhere/" + SHORT,
        "/sign-in?to=javascript:window.owned=6",
        "/people?notice=" + SHORT,
        "/log?game=" + SHORT,
    ]
    assert len(paths) > 60
    server = WebServer(app, "127.0.0.1", 0)
    server.start()
    context = chromium.new_context(viewport={"width": 360, "height": 800})
    context.add_cookies([{"name": sessions.COOKIE, "value": TOKEN, "url": server.address}])
    page = context.new_page()
    left: list[str] = []
    page.on(
        "request",
        lambda request: (
            None if request.url.startswith((server.address, "data:")) else left.append(request.url)
        ),
    )
    page.on("dialog", lambda dialog: left.append(dialog.message))
    page.on("popup", lambda popup: left.append(popup.url))
    owned, failed, shown = [], [], 0
    try:
        for path in paths:
            # What is offered as a file, or has no end, is not a page.
            answer = desk.client.get(path, cookies={sessions.COOKIE: TOKEN}) if "events" not in path else None
            if answer is None or "text/html" not in answer.headers.get("content-type", ""):
                continue
            if answer.status_code == 500:
                failed.append(path)
                continue
            policy = answer.headers["content-security-policy"]
            assert "unsafe" not in policy, path
            page.goto(server.address + path, wait_until="load")
            shown += 1
            if (
                page.evaluate("window.owned") is not None
                or page.locator("img[onerror], svg[onload], a[href^=javascript]").count()
            ):
                owned.append(path)
        assert (owned, left, failed) == ([], [], [])
        assert shown > 40
    finally:
        context.close()
        server.stop()


def test_head_is_answered_as_get_is(desk: DeskSite) -> None:
    """For the pages that machines look at."""
    for path in ("/sign-in", "/public/powick-bridge/map", "/alive"):
        got, head = desk.client.get(path), desk.client.head(path)
        assert head.status_code in {got.status_code, 405}, path
        assert head.content == b""
