"""Fixtures shared by all tests: a site in a folder, and real servers on loopback."""

from __future__ import annotations

import gc
import io
import logging
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import sqlalchemy
import typer.main
from anyio.from_thread import start_blocking_portal
from argon2 import PasswordHasher
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

from bench.desk import browser as desk_browser
from demo.mail_server import DemoMailServer
from service.operations import logs
from service.pictures.drawing import render
from service.pictures.drawing.vector_form import VectorForm
from service.store import engine
from service.store.engine import migrate
from service.web import sessions
from tests.support.public_site import visitor
from tests.support.servers.dovecot import Dovecot
from tests.support.servers.postgres import Postgres, binaries, copy_of
from tests.support.servers.smtp_sink import SmtpSink
from tests.support.site import Site, make_site
from tests.support.table import Table, open_table

# A collector that looks 300 times less often: the tests make many short-lived rows and trees, hardly a cycle,
# and the looking was an eighth of their processor time (`tests/service/desk/games`: 92 s became 82 s).
gc.set_threshold(200_000, 20, 100)

# No test is timed: on a busy machine an example of 0.2 ms took 264.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


# Every desk of a test has a person with a password; at the real cost they took a tenth of the suite's
# processor time. `test_a_copied_database_gives_passwords_slowly` looks at the cost that is shipped.
sessions.HASHER = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)


# Statements are compiled for a dialect and kept with an engine, of which each test has its own: every fifth
# statement was compiled again, a twelfth of the processor time of `tests/service/desk/test_quarantine.py`.
# Dialects of SQLite are alike in one process, so all engines share what was compiled.
_COMPILED = LRUCache[Any, Any](5_000)


def _create_engine(*args: Any, **options: Any) -> Engine:
    created = sqlalchemy.create_engine(*args, **options)
    created.update_execution_options(compiled_cache=_COMPILED)
    return created


SQLiteDialect_pysqlite.__hash__ = lambda self: hash(type(self))  # type: ignore[method-assign]
SQLiteDialect_pysqlite.__eq__ = lambda self, other: type(self) is type(other)  # type: ignore[method-assign]
engine.create_engine = _create_engine  # type: ignore[attr-defined]


_PDFS: OrderedDict[tuple[str, str, bool], bytes] = OrderedDict()
_write_pdf = render.write_pdf


def _write_pdf_once(pages_html: str, forms: Sequence[VectorForm | None], has_fields: bool) -> bytes:
    """The PDF of the same document as before, or a new one."""
    key = (pages_html, repr(forms), has_fields)
    if key not in _PDFS:
        _PDFS[key] = _write_pdf(pages_html, forms, has_fields)
        if len(_PDFS) > 40:
            _PDFS.popitem(last=False)
    return _PDFS[key]


# The games of a file are alike, and each was laid out again: 34 of the 55 seconds that PDF took in three
# files of letters were spent on documents made before.
render.write_pdf = _write_pdf_once


# The commands of the program were built again for each call, a seventieth of the suite's processor time.
typer.main.get_command = cache(typer.main.get_command)


@pytest.fixture(scope="session", autouse=True)
def _one_event_loop() -> Iterator[None]:
    """One event loop for the requests of all tests: each began a thread and a separate loop, a fifth of its
    processor time."""
    with start_blocking_portal() as portal:
        TestClient.portal = portal
        yield
        TestClient.portal = None


_SLOW_FOLDERS = tuple(Path(__file__).parent / name for name in ("bench", "tools", "training"))
"""Tests of what no site runs: `make test-slow` has them, whatever time they take."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests of `_SLOW_FOLDERS` slow."""
    if any(item.path.is_relative_to(folder) for folder in _SLOW_FOLDERS):
        item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of every later look."""
    gc.freeze()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`any_site` runs on SQLite, and also on PostgreSQL where its server is installed. Where the file states
    `SLOW_ON_POSTGRES`, the latter is left to the slow suite."""
    if "database" in metafunc.fixturenames:
        slow = [pytest.mark.slow] if getattr(metafunc.module, "SLOW_ON_POSTGRES", False) else []
        on_postgres = [pytest.param("postgres", marks=[pytest.mark.postgres, *slow])] if binaries() else []
        metafunc.parametrize("database", ["sqlite", *on_postgres], scope="session")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with make_site(tmp_path) as new_site:
        yield new_site


@pytest.fixture
def table(site: Site) -> Table:
    """A game of the first board, open at its first phase; many files lay a table of their own."""
    return open_table(site)


@pytest.fixture
def client(site: Site) -> Iterator[TestClient]:
    """A browser of anybody's, at the public pages."""
    with visitor(site) as visitor_client:
        yield visitor_client


@pytest.fixture(scope="session")
def cluster() -> Iterator[Postgres]:
    server = Postgres().start()
    yield server
    server.stop()


@pytest.fixture
def database_url(database: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The address of an empty database of the kind at hand."""
    if database == "sqlite":
        return f"sqlite:///{tmp_path / 'galloper.sqlite'}"
    server: Postgres = request.getfixturevalue("cluster")
    return server.url()


@pytest.fixture
def any_site(database: str, database_url: str, tmp_path: Path) -> Iterator[Site]:
    on_postgres = database == "postgres"
    url = copy_of(database_url, "empty_site", migrate) if on_postgres else database_url
    with make_site(tmp_path, url, migrated=on_postgres) as empty_site:
        yield empty_site


@pytest.fixture
def dovecot() -> Iterator[Dovecot]:
    server = Dovecot().start()
    yield server
    server.remove()


@pytest.fixture
def dovecot_tls() -> Iterator[Dovecot]:
    server = Dovecot(tls=True).start()
    yield server
    server.remove()


@pytest.fixture
def smtp_sink() -> Iterator[SmtpSink]:
    sink = SmtpSink().start()
    yield sink
    sink.stop()


@pytest.fixture
def pymap_server() -> Iterator[DemoMailServer]:
    server = DemoMailServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """The log of a process that was set up; everything is put back afterwards."""
    root, dbos, hooks = logging.getLogger(), logging.getLogger("dbos"), (sys.excepthook, threading.excepthook)
    before = (list(root.handlers), root.level, list(dbos.handlers), dbos.propagate)
    levels = {name: logging.getLogger(name).level for name in logs.QUIET}
    stream = io.StringIO()
    logs.set_up(stream, logging.INFO)
    yield stream
    root.handlers, root.level, dbos.handlers, dbos.propagate = before
    sys.excepthook, threading.excepthook = hooks
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Any]:
    """The only one of this process, since a second one cannot start. Tests are skipped where Playwright or
    Chromium is missing."""
    yield from _open_or_skip(desk_browser.playwright())


@pytest.fixture(scope="session")
def chromium(playwright: Any) -> Iterator[Any]:
    yield from _open_or_skip(desk_browser.launched(playwright))


def _open_or_skip(opened: AbstractContextManager[Any]) -> Iterator[Any]:
    with ExitStack() as open_till_the_end:
        try:
            value = open_till_the_end.enter_context(opened)
        except desk_browser.NoBrowser as error:
            pytest.skip(str(error))
        yield value
