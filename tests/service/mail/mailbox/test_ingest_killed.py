"""The poller is killed at chosen points, by a real SIGKILL in its own process."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from service.config import MailIn
from service.mail.mailbox.ingest import IngestCounts
from tests.support.mails import simple
from tests.support.servers.dovecot import Dovecot
from tests.support.servers.mailboxes import ImapBox, imap_settings, mails, places, take
from tests.support.site import Site


def child(site: Site, settings: MailIn, sabotage: str) -> int:
    """Take in once in its own process that kills itself at a chosen point; returns its exit status."""
    program = f"""
import os, signal
from pathlib import Path
from service.clock import SystemClock
from service.config import MailIn
from service.mail.mailbox.ingest import take_in
from service.mail.mailbox.imap import ImapSource
from service.jobs import DbosJobs
from service.store import records
from service.store.blobs import Blobs
from service.record.sessions import sessions
from service.store.engine import open_engine
die = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)
engine = open_engine({site.url!r})
jobs = DbosJobs(engine)
jobs.prepare()
{sabotage}
source = ImapSource(MailIn.model_validate({settings.model_dump()!r}))
take_in(source, sessions(engine), Blobs(Path({str(site.blobs.root)!r})), jobs, SystemClock())
"""
    completed_process = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, timeout=60)
    if completed_process.returncode not in {0, -signal.SIGKILL}:
        raise RuntimeError(completed_process.stderr.decode()[-2000:])
    return completed_process.returncode


@pytest.mark.slow
def test_killed_between_commit_and_move_the_mail_is_only_moved_at_the_next_start(
    site: Site, dovecot: Dovecot
) -> None:
    box = ImapBox(imap_settings(dovecot))
    box.deliver(simple(1))
    assert child(site, box.settings, "ImapSource.move_to_done = die") == -signal.SIGKILL
    assert len(mails(site)) == 1
    assert places(site)[0].moved_at is None
    assert len(box.contents("INBOX")) == 1

    # The second run must not fetch: the place of the mail is known.
    never_fetch = "ImapSource.fetch = die"
    assert child(site, box.settings, never_fetch) == 0
    assert len(mails(site)) == 1
    assert places(site)[0].moved_at is not None
    assert (box.contents("INBOX"), len(box.contents("Galloper"))) == ([], 1)


@pytest.mark.parametrize("sabotage", ["Blobs.put = die", "records.add_mail = die", "DbosJobs.enqueue = die"])
def test_killed_before_the_commit_the_mail_is_taken_in_once_at_the_next_start(
    site: Site, dovecot: Dovecot, sabotage: str
) -> None:
    box = ImapBox(imap_settings(dovecot))
    box.deliver(simple(1))
    assert child(site, box.settings, sabotage) == -signal.SIGKILL
    assert mails(site) == []
    # Fault 5: bytes first, then the row, and the move last; so whatever died, the mail is still there.
    assert len(box.contents("INBOX")) == 1
    source = box.source()
    assert take(site, source) == IngestCounts(new=1)
    source.close()
    assert len(site.jobs.queue) == 1
