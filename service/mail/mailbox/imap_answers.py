"""What an IMAP server answers, and the small questions that take no connection of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

from service.mail.mailbox.source import HEADER_BYTES

BATCH = 200
"""Mails that one command is about, at most."""


def newest_headers(client: IMAPClient, folders: Sequence[str], most: int) -> list[bytes]:
    """The header blocks of the newest mails of several folders, newest first. A folder that is not there is
    passed over."""
    dated: list[tuple[datetime, bytes]] = []
    for folder in folders:
        if not client.folder_exists(folder):
            continue
        # EXAMINE, because SELECT would take the mark of newness from every mail (RFC 3501, 6.3.2), and PEEK,
        # because a plain fetch marks as read.
        client.select_folder(folder, readonly=True)
        uids = sorted(client.search("UNDELETED"))[-most:]
        answers = client.fetch(uids, ["INTERNALDATE", f"BODY.PEEK[HEADER]<0.{HEADER_BYTES}>"]) if uids else {}
        for answer in answers.values():
            stamp = answer.get(b"INTERNALDATE")
            block = body_of(answer)
            if isinstance(stamp, datetime) and block is not None:
                dated.append((stamp.astimezone(UTC), block))
    return [block for _, block in sorted(dated, key=lambda pair: pair[0], reverse=True)[:most]]


def body_of(answer: Mapping[bytes, Any]) -> bytes | None:
    """What a fetch brought of a mail's bytes; None if the answer has none."""
    block = next((value for key, value in answer.items() if key.startswith(b"BODY[")), None)
    return block if isinstance(block, bytes) else None


_SET = rb"([0-9]{1,10}(?::[0-9]{1,10})?(?:,[0-9]{1,10}(?::[0-9]{1,10})?)*)"
"""UIDs and ranges of UIDs, such as b"3,7:9"."""
_COPIED = re.compile(rb"([0-9]{1,10}) %b %b" % (_SET, _SET))


def copied_uids(answers: Sequence[bytes]) -> Iterator[tuple[str, int, int]]:
    """The UIDVALIDITY of the folder that mails came into, and the old and the new UID of each, by the
    server's answers (RFC 4315, 3)."""
    for answer in answers:
        parts = _COPIED.fullmatch(answer.strip())
        if parts is None:
            continue
        old, new = (_numbers(part) for part in parts.groups()[1:])
        if len(old) == len(new):
            yield from ((parts[1].decode(), *pair) for pair in zip(old, new, strict=True))


def _numbers(uids: bytes) -> list[int]:
    """The numbers of a set, in its order; of each range at most `BATCH`."""
    numbers: list[int] = []
    for part in uids.split(b","):
        ends = [int(end) for end in part.split(b":")]
        numbers += range(min(ends), min(max(ends) + 1, min(ends) + BATCH))
    return numbers


def personal_prefix(client: IMAPClient) -> str:
    """The start of every folder name on this server ("INBOX." on some), or "" (RFC 2342)."""
    if not client.has_capability("NAMESPACE"):
        return ""
    personal = client.namespace().personal
    return str(personal[0][0]) if personal else ""


def creating(client: IMAPClient, folder: str, act: Callable[[], object]) -> None:
    """Call `act`; if the server refuses because `folder` is missing, create it and call `act` again."""
    try:
        act()
    except IMAPClientAbortError:
        raise
    except IMAPClientError:
        if client.folder_exists(folder):
            raise
        client.create_folder(folder)
        with suppress(IMAPClientError):
            client.subscribe_folder(folder)
        act()
