"""IMAP servers that lack an ability."""

from __future__ import annotations

import threading
import time

import pytest
from imapclient import IMAPClient

from service.config import MailIn
from service.mail.mailbox.imap import ImapSource
from service.mail.mailbox.ingest import IngestCounts
from tests.support.mails import simple
from tests.support.servers.dovecot import Dovecot
from tests.support.servers.mailboxes import ImapBox, imap_settings, take
from tests.support.site import Site


class ImapWithout(ImapSource):
    """A server that lacks some abilities."""

    def __init__(self, settings: MailIn, *lacks: str) -> None:
        super().__init__(settings)
        self._lacks = lacks

    def _connect(self) -> IMAPClient:
        client = super()._connect()
        has_capability = client.has_capability
        client.has_capability = lambda name: name not in self._lacks and has_capability(name)
        return client


@pytest.mark.parametrize(("lacks", "left"), [(("MOVE",), 0), (("MOVE", "UIDPLUS"), 1)])
def test_without_move_the_mail_is_copied_and_deleted(
    site: Site, dovecot: Dovecot, lacks: tuple[str, ...], left: int
) -> None:
    box = ImapBox(imap_settings(dovecot))
    box.deliver(simple(1))
    source = ImapWithout(box.settings, *lacks)
    assert take(site, source) == IngestCounts(new=1)
    # Without UIDPLUS the mail stays in the folder, marked as deleted, and is not looked at again.
    assert take(site, source) == IngestCounts()
    source.close()
    assert len(box.contents("Galloper")) == 1
    assert len(box.contents("INBOX")) == left


def test_without_idle_the_mailbox_is_polled(site: Site, dovecot: Dovecot) -> None:
    box = ImapBox(imap_settings(dovecot))
    source = ImapWithout(box.settings, "IDLE")
    started = time.monotonic()
    source.wait(0.2, threading.Event())
    assert 0.15 < time.monotonic() - started < 5
    box.deliver(simple(1))
    assert take(site, source) == IngestCounts(new=1)
    source.close()
