"""Every route of the site under values nobody meant: by schemathesis from the application's own description, with and
without a signed-in person. No fault of ours, no page without its headers, nothing shown to a stranger.

Needs schemathesis (with the benches): the long suite installs it.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from service.desk.doorway import HEADERS
from tests.service.desk_site import DeskSite

EXAMPLES = 40
"""Requests for each route and method, and as many again that follow its description less closely."""
OPEN_TO_ALL = ("/public/", "/static", "/sign-in", "/alive", "/metrics", "/openapi.json")


@pytest.fixture
def desk(tmp_path: Path) -> Any:
    made = DeskSite(tmp_path)
    yield made
    made.close()


def operations(desk: DeskSite) -> list[Any]:
    """Each route with each of its methods; the description is put on the application only here."""
    schemathesis: Any = import_module("schemathesis")
    app: Any = desk.client.app
    app.openapi_url = "/openapi.json"
    app.setup()
    schema = schemathesis.openapi.from_dict(app.openapi())
    return [found.ok() for found in schema.get_all_operations()]


def sent(desk: DeskSite, case: Any, *, token: bool) -> httpx.Response:
    """The case as a browser would send it. `token`: forms show the token of their session, so that they are not turned
    away at the door."""
    body = case.body if isinstance(case.body, dict) else {}
    form = {str(name): value if isinstance(value, str) else str(value) for name, value in body.items()}
    if token:
        form["csrf"] = desk.csrf
    query = {str(name): str(value) for name, value in (case.query or {}).items()}
    answer: httpx.Response = desk.client.request(case.method.upper(), case.formatted_path, params=query, data=form or None)
    return answer


def check(case: Any, answer: httpx.Response) -> None:
    assert answer.status_code < 500, (case.method, case.formatted_path, case.query, case.body)
    for name, value in HEADERS.items():
        assert answer.headers.get(name) == value, (case.formatted_path, name)


@pytest.mark.slow
@pytest.mark.parametrize("signed_in", [True, False], ids=["signed in", "a stranger"])
def test_no_request_is_a_fault_of_ours(desk: DeskSite, signed_in: bool) -> None:
    pytest.importorskip("schemathesis")
    walked, faults = 0, list[str]()
    for operation in operations(desk):
        if operation.path.endswith(".pdf") or (signed_in and operation.path == "/sign-out"):
            continue  # a drawing of seconds; and what would end the walk

        @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None,
                  phases=[Phase.explicit, Phase.generate])
        @given(case=operation.as_strategy())
        def one(case: Any) -> None:
            desk.client.cookies.clear()
            if signed_in:
                desk.sign_in()
            answer = sent(desk, case, token=signed_in)
            check(case, answer)
            if not signed_in and not case.formatted_path.startswith(OPEN_TO_ALL) and case.formatted_path != "/":
                assert answer.status_code != 200, case.formatted_path
                assert answer.headers.get("content-type", "").partition("/")[0] != "image"

        walked += 1
        try:
            one()
        except Exception as error:
            faults.append(f"{operation.method} {operation.path}: {error}")
    assert not faults, "\n\n".join(faults)
    assert walked >= 60


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(words=st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=4), query=st.text(max_size=40))
def test_an_address_that_nobody_made_is_no_page(words: list[str], query: str) -> None:
    answer = _plain().get("/" + "/".join(words), params={"q": query})
    assert answer.status_code in {200, 303, 307, 400, 401, 404, 405}


_CLIENT: list[httpx.Client] = []


def _plain() -> httpx.Client:
    return _CLIENT[0]


@pytest.fixture(autouse=True)
def _browser(desk: DeskSite) -> Any:
    desk.client.cookies.clear()
    _CLIENT[:] = [desk.client]
    yield
    _CLIENT.clear()
