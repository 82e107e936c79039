"""C25: a word for the lots is found in its mail as the program stores it, with single blanks."""

from __future__ import annotations

import email
import email.policy
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.keeper import tool_module


def _word(word: str) -> Any:
    body = {"what": "word", "fact": "1", "entered": datetime(2027, 3, 5, tzinfo=UTC).isoformat(),
            "tells": {"word": word, "power": "Montrose", "phase": 1, "mail": "a"}}
    return tool_module().Entry({"n": 1, "body": body})


@pytest.mark.parametrize(("subject", "word", "is_there"), [
    ("Powick Bridge, Montrose, Winter 1643, v1, lots: heather", "heather", True),
    ("Powick Bridge, Montrose, Winter 1643, v1, lots: red   heather", "red heather", True),
    ("Powick Bridge, Montrose, Winter 1643, v1", "heather", False),
])
def test_a_word_is_found_in_its_mail(subject: str, word: str, *, is_there: bool) -> None:
    mail = email.message_from_bytes(
        f"Subject: {subject}\r\n\r\nSee the sheet.\r\n".encode(), policy=email.policy.compat32)
    assert tool_module().has_word(mail, _word(word)) == is_there
