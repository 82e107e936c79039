"""Mails that the server does not let go or does not hand out: remembered and told, and the look goes on past
them (BOX-07). Dovecot refuses as real servers do: no rights, no such name, no room."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from service.mail.mailbox.imap import CUT_TRIES, ImapSource
from service.mail.mailbox.ingest import FETCH_TRIES, IngestCounts
from service.mail.mailbox.source import (
    MailboxError,
    MailboxLocation,
    MailFault,
    MoveRefused,
    RawMail,
    Signal,
    WaitingMail,
)
from service.store.columns import MailTroubleKind
from service.store.tables import EventRow, MailTroubleRow
from tests.service.mail.mailbox.test_imap_abilities import ImapWithout
from tests.support.mails import simple
from tests.support.servers.dovecot import USER, Dovecot
from tests.support.servers.mailboxes import STAMP, NoDoneFolder, imap_settings, mails, places, take
from tests.support.site import Site


def troubles(site: Site) -> list[MailTroubleRow]:
    with site.store() as session:
        return list(session.scalars(select(MailTroubleRow).order_by(MailTroubleRow.uid)))


def box_of(server: Dovecot) -> Path:
    return server.root / "mail" / USER / "Maildir"


@pytest.fixture
def rights() -> Iterator[Callable[[Path, int], None]]:
    """Change the rights of a folder of mails and of its parts; put back at the end."""
    changed: list[Path] = []

    def change(folder: Path, mode: int) -> None:
        for part in (*(folder / name for name in ("cur", "new", "tmp")), folder):
            part.chmod(mode)
            changed.append(part)

    yield change
    for path in reversed(changed):
        if path.exists():
            path.chmod(0o700)


def test_an_unwritable_folder_stops_nothing_and_its_mails_are_moved_once_it_can_be_written(
    site: Site, dovecot: Dovecot, rights: Callable[[Path, int], None]
) -> None:
    """BOX-07: twenty such mails stopped all intake."""
    with dovecot.client() as client:
        client.create_folder("Galloper")
    rights(box_of(dovecot) / ".Galloper", 0o500)
    for number in range(25):
        dovecot.append(simple(number))
    source = ImapSource(imap_settings(dovecot))
    assert take(site, source) == IngestCounts(new=25, unmoved=25)
    assert len(mails(site)) == 25
    assert {row.why for row in troubles(site)} == {
        "the mail server refuses to move mails to the folder Galloper (SERVERBUG)"}
    # At the next look they rest: neither fetched nor moved, and what is new comes in behind them.
    asked = counted(source)
    dovecot.append(simple(99))
    assert take(site, source) == IngestCounts(new=1, unmoved=26)
    assert asked == ["fetch", "move"]
    # When it becomes possible they go, at their own time.
    rights(box_of(dovecot) / ".Galloper", 0o700)
    site.clock.advance(timedelta(minutes=2))
    assert take(site, source) == IngestCounts(repeats=26)
    source.close()
    assert troubles(site) == []
    assert all(place.moved_at is not None for place in places(site))
    assert (dovecot.contents(), len(dovecot.contents("Galloper"))) == ([], 26)


def counted(source: ImapSource) -> list[str]:
    """The fetches and moves that a source is asked for from now on."""
    asked: list[str] = []
    for name in ("fetch", "move_to_done"):
        act = getattr(source, name)

        def noted(argument: object, act: Callable[[object], object] = act, name: str = name) -> object:
            asked.append(name.partition("_")[0])
            return act(argument)

        setattr(source, name, noted)
    return asked


@pytest.mark.parametrize("done_folder", ["Galloper//Done", "x" * 300])
def test_a_folder_name_that_the_server_refuses_is_told_and_mails_come_in(
    site: Site, dovecot: Dovecot, done_folder: str
) -> None:
    """BOX-07."""
    for number in range(2):
        dovecot.append(simple(number))
    source = ImapSource(imap_settings(dovecot).model_copy(update={"done_folder": done_folder}))
    assert take(site, source) == IngestCounts(new=2, unmoved=2)
    source.close()
    assert troubles(site)[0].why.endswith("(CANNOT)")


def test_over_quota_a_copy_is_refused_and_no_mail_is_copied_twice(site: Site) -> None:
    """BOX-07: without MOVE a mail needs room for its copy."""
    server = Dovecot(quota=100).start()
    try:
        small = simple(1, size=10_000)
        server.append(small)
        server.append(simple(2, size=45_000))
        source = ImapWithout(imap_settings(server), "MOVE")
        # Both together do not fit; the smaller one does.
        assert take(site, source) == IngestCounts(new=2, unmoved=1)
        assert [row.why for row in troubles(site)] == [
            "the mail server refuses to move mails to the folder Galloper (OVERQUOTA)"]
        site.clock.advance(timedelta(minutes=2))
        assert take(site, source) == IngestCounts(repeats=1, unmoved=1)
        assert server.contents("Galloper") == [small]
        source.close()
        server.kill()
        server.quota = 1000
        server.start()
        site.clock.advance(timedelta(minutes=6))
        assert take(site, source) == IngestCounts(repeats=1)
        source.close()
        assert (server.contents(), len(server.contents("Galloper"))) == ([], 2)
    finally:
        server.remove()


def test_a_mailbox_that_may_only_be_read_still_brings_its_mails(
    site: Site, dovecot: Dovecot, rights: Callable[[Path, int], None]
) -> None:
    """BOX-07."""
    dovecot.append(simple(1))
    rights(box_of(dovecot), 0o500)
    source = ImapSource(imap_settings(dovecot))
    assert take(site, source) == IngestCounts(new=1, unmoved=1)
    assert "may only be read (READ-ONLY)" in troubles(site)[0].why
    assert take(site, source) == IngestCounts(unmoved=1)
    source.close()


def test_a_mail_on_which_the_server_breaks_off_every_time_is_left_for_later_and_told(
    site: Site, dovecot: Dovecot
) -> None:
    """BOX-07: Dovecot ends the connection at a mail whose file it may not read."""
    dovecot.append(simple(1))
    dovecot.append(simple(2))
    with dovecot.client() as client:
        client.select_folder("INBOX")
        client.fetch([1], ["RFC822.SIZE"])
    broken = min((box_of(dovecot) / "cur").iterdir())
    broken.chmod(0)
    source = ImapSource(imap_settings(dovecot))
    for _ in range(CUT_TRIES):
        with pytest.raises(MailboxError):
            take(site, source)
    # The other one came in at the second look at the latest.
    assert len(mails(site)) == 1
    assert take(site, source) == IngestCounts(repeats=1, unreadable=1)
    (row,) = troubles(site)
    assert (row.kind, row.size) == (MailTroubleKind.UNFETCHED, len(simple(1)))
    asked = counted(source)
    assert take(site, source) == IngestCounts(unreadable=1)
    assert asked == []
    broken.chmod(0o600)
    site.clock.advance(timedelta(minutes=2))
    assert take(site, source) == IngestCounts(new=1)
    source.close()
    assert troubles(site) == []
    with site.store() as session:
        assert session.scalars(select(EventRow.what)).all() == ["mail_unreadable"]




class Unreadable(NoDoneFolder):
    """A mailbox that answers NO to the fetch of its first mail, and lets it into quarantine only later."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.takes_quarantine = False

    def list_waiting(self, since: datetime | None = None) -> list[WaitingMail]:
        uids = ("2",) if "quarantined" in self.asked else ("1", "2")
        return [WaitingMail(MailboxLocation("a", "f", "1", uid), 10, STAMP) for uid in uids]

    def fetch(self, waiting: WaitingMail) -> RawMail:
        self.asked.append(f"fetch {waiting.place.uid}")
        if waiting.place.uid == "1":
            raise MailFault("the server's answer cannot be used: NO")
        return RawMail(b"good", is_whole=True)

    def move_to_done(self, places: Sequence[MailboxLocation]) -> Mapping[MailboxLocation, MailboxLocation]:
        return {}

    def quarantine(self, place: MailboxLocation) -> None:
        if not self.takes_quarantine:
            raise MoveRefused("the mail server refuses (NOPERM)")
        self.asked.append("quarantined")

    def wait(self, seconds: float, stop: Signal) -> None:
        stop.wait(seconds)

    def close(self) -> None:
        pass


def test_a_mail_that_can_neither_be_fetched_nor_put_into_quarantine_rests(site: Site) -> None:
    """BOX-07: it is not asked for at every look, and the one behind it comes in."""
    source = Unreadable()
    assert take(site, source) == IngestCounts(new=1, unreadable=1)
    assert source.asked == ["fetch 1"] * FETCH_TRIES + ["fetch 2"]
    (row,) = troubles(site)
    assert (row.kind, row.received_at) == (MailTroubleKind.UNFETCHED, STAMP)
    assert row.why == ("the server's answer cannot be used: NO; the mail server refuses "
                       "(NOPERM)")
    source.asked.clear()
    assert take(site, source) == IngestCounts(repeats=1, unreadable=1)
    assert source.asked == []
    # Tried again after a minute, then after five more, and put away when that is possible.
    site.clock.advance(timedelta(minutes=1))
    take(site, source)
    site.clock.advance(timedelta(minutes=4))
    take(site, source)
    assert source.asked == ["fetch 1"] * FETCH_TRIES
    source.takes_quarantine = True
    site.clock.advance(timedelta(minutes=1))
    take(site, source)
    assert source.asked[-1] == "quarantined"
    # Its bytes are not here, so it is remembered as long as it may count for a deadline.
    assert [row.kind for row in troubles(site)] == [MailTroubleKind.AWAY]
