"""TRU-05: rows that were changed past the program and past its triggers are noticed and entered, before each
judging, on SQLite and PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, text
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.record import chain, live
from service.record.live import How
from tests.support import keeper
from tests.support.keeper import VICTIM
from tests.support.played import played
from tests.support.site import Site


@contextmanager
def without_triggers(site: Site) -> Iterator[Connection]:
    """A transaction in which nothing is noted; afterwards the triggers are as they were."""
    with site.engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SET LOCAL session_replication_role = replica"))
            yield connection
            return
        triggers = connection.execute(
            text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")).all()
        for name, _ in triggers:
            connection.execute(text(f"DROP TRIGGER {name}"))
        yield connection
        for _, words in triggers:
            connection.exec_driver_sql(words)


def differing(site: Site, game: str) -> set[tuple[How, str]]:
    with site.store() as session:
        return {(each.how, each.kind) for each in live.differences(session, game, frozenset())}


CHANGES = {
    "UPDATE submissions SET version = 7 WHERE id = 1": (How.CHANGED, "sheet"),
    "UPDATE lines SET order_text = 'A Perth H' WHERE id = 1": (How.CHANGED, "reading"),
    "UPDATE mails SET received_at = stored_at, reason = 'x'": (How.CHANGED, "mail"),
    "UPDATE phases SET deadline = opens_at WHERE ordinal = 4": (How.CHANGED, "phase"),
    "UPDATE phases SET commitment = 'b' WHERE ordinal = 4": (How.CHANGED, "phase"),
    "UPDATE phases SET resolution = position WHERE ordinal = 1": (How.CHANGED, "judged"),
    "UPDATE games SET options = '{\"first_counts\": true}'": (How.CHANGED, "game"),
    "UPDATE seats SET player_id = (SELECT MIN(player_id) FROM seats)": (How.CHANGED, "seat"),
    "UPDATE events SET actor = 'nobody' WHERE what = 'phase_judged'": (How.CHANGED, "event"),
    "UPDATE reviews SET decision = 'read' WHERE id = 1": (How.CHANGED, "decision"),
    "UPDATE outbox SET kind = 'welcome' WHERE id = 1": (How.CHANGED, "letter"),
    "DELETE FROM events WHERE what = 'phase_judged'": (How.DELETED, "event"),
    "DELETE FROM outbox WHERE id = 1": (How.DELETED, "letter"),
    "UPDATE record SET body = replace(body, '12 St', '13 St') WHERE number > 5": (How.CHAIN, "entry"),
    "UPDATE record_heads SET number = number - 1": (How.CHAIN, "entry"),
    "UPDATE record SET salt = leaf WHERE number = 9": (How.CHAIN, "entry"),
}
"""What is written by hand, and how it is seen."""


def test_what_was_written_past_the_triggers_is_seen(any_site: Site) -> None:
    """An untouched game differs nowhere; each of these changes is seen, and nothing else."""
    table = played(any_site)
    assert differing(any_site, table.game) == set()
    for statement, difference in CHANGES.items():
        with any_site.engine.connect() as connection:
            undone = connection.begin()
            if connection.dialect.name == "sqlite":  # its driver begins no transaction for DROP
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            _past_triggers(connection, statement)
            with Session(bind=connection) as session:
                noted = live.differences(session, table.game, frozenset())
            undone.rollback()
        rows = [each for each in noted if each.how is not How.TRIGGER]
        # The body of an entry states otherwise than its row, too.
        kinds = {(each.how, each.kind) for each in rows} - {(How.CHANGED, "aside")}
        assert kinds == {difference}, (statement, rows)
        assert all(each.sentence for each in noted)
    assert differing(any_site, table.game) == set()


def _past_triggers(connection: Connection, statement: str) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL session_replication_role = replica"))
    else:
        for name in connection.execute(
            text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).scalars().all():
            connection.execute(text(f"DROP TRIGGER {name}"))
    connection.exec_driver_sql(statement)


def test_a_missing_trigger_and_a_row_that_was_put_in_are_seen(any_site: Site) -> None:
    table = played(any_site)
    with without_triggers(any_site) as connection:
        connection.exec_driver_sql(
            "INSERT INTO posted (id, phase_id, power, received, made_at, made_by) "
            "SELECT 77, id, 'Argyll', '2027-01-01', opens_at, 'Ada' FROM phases WHERE ordinal = 2")
    assert differing(any_site, table.game) == {(How.ADDED, "posted")}
    with any_site.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM posted WHERE id = 77")
        connection.exec_driver_sql("DROP TRIGGER record_14" + (
            " ON reviews" if connection.dialect.name == "postgresql" else ""))
    assert (How.TRIGGER, "trigger") in differing(any_site, table.game)


def test_a_difference_is_entered_before_the_judging_and_told(tmp_path: Path) -> None:
    """The version of a sheet is exchanged past the triggers: its results name the entry, and both checkers
    call it a fault."""
    keeper.start(tmp_path)
    with keeper.opened(tmp_path / "site", tmp_path / "closed") as table:
        with without_triggers(table.site) as connection:
            connection.exec_driver_sql("UPDATE submissions SET flags = '[\"chosen\"]' WHERE id = 1")
        keeper.go_on(table)
        with table.site.store() as session:
            bodies = [(row.number, json.loads(row.body)) for row in chain.entries(session, table.game)]
        events = [number for number, body in bodies
                  if body["what"] == "event" and body["tells"]["event"] == Event.CHANGED_BY_HAND]
        judged = max(number for number, body in bodies if body["what"] == "judged")
        shown = keeper.evidence(table)
    assert events
    assert max(events) < judged
    results = next(data for name, data in shown.letters[VICTIM].items() if "final" in name)
    assert b"changed in the database by hand" in results.replace(b"=\r\n", b"").replace(b"\r\n", b" ")
    for name, check in (("galloper", keeper.galloper(tmp_path / "g")),
                        ("tool", keeper.independent(tmp_path / "t"))):
        alarm, _ = check(shown.whole, shown.shown((VICTIM,)))
        assert "rule C" in alarm, name
