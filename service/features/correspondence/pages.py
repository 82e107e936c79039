"""Letters of players to the coordinator, in the inbox and on a page for each player (BOX-10)."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.inbox import InboxEntry, InboxKind, NextAct, Urgency
from service.features.correspondence import letters as letters_of
from service.features.correspondence.letters import LONGEST_ANSWER, AnswerLetter, SettleLetters
from service.games.names import seats_in_words
from service.store.tables import CorrespondenceRow, GameRow, PlayerRow
from service.web.access import COORDINATOR, OWN_GAMES
from service.web.acting import performed
from service.web.mail_games import games_of_player, is_within
from service.web.page import require_token, require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor
from service.web.wording import count

router = APIRouter()
SignedIn = Annotated[Visitor, Depends(require_visitor)]
Trusted = Annotated[Visitor, Depends(require_token)]


@router.get("/correspondence", dependencies=[OWN_GAMES])
def correspondence() -> Response:
    """The old address of the letters of players."""
    return RedirectResponse(f"/?show={InboxKind.LETTERS}", status_code=301)


@router.get("/correspondence/{player_id}", dependencies=[COORDINATOR])
def thread(request: Request, visitor: SignedIn, player_id: int, notice: str = "") -> Response:
    """All letters of one player with the answers, and a form for the next answer."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        player = session.get(PlayerRow, player_id)
        rows = [] if player is None else letters_of.thread(session, player_id)
        if player is None or not rows:
            raise HTTPException(404, "There is no letter from this player. Nothing is lost.")
        letters = [(row, None if row.game_id is None else session.get_one(GameRow, row.game_id))
                   for row in rows]
        return show(
            request, "correspondence/thread.html", visitor=visitor, notice=notice, player=player,
            letters=letters, waiting=sum(row.done_at is None for row in rows), longest=LONGEST_ANSWER,
            seats=seats_in_words(session, player, load=ports.load),
            on_file=letters_of.seats_on_file(session, ports.letters, player, None),
            key=secrets.token_urlsafe(16),
        )


@router.post("/correspondence/{player_id}/answer", dependencies=[COORDINATOR])
def answer(
    request: Request, visitor: Trusted, player_id: int, key: Annotated[str, Form(min_length=10)],
    words: Annotated[str, Form()] = "",
) -> Response:
    """Send the words to the player."""
    ports: DeskPorts = request.app.state.ports
    performed(ports, visitor, AnswerLetter(ports.letters, player_id, words, key))
    return RedirectResponse("/?notice=answered", status_code=303)


@router.post("/correspondence/{player_id}/done", dependencies=[COORDINATOR])
def done(request: Request, visitor: Trusted, player_id: int) -> Response:
    """Settle the player's open letters without an answer."""
    performed(request.app.state.ports, visitor, SettleLetters(player_id))
    return RedirectResponse("/?notice=letters-done", status_code=303)


def inbox(session: Session, coordinates: frozenset[str] | None) -> Iterator[InboxEntry]:
    """Each player whose letters wait for an answer: all, or those of players of one's own games."""
    for player, newest, waiting in letters_of.threads(session, _players_of(session, coordinates)):
        if waiting:
            yield InboxEntry(
                InboxKind.LETTERS, Urgency.ANSWER, newest.subject or "(no subject)", player.name,
                f"{count(waiting, 'letter')} without a sheet {'waits' if waiting == 1 else 'wait'} for you. "
                "The player was informed that letters are not read as orders.",
                (NextAct("Read and answer", f"/correspondence/{player.id}"),), since=newest.at)


def done_threads(
    _request: Request, session: Session, values: Mapping[str, Any]
) -> Mapping[str, object]:
    """Below the inbox where it shows letters: each player who wrote and has no open letter."""
    if values["show"] != InboxKind.LETTERS:
        return {"threads": ()}
    threads = letters_of.threads(session, _players_of(session, values["visitor"].coordinates))
    return {"threads": [(player, newest) for player, newest, waiting in threads if not waiting]}


def _players_of(session: Session, coordinates: frozenset[str] | None) -> frozenset[int] | None:
    """The players whose letters are for a coordinator of these games; None for all."""
    if coordinates is None:
        return None
    wrote = session.scalars(select(CorrespondenceRow.player_id).distinct())
    return frozenset(player for player in wrote if is_within(games_of_player(session, player), coordinates))
