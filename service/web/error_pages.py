"""Error pages: what happened, what is safe, what to do. Never a stack trace."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.exc import DataError, OperationalError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match

from service.web import kept_form, public_limits
from service.web.access import NotSignedIn, signed_in
from service.web.crops import NoPicture
from service.web.kept_form import KeptForm
from service.web.page import HEADERS, NotInstalled, StaleForm, show
from service.web.ports import DeskPorts

log = logging.getLogger(__name__)
NO_PAGE = "There is no such page. Nothing is lost: the inbox shows everything to do."
NO_PUBLIC_PAGE = "There is no such page. Check the address in your letters; nothing of yours is lost."
INCOMPLETE = "This form is incomplete. Nothing was changed: go back, reload the page, and send it again."
SIGNED_OUT = ("You are signed out, so nothing was sent yet. Your input is still on this page: sign in again "
              "here, check it and send it.")
NOT_IN_TIME = ("The site's database did not answer in time. Everything saved before is safe. Wait a minute "
               "and check whether this was saved too; if not, send it again.")
_UNREADABLE = "There was an error parsing the body"
OURS = ("This page failed. Everything saved before is safe. Reload; if it fails again, report it to the "
        "operator.")
PUBLIC_SENTENCES = (
    NO_PUBLIC_PAGE, INCOMPLETE, NOT_IN_TIME, OURS, public_limits.TOO_LARGE, public_limits.TOO_LARGE_SHEET,
    public_limits.SLOWLY, public_limits.DRAWING,
)
"""The sentences of this package that players read, each in their language."""


PublicErrorPage = Callable[[Request, int, str, Sequence[tuple[str, str]], bool], Response]
"""Makes the error page of the players' pages: the request, the status, the sentence, the words of a form that
was not taken by their names, and whether the reader may be looked up for their language."""


def install(app: FastAPI, public_page: PublicErrorPage) -> None:
    """Register the handlers of everything that a page may raise."""
    app.state.public_error_page = public_page
    app.add_exception_handler(NotSignedIn, _to_sign_in)
    app.add_exception_handler(HTTPException, _http_error)
    for unusable in (RequestValidationError, OverflowError, DataError):  # a number, say, that no column holds
        app.add_exception_handler(unusable, _unusable)
    app.add_exception_handler(ClientDisconnect, _gone)
    for missing in (NoPicture, NotInstalled):
        app.add_exception_handler(missing, _is_missing)
    app.add_exception_handler(OperationalError, _not_in_time)
    app.add_exception_handler(Exception, _internal_error)


async def _to_sign_in(request: Request, _error: Exception) -> Response:
    """Redirect to the sign-in page, and from there to the page asked for; an unsent form is stored on the
    sign-in page."""
    form = await kept_form.kept_form(request)
    if form is not None:
        ports: DeskPorts = request.app.state.ports
        with ports.sessions() as session:
            name = kept_form.form_owner(session, form)
        if name is not None:
            return show(
                request, "sign_in.html", status=401, message=SIGNED_OUT, person=name,
                unsent_form=form.dump(), to=""
            )
    return RedirectResponse(kept_form.sign_in_address(request), status_code=303)


async def _http_error(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    # As it is: a `Sentence` can be stated in another language.
    message = error.detail if isinstance(error, HTTPException) else OURS
    # The framework's own words, for a body that it cannot read, do not state that nothing was changed.
    if status == 400 and (type(error) is HTTPException or message == _UNREADABLE):
        message = INCOMPLETE
    # Browsers forget fields on the way back, so a reason typed next to a wrong number was lost.
    form = await kept_form.kept_form(request) if status < 500 else None
    # A form older than a new sign-in is shown again and sent by one press, not typed again.
    if isinstance(error, StaleForm) and form is not None and _is_own_form(request, form):
        return show(
            request, "sent_again.html", status=status, visitor=signed_in(request), unsent_form=form,
            stale=True
        )
    page = _error_page(
        request, status, _no_page(request) if message in {"Not Found", "Method Not Allowed"} else message,
        form
    )
    # Of a method that no route takes, which ones it does (RFC 9110, 15.5.6).
    page.headers.update((error.headers or {}) if isinstance(error, HTTPException) else {})
    return page


async def _unusable(request: Request, _error: Exception) -> Response:
    """For an address with a word where a number belongs, or a form with a field missing."""
    # A GET with a malformed number is simply no page; a POST must state that nothing was changed.
    if request.method == "GET":
        return _error_page(request, 404, _no_page(request))
    return _error_page(request, 400, INCOMPLETE, await kept_form.kept_form(request))


async def _gone(_request: Request, _error: Exception) -> Response:
    """For anyone who left in the middle of a form: no one hears it, and it is not a fault of ours."""
    return Response(status_code=400)


async def _not_in_time(request: Request, _error: Exception) -> Response:
    """Where another person holds the database, its disk is full, or its server is away. Which of them, the
    log states; whether the last statement was carried out is unknown."""
    # The route and not the address, which may hold a secret.
    log.error("the database did not answer %s", getattr(request.scope.get("route"), "path", "a page"))
    # No one is looked up for this page: that would wait for the same database once more.
    form = await kept_form.kept_form(request)
    if _is_public(request):
        return _public_page(request, 503, NOT_IN_TIME, form, is_known=False)
    return show(request, "fault.html", status=503, visitor=None, message=NOT_IN_TIME, unsent_form=form,
                asked_only=_asks_only(request), back=_page_of_form(request))


async def _is_missing(request: Request, error: Exception) -> Response:
    return _error_page(request, 503, str(error))


async def _internal_error(request: Request, _error: Exception) -> Response:
    # This one is answered outside the middleware, so it must add the headers itself.
    response = _error_page(request, 500, OURS)
    response.headers.update(HEADERS)
    return response


def _is_own_form(request: Request, form: KeptForm) -> bool:
    """True if a form carries the token of a former session of the person who is signed in now."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        return kept_form.form_owner(session, form) == signed_in(request).name


def _no_page(request: Request) -> str:
    # A stranger is shown the way to a link, not to the desk.
    return NO_PUBLIC_PAGE if _is_public(request) else NO_PAGE


def _is_public(request: Request) -> bool:
    """True for a page of players, who have no access to the desk."""
    return request.url.path.startswith("/public/")


def _asks_only(request: Request) -> bool:
    return request.method in {"GET", "HEAD"}


def _page_of_form(request: Request) -> str:
    """The address of the page that a form is on: the nearest one at or above the form's own that is a
    page. "" where nothing was sent, or there is none but the inbox."""
    path = "" if _asks_only(request) else request.url.path
    while path:
        asked = {**request.scope, "method": "GET", "path": path}
        if any(route.matches(asked)[0] is Match.FULL for route in request.app.router.routes):
            return path
        path = path.rpartition("/")[0]
    return ""


def _public_page(
    request: Request, status: int, message: str, form: KeptForm | None, *, is_known: bool = True
) -> Response:
    """The error page of the players' pages, in the reader's language. `is_known`: False if no one is to be
    looked up for it."""
    page: PublicErrorPage = request.app.state.public_error_page
    words = () if form is None else tuple(form.words)
    return page(request, status, message, words, is_known)


def _error_page(request: Request, status: int, message: str, form: KeptForm | None = None) -> Response:
    if _is_public(request):
        return _public_page(request, status, message, form, is_known=status != 500)
    try:
        visitor = signed_in(request)
    except Exception:  # signed out, or the very database that failed before
        visitor = None
    return show(
        request, "fault.html", status=status, visitor=visitor, message=message, unsent_form=form,
        asked_only=_asks_only(request), back=_page_of_form(request)
    )
