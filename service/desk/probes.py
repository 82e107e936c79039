"""Pages for machines: `/alive` for a load balancer, `/metrics` for Prometheus. Neither names a person or a
game."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import PlainTextResponse, Response
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from service.web import sessions
from service.web.access import PUBLIC
from service.web.ports import DeskPorts

router = APIRouter(dependencies=[PUBLIC])
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@router.get("/alive")
def alive(request: Request) -> Response:
    """200 while this process and its database answer, else 503."""
    ports: DeskPorts = request.app.state.ports
    try:
        with ports.sessions() as session:
            # A process that lives but has lost its database must be taken out of the balancer, hence the
            # query.
            session.execute(text("select 1"))
    except SQLAlchemyError:
        return PlainTextResponse("the database does not answer\n", status_code=503)
    return PlainTextResponse("alive\n")


@router.get("/metrics")
def metrics(request: Request) -> Response:
    """The metrics, with `metrics_token` as bearer token; 401 without it. With an empty token in the settings
    there is no such page (404)."""
    ports: DeskPorts = request.app.state.ports
    if not ports.settings.metrics_token:
        raise HTTPException(404, "Not Found")
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    # Compared in constant time, so that the token cannot be guessed letter by letter.
    if kind.lower() != "bearer" or not sessions.same(token.strip(), ports.settings.metrics_token):
        return PlainTextResponse("show the token of web.metrics_token\n", status_code=401,
                                 headers={"WWW-Authenticate": "Bearer"})
    return Response(ports.checks.metrics(), media_type=CONTENT_TYPE)
