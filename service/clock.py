"""The time. Everything that depends on it takes a Clock as an argument; the simulated one is for the demo and
tests."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """A source of the present instant, always in UTC."""

    def now(self) -> datetime:
        """The present instant, with its zone set to UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The present instant in UTC."""
        return datetime.now(UTC)


class SimulatedClock:
    """A clock that changes only when it is set, forward or back. Safe to share between threads."""

    def __init__(self, start: datetime) -> None:
        """Set the clock to `start`. Raises ValueError if it has no zone."""
        self._lock = threading.Lock()
        self._now = _utc(start)

    def now(self) -> datetime:
        """The instant that was set, in UTC."""
        with self._lock:
            return self._now

    def set(self, instant: datetime) -> None:
        """Set the clock. Raises ValueError if `instant` has no zone."""
        moved = _utc(instant)
        with self._lock:
            self._now = moved

    def advance(self, step: timedelta) -> datetime:
        """Move the clock by `step`, back if it is negative; the new time."""
        with self._lock:
            self._now += step
            return self._now


def _utc(instant: datetime) -> datetime:
    if instant.tzinfo is None:
        raise ValueError(f"{instant.isoformat()} has no time zone; instants are given in UTC")
    return instant.astimezone(UTC)
