"""Letters to the coordinator about what would silently cost a player their turn.

The findings are those of the Health page. A trouble that stays for `STANDING` is written about once a day for
as long as it stays. The letter's key is shared by all processes of a site, so it is written once; it is in
the outbox like any letter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from service.letters import render
from service.letters.facts import Recipient
from service.notices.coordinator_notices import COORDINATOR_NOTICE, NoticeFacts
from service.notices.letter_context import LetterContext
from service.operations.findings import Finding
from service.operations.health import Check, Health, checks
from service.store.engine import Store

SECONDS = 60.0
"""Between two looks."""

STANDING = timedelta(minutes=10)
"""A trouble that ends sooner is not worth a letter: a mail server that restarts, a queue after a busy
hour."""


@dataclass(slots=True)
class Alarms:
    """Looks at the findings and writes the letters; each process has one. `letters` writes and queues a
    letter."""

    health: Health
    store: Store
    letters: LetterContext
    _since: dict[str, datetime] = field(default_factory=dict)

    def look(self) -> tuple[str, ...]:
        """Write about each trouble that is urgent or has stayed for `STANDING`; returns the keys of the new
        letters."""
        now = self.health.clock.now()
        alarming = {check.name: check for check in checks() if check.consequence}
        troubles = {
            finding.name: finding
            for finding in self.health.findings()
            if finding.is_trouble and not finding.has_notice and finding.name in alarming
        }
        # A trouble that ended is forgotten, so that its ten minutes begin again when it comes back.
        self._since = {name: self._since.get(name, now) for name in troubles}
        return tuple(
            key for name, finding in troubles.items()
            if finding.is_urgent or now - self._since[name] >= STANDING
            for key in self._write(finding, alarming[name], self._since[name], now))

    def _write(self, finding: Finding, check: Check, since: datetime, now: datetime) -> list[str]:
        sender = self.letters.sender
        facts = NoticeFacts(
            # The key is the same in every process of a site, so the letter of a day is written once.
            key=f"alarm-{finding.name.lower().replace(' ', '-')}-{finding.trouble_id or f'{now:%Y-%m-%d}'}",
            event=f"{finding.name}: {finding.sentence}", since=since, consequence=check.consequence,
            link=f"{sender.base_url.rstrip('/')}/health" if sender.base_url else "")
        deputy = sender.deputy if check.to_deputy else ""
        letters = [render.letter(COORDINATOR_NOTICE, None, Recipient(address), facts)
                   for address in (sender.coordinator, deputy) if address]
        with self.store.begin() as session:
            return [letter.key for letter in letters if self.letters.put(session, letter)]
