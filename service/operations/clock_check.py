"""Does this machine's clock agree with the mail server's? No deadline is closed by a clock that does not
(SUB-09).

The mail server's clock decides what is in time, so we ask it: the server stamps a mail that is put into a
folder without a date. A Maildir is stamped by the disk it is on. If that disk is ours, both clocks are one
and no drift can show; such a site needs NTP, and `galloper check` says so. Where nothing can be asked, the
stamps of the newest mails are compared: a stamp ahead of our clock means that ours is behind. No one loses
by the wait, since the stamps show what is in time.

Asking takes a log-in, and providers count those: an answer represents the deadlines of some minutes, unless
the clock was set meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock
from time import monotonic

from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from service.clock import Clock
from service.facts.events import Event
from service.letters import render
from service.mail.mailbox.source import MailboxError
from service.notices.coordinator_notices import NoticeFacts, notify
from service.notices.letter_context import LetterContext
from service.store import records
from service.store.tables import EventRow, GameRow, MailRow, PhaseRow

MOST_SKEW = timedelta(seconds=60)
"""How far two clocks may differ. A mail server's clock is right to the second, and asking it takes a few; set
by hand."""

STAMPS_COMPARED = 20
"""Newest mails whose stamps are compared with the clock."""

ANSWER_STANDS, DOUBT_STANDS = 300.0, 30.0
"""Seconds for which the answer that the clock is right represents further deadlines of this process, and any
other answer. In these a clock that no one sets drifts by less than a second."""

SET_SECONDS = 5.0
"""A jump of the clock that counts as setting it."""



@dataclass(slots=True)
class _Answer:
    """What was learnt last: the warning, at which second of this process, and how far the clock was ahead of
    those then; `stands` is for how many seconds."""

    warning: str = ""
    asked_at: float = 0.0
    ahead: float = 0.0
    stands: float = -1.0
    lock: Lock = field(default_factory=Lock)


@dataclass(frozen=True, slots=True)
class ClockSkewGuard:
    """The check before a deadline.

    `ask` returns the mail server's time (UTC), or None if the server gives none. It may raise MailboxError;
    then the stamps of the newest mails are used.
    """

    store: sessionmaker[Session]
    clock: Clock
    desk: LetterContext
    ask: Callable[[], datetime | None]
    _answer: _Answer = field(default_factory=_Answer, repr=False, compare=False)

    def skew_warning(self) -> str:
        """A sentence if the clock is off, "" if it is right or cannot be compared, asked now. A change is
        noted in the log."""
        with self._answer.lock:
            return self._look()

    def _recent_warning(self) -> str:
        """`skew_warning`, as it was learnt for a deadline just before."""
        answer = self._answer
        with answer.lock:
            is_set = abs(self._ahead() - answer.ahead) > SET_SECONDS
            return self._look() if is_set or monotonic() - answer.asked_at > answer.stands else answer.warning

    def _ahead(self) -> float:
        return self.clock.now().timestamp() - monotonic()

    def _look(self) -> str:
        apart, is_sure = self._skew()
        warning = "" if apart is None or abs(apart) <= MOST_SKEW else skew_sentence(apart)
        with self.store.begin() as session:
            before = standing_warning(session)
            # Only a change is logged: the clock is checked at every deadline.
            if warning and not before:
                records.log_event(session, self.clock.now(), Event.CLOCK_OFF, detail={"said": warning})
            elif before and not warning:
                records.log_event(session, self.clock.now(), Event.CLOCK_RIGHT)
        answer = self._answer
        answer.warning, answer.asked_at, answer.ahead = warning, monotonic(), self._ahead()
        answer.stands = ANSWER_STANDS if is_sure and not warning else DOUBT_STANDS
        return warning

    def must_wait(self, phase_id: int) -> bool:
        """Whether a phase must wait until the clock is set. The coordinator then gets one notice a
        deadline."""
        warning = self._recent_warning()
        if not warning:
            return False
        with self.store.begin() as session:
            phase = session.get(PhaseRow, phase_id)
            if phase is not None:
                game = session.get_one(GameRow, phase.game_id)
                facts = NoticeFacts(
                    # One notice a deadline, however often the phase is looked at.
                    key=f"clock-{phase.deadline.isoformat()}",
                    event=warning,
                    since=self.clock.now(),
                    link=f"{self.desk.sender.base_url}/health" if self.desk.sender.base_url else "",
                    consequence=("the phase is neither closed nor judged. No player is harmed: the mail "
                                 "server's stamps decide what came in time. Once the clock is set, it "
                                 "continues by itself within five minutes."),
                )
                notify(session, self.desk, game, facts, phase)
        return True

    def _skew(self) -> tuple[timedelta | None, bool]:
        """How far the clock is ahead, None without a source; and whether the mail server said so."""
        before = self.clock.now()
        try:
            server_time = self.ask()
        except MailboxError:
            # A server that does not answer holds nothing up: the newest stamps are compared instead.
            server_time = None
        after = self.clock.now()
        if server_time is None:
            with self.store() as session:
                behind = behind_by_stamps(session)
            return None if behind is None else -behind, False
        # A stamp has whole seconds, and was made somewhere between the two looks at our own clock.
        if before - MOST_SKEW <= server_time <= after + MOST_SKEW:
            return timedelta(), True
        return before - server_time if server_time < before else after - server_time, True


def skew_sentence(apart: timedelta) -> str:
    """The warning about a clock that is ahead (above 0) or behind (below 0)."""
    seconds = abs(round(apart.total_seconds()))
    much = f"{seconds} seconds" if seconds < 120 else render.duration(timedelta(seconds=seconds))
    return (f"This machine's clock is {much} {'ahead of' if apart > timedelta() else 'behind'} the mail "
            "server's. Set it, best by NTP: deadlines depend on it.")


def behind_by_stamps(session: Session) -> timedelta | None:
    """How far our clock is behind at least, by the newest stamps (0 or more); None without mails."""
    return max(
        (max(received_at - stored_at, timedelta()) for received_at, stored_at in newest_stamps(session)),
        default=None
    )


def newest_stamps(session: Session) -> list[tuple[datetime, datetime]]:
    """Of the newest mails the mail server's stamp and the time at which we stored them, both UTC, newest
    first."""
    rows = session.execute(
        select(MailRow.received_at, MailRow.stored_at)
        .order_by(MailRow.stored_at.desc())
        .limit(STAMPS_COMPARED)
    ).all()
    return [(received_at, stored_at) for received_at, stored_at in rows]


def standing_warning(session: Session) -> str:
    """The warning of the newest entry in the log; "" if the clock is right as far as is known."""
    row = session.scalar(
        select(EventRow).where(EventRow.what.in_((Event.CLOCK_OFF, Event.CLOCK_RIGHT)))
        .order_by(EventRow.id.desc()).limit(1)
    )
    return str(row.detail.get("said", "")) if row is not None and row.what == Event.CLOCK_OFF else ""
