"""A text without a sheet is a letter to the coordinator: kept, acknowledged, read and answered (BOX-10)."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from service.features.correspondence import FEATURE, pages
from service.features.correspondence.letters import threads
from service.mail.body.quotation import split_quoted
from service.mail.sending.compose import Attachment
from service.store.tables import (
    AddressRow,
    CorrespondenceRow,
    EventRow,
    GameRoleRow,
    MailRow,
    MailState,
    SeatRow,
)
from tests.service.intake.test_answered_letter import MAP, answer, autumn_is_open, letter_to
from tests.service.web.test_roles import TwoGames, games, is_refused
from tests.support.desk_table import NAME, DeskTable, open_desk
from tests.support.mail_builder import mail, multipart, part, picture, stamp, text
from tests.support.site import Site
from tests.support.table import COORDINATOR, SERVER, Table, address, open_table

__all__ = ["games"]
DAY = timedelta(days=1)
MONTROSE = address("Montrose")


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def write(
    table: Table, words: str, subject: str = "Three more days?", *headers: str, files: tuple[bytes, ...] = (),
    body: bytes | None = None, result: str = "pass",
) -> MailRow:
    """A mail of Montrose without a sheet arrives and is judged."""
    raw = mail(subject, MONTROSE, headers=headers, parts=[text(words), *files], body=body,
               stamps=[stamp(MONTROSE.rpartition("@")[2], result, SERVER)])
    return table.take(raw, table.phase().opens_at + DAY)


def letters_of(table: Table) -> list[CorrespondenceRow]:
    with table.site.store() as session:
        return list(session.scalars(select(CorrespondenceRow).order_by(CorrespondenceRow.id)))


def ending(row: MailRow) -> tuple[str, str | None]:
    return row.state, row.reason


def test_a_text_is_a_letter_and_its_player_hears_at_once_what_it_was_taken_for(table: Table) -> None:
    table.take(table.mail("Montrose"), table.phase().opens_at)
    row = write(table, "Could we have three more days, please?")
    assert ending(row) == (MailState.USED, "letter")
    (letter,) = letters_of(table)
    assert (letter.words, letter.game_id, letter.at, letter.done_at) == (
        "Could we have three more days, please?", table.game, row.received_at, None)
    (acknowledgement,) = table.letters("acknowledgement")
    assert acknowledgement.recipient == MONTROSE
    words = table.words(acknowledgement)
    for sentence in (
        "read as a letter and not as orders", "On file from you: version 1, received Mon 1 Mar 2027",
        table.subject("Montrose", 2), "photograph your sheet and send it with this subject",
    ):
        assert sentence in words
    (notice,) = table.letters("coordinator_notice")
    words = table.words(notice)
    for sentence in (
        f"From: {MONTROSE} (Player Montrose)", "Subject: Three more days?", "Powick Bridge, Montrose",
        "If you do nothing, it gets no answer until you write one",
    ):
        assert sentence in words
    # No one else's seat, sheet or address.
    assert "Ormond" not in table.words(acknowledgement)
    assert {row.recipient for row in table.letters()} == {MONTROSE, COORDINATOR}


@pytest.mark.parametrize(
    ("words", "subject", "files", "expected"),
    [
        # A player who names a sheet meant orders: the refusal shows what is missing.
        ("A London - Surrey", "{sheet}", (), (MailState.REFUSED, "no_photo")),
        ("A London - Surrey", "Powick Bridge, Montrose, Summer", (),
         (MailState.QUARANTINED, "subject_unparsed")),
        ("", "orders", (), (MailState.QUARANTINED, "subject_unparsed")),
        ("-- \nGraham\nSent from my iPhone", "orders", (), (MailState.QUARANTINED, "subject_unparsed")),
        # What may be a sheet is one, and so is a picture that does not open.
        ("See the sheet", "orders", (part(picture()),), (MailState.QUARANTINED, "subject_unparsed")),
        ("See the sheet", "orders", (part(b"\xff\xd8\xff cut off"),),
         (MailState.QUARANTINED, "subject_unparsed")),
        # The logo of a signature is none.
        ("Hello", "orders", (part(picture(width=96, height=40)),), (MailState.USED, "letter")),
        ("Hello", "No such game", (), (MailState.USED, "letter")),
        ("", "my orders", (part(b"PK\x03\x04", "application/msword", "orders.docx"),),
         (MailState.USED, "letter")),
    ],
)
def test_what_is_a_letter_and_what_is_not(
    table: Table, words: str, subject: str, files: tuple[bytes, ...], expected: tuple[str, str]
) -> None:
    row = write(table, words, subject.format(sheet=table.subject("Montrose")), files=files)
    assert ending(row) == expected
    assert len(table.letters("acknowledgement")) == (expected[1] == "letter")
    if files and expected[1] == "letter" and not words:
        assert "Attached and not opened: orders.docx" in table.words(table.letters("acknowledgement")[0])


def test_an_answer_to_a_letter_of_ours_is_a_letter_though_its_subject_names_a_sheet(table: Table) -> None:
    """And it is acknowledged each time: its player may have forgotten the photograph."""
    table.take(table.mail("Montrose"), table.phase().opens_at)
    (receipt,) = table.letters("receipt")
    replying = f"In-Reply-To: {receipt.message_id}"
    quoted = "\r\n\r\nOn Mon, orders@galloper.example wrote:\r\n> Received."
    for number in (1, 2):
        row = write(table, f"Question {number}{quoted}", f"Re: {receipt.subject}", replying)
        assert ending(row) == (MailState.USED, "letter")
    assert [(letter.words, letter.quoted) for letter in letters_of(table)] == [
        (f"Question {number}", "On Mon, orders@galloper.example wrote:\n> Received.") for number in (1, 2)]
    acknowledgements = table.letters("acknowledgement")
    assert len(acknowledgements) == 2
    assert "no photograph of one came with it" in table.words(acknowledgements[0])


def test_an_answer_without_a_sheet_of_its_own_stays_a_letter(table: Table) -> None:
    """PHA-05: also where the player's program sends our own map back with it."""
    letter = letter_to(table, attached=[Attachment("map.png", "image/png", MAP, "map")])
    autumn_is_open(table)
    for number, files in enumerate([(), (part(MAP, "image/png", "map.png", "inline"),)]):
        assert ending(answer(table, letter, files=files, number=number)) == (MailState.USED, "letter")


def test_ten_lines_in_a_day_bring_one_acknowledgement_and_all_are_kept(table: Table) -> None:
    for number in range(10):
        assert ending(write(table, f"Line {number}")) == (MailState.USED, "letter")
    # The same words again are the same letter, handed over twice.
    again = write(table, "Line 3", "Three more days?", "X-Copy: 1")
    assert ending(again) == (MailState.IGNORED, "duplicate")
    assert [letter.words for letter in letters_of(table)] == [f"Line {number}" for number in range(10)]
    assert len(table.letters("acknowledgement")) == len(table.letters("coordinator_notice")) == 1


def test_who_is_not_proved_or_no_person_writes_no_letter(table: Table) -> None:
    assert ending(write(table, "Hello", result="fail")) == (MailState.QUARANTINED, "auth_failed")
    assert ending(write(table, "Away", "Hello", "Auto-Submitted: auto-replied")) == (
        MailState.IGNORED, "auto_reply")
    raw = mail("Hello", "mallory@else.example", parts=[text()],
               stamps=[stamp("else.example", server=SERVER)])
    assert ending(table.take(raw, table.phase().opens_at)) == (MailState.QUARANTINED, "subject_unparsed")
    assert letters_of(table) == []
    assert {row.recipient for row in table.letters()} == {COORDINATOR}


def test_html_alone_is_a_letter_too(table: Table) -> None:
    html = (b"Content-Type: text/html; charset=utf-8\r\n\r\n<p>Is <b>Surrey</b> a port?</p>"
            b"<script>x()</script><blockquote>old</blockquote>")
    write(table, "", body=multipart([html]))
    assert [letter.words for letter in letters_of(table)] == ["Is Surrey a port?"]


@pytest.mark.parametrize(
    ("written", "new"),
    [
        ("Yes.\n\nOn 4 Jul 2025, at 09:00,\nGalloper <o@x.example> wrote:\n\n> Received.\n> Thanks", "Yes."),
        ("> Two days?\nThree, please.", "Three, please."),
        ("Yes.\n\n-----Original Message-----\nFrom: a\nyes", "Yes."),
        ("Yes.\n\n__________________\nFrom: Galloper <o@x.example>\nSent: Monday\n\nOld", "Yes."),
        ("Yes.\n\nVon: Galloper <o@x.example>\nGesendet: Montag\nAlt", "Yes."),
        ("From: London to Surrey?\nI ask.", "From: London to Surrey?\nI ask."),
        ("He wrote:\nI will not.", "He wrote:\nI will not."),
    ],
)
def test_what_is_new_comes_first_and_nothing_is_lost(written: str, new: str) -> None:
    split = split_quoted(written)
    assert split.new == new
    assert sorted(f"{split.new}\n{split.quoted}".split()) == sorted(written.split())


@pytest.fixture
def desk(table: Table) -> DeskTable:
    return open_desk(table)


def test_the_coordinator_reads_answers_and_settles(desk: DeskTable) -> None:
    table = desk.table
    write(table, "Three days? <script>alert(1)</script>\n> quoted", "Re: Powick Bridge: three days?",
          "Message-ID: <ask.1@montrose.example>")
    write(table, "And good luck.")
    (first, _) = letters_of(table)
    at = f"/correspondence/{first.player_id}"
    assert "2 letters without a sheet wait for you." in desk.text("/")
    assert desk.client.get("/correspondence").headers["location"] == "/?show=letters"
    assert "Player Montrose" in desk.text("/?show=letters")
    page = desk.page(at)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert" not in page
    assert "no sheet on file" in page
    key = "a-key-of-the-form"
    assert desk.client.post(f"{at}/answer", data={"words": "x", "key": key}).status_code == 403
    assert desk.post(f"{at}/answer", words="  ", key=key).status_code == 409
    words = "Dear Graham,\n\nyes & <b>until Thursday</b>.\r\n" + "long " * 200 + "end.\nBcc: x@y.example"
    for _ in range(2):
        assert desk.post(f"{at}/answer", words=words, key=key).status_code == 303
    (answer,) = table.letters("answer")
    message = table.message(answer)
    assert (answer.recipient, message["Subject"]) == (MONTROSE, "Powick Bridge - Re: Three more days?")
    # The last letter has no Message-ID, so there is none to answer to.
    assert message["In-Reply-To"] is None
    assert (message["Auto-Submitted"], message["Bcc"]) == ("no", None)
    plain, html = (part.get_content() for part in message.walk() if not part.is_multipart())
    assert "yes & <b>until Thursday</b>." in plain
    assert plain.count("long") == html.count("long") == 200
    assert "&lt;b&gt;until Thursday&lt;/b&gt;" in html
    page = desk.text(at)
    assert "Answer by Ada" in page
    with table.site.store() as session:
        assert not any(waiting for _, _, waiting in threads(session))
        done = session.scalars(select(EventRow).where(EventRow.what == "letter_answered")).all()
    assert [(event.actor, event.game_id) for event in done] == [("Ada", table.game)]
    assert desk.post(f"{at}/done").status_code == 409
    write(table, "Thanks!", "Re: Three days?", "Message-ID: <ask.2@montrose.example>")
    assert desk.post(f"{at}/done").status_code == 303
    assert desk.post(f"{at}/answer", words="You are welcome.", key="another-key-of-it").status_code == 303
    assert table.message(table.letters("answer")[-1])["In-Reply-To"] == "<ask.2@montrose.example>"


def test_an_answer_goes_to_an_address_that_the_player_has_now(desk: DeskTable) -> None:
    """BOX-08: the one that was written from is gone."""
    table = desk.table
    write(table, "Three days?")
    (letter,) = letters_of(table)
    with table.site.store.begin() as session:
        session.delete(session.get_one(AddressRow, MONTROSE))
        session.add(AddressRow(email="new@montrose.example", player_id=letter.player_id))
    desk.post(f"/correspondence/{letter.player_id}/answer", words="Yes.", key="a-key-of-the-form")
    assert table.letters("answer")[-1].recipient == "new@montrose.example"


def test_a_second_reader_reads_no_letters(table: Table) -> None:
    desk = open_desk(table, "second reader")
    write(table, "Three days?")
    for path in ("/correspondence", "/correspondence/1"):
        assert desk.client.get(path).status_code == 403


# By the games that a player's post touches
# --------------------------------------------------------------------------------------------------


def test_the_coordinator_of_one_game_answers_its_players(games: TwoGames) -> None:
    games.become("coordinator of it")
    desk, thread = games.desk, f"/correspondence/{games.own_ids['player_id']}"
    assert "1 letter without a sheet waits for you." in desk.page("/")
    assert "Hello." in desk.page(thread)
    assert desk.post(f"{thread}/answer", key="k" * 20, words="Thank you.").status_code == 303


def test_letters_of_a_player_of_two_games_are_for_coordinators_of_both(games: TwoGames) -> None:
    """The page of their letters mentions all their seats."""
    place, other = f"/correspondence/{games.own_ids['player_id']}", str(games.other_ids["game_id"])
    with games.desk.table.site.store.begin() as session:
        seat = session.get_one(SeatRow, (other, "Hamilton"))
        seat.player_id = games.own_ids["player_id"]  # type: ignore[assignment]
    games.become("coordinator of it")
    assert is_refused(games.desk.client.get(place))
    with games.desk.table.site.store.begin() as session:
        session.add(GameRoleRow(user=NAME, game_id=other, role="second reader"))
    assert is_refused(games.desk.client.get(place))
    with games.desk.table.site.store.begin() as session:
        session.get_one(GameRoleRow, (NAME, other)).role = "coordinator"
    assert games.desk.client.get(place).status_code == 200


def test_every_sentence_that_its_pages_ask_for_is_there() -> None:
    asked = set(re.findall(r'\?notice=([a-z-]+)"', Path(pages.__file__).read_text("utf-8")))
    assert asked == FEATURE.notices.keys()
