"""Pictures of a mail that is judged and not filed (ARR-03)."""

from __future__ import annotations

import maps
from ocr.page import Reading, Status, UnreadableReason
from reading.vocabulary import known_game
from service.intake.sheets.recognizer import RecognizedPage, UnopenedProbe
from service.intake.sheets.sheet_test import ReadingTest
from service.mail.message import read_mail
from tests.support.mail_builder import mail, part, picture


class Blind:
    """Reads no file."""

    def recognize(self, data: bytes, name: str) -> tuple[RecognizedPage, ...]:
        del data, name
        return (RecognizedPage(None, Reading(Status.UNUSABLE, UnreadableReason.TOO_DARK)),)


def test_a_file_that_cannot_be_read_may_be_a_sheet() -> None:
    """A person looks at it; a mail that brings nothing else is not a mail without orders."""
    message = read_mail(mail(parts=[part(picture(90))]), UnopenedProbe())
    assert message.usable_pictures
    assert ReadingTest(Blind()).fates(message, known_game(maps.load("w3k"))) == {}
