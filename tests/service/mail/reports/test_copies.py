"""Whom a returned letter was for, by the copy of it that the report has."""

from __future__ import annotations

from email import message_from_string

import pytest

from service.mail.reports.dialects import recipient_of_copy


@pytest.mark.parametrize(("to", "recipients"), [
    ("ada@montrose.example", ("ada@montrose.example",)),
    # No letter of ours goes to two, so this is none.
    ("ada@montrose.example, bo@argyll.example", ()), ("", ())])
@pytest.mark.parametrize("kind", ["message/rfc822", "text/rfc822-headers"])
def test_the_one_recipient_of_a_copy_is_named(kind: str, to: str, recipients: tuple[str, ...]) -> None:
    part = message_from_string(f"Content-Type: {kind}\n\nSubject: Results\nTo: {to}\n\nText\n")
    assert recipient_of_copy({kind: part}) == recipients
