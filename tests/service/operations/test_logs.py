"""What a site's programs say of themselves holds no order, no address and no secret, no matter who states
it."""

from __future__ import annotations

import io
import json
import logging
import sys
import threading
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from service.operations import logs
from tests.support.site import Site

SECRET = "Army London to Surrey"


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def test_a_line_says_when_how_bad_where_and_what(log: io.StringIO) -> None:
    logging.getLogger("service.jobs").warning("%s failed, try %d", "mail.1", 2)
    (line,) = lines(log)
    assert (line["level"], line["logger"], line["event"]) == (
        "warning",
        "service.jobs",
        "mail.1 failed, try 2",
    )
    assert line["at"].endswith("Z")


def test_an_exception_is_told_by_its_type_and_places_alone(log: io.StringIO) -> None:
    try:
        int(SECRET)
    except ValueError:
        logging.getLogger("service.games.turns").exception("phase 7 could not be judged")
    (line,) = lines(log)
    assert line["fault"] == "ValueError"
    assert line["places"][-1].endswith("test_an_exception_is_told_by_its_type_and_places_alone")
    # The text of an exception quotes what it failed on, here an order; so it is left out whatever it states.
    assert SECRET not in log.getvalue()


def test_a_chain_of_exceptions_brings_no_text_in(log: io.StringIO) -> None:
    cause, error = KeyError(SECRET), RuntimeError(f"because of {SECRET}")
    # Python prints the cause of an exception as well, with its text.
    error.__cause__ = cause
    logging.getLogger("apscheduler.executors.default").error("Job raised an exception", exc_info=error)
    assert lines(log)[0]["fault"] == "RuntimeError"
    assert "London" not in log.getvalue()


@pytest.mark.parametrize("name", ["service.mail.sending.outbox", "dbos", "uvicorn.error", "some.library"])
def test_an_address_is_left_out_whoever_names_it(log: io.StringIO, name: str) -> None:
    logging.getLogger(name).error("550 5.1.1 <ada@example.org>: no such user: %s", ["to=bob@example.org"])
    line = log.getvalue()
    assert "example.org" not in line
    assert logs.HIDDEN in line
    # What the relay said is still there.
    assert "550 5.1.1" in line


def test_the_queues_own_logger_prints_nothing_past_ours(
    log: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    logging.getLogger("dbos").error("ada@example.org")
    assert "ada@example.org" not in "".join(capsys.readouterr())
    assert len(lines(log)) == 1


def test_a_fault_that_ends_a_thread_or_the_process_is_told_alike(
    log: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise LookupError(SECRET)

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    try:
        fail()
    except LookupError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    assert [line["fault"] for line in lines(log)] == ["LookupError", "LookupError"]
    assert SECRET not in log.getvalue() + "".join(capsys.readouterr())


def test_a_database_fault_quotes_no_value(any_site: Site) -> None:
    """The sentence of such a fault is kept for the coordinator, so the values must not be in it to begin
    with."""
    with pytest.raises(DBAPIError) as caught, any_site.store.begin() as session:
        session.execute(text("insert into no_such_table values (:order)"), {"order": SECRET})
    assert SECRET not in str(caught.value)
