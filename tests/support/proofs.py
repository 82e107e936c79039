"""The file of a letter by which it can be checked, and letters with another one or other words."""

from __future__ import annotations

import email
import email.policy
import json
from collections.abc import Callable
from email.message import EmailMessage
from typing import Any, cast

NAMES = ("receipt.json", "record.json")
REMOVED = object()


def _parsed(letter: bytes) -> EmailMessage:
    return email.message_from_bytes(letter, policy=email.policy.default)


def _file_of(message: EmailMessage) -> EmailMessage:
    return next(part for part in message.iter_attachments() if part.get_filename() in NAMES)


def proof_of(letter: bytes) -> dict[str, Any]:
    """What the file of a letter has."""
    data = _file_of(_parsed(letter)).get_payload(decode=True)
    assert isinstance(data, bytes)
    return dict(json.loads(data))


def with_proof(letter: bytes, **facts: object) -> bytes:
    """The letter with other facts in its file; without those that are REMOVED."""
    message = _parsed(letter)
    part = _file_of(message)
    name = part.get_filename()
    left = {key: fact for key, fact in {**proof_of(letter), **facts}.items() if fact is not REMOVED}
    part.set_content(json.dumps(left).encode(), maintype="application", subtype="json", filename=name)
    return message.as_bytes()


def without_proof(letter: bytes) -> bytes:
    """The letter without its file, as a mail program may have left it."""
    message = _parsed(letter)
    _file_of(message).replace_header("Content-Disposition", 'attachment; filename="another.json"')
    return message.as_bytes()


def words_of(letter: bytes) -> str:
    """The text of a letter in one line."""
    body = _parsed(letter).get_body(("plain",))
    assert body is not None
    return " ".join(str(body.get_content()).split())


def with_words(letter: bytes, change: Callable[[str], str]) -> bytes:
    """The letter with other words."""
    message = _parsed(letter)
    body, words = message.get_body(("plain",)), words_of(letter)
    assert body is not None
    assert change(words) != words
    cast("EmailMessage", body).set_content(change(words))
    return message.as_bytes()
