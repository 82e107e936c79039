"""`galloper bench storm` exits with 1 if a storm lost or doubled something: no one reads every figure."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest

from bench.servers.dovecot import Dovecot
from bench.storm import kill, run
from bench.storm.kill import KillCount, loss_sentences
from bench.storm.parts import Database, StormPart, StormSizes
from bench.storm.site import StormSite

WHOLE = KillCount(stored=60, used=60, receipts=60, twice=1, unmarked=0, waiting=0, others="")


def test_a_storm_in_which_each_mail_ended_once_has_no_fault() -> None:
    """Fault 34: a receipt that came twice and is marked so is allowed."""
    assert loss_sentences(WHOLE, 60) == []


@pytest.mark.parametrize(
    ("count", "sentence"),
    [
        (replace(WHOLE, stored=59), "59 of 60 mails are stored"),
        (replace(WHOLE, stored=61), "61 of 60 mails are stored"),
        (replace(WHOLE, used=57, others="3 quarantined: could_not_be_handled"),
         "57 of 60 mails were used (3 quarantined: could_not_be_handled)"),
        (replace(WHOLE, receipts=57), "57 of 60 receipts arrived"),
        (replace(WHOLE, unmarked=1), "1 receipts arrived twice and are not marked"),
        (replace(WHOLE, waiting=2), "2 mails are left in the mailbox"),
        (replace(WHOLE, deadlines=3, judged=2), "2 of 3 games were closed and judged once"),
    ],
)
def test_what_is_lost_or_doubled_is_named(count: KillCount, sentence: str) -> None:
    """Fault 7."""
    assert loss_sentences(count, 60) == [sentence]


@pytest.mark.slow
def test_a_storm_that_lost_a_mail_prints_its_figures_and_says_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def lose_one(site: StormSite, server: Dovecot, _sizes: StormSizes, _rooms: int) -> None:
        server.deliver(kill.mails_of(site, 2)[0])

    monkeypatch.setattr(kill, "_storm", lose_one)
    monkeypatch.setattr(kill, "FINISH_SECONDS", 20.0)
    out, progress = io.StringIO(), io.StringIO()
    assert run.run([StormPart.KILL], [Database.SQLITE], StormSizes(mails=2, kills=1), out, progress) == 1
    values = {
        row["what"].rpartition(": ")[2]: row["value"] for row in map(json.loads, out.getvalue().splitlines())
    }
    assert values["mails stored"] == 1
    assert "1 of 2 mails are stored" in progress.getvalue()
