"""The parts and sizes of `galloper bench storm`. Loads nothing heavy: the command line always reads it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class StormPart(StrEnum):
    """What may be measured alone."""

    KILL = "kill"
    REFUSED = "refused"
    DEADLINE = "deadline"
    RATE = "rate"
    SOAK = "soak"


class Database(StrEnum):
    """The kind of database. PostgreSQL is a throw-away cluster and needs the server's binaries."""

    SQLITE = "sqlite"
    POSTGRES = "postgres"


@dataclass(frozen=True, slots=True)
class StormSizes:
    """How large a storm is."""

    # The kill storm, and that of refusals, where `kills` counts the hindrances.
    mails: int = 500
    kills: int = 100
    # The deadline: `games` close in the same second, and are compared with `few_games`.
    games: int = 200
    few_games: int = 10
    # The rate of taking mails in, each with a photograph of `photo_bytes` bytes.
    rate_mails: int = 1000
    photo_bytes: int = 2_000_000
    # The soak: minutes of traffic with a mail every `mail_seconds`. All of it, the site's clock too, passes
    # `pace` times as fast.
    minutes: float = 30.0
    pace: float = 1.0
    soak_games: int = 50
    # Fifty games of ten powers have sent theirs in less than twenty minutes.
    mail_seconds: float = 2.0
    # Chooses the instants at which processes are killed.
    seed: int = 1
