"""Small mails for tests of the pipes; what they say does not matter there."""

from __future__ import annotations

import time
from collections.abc import Callable
from email.message import EmailMessage


def simple(number: int = 1, size: int = 0, sender: str = "player@example.org") -> bytes:
    """A mail that differs by its number, with an attachment of `size` bytes."""
    message = EmailMessage()
    message["From"] = sender
    message["To"] = "orders@example.org"
    message["Subject"] = f"Powick Bridge, Montrose, Summer 1642, Movement Orders, v{number}"
    message["Message-ID"] = f"<{number}@example.org>"
    message.set_content("See the sheet.")
    if size:
        message.add_attachment(
            # The first two bytes of a JPEG, by which its type is recognised.
            b"\xff\xd8" + bytes(size), maintype="image", subtype="jpeg", filename="sheet.jpg"
        )
    return message.as_bytes().replace(b"\n", b"\r\n")


def wait_for(condition: Callable[[], object], seconds: float = 30.0) -> bool:
    """Whether a condition came true in time; looks fifty times a second."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return bool(condition())
