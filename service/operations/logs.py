"""The log: one JSON object a line, without any order, address or secret.

Every module and library logs through here. An exception is given by its type and its places in the code,
never by its text, since that may quote a mail. A word with an @ in it is left out.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from traceback import extract_tb
from types import TracebackType
from typing import Any, TextIO

import structlog

HIDDEN = "(an address)"
ROOT = Path(__file__).resolve().parents[2]
LONGEST = 500
"""Characters of one value at most."""
PLACES = 12
"""The innermost places in the code that are logged of an exception."""
QUIET = (
    "dbos", "apscheduler", "uvicorn", "imapclient", "sqlalchemy", "fontTools", "weasyprint", "RapidOCR",
    "PIL",
)
"""Libraries that are heard only when something fails."""

_Event = MutableMapping[str, Any]
_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None]


def set_up(stream: TextIO, level: int = logging.WARNING) -> None:
    """Send every log line of this process to `stream`, in place of any earlier set-up."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[
                structlog.stdlib.add_log_level,
                structlog.stdlib.add_logger_name,
                structlog.stdlib.PositionalArgumentsFormatter(),
                structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
            ],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _without_exception_text,
                _without_addresses,
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ],
        )
    )
    root = logging.getLogger()
    # In place of an earlier set-up, or each line would be written twice.
    root.handlers = [handler]
    root.setLevel(level)
    for name in QUIET:
        logging.getLogger(name).setLevel(max(level, logging.ERROR))
    # DBOS installs a separate handler that prints exceptions with their text.
    _take_over("dbos")
    sys.excepthook = _uncaught
    threading.excepthook = _uncaught_in_thread


def _take_over(name: str) -> None:
    """Make a library's logger hand its lines to ours; it would print them itself, past every rule above."""
    logger = logging.getLogger(name)
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    logger.addHandler(logging.NullHandler())  # it adds its own only where there is none
    logger.propagate = True


def _without_exception_text(_logger: Any, _method: str, event: _Event) -> _Event:
    """An exception as its type and the places it passed."""
    error = event.pop("exc_info", None)
    if error is True:
        error = sys.exc_info()
    if isinstance(error, BaseException):
        error = (type(error), error, error.__traceback__)
    if isinstance(error, tuple) and error[0] is not None:
        # Never the text of the exception: it may quote a mail.
        event["fault"] = error[0].__name__
        event["places"] = [(f"{_short_path(frame.filename)}:{frame.lineno} "
                            f"{frame.name}") for frame in extract_tb(error[2])[-PLACES:]]
    # A stack shows arguments, and arguments may be order text.
    event.pop("stack_info", None)
    return event


def _short_path(path: str) -> str:
    place = Path(path)
    return str(place.relative_to(ROOT)) if place.is_relative_to(ROOT) else "/".join(place.parts[-2:])


def _without_addresses(_logger: Any, _method: str, event: _Event) -> _Event:
    return {key: _cleaned(value) for key, value in event.items()}


def _cleaned(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _cleaned(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set):
        return [_cleaned(part) for part in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    return " ".join(HIDDEN if "@" in word else word for word in str(value)[:LONGEST].split(" "))


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    logging.getLogger("galloper").critical(
        "The process ends by a fault of ours", exc_info=(kind, error, trace)
    )


def _uncaught_in_thread(hook: threading.ExceptHookArgs) -> None:
    logging.getLogger("galloper").critical(
        "A thread ends by a fault of ours",
        exc_info=(hook.exc_type, hook.exc_value or hook.exc_type(), hook.exc_traceback))
