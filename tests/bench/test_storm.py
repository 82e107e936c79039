"""`galloper bench storm`, small: nothing lost or doubled by kills, each phase judged once, figures as JSON
lines."""

from __future__ import annotations

import io
import json

import pytest

from bench.servers.postgres import binaries
from bench.storm import run
from bench.storm.parts import Database, StormPart, StormSizes

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
SMALL = StormSizes(mails=20, kills=6, games=3, few_games=1, rate_mails=10, minutes=0.5, soak_games=4)
DATABASES = [Database.SQLITE, *([Database.POSTGRES] if binaries() else [])]


def figures(part: StormPart, database: Database) -> dict[str, float]:
    out, progress = io.StringIO(), io.StringIO()
    assert run.run([part], [database], SMALL, out, progress) == 0, progress.getvalue()
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    return {row["what"].rpartition(": ")[2]: row["value"] for row in rows}


@pytest.mark.parametrize("kept_in", DATABASES)
def test_kills_lose_and_double_nothing(kept_in: Database) -> None:
    """Faults 5 to 7, 22 and 34, all at random points: 500 mails and 100 kills where the bench runs in
    full."""
    counts = figures(StormPart.KILL, kept_in)
    assert (
        counts["mails stored"]
        == counts["mails at their end, used"]
        == counts["receipts that arrived"]
        == SMALL.mails
    )
    assert counts["receipts that arrived twice, unmarked"] == 0
    assert counts["mails left in the mailbox"] == 0


@pytest.mark.parametrize("kept_in", DATABASES)
def test_what_is_slow_or_says_no_loses_and_doubles_nothing(kept_in: Database) -> None:
    """Faults 1, 26, 27, 28 and 30 in any order: the relay refuses or is slow, the database is held for longer
    than anybody waits, the mailbox refuses, the disk is full, the clock is put back."""
    counts = figures(StormPart.REFUSED, kept_in)
    assert counts["hindrances met"] == SMALL.kills
    assert (
        counts["mails stored"]
        == counts["mails at their end, used"]
        == counts["receipts that arrived"]
        == SMALL.mails
    )
    assert counts["receipts that arrived twice"] == counts["mails left in the mailbox"] == 0


@pytest.mark.parametrize("kept_in", DATABASES)
def test_games_that_close_in_one_second_are_judged_once_and_told(kept_in: Database) -> None:
    """The bench itself refuses to give a figure where a phase was judged twice or a player has no results."""
    counts = figures(StormPart.DEADLINE, kept_in)
    assert counts["all letters in the outbox"] >= counts["all judged"] > 0
    assert ("two workers beside one" in counts) is (kept_in is Database.POSTGRES)


def test_taking_in_is_timed_beside_a_bare_loop() -> None:
    measured = figures(StormPart.RATE, Database.SQLITE)
    assert measured["mails taken in, median round"] > 0
    assert measured["mails fetched by a bare IMAPClient loop, median round"] > 0
    # The limit. It does not grow with the number of mails, so a few show it.
    assert measured["peak memory of the process that takes in"] < 200


def test_a_soak_leaves_no_file_or_connection_open() -> None:
    measured = figures(StormPart.SOAK, Database.SQLITE)
    # a letter may be on its way when it ends
    assert measured["open files more at the end than at half time"] <= 3
    assert measured["mails without an end"] == 0
