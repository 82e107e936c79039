"""Draft results bring a copy of every executed sheet to everybody, and of no other sheet (OUT-04,
OUT-14, CAL-03)."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
import pytest
from PIL import Image, ImageDraw
from sqlalchemy import select

from service.notices.results import ResultsAnnouncer
from service.store.tables import OutboxRow, PageRow
from tests.support.site import Site
from tests.support.table import Table, address, autumn_1642, open_table

STROKES: Mapping[str, int] = {"Manchester": 1, "The Crown": 2, "Ormond": 3}
"""The number of strokes on each sheet that counts, so that a copy tells whose it is."""
ATTACK = ("A Lindsey - Kesteven & Holland", "A Norfolk S A Lindsey - Kesteven & Holland")
OTHER = 5
"""The number of strokes on every sheet that does not count."""


def paint(table: Table, submission_id: int, strokes: int) -> None:
    out, sheet = io.BytesIO(), Image.new("RGB", (800, 1000), (236, 230, 214))
    for number in range(strokes):
        ImageDraw.Draw(sheet).rectangle((200 + 80 * number, 105, 220 + 80 * number, 195), fill=(40, 40, 90))
    sheet.save(out, "JPEG", quality=95)
    key = table.site.blobs.put(out.getvalue())
    with table.site.store.begin() as session:
        for page in session.scalars(select(PageRow).where(PageRow.submission_id == submission_id)):
            page.original = page.upright = key


@pytest.fixture
def drafts(site: Site) -> tuple[Table, list[OutboxRow]]:
    """Three powers' sheets count; one of them has an older version too, and a fourth power's came too
    late."""
    table = open_table(site, position=autumn_1642())
    table.announce = ResultsAnnouncer(table.writer)
    paint(table, table.file("Ormond", ["A Dublin H"], heading=("Ormond",)), OTHER)
    for power, version in (("Manchester", 1), ("The Crown", 1), ("Ormond", 2)):
        orders = ATTACK if power == "Manchester" else ("A London H",)
        paint(table, table.file(power, orders, version=version, heading=(power,)), STROKES[power])
    phase = table.phase()
    paint(
        table,
        table.file("Argyll", ["A Fife H"], received_at=phase.deadline.replace(second=1), heading=("Argyll",)),
        OTHER,
    )
    table.site.clock.set(phase.deadline)
    table.close_phase(phase.id)
    table.approve_phase(phase.id, "ada")
    return table, table.letters("draft_results")


def test_every_player_has_a_copy_of_each_sheet_that_counted_and_of_no_other(
    drafts: tuple[Table, list[OutboxRow]],
) -> None:
    table, letters = drafts
    assert {row.recipient for row in letters} == {address(power) for power in table.variant.powers}
    for row in letters:
        files = {str(part.get_filename()): part.get_content()
                 for part in table.message(row).iter_attachments()}
        copies = {name: data for name, data in files.items() if name.startswith("sheet-")}
        assert set(copies) == {"sheet-manchester-1.png", "sheet-the-crown-1.png", "sheet-ormond-1.png"}
        assert all(name.startswith("results-") for name in set(files) - set(copies) - {"record.json"})
        assert "results-1.png" in files  # CAL-03: the picture of the written results
        for power, strokes in STROKES.items():
            with Image.open(io.BytesIO(copies[f"sheet-{power.lower().replace(' ', '-')}-1.png"])) as copy:
                # The copy begins twenty pixels above the first line, which is at 100.
                is_dark = np.asarray(copy.convert("L"))[70] < 60
            assert (np.diff(is_dark.astype(int)) == 1).sum() == strokes, power


def test_the_letter_counts_the_same_sheets_and_names_who_sent_none(
    drafts: tuple[Table, list[OutboxRow]],
) -> None:
    """The draft results list the powers without a sheet. A sheet that came too late does not count as one."""
    table, letters = drafts
    words = table.words(letters[0])
    assert "3 sheets counted:" in words
    without = [power.name for power in table.variant.powers.values()
               if power.id not in STROKES and power.id != "Argyll"]
    assert len(without) == 6
    assert words.count("No sheet was received.") == 6
    for name in without:
        assert f"{name.upper()} - No sheet was received. - " in words, name
        assert name in words.partition("No sheet came from ")[2].partition(".")[0]
    # LET-01: of Argyll something came, so no one is informed that nothing did; it does not count all the
    # same.
    assert "Argyll" not in words.partition("No sheet came from ")[2].partition(".")[0]
    assert "ARGYLL - A sheet was received after the deadline and does not count." in words
    assert "Argyll, version" not in words
