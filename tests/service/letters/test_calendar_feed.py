"""The feed, read back by an iCalendar parser that shares no code with the one that wrote it (CAL-13,
CAL-16)."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from hypothesis import given, strategies as st
from ical.calendar_stream import IcsCalendarStream

from service.letters.calendar_feed import DueDate, feed

CHANGED = datetime(2027, 2, 20, 12, tzinfo=UTC)


def due(instant: datetime, ordinal: int = 1, sequence: int = 0, name: str = "Powick Bridge") -> DueDate:
    return DueDate("powick-bridge", name, ordinal, "Summer 1643 Movement Orders", instant, CHANGED, sequence)


def test_deadline_is_the_same_instant_in_every_zone() -> None:
    """One of the worked dates of A4."""
    text = feed("Powick Bridge", [due(datetime(2027, 3, 29, 7, tzinfo=UTC))], "example.org").decode()
    (event,) = IcsCalendarStream.calendar_from_ics(text).events
    start = event.dtstart
    assert isinstance(start, datetime)
    assert start == datetime(2027, 3, 29, 7, tzinfo=UTC)
    # The day after Britain's clocks change: 07:00 GMT, 08:00 in London, 01:00 in Mexico City.
    assert start.astimezone(ZoneInfo("Europe/London")).hour == 8
    assert start.astimezone(ZoneInfo("America/Mexico_City")).hour == 1
    assert event.dtend is None
    assert event.summary == "Powick Bridge: Summer 1643 Movement Orders due"
    assert "DTSTART:20270329T070000Z" in text


def test_moved_deadline_keeps_its_identity_and_counts_up() -> None:
    """CAL-15."""
    was = feed("x", [due(datetime(2027, 3, 14, 7, tzinfo=UTC))], "example.org").decode()
    now = feed("x", [due(datetime(2027, 3, 16, 7, tzinfo=UTC), sequence=1)], "example.org").decode()
    (old,), (new,) = (IcsCalendarStream.calendar_from_ics(text).events for text in (was, now))
    assert old.uid == new.uid
    assert (old.sequence, new.sequence) == (0, 1)
    assert new.dtstart == datetime(2027, 3, 16, 7, tzinfo=UTC)


def test_same_values_give_the_same_bytes_in_any_order() -> None:
    deadlines = [due(datetime(2027, 3, 14, 7, tzinfo=UTC)), due(datetime(2027, 3, 16, 7, tzinfo=UTC), 2)]
    assert feed("x", deadlines, "h") == feed("x", deadlines[::-1], "h")


@given(st.text(min_size=1, max_size=90).filter(lambda s: s.strip()), st.integers(1, 400))
def test_any_name_and_number_survives(name: str, ordinal: int) -> None:
    """Line breaks, commas, semicolons and other scripts read back whole."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in name).split()) or "x"
    data = feed(plain, [due(datetime(2027, 3, 14, 7, tzinfo=UTC), ordinal, name=plain)], "example.org")
    # RFC 5545, 3.1: 75 octets and not letters, so a fold must not cut a letter of two bytes.
    assert all(len(line) <= 75 for line in data.split(b"\r\n"))
    (event,) = IcsCalendarStream.calendar_from_ics(data.decode()).events
    assert event.uid == f"powick-bridge-{ordinal}@example.org"
    assert event.summary == f"{plain}: Summer 1643 Movement Orders due"


def test_four_hundred_deadlines_read_back() -> None:
    days = [
        datetime.combine(date.fromordinal(date(2027, 1, 1).toordinal() + n), datetime.min.time(), UTC)
        for n in range(400)
    ]
    text = feed("x", [due(day.replace(hour=7), n) for n, day in enumerate(days)], "example.org").decode()
    assert [e.dtstart for e in IcsCalendarStream.calendar_from_ics(text).events] == [
        d.replace(hour=7) for d in days
    ]


def test_nothing_but_deadlines_is_told() -> None:
    """CAL-16: no secret content."""
    text = feed("x", [due(datetime(2027, 3, 14, 7, tzinfo=UTC))], "example.org").decode()
    properties = {
        line.partition(":")[0].partition(";")[0] for line in text.splitlines() if not line.startswith(" ")
    }
    assert properties == {
        "BEGIN", "END", "PRODID", "VERSION", "CALSCALE", "METHOD", "NAME", "X-WR-CALNAME", "X-WR-TIMEZONE",
        "REFRESH-INTERVAL", "X-PUBLISHED-TTL", "UID", "DTSTAMP", "LAST-MODIFIED", "SEQUENCE", "DTSTART",
        "SUMMARY",
        "DESCRIPTION", "TRANSP", "STATUS",
    }
