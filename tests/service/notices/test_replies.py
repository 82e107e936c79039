"""Letters about single mails: receipts with their notes, refusals that name what is open, sheets on hold,
notices."""

from __future__ import annotations

from datetime import timedelta

import pytest

from adjudicator.calendar import Phase, PhaseKind
from service.store.letter_parts import finished
from service.store.tables import OutboxRow, PlayerRow
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.proofs import proof_of
from tests.support.site import Site
from tests.support.table import COORDINATOR, ORDERS, SERVER, Table, address, open_table, utc

MONTROSE = address("Montrose")
NEVER = Phase(1650, "Summer", PhaseKind.RETREAT)
DAY = timedelta(days=1)


@pytest.fixture
def table(site: Site) -> Table:
    """Summer 1642 is open from 1 March 2027, 07:00 GMT, to 14 March 2027, 07:00 GMT."""
    return open_table(site)


def last(table: Table) -> OutboxRow:
    return table.letters()[-1]


def test_a_receipt_says_what_arrived_when_and_until_when_it_may_be_replaced(table: Table) -> None:
    row = table.take(table.mail("Montrose"), utc("2027-03-02 09:30"))
    letter = table.letters()[0]
    words = table.words(letter)
    assert "Summer 1642 Movement Orders for Montrose" in words
    assert "Tue 2 Mar 2027, 09:30 GMT" in words
    assert "Photographs: 1" in words
    assert "until Sun 14 Mar 2027, 07:00 GMT" in words
    assert "Powick Bridge - Montrose - Summer 1642 - Movement Orders - v2" in words
    assert proof_of(finished(table.site.blobs, letter))["mail"] == row.sha256
    assert row.sha256[:4] not in words
    assert "No person has read your orders yet" in words
    assert (letter.game_id, letter.phase_id) == (table.game, table.phase().id)


def test_a_receipt_shows_the_players_own_clock(table: Table) -> None:
    with table.site.store.begin() as session:
        for player in session.query(PlayerRow):
            player.zone = "America/Mexico_City"
    table.take(table.mail("Montrose"), utc("2027-03-02 03:30"))
    # Mexico City is six hours behind; its day is still the first of March.
    assert "Tue 2 Mar 2027, 03:30 GMT (Mon 1 Mar, 21:30 your time)" in table.words(last(table))


def test_a_receipt_answers_the_mail_and_never_a_machine(table: Table) -> None:
    raw = mail(
        table.subject("Montrose"), MONTROSE, headers=["Message-ID: <1@montrose.example>"],
        stamps=[stamp("montrose.example", server=SERVER)],
    )  # fmt: skip
    table.take(raw, table.phase().opens_at)
    message = table.message(last(table))
    assert message["In-Reply-To"] == "<1@montrose.example>"
    assert message["Auto-Submitted"] == "auto-replied"
    assert message["To"] == MONTROSE
    assert str(message["From"]).endswith(f"<{ORDERS}>")


def test_a_lower_version_after_a_higher_one_is_told_that_it_does_not_count(table: Table) -> None:
    table.take(table.mail("Montrose", 40, subject=table.subject("Montrose", 3)), table.phase().opens_at)
    table.take(table.mail("Montrose", 80, subject=table.subject("Montrose", 2)), table.phase().opens_at + DAY)
    words = table.words(last(table))
    assert "Version 3 is on file and counts before it" in words
    assert "replaces" not in words
    assert "Movement Orders - v4" in words


def test_the_same_number_with_other_ink_is_told_that_the_later_counts(table: Table) -> None:
    """Q-08."""
    table.take(table.mail("Montrose", 40), table.phase().opens_at)
    table.take(table.mail("Montrose", 80), table.phase().opens_at + DAY)
    assert "A different version 1 was received before; the later one counts." in table.words(last(table))


def test_a_picture_that_does_not_open_is_said_in_the_receipt(table: Table) -> None:
    parts = [text(), part(picture(120)), part(picture(160)[:200], name="cut.jpg")]
    raw = mail(
        table.subject("Montrose"), MONTROSE, parts=parts, stamps=[stamp("montrose.example", server=SERVER)]
    )
    table.take(raw, table.phase().opens_at)
    words = table.words(last(table))
    assert "Photographs: 1" in words
    assert "could not be opened" in words


def test_a_refusal_names_what_is_open_and_gives_a_subject_to_copy(table: Table) -> None:
    table.take(
        table.mail("Montrose", subject=table.subject("Montrose", 1, NEVER)), table.phase().opens_at + DAY
    )
    words = table.words(last(table))
    assert "The phase the subject names is not open." in words
    assert "Open now: Summer 1642 Movement, until Sun 14 Mar 2027, 07:00 GMT." in words
    assert "Powick Bridge - Montrose - Summer 1642 - Movement Orders - v1" in words
    assert "Its subject: Powick Bridge - Montrose - Summer 1650 - Retreat Orders - v1" in words
    assert "Time left: 12 days" in words
    assert "Nothing you sent before has changed." in words


def test_a_refusal_offers_the_version_after_the_one_on_file(table: Table) -> None:
    """PHA-11: a mail without a sheet was sent back with v1, and a receipt minutes before had v2."""
    table.take(table.mail("Montrose"), table.phase().opens_at)
    raw = mail("Hallo", MONTROSE, parts=[text("")], stamps=[stamp("montrose.example", server=SERVER)])
    table.take(raw, table.phase().opens_at + DAY)
    (refusal,) = table.letters("rejection")
    assert "Powick Bridge - Montrose - Summer 1642 - Movement Orders - v2" in table.words(refusal)
    # Whatever the refused mail called itself.
    table.take(
        table.mail("Montrose", 80, subject=table.subject("Montrose", 7, NEVER)), table.phase().opens_at)
    assert "Powick Bridge - Montrose - Summer 1642 - Movement Orders - v2" in table.words(last(table))


def test_a_phase_that_asks_nobody_is_not_called_open(table: Table) -> None:
    """PHA-02: after the deadline retreats are open for no one before the results are sent; the answers
    named them, and between two phases they named no date."""
    late = table.phase().deadline + timedelta(minutes=5)
    table.site.clock.set(late)
    table.close_phase(table.phase().id)
    table.open_phase(table.phase(2).id)
    next_one = ("No orders of yours are asked for now. Autumn 1642 Movement opens Tue 16 Mar 2027, 07:00 "
                "GMT; a sheet that comes before is kept and counts then.")
    for shade, subject in ((90, table.subject("Montrose")), (91, table.subject("Montrose", 1, NEVER))):
        table.take(table.mail("Montrose", shade, subject=subject), late)
        words = table.words(last(table))
        assert next_one in words
        assert "Open now" not in words
        assert "Powick Bridge - Montrose - Autumn 1642 - Movement Orders - v1" in words


def test_a_mail_without_a_game_name_that_fits_no_phase_is_answered_with_the_accepted_form(
    table: Table,
) -> None:
    table.take(table.mail("Montrose", subject="my moves"), table.phase().opens_at)
    letter = table.letters("rejection")[0]
    assert letter.recipient == MONTROSE
    words = table.words(letter)
    assert "Its subject: my moves" in words
    assert "Powick Bridge - Montrose - Summer 1642 - Movement Orders - v1" in words


def test_a_subject_cannot_write_headers_or_markup_into_a_letter(table: Table) -> None:
    table.take(table.mail("Montrose", subject="<script>alert(1)</script> x=1"), table.phase().opens_at)
    message = table.message(table.letters("rejection")[0])
    html = message.get_body(("html",))
    assert html is not None
    assert "<script" not in html.get_content()
    assert "&lt;script&gt;" in html.get_content()


def test_a_notice_tells_the_coordinator_whose_mail_it_is_and_nothing_of_its_text(table: Table) -> None:
    """BOX-10: sender, subject, game, power, what happens if nothing is done."""
    secret = "the army of London is a feint"
    raw = mail(
        "Powick Bridge - Montrose - my orders", "mallory@else.example", parts=[text(secret), part(picture())],
        stamps=[stamp("else.example", server=SERVER)],
    )  # fmt: skip
    table.take(raw, table.phase().opens_at)
    (letter,) = table.letters()
    assert (letter.kind, letter.recipient) == ("coordinator_notice", COORDINATOR)
    words = table.words(letter)
    assert "A mail needs you: its subject could not be understood." in words
    assert "If you do nothing, it does not count. The mail stays in quarantine, unchanged." in words
    assert "feint" not in words
    for of_the_header in (
        "From: mallory@else.example", "Subject: Powick Bridge - Montrose - my orders",
        "Game and power: Powick Bridge, Montrose", "Orders for Summer 1642 Movement close: Sun 14 Mar 2027",
    ):
        assert of_the_header in words
    assert "not proved" not in words


def test_a_late_paper_is_told_when_it_came_and_what_is_open_now(table: Table) -> None:
    table.take(table.mail("Montrose"), utc("2027-03-14 07:00") + timedelta(seconds=1))
    (letter,) = table.letters()
    assert letter.kind == "receipt_late"
    words = table.words(letter)
    assert "came after the deadline, so they will not be executed" in words
    assert "Received: Sun 14 Mar 2027, 07:00 GMT" in words
    assert "No other sheet of yours counts for this phase." in words
    table.file("Montrose", ["A Merse H"])
    table.take(table.mail("Montrose", 80), utc("2027-03-14 07:00") + timedelta(seconds=2))
    assert "The sheet that you sent in time still counts." in table.words(table.letters("receipt_late")[1])


def test_letters_of_one_mail_have_keys_of_their_own(table: Table) -> None:
    table.take(table.mail("Montrose", subject=table.subject("Argyll")), table.phase().opens_at)
    # An hour later, or the second notice would be gathered with others.
    table.site.clock.advance(timedelta(hours=1))
    table.take(table.mail("Montrose", 80, subject=table.subject("Argyll")), table.phase().opens_at)
    keys = [row.key for row in table.letters()]
    assert len(keys) == len(set(keys)) == 4  # a refusal and a notice for each
