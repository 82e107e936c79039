"""Every route of the site under values no one meant: by schemathesis from the application's own
description, with and without a signed-in person. No fault of ours, no page without its headers, nothing shown
to a stranger.

Needs schemathesis (with the benches): the long suite installs it.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings
from sqlalchemy import select

from service.bootstrap import open_site
from service.cli.games import create_game
from service.site_folder import settings_of
from service.store.tables import SessionRow
from service.web import sessions
from service.web.page import HEADERS
from service.web.public_limits import RateLimit
from tests.support.desk_table import open_desk
from tests.support.own_site import game_file, own_site
from tests.support.site import Site
from tests.support.table import open_table

EXAMPLES = 15
"""Requests for each route and method."""
OPEN_TO_ALL = ("/public/", "/static", "/sign-in", "/alive", "/metrics", "/openapi.json")


@dataclass
class Desk:
    """A browser at a whole site with one game, and the token of its signed-in person's forms."""

    client: TestClient
    csrf: str
    token: str

    def sign_in(self) -> None:
        self.client.cookies.set(sessions.COOKIE, self.token)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    folder = own_site(tmp_path / "site")
    assert create_game(folder, game_file(tmp_path), io.StringIO()) == 0
    site = open_site(settings_of(folder))
    now = datetime.now(UTC)
    with site.store.begin() as session:
        sessions.add_user(session, "Ada", "a password of the tests", now)
        session.flush()
        token = sessions.sign_in(session, "Ada", "a password of the tests", now)
        assert token is not None
        session.flush()
        csrf = session.scalars(select(SessionRow.csrf)).one()
    app = site.desk()
    app.state.public_limit = RateLimit(at_once=1_000_000)  # else most of the walk is instructed to wait
    client = TestClient(
        app, base_url="http://testserver", raise_server_exceptions=False, follow_redirects=False
    )
    yield Desk(client, csrf, token)
    client.close()
    site.engine.dispose()


def operations(desk: Desk) -> list[Any]:
    """Each route with each of its methods; the description is put on the application only here."""
    schemathesis: Any = import_module("schemathesis")
    app: Any = desk.client.app
    app.openapi_url = "/openapi.json"
    app.setup()
    schema = schemathesis.openapi.from_dict(app.openapi())
    return [operation.ok() for operation in schema.get_all_operations()]


def sent(desk: Desk, case: Any, *, token: bool) -> httpx.Response:
    """The case as a browser would send it. `token`: forms show the token of their session, so that they are
    not turned away at the door."""
    body = case.body if isinstance(case.body, dict) else {}
    form = {str(name): value if isinstance(value, str) else str(value) for name, value in body.items()}
    if token:
        form["csrf"] = desk.csrf
    query = {str(name): str(value) for name, value in (case.query or {}).items()}
    answer: httpx.Response = desk.client.request(
        case.method.upper(), case.formatted_path, params=query, data=form or None
    )
    return answer


def check(case: Any, answer: httpx.Response) -> None:
    assert answer.status_code < 500, (case.method, case.formatted_path, case.query, case.body)
    for name, value in HEADERS.items():
        assert answer.headers.get(name) == value, (case.formatted_path, name)


@pytest.mark.slow
@pytest.mark.parametrize("signed_in", [True, False], ids=["signed in", "a stranger"])
def test_no_request_is_a_fault_of_ours(desk: Desk, signed_in: bool) -> None:
    pytest.importorskip("schemathesis")
    walked, faults = 0, list[str]()
    for operation in operations(desk):
        if operation.path.endswith((".pdf", ".png")) or operation.path == "/sign-out":
            continue  # drawings of seconds; and what would end the walk

        @settings(
            max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None,
            phases=[Phase.explicit, Phase.generate],
        )
        @given(case=operation.as_strategy())
        def run_case(case: Any) -> None:
            desk.client.cookies.clear()
            if signed_in:
                desk.sign_in()
            answer = sent(desk, case, token=signed_in)
            check(case, answer)
            if (
                not signed_in
                and not case.formatted_path.startswith(OPEN_TO_ALL)
                and case.formatted_path != "/"
            ):
                assert answer.status_code != 200, case.formatted_path
                # A picture of a line is an order, whatever status comes with it.
                assert answer.headers.get("content-type", "").partition("/")[0] != "image"

        walked += 1
        try:
            run_case()
        except Exception as error:
            faults.append(f"{operation.method} {operation.path}: {error}")
    assert not faults, "\n\n".join(faults)
    # A walk that finds no routes would pass without this.
    assert walked >= 60


ODD = (
    "/" + "a" * 5000, "/%00", "/..%2f..%2fetc%2fpasswd", "/static/../../galloper.toml",
    "/static/%2e%2e/%2e%2e/galloper.toml",
    "/games/%f0%9f%92%a9", "/desk/9999999999999999999999", "/letters/-1/part/99999999999999999999",
    "/images/line/1e9",
    # Found by this walk: a number that no column holds was a 500.
    "/rehearsal/99999999999999999999/picture/map.pdf",
)


def test_an_address_that_nobody_made_is_no_page(site: Site) -> None:
    desk = open_desk(open_table(site))
    for path in ODD:
        answer = desk.client.get(path)
        assert answer.status_code in {400, 404}, path[:60]
        assert "root:" not in answer.text
        assert "password" not in answer.text
