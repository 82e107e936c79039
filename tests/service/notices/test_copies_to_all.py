"""Draft results bring a copy of every executed sheet to everybody, and of no other sheet (OUT-04,
OUT-14, CAL-03)."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pytest
from PIL import Image
from sqlalchemy import select

from service.notices.results import ResultsAnnouncer
from service.store.tables import OutboxRow, PageRow
from tests.support.opening import above_mark
from tests.support.site import Site
from tests.support.table import Table, address, autumn_1642, open_table

INK: Mapping[str, tuple[int, int, int]] = {
    "Manchester": (200, 60, 60),
    "The Crown": (60, 160, 60),
    "Ormond": (70, 70, 200),
}
"""The paper of each sheet that counts, so that a copy tells whose it is."""
ATTACK = ("A Lindsey - Kesteven & Holland", "A Norfolk S A Lindsey - Kesteven & Holland")
OTHER = (240, 200, 20)
"""The paper of every sheet that does not count."""


def paint(table: Table, submission_id: int, colour: tuple[int, int, int]) -> None:
    out = io.BytesIO()
    Image.new("RGB", (800, 1000), colour).save(out, "JPEG", quality=95)
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
        paint(table, table.file(power, orders, version=version, heading=(power,)), INK[power])
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
        assert set(copies) == {"sheet-manchester-1.jpg", "sheet-the-crown-1.jpg", "sheet-ormond-1.jpg"}
        assert all(name.startswith("results-") for name in set(files) - set(copies) - {"record.json"})
        assert "results-1.png" in files  # CAL-03: the picture of the written results
        for power, ink in INK.items():
            with Image.open(io.BytesIO(copies[f"sheet-{power.lower().replace(' ', '-')}-1.jpg"])) as copy:
                # Each sheet of the test has paper of a colour of its own; JPEG shifts it by a few steps.
                sheet = above_mark(copy.convert("RGB"))
                pixel = sheet.getpixel((sheet.width - 3, sheet.height - 3))
            assert isinstance(pixel, tuple)
            channels = zip(pixel, ink, strict=True)
            assert max(abs(channel - expected) for channel, expected in channels) < 12, power


def test_the_letter_counts_the_same_sheets_and_names_who_sent_none(
    drafts: tuple[Table, list[OutboxRow]],
) -> None:
    """The draft results list the powers without a sheet. A sheet that came too late does not count as one."""
    table, letters = drafts
    words = table.words(letters[0])
    assert "3 sheets counted:" in words
    without = [power.name for power in table.variant.powers.values()
               if power.id not in INK and power.id != "Argyll"]
    assert len(without) == 6
    assert words.count("No sheet was received.") == 6
    for name in without:
        assert f"{name.upper()} - No sheet was received. - " in words, name
        assert name in words.partition("No sheet came from ")[2].partition(".")[0]
    # LET-01: of Argyll something came, so nobody is told that nothing did; it does not count all the same.
    assert "Argyll" not in words.partition("No sheet came from ")[2].partition(".")[0]
    assert "ARGYLL - A sheet was received after the deadline and does not count." in words
    assert "Argyll, version" not in words
