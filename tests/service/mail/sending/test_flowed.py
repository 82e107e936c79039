"""Letters are text of a narrow telephone too: RFC 3676, format=flowed (LET-01)."""

from __future__ import annotations

from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import SMTP

from service.letters.render import wrap_text
from service.mail.sending.compose import (
    Attachment,
    OutLetter,
    compose,
    flowed,
    shrink,
    whole_paragraphs,
    words_of,
)

PARAGRAPH = ("Your orders of Summer 1642 were read: seven lines, and none of them is in doubt. Write again "
             "before Sunday, if you want to change any of them; the newest counts.")
ITEM = ("- Army Kingston upon Hull supports Fleet Cavan to Belfast, which the machine read and nobody has "
        "looked at.")
ARROW = ("Your sheet asks for this, word for word as is: Army Hastings & Pevensey "
         "> Isle of Wight. The machine is sure of it.")
COMMAND = "    Powick Bridge, Newcastle, Summer 1642 Movement Orders, v2 and a good many more words than fit"
LETTER = f"Dear Ada,\n\n{PARAGRAPH}\n\n{ITEM}\n{ARROW}\n{COMMAND}\nFrom here on > nothing\n\n-- \nGalloper"


def read_flowed(text: str) -> list[str]:
    """The paragraphs and fixed lines of a flowed text, by RFC 3676, 4.1 to 4.5; no code of ours. A line that
    begins with ">" is quoted, and no line of the letter itself goes on in it."""
    paragraphs: list[str] = []
    joined = False
    for line in text.replace("\r\n", "\n").split("\n"):
        is_quoted = line.startswith(">")
        unstuffed = line.removeprefix(" ")
        if joined and not is_quoted:
            paragraphs[-1] += unstuffed
        else:
            paragraphs.append(unstuffed)
        joined = unstuffed.endswith(" ") and unstuffed != "-- "
    return paragraphs


def _mail(text: str, attachments: tuple[Attachment, ...] = ()) -> bytes:
    letter = OutLetter("k", "receipt", "ada@example.org", "S", text, "<main>x</main>", attachments)
    return compose(letter, "orders@example.org", datetime(2027, 3, 1, tzinfo=UTC))


def test_a_reader_of_flowed_text_has_each_paragraph_whole() -> None:
    """Nothing but the places of line breaks changes: a command stays one line with its indent, a signature is
    one, and a list is a list."""
    body = message_from_bytes(_mail(wrap_text(LETTER)), policy=SMTP).get_body(("plain",))
    assert body is not None
    assert body["Content-Type"].params["format"] == "flowed"
    content = body.get_content()
    assert read_flowed(content)[:-1] == [
        "Dear Ada,", "", PARAGRAPH, "", ITEM, ARROW, COMMAND, "From here on > nothing", "", "--", "Galloper"]
    # Who is independent of it has lines of 72 columns, a blank at their ends.
    assert max(len(line.rstrip()) for line in content.splitlines() if line.strip() != COMMAND.strip()) <= 72


def test_lines_that_readers_would_change_are_stuffed() -> None:
    """RFC 3676, 4.4 and 4.3: the signature's line is left alone."""
    assert flowed(" a\nFrom x\n> y\n-- \nme\n") == "  a\n From x\n > y\n-- \nme\n"


def test_a_letter_that_is_made_smaller_stays_as_it_was() -> None:
    """It is put together again, and must not be flowed a second time."""
    data = _mail(wrap_text(LETTER), (Attachment("x.bin", "application/octet-stream", bytes(50_000)),))
    body = message_from_bytes(shrink(data, 20_000), policy=SMTP).get_body(("plain",))
    assert body is not None
    assert read_flowed(body.get_content())[:10] == read_flowed(_plain(data))[:10]
    assert body["Content-Type"].params["format"] == "flowed"
    assert COMMAND in words_of(body).splitlines()


def _plain(data: bytes) -> str:
    body = message_from_bytes(data, policy=SMTP).get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def test_a_letter_without_a_type_is_read_as_it_stands() -> None:
    """RFC 2045, 5.2: such a part is plain text; an older letter may be one."""
    bare = message_from_bytes(b"Subject: S\r\n\r\n a\r\n", policy=SMTP)
    assert words_of(bare).splitlines() == [" a"]


def test_a_page_shows_a_stored_letter_with_each_paragraph_whole() -> None:
    """On a telephone each line was broken twice: at 72 columns and at the edge of the screen."""
    body = message_from_bytes(_mail(wrap_text(LETTER)), policy=SMTP).get_body(("plain",))
    lines = whole_paragraphs(words_of(body)).split("\n")
    assert lines[:9] == ["Dear Ada,", "", PARAGRAPH, "", ITEM, ARROW, COMMAND, "From here on > nothing", ""]
