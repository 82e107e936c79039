"""Postal addresses of a player on a date: the usual one, those of journeys, and when to write to both
(LIST-02, LIST-03, POST-04). Pure: days and lines in, days and lines out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from service.letters.language import N_, Sentence

# A letter may be five days in the post, so the address at its arrival is unknown (LIST-03).
NEAR = timedelta(days=5)
"""So near to the first or last day of a journey a letter goes to both addresses."""

MOST_LINES, LONGEST = 7, 60
"""Lines, and characters of a line, that fit below the name on an envelope."""


class BadAddress(ValueError):
    """An address that no envelope has room for. The sentence shows what to mend."""


@dataclass(frozen=True, slots=True)
class Postal:
    """One address: its lines below the name, and the days on which it applies, both included.

    Both days None: the usual address. Only `last` None: from that day on, for good.
    """

    lines: tuple[str, ...]
    first: date | None = None
    last: date | None = None

    def applies_on(self, day: date) -> bool:
        """Whether it applies on a day."""
        return (self.first is None or self.first <= day) and (self.last is None or day <= self.last)

    def changes_near(self, day: date) -> bool:
        """Whether its first or its last day is at most `NEAR` away."""
        return any(end is not None and abs(end - day) <= NEAR for end in (self.first, self.last))


@dataclass(frozen=True, slots=True)
class AddressValidity:
    """Where a letter posted on a day reaches a player. Write to all `addresses`, the likeliest first; empty
    if none is known. `note` is a sentence that shows why there is more than one, or ""."""

    addresses: tuple[Postal, ...]
    note: str = ""


def addresses_on(known: Sequence[Postal], day: date) -> AddressValidity:
    """Where to write on a day. `known` are a player's addresses in the order they were entered.

    A journey goes before the usual address; near its ends a letter goes to both (LIST-03).
    """
    usual = [postal for postal in known if postal.first is None and postal.last is None]
    journeys = [postal for postal in known if postal not in usual]
    current = [journey for journey in journeys if journey.applies_on(day)]
    about_now = [journey for journey in journeys if journey.changes_near(day) and journey not in current]
    if not current and not about_now:
        return AddressValidity(tuple(usual), _several(usual))
    # It is unclear which of two journeys was meant, so a letter goes to each.
    if len(current) > 1:
        usual_too = [postal for postal in usual if any(journey.changes_near(day) for journey in current)]
        return AddressValidity((*current, *about_now, *usual_too),
                               N_("Two journeys overlap on this day: post to each address."))
    ending = about_now or any(journey.changes_near(day) for journey in current)
    if ending and usual:
        return AddressValidity((*current, *usual, *about_now),
                               N_("A journey begins or ends about now: post to both addresses."))
    return AddressValidity((*current, *about_now) or tuple(usual))


def _several(usual: Sequence[Postal]) -> str:
    return N_("Two addresses are given for the whole year: post to both.") if len(usual) > 1 else ""


def address_lines(written: str) -> tuple[str, ...]:
    """The lines of an address as a person wrote it, in any script, without control characters and empty
    lines.

    Raises BadAddress for an address of less than two lines, or one that no envelope has room for.
    """
    lines = tuple(filter(None, (_clean(line) for line in written.splitlines())))
    if len(lines) < 2:
        raise BadAddress(Sentence("An address has at least two lines: street or house, and town."))
    if len(lines) > MOST_LINES:
        raise BadAddress(Sentence("An envelope has room for %(most)s lines below the name.", most=MOST_LINES))
    too_long = next((line for line in lines if len(line) > LONGEST), None)
    if too_long is not None:
        raise BadAddress(Sentence("The line “%(line)s…” is longer than %(most)s characters; write it as two "
                                  "lines.",
                                  line=too_long[:20], most=LONGEST))
    return lines


def journey_days(first: str, last: str) -> tuple[date | None, date | None]:
    """The days of a journey as a person wrote them, "" for none. Raises BadAddress."""
    try:
        begins = date.fromisoformat(first) if first.strip() else None
        ends = date.fromisoformat(last) if last.strip() else None
    except ValueError as fault:
        raise BadAddress(Sentence("Write days like 2027-03-14.")) from fault
    if begins is not None and ends is not None and ends < begins:
        raise BadAddress(Sentence("The journey ends before it begins; check both days."))
    return begins, ends


def name_line(name: str) -> str:
    """A person's name as the first line of an envelope, in one line whatever was entered."""
    return _clean(name)[:LONGEST]


def overlapping(known: Sequence[Postal], new_address: Postal) -> Postal | None:
    """A dated address whose days overlap those of `new_address`, or None."""
    if new_address.first is None and new_address.last is None:
        return None
    dated = (postal for postal in known if postal.first or postal.last)
    return next((postal for postal in dated if _meet(postal, new_address)), None)


def _meet(first: Postal, second: Postal) -> bool:
    # An open end reaches to the first or last day that there is.
    begins = max(first.first or date.min, second.first or date.min)
    return begins <= min(first.last or date.max, second.last or date.max)


def _clean(line: str) -> str:
    # Unicode's categories C*: control and format characters, also those that turn the direction of writing.
    printable = "".join(
        c if unicodedata.category(c)[0] != "C" else " " for c in unicodedata.normalize("NFC", line)
    )
    return re.sub(r"\s+", " ", printable).strip()
