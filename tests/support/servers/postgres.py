"""The throw-away PostgreSQL cluster of the benches under the name that tests know; copies of databases."""

from __future__ import annotations

from collections.abc import Callable

import psycopg

from bench.servers.postgres import Postgres, binaries

__all__ = ["Postgres", "binaries", "copy_of"]

COPY = "copied_for_one_test"
_prepared: set[str] = set()


def copy_of(url: str, name: str, prepare: Callable[[str], None]) -> str:
    """The address of a fresh copy of the database `name` in the cluster of `url`.

    `prepare` fills that database when it is asked for the first time, and must leave no connection open. Each
    call drops the copy that was handed out before.
    """
    template = _address(url, name)
    if template not in _prepared:
        _run(url, f"create database {name}")
        prepare(template)
        _prepared.add(template)
    # PostgreSQL copies the files in a sixth of the time that the migrations take.
    _run(
        url,
        f"drop database if exists {COPY} with (force)",
        f"create database {COPY} template {name} strategy file_copy",
    )
    return _address(url, COPY)


def _address(url: str, database: str) -> str:
    return url.replace("/postgres?", f"/{database}?")


def _run(url: str, *statements: str) -> None:
    # No one may be connected to a database that is copied, so the statements come from a third one.
    with psycopg.connect(_address(url, "template1"), autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)
