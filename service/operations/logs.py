"""What the programs of a site say of themselves: one JSON object a line, with no order, address or secret in
it.

Whatever module or library logs goes through here. An exception is told by its type and the places in the code
that it passed, never by its text, which may quote a mail; a word with an @ in it is left out.
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
"""Places in the code that are told of an exception, the innermost."""
QUIET = (
    "dbos",
    "apscheduler",
    "uvicorn",
    "imapclient",
    "sqlalchemy",
    "fontTools",
    "weasyprint",
    "RapidOCR",
    "PIL",
)
"""Libraries whose own remarks are only of interest when something fails."""

_Event = MutableMapping[str, Any]
_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None]


def set_up(stream: TextIO, level: int = logging.WARNING) -> None:
    """Send every log line of this process to `stream`; what was set up before is replaced."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.stdlib.add_log_level, structlog.stdlib.add_logger_name,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="at")],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _without_exception_text, _without_addresses,
                    structlog.processors.JSONRenderer(ensure_ascii=False)],
    ))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    for name in QUIET:
        logging.getLogger(name).setLevel(max(level, logging.ERROR))
    _take_over("dbos")
    sys.excepthook = _uncaught
    threading.excepthook = _uncaught_in_thread


def _take_over(name: str) -> None:
    """A library's logger that would print by itself, past every rule above, hands its lines to ours."""
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
        event["fault"] = error[0].__name__
        event["places"] = [(f"{_short_path(frame.filename)}:{frame.lineno} "
                            f"{frame.name}") for frame in extract_tb(error[2])[-PLACES:]]
    event.pop("stack_info", None)
    return event


def _short_path(path: str) -> str:
    place = Path(path)
    return str(place.relative_to(ROOT)) if place.is_relative_to(ROOT) else "/".join(place.parts[-2:])


def _without_addresses(_logger: Any, _method: str, event: _Event) -> _Event:
    return {key: _cleaned(value) for key, value in event.items()}


def _cleaned(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_cleaned(item) for item in value]
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
