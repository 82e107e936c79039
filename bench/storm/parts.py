"""The parts and sizes of `galloper bench storm`, apart from what measures them, so that the command line
loads nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class StormPart(StrEnum):
    """What may be measured by itself."""

    KILL = "kill"
    DEADLINE = "deadline"
    RATE = "rate"
    SOAK = "soak"


class Database(StrEnum):
    """Where a site's tables lie. PostgreSQL is a throw-away cluster and needs its server's binaries."""

    SQLITE = "sqlite"
    POSTGRES = "postgres"


@dataclass(frozen=True, slots=True)
class StormSizes:
    """How large a storm is. `minutes` of traffic in the soak, which passes `pace` times as fast; `games`
    close in the same second and are compared with `few_games`; `rate_mails` with photographs of `photo_bytes`
    each. `seed` chooses the points at which processes are killed."""

    mails: int = 500
    kills: int = 100
    games: int = 200
    few_games: int = 10
    rate_mails: int = 1000
    photo_bytes: int = 2_000_000
    minutes: float = 30.0
    pace: float = 1.0
    soak_games: int = 50
    seed: int = 1
