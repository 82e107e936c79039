"""The Log and Health pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse
from sqlalchemy import select

from service.desk import log_words, queries
from service.desk.search import MOST, SHORTEST, finds, has_words, typed_words
from service.facts.sheets import because
from service.mail.sending import hold
from service.record import chain
from service.store import records
from service.store.tables import EventRow, GameRow
from service.web.access import NOT_YOURS, OPERATOR, OWN_GAMES
from service.web.acting import performed
from service.web.page import require_token, require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor
from service.web.wording import gmt

router = APIRouter()
SignedIn = Annotated[Visitor, Depends(require_visitor)]
Trusted = Annotated[Visitor, Depends(require_token)]
AT_ONCE = 100
_NOT_SHOWN = frozenset({"phase_id", "digest", "sheets", "powers", "letters", "result", "sealed"})
"""Details for programs only: ids and the digests of a rehearsal."""
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?\+00:00")
"""A time as events store it."""


@router.get("/log", dependencies=[OWN_GAMES])
def log(
    request: Request, visitor: SignedIn, game: str = "", before: int | None = None, digest: str = "",
    q: str = "",
) -> Response:
    """Events, newest first, of one game or of all; `before` pages to older entries. With `q` those that have
    its words, and what else has them. With `digest` the page shows whether the game's record has it."""
    ports: DeskPorts = request.app.state.ports
    visitor_games = visitor.coordinates
    _refuse_other_games(visitor, game)
    with ports.sessions() as session:
        # One more than a page shows, to know whether there is an older page.
        query = select(EventRow).order_by(EventRow.id.desc()).limit(AT_ONCE + 1)
        if visitor_games is not None:
            query = query.where(EventRow.game_id.in_(visitor_games))
        if game:
            query = query.where(EventRow.game_id == game)
        if before is not None:
            query = query.where(EventRow.id < before)
        words = typed_words(q)
        if len(words) >= SHORTEST:
            query = query.where(has_words(words, EventRow.what, EventRow.actor, EventRow.detail))
        events = session.scalars(query).all()
        games = [row for row in records.games(session) if visitor_games is None or row.id in visitor_games]
        wanted_digest = "".join(digest.split()).lower()[:64]
        # The file of a hand-over letter has a digest by which anybody can check the record: here.
        stood = chain.find_entry(session, game, wanted_digest) if game and wanted_digest else None
        return show(
            request, "log.html", visitor=visitor, games=games, game=game, digest=wanted_digest, stood=stood,
            events=log_words.in_words(session, events[:AT_ONCE], ports.power_name, details),
            names={row.id: row.name for row in games},
            more=events[AT_ONCE - 1].id if len(events) > AT_ONCE else None, words=words, most=MOST,
            is_short=len(words) < SHORTEST, finds=finds(session, ports, words, visitor_games),
        )


@router.get("/search", dependencies=[OWN_GAMES])
def search(q: str = "") -> Response:
    """The old address of the search."""
    return RedirectResponse(f"/log?{urlencode({'q': q})}", status_code=301)


def _refuse_other_games(visitor: Visitor, game: str) -> None:
    """Raises 403 where a person who has roles in games requests the log of another one."""
    if visitor.coordinates is not None and game and game not in visitor.coordinates:
        raise HTTPException(403, NOT_YOURS)


@router.get("/log/export", dependencies=[OWN_GAMES])
def export(request: Request, visitor: SignedIn, game: str = "") -> Response:
    """The log of one game or of everything as a file, which can be checked without this site."""
    ports: DeskPorts = request.app.state.ports
    _refuse_other_games(visitor, game)
    if visitor.coordinates is not None and not game:
        raise HTTPException(403, "Nothing was exported: choose one of your games first, then export its log.")
    with ports.sessions() as session:
        if game and session.get(GameRow, game) is None:
            raise HTTPException(404, ("There is no such game. Nothing is lost: this page has the log of "
                                      "every game."))

    def lines() -> Iterator[str]:
        with ports.sessions() as session:
            # The session above is closed before the answer streams, so the lines have one of their own.
            yield from chain.log_lines(session, game)

    name = f"log-{game or 'all'}-{ports.clock.now():%Y-%m-%d}.jsonl"
    return StreamingResponse(lines(), media_type="application/x-ndjson", headers={
        "Content-Disposition": f'attachment; filename="{name}"'})


@router.get("/health", dependencies=[OPERATOR])
def health(request: Request, visitor: SignedIn, notice: str = "") -> Response:
    """The state of mailbox, queue, reading, disk, clock and backup; from here letters are held back or tried
    again."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        held, failed = hold.current_hold(session), hold.resendable_letters(session)
        mails, letters = queries.mails_by_state(session), queries.letters_by_state(session)
    return show(
        request, "health.html", visitor=visitor,
        findings=ports.checks.health(), notice=notice, held=held, failed=len(failed), mails=mails,
        letters=letters,
    )


@router.post("/health/pause", dependencies=[OPERATOR])
def pause(request: Request, visitor: Trusted, why: Annotated[str, Form()] = "") -> Response:
    """Hold every letter back, with a logged reason. Raises 409 if they are held already."""
    # For a mail provider that requests a pause: letters wait, and everything else goes on.
    performed(request.app.state.ports, visitor, hold.HoldLetters(why), no_reason=400)
    return RedirectResponse("/health?notice=paused", status_code=303)


@router.post("/health/resume", dependencies=[OPERATOR])
def resume(request: Request, visitor: Trusted) -> Response:
    """Let letters leave again. Raises 409 if none is held back."""
    performed(request.app.state.ports, visitor, hold.ResumeLetters())
    return RedirectResponse("/health?notice=resumed", status_code=303)


@router.post("/health/retry", dependencies=[OPERATOR])
def retry(request: Request, visitor: Trusted, letter: Annotated[int | None, Form()] = None) -> Response:
    """Try one failed letter again, or all that certainly did not arrive. Raises 409 if there is none."""
    performed(request.app.state.ports, visitor, hold.RetryLetters(letter))
    return RedirectResponse("/health?notice=retried", status_code=303)


def details(detail: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The details of an event in words, as label and value. Words that contain an address are left out."""
    return [
        (key.replace("_", " "), _value_text(because(value, value) if isinstance(value, str) else value))
        for key, value in detail.items()
        if key not in _NOT_SHOWN and value not in (None, "", [])
    ]


def _value_text(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(_value_text(item) for item in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_value_text(item)}" for key, item in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    # The log is exported and shown to every coordinator; addresses belong to their player (LIST-05).
    words = _INSTANT.sub(lambda time: gmt(datetime.fromisoformat(time.group())), str(value))
    return " ".join("(an address)" if "@" in word else word for word in words.split())
