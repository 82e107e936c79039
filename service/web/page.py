"""Parts that every page of the desk needs: the signed-in visitor, the token of its forms, the templates and
headers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from fastapi.responses import Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

import templates
from adjudicator.errors import UserFacingError
from service.feature import TEMPLATES, notice as notice_of_feature, templates_in
from service.version import version
from service.web import sessions, wording
from service.web.access import NotSignedIn
from service.web.ports import DeskPorts

FOLDER = Path(templates.__file__).parent / "desk"
HEADERS = {
    "Content-Security-Policy": (
        # No inline style and no inline script anywhere: a name with markup could do nothing even if it were
        # not escaped.
        "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    # Addresses of players' pages carry secrets, so no page shows where its reader came from.
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
}


BAR = (("/", "Inbox"), ("/games", "Games"), ("/letters", "Letters"), ("/log", "Log"), ("/health", "Health"))
"""The links at the head of each page of the desk, as address and word: five at most (DSK-01)."""


class StaleForm(HTTPException):
    """A form that does not carry the token of the present session."""

    def __init__(self) -> None:
        super().__init__(403, ("This form is out of date. Nothing was changed: go back, reload, and send it "
                               "again."))


class NotInstalled(UserFacingError):
    """The Python package of a page is not installed. Answered with 503 and the sentence."""


def environment() -> Environment:
    """The desk's templates: always escaped, and a missing value is an error."""
    templates = Environment(
        loader=FileSystemLoader([FOLDER, TEMPLATES]), autoescape=True, undefined=StrictUndefined,
        # A site's templates do not change while it runs: no page looks at each of its files again.
        auto_reload=False)
    templates.filters.update(wording.FILTERS)
    templates.globals |= {"slot": templates_in, "pages_bar": BAR,
                          "notice_of_feature": notice_of_feature}
    return templates


def require_visitor(request: Request) -> sessions.Visitor:
    """The signed-in person whom the route let in (`service.web.access`). Raises NotSignedIn on a public
    route."""
    visitor = getattr(request.state, "visitor", None)
    if not isinstance(visitor, sessions.Visitor):
        raise NotSignedIn
    return visitor


async def require_token(
    request: Request, visitor: Annotated[sessions.Visitor, Depends(require_visitor)]
) -> sessions.Visitor:
    """The signed-in person of a form that carries the session's token; raises StaleForm (403) otherwise.
    Every form that changes anything depends on it."""
    form = await request.form()
    if not sessions.same(str(form.get("csrf", "")), visitor.csrf):
        raise StaleForm
    # For a page that carries the form on (`service.web.look`); handlers without `async` cannot read it.
    request.state.fields = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
    return visitor


def show(request: Request, name: str, status: int = 200, **values: object) -> Response:
    """The response with one template rendered. `values` are added to the title, the time, the visitor and
    the number of entries in their inbox."""
    ports: DeskPorts = request.app.state.ports
    template = request.app.state.templates.get_template(name)
    visitor = values.get("visitor")
    # On the page of a fault of ours nothing is asked of what may have failed.
    inbox_count = 0 if visitor is None or status >= 500 else request.app.state.waiting_for(request, visitor)
    html = template.render(title=ports.settings.title, now=ports.clock.now(), program=version(),
                           **{"visitor": None, "inbox_count": inbox_count, **values})
    return Response(html, status_code=status, media_type="text/html; charset=utf-8")
