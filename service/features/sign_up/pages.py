"""The games that take sign-ups, the form, a person's own place behind a mailed link, and how the powers were
drawn (BEY-04). No person's name or address is on a page but their own."""

from __future__ import annotations

import hmac

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

import maps
from service.features.sign_up import lists, power_lots as places
from service.features.sign_up.lists import Wishes
from service.games.refused import Refused
from service.letters.language import LANGUAGES, N_, sentence_of
from service.public.page import choose_language, language_of, show
from service.store.tables import OfferRow, SignUpRow
from service.web.access import PUBLIC
from service.web.ports import DeskPorts

router = APIRouter(dependencies=[PUBLIC])
PRIVATE = "private, no-store"
NONE = N_("There is no such game to sign up for. It may have begun, or its name has another spelling. The "
          "button below shows the open games.")
GONE = N_("This link has expired: a newer letter has a newer link, the game has begun with you, or you "
          "withdrew. Nothing was changed. Use the link in your newest letter, or sign up again.")
OUT_OF_DATE = N_("This form is out of date. Nothing was changed: go back, reload, and send it again.")


@router.get("/public/sign-up")
def offers(request: Request) -> Response:
    """Every game that takes sign-ups."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        rows = [(row, maps.load(row.variant).title, len(places.confirmed(session, row.id)),
                 len(maps.load(row.variant).powers)) for row in lists.open_offers(session)]
        return show(request, "sign_up/sign_ups.html", offers=rows)


@router.get("/public/sign-up/{offer_id}")
def offer(request: Request, offer_id: str, notice: str = "") -> Response:
    """One game and the form."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        row = _offer(session, offer_id)
        return _form(request, session, row, None, notice="sent" if notice else "")


@router.post("/public/sign-up/{offer_id}")
async def sign_up(request: Request, offer_id: str) -> Response:
    """Keep a wish and mail its link. The answer is the same whether the address was on the list or not."""
    form = await request.form(max_files=0, max_fields=60)
    return await run_in_threadpool(_sign_up, request, offer_id, form)


@router.get("/public/sign-up/{offer_id}/lots")
def lots(request: Request, offer_id: str) -> Response:
    """How the powers were drawn, to be drawn again by anybody."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        row = _offer(session, offer_id)
        powers = maps.load(row.variant).powers
        drawn = row.drawn or {}
        seats = sorted((number, powers[power].name) for power, number in drawn.get("seats", {}).items())
        return show(request, "sign_up/sign_up_lots.html", offer=row, drawn=drawn, seats=seats,
                    own=bool(row.drawn))


@router.get("/public/sign-up/{offer_id}/{secret}")
def own(request: Request, offer_id: str, secret: str, notice: str = "") -> Response:
    """A person's own place. Opening it confirms nothing: mail scanners open every link."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        row, place = _offer(session, offer_id), _own(request, session, offer_id, secret)
        return _form(request, session, row, place, secret=secret,
                     notice=notice if notice in {"confirmed", "changed"} else "")


@router.post("/public/sign-up/{offer_id}/{secret}")
async def act(request: Request, offer_id: str, secret: str) -> Response:
    """Confirm, change or withdraw a sign-up, as `do` states."""
    form = await request.form(max_files=0, max_fields=60)
    return await run_in_threadpool(_act, request, offer_id, secret, form)


def _sign_up(request: Request, offer_id: str, form: FormData) -> Response:
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        row = _offer(session, offer_id)
        try:
            lists.sign_up(session, ports.letters, row, _word(form, "mail", 320),
                             _wishes(request, form), ports.settings.base_url, ports.clock.now())
        except Refused as fault:
            return _form(request, session, row, None, fault=sentence_of(fault), sent=form, status=400)
    return RedirectResponse(f"{lists.PATH}{offer_id}?notice=1", status_code=303)


def _act(request: Request, offer_id: str, secret: str, form: FormData) -> Response:
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        row, place = _offer(session, offer_id), _own(request, session, offer_id, secret)
        if not hmac.compare_digest(lists.token_of(secret).encode(), _word(form, "csrf", 64).encode()):
            raise HTTPException(403, OUT_OF_DATE)
        do = _word(form, "do", 20)
        if do == "withdraw":
            # The row goes, and with it everything that is known of the person here.
            lists.forget(session, [place])
            return show(request, "sign_up/sign_up_withdrawn.html", offer=row, cache=PRIVATE)
        try:
            if do == "change":
                lists.change(ports.letters, row, place, _wishes(request, form))
        except Refused as fault:
            return _form(request, session, row, place, secret=secret, fault=sentence_of(fault), sent=form,
                         status=400)
        places.confirm(session, place, ports.clock.now())
    notice = "changed" if do == "change" else "confirmed"
    return RedirectResponse(f"{lists.PATH}{offer_id}/{secret}?notice={notice}", status_code=303)


def _form(
    request: Request, session: Session, offer: OfferRow, place: SignUpRow | None, *, secret: str = "",
    notice: str = "", fault: str = "", sent: FormData | None = None, status: int = 200,
) -> Response:
    """The form, empty, with a person's own wishes, or with what was sent and is wrong."""
    variant = maps.load(offer.variant)
    names = {power.id: power.name for power in variant.powers.values()}
    values = {"name": "", "mail": "", "powers": "", "home": "", "zone": "Europe/London",
              "language": language_of(request), "dates": list(offer.dates)}
    if place is not None:
        values |= {"name": place.name, "mail": place.email, "home": "\n".join(map(str, place.home)),
                   "powers": ", ".join(names[str(power)] for power in place.preferences if power in names),
                   "zone": place.zone, "language": place.language, "dates": list(place.dates)}
    if sent is not None:
        values |= {key: _word(sent, key, 2000)
                   for key in ("name", "mail", "powers", "home", "zone", "language")}
        values["dates"] = [str(day) for day in sent.getlist("dates")]
    seated = next((names.get(power, "") for power, number in (offer.drawn or {}).get("seats", {}).items()
                   if place is not None and number == place.number), "")
    return show(
        request, "sign_up/sign_up.html", status, cache=PRIVATE, offer=offer, board=variant.title, place=place,
        powers=[power.name for power in variant.powers.values()], values=values, notice=notice, fault=fault,
        secret=secret, token=lists.token_of(secret) if secret else "", languages=LANGUAGES, seated=seated,
        days=list(zip(offer.dates, lists.days_of(offer.dates), strict=True)),
        listed=len(places.confirmed(session, offer.id)))


def _wishes(request: Request, form: FormData) -> Wishes:
    days = tuple(str(day) for day in form.getlist("dates"))
    return Wishes(_word(form, "name", 200), _word(form, "powers", 2000), days, _word(form, "home", 1000),
                  _word(form, "zone", 60) or "Europe/London",
                  _word(form, "language", 8) or language_of(request))


def _offer(session: Session, offer_id: str) -> OfferRow:
    row = session.get(OfferRow, offer_id)
    if row is None or row.ended_at is not None:
        raise HTTPException(404, NONE)
    return row


def _own(request: Request, session: Session, offer_id: str, secret: str) -> SignUpRow:
    """Whose place a link opens, answered in their language from here on. Raises 404."""
    place = lists.holder_of(session, offer_id, secret)
    if place is None:
        raise HTTPException(404, GONE)
    choose_language(request, place.language)
    return place


def _word(form: FormData, name: str, most: int) -> str:
    value = form.get(name, "")
    return value.strip()[:most] if isinstance(value, str) else ""
