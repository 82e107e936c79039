"""The headers of a mailbox's newest mails, read without a trace."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from imapclient import IMAPClient

from service.mail.mailbox.ingest import HEADER_BYTES


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
            block = next((value for key, value in answer.items() if key.startswith(b"BODY[")), None)
            if isinstance(stamp, datetime) and isinstance(block, bytes):
                dated.append((stamp.astimezone(UTC), block))
    return [block for _, block in sorted(dated, key=lambda pair: pair[0], reverse=True)[:most]]
