"""Letters leave over several connections, by rank, and nothing twice (SCA-04)."""

from __future__ import annotations

import threading
import time
from collections import Counter
from datetime import timedelta

import pytest
from sqlalchemy import select

from service.mail.sending.outbox import OutLetter, Pace, put, send_due
from service.mail.sending.smtp import MailEnvelope, ServerUnavailable
from service.store.tables import OutboxRow, OutboxState
from tests.support.site import Site

LETTERS, CONNECTIONS = 40, 4


class NotedRelay:
    """A relay that notes what it is handed, and which threads hand over; with `fails_at` it goes away."""

    def __init__(self, fails_at: int = -1, seconds: float = 0.0) -> None:
        self.handed: list[str] = []
        self.threads: set[str] = set()
        self.closed = 0
        self.fails_at, self.seconds = fails_at, seconds
        self.lock = threading.Lock()

    def send(self, envelope: MailEnvelope) -> None:
        time.sleep(self.seconds)
        with self.lock:
            if len(self.handed) == self.fails_at:
                raise ServerUnavailable("The relay is away.")
            self.handed.append(envelope.message_id)
            self.threads.add(threading.current_thread().name)

    def close(self) -> None:
        with self.lock:
            self.closed += 1


def write(site: Site, *kinds: str) -> None:
    with site.store.begin() as session:
        for number, kind in enumerate(kinds):
            letter = OutLetter(f"{kind}/{number}", kind, f"p{number}@players.example", "S", "T")
            put(session, site.blobs, letter, sender="G <orders@galloper.example>", now=site.clock.now())


def send(site: Site, relay: NotedRelay, connections: int = 1, pace: Pace | None = None) -> str:
    return send_due(site.store, site.blobs, relay, site.clock, sender="G <orders@galloper.example>",
                    connections=connections, pace=pace).down


def rows(site: Site) -> list[OutboxRow]:
    with site.store() as session:
        return list(session.scalars(select(OutboxRow).order_by(OutboxRow.id)))


def test_what_a_clock_runs_for_leaves_before_maps(site: Site) -> None:
    write(site, "year_end_results", "final_results", "receipt", "retreat_request", "some_other", "receipt")
    relay = NotedRelay()
    send(site, relay)
    kind_of = {row.message_id: row.kind for row in rows(site)}
    assert [kind_of[message_id] for message_id in relay.handed] == [
        "retreat_request", "receipt", "receipt", "some_other", "final_results", "year_end_results"]


def test_two_rounds_of_several_connections_send_each_letter_once(any_site: Site) -> None:
    write(any_site, *["receipt"] * LETTERS)
    relay = NotedRelay(seconds=0.01)
    rounds = [threading.Thread(target=send, args=(any_site, relay, CONNECTIONS)) for _ in range(2)]
    for thread in rounds:
        thread.start()
    for thread in rounds:
        thread.join()
    assert sorted(Counter(relay.handed).values()) == [1] * LETTERS
    assert {row.state for row in rows(any_site)} == {OutboxState.SENT}
    assert len(relay.threads) > 1
    assert relay.closed == 2 * CONNECTIONS


def test_a_relay_that_goes_away_stops_every_connection_and_each_letter_keeps_its_place(site: Site) -> None:
    write(site, *["receipt"] * LETTERS)
    relay = NotedRelay(fails_at=5)
    assert send(site, relay, CONNECTIONS) == "The relay is away."
    queued = [row for row in rows(site) if row.state == OutboxState.QUEUED]
    assert len(queued) == LETTERS - len(relay.handed)
    assert all(row.tries == 0 and not row.possibly_twice for row in queued)
    relay.fails_at = -1
    assert send(site, relay, CONNECTIONS) == ""
    assert sorted(Counter(relay.handed).values()) == [1] * LETTERS


def test_a_sender_killed_with_several_letters_claimed_leaves_each_marked(site: Site) -> None:
    """Killed between claim and answer on every connection: each letter goes once more and says so."""
    write(site, *["receipt"] * CONNECTIONS)
    with site.store.begin() as session:
        for row in session.scalars(select(OutboxRow)):
            row.state, row.tries = OutboxState.SENDING, 1
            row.claimed_until = site.clock.now() + timedelta(minutes=10)
    relay = NotedRelay()
    send(site, relay, CONNECTIONS)
    assert relay.handed == []
    site.clock.advance(timedelta(minutes=11))
    send(site, relay, CONNECTIONS)
    site.clock.advance(timedelta(minutes=6))
    send(site, relay, CONNECTIONS)
    assert sorted(Counter(relay.handed).values()) == [1] * CONNECTIONS
    assert all(row.possibly_twice for row in rows(site))


def test_a_pace_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    now, slept = [100.0], []
    monkeypatch.setattr("service.mail.sending.outbox.monotonic", lambda: now[0])
    monkeypatch.setattr("service.mail.sending.outbox.sleep", lambda pause: slept.append(round(pause, 3)))
    pace = Pace(per_minute=30)
    for _ in range(3):
        pace.wait()
    assert slept == [0.0, 2.0, 4.0]
    now[0] += 60.0
    pace.wait()
    assert slept[-1] == 0.0
