"""A day on a simulated clock with a flood, a second reader of the mailbox and a restore in it, with a real
Dovecot: no sheet is lost, and the coordinator gets few letters (MBX-01 to MBX-03)."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import select

from service.features.backup import site_file
from service.intake.sender_proof import is_expected
from service.mail.mailbox import mark
from service.mail.mailbox.imap import ImapSource
from service.mail.mailbox.ingest import take_in
from service.notices import outside_notices
from service.store import records
from service.store.tables import OutboxRow, SubmissionRow
from tests.support.mail_builder import mail, stamp
from tests.support.servers.dovecot import Dovecot
from tests.support.servers.mailboxes import imap_settings
from tests.support.site import MemoryJobs, Site, make_site
from tests.support.table import COORDINATOR, SERVER, Table, address, open_table

STEP = timedelta(minutes=20)
STEPS = 72
SECOND_READER = range(24, 30)
BACKUP, RESTORE = 33, 45
A_STEP = 5


def forged(table: Table, number: int) -> bytes:
    return mail(table.subject("Montrose", number), address("Montrose"),
                stamps=[stamp("montrose.example", "fail", server=SERVER)])


def look(table: Table, source: ImapSource) -> None:
    """What poller, workers and the clockwork do in a step."""
    site = table.site
    take_in(source, site.store, site.blobs, site.jobs, site.clock, partial(is_expected, trust=table.trust))
    with site.store() as session:
        keys = [row.sha256 for row in records.unfinished_mails(session)]
    for key in keys:
        table.process(key)
    with site.store.begin() as session:
        outside_notices.send_due(session, table.writer)


def notices(table: Table, since: datetime) -> int:
    with table.site.store() as session:
        return len(session.scalars(select(OutboxRow.id).where(
            OutboxRow.recipient == COORDINATOR, OutboxRow.due_at >= since)).all())


@pytest.mark.slow
def test_a_day_of_flood_second_reader_and_restore_loses_no_sheet(
    site: Site, dovecot: Dovecot, tmp_path: Path
) -> None:
    # Dovecot stamps no mail with a time to come.
    table = open_table(site, start=date(2026, 3, 1))
    powers = sorted(table.variant.powers)
    began = table.site.clock.now()
    source = ImapSource(imap_settings(dovecot))
    mark.claim(source, table.site.store, table.site.clock)
    backup, before = b"", 0
    restored = make_site(tmp_path / "restored", now=began)
    with restored as other:
        for step in range(STEPS):
            now = began + step * STEP
            table.site.clock.set(now)
            with dovecot.client() as client:
                for number in range(A_STEP):
                    client.append("INBOX", forged(table, step * A_STEP + number), msg_time=now)
                # Sheets come before, while and after the other reader, the backup and the restore.
                if step % 7 == 1 and powers:
                    client.append("INBOX", table.mail(powers.pop()), msg_time=now)
                if step in SECOND_READER:
                    client.select_folder("INBOX")
                    client.move(client.search("ALL"), "Galloper")
            if step == BACKUP:
                out = io.BytesIO()
                site_file.write(table.site.engine, table.site.blobs, out, now, "test")
                backup = out.getvalue()
            if step == RESTORE:
                before = notices(table, began)
                site_file.restore(io.BytesIO(backup), other.engine, other.blobs, MemoryJobs(), now)
                other.clock.set(now)
                table = replace(table, site=other)
                source = ImapSource(imap_settings(dovecot))
                mark.claim(source, other.store, other.clock)
            look(table, source)
        source.close()
        assert powers == []
        with table.site.store() as session:
            assert set(session.scalars(select(SubmissionRow.power))) == set(table.variant.powers)
            assert records.unfinished_mails(session) == []
        # Those of the lost site, and those of the restored one after it.
        assert before + notices(table, began + RESTORE * STEP) <= 30
        assert dovecot.contents() == []
