"""Lateness by the mail server's own stamp, to the second, on the morning after Britain's clocks went forward:
07:00 GMT on Monday 29 March 2027 is 08:00 in London and 01:00 in Mexico City (CAL-03, the worked dates of A4,
J4)."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from service.store.tables import MailState, PhaseState
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.site import Site
from tests.support.table import SERVER, Table, address, open_table, utc

MONTROSE = address("Montrose")


@pytest.fixture
def table(site: Site) -> Table:
    """A season that begins on Tuesday 16 March 2027, as the Summer of the worked dates does."""
    opened = open_table(site, start=date(2027, 3, 16))
    assert opened.phase().deadline == utc("2027-03-29 07:00")
    return opened


def sent(table: Table, date_header: str) -> bytes:
    """A mail whose sender's own clock states something else."""
    return mail(
        table.subject("Montrose"),
        MONTROSE,
        headers=[f"Date: {date_header}"],
        parts=[text(), part(picture(90))],
        stamps=[stamp("montrose.example", server=SERVER)],
    )


@pytest.mark.parametrize("zone", ["UTC", "Europe/London", "America/Mexico_City"])
@pytest.mark.parametrize(("seconds", "counts"), [(-1, True), (0, True), (1, False)])
def test_the_last_second_is_the_same_on_every_servers_clock(
    table: Table, zone: str, seconds: int, counts: bool
) -> None:
    hour = {"UTC": 7, "Europe/London": 8, "America/Mexico_City": 1}[zone]
    stamped = datetime(2027, 3, 29, hour, 0, 0, tzinfo=ZoneInfo(zone))
    stamped = (
        stamped.replace(second=seconds)
        if seconds >= 0
        else stamped.replace(hour=hour - 1, minute=59, second=59)
    )
    row = table.take(sent(table, "Mon, 29 Mar 2027 07:00:00 +0000"), stamped)
    assert row.state == (MailState.USED if counts else MailState.REFUSED)
    assert [letter.kind for letter in table.letters()] == ["receipt" if counts else "receipt_late"]


@pytest.mark.parametrize(("theirs", "stamped", "counts"), [
    # Written early, and arrived late.
    ("Sun, 28 Mar 2027 23:00:00 +0100", "2027-03-29 07:00:01", False),
    # The sender's clock is wrong.
    ("Mon, 29 Mar 2027 09:30:00 +0100", "2027-03-29 06:59:59", True),
    ("Thu, 1 Jan 1970 00:00:00 +0000", "2027-03-29 07:00:01", False),
])
def test_the_senders_clock_says_nothing(table: Table, theirs: str, stamped: str, counts: bool) -> None:
    row = table.take(sent(table, theirs), utc(stamped))
    assert row.state == (MailState.USED if counts else MailState.REFUSED)


def test_the_phase_is_closed_at_seven_gmt_and_not_at_seven_in_london(table: Table) -> None:
    phase = table.phase()
    # 07:00 in London is 06:00 GMT: summer time began the day before.
    table.site.clock.set(datetime(2027, 3, 29, 7, 0, tzinfo=ZoneInfo("Europe/London")))
    table.close_phase(phase.id)
    assert table.phase().state == PhaseState.OPEN
    table.site.clock.set(datetime(2027, 3, 29, 8, 0, tzinfo=ZoneInfo("Europe/London")))
    table.close_phase(phase.id)
    assert table.phase().state != PhaseState.OPEN
