"""The open entries of an archive, in a form in which the rules of conduct can ask for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from service.archive.archive_file import Archive

NEAR = 40
"""Entries before and behind within which the event of an act stands: both are entered in one transaction."""
TOGETHER = timedelta(minutes=2)
"""The longest time that entries of one transaction may be apart."""
READ_BEFORE = 3
"""How many entries before that of a sheet its reading stands at most."""
SLACK = timedelta(minutes=5)
"""By how much two clocks of one site may differ."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One open entry: its number, the kind and the key of its fact, when it was entered, and what it
    tells."""

    number: int
    kind: str
    key: str
    entered: datetime
    tells: Mapping[str, Any]


@dataclass(slots=True)
class Facts:
    """All open entries in their order, and `faults` as the rules find them."""

    facts: list[Fact]
    archive: Archive
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _by_kind: dict[str, list[Fact]] = field(default_factory=dict)

    def of(self, kind: str) -> list[Fact]:
        """The entries of one kind."""
        if not self._by_kind:
            for fact in self.facts:
                self._by_kind.setdefault(fact.kind, []).append(fact)
        return self._by_kind.get(kind, [])

    def last(self, kind: str, before: int) -> dict[str, Fact]:
        """The last entry of each fact of a kind before an entry, by its key."""
        return {fact.key: fact for fact in self.of(kind) if fact.number < before}

    def changes(self, kind: str) -> Iterator[tuple[Fact, Fact]]:
        """Each entry that tells otherwise of a fact than the entry before it did: before and after."""
        before: dict[str, Fact] = {}
        for fact in self.of(kind):
            if fact.key in before:
                yield before[fact.key], fact
            before[fact.key] = fact

    def act(self, fact: Fact, *events: str, **detail: Any) -> Fact | None:
        """The event of an act by which an entry was made: entered with it, and with these details. In a
        players' archive the entry itself, where its event may be closed."""
        for event in self.of("event"):
            if (
                event.tells["event"] in events
                and abs(event.number - fact.number) <= NEAR
                and abs(event.entered - fact.entered) <= TOGETHER
                and all(event.tells["detail"].get(key) == value for key, value in detail.items())
            ):
                return event
        # A players' archive has the log up to the last results: what came after is checked with the next.
        is_unknown = not self.archive.is_whole and fact.number > self._end()
        return fact if is_unknown else None

    def _end(self) -> int:
        """The entry of the last judging whose results were sent."""
        sent = {fact.tells["phase"] for fact in self.of("phase") if fact.tells["state"] == "sent"}
        return max((fact.number for fact in self.of("judged")
                    if fact.tells["phase"] in sent and "taken_back" not in fact.tells), default=0)

    def knows_no_acts_after(self, number: int) -> bool:
        """Whether this edition keeps acts closed that followed on an entry."""
        return not self.archive.is_whole and number > self._end()

    def act_at(self, fact: Fact, event: str) -> bool:
        """Whether an event was entered with an entry, however many entries lie between: results have a letter
        for each player."""
        return (not self.archive.is_whole and fact.number > self._end()) or any(
            each.tells["event"] == event and abs(each.entered - fact.entered) <= TOGETHER
            for each in self.of("event"))

    def closed_reading(self, sheet: Fact) -> bool:
        """Whether a reading that this edition keeps closed was entered with the entry of a sheet: a reading,
        the words beside it, the sheet."""
        heads = {entry.number: entry.head for entry in self.archive.entries if entry.body is None}
        return f"reading {sheet.tells['phase']}" in {
            heads.get(number) for number in range(sheet.number - READ_BEFORE, sheet.number)}

    def wrong(self, rule: str, number: int, sentence: str) -> None:
        """Note a fault of an entry."""
        self.faults.append(f"Entry {number}: {sentence} (rule {rule})")


def instant(text: str) -> datetime:
    """An instant as entries write it."""
    return datetime.fromisoformat(text).astimezone(UTC)


def facts_of(archive: Archive) -> Facts:
    """The open entries of an archive whose chain is sound. Raises ValueError and KeyError for other forms."""
    return Facts([
        Fact(entry.number, entry.kind, str(entry.body["fact"]), instant(entry.body["entered"]), entry.facts)
        for entry in archive.entries if entry.body is not None
    ], archive)
