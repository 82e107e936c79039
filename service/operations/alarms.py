"""Mail to the coordinator about what would silently cost a player their turn: the mailbox away, work that
stands still, a deadline that nobody closed, letters that failed, no room on the disk, no backup.

What is found is what the Health page shows. A trouble that stays for `STANDING` is written once a day for as
long as it stays, under a key that all processes of a site share; it is in the outbox like any letter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from service.letters import render
from service.letters.facts import NoticeFacts, Recipient
from service.notices.replies import LetterContext
from service.operations.health import Fact, Health
from service.store.engine import Store

SECONDS = 300.0
"""Between two looks."""

STANDING = timedelta(minutes=10)
"""A trouble that is over sooner is not worth a letter: a mail server that restarts, a queue after a busy
hour."""

CONSEQUENCES = {
    "Mailbox": ("mails wait on their server, stamped with its own time, and count; but nobody is sent a "
                "receipt, and a deadline that passes is judged without them."),
    "Workers": "no mail is judged, no deadline is closed and no letter is sent.",
    "Queue": "a sheet that came in time is not read, and its phase waits for it.",
    "Deadlines": (
        "the phase is neither closed nor judged. Nobody loses by it: the mail server's stamps say "
        "what came in time."
    ),
    "Letters": "somebody does not hear of their results, or of what is wrong with their sheet.",
    "Reading engine": (
        "sheets are held with their photographs, and their phases wait for a person to read them."
    ),
    "Disk": "no more mail can be taken in; it waits on its server.",
    "Backup": "what came in since lies on this machine alone.",
}
"""What follows if it is left, by the name of the fact. A fact without one is told elsewhere: a clock that is
off by `service.operations.clock_check`, at the deadline that it holds up."""


@dataclass(slots=True)
class Alarms:
    """Looks, and writes. `desk` writes the letter; one of these in each process."""

    health: Health
    store: Store
    desk: LetterContext
    _since: dict[str, datetime] = field(default_factory=dict)

    def look(self) -> tuple[str, ...]:
        """Write about what has stood for long enough; the keys of the letters that are new."""
        now = self.health.clock.now()
        bad = {
            fact.name: fact
            for fact in self.health.look()
            if fact.state == "look" and fact.name in CONSEQUENCES
        }
        self._since = {name: self._since.get(name, now) for name in bad}
        return tuple(
            key for name, fact in bad.items()
            if now - self._since[name] >= STANDING and (key := self._write(fact, self._since[name], now)))

    def _write(self, fact: Fact, since: datetime, now: datetime) -> str:
        facts = NoticeFacts(
            key=f"alarm-{fact.name.lower().replace(' ', '-')}-{fact.mark or f'{now:%Y-%m-%d}'}",
            what=f"{fact.name}: {fact.said}", since=since, consequence=CONSEQUENCES[fact.name],
            link=f"{self.desk.sender.base_url.rstrip('/')}/health" if self.desk.sender.base_url else "")
        letter = render.coordinator_notice(None, Recipient(self.desk.sender.coordinator), facts)
        with self.store.begin() as session:
            return letter.key if self.desk.put(session, letter) else ""
