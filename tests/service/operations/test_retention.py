"""What is kept for how long: what a game's record mentions for ever, the rest as the settings say, and for
ever by default."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import ValidationError
from sqlalchemy import select

from service.bootstrap import Running, open_site
from service.cli.check_storage import check_photographs
from service.config import Settings
from service.facts.events import Event
from service.mail.mailbox.source import MailboxLocation
from service.operations.retention import forget_strays
from service.site_folder import settings_of
from service.store import records
from service.store.tables import EventRow, MailboxLocationRow, MailRow, MailState
from tests.support.mail_builder import mail, stamp
from tests.support.own_site import own_site
from tests.support.site import Site
from tests.support.table import SERVER, Table, open_table

DAYS = 60


def _stored(table: Table, raw: bytes) -> MailRow:
    row = table.take(raw, table.phase().opens_at)
    with table.site.store.begin() as session:
        records.add_place(session, MailboxLocation("orders", "INBOX", "1", row.sha256[:8]), row.sha256)
    return row


def test_only_what_no_record_tells_of_is_forgotten_and_only_when_its_days_are_over(any_site: Site) -> None:
    table = open_table(any_site)
    # Four fates: only the automatic reply is no one's, and only it may go.
    used = _stored(table, table.mail("Montrose"))
    repeat = _stored(table, table.mail("Montrose", note="The same sheet once more."))
    stranger = _stored(
        table, mail("Hello", "mallory@else.example", stamps=[stamp("else.example", server=SERVER)])
    )
    machine = _stored(table, b"Auto-Submitted: auto-replied\r\n" + mail("I am away", "mallory@else.example"))
    assert [row.state for row in (used, repeat, stranger, machine)] == [
        MailState.USED, MailState.IGNORED, MailState.QUARANTINED, MailState.IGNORED]
    site = table.site

    def forget() -> int:
        return forget_strays(site.store, site.blobs, DAYS, site.clock.now())

    site.clock.advance(timedelta(days=DAYS))
    assert forget() == 0
    site.clock.advance(timedelta(seconds=1))
    assert forget() == 1
    assert forget() == 0
    assert not site.blobs.has(machine.sha256)
    with site.store() as session:
        remaining = set(session.scalars(select(MailRow.sha256)))
        assert (
            remaining
            == set(session.scalars(select(MailboxLocationRow.sha256)))
            == {used.sha256, repeat.sha256, stranger.sha256}
        )
        logged = select(EventRow.detail).where(EventRow.what == Event.STRAYS_FORGOTTEN)
        assert session.scalars(logged).all() == [{"mails": 1}]
    assert all(site.blobs.has(key) for key in remaining)


def test_bytes_that_something_else_names_stay(site: Site) -> None:
    """The same bytes as a photograph that is on file."""
    table = open_table(site)
    raw = b"Auto-Submitted: auto-replied\r\n" + mail("I am away", "mallory@else.example")
    row = _stored(table, raw)
    # A mail whose bytes are those of a photograph shares one blob with it.
    submission_id = table.file("Montrose")
    with site.store.begin() as session:
        records.pages(session, submission_id)[0].original = row.sha256
    site.clock.advance(timedelta(days=DAYS + 1))
    assert forget_strays(site.store, site.blobs, DAYS, site.clock.now()) == 1
    assert site.blobs.read(row.sha256) == raw


def test_nothing_is_forgotten_unless_the_settings_say_so(tmp_path: Path) -> None:
    unlimited = settings_of(own_site(tmp_path / "site"))
    assert unlimited.unrelated_mail_retention_days is None
    limited = unlimited.model_copy(update={"unrelated_mail_retention_days": DAYS})
    scheduled = []
    for settings in (unlimited, limited):
        site = open_site(settings)
        scheduled.append("strays" in Running(site)._schedule._intervals)
        site.engine.dispose()
    assert scheduled == [False, True]
    assert check_photographs(unlimited).sentence.endswith("for ever")
    assert check_photographs(limited).sentence.endswith(f"for {DAYS} days")


def test_less_than_sixty_days_are_refused(tmp_path: Path) -> None:
    """Work is remembered for sixty days, so that what is delivered twice is known; a shorter time would
    forget it sooner."""
    values = settings_of(own_site(tmp_path / "site")).model_dump()
    with pytest.raises(ValidationError, match="unrelated_mail_retention_days"):
        Settings.model_validate(values | {"unrelated_mail_retention_days": DAYS - 1})
