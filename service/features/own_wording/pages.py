"""A coordinator's own wording of a game's letters: each sentence next to ours, shown as a letter before it is
kept, with a way back (BEY-07)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.orm import Session

from service.features.own_wording.reword import RewordLetter
from service.features.own_wording.sentences import (
    LONGEST,
    LetterSentence,
    faults_of,
    own_words,
    reworded,
    sentences_of,
)
from service.games.options import options_of
from service.letters.kinds import AnyKind
from service.letters.language import ENGLISH, LANGUAGES, OwnWording
from service.notices.previews import Previews
from service.store import records
from service.store.tables import GameRow
from service.web.access import COORDINATOR
from service.web.acting import game_row, performed
from service.web.page import require_token, require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter(dependencies=[COORDINATOR])
SignedIn = Annotated[Visitor, Depends(require_visitor)]
Trusted = Annotated[Visitor, Depends(require_token)]

BLANKS: Mapping[str, str] = {
    "address": "a mail address or the address of a page",
    "attacked": "the power that was attacked", "attacker": "the power that attacked",
    "beaten": "how many units were dislodged", "before": "how many centres, at the beginning",
    "bounced": "how many moves were turned back", "centres": "the names of centres",
    "consequence": "what follows", "cut": "how many supports were cut", "day": "a day",
    "duration": "how long, such as 2 days 3 hours",
    "earlier": "an order with its outcome, as it was judged before",
    "event": "what is due, such as the end of a phase",
    "files": "the names of the files", "game": "the name of the game",
    "held": "how many centres, at the end, such as 8 centres",
    "instant": "a day and an hour, GMT", "language": "a language, such as German",
    "lines": "orders as an example", "name": "the name of a person", "names": "the game and the power",
    "now": "an order with its outcome, as it is judged now", "number": "a number",
    "order": "the order that a line was taken for", "orders": "orders, or how many",
    "phase": "the phase, such as Autumn 1644 Movement",
    "place": "a place on the board", "power": "the name of a power", "powers": "the names of powers",
    "reason": "the reason that was given", "season": "the season", "sender": "who sent the mail",
    "sheet": "a sheet on file, such as version 2, received Mon 3 May",
    "subject": "the subject of the mail", "supports": "how many supports were given",
    "text": "the words of a line", "thing": "a unit or a centre",
    "title": "a title, such as that of the board",
    "units": "the units, by name",
    "version": "the version of the sheet, such as version 2", "words": "what happened, in words",
    "written": "how many orders the player wrote", "year": "the year",
}
"""The meaning of each blank of a letter's sentences, in a coordinator's words."""


@router.get("/previews/{game_id}/{kind}/wording")
def wording(
    request: Request, visitor: SignedIn, game_id: str, kind: str, language: str = ENGLISH, notice: str = ""
) -> Response:
    """The sentences of one kind of letter, ours and the game's own."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        game, of_kind = _game(session, ports, game_id, kind, language)
        words = OwnWording.of_option(options_of(game).own_wording).of(language)
        return _page(request, visitor, session, game, of_kind, language, words, notice=notice)


@router.post("/previews/{game_id}/{kind}/wording")
async def reword(
    request: Request, visitor: Trusted, game_id: str, kind: str, language: str = ENGLISH
) -> Response:
    """Show the letter in these words, keep them, or go back to ours."""
    # One field for each sentence of the letter.
    sent = {key: str(value) for key, value in (await request.form()).items()}
    return await run_in_threadpool(_reword, request, visitor, game_id, kind, language, sent)


def _reword(
    request: Request, visitor: Visitor, game_id: str, kind: str, code: str, sent: Mapping[str, str]
) -> Response:
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        game, of_kind = _game(session, ports, game_id, kind, code)
        sentences = sentences_of(kind, code)
        act = sent.get("act", "")
        words = {} if act == "ours" else own_words(sentences, {
            sentence.message: sent.get(field_of(sentence), "") for sentence in sentences})
        faults = faults_of(sentences, words)
        if faults or act not in {"keep", "ours"}:
            return _page(request, visitor, session, game, of_kind, code, words, faults,
                         status=400 if faults else 200, shown=True)
    is_new = performed(ports, visitor, RewordLetter(game_id, kind, code, words)).events != ()
    notice = "same" if not is_new else "ours" if act == "ours" else "kept"
    return RedirectResponse(
        f"/previews/{game_id}/{kind}/wording?language={code}&notice={notice}", status_code=303)


def field_of(sentence: LetterSentence) -> str:
    """The name of a sentence's field in the form."""
    return "s" + hashlib.sha256(sentence.message.encode()).hexdigest()[:16]


def _page(
    request: Request, visitor: Visitor, session: Session, game: GameRow, kind: AnyKind, code: str,
    own: Mapping[str, str], faults: Mapping[str, str] | None = None, *, notice: str = "", status: int = 200,
    shown: bool = False,
) -> Response:  # fmt: skip
    ports: DeskPorts = request.app.state.ports
    writer = ports.letters
    sentences = sentences_of(kind.name, code)
    faults = faults or {}
    letter = None
    if shown and not faults:
        power = min(records.seats(session, game.id))
        wording = reworded(OwnWording.of_option(options_of(game).own_wording), code, sentences, own)
        letter = Previews(writer, session, game, power, language=code, wording=wording).of(kind).letter
    return show(
        request, "own_wording/wording.html", status, visitor=visitor, game=game, kind=kind, language=code,
        languages=LANGUAGES, sentences=[(field_of(sentence), sentence, own.get(sentence.message, ""),
                                         faults.get(sentence.message, "")) for sentence in sentences],
        letter=letter, notice=notice, longest=LONGEST, faults=len(faults), blank_words=BLANKS,
    )


def _game(
    session: Session, ports: DeskPorts, game_id: str, kind: str, code: str
) -> tuple[GameRow, AnyKind]:
    game = game_row(session, game_id)
    letter_kind = ports.letters.kinds_of(game).get(kind)
    if letter_kind is None or code not in LANGUAGES:
        raise HTTPException(404, "There is no such letter in this game. Nothing was changed.")
    return game, letter_kind
