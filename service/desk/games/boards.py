"""Boards of the site: the tables of any board as a form, checked row by row and saved under a new name
(BEY-07).

A board that games may be played on is never changed: what is stored is always another board. So no two
programs of a site can have two boards of one name, and no running game is judged by other tables than it
began with. """

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

import maps
from maps.faults import Fault
from maps.geometry import FILE as DRAWING
from service.games.acts.boards import NAME, KeepBoard, board_faults, name_fault
from service.web.access import SITE
from service.web.acting import performed
from service.web.page import require_token, require_visitor, show
from service.web.sessions import Visitor

router = APIRouter(dependencies=[SITE])
SignedIn = Annotated[Visitor, Depends(require_visitor)]
Trusted = Annotated[Visitor, Depends(require_token)]

TABLES = ("variant.toml", "provinces.csv", "borders.csv", "names.csv", "short_forms.csv", "setup.csv")
"""The parts of the form, in the order in which a board is made."""
MOST = 300_000
"""Characters of one table at most; the largest that comes with Galloper has 31,000."""


@router.get("/boards")
def boards(request: Request, visitor: SignedIn, notice: str = "") -> Response:
    """Every board, with those of the site's own distinguished."""
    own = {path.name for folder in maps.added_folders() for path in folder.iterdir()}
    return show(request, "boards.html", visitor=visitor, notice=notice, own=own,
                boards=[(slug, title, bool(maps.shapes(slug))) for slug, title in titles().items()],
                has_folder=bool(maps.added_folders()))


@router.get("/boards/{slug}")
def board(request: Request, visitor: SignedIn, slug: str) -> Response:
    """The tables of one board."""
    folder = _folder(slug)
    tables = {name: _text(folder / name) for name in TABLES}
    return show(request, "board.html", visitor=visitor, slug=slug, board_title=title_of(slug),
                tables=tables, new_name=f"{slug}-2", faults=None, fault="", without_drawing=False,
                has_folder=bool(maps.added_folders()))


@router.post("/boards/{slug}")
async def keep(request: Request, visitor: Trusted, slug: str) -> Response:
    """Check the tables, or keep them as a new board."""
    sent = {key: str(value) for key, value in (await request.form()).items()}
    return await run_in_threadpool(_keep, request, visitor, slug, sent)


def _keep(request: Request, visitor: Visitor, slug: str, sent: Mapping[str, str]) -> Response:
    model, name = _folder(slug), sent.get("name", "").strip()
    tables = {table: sent.get(table, "").replace("\r\n", "\n")[:MOST] for table in TABLES}
    keeps = sent.get("act") == "keep"
    fault = name_fault(name) if keeps else ""
    with tempfile.TemporaryDirectory(prefix="galloper-board-") as scratch:
        draft = Path(scratch) / (name if NAME.fullmatch(name) else "draft")
        faults, without_drawing = _write(model, draft, tables)
        if keeps and not faults and not fault:
            performed(request.app.state.ports, visitor, KeepBoard(draft, slug))
            return RedirectResponse("/boards?notice=kept", status_code=303)
    return show(request, "board.html", 400 if keeps else 200, visitor=visitor, slug=slug,
                board_title=title_of(slug), tables=tables, new_name=name, faults=faults, fault=fault,
                without_drawing=without_drawing, has_folder=bool(maps.added_folders()))


def _write(model: Path, draft: Path, tables: Mapping[str, str]) -> tuple[list[Fault], bool]:
    """Write a copy of a board with these tables; its faults, and whether its drawing no longer fits and was
    left out."""
    shutil.copytree(model, draft, ignore=shutil.ignore_patterns("cases", "__pycache__"))
    for name, text in tables.items():
        if text.strip():
            (draft / name).write_text(text, encoding="utf-8")
        else:
            (draft / name).unlink(missing_ok=True)
    faults = board_faults(draft)
    if not faults or any(fault.file != DRAWING for fault in faults):
        return [fault for fault in faults if fault.file != DRAWING], False
    for drawn in (draft / DRAWING, *draft.glob("placing-*.json")):
        drawn.unlink(missing_ok=True)
    return board_faults(draft), True


def _folder(slug: str) -> Path:
    if slug not in maps.variants():
        raise HTTPException(404, "There is no such board. Nothing was changed.")
    return maps.folder(slug)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8-sig") if path.exists() else ""


def titles() -> dict[str, str]:
    """Every board's title by the short name of its folder, in the order of the titles."""
    return dict(sorted(((slug, title_of(slug)) for slug in maps.variants()), key=lambda pair: pair[1]))


def title_of(slug: str) -> str:
    """A board's title; one that cannot be read is called by its short name."""
    try:
        return maps.load(slug).title
    except maps.MapError:
        return f"{slug} (has faults)"
