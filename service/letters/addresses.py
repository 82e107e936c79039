"""Postal addresses of a player on a date: the one of always, those of journeys, and when to write to both
(LIST-02, LIST-03, POST-04). Pure: days and lines in, days and lines out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

NEAR = timedelta(days=5)
"""So near to the first or last day of a journey a letter goes to both addresses: posted, it may take so
long."""

MOST_LINES, LONGEST = 7, 60
"""What fits below a name on an envelope."""


class BadAddress(ValueError):
    """An address that no envelope can carry; the sentence says what to mend."""


@dataclass(frozen=True, slots=True)
class Postal:
    """One address: its lines below the name, and the days on which it applies, both included.

    Both days None: the address of always. Only `last` None: from a day on, for good.
    """

    lines: tuple[str, ...]
    first: date | None = None
    last: date | None = None

    def applies_on(self, day: date) -> bool:
        """Whether it applies on a day."""
        return (self.first is None or self.first <= day) and (self.last is None or day <= self.last)

    def changes_near(self, day: date) -> bool:
        """Whether its first or its last day is near."""
        return any(end is not None and abs(end - day) <= NEAR for end in (self.first, self.last))


@dataclass(frozen=True, slots=True)
class AddressValidity:
    """Where a letter posted on a day reaches a player. `addresses` are all to write to, the likeliest first;
    empty where none is known. `note` is a sentence that says why there is more than one, or ""."""

    addresses: tuple[Postal, ...]
    note: str = ""


def addresses_on(known: Sequence[Postal], day: date) -> AddressValidity:
    """Where to write on a day. `known` are a player's addresses in the order they were entered.

    A journey goes before the address of always; near its ends both are written to (LIST-03); where two
    journeys overlap, every one of them is, because nobody but the player knows which was meant.
    """
    always = [one for one in known if one.first is None and one.last is None]
    dated = [one for one in known if one.first is not None or one.last is not None]
    now = [one for one in dated if one.applies_on(day)]
    near = [one for one in dated if one.changes_near(day) and one not in now]
    if not now and not near:
        return AddressValidity(tuple(always), _several(always))
    if len(now) > 1:
        also = [one for one in always if any(journey.changes_near(day) for journey in now)]
        return AddressValidity((*now, *near, *also), ("Two journeys overlap on this day: post to each "
                                                      "address."))
    ending = near or any(one.changes_near(day) for one in now)
    if ending and always:
        return AddressValidity((*now, *always, *near), ("A journey begins or ends about now: post to both "
                                                        "addresses."))
    return AddressValidity((*now, *near) or tuple(always))


def _several(always: Sequence[Postal]) -> str:
    return "Two addresses are given for all of the year: post to both." if len(always) > 1 else ""


def address_lines(written: str) -> tuple[str, ...]:
    """The lines of an address as somebody wrote it, cleaned: no control characters, no empty lines, any
    script.

    Raises BadAddress for an address of less than two lines, or one that no envelope has room for.
    """
    lines = tuple(filter(None, (_clean(line) for line in written.splitlines())))
    if len(lines) < 2:
        raise BadAddress("An address has at least two lines: street or house, and town.")
    if len(lines) > MOST_LINES:
        raise BadAddress(f"An envelope has room for {MOST_LINES} lines below the name.")
    long = next((line for line in lines if len(line) > LONGEST), None)
    if long is not None:
        raise BadAddress(f"The line “{long[:20]}…” is longer than {LONGEST} letters; write it as two.")
    return lines


def journey_days(first: str, last: str) -> tuple[date | None, date | None]:
    """The days of a journey as somebody wrote them, "" for none. Raises BadAddress."""
    try:
        begins = date.fromisoformat(first) if first.strip() else None
        ends = date.fromisoformat(last) if last.strip() else None
    except ValueError as fault:
        raise BadAddress("Days are written like 2027-03-14.") from fault
    if begins is not None and ends is not None and ends < begins:
        raise BadAddress("The journey ends before it begins; look at both days.")
    return begins, ends


def name_line(name: str) -> str:
    """A person's name as the first line of an envelope: one line, whatever was entered."""
    return _clean(name)[:LONGEST]


def overlapping(known: Sequence[Postal], wanted: Postal) -> Postal | None:
    """A dated address whose days overlap those of the wanted one, or None."""
    if wanted.first is None and wanted.last is None:
        return None
    return next((one for one in known if (one.first or one.last) and _meet(one, wanted)), None)


def _meet(one: Postal, two: Postal) -> bool:
    begins = max(one.first or date.min, two.first or date.min)
    return begins <= min(one.last or date.max, two.last or date.max)


def _clean(line: str) -> str:
    kept = "".join(
        c if unicodedata.category(c)[0] != "C" else " " for c in unicodedata.normalize("NFC", line)
    )
    return re.sub(r"\s+", " ", kept).strip()
