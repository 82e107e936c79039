"""How a player checks a game at home (docs/check.md), and the file that does it."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from service.archive.checker import NAME, checker_file
from service.letters.language import Sentence
from service.public.page import show
from service.web.access import PUBLIC

router = APIRouter(dependencies=[PUBLIC])


@router.get("/public/check")
def page(request: Request) -> Response:
    """What to do, in ten lines."""
    return show(request, "check.html", cache="max-age=3600")


@router.get(f"/public/{NAME}")
def checker() -> Response:
    """The independent checker. Raises 404 where this installation has none."""
    data = checker_file()
    if data is None:
        raise HTTPException(404, Sentence(
            "This site has no copy of the checker. It is in the source of Galloper, as tools/%(name)s.",
            name=NAME))
    return Response(data, media_type="text/x-python; charset=utf-8", headers={
        "Content-Disposition": f'attachment; filename="{NAME}"', "Cache-Control": "max-age=3600"})
