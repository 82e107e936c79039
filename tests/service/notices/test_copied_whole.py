"""An executed sheet is copied to all players with every line that its power wrote as an order, superfluous
ones included (Q-36), and without its writer's name above or below the orders (Q-37)."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, ImageDraw
from sqlalchemy import select

from service.notices.results import ResultsAnnouncer
from service.store.tables import LineRow, LineState, OutboxRow, PageRow
from tests.support.site import Site
from tests.support.table import Table, autumn_1642, open_table

HEADING = ("Dov Quill", "Manchester", "Powick Bridge", "Autumn 1642 Movement Orders", "v1")
ORDERS: tuple[str | tuple[str, LineState], ...] = (
    "A Lindsey - Kesteven & Holland",
    "A Glasgow H",
    "A Norfolk S A Lindsey - Kesteven & Holland",
    ("A Orkney builds a bridge", LineState.VOID),
)
"""One is for a unit of another power, and one is nothing that can be ordered."""
SIGNED = "Dov Quill, 4 Mill Lane, Stamford"
LENGTHS = range(60, 560, 50)
"""Pixels of the stroke that each line is, from top to bottom."""
BLACK = 60
"""Level from which a pixel is lighter than ink; what is painted over a name is lighter."""


def ink(index: int, box: list[list[int]], page: Image.Image) -> None:
    left, top, bottom = *box[0], box[2][1]
    ImageDraw.Draw(page).rectangle(
        (left + 10, top + 8, left + 9 + LENGTHS[index], bottom - 8), fill=(40, 40, 90))


@pytest.fixture
def copy(site: Site) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The copy of Manchester's sheet that goes to everybody. Each line is a stroke of another length."""
    table = open_table(site, position=autumn_1642())
    table.announce = ResultsAnnouncer(table.writer)
    table.file("Manchester", ORDERS, heading=HEADING)
    page = Image.new("RGB", (800, 1000), (236, 230, 214))
    with site.store.begin() as session:
        rows = list(session.scalars(select(LineRow).order_by(LineRow.ordinal)))
        foot = [[100, 740], [700, 740], [700, 780], [100, 780]]
        session.add(LineRow(page_id=rows[0].page_id, ordinal=len(rows), kind="other", text=SIGNED, order=None,
                            box=foot, confidence=0.99, status=LineState.NOT_ORDER, candidates=[]))
        for index, box in enumerate([*(row.box for row in rows), foot]):
            ink(index, box, page)
        out = io.BytesIO()
        page.save(out, "JPEG", quality=98, subsampling=0)
        session.scalars(select(PageRow)).one().upright = site.blobs.put(out.getvalue())
    with Image.open(io.BytesIO(copied(table))) as opened:
        return np.asarray(opened.convert("L")).astype(np.int64)


def copied(table: Table) -> bytes:
    phase = table.phase()
    table.site.clock.set(phase.deadline)
    table.close_phase(phase.id)
    table.approve_phase(phase.id, "ada")
    row: OutboxRow = table.letters("draft_results")[0]
    (content,) = [part.get_content() for part in table.message(row).iter_attachments()
                  if part.get_filename() == "sheet-manchester-1.png"]  # fmt: skip
    assert isinstance(content, bytes)
    return content


def shows(copy: np.ndarray[tuple[int, ...], np.dtype[np.int64]], index: int) -> bool:
    lengths = (copy < BLACK).sum(axis=1)
    return bool((np.abs(lengths - LENGTHS[index]) < 8).sum() > 15)


def test_every_line_written_as_an_order_is_on_the_copy(
    copy: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
) -> None:
    """Q-36: everybody sees superfluous orders too."""
    assert [shows(copy, index) for index in range(len(HEADING), len(HEADING) + len(ORDERS))] == [True] * 4
    assert [shows(copy, index) for index in range(1, len(HEADING))] == [True] * 4


@pytest.mark.parametrize("index", [0, len(HEADING) + len(ORDERS)], ids=["above the orders", "below them"])
def test_the_writers_name_is_not(copy: np.ndarray[tuple[int, ...], np.dtype[np.int64]], index: int) -> None:
    """Q-37: the copy is cut to heading and orders; a real name or address is gone wherever it was."""
    assert not shows(copy, index)
