"""Mail commands, from the mail to the answer in the outbox (BOX-11)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from adjudicator.calendar import PhaseKind
from service.features.commands.answers import A_DAY
from service.mail.mime.parts import payload_of
from service.mail.sending.compose import Attachment, OutLetter
from service.store.tables import GameRow, LineState, MailState
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.site import Site
from tests.support.table import SERVER, Table, address, open_table

MONTROSE = address("Montrose")
PICTURE = Attachment("results-1.png", "image/png", b"\x89PNG of the results")


@pytest.fixture
def table(site: Site) -> Table:
    opened = open_table(site)
    options(opened, mail_commands=True)
    return opened


def options(table: Table, **values: object) -> None:
    with table.site.store.begin() as session:
        game = session.get_one(GameRow, table.game)
        game.options = {**game.options, **values}


def asks(
    table: Table, subject: str, sender: str = MONTROSE, *, result: str = "pass", note: str = "",
    sheet: bool = False
) -> str:
    """A mail with this subject; its reason."""
    stamps = [stamp(sender.rpartition("@")[2], result, SERVER)]
    parts = [text(note), *([part(picture())] if sheet else [])]
    row = table.take(mail(subject, sender, parts=parts, stamps=stamps), table.phase().opens_at)
    return f"{row.state} {row.reason}"


def sent_before(
    table: Table, to: str, power: str, words: str, kind: str = "final_results", file: Attachment = PICTURE
) -> None:
    """A letter to a power that left before."""
    letter = OutLetter(
        f"{table.game}/{kind}/{to}/{power}/{words}", kind, to, "Powick Bridge - results", words,
        f"<p>{words}</p>", (file,), game_id=table.game,
    )  # fmt: skip
    with table.site.store.begin() as session:
        table.writer.put(session, letter)


def test_status_without_a_sheet_says_what_to_do(table: Table) -> None:
    assert asks(table, "Powick Bridge, Montrose, STATUS") == "used command"
    ((kind, to),) = table.written_letters()
    assert (kind, to) == ("command", MONTROSE)
    words = table.words(table.letters()[0])
    assert "No sheet of Montrose counts yet" in words
    assert table.subject("Montrose", 1) in words
    assert table.message(table.letters()[0])["Subject"] == "Powick Bridge - Montrose - STATUS"


def test_status_says_what_the_receipt_says_and_nothing_of_others(table: Table) -> None:
    options(table, reading=True)
    table.file("Montrose", ["A Ayr H", ("A Irvine H", LineState.OPEN)], version=2)
    table.file("Argyll", ["A Lorne H"], version=7)
    asks(table, "STATUS")
    words = table.words(table.letters("command")[0])
    assert "are in, version 2. This is the sheet that counts now." in words
    assert "Lines that the machine is unsure of: 1." in words
    assert table.subject("Montrose", 3) in words
    for secret in ("Ayr", "Irvine", "Argyll", "version 7"):
        assert secret not in words


def test_status_is_silent_about_a_reading_that_receipts_do_not_show(table: Table) -> None:
    table.file("Montrose", [("A Ayr H", LineState.OPEN)])
    asks(table, "status?")
    assert "unsure" not in table.words(table.letters("command")[0])


def files(table: Table, number: int) -> list[tuple[str | None, bytes]]:
    """Name and first bytes of each file of an answer."""
    message = table.message(table.letters("command")[number])
    return [(part.get_filename(), payload_of(part)[:8]) for part in message.iter_attachments()]


def test_sheet_brings_a_blank_sheet(table: Table) -> None:
    asks(table, "SHEET")
    ((name, begin),) = files(table, 0)
    assert name == "blank-montrose-summer-1642-movement.pdf"
    assert begin.startswith(b"%PDF-")


def test_map_brings_the_newest_map_that_the_power_was_sent(table: Table) -> None:
    asks(table, "Re: Powick Bridge, MAP please")
    assert "No map of Powick Bridge has been sent to you yet." in table.words(table.letters()[0])
    for kind, year in (("welcome", 1642), ("year_end_results", 1643)):
        name = f"{table.game}-map-{year}.pdf"
        file = Attachment(name, "application/pdf", str(year).encode())
        sent_before(table, MONTROSE, "Montrose", name, kind, file)
    sent_before(table, MONTROSE, "Montrose", "Later results have no map.")
    asks(table, "map", note="again")
    assert files(table, 1) == [("powick-bridge-map-1643.pdf", b"1643")]


def test_help_lists_subjects_to_copy(table: Table) -> None:
    asks(table, "Powick Bridge - Montrose - help")
    words = table.words(table.letters("command")[0])
    for command in ("STATUS", "SHEET", "MAP", "RESULTS", "HELP"):
        assert f"Powick Bridge, Montrose, {command}" in words


def test_results_are_the_powers_own_newest_letter_again(site: Site) -> None:
    """Two powers may share one address (POST-04), and each may know other things."""
    shared = "two@players.example"
    table = open_table(site, players={"Montrose": [shared], "Argyll": [shared]})
    options(table, mail_commands=True)
    assert asks(table, "Powick Bridge, Montrose, RESULTS", shared) == "used command"
    assert "No results of Powick Bridge have been sent to you yet." in table.words(table.letters()[0])
    for words in ("old", "new"):
        sent_before(table, shared, "Montrose", f"What Montrose may know, {words}.")
    sent_before(table, shared, "Argyll", "What Argyll may know.")
    asks(table, "Powick Bridge, Montrose, RESULTS", shared, note="again")
    again = table.letters()[-1]
    assert table.words(again) == "What Montrose may know, new."
    assert files(table, 1) == [("results-1.png", b"\x89PNG of ")]
    # Mail programs drop a second letter under one Message-ID.
    assert len({row.message_id for row in table.letters()}) == len(table.letters())
    # Which of the two powers a lone word is for no one can know.
    assert asks(table, "STATUS", shared) != "used command"


def test_five_answers_a_day_then_a_sentence_then_none(table: Table) -> None:
    for number in range(A_DAY + 3):
        assert asks(table, "HELP", note=str(number)) == "used command"
    answers = table.letters("command")
    assert len(answers) == A_DAY + 1
    assert "Copy one line" not in table.words(answers[-1])
    assert "this is the last until tomorrow" in table.words(answers[-1])
    # Another player has answers of their own, and tomorrow there are new ones.
    asks(table, "HELP", address("Argyll"))
    table.site.clock.advance(timedelta(days=1, minutes=1))
    asks(table, "HELP", note="tomorrow")
    assert len(table.letters("command")) == A_DAY + 3
    # Nothing of this is a failed submission: a sheet gets its receipt, a bad mail its refusal.
    assert table.take(table.mail("Montrose"), table.phase().opens_at).state == MailState.USED
    assert table.written_letters()[-1] == ("receipt", MONTROSE)


@pytest.mark.parametrize("word", ["Hilfe", "Aide", "Bitte Karte", "Résultats", "STAND"])
def test_a_word_of_another_language_is_answered(table: Table, word: str) -> None:
    """PHA-11: "Hilfe" was refused as a sheet without a photograph."""
    assert asks(table, word) == "used command"
    assert [row.kind for row in table.letters()] == ["command"]


@pytest.mark.parametrize("result", ["fail", "none"])
def test_a_forged_command_is_never_answered(table: Table, result: str) -> None:
    assert asks(table, "STATUS", result=result) == "quarantined auth_failed"
    assert "command" not in {row.kind for row in table.letters()}


def test_in_a_game_that_did_not_ask_for_it_nothing_changes(table: Table) -> None:
    options(table, mail_commands=False)
    reason = asks(table, "Powick Bridge, Montrose, STATUS")
    assert "command" not in reason
    assert "command" not in {row.kind for row in table.letters()}


def test_a_command_word_with_a_photograph_is_a_sheet(table: Table) -> None:
    full = table.subject("Montrose").replace("v1", "v1 STATUS")
    assert asks(table, full, sheet=True) == "used None"
    assert [row.power for row in table.submissions()] == ["Montrose"]
    # Refused with the right subject, like any photograph whose subject names too little.
    assert asks(table, "Powick Bridge, Montrose, STATUS", sheet=True).endswith("subject_unparsed")
    assert "command" not in {row.kind for row in table.letters()}


@pytest.mark.parametrize(
    "subject",
    [
        "What is the status of our alliance?",
        "Powick Bridge, Montrose, my order sheet",
        "Powick Bridge, Argyll, STATUS",
        "Another Game, Montrose, STATUS",
        "STATUS and HELP",
        "Powick Bridge, Montrose, Summer 1642 Movement, SHEET",
    ],
)
def test_what_is_no_command_is_treated_as_before(table: Table, subject: str) -> None:
    with_it = asks(table, subject)
    assert "command" not in with_it
    assert "command" not in {row.kind for row in table.letters()}


def test_a_command_after_the_deadline_has_an_answer_and_changes_nothing(table: Table) -> None:
    before = table.phase()
    table.site.clock.set(before.deadline + timedelta(minutes=1))
    raw = mail("STATUS", MONTROSE, parts=[text()], stamps=[stamp("montrose.example", "pass", SERVER)])
    table.take(raw, before.deadline + timedelta(minutes=1))
    assert len(table.letters("command")) == 1
    assert table.submissions() == []
    assert (table.phase().state, table.phase().deadline) == (before.state, before.deadline)


def test_who_has_nothing_to_retreat_is_not_asked_for_a_sheet(table: Table) -> None:
    """PHA-07: a blank sheet is the next one's, which results name before its phase is open."""
    table.set_phase(kind=PhaseKind.RETREAT)
    asks(table, "STATUS")
    asks(table, "SHEET")
    status, sheet = map(table.words, table.letters("command"))
    assert "No orders of Montrose are due now" in status
    assert "Powick Bridge - Montrose - Autumn 1642 - Movement Orders - v1" in sheet
    assert [name for name, _ in files(table, 1)] == ["blank-montrose-autumn-1642-movement.pdf"]
