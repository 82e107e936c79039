"""The year-end pack for the post (OUT-10), blank sheets and envelopes (POST-01, POST-03, POST-06,
POST-07)."""

from __future__ import annotations

import io
import time
import unicodedata
from collections.abc import Callable, Sequence
from datetime import date, timedelta

import pypdfium2
import pytest
from pypdfium2 import raw
from sqlalchemy import select

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.position import Position
from service.letters.addresses import LONGEST, MOST_LINES
from service.notices.postal_packs import envelopes, post_of
from service.notices.results import ResultsAnnouncer
from service.pictures import (
    BlankSheet,
    PaperEnvelope,
    board_pdf,
    envelopes_pdf,
    labels_pdf,
    missing_letters,
    sheets_pdf,
)
from service.pictures.board import shipped_maps
from service.pictures.paper.order_sheet import ROWS
from service.store.tables import GameRow, OutboxRow, PlayerRow, PostalAddressRow, SeatRow
from tests.support.site import Site
from tests.support.table import COORDINATOR, Table, address, autumn_1642, open_table

MM = 72 / 25.4


def pages(pdf: bytes) -> list[str]:
    """The words of each page, without line ends."""
    document = pypdfium2.PdfDocument(io.BytesIO(pdf))
    return [
        " ".join(unicodedata.normalize("NFKC", page.get_textpage().get_text_range()).split())
        for page in document
    ]


def size(pdf: bytes) -> tuple[float, float]:
    wide, high = pypdfium2.PdfDocument(io.BytesIO(pdf))[0].get_size()
    return round(wide / MM, 1), round(high / MM, 1)


# Paper
# ----------------------------------------------------------------------------------------------------------


def test_a_blank_sheet_of_a_heading_alone_has_nothing_else_to_read() -> None:
    """POST-03, HEAD-01: position, game, season with year and kind of orders, in this order."""
    pdf = sheets_pdf([BlankSheet("The Crown", "Powick Bridge", "Autumn 1642 Movement Orders")])
    assert pages(pdf) == ["The Crown Powick Bridge Autumn 1642 Movement Orders"]
    assert size(pdf) == (210.0, 297.0)


def test_a_power_of_many_units_gets_a_second_page() -> None:
    assert (
        len(
            pages(
                sheets_pdf([BlankSheet("Argyll", "G", "O", ROWS), BlankSheet("Ormond", "G", "O", ROWS + 1)])
            )
        )
        == 3
    )
    with pytest.raises(ValueError, match="no blank sheet"):
        sheets_pdf([])


def test_an_envelope_names_real_people_and_nothing_of_the_game() -> None:
    """POST-01: sender's and recipient's real name and address, nothing else."""
    pdf = envelopes_pdf(
        [PaperEnvelope(("Graham J", "1 High Street", "Bath"), ("Ada Lovelace", "2 Low Street", "Wells"))]
    )
    assert pages(pdf) == ["Ada Lovelace 2 Low Street Wells Graham J 1 High Street Bath"]
    assert size(pdf) == (220.0, 110.0)


@pytest.mark.parametrize("lines", [
    ("Ада Лавлейс", "ул. Ленина 5", "101000 Москва"), ("Ελένη", "Οδός Ερμού 5", "Αθήνα"),
    ("Siobhán Ní Bhriain", "Baile Átha Cliath", "Éire"), ("Łukasz Żółć", "ul. Źródlana 3", "Łódź"),
])  # fmt: skip
def test_an_address_in_another_script_is_printed_letter_by_letter(lines: Sequence[str]) -> None:
    for to_pdf in (envelopes_pdf, labels_pdf):
        (page,) = pages(to_pdf([PaperEnvelope(tuple(lines))]))
        assert page.replace(" ", "") == unicodedata.normalize("NFKC", "".join(lines)).replace(" ", "")


NO_FONT = "\U0010fffd"
"""The last letter for private use: no one's font has it."""


@pytest.mark.parametrize("lines", [
    ("山田 太郎", "〒150-0001", "東京都渋谷区神宮前1-2-3"), ("홍길동", "서울특별시 종로구"),
    ("राम शर्मा", "दिल्ली"),
    ("محمد علي", "القاهرة"), ("סבתא", "תל אביב"), ("Ada", NO_FONT),
])  # fmt: skip
def test_an_address_is_printed_or_left_to_be_written_by_hand_and_never_as_boxes(lines: Sequence[str]) -> None:
    """POST-07, an address in another script: whichever fonts this machine has, no letter is a box on paper;
    right-to-left letters are compared in any order."""
    strange = [line for line in lines if missing_letters(line)]
    for to_pdf in (envelopes_pdf, labels_pdf):
        pdf = to_pdf([PaperEnvelope(tuple(lines))])
        printed = "".join("".join(line.split()) for line in lines if line not in strange)
        # A file of Devanagari does not give its joined letters back; that they are drawn is what
        # `missing_letters` was asked.
        if not any("\u0900" <= letter <= "\u097f" for letter in printed):
            assert sorted(pages(pdf)[0].replace(" ", "")) == sorted(unicodedata.normalize("NFKC", printed))
        assert rules(pdf) == len(strange)
    assert rules(envelopes_pdf([PaperEnvelope(("Ada", NO_FONT, "Bath", NO_FONT))])) == 2


def rules(pdf: bytes) -> int:
    """The number of ruled lines on a page."""
    return sum(
        shape.type == raw.FPDF_PAGEOBJ_PATH
        for shape in pypdfium2.PdfDocument(io.BytesIO(pdf))[0].get_objects()
    )


def test_a_mark_above_a_letter_is_asked_for_with_its_letter() -> None:
    assert missing_letters("Nguyễn Văn Ấ, e\u0301") == ""
    assert missing_letters(f"a{NO_FONT}b{NO_FONT}\u0301") == f"{NO_FONT}{NO_FONT}\u0301"


@pytest.mark.parametrize(("to_pdf", "wide", "high", "left", "top"), [
    (envelopes_pdf, 114, 64, 98, 46), (labels_pdf, 93, 38.1, 4.65, 15.15),
])  # fmt: skip
def test_the_longest_address_that_can_be_entered_stays_in_its_place(
    to_pdf: Callable[[Sequence[PaperEnvelope]], bytes], wide: float, high: float, left: float, top: float
) -> None:
    """POST-07: all there, and none beyond the paper's own room."""
    # Eight lines of sixty capitals are the most that `postal` takes.
    lines = tuple((f"{index} THE OLD RECTORY, BEHIND THE CHURCH OF SAINT MARY & SONS, "
                   f"WELLS")[:LONGEST] for index in range(MOST_LINES + 1))
    assert {len(line) for line in lines} == {LONGEST}
    page = pypdfium2.PdfDocument(io.BytesIO(to_pdf([PaperEnvelope(lines)])))[0]
    words, page_height = page.get_textpage(), page.get_height()
    assert "".join(words.get_text_range().split()) == "".join(lines).replace(" ", "")
    boxes = [
        words.get_charbox(index) for index in range(words.count_chars())
        if words.get_text_range(index, 1).strip()
    ]
    assert min(box[0] for box in boxes) >= left * MM
    assert max(box[2] for box in boxes) <= (left + wide) * MM
    assert max(page_height - box[1] for box in boxes) <= (top + high) * MM


def test_labels_stand_fourteen_on_a_page() -> None:
    texts = pages(labels_pdf([PaperEnvelope((f"Player {number}", "Street", "Town")) for number in range(15)]))
    assert [page.count("Street") for page in texts] == [14, 1]


# The pack
# ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def map_pdf() -> bytes:
    """The map of a board."""
    # Drawn once for all packs: it takes four seconds, and no test here looks at it.
    variant = maps.load("w3k")
    return board_pdf(variant, variant.start.centres, "Powick Bridge", "at the beginning of 1642")


@pytest.fixture
def winter(site: Site, map_pdf: bytes, monkeypatch: pytest.MonkeyPatch) -> Table:
    """Winter 1643 with three postal addresses on file, one of a journey that ends soon."""
    monkeypatch.setattr(shipped_maps, "_pdf", lambda *_: map_pdf)
    opening = autumn_1642()
    table = open_table(
        site, position=Position(Phase(1643, "Winter", PhaseKind.ADJUSTMENT), opening.units, opening.centres)
    )
    table.announce = ResultsAnnouncer(table.writer)
    day = table.phase().deadline.date()
    lives(table, "Montrose", "1 High Street", "Inverness")
    lives(table, "Montrose", "Lodge 7", "Skye", first=day - timedelta(days=20), last=day + timedelta(days=2))
    lives(table, "Argyll", "Quill Cottage", "Oban")
    with site.store.begin() as session:
        game = session.get_one(GameRow, table.game)
        game.options = {**game.options, "return_address": ["Ada Lovelace", "2 Low Street", "Wells"]}
        seat = session.get_one(SeatRow, (table.game, "Ormond"))
        session.get_one(PlayerRow, seat.player_id).accommodation = ("letters go by mail to Mr Quill, who "
                                                                    "posts them")
    return table


def player_of(table: Table, power: str) -> PlayerRow:
    with table.site.store() as session:
        return session.get_one(PlayerRow, session.get_one(SeatRow, (table.game, power)).player_id)


def lives(table: Table, power: str, *lines: str, first: date | None = None, last: date | None = None) -> None:
    with table.site.store.begin() as session:
        session.add(
            PostalAddressRow(
                player_id=player_of(table, power).id,
                lines=list(lines),
                first=first,
                last=last,
                made_at=table.site.clock.now(),
                made_by="ada",
            )
        )


def finish(table: Table) -> list[OutboxRow]:
    phase = table.phase()
    table.site.clock.set(phase.deadline)
    table.close_phase(phase.id)
    table.approve_phase(phase.id, "ada")
    return table.letters()


def test_a_winter_brings_the_coordinator_one_pack_to_print(winter: Table) -> None:
    """OUT-10, Q-12: results and map for each player by post, besides the mail."""
    (row,) = [letter for letter in finish(winter) if letter.kind == "postal_pack"]
    message = winter.message(row)
    assert row.recipient == COORDINATOR
    assert row.key == f"{winter.game}/Winter 1643 Adjustment/postal_pack/{COORDINATOR}"
    assert (message["Auto-Submitted"], message["Precedence"]) == ("auto-generated", "bulk")
    files = {str(part.get_filename()): part.get_content() for part in message.iter_attachments()}
    assert set(files) == {"results.pdf", "map.pdf", "envelopes.pdf", "order-sheets.pdf"}
    assert pages(files["envelopes.pdf"]) == [
        "Ada Lovelace 2 Low Street Wells Player Argyll Quill Cottage Oban",
        "Ada Lovelace 2 Low Street Wells Player Montrose Lodge 7 Skye",
        "Ada Lovelace 2 Low Street Wells Player Montrose 1 High Street Inverness",
    ]
    assert [page for page in pages(files["order-sheets.pdf"]) if "Spring 1643 Movement Orders" in page]
    assert "Powick Bridge" in pages(files["results.pdf"])[0]
    assert len(pages(files["map.pdf"])) == 2


def test_the_pack_says_who_has_no_address_who_is_travelling_and_who_is_an_exception(winter: Table) -> None:
    """LIST-03, POST-06: a player without a valid address is named, not forgotten."""
    (row,) = [letter for letter in finish(winter) if letter.kind == "postal_pack"]
    words = winter.words(row)
    assert "- Montrose: 2 envelopes - " not in words
    assert "- Argyll: 1 envelope - Montrose: 2 envelopes" in words
    assert "Montrose: A journey begins or ends about now: post to both addresses." in words
    assert "Ormond: letters go by mail to Mr Quill, who posts them" in words
    assert "No postal address is known for" in words
    assert "Newcastle" in words


def test_no_home_address_reaches_a_player(winter: Table) -> None:
    """Section 5: no home address of another player, in no letter to a player and in no attachment of one."""
    rows = [row for row in finish(winter) if row.kind != "postal_pack"]
    assert sorted({row.recipient for row in rows}) == sorted(
        address(power) for power in winter.variant.powers
    )
    for row in rows:
        message = winter.message(row)
        texts = [part.get_content() for part in message.walk() if part.get_content_maintype() == "text"]
        for part in message.iter_attachments():
            if part.get_content_type() == "application/pdf":
                texts += pages(part.get_content())
        all_text = " ".join(texts)
        assert not [line for line in ("High Street", "Quill Cottage", "Lodge 7", "Low Street")
                    if line in all_text]


def test_a_rehearsal_names_the_files_of_the_pack_that_will_leave(winter: Table) -> None:
    """The dry run draws nothing, names the same files, and draws each when a person opens it."""
    phase = winter.phase()
    winter.site.clock.set(phase.deadline)
    winter.close_phase(phase.id)
    with winter.site.store() as session:
        dry = ResultsAnnouncer(winter.writer, drawing=False)
        put_letters = dry.prepare(session, winter.phase(), winter.resolution())
        pictures = dry.picture(session, winter.phase(), winter.resolution(), "envelopes.pdf")
    assert [len(pages(file.data)) for file in pictures] == [3]
    with winter.site.store.begin() as session:
        put_letters(session)
    (named,) = [row for row in winter.letters() if row.kind == "postal_pack"]
    assert {part.get_filename() for part in winter.message(named).iter_attachments()} == {
        "results.pdf", "map.pdf", "envelopes.pdf", "order-sheets.pdf"}


def test_without_any_address_the_pack_has_results_and_map_and_says_so(site: Site) -> None:
    opening = autumn_1642()
    table = open_table(
        site, position=Position(Phase(1643, "Winter", PhaseKind.ADJUSTMENT), opening.units, opening.centres)
    )
    table.announce = ResultsAnnouncer(table.writer)
    (row,) = [letter for letter in finish(table) if letter.kind == "postal_pack"]
    assert {part.get_filename() for part in table.message(row).iter_attachments()} == {
        "results.pdf",
        "map.pdf",
    }
    assert "No postal address is known for" in table.words(row)
    assert "Print the envelopes" not in table.words(row)


@pytest.mark.slow
def test_the_coordinator_is_told_which_envelope_is_written_by_hand(winter: Table) -> None:
    """POST-07: the letter shows what would help, and does not name the address."""
    lives(winter, "Hamilton", f"House {NO_FONT}", "Ayr")
    (row,) = [letter for letter in finish(winter) if letter.kind == "postal_pack"]
    words = winter.words(row)
    assert "Hamilton: some lines of this address have characters that no font of this machine has." in words
    assert "fonts-noto-cjk" in words
    assert words.count("no font of this machine") == 1
    assert "House" not in words


def test_an_address_that_was_taken_off_the_list_gets_no_letter(winter: Table) -> None:
    """LIST-05: the row stays, but the address is no longer used."""
    with winter.site.store.begin() as session:
        for row in session.scalars(select(PostalAddressRow)):
            row.ended_at = winter.site.clock.now()
    with winter.site.store() as session:
        assert envelopes(post_of(session, winter.game, date(2027, 3, 1))) == []


def test_a_name_with_line_breaks_is_one_line_of_an_envelope(winter: Table) -> None:
    with winter.site.store.begin() as session:
        seat = session.get_one(SeatRow, (winter.game, "Argyll"))
        session.get_one(PlayerRow, seat.player_id).name = "Hugo\r\nBcc: all@example.org\n"
    with winter.site.store() as session:
        name_lines = {envelope.to[0]
                      for envelope in envelopes(post_of(session, winter.game, date(2027, 3, 1)))}
    assert "Hugo Bcc: all@example.org" in name_lines


def test_ten_blank_sheets_are_drawn_within_the_time_of_a_letter() -> None:
    begun = time.process_time()
    sheets_pdf([BlankSheet("The Crown", "Powick Bridge", "Autumn 1642 Movement Orders")] * 10)
    assert time.process_time() - begun < 5
