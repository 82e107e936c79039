"""The page behind a player's secret link: a camera or files, and what came in (BEY-05).

It works without a script; with one, a sheet that was photographed without a net waits in the browser and is
sent later, under the same number. It shows when a sheet arrived and the digests of its photographs, and never
what was read on it.
"""

from __future__ import annotations

import hmac
import threading
from dataclasses import dataclass, field
from datetime import datetime
from secrets import token_hex
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import JSONResponse, Response
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from service.feature import TEMPLATES
from service.features.uploads import links
from service.features.uploads.door import Arrival, Upload, UploadDoor
from service.features.uploads.links import EndUploadLink, LinkHolder
from service.games.acts.act import perform
from service.games.ballots import next_version
from service.games.phases import phase_of
from service.games.refused import Refused
from service.intake.load_context import phases_taking_mail
from service.intake.verdicts.explanations import canonical_subject
from service.intake.verdicts.rules import MOST_BYTES, MOST_PHOTOS
from service.letters.language import N_, Sentence, language, phase_words, sentence_of
from service.public.acting import PLAYER
from service.public.page import choose_language, language_of, said, show
from service.store.columns import row_number
from service.store.tables import AddressRow, GameRow, PhaseRow, PlayerRow
from service.web.access import PUBLIC
from service.web.ports import DeskPorts
from service.web.public_limits import TOO_LARGE_SHEET

router = APIRouter(dependencies=[PUBLIC])
PRIVATE = "private, no-store"
AT_ONCE = 6
"""Sheets that may be on their way to us at a time; each may fill twenty-seven megabytes of the disk."""
MOST_VERSION = 999
_FIELDS = 12
_FILES = 400
"""Files of one form that are counted at all; of more, the form is not read to its end."""
GONE = N_("This link has expired, or it is incomplete. Sheets already sent by it are safe. Make a new link "
          "in your entry: the button below leads there.")
OUT_OF_DATE = N_("This page is out of date. Nothing was sent: reload it, and send again.")
WRONG_PLACE = N_("Nothing was sent: this phase or power is not yours. Reload the page, and send again.")
WRONG_VERSION = N_("Nothing was sent: the version is a number from 1 to 999.")
TOO_MANY = N_("Nothing was sent: a sheet has at most %(most)s photographs. Send fewer: one of each page is "
              "enough.")
FORM_OUT_OF_DATE = N_("This form is out of date. Nothing was changed: go back, reload, and send it again.")
BUSY = N_("Many sheets are being sent at this moment. Yours was not received yet, and nothing is wrong with "
          "it. Send it again in a minute.")
NO_ADDRESS = N_("Nothing was sent: no mail address of yours is registered, and the receipt goes there. Write "
                "to the coordinator.")


@dataclass(slots=True)
class Receiving:
    """How many sheets are on their way to this process."""

    most: int = AT_ONCE
    _now: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self) -> bool:
        """Whether one more may come; then `end` must be called."""
        with self._lock:
            if self._now >= self.most:
                return False
            self._now += 1
            return True

    def end(self) -> None:
        """One is here, or was broken off."""
        with self._lock:
            self._now -= 1


RECEIVING = Receiving()


@dataclass(frozen=True, slots=True)
class Place:
    """What a sheet can be for. `key`: "PHASE POWER", as the form sends it; `next_version`: the number that
    counts before what is on file."""

    key: str
    phase: str
    power: str
    deadline: datetime
    next_version: int


@router.get("/public/send/worker.js")
def worker() -> Response:
    """The script that keeps this one page at hand where there is no net."""
    # Of this folder and not of /static: it may answer for the pages below its own address alone.
    script = (TEMPLATES / "uploads/send_worker.js").read_bytes()
    return Response(script, media_type="text/javascript", headers={"Cache-Control": "no-cache"})


@router.get("/public/send/{secret}")
def page(request: Request, secret: str) -> Response:
    """The page of a link: what is open, the form, and the camera where there is one."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        holder = _greet(request, session, secret)
        game = session.get_one(GameRow, holder.game_id)
        return show(
            request, "uploads/send.html", cache=PRIVATE, game=game, token=holder.token, nonce=token_hex(16),
            places=_places(ports, session, game, holder), most_files=MOST_PHOTOS, most_bytes=MOST_BYTES,
            zone=session.get_one(PlayerRow, holder.player_id).zone, secret=secret, arrival=None)


@router.post("/public/send/{secret}")
async def send(request: Request, secret: str) -> Response:
    """Take a sheet in. With `Accept: application/json` the answer is JSON, for the page's script."""
    # The link is looked at before a byte of the form is: a stranger fills no disk.
    await run_in_threadpool(_check_link, request, secret)
    if not RECEIVING.begin():
        return _refused(request, 503, BUSY, {"Retry-After": "60"})
    try:
        async with request.form(max_files=_FILES, max_fields=_FIELDS) as form:
            photographs = [await part.read() for part in form.getlist("photograph")
                           if isinstance(part, UploadFile) and part.size]
            return await run_in_threadpool(_take_in, request, secret, form, tuple(photographs))
    finally:
        RECEIVING.end()


@router.post("/public/send/{secret}/end")
async def end(request: Request, secret: str) -> Response:
    """End this link: for who lost it, or has finished."""
    form = await request.form(max_files=0, max_fields=_FIELDS)
    return await run_in_threadpool(_end, request, secret, str(form.get("csrf", "")))


def _check_link(request: Request, secret: str) -> None:
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        _greet(request, session, secret)


def _greet(request: Request, session: Session, secret: str) -> LinkHolder:
    """Whom a link is for, answered in their language from here on. Raises 404 as `_holder` does."""
    holder = _holder(session, secret, request.app.state.ports)
    choose_language(request, session.get_one(PlayerRow, holder.player_id).language)
    return holder


def _holder(session: Session, secret: str, ports: DeskPorts) -> LinkHolder:
    """Whom a link is for. Raises 404 with one sentence for used, ended and unknown links."""
    holder = links.holder_of(session, secret, ports.clock.now())
    if holder is None:
        raise HTTPException(404, GONE)
    return holder


def _places(ports: DeskPorts, session: Session, game: GameRow, holder: LinkHolder) -> list[Place]:
    """Everything that a sheet of this player can be for now: the phase that is open, else the next one, and
    the player's powers in it."""
    phase = phases_taking_mail(session, game.id, ports.clock.now()).due
    # Every power of theirs, asked or not: which powers are asked for retreats is in their letters.
    return [] if phase is None else [
        Place(f"{phase.id} {power}", phase_words(phase_of(phase)), ports.power_name(game.variant, power),
              phase.deadline, min(next_version(session, phase.id, power), MOST_VERSION))
        for power in holder.powers
    ]


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A form that may be taken in, with what its answer names. `zone`: the player's time zone."""

    upload: Upload
    game: GameRow
    phase: str
    version: int
    deadline: datetime
    zone: str


def _take_in(request: Request, secret: str, form: FormData, photographs: tuple[bytes, ...]) -> Response:
    ports: DeskPorts = request.app.state.ports
    try:
        with ports.sessions() as session:
            sheet = _sheet(session, ports, secret, form, photographs)
        return _answer(request, secret, sheet, ports.door(UploadDoor).take_in(sheet.upload))
    except _Refusal as refusal:
        return _refused(request, refusal.status, sentence_of(refusal))
    except Refused as refusal:
        # An empty form is the sender's slip, and the other refusals are about time.
        return _refused(request, 429 if photographs else 400, sentence_of(refusal))


class _Refusal(Exception):
    """Why a form is not taken, with the status of its answer."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def _sheet(
    session: Session, ports: DeskPorts, secret: str, form: FormData, photographs: tuple[bytes, ...]
) -> _Sheet:
    """What the form sends. Raises _Refusal, and 404 for a link that has ended meanwhile: the form may have
    taken minutes."""
    holder = _holder(session, secret, ports)
    if not hmac.compare_digest(holder.token.encode(), _word(form, "csrf", 64).encode()):
        raise _Refusal(403, OUT_OF_DATE)
    if sum(map(len, photographs)) > MOST_BYTES:
        raise _Refusal(413, TOO_LARGE_SHEET)
    if len(photographs) > MOST_PHOTOS:
        raise _Refusal(400, Sentence(TOO_MANY, most=MOST_PHOTOS))
    game = session.get_one(GameRow, holder.game_id)
    phase_key, _, power = _word(form, "place", 120).partition(" ")
    phase = session.get(PhaseRow, row_number(phase_key))
    # A phase of theirs whose deadline has passed is taken: a sheet that waited for the net is late, and its
    # player gets the letter that says so. One that is not open yet keeps its sheets (PHA-02).
    if phase is None or phase.game_id != game.id or power not in holder.powers:
        raise _Refusal(403, WRONG_PLACE)
    version = row_number(_word(form, "version", 4))
    if not 1 <= version <= MOST_VERSION:
        raise _Refusal(400, WRONG_VERSION)
    sender = session.scalar(select(AddressRow.email).where(AddressRow.player_id == holder.player_id)
                            .order_by(AddressRow.email).limit(1))
    if sender is None:
        raise _Refusal(409, NO_ADDRESS)
    subject = canonical_subject(
        game.name, ports.power_name(game.variant, power), phase_of(phase), version)
    upload = Upload(game.id, holder.player_id, sender, subject, photographs, holder.mark,
                    _word(form, "nonce", 64))
    zone = session.get_one(PlayerRow, holder.player_id).zone
    return _Sheet(upload, game, phase_words(phase_of(phase)), version, phase.deadline, zone)


def _answer(request: Request, secret: str, sheet: _Sheet, arrival: Arrival) -> Response:
    """The words of the page about a sheet that came: when, and the digests. Whether it counts, its receipt
    states."""
    is_late = arrival.received_at > sheet.deadline
    if _wants_json(request):
        return JSONResponse(
            {"received": arrival.received_at.isoformat(), "when": _when(request, sheet, arrival),
             "mail": arrival.mail, "late": is_late, "photographs": list(arrival.photographs),
             "repeat": arrival.is_repeat},
            headers={"Cache-Control": PRIVATE})
    return show(request, "uploads/done.html", cache=PRIVATE, game=sheet.game, arrival=arrival,
                phase=sheet.phase, number=sheet.version, late=is_late, secret=secret)


def _when(request: Request, sheet: _Sheet, arrival: Arrival) -> str:
    """The instant of arrival as every letter has it, GMT first: the script's own clock may call it UTC."""
    return language(language_of(request)).instant(arrival.received_at, sheet.zone)


def _end(request: Request, secret: str, token: str) -> Response:
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        holder = _greet(request, session, secret)
        if not hmac.compare_digest(holder.token.encode(), token.encode()):
            return _refused(request, 403, FORM_OUT_OF_DATE)
        perform(EndUploadLink(holder), ports.act_table(session, PLAYER))
        game = session.get_one(GameRow, holder.game_id)
        return show(request, "uploads/ended.html", cache=PRIVATE, game=game)


def _word(form: FormData, name: str, most: int) -> str:
    value = form.get(name, "")
    return value.strip()[:most] if isinstance(value, str) else ""


def _wants_json(request: Request) -> bool:
    return request.headers.get("accept", "").startswith("application/json")


def _refused(
    request: Request, status: int, sentence: str, headers: dict[str, str] | None = None
) -> Response:
    """A refusal as JSON. Raises HTTPException with the same sentence where a page is asked for."""
    if not _wants_json(request):
        raise HTTPException(status, sentence, headers)
    answer: dict[str, Any] = {"sentence": said(language_of(request), sentence)}
    return JSONResponse(answer, status, {"Cache-Control": PRIVATE, **(headers or {})})
