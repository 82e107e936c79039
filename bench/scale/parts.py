"""The parts and sizes of `galloper bench scale`. Loads nothing heavy: the command line always reads it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

READ_SECONDS = 2.7
"""Processor seconds of a sheet (docs/scaling.md, `galloper read`)."""


class ScalePart(StrEnum):
    """What may be measured alone."""

    CLOSING = "closing"
    WORKERS = "workers"
    SEASON = "season"
    JOBS = "jobs"


class Arrivals(StrEnum):
    """How mails come before a deadline."""

    INVERSE = "inverse"
    """As registrations for two conferences came: the less time is left, the more likely, in proportion to
    its inverse (Alfi, Parisi and Pietronero, Nature Physics 3, 746, 2007), down to a minute before."""
    SHARES = "shares"
    """Evenly over the season, but for a share on the last day and one in the last hour."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large it is. `games`: of the sites of a season; `closing`, `mails` and `approved` are measured on
    each. `at_once` games close at one moment, with so many `processes`, on a site of `around` games more.
    `sheets` are read by each number of workers, each held to a `share` of a core. `jobs` without work go
    through the queue. `read_seconds`: processor
    seconds of a sheet. `arrivals`: how mails come; with `SHARES`, the share of the last day, and of the last
    hour."""

    games: tuple[int, ...] = (100, 1000)
    closing: int = 20
    mails: int = 10
    approved: int = 4
    read_seconds: float = READ_SECONDS
    at_once: int = 100
    around: int = 0
    processes: int = 2
    sheets: int = 40
    share: float = 0.5
    jobs: int = 200
    arrivals: tuple[Arrivals, ...] = (Arrivals.INVERSE, Arrivals.SHARES)
    last_day: float = 0.5
    last_hour: float = 0.2
