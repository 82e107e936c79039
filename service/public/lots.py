"""The lots of a game, for anyone: before the deadline digests of the seeds, afterwards seed, words and each
draw, so that it can be followed by hand (Q-35, desk plan, "Lots"). The seed of a phase is shown once its
results are sent, never before."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

import maps
from adjudicator.serialize import codec
from service.games import lots
from service.games.lots import Draw, Mix
from service.games.options import options_of
from service.games.phases import phase_title
from service.games.rulings import as_played
from service.games.sealed_lots import NO_LOTS, draw_of
from service.letters.language import N_
from service.public.page import show
from service.store import records
from service.store.digests import digest
from service.store.tables import GameRow, PhaseRow, PhaseState
from service.web.access import PUBLIC
from service.web.ports import DeskPorts

router = APIRouter(dependencies=[PUBLIC])
UNKNOWN = N_("There is no such game here. Check the address in your letters.")


@dataclass(frozen=True, slots=True)
class PhaseLots:
    """The lots of a phase whose results were sent. `lines` are the lines whose digest gives the first
    number."""

    title: str
    ordinal: int
    mix: Mix
    commitment: str
    draws: tuple[Draw, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        # The draw's number is the last line, so every draw has its own digest.
        return (*self.mix.lines, "1")

    @property
    def first_digest(self) -> str:
        """The SHA-256 of these lines, hexadecimal."""
        return digest("\n".join(self.lines))


@router.get("/public/{game_id}/lots")
def page(request: Request, game_id: str) -> Response:
    """What was drawn, which seeds are committed, and how to check both."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        game = _game(session, game_id)
        ahead = _ahead(session, game)
        return show(
            request, "lots.html", game=game, drawn=_drawn_lots(session, game),
            ahead=[(phase_title(row), row.ordinal, row.commitment) for row in ahead],
            beacon=draw_of(ahead[0]).chain if ahead else None,
        )


@router.get("/public/{game_id}/lots.json")
def proof(request: Request, game_id: str) -> Response:
    """The same as a JSON file to keep."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        game = _game(session, game_id)
        record = {
            "game": game.id,
            "committed": [{"phase": row.ordinal, "title": phase_title(row), "digest": row.commitment}
                          for row in _ahead(session, game)],
            "drawn": [_as_json(draw) for draw in _drawn_lots(session, game)],
        }
    return Response(
        json.dumps(record, indent=1, ensure_ascii=False) + "\n",
        media_type="application/json",
        headers={
            "Content-Disposition": f'attachment; filename="{game_id}-lots.json"', "Cache-Control": "no-cache",
        },
    )


def _as_json(phase: PhaseLots) -> dict[str, Any]:
    return {
        "phase": phase.ordinal,
        "title": phase.title,
        "digest": phase.commitment,
        **phase.mix.entry_fields(),
        "lines": list(phase.mix.lines),
        "draws": [
            {
                "draw": d.position, "number": d.number, "among": d.among, "left_over": d.index,
                "things": list(d.things), "taken": d.taken or None,
            }
            for d in phase.draws
        ],
    }


def _game(session: Session, game_id: str) -> GameRow:
    game = session.get(GameRow, game_id)
    if game is None:
        raise HTTPException(404, UNKNOWN)
    return game


def _ahead(session: Session, game: GameRow) -> list[PhaseRow]:
    """Phases in play or to come in which lots may be drawn."""
    return [row for row in records.phases(session, game.id)
            if row.state != PhaseState.SENT and row.kind not in NO_LOTS]


def _drawn_lots(session: Session, game: GameRow) -> list[PhaseLots]:
    """The lots of each phase whose results were sent and that drew any, newest first."""
    phases_drawn = []
    for row in reversed(records.phases(session, game.id)):
        # The seed of a phase is shown only once its results are sent; before, its digest alone.
        if row.state != PhaseState.SENT or row.resolution is None or row.position is None:
            continue
        resolution = codec.load_resolution(row.resolution)
        if not resolution.lots_used:
            continue
        # The phase is judged once more, so that each draw is shown among the units it chose from.
        lot_draws = lots.draws(
            as_played(maps.load(game.variant), options_of(game)), codec.load_position(row.position),
            [o.order for o in resolution.outcomes],
            lots.tape_of(session, row, resolution.lots_used))
        phases_drawn.append(PhaseLots(phase_title(row), row.ordinal, lots.mix_of(session, row),
                                      row.commitment, lot_draws))
    return phases_drawn
