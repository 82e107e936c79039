"""Waiting for the site by its progress: as long as something advances, the demo waits and states for what."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import TypeVar

from sqlalchemy import Select, func, select

from adjudicator.errors import UserFacingError
from demo.teller import Teller
from service.store.engine import Store
from service.store.tables import (
    EventRow,
    LineRow,
    MailRow,
    MailState,
    OutboxRow,
    OutboxState,
    PhaseRow,
    PhaseState,
    ReviewRow,
    SubmissionRow,
    TableBase,
)

T = TypeVar("T")

SLOW_SECONDS = 20.0
"""Seconds without progress after which the visitor is informed that the machine is slow."""

STALL_SECONDS = 900.0
"""Seconds without any progress after which the demo gives up: a slow machine reads a sheet in two minutes."""

LOOK_SECONDS = 0.5
"""Between two looks at how far everything is."""

LEAST_FREE_BYTES = 20_000_000
"""With less the disk counts as full: the database and a letter with its pictures need as much."""


class DemoError(UserFacingError):
    """The demo did not come to its end; the words show why."""


def meanwhile(teller: Teller, doing: str, call: Callable[[], T]) -> T:
    """Call something that takes long, and move the line until it is over. Raises what it raises."""
    results: list[T] = []
    faults: list[BaseException] = []
    over = Event()

    def run() -> None:
        try:
            results.append(call())
        except BaseException as fault:
            faults.append(fault)
        finally:
            over.set()

    Thread(target=run, name="galloper-meanwhile", daemon=True).start()
    began = time.monotonic()
    while not over.wait(0.3):
        teller.move(f"{doing} ({time.monotonic() - began:.0f} s)")
    if faults:
        raise faults[0]
    return results[0]


@dataclass(slots=True)
class Patience:
    """Waits for events of a site. `check` raises what makes waiting useless, such as a dead mail server."""

    store: Store
    folder: Path
    teller: Teller
    check: Callable[[], None]
    _state: tuple[object, ...] = ()
    _advanced_at: float = field(default_factory=time.monotonic)
    _looked_at: float = 0.0
    _is_slowness_reported: bool = False

    def until(self, event: str, happened: Callable[[], bool], doing: Callable[[], str] | None = None) -> None:
        """Wait for an event. `doing` shows how far it is. Raises DemoError if nothing advances for long."""
        self._advanced_at = time.monotonic()
        began = self._advanced_at
        while not happened():
            self._look(event)
            now = time.monotonic()
            self.teller.move(f"{doing() if doing else 'waiting for ' + event} ({now - began:.0f} s)")
            time.sleep(0.1)

    def _look(self, event: str) -> None:
        now = time.monotonic()
        if now - self._looked_at < LOOK_SECONDS:
            return
        self._looked_at = now
        self.check()
        if shutil.disk_usage(self.folder).free < LEAST_FREE_BYTES:
            raise DemoError("the disk is full")
        state = progress(self.store)
        if state != self._state:
            self._state, self._advanced_at = state, now
        idle = now - self._advanced_at
        if idle > STALL_SECONDS:
            raise DemoError(f"it waited for {event}, without progress for {idle / 60:.0f} minutes")
        if idle > SLOW_SECONDS and not self._is_slowness_reported:
            self._is_slowness_reported = True
            self.teller.say(f"This machine is slow or busy: the demo waits for {event}. Nothing is lost, "
                            "and it continues by itself.", indent=2)


def progress(store: Store) -> tuple[object, ...]:
    """How far everything on a site is; equal twice only if nothing advanced."""
    counts = (
        _count(MailRow), _count(MailRow).where(MailRow.state != MailState.STORED),
        _count(SubmissionRow).where(SubmissionRow.read_at.is_not(None)), _count(LineRow), _count(ReviewRow),
        _count(OutboxRow), _count(OutboxRow).where(OutboxRow.state == OutboxState.SENT), _count(EventRow),
        _count(PhaseRow).where(PhaseRow.state == PhaseState.SENT),
        _count(PhaseRow).where(PhaseRow.state == PhaseState.READY),
    )
    with store() as session:
        return tuple(session.execute(select(*(count.scalar_subquery() for count in counts))).one())


def _count(table: type[TableBase]) -> Select[int]:
    return select(func.count()).select_from(table)
