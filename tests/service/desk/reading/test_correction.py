"""Results already sent are read-only; an error in them is reported to everybody and rewrites nothing (desk
plan, states)."""

from __future__ import annotations

import io
import unicodedata
from typing import Any

import pypdfium2
import pytest
from PIL import Image
from sqlalchemy import select

from service.desk import corrections
from service.letters.facts import CorrectionFacts, GameInfo
from service.pictures import correction_html, to_pdf
from service.store.tables import CorrectionRow, EventRow, OutboxRow, PhaseRow, PhaseState
from tests.support.desk_table import CSRF, DeskTable, open_desk, plain
from tests.support.site import Site
from tests.support.table import address, autumn_1642, open_table

# With markup and an ampersand: letters and pages must show both as text.
FIELDS = {
    "said": "Army Kesteven was said to be dislodged.",
    "right": "Army Kesteven & Holland stands <b>where</b> it stood.",
    "effect": "Newcastle has one army more on the map.", "found_by": "The player of Newcastle",
}


@pytest.fixture
def desk(site: Site) -> DeskTable:
    """A game whose first phase was judged and sent."""
    table = open_table(site, position=autumn_1642())
    table.file("Manchester", ("A Lindsey - Kesteven & Holland",))
    table.site.clock.set(table.phase().deadline)
    table.close_phase(table.phase().id)
    desk_site = open_desk(table, approve=table.approve_phase)
    table.approve_phase(table.phase().id, "Ada")
    return desk_site


def send(desk: DeskTable, do: str, key: str = "a-correction", **changes: str) -> Any:
    return desk.client.post(f"/results/{desk.table.phase().id}/correct",
                            data={"csrf": CSRF, "key": key, "do": do, **FIELDS, **changes})


def letters(desk: DeskTable) -> list[OutboxRow]:
    return [row for row in desk.table.letters() if row.kind == "correction"]


def test_results_that_were_sent_are_read_only_with_a_way_to_correct_an_error(desk: DeskTable) -> None:
    phase = desk.table.phase()
    page = desk.page(f"/results/{phase.id}")
    assert f'href="/results/{phase.id}/correct"' in page
    assert "Correct an error…" in page
    assert "/approve" not in page
    assert "no longer be changed" in desk.text(f"/desk/{phase.id}")


def test_the_letter_is_looked_at_before_it_leaves(desk: DeskTable) -> None:
    answer = send(desk, "look")
    page_text = plain(answer.text)
    assert f"This letter goes to {len(desk.table.variant.powers)} addresses" in page_text
    assert "WHAT WAS SAID Army Kesteven was said to be dislodged." in page_text
    assert "<b>where</b>" not in answer.text
    assert letters(desk) == []
    assert "Nothing is sent yet." in plain(send(desk, "change").text)


def test_everybody_is_told_once_and_the_record_is_kept(desk: DeskTable) -> None:
    before = desk.table.phase().resolution
    assert send(desk, "send").headers["location"].endswith("?notice=corrected")
    # The same form again: no one gets a second letter.
    assert send(desk, "send").status_code == 303
    sent_letters = letters(desk)
    assert sorted(row.recipient for row in sent_letters) == sorted(
        address(power) for power in desk.table.variant.powers
    )
    words = desk.table.words(sent_letters[0])
    for field in FIELDS.values():
        assert " ".join(field.split()) in " ".join(words.split())
    assert "Nothing was judged again" in words
    with desk.table.site.store() as session:
        rows = session.scalars(select(CorrectionRow)).all()
        events = session.scalars(select(EventRow).where(EventRow.what == "results_corrected")).all()
    assert [(row.right, row.by) for row in rows] == [(FIELDS["right"], "Ada")]
    assert [event.detail["letters"] for event in events] == [len(sent_letters)]
    # Nothing is judged again behind a letter (desk plan, "States to design").
    assert desk.table.phase().resolution == before
    assert desk.table.phase().state == PhaseState.SENT


def test_a_correction_brings_a_picture_of_the_same_words(desk: DeskTable) -> None:
    """Section 5: the picture is drawn of these words, like the picture of the results; the letter says so
    before it leaves."""
    assert "Attached: correction-1.png." in plain(send(desk, "look").text)
    send(desk, "send")
    (part,) = desk.table.message(letters(desk)[0]).iter_attachments()
    assert (part.get_filename(), part.get_content_type()) == ("correction-1.png", "image/png")
    with Image.open(io.BytesIO(part.get_content())) as opened:
        assert opened.size == (1240, 1754)
        # A page of words has some thousand dark pixels; an empty one has none.
        assert sum(opened.convert("L").histogram()[:90]) > 1000
    facts = CorrectionFacts(
        "key", FIELDS["said"], FIELDS["right"], FIELDS["effect"], FIELDS["found_by"], None
    )
    info = GameInfo("g", "Powick Bridge", "Wars", "orders@galloper.example", "Ada")
    pdf = to_pdf(correction_html(info, "Autumn 1642 Movement: correction", facts))
    page = pypdfium2.PdfDocument(pdf)[0].get_textpage().get_text_range()
    # NFKC undoes the ligatures of the typeface; blanks depend on where lines break.
    picture_text = "".join(unicodedata.normalize("NFKC", page).split())
    for words in ("Powick Bridge", "Autumn 1642 Movement: correction", *FIELDS.values()):
        assert "".join(words.split()) in picture_text, words


def test_a_second_correction_is_a_second_letter_and_both_are_listed(desk: DeskTable) -> None:
    send(desk, "send")
    send(desk, "send", key="another-correction", said="Something else was said wrongly.")
    assert len(letters(desk)) == 2 * len(desk.table.variant.powers)
    page = desk.text(f"/results/{desk.table.phase().id}?notice=corrected")
    assert "Army Kesteven was said to be dislodged." in page
    assert "Something else was said wrongly." in page
    assert "The correction is on record" in page


@pytest.mark.parametrize("field", ["said", "right", "effect", "found_by"])
def test_an_incomplete_correction_sends_nothing_and_keeps_the_words(desk: DeskTable, field: str) -> None:
    answer = send(desk, "send", **{field: " "})
    assert answer.status_code == 400
    assert "Nothing was sent" in answer.text
    other_words = next(value for name, value in FIELDS.items() if name not in {field, "right"})
    assert other_words in answer.text
    assert letters(desk) == []


def test_results_that_were_not_sent_are_not_corrected(desk: DeskTable) -> None:
    with desk.table.site.store.begin() as session:
        session.get_one(PhaseRow, desk.table.phase().id).state = PhaseState.READY
    for answer in (send(desk, "send"), desk.client.get(f"/results/{desk.table.phase().id}/correct")):
        assert answer.status_code == 409
        assert plain(corrections.NOT_SENT) in plain(answer.text)


def test_a_second_reader_corrects_nothing(site: Site) -> None:
    desk = open_desk(open_table(site), role="second reader")
    assert send(desk, "send").status_code == 403
