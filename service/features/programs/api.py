"""The API at /api/v1: games, deadlines, sent results, the map and the roots of the record, as
JSON described by OpenAPI (BEY-06).

Only what all players of the game may see: no order before its results were sent, nothing that the rules hide
from any player, no name, no address, no sheet. Read-only, and for anyone who shows a token of
`web.api_tokens`, of which the site has the digest alone. """

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from hmac import compare_digest
from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, Header, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session
from starlette.exceptions import HTTPException

from adjudicator.serialize import codec
from service.games import results
from service.games.ending import has_ended
from service.games.phases import phase_title
from service.notices.current_map import control
from service.public import game_map, roots, source_line
from service.store import records
from service.store.tables import GameRow, PhaseRow, PhaseState
from service.web.access import guarded
from service.web.ports import DeskPorts

log = logging.getLogger(__name__)
PREFIX = "/api/v1"
RETRY_SECONDS = 60
TOKENLESS = ("Send a token of this site: Authorization: Bearer TOKEN. The operator sets the tokens "
             "(web.api_tokens).")
NOTHING = f"There is nothing at this address. {PREFIX}/openapi.json describes the API."
READ_ONLY = "Nothing was changed: the API is read-only; use GET."
BUSY = "The site's database did not answer. This request is valid: send it again in a minute."
FAILED = ("This failed on our side; nothing was changed. Send it again; if it fails again, report it to the "
          "operator.")
UNKNOWN = "There is no such game here."
NONE = "There are no results with that number: they are not sent yet, or the phase ended without results."


class GameState(BaseModel):
    """A game. `phase` and `deadline`: of the next deadline ahead, null where there is none."""

    id: str
    name: str
    variant: str
    is_over: bool
    phase: str | None
    deadline: datetime | None


class Deadline(BaseModel):
    """A phase in the calendar. `sent_at`: when its results were sent, null before."""

    number: int = Field(description="The phase's number in the game, from 1.")
    phase: str
    opens_at: datetime
    deadline: datetime
    sent_at: datetime | None


class SentResults(BaseModel):
    """A phase whose results were sent, and the root of the record that they name, null where there is
    none."""

    number: int
    phase: str
    sent_at: datetime | None
    root: str | None
    entries: int | None


class OrderResult(BaseModel):
    """An order in words, what became of it in a word or two, and why, with the paragraph of the rules."""

    order: str
    outcome: str
    why: str
    rule: str
    went_well: bool
    is_dislodged: bool


class PowerResults(BaseModel):
    """A power's orders. `without_order`: its units that had none; `dislodged`: those of them that are."""

    power: str
    orders: list[OrderResult]
    without_order: list[str]
    dislodged: list[str]


class Results(BaseModel):
    """The results of a phase, as a player who has nothing to hide may know them."""

    number: int
    phase: str
    sent_at: datetime | None
    powers: list[PowerResults]


class Holdings(BaseModel):
    """The public map: who holds which provinces, by the names of powers, and when."""

    when: str
    provinces: dict[str, list[str]]


class Root(BaseModel):
    """The root of the record up to the judging of a phase, with the words by which people compare it."""

    number: int
    phase: str
    entries: int
    root: str
    words: str
    sent_at: datetime
    stamped_at: datetime | None


def _show_token(request: Request, authorization: Annotated[str, Header()] = "") -> None:
    """Go on for anyone who shows a token; everybody else gets 401, also where there are no tokens."""
    ports: DeskPorts = request.app.state.ports
    kind, _, token = authorization.partition(" ")
    shown = sha256(token.strip().encode()).hexdigest()
    # All of them are compared, so that the time shows nothing.
    known = [compare_digest(shown, digest) for digest in ports.settings.api_tokens.digests]
    if kind.lower() != "bearer" or not any(known):
        raise HTTPException(401, TOKENLESS, {"WWW-Authenticate": "Bearer"})


api_router = APIRouter(dependencies=[Depends(_show_token), Depends(guarded)])


@api_router.get("/games")
def games(request: Request) -> list[GameState]:
    """The games of the site."""
    ports: DeskPorts = request.app.state.ports
    now = ports.clock.now()
    with ports.sessions() as session:
        return [_state(game, records.phases(session, game.id), now) for game in records.games(session)]


@api_router.get("/games/{game_id}")
def game(request: Request, game_id: str) -> GameState:
    """One game."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        return _state(_game(session, game_id), records.phases(session, game_id), ports.clock.now())


@api_router.get("/games/{game_id}/calendar")
def calendar(request: Request, game_id: str) -> list[Deadline]:
    """Every phase with its deadline; of a game that is over, those that were played."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        _game(session, game_id)
        is_over = has_ended(session, game_id)
        return [Deadline(number=row.ordinal, phase=phase_title(row), opens_at=row.opens_at,
                         deadline=row.deadline, sent_at=row.sent_at)
                for row in records.phases(session, game_id) if not is_over or row.resolution is not None]


@api_router.get("/games/{game_id}/results")
def sent_results(request: Request, game_id: str) -> list[SentResults]:
    """The phases whose results were sent, the newest first."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        _game(session, game_id)
        named = {root.phase: root for root in roots.sent_roots(session, game_id)}
        return [SentResults(
            number=row.ordinal, phase=phase_title(row), sent_at=row.sent_at,
            root=named[row.ordinal].digest if row.ordinal in named else None,
            entries=named[row.ordinal].number if row.ordinal in named else None)
            for row in source_line.phases(session, game_id)]


@api_router.get("/games/{game_id}/results/{number}")
def results_of(request: Request, game_id: str, number: int) -> Results:
    """Each order of a phase, and what became of it."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        row = _game(session, game_id)
        phase = next((each for each in source_line.phases(session, game_id) if each.ordinal == number), None)
        if phase is None or phase.resolution is None:
            raise HTTPException(404, NONE)
        variant = ports.load(row.variant)
        # None is a person who commands no power: what the rules hide from any player is hidden.
        shown = variant.rules.redact_resolution(
            variant.context(), codec.load_resolution(phase.resolution), None)
        return Results(
            number=phase.ordinal, phase=phase_title(phase), sent_at=phase.sent_at,
            powers=[_power(each) for each in results.show(variant, shown, {})])


@api_router.get("/games/{game_id}/map")
def holdings(request: Request, game_id: str) -> Holdings:
    """Who holds what, as the public map shows it."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        _game(session, game_id)
        shown = control(session, game_id)
    if shown is None:
        raise HTTPException(404, UNKNOWN)
    provinces = shown.variant.board.provinces
    return Holdings(when=shown.when, provinces={
        power.name: sorted(provinces[region].name for region in shown.centres.get(power.id, ()))
        for power in shown.variant.powers.values()})


@api_router.get("/games/{game_id}/map.svg", response_class=Response,
            responses={200: {"content": {"image/svg+xml": {}}}})
def map_svg(request: Request, game_id: str) -> Response:
    """The public map as SVG."""
    return game_map.as_svg(request, game_id)


@api_router.get("/games/{game_id}/record")
def record(request: Request, game_id: str) -> list[Root]:
    """The roots of the record that were sent, the newest first."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        _game(session, game_id)
        return [Root(number=root.phase, phase=root.title, entries=root.number, root=root.digest,
                     words=root.words, sent_at=root.sent_at, stamped_at=root.stamped_at)
                for root in roots.sent_roots(session, game_id)]


def _game(session: Session, game_id: str) -> GameRow:
    row = session.get(GameRow, game_id)
    if row is None:
        raise HTTPException(404, UNKNOWN)
    return row


def _state(game: GameRow, phases: Sequence[PhaseRow], now: datetime) -> GameState:
    # By the clock alone: whether a phase is closed or judged is no one's business before its results.
    ahead = next((row for row in phases if row.deadline >= now and row.state != PhaseState.SENT), None)
    return GameState(
        id=game.id, name=game.name, variant=game.variant,
        is_over=all(row.state == PhaseState.SENT for row in phases),
        phase=None if ahead is None else phase_title(ahead),
        deadline=None if ahead is None else ahead.deadline)


def _power(power: results.ShownPower) -> PowerResults:
    return PowerResults(
        power=power.power, without_order=list(power.without_order), dislodged=list(power.dislodged),
        orders=[OrderResult(order=order.text, outcome=order.mark, why=order.why, rule=order.rule,
                            went_well=order.went_well, is_dislodged=order.dislodged)
                for order in power.orders])


def create_api(site: FastAPI) -> FastAPI:
    """The application below `PREFIX` of a site's application. Its description is open to everybody: it holds
    nothing of a site."""
    api = FastAPI(title="Galloper", version="1", docs_url=None, redoc_url=None, redirect_slashes=False)
    api.state.ports, api.state.drawn = site.state.ports, site.state.drawn
    api.include_router(api_router)
    api.add_exception_handler(HTTPException, _refuse)
    api.add_exception_handler(OperationalError, _ask_again)
    api.add_exception_handler(Exception, _fail)
    return api


async def _refuse(_request: Request, error: Exception) -> Response:
    """A refusal as JSON; the framework's own words for 404 and 405 do not show what to do."""
    assert isinstance(error, HTTPException)
    sentence = {"Not Found": NOTHING, "Method Not Allowed": READ_ONLY}.get(error.detail, error.detail)
    return JSONResponse({"detail": sentence}, error.status_code, error.headers)


async def _ask_again(request: Request, _error: Exception) -> Response:
    log.error("the database did not answer %s", getattr(request.scope.get("route"), "path", "a program"))
    return JSONResponse({"detail": BUSY}, 503, {"Retry-After": str(RETRY_SECONDS)})


async def _fail(_request: Request, _error: Exception) -> Response:
    """For a fault of ours; the server's log has it."""
    return JSONResponse({"detail": FAILED}, 500)
