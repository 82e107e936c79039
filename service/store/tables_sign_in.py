"""The tables of signing in: tries, browsers that are known, codes of an app next to the password, passkeys,
and roles in single games."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.store.columns import TableBase


class SignInTryRow(TableBase):
    """One try to sign in, as one of the counts that it is under. Rows older than an hour are removed."""

    __tablename__ = "sign_in_tries"
    __table_args__ = (Index("sign_in_tries_of_a_subject", "subject", "at"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    # The SHA-256 of what is counted. People type their password into the wrong field, so no name is here.
    subject: Mapped[str] = mapped_column(String(64))
    at: Mapped[datetime]


class KnownBrowserRow(TableBase):
    """A browser in which a person has signed in: no one else's tries keep its person out."""

    __tablename__ = "known_browsers"
    # The SHA-256 of its cookie.
    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    user: Mapped[str] = mapped_column(ForeignKey("users.name"), index=True)
    made_at: Mapped[datetime]


class CodeAppRow(TableBase):
    """The app that gives a person codes in addition to the password (RFC 6238)."""

    __tablename__ = "code_apps"
    user: Mapped[str] = mapped_column(ForeignKey("users.name"), primary_key=True)
    # In base32, as the app has it: codes are computed from it on both sides.
    secret: Mapped[str] = mapped_column(String(64))
    made_at: Mapped[datetime]
    # Set once the person has shown a code; until then none is asked for.
    confirmed_at: Mapped[datetime | None]
    # The period of 30 s of the last code that was used: no code works twice.
    last_period: Mapped[int] = mapped_column(default=0)


class GameRoleRow(TableBase):
    """The role that a person has in one game; of a person whose role of the site is `by game`."""

    __tablename__ = "game_roles"
    user: Mapped[str] = mapped_column(ForeignKey("users.name"), primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    role: Mapped[str] = mapped_column(String(20))


class PasskeyRow(TableBase):
    """A key that a person's device keeps (WebAuthn); only its public half is here."""

    __tablename__ = "passkeys"
    # The authenticator's name for it, in base64url; at most 1023 bytes (WebAuthn, 4).
    id: Mapped[str] = mapped_column(String(1400), primary_key=True)
    user: Mapped[str] = mapped_column(ForeignKey("users.name"), index=True)
    # COSE, in base64url.
    public_key: Mapped[str] = mapped_column(Text)
    # Grows with each use where the device counts; one that does not grow is a copy.
    count: Mapped[int] = mapped_column(default=0)
    label: Mapped[str] = mapped_column(String(80))
    made_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class PasskeyChallengeRow(TableBase):
    """What a browser was asked to sign; answered once, within minutes."""

    __tablename__ = "passkey_challenges"
    # The SHA-256 of the challenge, and of the network that asked.
    challenge_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    network_hash: Mapped[str] = mapped_column(String(64), index=True)
    # Who adds a key; None where a person signs in.
    user: Mapped[str | None] = mapped_column(ForeignKey("users.name"))
    made_at: Mapped[datetime]
