"""What every public page needs: its templates and words for times."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fastapi import Request
from fastapi.responses import Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

import templates
from service.web import wording
from service.web.ports import DeskPorts

FOLDER = Path(templates.__file__).parent / "public"


# Of this module, not of the application: the move browser renders its page without a request.
@cache
def environment() -> Environment:
    """The public templates: always escaped, and a missing value is an error."""
    templates = Environment(loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined)
    templates.filters.update(wording.FILTERS)
    return templates


def show(
    request: Request, name: str, status: int = 200, cache: str = "no-cache", **values: object
) -> Response:
    """The response with one template rendered; `cache` is its Cache-Control."""
    ports: DeskPorts = request.app.state.ports
    html = environment().get_template(name).render(title=ports.settings.title, now=ports.clock.now(),
        **values)
    return Response(
        html, status_code=status, media_type="text/html; charset=utf-8", headers={"Cache-Control": cache})
