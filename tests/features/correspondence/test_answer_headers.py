"""What the head of an answer tells mail programs."""

from __future__ import annotations

from tests.service.mail.sending.test_letter_headers import composed


def test_what_a_coordinator_wrote_does_not_say_that_a_machine_wrote_it() -> None:
    """BOX-10."""
    message = composed("answer")
    assert (message["Auto-Submitted"], message["Precedence"]) == ("no", None)
    assert message["In-Reply-To"] is not None
