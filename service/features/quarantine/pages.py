"""On the page of a mail in quarantine: its pictures, the phases that it may be filed in, and the prepared
answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.orm import Session

from service.desk.quarantine import DAMAGED, quarantined_mail, require_unsealed
from service.facts.refusals import RefusalReason
from service.features.quarantine.room import (
    ANSWERS,
    AssignMail,
    Quarantine,
    QuarantinedMail,
    RefuseMail,
    places,
)
from service.games.acts.act import Act
from service.games.phases import phase_title
from service.games.refused import Refused
from service.intake.opening.sandbox import ChildFault
from service.notices.answers.files import every_file
from service.store.blobs import BlobError
from service.store.tables import MailRow
from service.web.access import COORDINATOR, require_own_phase
from service.web.acting import performed
from service.web.mail_games import is_within
from service.web.page import require_token, require_visitor
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter(dependencies=[COORDINATOR])
SignedIn = Annotated[Visitor, Depends(require_visitor)]
Trusted = Annotated[Visitor, Depends(require_token)]


def mail_values(request: Request, session: Session, values: Mapping[str, Any]) -> Mapping[str, object]:
    """The contents of a mail, where it may be filed and how it may be answered. `reason` of the address names
    the prepared answer that is shown before it is sent."""
    ports: DeskPorts = request.app.state.ports
    mail: MailRow = values["mail"]
    shown: dict[str, object] = {
        "files": [], "outcomes": (), "damaged": "", "unopened": "",
        "places": [
            (
                phase, game.name, phase_title(phase),
                [(power, ports.power_name(game.variant, power)) for power in powers],
            )
            for phase, game, powers in places(session, mail)
            if is_within({game.id}, values["visitor"].coordinates)
        ],
    }
    room = ports.door(Quarantine)
    answers, reason = room.answers(session, mail), request.query_params.get("reason", "")
    return shown | {
        "answers": answers, "registered": room.registered(session, mail),
        "shown_answer": next((answer for answer in answers if answer[0].value == reason), None),
    } | _files(room, mail)


@router.get("/quarantine/{sha256}/picture/{number}.jpg")
def preview(request: Request, visitor: SignedIn, sha256: str, number: int) -> Response:
    """The first page of an attached picture, re-encoded without EXIF; 403 while it may hold sealed orders."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        mail = quarantined_mail(session, sha256)
        require_unsealed(session, mail, visitor, ports)
    try:
        picture = ports.door(Quarantine).preview(mail, number)
    except (BlobError, ChildFault) as fault:
        raise HTTPException(503, f"This cannot be shown: {fault}. Everything else is safe.") from fault
    except Refused as fault:
        raise HTTPException(503, str(fault)) from fault
    if picture is None:
        raise HTTPException(404, ("This attachment does not open as a picture. The raw mail can be "
                                  "downloaded."))
    return Response(picture, media_type="image/jpeg")


@router.post("/quarantine/{sha256}/assign")
def assign(request: Request, visitor: Trusted, sha256: str, place: Annotated[str, Form()],
           version: Annotated[str, Form()] = "") -> Response:
    """File the mail for `place`, "PHASE POWER"; it is then read like any other."""
    number, _, power = place.partition(" ")
    version_text = version.strip().lower().removeprefix("v")
    # Requests drawn at random brought numbers that no column holds: they are refused here, not a 500.
    if not number.isdecimal() or not (
        version_text == "" or (version_text.isdecimal() and len(version_text) <= 4)
    ):
        raise HTTPException(
            400,
            "Nothing was filed: choose a game, phase and power, and give the version as a number or leave "
            "it empty. The mail is stored.",
        )
    require_own_phase(request, visitor, int(number))
    place_of_mail = QuarantinedMail(int(number), power)
    _settle(request, visitor, AssignMail(
        _room(request), sha256, place_of_mail, int(version_text) if version_text else None))
    return RedirectResponse(f"/sheets/{number}?notice=assigned", status_code=303)


@router.post("/quarantine/{sha256}/refuse")
def refuse(request: Request, visitor: Trusted, sha256: str, reason: Annotated[str, Form()]) -> Response:
    """Send the prepared answer that was shown; the mail leaves quarantine."""
    # Only prepared answers leave, and the page showed the answer first (desk plan, section 3).
    if reason not in {answer.value for answer in ANSWERS}:
        raise HTTPException(400, "Nothing was sent: choose one of the prepared answers. The mail is stored.")
    _settle(request, visitor, RefuseMail(_room(request), sha256, RefusalReason(reason)))
    return RedirectResponse("/?notice=refused", status_code=303)


def _room(request: Request) -> Quarantine:
    ports: DeskPorts = request.app.state.ports
    return ports.door(Quarantine)


def _settle(request: Request, visitor: Visitor, act: Act[Any]) -> None:
    """Perform an act on a mail. Raises 409 with the reason of a refusal, 503 where its bytes are damaged."""
    try:
        performed(request.app.state.ports, visitor, act)
    except BlobError as fault:
        raise HTTPException(503, DAMAGED.format(fault=fault)) from fault


def _files(service: Quarantine, mail: MailRow) -> dict[str, object]:
    try:
        opened = service.read(mail)
    except BlobError as fault:
        return {"damaged": str(fault)}
    except Refused as fault:
        return {"unopened": str(fault)}
    return {"files": list(enumerate(opened.pictures)), "outcomes": every_file(opened.outcomes)}
