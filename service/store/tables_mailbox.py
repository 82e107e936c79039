"""The tables of the mailbox: mails that the server keeps from us, and deadlines that wait for it.

The tables of mails that are not sheets: ignored mails that a coordinator should see, and letters between
players and the coordinator.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.store.columns import TableBase


class IgnoredMailRow(TableBase):
    """An ignored mail under a player's address that seems to have an attachment (BOX-01)."""

    __tablename__ = "ignored_mails"
    __table_args__ = (Index("ignored_mails_by_end", "ended_at", "noted_at"),)
    sha256: Mapped[str] = mapped_column(ForeignKey("mails.sha256"), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), index=True)
    # As its From field states, in lower case. Nothing proves it: a mail of a machine is not authenticated.
    sender: Mapped[str] = mapped_column(String(320))
    # Why it was ignored; the mail's own row forgets it when the mail is taken back.
    reason: Mapped[str] = mapped_column(String(60))
    subject: Mapped[str] = mapped_column(Text)
    noted_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    ended_by: Mapped[str | None] = mapped_column(String(80))
    # "taken back" or "left".
    end: Mapped[str | None] = mapped_column("ended_as", String(20))


class OutsideNoticeRow(TableBase):
    """A notice to the coordinator that a stranger's mail caused (`service.notices.outside_notices`)."""

    __tablename__ = "outside_notices"
    __table_args__ = (Index("outside_notices_by_end", "told_at", "at"),)
    key: Mapped[str] = mapped_column(String(200), primary_key=True)
    at: Mapped[datetime]
    event: Mapped[str] = mapped_column(Text)
    # Sender and subject, "" if the notice is about no mail.
    about: Mapped[str] = mapped_column(Text)
    link: Mapped[str] = mapped_column(Text)
    # When a letter named it; None while it waits for one.
    told_at: Mapped[datetime | None]


class CorrespondenceRow(TableBase):
    """One plain letter from a player to the coordinator, or the coordinator's answer (BOX-10)."""

    __tablename__ = "correspondence"
    __table_args__ = (
        Index("correspondence_of_a_player", "player_id", "at"),
        Index("correspondence_by_end", "done_at", "at"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"))
    # None where the letter names no game and its player plays in several.
    game_id: Mapped[str | None] = mapped_column(ForeignKey("games.id"))
    # The mail of a player's letter; None for an answer.
    sha256: Mapped[str | None] = mapped_column(ForeignKey("mails.sha256"), unique=True)
    # The letter of an answer; None for a player's letter.
    letter_id: Mapped[int | None] = mapped_column(ForeignKey("outbox.id"), unique=True)
    at: Mapped[datetime]
    # The coordinator who answered; None for a player's letter.
    by: Mapped[str | None] = mapped_column(String(80))
    subject: Mapped[str] = mapped_column(Text)
    # What is new in the letter, and what it quotes of earlier ones.
    words: Mapped[str] = mapped_column(Text)
    quoted: Mapped[str] = mapped_column(Text, default="")
    # Names of attached files, which no one opens.
    files: Mapped[list[Any]] = mapped_column(default=list)
    # An answer is done from the beginning.
    done_at: Mapped[datetime | None]
    done_by: Mapped[str | None] = mapped_column(String(80))


class MailTroubleRow(TableBase):
    """A mail that the server does not hand out or does not let go. The row ends with the trouble."""

    __tablename__ = "mail_troubles"
    __table_args__ = (Index("mail_troubles_by_kind", "kind", "received_at"),)
    account: Mapped[str] = mapped_column(String(200), primary_key=True)
    folder: Mapped[str] = mapped_column(String(200), primary_key=True)
    uidvalidity: Mapped[str] = mapped_column(String(80), primary_key=True)
    uid: Mapped[str] = mapped_column(String(300), primary_key=True)
    # A `MailTroubleKind`.
    kind: Mapped[str] = mapped_column(String(20))
    # A sentence of ours with the server's code, never its words.
    why: Mapped[str] = mapped_column(Text)
    since: Mapped[datetime]
    tries: Mapped[int]
    # Not tried again before.
    due_at: Mapped[datetime]
    # Of a mail that was not fetched; they show whether it came in later from another place.
    size: Mapped[int | None]
    received_at: Mapped[datetime | None]


class MailboxDrainRow(TableBase):
    """The newest look into the mailbox for a deadline, one for all processes of the site."""

    __tablename__ = "mailbox_drains"
    # There is one row, "orders".
    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    # When the look began, by the site's clock; None before the first one ended.
    began_at: Mapped[datetime | None]
    # When it ended, by the database's clock, as the two below.
    ended_at: Mapped[datetime | None]
    # Why the mailbox was not emptied; "" if it was.
    trouble: Mapped[str] = mapped_column(Text, default="")
    # The stamps of the mails that were listed and did not come in, in ISO 8601.
    left: Mapped[list[Any]] = mapped_column(default=list)
    unreadable: Mapped[int] = mapped_column(default=0)
    # A process that cannot look over the poller's connection needs a look.
    wanted_at: Mapped[datetime | None]
    # Until then a process is looking; it leaves that behind if it dies.
    claimed_until: Mapped[datetime | None]


class MailboxMarkRow(TableBase):
    """Whose the mailbox is (`service.mail.mailbox.mark`), and how far its folder of taken mails was
    compared."""

    __tablename__ = "mailbox_marks"
    # Account and folder.
    name: Mapped[str] = mapped_column(String(400), primary_key=True)
    # Drawn once for a database, the same in every row; a copy of the database has the same.
    site: Mapped[str] = mapped_column(String(32))
    # How often the site was started on a mailbox.
    starts: Mapped[int]
    # Mails that came before are older than the site, and stay where they are.
    since: Mapped[datetime]
    # The source's own words for where the comparison goes on.
    done_seen: Mapped[str] = mapped_column(String(80), default="")


class MailboxWaitRow(TableBase):
    """A phase whose deadline has passed and that is not closed, because the mailbox could not be emptied."""

    __tablename__ = "mailbox_waits"
    phase_id: Mapped[int] = mapped_column(ForeignKey("phases.id"), primary_key=True)
    since: Mapped[datetime]
    # The newest sentence.
    why: Mapped[str] = mapped_column(Text)
    # A coordinator's decision to judge without what may still be in the mailbox.
    waived_at: Mapped[datetime | None]
    waived_by: Mapped[str | None] = mapped_column(String(80))
    waived_why: Mapped[str | None] = mapped_column(Text)
    # The mailbox was emptied, or the phase was closed without it.
    ended_at: Mapped[datetime | None]
