"""Codes of an app in addition to the password (TOTP, RFC 6238)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, update
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.refused import Refused
from service.store.tables import CodeAppRow
from service.web.page import NotInstalled

PERIOD = 30
"""Seconds for which a code is shown."""
_APART = 1
"""Periods by which the telephone's clock may be wrong."""


def begin(session: Session, user: str, now: datetime) -> str:
    """A new secret for the person's app, in base32. It counts once `confirm` was given a code."""
    secret: str = _library().random_base32(32)
    session.merge(CodeAppRow(user=user, secret=secret, made_at=now, confirmed_at=None, last_period=0))
    return secret


def address(user: str, site: str, secret: str) -> str:
    """The secret for the app, as a link or as a picture."""
    return str(_library().TOTP(secret, interval=PERIOD).provisioning_uri(name=user, issuer_name=site))


def confirm(session: Session, user: str, code: str, now: datetime) -> bool:
    """Ask for codes from now on, if this one is right."""
    row = session.get(CodeAppRow, user)
    if row is None or not _use(session, row, code, now):
        return False
    row.confirmed_at = now
    return True


@dataclass(frozen=True, slots=True)
class ConfirmCodeApp(Act[None]):
    """Requires codes from now on, once a person's app has shown that it has the secret. `entered_at`: by the
    clock on the wall."""

    code: str
    entered_at: datetime

    def check(self, table: ActTable) -> None:
        """Refuse a second app."""
        require_none(table.session, table.by)

    def change(self, table: ActTable) -> None:
        """Refuse a wrong code."""
        if not confirm(table.session, table.by, self.code, self.entered_at):
            raise Refused("Nothing was changed: this is not the code that your app should show now. Go "
                          "back, check the key and the telephone's clock, and write the next code.")

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The person."""
        return LoggedEvent(Event.CODE_APP_ADDED, None, {"person": table.by})


@dataclass(frozen=True, slots=True)
class RemoveCodeApp(Act[None]):
    """Requires codes no longer. This needs a code: a person at a browser found signed in has none."""

    code: str
    entered_at: datetime

    def change(self, table: ActTable) -> None:
        """Refuse a wrong code."""
        if not check(table.session, table.by, self.code, self.entered_at):
            raise Refused("Nothing was changed: this code is wrong or was used already.")
        remove(table.session, table.by)

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The person."""
        return LoggedEvent(Event.CODE_APP_REMOVED, None, {"person": table.by})


def require_none(session: Session, user: str) -> None:
    """Raises Refused for a person who has an app."""
    if is_asked_for(session, user):
        raise Refused("Nothing was changed: you have an app already. Remove it first.")


def remove(session: Session, user: str) -> None:
    """Ask for no codes any more."""
    session.execute(delete(CodeAppRow).where(CodeAppRow.user == user))


def is_asked_for(session: Session, user: str) -> bool:
    """Whether this person needs a code."""
    row = session.get(CodeAppRow, user)
    return row is not None and row.confirmed_at is not None


def check(session: Session, user: str, code: str, now: datetime) -> bool:
    """Whether a code opens the door: right, and not used before. True for a person without an app."""
    row = session.get(CodeAppRow, user)
    return row is None or row.confirmed_at is None or _use(session, row, code, now)


def _use(session: Session, row: CodeAppRow, code: str, now: datetime) -> bool:
    digits, period = "".join(code.split()), int(now.timestamp()) // PERIOD
    totp = _library().TOTP(row.secret, interval=PERIOD)
    for each in range(period - _APART, period + _APART + 1):
        if each > row.last_period and totp.verify(digits, for_time=each * PERIOD):
            # Of two who use one code at one moment the later changes no row.
            used = session.execute(
                update(CodeAppRow)
                .where(CodeAppRow.user == row.user, CodeAppRow.last_period < each)
                .values(last_period=each),
                execution_options={"synchronize_session": "fetch"},
            )
            return bool(used.rowcount)  # type: ignore[attr-defined]
    return False


def _library() -> Any:
    try:
        import pyotp
    except ImportError as error:
        raise NotInstalled(
            'Codes of an app need a Python package that is not installed; pip install "galloper[codes]"'
        ) from error
    return pyotp
