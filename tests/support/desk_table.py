"""The desk over a whole game without mail servers: the pages of `tests.support.table.Table`, signed in."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from html import unescape
from typing import Any

import httpx
from fastapi import FastAPI
from fastapi.testclient import TestClient

from service.app import create_app
from service.intake.ignored_mails import judge_again
from service.notices.broadcasts import Broadcasts
from service.store.tables import SessionRow
from service.web import sessions
from service.web.server import WebServer
from tests.support.desk_ports import desk_ports
from tests.support.features import of_features
from tests.support.table import Table

NAME, TOKEN, CSRF = "Ada", "a-token-of-the-tests", "a-form-token-of-the-tests"
PASSWORD = "correct horse"


@dataclass
class DeskTable:
    """A table and a browser at its desk."""

    table: Table
    client: TestClient

    def page(self, path: str, status: int = 200) -> str:
        """A page's text, tags and all, after one check of its status; blanks run together."""
        answer = self.client.get(path)
        assert answer.status_code == status, answer.text
        return " ".join(answer.text.split())

    def text(self, path: str, status: int = 200) -> str:
        """The contents of a page, without its tags."""
        return plain(self.page(path, status))

    def post(self, path: str, **values: object) -> httpx.Response:
        """Send a form with its token."""
        answer: httpx.Response = self.client.post(
            path, data={"csrf": CSRF, **{k: str(v) for k, v in values.items()}}
        )
        return answer

    def press_twice(self, path: str, **values: object) -> httpx.Response:
        """Send a form that first shows what it does, and then the form of that page as it is."""
        page = self.post(path, **values)
        assert page.status_code == 200, page.text
        answer: httpx.Response = self.client.post(path, data=carried(page.text, path))
        return answer


@contextmanager
def served(desk: DeskTable) -> Iterator[str]:
    """The desk on a socket, for a real browser with the cookie `TOKEN`; its address."""
    assert isinstance(desk.client.app, FastAPI)
    server = WebServer(desk.client.app, "127.0.0.1", 0)
    server.start()
    try:
        yield server.address
    finally:
        server.stop()


def carried(html: str, path: str) -> dict[str, list[str]]:
    """The hidden fields of the form of a page that leads to `path`, each with its values in order."""
    _, action, form = html.partition(f'<form method="post" action="{path}">')
    assert action, f"no form leads to {path}"
    fields: dict[str, list[str]] = {}
    for name, value in re.findall(
            r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form.partition("</form>")[0]):
        fields.setdefault(unescape(name), []).append(unescape(value))
    return fields


def plain(html: str) -> str:
    """The contents of a page, without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def open_desk(table: Table, role: str = "coordinator", **ports: Any) -> DeskTable:
    """The desk of a table with a signed-in person; `ports` replace its doors."""
    now = table.site.clock.now()
    with table.site.store.begin() as session:
        sessions.add_user(session, NAME, PASSWORD, now, role)
        session.flush()
        session.add(SessionRow(token_hash=hashlib.sha256(TOKEN.encode()).hexdigest(), user=NAME, csrf=CSRF,
                               created_at=now, seen_at=now))

    doors: dict[str, Any] = {
        "sessions": table.site.store,
        "blobs": table.site.blobs,
        "clock": table.site.clock,
        "wall": table.site.clock,
        "secure_cookies": False,
        "load": table.load,
        "judge_when_read": table.judge_when_read,
        "approve": table.approve_phase,
        "judge_again": partial(judge_again, table.site.jobs),
        "circulars": Broadcasts(table.writer),
        "doors": [open_door(table) for open_door in of_features("DOORS").values()],
        **ports,
    }
    client = TestClient(
        create_app(desk_ports(**doors)),
        base_url="http://testserver",
        # A fault of ours is a page with status 500, as a person would meet it.
        raise_server_exceptions=False,
        follow_redirects=False,
    )
    client.cookies.set(sessions.COOKIE, TOKEN)
    return DeskTable(table, client)
