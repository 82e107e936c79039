"""Words of the pages that are not in a template: times, durations, sizes, and the machine's reasons as
sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from markupsafe import Markup, escape

from service.facts.sheets import because, held_because
from service.mail.sending.compose import whole_paragraphs

_ENDS = (
    ("used", "used"), ("refused", "refused with an answer"), ("quarantined", "in quarantine"),
    ("ignored", "ignored as machine mail"), ("stored", "not judged yet"),
)
_LETTERS = (
    ("sent", "sent"), ("queued", "waiting"), ("sending", "being sent"), ("delayed", "delayed on the way"),
    ("failed", "failed"), ("held", "held"), ("cancelled", "cancelled"),
)


def gmt(moment: datetime, now: datetime | None = None) -> str:
    """"Sun 14 Mar 2027, 07:00 GMT", without the year if `now` is in the same one."""
    # GMT always first and always named (desk plan, section 5); a person's own zone is added by a script.
    year = "" if now is not None and now.year == moment.year else " %Y"
    return moment.strftime(f"%a %-d %b{year}, %H:%M GMT")


def wait(left: timedelta) -> str:
    """A time to go in its two largest units: "3 days 4 hours", "12 minutes"; "now" once it is over."""
    minutes = int(left.total_seconds() // 60)
    if minutes < 1:
        return "now"
    units = ((minutes // 1440, "day"), (minutes // 60 % 24, "hour"), (minutes % 60, "minute"))
    named = [count(number, unit) for number, unit in units if number]
    return " ".join(named[:2])


def count(number: int, noun: str) -> str:
    """1 line, 2 lines."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def size(number: int) -> str:
    """Bytes as kB or MB."""
    return f"{number / 1e6:.1f} MB" if number >= 1_000_000 else f"{max(1, round(number / 1000))} kB"


def reason(code: str | None) -> str:
    """Why a mail or a sheet is set aside, as half a sentence. An unknown code is shown with its underscores
    as blanks."""
    return because(code, (code or "no reason was recorded").replace("_", " "))


def listed(names: Sequence[str]) -> str:
    """Ormond, Argyll and Montrose."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def mails(numbers: dict[str, int]) -> str:
    """12 used, 1 refused with an answer, 2 in quarantine."""
    return ", ".join(f"{numbers[key]} {word}" for key, word in _ENDS if numbers.get(key))


def letters(numbers: dict[str, int]) -> str:
    """17 sent, 2 waiting, 1 failed."""
    return ", ".join(f"{numbers[key]} {word}" for key, word in _LETTERS if numbers.get(key))


def commands(sentence: str) -> Markup:
    """A sentence for a page, with each command that is in it between backticks in a `code` element."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(sentence))))  # noqa: S704


_LINE_STATES = {"auto": "read by the machine", "read": "read by a person", "open": "still open"}


def line_state(state: str) -> str:
    """What a line's state is called on the page of its sheet."""
    return _LINE_STATES.get(state, state)


FILTERS: dict[str, Callable[..., Any]] = {
    "gmt": gmt, "wait": wait, "count": count, "size": size, "reason": reason, "reasons": held_because,
    "listed": listed, "mails": mails, "letters": letters,
    "commands": commands, "line_state": line_state, "whole_paragraphs": whole_paragraphs,
}
