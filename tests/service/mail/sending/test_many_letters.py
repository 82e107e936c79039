"""Letters leave over several connections, by rank, and nothing twice (SCA-04).

A provider counts the connections of an account, so those of a site are shared by its processes.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from datetime import UTC, datetime, timedelta

from sqlalchemy import select, update

from service.mail.sending.compose import Rank
from service.mail.sending.connections import LEASE, RENEW_SECONDS, Connections
from service.mail.sending.outbox import OutLetter, put, send_due
from service.mail.sending.smtp import MailEnvelope, ServerUnavailable
from service.store.tables import LeaseRow, OutboxRow, OutboxState
from tests.support.site import Site
from tests.support.table import KINDS

LETTERS, CONNECTIONS = 40, 4


class NotedRelay:
    """A relay that notes what it is handed, and which threads hand over; with `fails_at` it goes away."""

    def __init__(self, fails_at: int = -1, seconds: float = 0.0) -> None:
        self.handed: list[str] = []
        self.threads: set[str] = set()
        self.open, self.peak = 0, 0
        self.fails_at, self.seconds = fails_at, seconds
        self.lock = threading.Lock()

    def send(self, envelope: MailEnvelope) -> None:
        with self.lock:
            self.open += 1
            self.peak = max(self.peak, self.open)
        time.sleep(self.seconds)
        with self.lock:
            self.open -= 1
            if len(self.handed) == self.fails_at:
                raise ServerUnavailable("The relay is away.")
            self.handed.append(envelope.message_id)
            self.threads.add(threading.current_thread().name)

    def close(self) -> None:
        """Keeps no connection."""


def write(site: Site, *kinds: str) -> None:
    with site.store.begin() as session:
        for number, kind in enumerate(kinds):
            letter = OutLetter(f"{kind}/{number}", kind, f"p{number}@players.example", "S", "T",
                               rank=KINDS.by_name[kind].rank if kind in KINDS.by_name else Rank.USUAL)
            put(session, site.blobs, letter, sender="G <orders@galloper.example>", now=site.clock.now())


def send(site: Site, relay: NotedRelay, connections: int = 1, per_minute: int = 0) -> str:
    return send_due(site.store, site.blobs, relay, site.clock, sender="G <orders@galloper.example>",
                    connections=Connections(site.store, connections, per_minute)).down


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
    relay = NotedRelay(seconds=0.05)
    rounds = [threading.Thread(target=send, args=(any_site, relay, CONNECTIONS)) for _ in range(2)]
    for thread in rounds:
        thread.start()
    for thread in rounds:
        thread.join()
    assert sorted(Counter(relay.handed).values()) == [1] * LETTERS
    assert {row.state for row in rows(any_site)} == {OutboxState.SENT}
    # Both together have no more than the site's, and leave no lease behind.
    assert 1 < relay.peak <= CONNECTIONS
    with any_site.store() as session:
        assert session.scalars(select(LeaseRow)).all() == []


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


def end_leases(site: Site, by: timedelta) -> None:
    with site.store.begin() as session:
        session.execute(update(LeaseRow).values(ends_at=datetime.now(UTC) + by))


def test_processes_share_the_connections_of_the_site(any_site: Site) -> None:
    """SCA-04: who gets none hands over nothing; what a killed process had is free in seconds."""
    first, second = (Connections(any_site.store, 3) for _ in range(2))
    had, others = first.take(2), second.take(5)
    assert [len(had), len(others), len(first.take(1))] == [2, 1, 0]
    assert len({connection.name for connection in (*had, *others)}) == 3
    write(any_site, "receipt")
    relay = NotedRelay()
    send(any_site, relay, 3)
    assert relay.handed == []
    second.give_back(others)
    send(any_site, relay, 3)
    assert len(relay.handed) == 1
    end_leases(any_site, -timedelta(seconds=1))
    assert len(second.take(5)) == 3
    first.renew(had)
    assert all(connection.is_lost.is_set() for connection in had)


def test_a_connection_that_another_process_has_by_now_is_not_used_again(site: Site) -> None:
    """A process that was frozen for longer than its lease stops after the letter in its hands."""
    write(site, *["receipt"] * 6)

    class Frozen(NotedRelay):
        def send(self, envelope: MailEnvelope) -> None:
            super().send(envelope)
            if len(self.handed) == 1:
                end_leases(site, -timedelta(seconds=1))
                assert len(Connections(site.store).take(1)) == 1
                time.sleep(RENEW_SECONDS * 1.5)

    relay = Frozen()
    send(site, relay)
    assert len(relay.handed) == 1


def test_a_connection_that_a_wrong_clock_kept_far_ahead_is_free(any_site: Site) -> None:
    Connections(any_site.store).take(1)
    # A moment later than any that this process would write: from another that asked just after it.
    end_leases(any_site, LEASE + timedelta(seconds=2))
    assert Connections(any_site.store).take(1) == []
    end_leases(any_site, LEASE * 3)
    assert len(Connections(any_site.store).take(1)) == 1


def test_two_processes_together_keep_the_pace_of_the_site(any_site: Site) -> None:
    """SCA-04: 600 a minute are ten a second, no matter who hands them over and in however many rounds."""
    write(any_site, *["receipt"] * 9)
    relay, begun = NotedRelay(), time.monotonic()
    rounds = [threading.Thread(target=send, args=(any_site, relay, 2, 600)) for _ in range(2)]
    for thread in rounds:
        thread.start()
    for thread in rounds:
        thread.join()
    # On two connections the ninth has four before it, each 0.2 seconds.
    assert len(relay.handed) == 9
    assert time.monotonic() - begun >= 0.8


def test_nobody_gets_a_connection_before_its_pace_allows_the_next_letter(any_site: Site) -> None:
    slow = Connections(any_site.store, 1, 2)
    [connection] = slow.take(1)
    connection.count_letter()
    slow.give_back([connection])
    assert Connections(any_site.store, 1, 2).take(1) == []
    # Half a minute, which no lease lasts: it is the pace, and no wrong clock.
    end_leases(any_site, timedelta(seconds=29))
    assert Connections(any_site.store, 1, 2).take(1) == []
