"""The size of a letter with results: ten powers' sheets as photographs, and the written results."""

from __future__ import annotations

import io
import json
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageOps
from sqlalchemy import select

from grammar.headings.sheet_code import OWN_PICTURE
from ocr.image.own_mark import bears_mark
from service.notices.results import ResultsAnnouncer
from service.store.tables import LineRow, PageRow
from tests.support.opening import above_mark
from tests.support.site import Site
from tests.support.table import Table, open_table

SHEETS = Path("demo/data/w3k")
MOST = 400_000
AROUND = 9
"""Pixels that the reader's box of a row has above and below the ink."""


def file_photograph(table: Table, power: str, sheet: dict[str, Any]) -> None:
    """File a photograph of the demo with the lines that are written on it, each where it is."""
    rows = [(line["text"], line.get("order"), box)
            for line in sheet["lines"] if not line["struck"] for box in line["boxes"][:1]]
    orders = [order for _, order, _ in rows if order]
    submission = table.file(power, orders, heading=[text for text, order, _ in rows if not order])
    photo = ImageOps.exif_transpose(Image.open(SHEETS / sheet["file"]))
    upright = io.BytesIO()
    photo.save(upright, "JPEG", quality=90)
    with table.site.store.begin() as session:
        page = session.scalars(select(PageRow).where(PageRow.submission_id == submission)).one()
        page.upright = table.site.blobs.put(upright.getvalue())
        lines = session.scalars(select(LineRow).where(LineRow.page_id == page.id).order_by(LineRow.ordinal))
        for line, (_, _, box) in zip(lines, rows, strict=True):
            line.box = [[x, y + (AROUND if corner > 1 else -AROUND)] for corner, (x, y) in enumerate(box)]


@pytest.fixture(scope="module")
def truth() -> list[dict[str, Any]]:
    sheets = json.loads((SHEETS / "truth.json").read_text(encoding="utf-8"))["sheets"]
    # The first version of Ormond's was replaced.
    return [sheet for sheet in sheets
            if sheet["id"].startswith("summer-") and sheet["id"] != "summer-ormond-v1"]


def test_results_of_ten_powers_with_their_sheets_are_small(site: Site, truth: list[dict[str, Any]]) -> None:
    """DSK-05: a letter of 400 kB in all, copies of the sheets in it, each fit to be printed."""
    table = open_table(site)
    table.announce = ResultsAnnouncer(table.writer)
    for sheet in truth:
        file_photograph(table, sheet["power"], sheet)
    phase = table.phase()
    site.clock.set(phase.deadline)
    table.close_phase(phase.id)
    table.approve_phase(phase.id, "ada")
    row = table.letters("final_results")[0]
    message = table.message(row)
    pictures = {str(part.get_filename()): part.get_content() for part in message.iter_attachments()
                if part.get_content_maintype() == "image"}
    copies = {name: data for name, data in pictures.items() if name.startswith("sheet-")}
    assert len(copies) == len(truth) == 10
    assert len(message.as_bytes()) <= MOST
    for name, data in pictures.items():
        with Image.open(io.BytesIO(data)) as opened:
            # Anyone who sends one back at half its size has sent no sheet (ARR-03).
            half = opened.convert("RGB").resize((opened.width // 2, opened.height // 2))
            assert bears_mark(np.asarray(opened.convert("RGB")), OWN_PICTURE), name
        assert bears_mark(np.asarray(half), OWN_PICTURE), name
    for sheet in truth:
        name = f"sheet-{sheet['power'].lower().replace(' ', '-')}-1.png"
        with Image.open(io.BytesIO(copies[name])) as opened:
            copy = above_mark(opened.convert("L"))
        boxes = [box for line in sheet["lines"] if not line["struck"] for box in line["boxes"][:1]]
        across = [x for box in boxes for x, _ in box]
        scale = copy.width / (max(across) - min(across) + 80)
        # Fewer than twenty pixels for capitals and tails, and small letters run into each other.
        assert median(box[3][1] - box[0][1] for box in boxes) * scale > 20, name
        greys = copy.histogram()
        assert 0.02 < sum(greys[:128]) / sum(greys) < 0.2, name
