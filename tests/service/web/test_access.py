"""Each route declares who may use it, and one that declares nothing is closed (SEC-04, HOM-03)."""

from __future__ import annotations

from typing import cast

from fastapi import FastAPI
from starlette.routing import Mount

from service.feature import PACKAGE
from service.web.access import Access, access_of, form_access, routes_of
from service.web.game_roles import Subject, SubjectKind, subject_of
from tests.support.desk_table import open_desk
from tests.support.features import of_features
from tests.support.site import Site
from tests.support.table import open_table

WITHOUT_SIGNING_IN = ("/public/", "/sign-in", "/alive", "/metrics")
"""Where public routes lie: each address below is one that anybody may ask for."""
MOUNTED = {"/static", *of_features("MOUNTS")}
"""Applications with doors of their own, and files that are not secret."""


def _app(site: Site) -> FastAPI:
    return cast("FastAPI", open_desk(open_table(site)).client.app)


def test_every_route_declares_who_may_use_it(site: Site) -> None:
    app = _app(site)
    declared = {route.path: access_of(route) for route in routes_of(app)}
    core = {route.path for route in routes_of(app) if not route.endpoint.__module__.startswith(PACKAGE + ".")}
    assert len(core) > 130
    assert set(of_features("ROUTES")) <= set(declared)
    assert {path for path, access in declared.items() if access is None} == set()
    assert {route.path for route in app.routes if isinstance(route, Mount)} == MOUNTED


def test_only_addresses_for_anybody_are_public(site: Site) -> None:
    for route in routes_of(_app(site)):
        assert (access_of(route) is Access.PUBLIC) == route.path.startswith(WITHOUT_SIGNING_IN), route.path


def test_a_route_that_declares_nothing_is_closed_to_a_coordinator_too(site: Site) -> None:
    """A new form below /desk/ was open to second readers unless a person remembered a list."""
    desk = open_desk(open_table(site))
    app = cast("FastAPI", desk.client.app)
    app.add_api_route("/desk/7/anything-new", lambda: "open", methods=["GET", "POST"])
    answers = [desk.client.get("/desk/7/anything-new"), desk.client.post("/desk/7/anything-new")]
    assert [(answer.status_code, "open" in answer.text.split()) for answer in answers] == [(403, False)] * 2


def test_the_access_of_a_form_is_that_of_its_route(site: Site) -> None:
    app = _app(site)
    assert form_access(app, "/desk/7/unseal") == (Access.COORDINATOR, {"phase_id": "7"})
    assert form_access(app, "/desk/7/decide") == (Access.READER, {"phase_id": "7"})
    assert form_access(app, "/quarantine/discard") == (Access.OWN_GAMES, {})
    assert form_access(app, "/desk/7") == (None, {})
    assert form_access(app, "/nowhere") == (None, {})


def test_an_address_is_about_the_first_thing_that_it_names() -> None:
    digest = "a" * 64
    assert subject_of({"submission_id": "3", "page_id": "4"}) == Subject(SubjectKind.SHEET, "3")
    assert subject_of({"game_id": "powick-bridge"}) == Subject(SubjectKind.GAME, "powick-bridge")
    assert subject_of({"sha256": digest}) == Subject(SubjectKind.MAIL, digest)
    for nothing in ({}, {"scan_id": "3"}, {"sha256": "discard"}, {"phase_id": "+1"}, {"phase_id": "1_0"},
                    {"line_id": "٣"}, {"line_id": "9" * 19}):
        assert subject_of(nothing) is None, nothing
