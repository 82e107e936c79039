"""Pictures of lines and pages, never of a phase that is still sealed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from service.desk.reading.shape import written_rows
from service.games.seal import sealed
from service.store.tables import LineRow, PageRow, PhaseRow, SubmissionRow
from service.web import crops
from service.web.access import READER
from service.web.ports import DeskPorts

Turn = Annotated[int, Query(multiple_of=90, ge=0, le=270)]
router = APIRouter(prefix="/images", dependencies=[READER])
SEALED = "Sealed until the deadline. Until then sheets are only counted; people read them after the deadline."
# A line's picture never changes; the next one is fetched ahead and must still be there when its turn comes.
_KEEP = {"Cache-Control": "private, max-age=600"}


# DESK-03: the person sees the ink and its surroundings, never the board.
@router.get("/line/{line_id}.jpg")
def line(request: Request, line_id: int, raw: bool = False, fold: int = 0, turn: Turn = 0) -> Response:
    """The crop of one line, folded into rows of at most `fold` times its height for narrow screens, turned
    clockwise by `turn` degrees."""
    ports: DeskPorts = request.app.state.ports
    row, key, rows = _line(ports, line_id)
    return _jpeg(crops.line_crop(ports.blobs, key, row.box, raw=raw, fold=fold, turn=turn, rows=rows))


@router.get("/strip/{line_id}.jpg")
def strip(request: Request, line_id: int) -> Response:
    """The place of a line on the page: a strip across the whole page with the neighbouring lines."""
    ports: DeskPorts = request.app.state.ports
    row, key, _ = _line(ports, line_id)
    return _jpeg(crops.strip(ports.blobs, key, row.box))


@router.get("/page/{page_id}.jpg")
def page(request: Request, page_id: int, line: int | None = None, turn: Turn = 0) -> Response:
    """The whole page, with one line framed if `line` is given, turned clockwise by `turn` degrees."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        key = _key(_unsealed(session, page_id))
        framed = None if line is None else session.get(LineRow, line)
    # A line of another page has its box in other pixels, so it is not framed here.
    box = framed.box if framed is not None and framed.page_id == page_id else None
    return _jpeg(crops.page_picture(ports.blobs, key, box, turn=turn))


def _line(ports: DeskPorts, line_id: int) -> tuple[LineRow, str, int]:
    with ports.sessions() as session:
        row = session.get(LineRow, line_id)
        if row is None:
            raise HTTPException(404, "There is no picture of this line.")
        key = _key(_unsealed(session, row.page_id))
        return row, key, written_rows(session, row.page_id, row.box)


def _unsealed(session: Session, page_id: int) -> PageRow:
    page = session.get(PageRow, page_id)
    if page is None:
        raise HTTPException(404, "There is no such picture.")
    submission = session.get_one(SubmissionRow, page.submission_id)
    # DESK-02: the pictures are the orders themselves. Every way to them requests the seal again.
    if sealed(session.get_one(PhaseRow, submission.phase_id)):
        raise HTTPException(403, SEALED)
    return page


def _key(page: PageRow) -> str:
    # A file that could not be opened has a page without a picture; its bytes are stored.
    if page.upright is None:
        raise HTTPException(404, "This page could not be opened as a picture.")
    return page.upright


def _jpeg(picture: bytes) -> Response:
    return Response(picture, media_type="image/jpeg", headers=_KEEP)
