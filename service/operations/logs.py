"""The log: one JSON object a line, without any order, address or secret.

Every module and library logs through here. An exception is given by its type and its places in the code,
never by its text, since that may quote a mail. A word with an @ in it is left out.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from traceback import extract_tb
from types import TracebackType
from typing import Any, TextIO

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



def set_up(stream: TextIO, level: int = logging.WARNING) -> None:
    """Send every log line of this process to `stream`, in place of any earlier set-up."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_JsonLine())
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


class _JsonLine(logging.Formatter):
    """A line of the log. A stack is left out: it shows arguments, and arguments may be order text."""

    def format(self, record: logging.LogRecord) -> str:
        """The line as JSON."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat().replace("+00:00", "Z")
        event: dict[str, Any] = {
            "event": record.getMessage(), "level": record.levelname.lower(), "logger": record.name, "at": at}
        if record.exc_info and record.exc_info[0] is not None:
            event |= _places(record.exc_info[0], record.exc_info[2])
        return json.dumps(_cleaned(event), ensure_ascii=False)


def _places(kind: type[BaseException], trace: TracebackType | None) -> dict[str, Any]:
    """An exception as its type and the places it passed."""
    # Never the text of the exception: it may quote a mail.
    places = [f"{_short_path(frame.filename)}:{frame.lineno} {frame.name}"
              for frame in extract_tb(trace)[-PLACES:]]
    return {"fault": kind.__name__, "places": places}


def _short_path(path: str) -> str:
    place = Path(path)
    return str(place.relative_to(ROOT)) if place.is_relative_to(ROOT) else "/".join(place.parts[-2:])


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
        "The process ends after an internal error", exc_info=(kind, error, trace)
    )


def _uncaught_in_thread(hook: threading.ExceptHookArgs) -> None:
    logging.getLogger("galloper").critical(
        "A thread ends after an internal error",
        exc_info=(hook.exc_type, hook.exc_value or hook.exc_type(), hook.exc_traceback))
