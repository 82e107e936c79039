"""Results, Letters, Quarantine and Today's counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from service.games.results import ShownOrder, ShownPower
from service.store.tables import MailRow, MailState, OutboxRow, OutboxState, PhaseState
from tests.support.desk_site import AFTER, DEADLINE, DeskSite


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskSite]:
    desk_site = DeskSite(tmp_path)
    yield desk_site
    desk_site.close()


@pytest.fixture(autouse=True)
def _signed_in(desk: DeskSite) -> None:
    desk.sign_in()


POWERS = (
    ShownPower("Montrose", (
        ShownOrder("Army Merse moves to Carham Castle", "succeeds", "moves", "", 2),
        ShownOrder("Army Eskdale supports Army Merse", "void", "void", "Army Merse was not told to hold.", 3),
        ShownOrder("Fleet Lyme Bay moves to Portland", "fails", "bounced", ("Bounced at Portland with Fleet "
                                                                            "Poole."), 4),
    ), void=((1, ("read as “A Ely H” or as “A Eye H”: void, the unit "
                  "holds")),), without_order=("Army Ayr", "Fleet Bute")),
    ShownPower("Ormond", (), sheet=False),
)


def test_results_are_grouped_with_failures_first_and_named_in_words(desk: DeskSite) -> None:
    desk.change(7, state=PhaseState.READY)
    desk.shown = POWERS
    page_text = desk.text("/results/7")
    assert ("3 orders: 1 ✓ succeeded, 1 ✗ failed, 1 ○ void. 1 line could not be read. 2 units had no "
            "order.") in page_text
    signs = [
        "✗ Failed 1", "Bounced at Portland", "○ Void 1", "✓ Succeeded 1", "○ Could not be read 1",
        "Without an order 2",
    ]
    places = [page_text.index(mark) for mark in signs]
    assert places == sorted(places)
    assert "Army Ayr and Fleet Bute. They hold." in page_text
    assert "Ormond Nothing received. Units hold." in page_text


def test_each_order_stands_beside_its_ink(desk: DeskSite) -> None:
    desk.change(7, state=PhaseState.READY)
    desk.shown = POWERS
    page = desk.page("/results/7")
    assert set(re.findall(r'src="/images/line/(\d+)\.jpg"', page)) == {"1", "2", "3", "4"}
    assert 'alt="the handwriting of: Fleet Lyme Bay moves to Portland"' in page
    assert desk.client.get("/images/line/4.jpg").headers["content-type"] == "image/jpeg"


def test_approving_is_one_form_on_its_own_page(desk: DeskSite) -> None:
    desk.decide(3, "void", "a")
    desk.decide(4, "void", "b")
    assert desk.page("/results/7").count('action="/results/7/approve"') == 1
    for path in ("/", "/desk/7"):
        assert "approve" not in desk.page(path).replace("approval", "")
    assert desk.post("/results/7/approve").headers["location"] == "/results/7"
    assert desk.approved == [(7, "Ada")]


def test_sent_results_are_for_reading(desk: DeskSite) -> None:
    desk.change(7, state=PhaseState.SENT, sent_at=DEADLINE + timedelta(hours=1))
    desk.shown = POWERS
    page_text = desk.text("/results/7")
    assert "Sent Sun 14 Mar 2027, 08:00 GMT." in page_text
    assert "Approve" not in page_text
    assert "✗ Failed 1" in page_text


def test_results_of_a_phase_not_judged_lead_to_the_desk(desk: DeskSite) -> None:
    assert "Nothing is judged yet." in desk.text("/results/7")


def letter(desk: DeskSite, number: int, state: OutboxState, **values: object) -> OutboxRow:
    message = EmailMessage()
    message["Subject"] = f"Letter {number}"
    message.set_content("Army Merse moves & holds")
    message.add_attachment(b"\x89PNG bytes", maintype="image", subtype="png", filename="results “1642”.png")
    # An attachment that a browser would run if it were shown inline.
    message.add_attachment(b"<script>", maintype="text", subtype="html", filename="evil.html")
    return OutboxRow(**{
        "id": number, "key": f"k{number}", "kind": "receipt", "recipient": "ada@players.example",
        "subject": f"Letter {number}", "message": desk.blobs.put(message.as_bytes()),
        "message_id": f"<{number}@x>",
        "state": state, "due_at": AFTER, **values})


def test_a_delayed_letter_is_not_called_sent(desk: DeskSite) -> None:
    desk.add(letter(desk, 1, OutboxState.DELAYED, sent_at=AFTER, error="a server on the way keeps trying"))
    assert "1 delayed on the way." in desk.text("/letters")
    assert ", sent Sun 14 Mar, 07:05 GMT: a server on the way keeps trying" in desk.text("/letters")
    # A server on the way keeps trying: nothing waits for a person.
    assert "delayed" not in desk.text("/")


def test_letters_that_failed_stand_first_with_their_reason(desk: DeskSite) -> None:
    assert "No letter has been written yet." in desk.text("/letters")
    desk.add(letter(desk, 1, OutboxState.FAILED, error="550: no such user"),
             letter(desk, 2, OutboxState.SENT, sent_at=AFTER, possibly_twice=True),
             letter(desk, 3, OutboxState.QUEUED))
    page_text = desk.text("/letters")
    assert "1 sent, 1 waiting, 1 failed." in page_text
    assert page_text.index("Letter 1") < page_text.index("Letter 3") < page_text.index("Letter 2")
    assert "✗ failed : 550: no such user" in page_text
    assert "sent Sun 14 Mar, 07:05 GMT, possibly twice" in page_text
    assert "1 letter did not arrive" in desk.text("/")
    assert "1 sent, 1 waiting, 1 failed" in desk.text("/health")


def test_a_letter_shows_its_words_and_attachments(desk: DeskSite) -> None:
    desk.add(letter(desk, 1, OutboxState.SENT, sent_at=AFTER))
    page = desk.page("/letters/1")
    assert "Army Merse moves &amp; holds" in page
    assert 'src="/letters/1/part/0"' in page
    # Only pictures and PDF files are shown; the HTML file is a download.
    assert 'src="/letters/1/part/1"' not in page
    picture = desk.client.get("/letters/1/part/0")
    assert (picture.headers["content-type"], picture.content) == ("image/png", b"\x89PNG bytes")
    assert picture.headers["content-disposition"].startswith(
        "inline; filename*=UTF-8''results%20%E2%80%9C1642"
    )
    other = desk.client.get("/letters/1/part/1")
    assert other.headers["content-type"] == "application/octet-stream"
    assert other.headers["content-disposition"].startswith("attachment")
    assert desk.client.get("/letters/1/part/2").status_code == 404
    assert desk.client.get("/letters/9").status_code == 404


def test_a_letter_whose_bytes_are_gone_says_so(desk: DeskSite) -> None:
    row = letter(desk, 1, OutboxState.SENT)
    row.message = "0" * 64
    desk.add(row)
    assert "restore it from the backup. Everything else is safe." in desk.text("/letters/1", 503)


def mail(key: str, state: MailState, **values: object) -> MailRow:
    return MailRow(
        sha256=key, size=511_000, received_at=DEADLINE - timedelta(days=2), stored_at=DEADLINE, state=state,
        **values,
    )


def test_quarantine_gives_reason_and_raw_bytes(desk: DeskSite) -> None:
    assert desk.client.get("/quarantine").headers["location"] == "/?show=mails"
    assert "Nothing of this kind waits for you." in desk.text("/?show=mails")
    key, used = desk.blobs.put(b"From: x\r\n\r\nhello"), desk.blobs.put(b"sealed orders")
    desk.add(mail(key, MailState.QUARANTINED, reason="unknown_sender", sender="mallory@elsewhere.example",
                  verdict={"subject": "Powick <Bridge>"}), mail(used, MailState.USED))
    page_text = desk.text("/?show=mails")
    assert "Powick &lt;Bridge&gt; mallory@elsewhere.example · since Fri 12 Mar, 07:00 GMT" in page_text
    assert "Its sender&#39;s address is not registered." in page_text
    raw = desk.client.get(f"/quarantine/{key}.eml")
    assert raw.content == b"From: x\r\n\r\nhello"
    assert raw.headers["content-disposition"].startswith("attachment")
    assert "1 used, 1 in quarantine" in desk.text("/health")
    assert "Mails held 1" in desk.text("/")
    # A mail that was used may hold orders of a phase that is still sealed.
    assert desk.client.get(f"/quarantine/{used}.eml").status_code == 404


def test_a_quarantined_mail_without_subject_or_known_reason_still_shows(desk: DeskSite) -> None:
    desk.add(mail("b" * 64, MailState.QUARANTINED, reason="some_new_reason"))
    page_text = desk.text("/?show=mails")
    assert "(no subject) sender unknown" in page_text
    assert "Some new reason." in page_text
    assert "restore it from the backup" in desk.text("/quarantine/" + "b" * 64 + ".eml", 503)
