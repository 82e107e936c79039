"""A sheet that comes by a page, for who cannot mail a picture (BEY-05): written as the mail that its player
would have sent, and put where mails are put.

Its bytes are stored first; then its row, its place and its job are committed together, and from there on it
is a mail like any other: the same verdict, limits, late rules, jail, receipt and record. Nothing is read
here, and nothing is opened. Only the proof of its sender differs: it is the player's secret link.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from email.utils import format_datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from ocr.image.formats import PictureFormat, format_of, media_type
from service.clock import Clock
from service.games.refused import Refused
from service.intake.waiting_proof import dump_authentication
from service.jobs import Jobs
from service.letters.language import N_, Sentence
from service.mail.authentication.verdict import OURSELVES, Authentication, AuthResult, Method, Proof
from service.mail.mailbox import ingest
from service.mail.mailbox.source import MailboxLocation
from service.store import records
from service.store.addresses import author_mark
from service.store.blobs import Blobs
from service.store.tables import MailboxLocationRow, MailRow

ACCOUNT = "upload"
"""`MailboxLocationRow.account` of a sheet that came by a page; its folder names game and player."""
MOST_AN_HOUR = 12
"""Sheets that one player may send for one game by pages in an hour; each costs a child process."""
MOST_A_DAY = 40
IN_AN_HOUR = N_("Nothing was sent: you sent %(most)s sheets in the last hour, the most allowed. Your "
                "earlier sheets are safe. Try again later, or mail the picture.")
IN_A_DAY = N_("Nothing was sent: you sent %(most)s sheets in the last day, the most allowed. Your earlier "
              "sheets are safe. Try again later, or mail the picture.")
BY_LINK = "The sheet came by its player's secret link, not by mail."


@dataclass(frozen=True, slots=True)
class Upload:
    """The data of a page. `game_id` and `player_id`: whose link it came by; `sender`: that player's
    registered address; `subject`: as a mail's. `mark`: digest of the link, and `nonce`: the page's own number
    for this sheet, so that a page that sends again, since it heard no answer, sends nothing twice."""

    game_id: str
    player_id: int
    sender: str
    subject: str
    photographs: tuple[bytes, ...]
    mark: str
    nonce: str


@dataclass(frozen=True, slots=True)
class Arrival:
    """The receipt: the moment of receipt (UTC), the SHA-256 of the mail that it was written as, and of each
    photograph. `is_repeat`: it was here before, and that moment is the first one's."""

    received_at: datetime
    mail: str
    photographs: tuple[str, ...]
    is_repeat: bool = False


@dataclass(frozen=True, slots=True)
class UploadDoor:
    """The door for sheets that come by pages, and its needs. `own_address`: the site's address for
    orders."""

    store: sessionmaker[Session]
    blobs: Blobs
    jobs: Jobs
    clock: Clock
    own_address: str

    def take_in(self, upload: Upload) -> Arrival:
        """Take in a sheet, with the moment at which it was here whole. Raises Refused."""
        photographs = tuple(hashlib.sha256(photograph).hexdigest() for photograph in upload.photographs)
        if not photographs:
            raise Refused(Sentence(
                "Nothing was sent: no photograph was chosen. Choose one, and send again."))
        place = _place(upload, photographs)
        now = self.clock.now()
        with self.store() as session:
            known = _known(session, place, photographs)
            if known is not None:
                return known
            _check_number(session, place, now)
        raw = as_mail(upload, self.own_address, now, place.uid)
        # Bytes first: if the process dies before the commit, the page has no answer and sends again.
        key = self.blobs.put(raw)
        with self.store.begin() as session:
            # Of two that send the same at one moment, the second finds the first one's place.
            known = _known(session, place, photographs)
            if known is not None:
                return known
            records.add_mail(
                session, key, len(raw), now, now, author=author_mark(upload.sender),
                proof=dump_authentication(Authentication(
                    AuthResult.PASS, Proof(Method.LINK, OURSELVES, upload.sender.rpartition("@")[2]),
                    BY_LINK)))
            if not records.add_place(session, place, key):
                raise Refused(Sentence(
                    "The same sheet is being sent twice at this moment. Once is enough: wait for the "
                    "receipt."))
            records.mark_moved(session, place, now)
            self.jobs.enqueue(session, ingest.WORK, f"{ingest.WORK}:{key}", {"mail": key})
        return Arrival(now, key, photographs)


def as_mail(upload: Upload, own_address: str, now: datetime, identifier: str) -> bytes:
    """The mail that the player would have sent, as bytes: its photographs are attached as they came."""
    message = EmailMessage(policy=SMTP if upload.sender.isascii() else SMTPUTF8)
    # RFC 5321, 4.4: who takes a message in says so on top. Anyone who holds the archive compares this time
    # with the record's (docs/check.md, C4).
    message["Received"] = f"from the page for photographs by galloper with HTTP; {format_datetime(now)}"
    message["From"] = upload.sender
    message["To"] = own_address
    message["Subject"] = upload.subject
    message["Date"] = format_datetime(now)
    message["Message-ID"] = f"<{identifier[:40]}@upload.invalid>"
    message["X-Galloper-Upload"] = "by a player's link"
    message.set_content("Sent from the page for photographs. What counts is in the pictures.\n")
    for number, photograph in enumerate(upload.photographs, start=1):
        kind = format_of(photograph)
        # What is not a picture stays an attachment that was meant as one: the verdict states that it does not
        # open.
        main, sub = media_type(kind or PictureFormat.JPEG)
        message.add_attachment(
            photograph, maintype=main, subtype=sub, filename=f"photograph-{number}.{sub}")
    return message.as_bytes()


def _place(upload: Upload, photographs: Sequence[str]) -> MailboxLocation:
    """Where the sheet came in, equal for one that is sent again."""
    # What it states belongs to it: another sheet under the number of an earlier one is another sheet.
    words = "\n".join([upload.nonce, upload.subject, *photographs])
    uid = hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()
    return MailboxLocation(ACCOUNT, _folder(upload.game_id, upload.player_id), upload.mark, uid)


def _folder(game_id: str, player_id: int) -> str:
    return f"{game_id}/player-{player_id}"


def _known(session: Session, place: MailboxLocation, photographs: tuple[str, ...]) -> Arrival | None:
    row = session.get(MailboxLocationRow, (place.account, place.folder, place.uidvalidity, place.uid))
    if row is None:
        return None
    return Arrival(
        session.get_one(MailRow, row.sha256).received_at, row.sha256, photographs, is_repeat=True)


def _check_number(session: Session, place: MailboxLocation, now: datetime) -> None:
    """Raises Refused where too many sheets came from this player for this game, by any link."""
    for most, span, words in ((MOST_AN_HOUR, timedelta(hours=1), IN_AN_HOUR),
                              (MOST_A_DAY, timedelta(days=1), IN_A_DAY)):
        count = session.scalar(select(func.count()).select_from(MailboxLocationRow).where(
            MailboxLocationRow.account == ACCOUNT, MailboxLocationRow.folder == place.folder,
            MailboxLocationRow.moved_at > now - span)) or 0
        if count >= most:
            raise Refused(Sentence(words, most=most))
