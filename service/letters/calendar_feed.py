"""Deadlines as an iCalendar feed (RFC 5545, RFC 7986): one for each game, one for all games of a player.

A feed shows when orders are due and nothing else: no order, no address, no power (CAL-13, CAL-16).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from secrets import token_urlsafe
from typing import TYPE_CHECKING

from service.store.tables import PlayerRow

if TYPE_CHECKING:
    from icalendar import Event

# Six hours are enough: a moved deadline goes to every player by mail as well.
REFRESH_INTERVAL = timedelta(hours=6)
"""How often a subscribed calendar program should ask again."""

SECRET_BYTES = 24
"""Random bytes in the address of a player's own feed: 192 bits cannot be guessed."""

PRODID = "-//Galloper//Deadlines//EN"


@dataclass(frozen=True, slots=True)
class DueDate:
    """One deadline of one game.

    `game` is its slug, `ordinal` the phase's number in it: together they identify the event, also when the
    deadline moves. `orders` shows what is due ("Spring 1643 Movement Orders"). `instant` is the last one in
    time, `changed` is when this entry was last written, both in UTC. `sequence` counts how often it was moved
    (CAL-15).
    """

    game: str
    game_name: str
    ordinal: int
    orders: str
    instant: datetime
    changed: datetime
    sequence: int = 0
    url: str = ""


def feed(name: str, deadlines: Sequence[DueDate], host: str) -> bytes:
    """The feed called `name` as iCalendar bytes; `host` makes the events' UIDs unique in the world."""
    # 80 modules, of which letters, which name the feed, need none.
    from icalendar import Calendar

    calendar = Calendar()
    calendar.add("prodid", PRODID)
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    # RFC 7986 has NAME and REFRESH-INTERVAL; older programs know only the X- properties.
    calendar.add("name", name)
    calendar.add("x-wr-calname", name)
    calendar.add("x-wr-timezone", "UTC")
    calendar.add("refresh-interval", REFRESH_INTERVAL, parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", "PT6H")
    for due in sorted(deadlines, key=lambda d: (d.instant, d.game, d.ordinal)):
        calendar.add_component(_event(due, host))
    return bytes(calendar.to_ical())


def _event(due: DueDate, host: str) -> Event:
    from icalendar import Event

    instant = due.instant.astimezone(UTC)
    event = Event()
    # The UID stays when the deadline moves; SEQUENCE states that it did (CAL-15; RFC 5545, 3.8.7.4).
    event.add("uid", f"{due.game}-{due.ordinal}@{host}")
    # Not the time of the request: the same values give the same bytes, so a program that polls often gets the
    # answer "unchanged".
    event.add("dtstamp", due.changed.astimezone(UTC))
    event.add("last-modified", due.changed.astimezone(UTC))
    event.add("sequence", due.sequence)
    # No end: an event without one ends at the instant it begins (RFC 5545, 3.6.1).
    event.add("dtstart", instant)
    event.add("summary", f"{due.game_name}: {due.orders} due")
    event.add("description", (
        f"Orders received by {instant:%H:%M:%S} GMT on {instant:%A} {instant.day} {instant:%B %Y} count. "
        "The receiving mail server's stamp decides."))
    # A deadline takes no time: the player's day stays free (RFC 5545, 3.8.2.7).
    event.add("transp", "TRANSPARENT")
    event.add("status", "CONFIRMED")
    if due.url:
        event.add("url", due.url)
    return event


def feed_path(player: PlayerRow, secret: Callable[[int], str] = token_urlsafe) -> str:
    """The path of a player's own feed on this site, made in the caller's transaction if missing (CAL-16)."""
    # It is secret: the games' public pages say the same, but not that one person plays them all.
    if player.feed is None:
        player.feed = secret(SECRET_BYTES)
    return f"/public/calendar/{player.feed}.ics"


def renew_feed_path(player: PlayerRow, secret: Callable[[int], str] = token_urlsafe) -> None:
    """Give the player's feed a new address. The old one stops working."""
    player.feed = secret(SECRET_BYTES)
