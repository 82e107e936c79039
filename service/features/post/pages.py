"""The Post page: letters with orders that came by post."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Annotated

from fastapi import APIRouter, Depends, File, Form, HTTPException, Request, UploadFile
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import ColumnElement, and_, exists, or_, select
from sqlalchemy.orm import aliased
from starlette.concurrency import run_in_threadpool

from adjudicator.calendar import PhaseKind
from service.desk.queries import CLOCK_ONLY, CURRENT
from service.features.post.postal_mail import (
    LogLetter,
    PostalMail,
    PostedLetter,
    TakeLetterBack,
    logged_letters,
    originals_awaited,
)
from service.features.post.scans import ScanTray, in_tray
from service.games.phases import phase_title
from service.intake.verdicts.rules import MOST_BYTES, MOST_PHOTOS
from service.store import records
from service.store.tables import GameRow, PhaseRow, PhaseState, ScanRow
from service.web import crops
from service.web.access import COORDINATOR, NOT_OF_YOUR_GAMES, OWN_GAMES, require_any_game, require_own_phase
from service.web.acting import or_refuse, performed
from service.web.mail_games import is_within
from service.web.page import require_token, require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter()
Trusted = Annotated[Visitor, Depends(require_token)]
WRONG = ("Nothing was logged: days are written like 2027-03-14, the hour like 09:30 in GMT, and the version "
         "as a number. Go back and send it again.")


@dataclass(frozen=True, slots=True)
class ScannedLetter:
    """Pictures of the tray that may be one letter. `place`: "PHASE POWER" as the form sends it, from their
    heading, or ""; `version`: the one that the heading requests. `is_awaited`: the machine
    still reads one of them."""

    scans: tuple[ScanRow, ...]
    place: str
    version: int | None
    is_awaited: bool


@router.get("/post", dependencies=[OWN_GAMES])
def post(
    request: Request, visitor: Annotated[Visitor, Depends(require_visitor)], notice: str = ""
) -> Response:
    """The letters of every phase in play, the originals still awaited, and the form that logs one."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        phases_shown = []
        for phase in session.scalars(
            select(PhaseRow)
            .where(or_(PhaseRow.state.in_(CURRENT), _is_next()))
            .order_by(PhaseRow.deadline)
            .options(*CLOCK_ONLY)
        ):
            if not is_within({phase.game_id}, visitor.coordinates):
                continue
            game = session.get_one(GameRow, phase.game_id)
            names = {
                power: ports.power_name(game.variant, power)
                for power in sorted(records.seats(session, game.id))
            }
            phases_shown.append(
                (
                    phase, f"{game.name}, {phase_title(phase)}", names, logged_letters(session, phase.id),
                    [names[power] for power in originals_awaited(session, phase)],
                )
            )
        return show(
            request, "post/post.html", visitor=visitor, notice=notice, phases=phases_shown,
            today=ports.clock.now(), most_files=MOST_PHOTOS,
            letters_in_tray=_letters_in_tray(
                _own_scans(in_tray(session), visitor), {phase.id for phase, *_ in phases_shown}),
        )


@router.post("/post", dependencies=[OWN_GAMES])
async def log(
    request: Request, visitor: Trusted, place: Annotated[str, Form()], received: Annotated[str, Form()],
    hour: Annotated[str, Form()] = "", postmark: Annotated[str, Form()] = "",
    version: Annotated[str, Form()] = "",
    word: Annotated[str, Form()] = "", scan: Annotated[list[UploadFile] | None, File()] = None,
) -> Response:
    """Log a letter for `place`, "PHASE POWER", with or without its scan."""
    letter = _letter(place, received, hour, postmark, version, word)
    await run_in_threadpool(require_own_phase, request, visitor, letter.phase_id)
    files = await _files(scan)
    # The scan is opened in a child process, which may take seconds; other requests go on meanwhile.
    act = LogLetter(_postal_mail(request), letter, files)
    await run_in_threadpool(performed, request.app.state.ports, visitor, act)
    notice = await run_in_threadpool(_outcome, request, letter, len(files))
    return RedirectResponse(f"/post?notice={notice}", status_code=303)


@router.post("/post/scans", dependencies=[OWN_GAMES])
async def put_scans(
    request: Request, visitor: Trusted, scan: Annotated[list[UploadFile] | None, File()] = None
) -> Response:
    """Put pictures of letters in the tray; each is read, and its heading proposes power and phase."""
    require_any_game(visitor)
    files = await _files(scan)
    await run_in_threadpool(or_refuse, lambda: _tray(request).put(files, visitor.name))
    return RedirectResponse("/post?notice=scans-put#tray", status_code=303)


@router.post("/post/scans/file", dependencies=[OWN_GAMES])
async def file_scans(
    request: Request, visitor: Trusted, place: Annotated[str, Form()], received: Annotated[str, Form()],
    hour: Annotated[str, Form()] = "", postmark: Annotated[str, Form()] = "",
    version: Annotated[str, Form()] = "", word: Annotated[str, Form()] = "",
    scan: Annotated[list[int] | None, Form()] = None,
) -> Response:
    """File the ticked pictures of the tray as one letter for `place`, "PHASE POWER"."""
    letter = _letter(place, received, hour, postmark, version, word)
    chosen = scan or []
    await run_in_threadpool(require_own_phase, request, visitor, letter.phase_id)
    await run_in_threadpool(_require_own_scans, request, visitor, chosen)
    await run_in_threadpool(_file, request, visitor, chosen, letter)
    notice = await run_in_threadpool(_outcome, request, letter, len(chosen))
    return RedirectResponse(f"/post?notice={notice}#tray", status_code=303)


@router.post("/post/scans/take-out", dependencies=[OWN_GAMES])
def take_out(
    request: Request, visitor: Trusted, scan: Annotated[list[int] | None, Form()] = None
) -> Response:
    """Take the ticked pictures out of the tray."""
    _require_own_scans(request, visitor, scan or [])
    or_refuse(lambda: _tray(request).take_out(scan or [], visitor.name))
    return RedirectResponse("/post?notice=scans-out#tray", status_code=303)


@router.get("/post/scans/{scan_id}.jpg", dependencies=[OWN_GAMES])
def thumbnail(
    request: Request, visitor: Annotated[Visitor, Depends(require_visitor)], scan_id: int
) -> Response:
    """A small picture of a scan, for anyone who put it there: to anybody else it is a sealed sheet."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        row = session.get(ScanRow, scan_id)
        if row is None or row.upright is None or row.ended_at is not None:
            raise HTTPException(404, "There is no such picture in the tray.")
        if row.put_by != visitor.name:
            raise HTTPException(403, "Only the person who put this picture in the tray sees it before it is "
                                     "filed.")
        key = row.upright
    try:
        data = crops.thumbnail(ports.blobs, key)
    except crops.NoPicture as fault:
        raise HTTPException(503, str(fault)) from fault
    return Response(data, media_type="image/jpeg", headers={"Cache-Control": "private, max-age=3600"})


@router.post("/post/{posted_id}/untick", dependencies=[COORDINATOR])
def untick(request: Request, visitor: Trusted, posted_id: int) -> Response:
    """Take back the entry of a letter without a scan."""
    _postal_mail(request)
    performed(request.app.state.ports, visitor, TakeLetterBack(posted_id))
    return RedirectResponse("/post?notice=letter-unticked", status_code=303)


async def _files(uploads: list[UploadFile] | None) -> list[bytes]:
    """The bytes of the files that are not empty, read no further than the limit, so that a huge form does
    not fill memory."""
    files, size = [], 0
    for file in (uploads or [])[:MOST_PHOTOS + 1]:
        files.append(await file.read(MOST_BYTES + 1 - min(size, MOST_BYTES)))
        size += len(files[-1])
    return [content for content in files if content]


def _own_scans(rows: Sequence[ScanRow], visitor: Visitor) -> list[ScanRow]:
    """The pictures of the tray that concern this person: for anyone who coordinates single games those that
    they put there."""
    return [row for row in rows if visitor.coordinates is None or row.put_by == visitor.name]


def _require_own_scans(request: Request, visitor: Visitor, scan_ids: Sequence[int]) -> None:
    """Raises 403 if a person who coordinates single games names a picture that another person put there."""
    ports: DeskPorts = request.app.state.ports
    require_any_game(visitor)
    if visitor.coordinates is None:
        return
    with ports.sessions() as session:
        own = {row.id for row in _own_scans(in_tray(session), visitor)}
    if not own.issuperset(scan_ids):
        raise HTTPException(403, NOT_OF_YOUR_GAMES)


def _is_next() -> ColumnElement[bool]:
    """Whether a phase is the next of its game while none is open: what comes for it is stored (PHA-02)."""
    other = aliased(PhaseRow)
    before = exists().where(other.game_id == PhaseRow.game_id, or_(
        other.state == PhaseState.OPEN,
        and_(other.state == PhaseState.WAITING, other.kind != PhaseKind.RETREAT,
             other.ordinal < PhaseRow.ordinal)))
    return and_(PhaseRow.state == PhaseState.WAITING, PhaseRow.kind != PhaseKind.RETREAT, ~before)


def _letters_in_tray(rows: Sequence[ScanRow], phases: Container[int]) -> list[ScannedLetter]:
    """The tray as letters: pictures with the same proposal, of `phases`, are one letter's pages; those
    without one are shown together, and a person ticks which belong to each other."""
    groups: dict[tuple[int, str] | None, list[ScanRow]] = {}
    for row in rows:
        known = row.phase_id in phases and row.power is not None
        groups.setdefault((row.phase_id or 0, row.power or "") if known else None, []).append(row)
    return [
        ScannedLetter(tuple(scans), "" if place is None else f"{place[0]} {place[1]}",
                      next((scan.version for scan in scans if scan.version is not None), None),
                      any(scan.read_at is None for scan in scans))
        for place, scans in groups.items()
    ]


def _outcome(request: Request, letter: PostedLetter, scans: int) -> str:
    """The notice for a letter that was logged."""
    if not scans:
        return "letter-ticked"
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        return (
            "letter-late"
            # The day and hour it arrived decide, as the server's stamp does for a mail (SUB-09).
            if letter.arrived > session.get_one(PhaseRow, letter.phase_id).deadline
            else "letter-filed"
        )


def _letter(place: str, received: str, hour: str, postmark: str, version: str, word: str) -> PostedLetter:
    phase_id, _, power = place.partition(" ")
    # People write "v2" as in the subject of a mail, and "2" as the form asks.
    number = version.strip().lower().removeprefix("v")
    try:
        return PostedLetter(
            int(phase_id), power, date.fromisoformat(received),
            # 07:00 GMT is the hour of deadlines, so a letter without an hour came in time on its day.
            time.fromisoformat(hour.strip() or "07:00").replace(tzinfo=None),
            date.fromisoformat(postmark) if postmark.strip() else None, int(number) if number else None,
            word[:200])
    except ValueError as fault:
        raise HTTPException(400, WRONG) from fault


def _postal_mail(request: Request) -> PostalMail:
    ports: DeskPorts = request.app.state.ports
    return ports.door(PostalMail)


def _tray(request: Request) -> ScanTray:
    ports: DeskPorts = request.app.state.ports
    return ports.door(ScanTray)


def _file(request: Request, visitor: Visitor, scan_ids: Sequence[int], letter: PostedLetter) -> None:
    """File pictures of the tray as one letter. Raises 409 with the reason of a refusal."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        table = ports.act_table(session, visitor.name, visitor.coordinates)
        or_refuse(lambda: _tray(request).file(table, scan_ids, letter))
