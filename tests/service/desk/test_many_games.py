"""Pages of many games and years: how often they ask the database does not grow with either."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Engine, event

from bench.desk import history
from tests.support.desk_table import DeskTable, open_desk
from tests.support.site import NOON, Site
from tests.support.table import open_table

GROWING = ("outbox", "lines", "reviews", "pages", "submissions")
"""Tables with a row for every letter, line or paper of every year, of which no page of today may look at each
row."""


@pytest.fixture
def desk(site: Site) -> DeskTable:
    return open_desk(open_table(site))


def fill(site: Site, number: int) -> None:
    """One more game with a year behind it."""
    with site.store.begin() as session:
        history.fill(session, number, 1, "w3k", NOON)


@contextmanager
def asked(site: Site) -> Iterator[list[tuple[str, Any]]]:
    """The questions asked meanwhile, each with its values."""
    queries: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, values: Any, *_more: Any) -> None:
        queries.append((statement, values))

    engine = site.store.kw["bind"]
    assert isinstance(engine, Engine)
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield queries
    finally:
        event.remove(engine, "before_cursor_execute", note)


def test_today_asks_as_often_for_three_games_as_for_one(desk: DeskTable) -> None:
    counts = []
    for number in range(1, 4):
        with asked(desk.table.site) as queries:
            assert "Sealed until" in desk.text("/")
        counts.append(len(queries))
        fill(desk.table.site, number)
    # It was 120 questions with 20 games and 10 years: some for each game.
    assert len(set(counts)) == 1, counts


@pytest.mark.parametrize("path", ["/", "/letters", "/desk/{phase}"])
def test_no_page_reads_every_row_of_what_grows_with_the_years(desk: DeskTable, path: str) -> None:
    """By SQLite's own plan for each question: an index is searched, or run along, but no table from end to
    end."""
    site = desk.table.site
    fill(site, 1)
    with asked(site) as queries:
        desk.page(path.format(phase=desk.table.phase().id))
    with site.store() as session:
        connection = session.connection()
        for statement, values in [query for query in queries if query[0].startswith("SELECT")]:
            for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values):
                step = str(row[3])
                reads_all = step.startswith("SCAN") and "USING" not in step and step.split()[1] in GROWING
                # The newest letters are read from the end of the table and stop at their limit.
                assert not reads_all or "ORDER BY outbox.id DESC" in statement, (step, statement)
