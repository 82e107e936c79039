"""Ignored mails that a coordinator should see: those under a player's address that seem to have an
attachment.

A reflector, a vacation program or a false alarm of ours must not cost a player a turn unseen (BOX-01). A
coordinator may take such a mail back; it is then judged as if no rule ignored mails.
"""

from __future__ import annotations

import re
from datetime import datetime

from sqlalchemy.orm import Session

from service.mail.message import BodyState, IncomingMail
from service.store import records
from service.store.tables import IgnoredMailRow, MailRow, MailState, PlayerRow

TAKEN_BACK, LEFT = "taken back", "left"
"""How a coordinator settled an ignored mail."""

# Read from the bytes too: the body of a mail whose sender is not proved is never parsed.
_ATTACHMENT = re.compile(
    rb"^(?:content-disposition:\s*attachment"
    rb"|content-type:\s*(?:image|video|audio|application)/(?!pgp-|pkcs7-signature|x-pkcs7-signature)"
    rb"|begin [0-7]{3} \S)",
    re.IGNORECASE | re.MULTILINE,
)
_LOOKED_AT = 4_000_000
"""Bytes of a mail that are searched; the first attachment begins before, and anybody may send 36 MB."""
_REPORT = re.compile(rb"^content-type:\s*multipart/report\b", re.IGNORECASE | re.MULTILINE)
_COPY = re.compile(
    rb"^content-type:\s*(?:message/rfc822|text/rfc822-headers)\b", re.IGNORECASE | re.MULTILINE
)


def seems_to_have_attachment(raw: bytes) -> bool:
    """Whether a raw mail seems to have an attachment, by its header lines alone. A report's copy of the mail
    that it is about does not count: that has the attachments of our own letter."""
    raw = raw[:_LOOKED_AT]
    copy = _COPY.search(raw) if _REPORT.search(raw.partition(b"\n\n")[0].partition(b"\r\n\r\n")[0]) else None
    return _ATTACHMENT.search(raw, 0, len(raw) if copy is None else copy.start()) is not None


def note_ignored_mail(
    session: Session, key: str, mail: IncomingMail, raw: bytes, now: datetime
) -> IgnoredMailRow | None:
    """Note the mail for the coordinator, if it ended ignored, names a player as its sender and seems to have
    an attachment. None if it is not noted, or was before."""
    row = session.get(MailRow, key)
    if row is None or row.state != MailState.IGNORED:
        return None
    sender, player = next(
        ((address, player) for address in mail.senders if (player := _player(session, address)) is not None),
        ("", None),
    )
    if player is None or not _may_be_sheet(mail, raw):
        return None
    is_new = records.insert_once(
        session, IgnoredMailRow, sha256=key, player_id=player.id, sender=sender.lower(),
        reason=row.reason or "", subject=mail.subject, noted_at=now)
    return session.get(IgnoredMailRow, key) if is_new else None


def _may_be_sheet(mail: IncomingMail, raw: bytes) -> bool:
    # Of a mail that is too large only the header was fetched.
    if mail.overflow or mail.encrypted:
        return True
    # A body that was read knows a photograph from the logo of a signature.
    is_read = mail.body is BodyState.READ
    return seems_to_have_attachment(raw) and (mail.has_pictures or not is_read)


def _player(session: Session, address: str) -> PlayerRow | None:
    return records.player_of(session, address) if address else None


def is_taken_back(session: Session, key: str) -> bool:
    """Whether a coordinator took the mail back, so that no rule may ignore it again."""
    row = session.get(IgnoredMailRow, key)
    return row is not None and row.end == TAKEN_BACK
