"""Cheats with the time stamps of an authority outside: found without any letter."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache

from service.facts.events import Event
from service.features.audit.root_stamps import RootStamps
from tests.features.audit.authority import LocalAuthority, local_authority
from tests.service.archive.cheats.on_archives import is_entry, without_the_second_version
from tests.service.archive.cheats.table import (
    AFTER,
    BEFORE,
    OPERATOR,
    Chain,
    Cheat,
    Forge,
    Play,
    written_anew,
)
from tests.support.table import Table

LATER = timedelta(days=3)


@cache
def the_authority() -> LocalAuthority:
    """The authority that the site uses; its key takes a second to make."""
    return local_authority()


def stamp_roots(table: Table, after: timedelta = timedelta()) -> int:
    """What the site does each minute; `after`: how much later the authority's clock is than the site's."""
    now = table.site.clock.now() + after
    return RootStamps(table.site.store, table.site.clock,
                      lambda question: the_authority().reply(question, now)).look()


def _stamped(change: Callable[[Chain], Chain], after: timedelta = timedelta()) -> Play:
    """The roots are stamped, and the record is written again."""

    def play(table: Table) -> Forge:
        assert stamp_roots(table, after)
        return written_anew(change)

    return play


def _of_another_root(chain: Chain) -> Chain:
    """The stamp is stated to be of the entry before."""
    for entry in chain:
        if is_entry(entry, "event", event=Event.ROOT_STAMPED):
            entry["body"]["tells"]["detail"]["entry"] -= 1
    return chain


def _entries_of_tomorrow(chain: Chain) -> Chain:
    """What the stamp covers is dated behind it."""
    stamped = next(entry for entry in chain if is_entry(entry, "event", event=Event.ROOT_STAMPED))
    later = datetime.fromisoformat(stamped["body"]["entered"]).astimezone(UTC) + LATER
    for entry in chain[stamped["body"]["tells"]["detail"]["entry"] - 1:]:
        if "body" in entry and not is_entry(entry, "event", event=Event.ROOT_STAMPED):
            entry["body"]["entered"] = f"{later:%Y-%m-%dT%H:%M:%SZ}"
    return chain


CHEATS = (
    Cheat("a sheet is left out after the root was stamped", OPERATOR, BEFORE, "sent",
          _stamped(without_the_second_version), "C24"),
    Cheat("a stamp is said to be of another root", OPERATOR, AFTER, "sent",
          _stamped(_of_another_root), "C24"),
    Cheat("a record of today is stamped and dated back", OPERATOR, BEFORE, "sent",
          _stamped(lambda chain: chain, LATER), "C24"),
    Cheat("what was stamped is dated later", OPERATOR, AFTER, "sent", _stamped(_entries_of_tomorrow), "C24"),
)
