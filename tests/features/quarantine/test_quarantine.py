"""What is in a mail that no rule could route, and how a coordinator files or answers it."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import timedelta

import pytest
from PIL import Image
from sqlalchemy import select

from service.facts.refusals import RefusalReason
from service.features.quarantine.room import RefuseMail
from service.games.phases import phase_of
from service.intake.filing import READ_WORK
from service.intake.opening.open_mail import WHOLE, ChildBodies
from service.intake.opening.sandbox import SandboxLimits
from service.store.tables import EventRow, MailRow, MailState, PageRow, PhaseState, SubmissionRow
from tests.features.quarantine.routes import room_of
from tests.service.desk.test_quarantine import STRANGER, state, stranger
from tests.service.intake.test_mail_given_up import give_up
from tests.support.acting import do
from tests.support.desk_table import CSRF, DeskTable, open_desk
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.site import Site
from tests.support.table import COORDINATOR, SERVER, address, open_table

DAY = timedelta(days=1)


@pytest.fixture
def desk(site: Site) -> DeskTable:
    return open_desk(open_table(site))


def photograph_with_place() -> bytes:
    """A photograph whose EXIF shows where it was taken."""
    exif = Image.Exif()
    exif[0x010F] = "Secret camera of Oliver"
    # The GPS block: a photograph of a sheet can show where its writer lives.
    exif.get_ifd(0x8825)[1] = "N"
    out = io.BytesIO()
    Image.new("RGB", (400, 300), "white").save(out, "JPEG", exif=exif)
    return out.getvalue()


def wrong_power(desk: DeskTable) -> MailRow:
    """A registered player writes for a power of another."""
    return desk.table.take(desk.table.mail("Montrose", subject=desk.table.subject("Argyll")),
                           desk.table.phase().opens_at + DAY)


def place(desk: DeskTable, power: str = "Montrose") -> str:
    return f"{desk.table.phase().id} {power}"


def test_a_mail_is_shown_with_what_is_known_of_it_and_what_was_answered(desk: DeskTable) -> None:
    unknown, known = stranger(desk), wrong_power(desk)
    page_text = desk.text(f"/quarantine/{unknown.sha256}")
    assert f"{STRANGER}; not registered" in page_text
    assert "address is not registered" in page_text
    assert "1. jpeg," in page_text
    assert "no answer can be sent" in page_text
    page_text = desk.text(f"/quarantine/{known.sha256}")
    assert f"{address('Montrose')}; an address of Player Montrose" in page_text
    assert "Powick Bridge, Argyll" in page_text


def test_while_a_mail_may_hold_sealed_orders_neither_picture_nor_bytes_are_shown(desk: DeskTable) -> None:
    """DESK-02, Q-14."""
    row = stranger(desk)
    picture_at, raw_at = f"/quarantine/{row.sha256}/picture/0.jpg", f"/quarantine/{row.sha256}.eml"
    assert [desk.client.get(address).status_code for address in (picture_at, raw_at)] == [403, 403]
    page = desk.page(f"/quarantine/{row.sha256}")
    assert "Sealed until" in page
    assert "picture/0.jpg" not in page
    desk.table.set_phase(state=PhaseState.CLOSED)
    assert [desk.client.get(address).status_code for address in (picture_at, raw_at)] == [200, 200]
    assert "picture/0.jpg" in desk.page(f"/quarantine/{row.sha256}")


def test_a_preview_is_drawn_anew_without_exif(desk: DeskTable) -> None:
    """Q-37: nothing of the camera or the place reaches a page."""
    row = stranger(desk, text(), part(photograph_with_place()))
    desk.table.set_phase(state=PhaseState.CLOSED)
    answer = desk.client.get(f"/quarantine/{row.sha256}/picture/0.jpg")
    assert b"Secret camera" not in answer.content
    with Image.open(io.BytesIO(answer.content)) as preview:
        assert (preview.format, preview.size) == ("JPEG", (400, 300))
        assert not preview.getexif()


def test_what_a_mail_says_beside_its_picture_stands_on_no_page(desk: DeskTable) -> None:
    """DESK-04: the raw mail is a download."""
    # A pact that is told in a mail's words must not be known to anyone who reads the lines.
    row = stranger(desk, text("Ormond and I keep a pact until Winter."), part(picture()))
    desk.table.set_phase(state=PhaseState.CLOSED)
    for path in (f"/quarantine/{row.sha256}", "/?show=mails", "/"):
        assert "pact" not in desk.page(path)
    desk.post(f"/quarantine/{row.sha256}/assign", place=place(desk))
    (submission,) = desk.table.submissions()
    for path in (
        f"/sheet/{submission.id}", f"/sheets/{submission.phase_id}", f"/desk/{submission.phase_id}",
        "/letters", "/log",
    ):
        assert "pact" not in desk.page(path)


def test_an_assigned_mail_goes_the_normal_way_and_only_the_registered_address_hears_of_it(
    desk: DeskTable,
) -> None:
    row = stranger(desk)
    assert desk.post(f"/quarantine/{row.sha256}/assign", place=place(desk), version="v2").status_code == 303
    (submission,) = desk.table.submissions()
    assert (submission.power, submission.sha256, submission.received_at, submission.version) == (
        "Montrose", row.sha256, row.received_at, 2)
    assert list(desk.table.site.jobs.queue)[-1] == (
        READ_WORK, f"read:{submission.id}", {"submission": submission.id})
    assert state(desk, row) == (MailState.USED, None)
    assert ("receipt", address("Montrose")) in desk.table.written_letters()
    # The address in the mail proves nothing; the owner of the power is told at the registered one.
    assert STRANGER not in {to for _, to in desk.table.written_letters()}
    with desk.table.site.store() as session:
        page = session.scalars(select(PageRow).where(PageRow.submission_id == submission.id)).one()
    assert desk.table.site.blobs.read(page.original) == picture()
    assert f"/sheet/{submission.id}" in desk.page(f"/sheets/{submission.phase_id}")


def test_a_mail_is_assigned_once(desk: DeskTable) -> None:
    row = stranger(desk)
    desk.post(f"/quarantine/{row.sha256}/assign", place=place(desk))
    again = desk.post(f"/quarantine/{row.sha256}/assign", place=place(desk, "Argyll"))
    assert again.status_code == 409
    assert "no longer in quarantine" in again.text
    assert [submission.power for submission in desk.table.submissions()] == ["Montrose"]


def test_a_mail_without_a_picture_that_opens_is_not_assigned(desk: DeskTable) -> None:
    # It begins like a JPEG file and is none.
    row = stranger(desk, text(), part(b"\xff\xd8\xff no picture"))
    answer = desk.post(f"/quarantine/{row.sha256}/assign", place=place(desk))
    assert answer.status_code == 409
    assert "no picture of this mail opens" in answer.text
    assert state(desk, row)[0] == MailState.QUARANTINED


def test_a_mail_that_came_after_the_deadline_cannot_be_assigned(desk: DeskTable) -> None:
    """SUB-13."""
    raw = mail(desk.table.subject("Montrose"), STRANGER, stamps=[stamp("else.example", server=SERVER)])
    row = desk.table.take(raw, desk.table.phase().deadline + timedelta(seconds=1))
    answer = desk.post(f"/quarantine/{row.sha256}/assign", place=place(desk))
    assert answer.status_code == 409
    assert "after the deadline" in answer.text
    assert desk.table.submissions() == []


@pytest.mark.parametrize("where", ["", "x y", "999 Montrose", "{phase} Nowhere"])
def test_a_place_that_does_not_exist_changes_nothing(desk: DeskTable, where: str) -> None:
    row = stranger(desk)
    answer = desk.post(f"/quarantine/{row.sha256}/assign", place=where.format(phase=desk.table.phase().id))
    assert answer.status_code in {400, 409}
    assert state(desk, row)[0] == MailState.QUARANTINED
    assert desk.table.submissions() == []


def test_the_same_photographs_are_not_filed_twice_for_a_power(desk: DeskTable) -> None:
    first = stranger(desk)
    raw = mail(desk.table.subject("Montrose", 2), STRANGER, stamps=[stamp("else.example", server=SERVER)])
    second = desk.table.take(raw, desk.table.phase().opens_at + DAY)
    desk.post(f"/quarantine/{first.sha256}/assign", place=place(desk))
    answer = desk.post(f"/quarantine/{second.sha256}/assign", place=place(desk))
    assert answer.status_code == 409
    assert "already on file for this power" in answer.text
    assert state(desk, second)[0] == MailState.QUARANTINED
    assert len(desk.table.submissions()) == 1


def test_a_prepared_answer_is_shown_before_it_is_sent_and_sent_once(desk: DeskTable) -> None:
    """OUT-03."""
    row = wrong_power(desk)
    before = len(desk.table.letters("rejection"))
    page_text = desk.text(f"/quarantine/{row.sha256}?reason=too_dark")
    assert "The photograph is too dark to read. " in page_text
    assert f"Send this to {address('Montrose')}" in page_text
    assert len(desk.table.letters("rejection")) == before
    assert desk.post(f"/quarantine/{row.sha256}/refuse", reason="too_dark").status_code == 303
    letters = desk.table.letters("rejection")
    assert len(letters) == before + 1
    assert letters[-1].recipient == address("Montrose")
    assert "The photograph is too dark to read." in desk.table.words(letters[-1])
    assert "Lay the sheet flat in daylight" in desk.table.words(letters[-1])
    assert state(desk, row) == (MailState.REFUSED, "too_dark")
    assert desk.post(f"/quarantine/{row.sha256}/refuse", reason="too_dark").status_code == 409
    assert len(desk.table.letters("rejection")) == before + 1


def test_nobody_is_answered_who_is_not_registered(desk: DeskTable) -> None:
    row = stranger(desk)
    answer = desk.post(f"/quarantine/{row.sha256}/refuse", reason="no_photo")
    # A refusal to an address that no one registered would let a forged From have us write to a victim.
    assert answer.status_code == 409
    assert "Nothing was sent" in answer.text
    assert desk.table.written_letters() == [("coordinator_notice", COORDINATOR)]
    assert state(desk, row)[0] == MailState.QUARANTINED
    assert desk.post(f"/quarantine/{row.sha256}/refuse", reason="because").status_code == 400


def test_every_act_is_logged_with_who_and_without_an_address(desk: DeskTable) -> None:
    assigned, two, three = stranger(desk), wrong_power(desk), stranger(desk, text("x"), part(picture(20)))
    desk.post(f"/quarantine/{assigned.sha256}/assign", place=place(desk))
    desk.post(f"/quarantine/{two.sha256}/refuse", reason="blurred")
    desk.post(f"/quarantine/{three.sha256}/discard", why="An advertisement with a picture.")
    desk.post(f"/quarantine/{three.sha256}/take-back")
    with desk.table.site.store() as session:
        events = session.scalars(select(EventRow).where(EventRow.actor == "Ada").order_by(EventRow.id)).all()
    assert [event.what for event in events] == [
        "mail_assigned", "mail_refused_by_hand", "mail_discarded", "mail_taken_back"]
    assert "@" not in str([event.detail for event in events])


def test_a_form_without_its_token_changes_nothing(desk: DeskTable) -> None:
    row = stranger(desk)
    values = {"place": place(desk), "reason": "no_photo", "why": "An advertisement with a picture."}
    for act in ("assign", "refuse", "discard", "take-back"):
        answer = desk.client.post(f"/quarantine/{row.sha256}/{act}", data={**values, "csrf": CSRF + "x"})
        assert answer.status_code == 403
    assert state(desk, row)[0] == MailState.QUARANTINED
    with desk.table.site.store() as session:
        assert session.scalar(select(SubmissionRow)) is None


def test_nothing_of_a_mail_shows_without_signing_in(desk: DeskTable) -> None:
    row = stranger(desk)
    desk.client.cookies.clear()
    for path in (row.sha256, f"{row.sha256}/picture/0.jpg"):
        assert desk.client.get(f"/quarantine/{path}").headers["location"] == "/sign-in"


@pytest.mark.parametrize(("limits", "says"), [
    (replace(WHOLE, data=1000), "This mail was not opened: that takes too much time"),
    (replace(WHOLE, wall_seconds=0.0), "This mail cannot be opened now"),
])  # fmt: skip
def test_a_mail_that_cannot_be_opened_says_so_and_can_still_be_discarded(
    site: Site, limits: SandboxLimits, says: str
) -> None:
    """BOX-05: the desk opens no mail in its own process, and shows why one was left closed."""
    desk = open_desk(replace(open_table(site), bodies=ChildBodies(whole=limits)))
    row = stranger(desk)
    assert says in desk.text(f"/quarantine/{row.sha256}")
    assert desk.post(f"/quarantine/{row.sha256}/assign", place=place(desk)).status_code == 409
    desk.post(f"/quarantine/{row.sha256}/discard", why="Nobody here knows this sender.")
    assert state(desk, row) == (MailState.IGNORED, "discarded")


def test_the_coordinator_can_answer_once_more_from_quarantine(site: Site) -> None:
    """The proved sender is stored with a mail that was given up, so that the desk knows whom it may
    answer."""
    table = open_table(site)
    row = give_up(table, table.mail("Montrose"))
    do(table, RefuseMail(room_of(table), row.sha256, RefusalReason.CUT_OFF), "ruth")
    assert table.written_letters()[2:] == [("rejection", address("Montrose"))]
    assert table.mail_row(row.sha256).state == MailState.REFUSED


def test_the_page_says_what_was_filed_or_answered(desk: DeskTable) -> None:
    filed = desk.post(f"/quarantine/{stranger(desk).sha256}/assign", place=place(desk))
    assert "a receipt goes to the registered address" in desk.text(filed.headers["location"])
    answered = desk.post(f"/quarantine/{wrong_power(desk).sha256}/refuse", reason="too_dark")
    assert "is sent once" in desk.text(answered.headers["location"])


def test_a_mail_that_names_an_announced_phase_is_sealed_and_filed_for_it(desk: DeskTable) -> None:
    """PHA-02: between two phases its ink was shown, and it could not be filed before its phase opened."""
    table = desk.table
    table.set_phase(1, state=PhaseState.SENT)
    table.set_phase(2, state=PhaseState.SENT)
    now, autumn = table.site.clock.now(), table.phase(3)
    # Montrose's player names another power by a slip.
    row = table.take(table.mail("Montrose", subject=table.subject("Argyll", 1, phase_of(autumn))), now)
    assert (row.state, row.reason) == (MailState.QUARANTINED, "sender_not_power")
    assert "Sealed until" in desk.text(f"/quarantine/{row.sha256}")
    desk.page(f"/quarantine/{row.sha256}.eml", 403)
    desk.post(f"/quarantine/{row.sha256}/assign", place=f"{autumn.id} Montrose", version="v1")
    (sheet,) = table.submissions()
    assert (sheet.phase_id, sheet.power) == (autumn.id, "Montrose")
    assert "your sheet is kept and counts then" in table.words(table.letters("receipt")[-1])
