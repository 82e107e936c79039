"""Sixty mails while everything is killed at random: each is taken in once and worked on once."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import func, select

from service.store.tables import EventRow, MailRow, MailState
from tests.support.mails import simple, wait_for
from tests.support.servers.dovecot import Dovecot
from tests.support.site import Site

ROOT = Path(__file__).parents[2]


def start(site: Site, server: Dovecot) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tests.support.processes.mailroom_child",
            site.url,
            str(site.blobs.root),
            str(server.imap),
        ],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def end(room: subprocess.Popen[bytes]) -> None:
    _, error = room.communicate(timeout=120)
    assert room.returncode == 0, error.decode()[-2000:]


def kill(room: subprocess.Popen[bytes]) -> None:
    room.kill()
    room.communicate()


@contextmanager
def to_its_end(site: Site, server: Dovecot) -> Iterator[None]:
    """A mail room that ends by itself after the awaited event, or by force if that fails."""
    room = start(site, server)
    try:
        yield
        end(room)
    finally:
        # One left over would work on the jobs of the next test on the same cluster, which then failed in its
        # stead.
        if room.poll() is None:
            kill(room)


def state(site: Site) -> tuple[int, int, int]:
    """Mails stored, mails with an end, and the most often any one was worked on."""
    with site.store() as session:
        stored = session.scalar(select(func.count()).select_from(MailRow)) or 0
        used = (
            session.scalar(select(func.count()).select_from(MailRow).where(MailRow.state == MailState.USED))
            or 0
        )
        worked = Counter(
            e["mail"] for e in session.scalars(select(EventRow.detail).where(EventRow.what == "worked"))
        )
    return stored, used, max(worked.values(), default=0)


def storm(site: Site, server: Dovecot, mails: int, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    raws = [simple(n, size=chance.randrange(0, 150_000)) for n in range(mails)]
    waiting = list(raws)
    for number in range(kills):
        room = start(site, server)
        for _ in range(max(1, mails // kills)):
            if waiting:
                server.deliver(waiting.pop())
        # Long enough to begin with a mail, too short to be done with all.
        time.sleep(chance.uniform(0.5, 1.6))
        # Once the mail server dies as well, in the middle of the storm.
        if number == kills // 2:
            server.kill()
            time.sleep(0.3)
            server.start()
        kill(room)
    for raw in waiting:
        server.deliver(raw)

    with to_its_end(site, server):
        assert wait_for(lambda: state(site)[1] >= mails, 60)
    assert state(site) == (mails, mails, 1)
    assert server.contents() == []

    raw_mails = server.contents("Galloper")
    # A new UIDVALIDITY: every UID the site knows has lost its meaning, and the same mails come again.
    server.rebuild()
    for raw in raw_mails:
        server.append(raw)
    with to_its_end(site, server):
        assert wait_for(lambda: server.contents() == [], 60)
    assert state(site) == (mails, mails, 1)


@pytest.mark.slow
def test_a_few_kills_lose_and_double_nothing(site: Site, dovecot: Dovecot) -> None:
    storm(site, dovecot, mails=6, kills=2, seed=1)


@pytest.mark.slow
def test_sixty_mails_and_twenty_kills(any_site: Site, dovecot: Dovecot) -> None:
    storm(any_site, dovecot, mails=60, kills=20, seed=2)
