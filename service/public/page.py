"""Parts that every public page needs: its templates in the reader's language, and words for times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache, partial
from pathlib import Path

from fastapi import Request
from fastapi.responses import Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import Headers

import templates
from service.feature import TEMPLATES, notice, templates_in, way_out
from service.letters.form import Form
from service.letters.language import ENGLISH, LANGUAGES, N_, Sentence, language
from service.public import visits
from service.web import wording
from service.web.ports import DeskPorts

_LONGEST = 100_000
"""Most characters of one value on a page: more than a person writes."""
_FIELDS = {
    "lines": N_("Address"), "first": N_("First day"), "last": N_("Last day"), "address": N_("Mail address"),
    "zone": N_("Time zone of your clock"), "language": N_("Language of your letters and pages"),
    "reminders": N_("Reminders"),
}
"""Fields of players' forms by the words for them; others are called as they are sent."""
FOLDER = Path(templates.__file__).parent / "public"


# Of this module, not of the application: the move browser renders its page without a request.
@cache
def environment(code: str = ENGLISH) -> Environment:
    """The public templates in a language: always escaped, and a missing value is an error."""
    templates = Environment(
        loader=FileSystemLoader([FOLDER, TEMPLATES]), autoescape=True, undefined=StrictUndefined,
        # A site's templates do not change while it runs: no page looks at each of its files again.
        auto_reload=False)
    form = Form(language(code), is_markup=True, longest=_LONGEST)
    templates.filters.update(wording.FILTERS)
    templates.filters["gmt"] = partial(_gmt, code)
    # `capitalize` makes every other letter small, and German nouns have a large one.
    templates.filters["as_start"] = lambda words: words[:1].upper() + words[1:]
    templates.filters["own_gmt"] = partial(_own_gmt, code)
    templates.globals |= {"_": form.say, "ngettext": form.count, "link": form.link, "strong": form.strong,
                          "told": form.clean, "outcome": form.outcome,
                          "version": form.language.version, "language": code,
                          "slot": templates_in, "notice_of_feature": notice}
    return templates


def _gmt(code: str, moment: datetime) -> str:
    return language(code).instant(moment)


def _own_gmt(code: str, moment: datetime, zone: str) -> str:
    return language(code).instant(moment, zone)


def language_of(request: Request) -> str:
    """The language of a page: the one that the player of this visit, or the holder of this link, chose, else
    the first that the browser requests and we have, else English."""
    chosen: str = getattr(request.state, "language", "")
    return chosen or _language_of_visit(request) or asked_language(request.headers)


def choose_language(request: Request, code: str) -> None:
    """Answer a request in a language, whatever its browser requests: that of the holder of a secret link."""
    request.state.language = code


def _language_of_visit(request: Request) -> str:
    """The language of the player on a visit; "" for everybody else."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        player = visits.visiting(session, request, ports.clock.now())
        return "" if player is None else player.language


def said(code: str, sentence: str) -> str:
    """A sentence, or a message of the catalogues, in a language."""
    ours = language(code)
    return str(ours.value(sentence)) if isinstance(sentence, Sentence) else ours.catalogue.gettext(sentence)


def asked_language(headers: Headers) -> str:
    """The best of our languages by Accept-Language (RFC 9110, 12.5.4); English if it names none of them."""
    weighted: list[tuple[float, str]] = []
    for part in headers.get("accept-language", "")[:500].split(","):
        tag, _, parameters = part.partition(";")
        weight = parameters.strip().removeprefix("q=") or "1"
        code = tag.strip().lower().partition("-")[0]
        if code in LANGUAGES and weight.replace(".", "", 1).isdigit():
            weighted.append((float(weight), code))
    return max(weighted, key=lambda pair: pair[0], default=(0.0, ENGLISH))[1]


def site_address(request: Request) -> str:
    """The site's public address; where none is set, the one by which the reader came. Without a slash at its
    end."""
    ports: DeskPorts = request.app.state.ports
    return ports.settings.base_url or str(request.base_url).rstrip("/")


def show_error(
    request: Request, status: int, message: str, words: Sequence[tuple[str, str]], is_known: bool
) -> Response:
    """The page that shows why a page is not shown, or a form not taken, in the reader's language. `words`:
    what was typed into the form, by the names of its fields. `is_known`: False if the database is not to be
    asked who reads it. `message` may be a `Sentence`."""
    visits_us = ""
    if is_known:
        with suppress(SQLAlchemyError):
            visits_us = _language_of_visit(request)
    code = getattr(request.state, "language", "") or visits_us or asked_language(request.headers)
    return _rendered(request, "fault.html", code, status, "no-store", {
        "message": said(code, message), "asked_only": request.method in {"GET", "HEAD"},
        "words": [(said(code, _FIELDS.get(name, name)), value) for name, value in words],
        "on_visit": bool(visits_us), "own_way_out": way_out(request.url.path),
        "status": status, "path": request.url.path})


def show(
    request: Request, name: str, status: int = 200, cache: str = "no-cache", **values: object
) -> Response:
    """The response with one template rendered; `cache` is its Cache-Control."""
    return _rendered(request, name, language_of(request), status, cache, values)


def _rendered(
    request: Request, name: str, code: str, status: int, cache: str, values: Mapping[str, object]
) -> Response:
    ports: DeskPorts = request.app.state.ports
    html = environment(code).get_template(name).render(title=ports.settings.title, now=ports.clock.now(),
        **values)
    headers = {"Cache-Control": cache, "Vary": "Accept-Language, Cookie", "Content-Language": code}
    return Response(html, status_code=status, media_type="text/html; charset=utf-8", headers=headers)
