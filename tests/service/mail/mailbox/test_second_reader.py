"""A mailbox that another site, a copy of the site, or the site itself before a restore reads, with a real
Dovecot (MBX-01), and one with old mails or a flood of new ones (MBX-02)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import select

from service.config import MailIn
from service.facts.events import Event
from service.intake.sender_proof import is_expected
from service.mail.authentication.trust import trust_in
from service.mail.mailbox import ingest, mark
from service.mail.mailbox.drain import DrainLimits, MailboxDrain
from service.mail.mailbox.imap import ImapSource
from service.mail.mailbox.ingest import IngestCounts, take_in
from service.mail.mailbox.maildir import MaildirSource
from service.mail.mailbox.source import MailSource
from service.operations.findings import Finding
from service.operations.health import Observation, check_other_readers
from service.operations.mailbox_status import MailboxStatus
from service.store.blobs import key_of
from service.store.tables import AddressRow, EventRow, MailRow, MailState
from tests.service.mail.mailbox.test_imap_abilities import ImapWithout
from tests.support.mails import simple
from tests.support.servers.dovecot import Dovecot
from tests.support.servers.mailboxes import ImapBox, Mailbox, MaildirBox, imap_settings, mails, take
from tests.support.site import Site, make_site
from tests.support.table import Table

# The clock of these sites: mails of a real Dovecot are stamped by the machine's.
NOW = datetime.now(UTC)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with make_site(tmp_path / "site", now=NOW) as new_site:
        yield new_site


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Site]:
    with make_site(tmp_path / "other", now=NOW) as new_site:
        yield new_site


@pytest.fixture(params=["dovecot", "maildir"])
def box(request: pytest.FixtureRequest, tmp_path: Path) -> Mailbox:
    if request.param == "dovecot":
        return ImapBox(imap_settings(request.getfixturevalue("dovecot")))
    for name in ("new", "cur", "tmp"):
        (tmp_path / "box" / name).mkdir(parents=True)
    return MaildirBox(tmp_path / "box")


def copy_of(site: Site, folder: Path) -> Site:
    """Another site on a copy of a site's folder, as a moved machine has it."""
    shutil.copytree(site.blobs.root.parent, folder)
    with make_site(folder, now=NOW) as copied:
        return copied


def claim(site: Site, box: Mailbox) -> MailSource:
    source = box.source()
    mark.claim(source, site.store, site.clock)
    return source


def moved(site: Site) -> list[int]:
    """How many mails each look found that another program had moved."""
    with site.store() as session:
        return [event.detail["count"] for event in session.scalars(
            select(EventRow).where(EventRow.what == Event.MAIL_MOVED_ELSEWHERE).order_by(EventRow.id))]


def readers(site: Site) -> Finding:
    with site.store() as session:
        return check_other_readers(Observation(
            session, site.clock.now(), MailboxStatus(site.clock), site.blobs.root, engines_loaded=False))


def test_another_site_does_not_start_on_the_mailbox_and_takes_nothing(
    site: Site, other: Site, box: Mailbox
) -> None:
    claim(site, box)
    box.deliver(simple(1), NOW)
    with pytest.raises(mark.MailboxTaken, match="Another Galloper site reads this mailbox"):
        claim(other, box)
    assert box.contents("INBOX") == [simple(1)]
    # Nor does it take anything if it looks all the same.
    with pytest.raises(mark.MailboxTaken):
        take(other, box.source())
    assert box.contents("INBOX") == [simple(1)]
    assert take(site, box.source()) == IngestCounts(new=1)


def test_a_mailbox_whose_mark_a_person_deleted_is_free_for_the_next_site(
    site: Site, other: Site, dovecot: Dovecot
) -> None:
    box = ImapBox(imap_settings(dovecot))
    claim(site, box)
    with dovecot.client() as client:
        client.select_folder("Galloper")
        client.delete_messages(client.search(["SUBJECT", mark.SUBJECT]))
        client.expunge()
    claim(other, box)
    with pytest.raises(mark.MailboxTaken):
        take(site, box.source())


def test_a_forgotten_copy_notices_at_its_first_look_that_the_site_was_moved(
    site: Site, box: Mailbox, tmp_path: Path
) -> None:
    """The old machine still runs: it took 12 of 12 mails, and Health was green on both."""
    old = claim(site, box)
    box.deliver(simple(1), NOW)
    assert take(site, old) == IngestCounts(new=1)
    new_site = copy_of(site, tmp_path / "moved")
    # Taken by the old one after the copy was made, so the new one does not have it.
    box.deliver(simple(2), NOW)
    assert take(site, old) == IngestCounts(new=1)
    new = claim(new_site, box)
    for number in range(3, 9):
        box.deliver(simple(number), NOW)
    with pytest.raises(mark.MailboxTaken, match="A copy of this site was started on this mailbox"):
        take(site, old)
    assert len(box.contents("INBOX")) == 6
    assert take(new_site, new) == IngestCounts(new=6, foreign=1)
    assert {row.sha256 for row in mails(new_site)} >= {row.sha256 for row in mails(site)}
    assert moved(new_site) == [1]
    assert readers(new_site).is_trouble
    assert "1 mail" in readers(new_site).sentence
    # Nor does a deadline of the old one close.
    drain = MailboxDrain(lambda _until: box.source(), site.store, site.blobs, site.jobs, site.clock,
                         limits=DrainLimits(longest=5, first_watched=0.1, longest_watched=0.1))
    assert drain.empty(NOW - timedelta(minutes=1)).trouble == mark.LATER_COPY
    # A start of the old one is a person's decision: it goes on, and the other one stops.
    take(site, claim(site, box))
    with pytest.raises(mark.MailboxTaken):
        take(new_site, new)


def test_a_further_process_on_the_same_database_joins(site: Site, box: Mailbox) -> None:
    first, second = claim(site, box), claim(site, box)
    for number, source in enumerate((first, second, first), start=1):
        box.deliver(simple(number), NOW)
        assert take(site, source) == IngestCounts(new=1)
    assert moved(site) == []
    assert not readers(site).is_trouble
    # One mark is there, however often the site was started.
    assert len([raw for raw in box.contents("Galloper") if mark.is_mark(raw)]) == 1


@pytest.mark.parametrize("without", [(), ("MOVE",), ("UIDPLUS", "MOVE")])
def test_mails_that_another_program_takes_are_taken_in_and_its_presence_is_told(
    site: Site, dovecot: Dovecot, without: Sequence[str]
) -> None:
    source = ImapWithout(imap_settings(dovecot), *without)
    mark.claim(source, site.store, site.clock)
    dovecot.append(simple(1))
    assert take(site, source) == IngestCounts(new=1)
    # Another program moves what it takes to the same folder.
    for number in range(2, 7):
        dovecot.append(simple(number))
    with dovecot.client() as client:
        client.select_folder("INBOX")
        client.move(client.search("ALL"), "Galloper")
    assert take(site, source) == IngestCounts(foreign=5)
    assert len(mails(site)) == 6
    assert {row.state for row in mails(site)} == {MailState.STORED}
    assert readers(site).is_trouble
    assert readers(site).is_urgent
    # Once each, and what the site moves itself is none of them.
    dovecot.append(simple(7))
    assert take(site, source) == IngestCounts(new=1)
    assert take(site, source) == IngestCounts()
    assert moved(site) == [5]


def test_what_a_program_takes_just_before_a_deadline_is_in_at_the_deadline(
    site: Site, dovecot: Dovecot
) -> None:
    source = ImapSource(imap_settings(dovecot))
    mark.claim(source, site.store, site.clock)
    dovecot.append(simple(1))
    with dovecot.client() as client:
        client.select_folder("INBOX")
        client.move([1], "Galloper")
    drain = MailboxDrain(lambda _until: source, site.store, site.blobs, site.jobs, site.clock)
    assert drain.empty(NOW - timedelta(minutes=1)).is_empty
    assert len(mails(site)) == 1


def test_after_a_restore_the_mails_that_the_backup_lacks_come_in_from_the_done_folder(
    site: Site, box: Mailbox, tmp_path: Path
) -> None:
    """5 of 8 sheets stayed in the done folder, and players held receipts."""
    source = claim(site, box)
    for number in range(3):
        box.deliver(simple(number), NOW - timedelta(hours=20))
    assert take(site, source).new == 3
    backup = copy_of(site, tmp_path / "restored")
    for number in range(3, 8):
        box.deliver(simple(number), NOW - timedelta(hours=3))
    assert take(site, source).new == 5
    stamps = {row.sha256: row.received_at for row in mails(site)}
    # The site is gone, and its backup of yesterday starts in its place.
    with backup.store.begin() as session:
        session.add(EventRow(at=NOW, actor="galloper restore", what=Event.RESTORED, detail={}))
    assert take(backup, claim(backup, box)) == IngestCounts(foreign=5)
    # With the stamps of their receipt, so that they are in time or late as they were.
    assert {row.sha256: row.received_at for row in mails(backup)} == stamps
    # No other program is suspected for it.
    assert not readers(backup).is_trouble
    assert "5 mails that the backup did not have" in readers(backup).sentence


def test_a_stranger_cannot_write_a_mark(site: Site, dovecot: Dovecot, tmp_path: Path) -> None:
    box = ImapBox(imap_settings(dovecot))
    source = claim(site, box)
    backup = copy_of(site, tmp_path / "restored")
    forged = mark.note_of(mark.Mark("0" * 32, 900), NOW)
    assert mark.is_mark(forged)
    # As it arrives: with the line of the server that received it.
    dovecot.deliver(forged)
    assert take(site, source) == IngestCounts(new=1)
    # Neither a later start nor a restored site takes it for another site's.
    assert take(site, claim(site, box)) == IngestCounts()
    assert take(backup, claim(backup, box)) == IngestCounts(foreign=1)


def test_a_mailbox_that_moved_to_another_provider_with_its_mails_brings_nothing_twice(
    site: Site, dovecot: Dovecot
) -> None:
    """Its mails have other numbers there, and the mark came with them."""
    source = claim(site, ImapBox(imap_settings(dovecot)))
    for number in range(4):
        dovecot.append(simple(number))
    assert take(site, source).new == 4
    other = Dovecot().start()
    try:
        with other.client() as client:
            client.create_folder("Galloper")
            for raw in reversed(dovecot.contents("Galloper")):
                client.append("Galloper", raw)
        moved_box = ImapBox(imap_settings(other).model_copy(update={"host": "localhost"}))
        source = claim(site, moved_box)
        other.append(simple(9))
        assert take(site, source) == IngestCounts(new=1)
        assert len(mails(site)) == 5
        assert moved(site) == []
    finally:
        source.close()
        other.remove()


@pytest.mark.parametrize("open_source", [ImapSource, MaildirSource])
def test_mails_that_are_older_than_the_site_stay_where_they_are(
    site: Site, dovecot: Dovecot, tmp_path: Path, open_source: Callable[[MailIn], MailSource]
) -> None:
    """MBX-02: at the first start all of them were moved, and each was a letter to the coordinator."""
    box: Mailbox = ImapBox(imap_settings(dovecot))
    if open_source is MaildirSource:
        for name in ("new", "cur", "tmp"):
            (tmp_path / "box" / name).mkdir(parents=True)
        box = MaildirBox(tmp_path / "box")
    for number in range(60):
        box.deliver(simple(number), NOW - timedelta(days=40 + number))
    source = box.source()
    assert mark.claim(source, site.store, site.clock) == 60
    box.deliver(simple(100), NOW)
    assert take(site, source) == IngestCounts(new=1)
    assert len(box.contents("INBOX")) == 60
    # Later starts write no further letter.
    assert mark.claim(box.source(), site.store, site.clock) == 0
    with site.store() as session:
        assert len(session.scalars(select(MailRow)).all()) == 1


AUTHSERV = "mx.galloper.example"


def mail_of(sender: str, number: int, *, is_proved: bool = False) -> bytes:
    result = "pass" if is_proved else "fail"
    stamp = f"Authentication-Results: {AUTHSERV}; dmarc={result} header.from={sender.partition('@')[2]}"
    return f"{stamp}\r\nFrom: {sender}\r\nSubject: orders {number}\r\n\r\n{number}\r\n".encode()


def flood(server: Dovecot, raws: Sequence[bytes]) -> None:
    """Put many mails into the mailbox at once."""
    with server.client() as client:
        client.select_folder("INBOX")
        for raw in raws:
            client.append("INBOX", raw)


def test_a_flood_delays_no_players_sheet(
    table: Table, dovecot: Dovecot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MBX-02: with twenty thousand mails before it a sheet waited for half an hour."""
    site = table.site
    site.clock.set(NOW)
    monkeypatch.setattr(ingest, "LOOK_SECONDS", 0.3)
    with site.store() as session:
        player = session.scalars(select(AddressRow.email)).first()
    assert player is not None
    sheet = mail_of(player, 0, is_proved=True)
    # The sheet is neither the oldest nor the newest, and strangers write under its player's address too.
    strangers = [mail_of(f"s{number}@flood.example", number) for number in range(1, 301)]
    forged = [mail_of(player, number) for number in range(1000, 1150)]
    flood(dovecot, [*strangers[:200], sheet, *forged, *strangers[200:]])
    expects = partial(is_expected, trust=trust_in((AUTHSERV,)))
    source = ImapSource(imap_settings(dovecot))
    mark.claim(source, site.store, site.clock)
    counts = take_in(source, site.store, site.blobs, site.jobs, site.clock, expects)
    assert counts.left > 200
    assert counts.new + counts.left == len([*strangers, *forged, sheet])
    with site.store() as session:
        assert session.get(MailRow, key_of(sheet)) is not None
        assert session.get(MailRow, key_of(strangers[0])) is None
    # One that arrives while the flood goes on is in after the look under way.
    later = mail_of(player, 1, is_proved=True)
    flood(dovecot, [mail_of("s@flood.example", 9000), later, mail_of("s@flood.example", 9001)])
    take_in(source, site.store, site.blobs, site.jobs, site.clock, expects)
    with site.store() as session:
        assert session.get(MailRow, key_of(later)) is not None


def test_a_flood_of_strangers_keeps_no_deadline_open(
    table: Table, dovecot: Dovecot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "LOOK_SECONDS", 0.2)
    site = table.site
    site.clock.set(NOW)
    flood(dovecot, [mail_of(f"s{number}@flood.example", number) for number in range(300)])
    drain = MailboxDrain(lambda _until: ImapSource(imap_settings(dovecot)), site.store, site.blobs, site.jobs,
                         site.clock)
    assert drain.empty(NOW - timedelta(minutes=1)).is_empty
    assert len(dovecot.contents()) > 100
