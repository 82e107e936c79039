"""The Quarantine pages of the core: the list, what is known of a mail, its bytes; a mail set aside and taken
back."""

from __future__ import annotations

from datetime import timedelta

import pytest

from service.store.tables import MailRow, MailState, PhaseState
from tests.support.desk_table import DeskTable, open_desk
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.site import Site
from tests.support.table import SERVER, address, open_table

DAY = timedelta(days=1)
STRANGER = "mallory@else.example"


@pytest.fixture
def desk(site: Site) -> DeskTable:
    return open_desk(open_table(site))


def stranger(desk: DeskTable, *parts: bytes) -> MailRow:
    """A mail from an address that nobody registered, with a picture unless other parts are given."""
    raw = mail(desk.table.subject("Montrose"), STRANGER, parts=list(parts) or [text(), part(picture())],
               stamps=[stamp("else.example", server=SERVER)])
    return desk.table.take(raw, desk.table.phase().opens_at + DAY)


def state(desk: DeskTable, row: MailRow) -> tuple[str, str | None]:
    mail = desk.table.mail_row(row.sha256)
    return mail.state, mail.reason


def test_a_mail_is_shown_with_what_is_known_of_it_and_its_bytes_once_no_sheet_is_sealed(
    desk: DeskTable
) -> None:
    """DESK-02, Q-14."""
    row = stranger(desk)
    page, raw = f"/quarantine/{row.sha256}", f"/quarantine/{row.sha256}.eml"
    assert f"{STRANGER}; not registered" in desk.text(page)
    assert "nobody is registered with its sender" in desk.text(page)
    assert "Sealed until" in desk.text(page)
    assert desk.client.get(raw).status_code == 403
    desk.table.set_phase(state=PhaseState.CLOSED)
    assert "Sealed until" not in desk.text(page)
    assert desk.client.get(raw).content == desk.table.site.blobs.read(row.sha256)
    assert desk.post(f"{page}/discard", why="Nobody here knows this sender.").status_code == 303
    assert desk.client.get(page).status_code == 404


def test_a_discarded_mail_keeps_its_bytes_and_can_be_taken_back(desk: DeskTable) -> None:
    row = stranger(desk)
    raw = desk.table.site.blobs.read(row.sha256)
    assert desk.post(f"/quarantine/{row.sha256}/discard", why="short").status_code == 409
    assert state(desk, row)[0] == MailState.QUARANTINED
    assert (
        desk.post(f"/quarantine/{row.sha256}/discard", why="An advertisement with a picture.").status_code
        == 303
    )
    assert state(desk, row) == (MailState.IGNORED, "discarded")
    assert desk.table.site.blobs.read(row.sha256) == raw
    assert "Discarded" in desk.text("/quarantine")
    assert desk.post(f"/quarantine/{row.sha256}/take-back").status_code == 303
    assert state(desk, row) == (MailState.QUARANTINED, "unknown_sender")
    assert desk.post(f"/quarantine/{row.sha256}/take-back").status_code == 409


def test_an_ignored_mail_of_a_player_is_listed_and_taken_back_from_the_page(desk: DeskTable) -> None:
    """BOX-01: with sender and subject, counted on Today; nothing of what it says is shown."""
    sender = address("Montrose")
    raw = mail(desk.table.subject("Montrose"), sender, headers=["Auto-Submitted: auto-replied"],
               parts=[text("A pact until Winter."), part(picture())],
               stamps=[stamp(sender.rpartition("@")[2], server=SERVER)])
    first = desk.table.take(raw, desk.table.phase().opens_at + DAY)
    second = desk.table.take(b"X-Copy: 1\r\n" + raw, desk.table.phase().opens_at + DAY)
    assert "2 mails under a player's address were ignored" in desk.text("/")
    page = desk.text("/quarantine")
    assert f"{desk.table.subject('Montrose')} Player Montrose, {sender}" in page
    assert "it says that a program sent it" in page
    assert "pact" not in page
    assert desk.client.post(f"/quarantine/{first.sha256}/queue").status_code == 403
    assert desk.post(f"/quarantine/{first.sha256}/queue").status_code == 303
    assert desk.post(f"/quarantine/{second.sha256}/leave").status_code == 303
    assert desk.post(f"/quarantine/{second.sha256}/queue").status_code == 409
    desk.table.process(first.sha256)
    assert state(desk, first) == (MailState.USED, None)
    page = desk.text("/quarantine")
    assert "taken back by Ada" in page
    assert "left by Ada" in page
    assert "under a player's address were ignored" not in desk.text("/")
