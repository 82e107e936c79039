"""Mails that another client deletes while the mailbox is being emptied (MBX-06), with a real Dovecot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from service.mail.mailbox.drain import MailboxDrain
from service.mail.mailbox.imap import ImapSource
from service.mail.mailbox.ingest import IngestCounts
from service.mail.mailbox.source import MailboxLocation, RawMail, WaitingMail
from tests.support.mails import simple
from tests.support.servers.dovecot import Dovecot
from tests.support.servers.mailboxes import imap_settings, mails, take
from tests.support.site import Site

MAILS = 6
LONG_AGO = datetime(2026, 2, 1, tzinfo=UTC)


class Disturbed(ImapSource):
    """Lets another client work at one moment: once the mails are listed, once the first one is fetched, or
    before the first one is moved."""

    def __init__(self, dovecot: Dovecot, moment: str, disturb: Callable[[], None]) -> None:
        super().__init__(imap_settings(dovecot))
        self._moment, self._disturb = moment, disturb
        self.was_disturbed = False

    def _reach(self, moment: str) -> None:
        if self._moment == moment:
            self._moment, self.was_disturbed = "", True
            self._disturb()

    def list_waiting(self, since: datetime | None = None) -> Sequence[WaitingMail]:
        listed = super().list_waiting(since)
        if listed:
            self._reach("listed")
        return listed

    def fetch(self, waiting: WaitingMail) -> RawMail | None:
        fetched = super().fetch(waiting)
        self._reach("fetched")
        return fetched

    def move_to_done(self, places: Sequence[MailboxLocation]) -> Mapping[MailboxLocation, MailboxLocation]:
        self._reach("moved")
        return super().move_to_done(places)


@pytest.mark.parametrize(("moment", "kept"), [
    ("listed", MAILS - 2), ("fetched", MAILS - 2), ("moved", MAILS)])
def test_what_another_client_deletes_meanwhile_holds_up_nothing(
    site: Site, dovecot: Dovecot, moment: str, kept: int
) -> None:
    """What was fetched is stored, no matter who deletes it; what is gone before leaves no trace and no fault,
    and a deadline finds the mailbox empty."""
    for number in range(MAILS):
        dovecot.append(simple(number))

    def delete_two() -> None:
        with dovecot.client() as client:
            client.select_folder("INBOX")
            # Not the first one, which may be fetched already.
            client.delete_messages(client.search("ALL")[-2:])
            client.expunge()

    source = Disturbed(dovecot, moment, delete_two)
    drain = MailboxDrain(lambda _until: source, site.store, site.blobs, site.jobs, site.clock)
    outcome = drain.empty(LONG_AGO)
    assert source.was_disturbed
    assert (outcome.trouble, outcome.left, outcome.unreadable) == ("", (), 0)
    assert len(mails(site)) == kept
    assert len(site.jobs.queue) == kept
    assert dovecot.contents("INBOX") == []
    # The next looks find nothing, and neither a mail of them twice.
    dovecot.append(simple(MAILS))
    again = ImapSource(imap_settings(dovecot))
    assert take(site, again) == IngestCounts(new=1)
    assert take(site, again) == IngestCounts()
    again.close()
    assert len(mails(site)) == kept + 1


def test_a_folder_that_another_client_empties_at_a_deadline_is_an_empty_one(
    site: Site, dovecot: Dovecot
) -> None:
    dovecot.append(simple(1))

    def delete_all() -> None:
        with dovecot.client() as client:
            client.select_folder("INBOX")
            client.delete_messages(client.search("ALL"))
            client.expunge()

    source = Disturbed(dovecot, "listed", delete_all)
    drain = MailboxDrain(lambda _until: source, site.store, site.blobs, site.jobs, site.clock)
    assert drain.empty(site.clock.now() - timedelta(days=30)).is_empty
    assert source.was_disturbed
    assert mails(site) == []
