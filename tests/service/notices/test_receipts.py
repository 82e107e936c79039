"""Receipts that show a sheet as the machine read it: only if the game's option says so, only the letters, and
once (OUT-02, Q-14)."""

from __future__ import annotations

import io
import time

import numpy as np
import pytest
from PIL import Image, ImageDraw

from ocr.page import UnreadableReason
from service.intake.sheets.recognizer import OpenerProbe
from service.pictures import BoxedLine, SheetUnusable, reading_picture
from service.pictures.paper.sheet_copy import MOST_BYTES
from service.store.tables import GameRow
from tests.service.intake.sheets.test_read_submission import (
    HEADING,
    MONTROSE,
    ORDERS,
    Desk,
    Shown,
    page,
    recognized,
    unusable,
)
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.site import Site
from tests.support.table import SERVER, open_table

DOUBTFUL = ("Army Aberden mowes to The Meams", 0.6)


@pytest.fixture
def desk(site: Site) -> Desk:
    """A game that shows readings in its receipts."""
    opened = Desk(open_table(site))
    switch(opened, on=True)
    return opened


def switch(desk: Desk, *, on: bool) -> None:
    with desk.table.site.store.begin() as session:
        game = session.get_one(GameRow, desk.table.game)
        game.options = {**game.options, "reading": on}


def receipts(desk: Desk) -> list[str]:
    return [desk.table.words(row) for row in desk.table.letters("receipt")]


def test_the_receipt_waits_for_the_reading_and_leaves_once(desk: Desk) -> None:
    submission_id = desk.mailed()
    assert desk.table.written_letters() == []
    recognized_pages = {picture(90): (recognized(page([*HEADING, *ORDERS, DOUBTFUL])),)}
    desk.read(submission_id, recognized_pages)
    desk.read(submission_id, recognized_pages)
    assert desk.table.written_letters() == [("receipt", MONTROSE)]
    (words,) = receipts(desk)
    for line in HEADING:
        assert f"- Heading: {line} -" in words, line
    for number, line in enumerate(ORDERS, start=1):
        assert f"- {number}: {line} -" in words, line
    doubtful = f"{DOUBTFUL[0]}, taken as “Army Aberdeen moves to The? Mearns?” (unsure)"
    assert f"- {len(ORDERS) + 1}: {doubtful} The ink counts, not this reading" in words
    assert "Photographs: 1" in words
    assert "No person has read your orders yet." in words
    message = desk.table.message(desk.table.letters("receipt")[0])
    attached, proof = message.iter_attachments()
    assert (attached.get_filename(), proof.get_filename()) == ("reading-1.jpg", "receipt.json")
    with Image.open(io.BytesIO(attached.get_content())) as opened:
        assert opened.format == "JPEG"
        assert not opened.getexif()


def test_the_receipt_says_nothing_of_legality_or_meaning(desk: Desk) -> None:
    """NON-02, Q-14, Q-46: an impossible order is read back as written, and in words."""
    impossible = "Army London moves to Orkney"
    submission_id = desk.mailed()
    desk.read(submission_id, {picture(90): (recognized(page([*HEADING, impossible, "F Ork - PentF"])),)})
    (words,) = receipts(desk)
    assert f"{impossible} -" in words
    # INK-14: the letter shows what a code was taken for, so that its writer sees a wrong one.
    assert "2: F Ork - PentF, taken as “Fleet Orkney? moves to Strathearn” (unsure)" in words
    assert not any(word in words.lower() for word in ("legal", "valid", "impossible", "cannot"))


def test_without_the_option_the_receipt_leaves_at_once_and_shows_nothing(desk: Desk) -> None:
    """Q-46: each game may switch it off."""
    switch(desk, on=False)
    submission_id = desk.mailed()
    assert desk.table.written_letters() == [("receipt", MONTROSE)]
    desk.read(submission_id, {picture(90): (recognized(page([*HEADING, *ORDERS])),)})
    assert desk.table.written_letters() == [("receipt", MONTROSE)]
    (words,) = receipts(desk)
    assert "Orkney" not in words
    attached = desk.table.message(desk.table.letters("receipt")[0]).iter_attachments()
    assert [part.get_filename() for part in attached] == ["receipt.json"]


def test_a_photograph_that_cannot_be_read_brings_one_letter(desk: Desk) -> None:
    """SEC-07: it came as two, a receipt and then what is wrong with the picture."""
    submission_id = desk.mailed()
    desk.read(submission_id, {picture(90): (unusable(UnreadableReason.TOO_DARK),)})
    assert desk.table.written_letters() == [("receipt", MONTROSE)]
    (words,) = receipts(desk)
    assert "It does not count yet." in words
    assert "The photograph is too dark to read. Lay the sheet flat in daylight" in words
    assert "counts as it is" not in words


@pytest.mark.parametrize("is_readable", [True, False])
def test_a_receipt_waits_where_a_first_look_doubts_the_photograph(desk: Desk, is_readable: bool) -> None:
    """Also in games that show no reading (SEC-07): one mail in, one letter out."""
    switch(desk, on=False)
    desk.table.probe = OpenerProbe()  # the real first look
    out = io.BytesIO()
    Image.new("RGB", (900, 1200), (9, 8, 8)).save(out, "JPEG")
    stamps = [stamp(MONTROSE.rpartition("@")[2], "pass", SERVER)]
    raw = mail(desk.table.subject("Montrose"), MONTROSE, parts=[text("A sheet."), part(out.getvalue())],
               stamps=stamps)
    desk.table.take(raw, desk.table.phase().opens_at)
    submission_id = desk.table.submissions()[-1].id
    assert desk.table.written_letters() == []
    shown = recognized(page([*HEADING, *ORDERS])) if is_readable else unusable(UnreadableReason.TOO_DARK)
    for _ in range(2):
        desk.read(submission_id, {out.getvalue(): (shown,)})
    assert desk.table.written_letters() == [("receipt", MONTROSE)]
    (words,) = receipts(desk)
    assert ("Your photograph is dark. The sheet counts as it is" in words) is is_readable
    assert ("It does not count yet." in words) is not is_readable
    assert "Orkney" not in words


def test_where_the_reader_fails_the_receipt_leaves_without_a_reading(desk: Desk) -> None:
    """No one is left without a receipt because our machine broke."""
    submission_id = desk.mailed()
    desk.reader(Shown({})).give_up({"submission": submission_id}, "RuntimeError: broken")
    assert desk.table.written_letters()[0] == ("receipt", MONTROSE)
    assert "AS THE MACHINE READ IT" not in receipts(desk)[0]


def test_a_later_version_says_what_it_replaces(desk: Desk) -> None:
    recognized_pages = {
        picture(90): (recognized(page([*HEADING, *ORDERS])),),
        picture(91): (recognized(page(["v2", *ORDERS])),),
    }
    desk.read(desk.mailed(), recognized_pages)
    desk.read(desk.mailed(91, version=2), recognized_pages)
    assert "Once it is read it replaces version 1, which is kept." in receipts(desk)[1]
    assert "v3" in receipts(desk)[1]


# The picture
# --------------------------------------------------------------------------------------------------------


def photograph(high: int = 1400) -> bytes:
    """A grey sheet with two black lines of writing."""
    sheet = Image.new("RGB", (1000, high), "#e8e4d8")
    draw = ImageDraw.Draw(sheet)
    draw.rectangle((150, 200, 850, 240), fill="black")
    draw.rectangle((150, 400, 850, 440), fill="black")
    out = io.BytesIO()
    sheet.save(out, "JPEG", quality=90)
    return out.getvalue()


BOXES = (
    BoxedLine("1", ((140, 190), (860, 190), (860, 250), (140, 250)), "Army London moves to Surrey"),
    BoxedLine("2", ((140, 390), (860, 390), (860, 450), (140, 450)), "Arrny Oxfrd holds", unsure=True),
)


def grey(data: bytes) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.asarray(Image.open(io.BytesIO(data)).convert("L")).astype(float)


def test_each_line_is_boxed_where_it_stands_and_an_unsure_box_is_broken_in_grey_too() -> None:
    boxed, scale = grey(reading_picture(photograph(), BOXES)), 1.1
    plain = grey(reading_picture(photograph(), ()))
    is_drawn = np.abs(boxed[: plain.shape[0] - 100] - plain[: plain.shape[0] - 100]) > 25
    for top in (190, 390):
        row = is_drawn[
            round(top * scale) - 3 : round(top * scale) + 4, round(200 * scale) : round(860 * scale)
        ].any(axis=0)
        share = row.mean()
        assert (share > 0.95) if top == 190 else (0.3 < share < 0.75), (top, share)
    inside = is_drawn[round(205 * scale) : round(235 * scale), round(200 * scale) : round(800 * scale)]
    assert not inside.any()  # the writing itself is not painted over


def test_the_transcription_stands_below_and_grows_with_it() -> None:
    one_line, two_lines = (
        Image.open(io.BytesIO(reading_picture(photograph(), lines))).size for lines in (BOXES[:1], BOXES)
    )
    assert two_lines[1] > one_line[1] > 1400 * 1.1
    assert one_line[0] == two_lines[0] == 1100
    long = BoxedLine("1", BOXES[0].corners, "word " * 80)
    assert Image.open(io.BytesIO(reading_picture(photograph(), (long,)))).size[1] > two_lines[1]


def test_a_noisy_sheet_of_many_lines_stays_small() -> None:
    noise = np.random.default_rng(7).integers(0, 255, (1600, 1200, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(noise).resize((2400, 3200)).save(out, "JPEG", quality=92)
    lines = [
        BoxedLine(str(number), ((100, top), (2000, top), (2000, top + 60), (100, top + 60)), "x" * 60)
        for number, top in enumerate(range(90, 2790, 90), start=1)
    ]
    begun = time.process_time()
    data = reading_picture(out.getvalue(), lines)
    assert time.process_time() - begun < 5
    assert len(data) < 2 * MOST_BYTES


def test_bytes_that_are_no_picture_are_said_to_be_none() -> None:
    with pytest.raises(SheetUnusable):
        reading_picture(b"no picture", ())
