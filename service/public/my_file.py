"""A player's own file in a game: what they sent, version by version, with each photograph and its digest,
what was read on it after the deadline, and the letters that answered it. Nothing else: no legality, no other
player (desk plan, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from service import pictures
from service.facts.sheets import Fate
from service.games.lines import SettledLine, line_numbers, lines_of
from service.games.phases import phase_of, phases_in_play
from service.letters.language import N_, phase_words
from service.public import visits
from service.public.page import show
from service.public.visits import VisitingPlayer
from service.store import records
from service.store.blobs import BlobError
from service.store.tables import (
    AddressRow,
    GameRow,
    LineState,
    OutboxRow,
    PageRow,
    PhaseRow,
    PhaseState,
    PlayerRow,
    SubmissionRow,
)
from service.web.access import PUBLIC
from service.web.ports import DeskPorts

router = APIRouter(dependencies=[PUBLIC])
Visitor = Annotated[VisitingPlayer, Depends(visits.require_player)]
PRIVATE = "private, no-store"
FATES = {
    "counts": N_("on file"), "superseded": N_("replaced"), "late": N_("too late"),
    "held": N_("waits for the coordinator"),
}
DID_NOT_COUNT = N_("did not count")
"""The fate of a held sheet once the results are sent: it waits for no one."""
NOT_LOOKED_AT = N_("this line was not settled, since the sheet did not count")
LINE_STATES = {
    LineState.AUTO: "", LineState.READ: "", LineState.OPEN: N_("the coordinator is still checking this line"),
    LineState.SKIPPED: N_("the coordinator is still checking this line"),
    LineState.VOID: N_("could not be read"), LineState.NOT_ORDER: N_("not an order"),
}
"""The states of a line, as its player sees them."""
LETTER_STATES = (N_("queued"), N_("sending"), N_("sent"), N_("delayed"), N_("failed"), N_("held"),
                 N_("cancelled"))
"""The states of a letter in the outbox, as the page shows them."""
BY_POST = N_("came by post")


@dataclass(frozen=True, slots=True)
class SubmittedSheet:
    """One sheet that the player sent: phase and power in words, version, time of receipt, status in words,
    digest, and the ids of its pages. `lines`: what was read on it, words and order, once its deadline has
    passed; None before, when no one has read it."""

    phase: str
    power: str
    version: int | None
    received_at: datetime
    status: str
    digest: str
    pages: tuple[int, ...]
    lines: tuple[ReadLine, ...] | None


@dataclass(frozen=True, slots=True)
class ReadLine:
    """One line of a sheet: its number, what was read, the order that it makes, or None, and its state in
    words."""

    number: str
    text: str
    order: str | None
    state: str


@router.get("/public/{game_id}/file")
def my_file(request: Request, visitor: Visitor, game_id: str) -> Response:
    """The player's own sheets of the phase in play and of the phase before, newest first, and the answers to
    them."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        powers = visits.seat_of(session, visitor, game_id)
        game = session.get_one(GameRow, game_id)
        sheets = [
            _sheet(ports, session, game, row, phase) for row,
            phase in _own_submissions(session, game_id, powers, visitor)
        ]
        mails = list(
            session.scalars(select(AddressRow.email).where(AddressRow.player_id == visitor.player_id))
        )
        # A subject that could not be read belongs to no game: its refusal is the player's all the same.
        answers = session.scalars(select(OutboxRow).where(
            or_(OutboxRow.game_id == game_id, OutboxRow.game_id.is_(None)),
            OutboxRow.kind.in_(ports.letter_kinds.answers),
            OutboxRow.recipient.in_(mails),
        ).order_by(OutboxRow.id.desc()).limit(30)).all()
        player = session.get_one(PlayerRow, visitor.player_id)
        return show(request, "my_file.html", game=game, sheets=sheets, answers=answers, cache=PRIVATE,
                    zone=player.zone, due=_due(ports, session, game, powers))


@router.get("/public/{game_id}/file/{page_id}.jpg")
def photograph(request: Request, visitor: Visitor, game_id: str, page_id: int) -> Response:
    """One page of the player's own, as it was sent but without the photograph's metadata."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        powers = visits.seat_of(session, visitor, game_id)
        page = session.get(PageRow, page_id)
        own_sheets = {row.id for row, _ in _own_submissions(session, game_id, powers, visitor)}
        if page is None or page.submission_id not in own_sheets:
            raise HTTPException(404, N_("There is no such page of yours."))
        key = page.upright
    if key is None:
        raise HTTPException(404, N_("This page has not been opened as a picture yet. Its file is stored."))
    try:
        # Drawn again from its pixels: the metadata of a photograph can name a place.
        picture = pictures.page_photograph(ports.blobs.read(key))
    except (BlobError, pictures.SheetUnusable) as fault:
        raise HTTPException(503, N_("This page cannot be shown now. Everything else is safe.")) from fault
    return Response(picture, media_type="image/jpeg", headers={"Cache-Control": PRIVATE})


def _due(
    ports: DeskPorts, session: Session, game: GameRow, powers: list[str]
) -> list[tuple[str, datetime, list[str]]]:
    """The deadlines ahead at which these powers are asked for orders: the phase in words, the moment, and
    the names of the powers of which nothing came yet."""
    return [
        (phase_words(phase_of(phase.row)), phase.row.deadline,
         [ports.power_name(game.variant, power) for power in phase.silent if power in powers])
        for phase in phases_in_play(session, game.id)
        if phase.row.state == PhaseState.OPEN and {*phase.sent, *phase.silent} & {*powers}
    ]


def _own_submissions(
    session: Session, game_id: str, powers: list[str], visitor: VisitingPlayer
) -> list[tuple[SubmissionRow, PhaseRow]]:
    """The sheets that this player sent for powers they hold now: a person who takes a seat over does not see
    what their predecessor sent."""
    phases = [row for row in records.phases(session, game_id) if row.state != PhaseState.WAITING][-2:]
    return [
        (row, phase) for phase in reversed(phases) for row in reversed(records.submissions(session, phase.id))
        if row.power in powers and row.player_id == visitor.player_id
    ]


def _sheet(
    ports: DeskPorts, session: Session, game: GameRow, row: SubmissionRow, phase: PhaseRow
) -> SubmittedSheet:
    # Late by the server's stamp (SUB-09), whatever else became of the sheet.
    late, is_over = row.received_at > phase.deadline, phase.state == PhaseState.SENT
    fate = DID_NOT_COUNT if is_over and row.fate == Fate.HELD else FATES.get(row.fate, row.fate)
    return SubmittedSheet(
        phase_words(phase_of(phase)), ports.power_name(game.variant, row.power), row.version,
        row.received_at,
        FATES["late"] if late else fate, row.sha256 or BY_POST,
        tuple(page.id for page in records.pages(session, row.id)),
        None if phase.state in {PhaseState.WAITING, PhaseState.OPEN}
        else _lines(session, row.id, NOT_LOOKED_AT if is_over else LINE_STATES[LineState.OPEN]))


def _lines(session: Session, submission_id: int, unsettled: str) -> tuple[ReadLine, ...]:
    """What was read on a sheet, the heading and lines that were cut into others left out. Of a line that
    is not settled yet the words are not shown: they may be wrong still; `unsettled` is its state in
    words."""
    lines = lines_of(session, [submission_id])[submission_id]
    numbers = line_numbers(lines)
    return tuple(
        ReadLine(numbers[line.id], "" if line.needs_a_person else line.text.replace("\n", " / "),
                 None if line.needs_a_person else line.order,
                 unsettled if line.needs_a_person else LINE_STATES[line.state])
        for line in lines if line.id in numbers and not _was_cut(line))


def _was_cut(line: SettledLine) -> bool:
    """True if a person cut this line into others, which are next to it."""
    return line.state is LineState.NOT_ORDER and bool(line.standing) and line.standing[-1].settles
