"""The site in numbers, for Prometheus. No number names a person, a game, a power or an address.

Everything is counted in the database at each request, so every process of a site gives the same answer. Only
memory, open files and the mailbox's last answer are those of the process itself.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from prometheus_client import CollectorRegistry, GCCollector, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy import func, select
from sqlalchemy.orm import InstrumentedAttribute, Session, sessionmaker

from service.clock import Clock
from service.facts.events import Event
from service.games import mailbox_waits
from service.operations import clock_check
from service.operations.health import LONGEST_WITHOUT_WORKER, last_event, overdue_phases
from service.operations.mailbox_status import MailboxStatus
from service.store.columns import MailTroubleKind
from service.store.tables import (
    LineRow,
    LineState,
    MailRow,
    MailState,
    MailTroubleRow,
    OutboxRow,
    OutboxState,
    PhaseRow,
    PhaseState,
    SubmissionRow,
    WorkerRow,
)


@dataclass(frozen=True, slots=True)
class Metrics:
    """The numbers of one site. `data` is the folder whose disk is measured."""

    store: sessionmaker[Session]
    clock: Clock
    pulse: MailboxStatus
    data: Path

    def text(self) -> bytes:
        """Everything in the text format of Prometheus."""
        # A registry of our own: the library's global one would count twice in tests and in several sites.
        registry = CollectorRegistry()
        registry.register(_Site(self))
        ProcessCollector(registry=registry)
        GCCollector(registry=registry)
        return generate_latest(registry)

    def families(self) -> Iterator[GaugeMetricFamily]:
        """One family for each number."""
        now = self.clock.now()
        with self.store() as session:
            yield _by_state(session, "galloper_mails", "Mails received, by state.", MailRow.state, MailState)
            yield _by_state(
                session, "galloper_letters", "Letters of the outbox, by state.", OutboxRow.state, OutboxState
            )
            yield _by_state(session, "galloper_phases", "Phases, by state.", PhaseRow.state, PhaseState)
            yield _gauge("galloper_lines_open", "Lines of sheets that wait for a person.", session.scalar(
                select(func.count()).select_from(LineRow).where(LineRow.status == LineState.OPEN)))
            yield _gauge("galloper_sheets_unread", "Sheets that wait for the reading engine.", session.scalar(
                select(func.count()).select_from(SubmissionRow).where(SubmissionRow.read_at.is_(None))))
            yield _age(
                "galloper_oldest_mail_waiting_seconds",
                "Age of the oldest stored mail that is not handled yet.",
                now,
                session.scalar(select(func.min(MailRow.stored_at)).where(MailRow.state == MailState.STORED)),
            )
            yield _age(
                "galloper_oldest_letter_due_seconds",
                "Time since the oldest unsent letter was due.",
                now,
                session.scalar(
                    select(func.min(OutboxRow.due_at)).where(
                        OutboxRow.state == OutboxState.QUEUED, OutboxRow.due_at < now
                    )
                ),
            )
            yield _gauge(
                "galloper_deadlines_overdue",
                "Phases past their deadline that are still open.",
                len(overdue_phases(session, now)),
            )
            yield _gauge("galloper_deadlines_waiting_for_mailbox",
                         "Phases past their deadline that wait for the mailbox.",
                         len(mailbox_waits.all_standing(session)))
            yield _by_state(session, "galloper_mails_stuck", "Mails stuck on the mail server, by kind.",
                            MailTroubleRow.kind, MailTroubleKind)
            yield _gauge(
                "galloper_workers",
                "Worker processes that reported.",
                session.scalar(
                    select(func.count())
                    .select_from(WorkerRow)
                    # Workers sign with the machine's clock, which the clock of a demo or a test is not.
                    .where(WorkerRow.seen_at > datetime.now(UTC) - LONGEST_WITHOUT_WORKER)
                ),
            )
            yield _gauge(
                "galloper_clock_off",
                "1 while this machine's clock differs from the mail server's.",
                int(bool(clock_check.standing_warning(session))),
            )
            made_at = last_event(session, Event.BACKUP_MADE)
            if made_at is not None:
                yield _age("galloper_backup_age_seconds", "Time since the last backup.", now, made_at)
        yield from self._process()

    def _process(self) -> Iterator[GaugeMetricFamily]:
        if self.pulse.last is not None:
            yield _gauge(
                "galloper_mailbox_up",
                "1 if the mailbox answered at the last check.",
                int(not self.pulse.last.trouble),
            )
        # A look that hangs keeps the last answer good: its age and the age of the last one show that.
        now, began_at = self.pulse.clock.now(), self.pulse.look_began_at
        yield _age("galloper_mailbox_look_under_way_seconds",
                   "Time since the current check of the mailbox began; 0 between checks.", now, began_at)
        yield _gauge("galloper_mailbox_login_refused", "1 while the mail server refuses the login.",
                     int(self.pulse.is_refused()))
        if self.pulse.good_at is not None:
            yield _age("galloper_mailbox_look_age_seconds",
                       "Time since the last successful check of the mailbox.", now, self.pulse.good_at)
            yield _gauge(
                "galloper_mailbox_good_timestamp_seconds",
                "Time of the mailbox's last answer.",
                self.pulse.good_at.timestamp(),
            )
        try:
            yield _gauge(
                "galloper_disk_free_bytes",
                "Room left under the data folder.",
                shutil.disk_usage(self.data).free,
            )
        # Health states that the data folder cannot be looked at; the other numbers still count.
        except OSError:
            return


@dataclass(frozen=True, slots=True, eq=False)
class _Site(Collector):
    metrics: Metrics

    def collect(self) -> Iterator[GaugeMetricFamily]:
        return self.metrics.families()


def _gauge(name: str, help_text: str, value: float | None) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, help_text, value=float(value or 0))


def _age(name: str, help_text: str, now: datetime, since: datetime | None) -> GaugeMetricFamily:
    return _gauge(name, help_text, 0 if since is None else max(0.0, (now - since).total_seconds()))


def _by_state(
    session: Session, name: str, help_text: str, column: InstrumentedAttribute[str], states: type[StrEnum]
) -> GaugeMetricFamily:
    """How many rows are in each state, 0 included."""
    counts = dict(session.execute(select(column, func.count()).group_by(column)).all())
    family = GaugeMetricFamily(name, help_text, labels=["state"])
    # A state without rows counts 0: a line that comes and goes breaks alert rules.
    for state in states:
        family.add_metric([state.value], float(counts.get(state.value, 0)))
    return family
