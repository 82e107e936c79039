"""Letters by post, logged without a page: the original of a photograph, the receipt, a word for the lots."""

from __future__ import annotations

from datetime import date, time, timedelta

import pytest

from service.features.post.postal_mail import PostedLetter, originals_awaited
from service.games import lots
from service.store.tables import PhaseRow
from tests.features.post.scenes import log
from tests.support.mail_builder import picture
from tests.support.site import Site
from tests.support.table import address, open_table, sheet_picture


def test_a_letter_by_courier_is_logged_like_any_other(site: Site) -> None:
    """POST-05: it has no postmark, and is the posted original all the same."""
    table = open_table(site)
    table.take(table.mail("Montrose"), table.site.clock.now())
    phase = table.phase()
    with site.store() as session:
        assert originals_awaited(session, phase) == ["Montrose"]
    site.clock.advance(timedelta(days=1))
    came = PostedLetter(phase.id, "Montrose", site.clock.now().date(), time(0, 0), postmark=None)
    assert log(table, came, []) is None
    with site.store() as session:
        assert originals_awaited(session, phase) == []


def test_a_posted_sheet_without_a_heading_or_a_version_counts(site: Site) -> None:
    """POST-08: its style does not matter."""
    table = open_table(site)
    phase = table.phase()
    site.clock.advance(timedelta(days=1))
    filed = log(
        table, PostedLetter(phase.id, "Argyll", site.clock.now().date(), time(0, 0)), [picture(120)])
    (submission,) = table.submissions()
    assert (submission.id, submission.version, submission.fate) == (filed, None, "counts")


def test_a_word_by_post_counts_like_one_by_mail(site: Site) -> None:
    table = open_table(site)
    row = table.phase()
    site.clock.set(row.opens_at + timedelta(days=2))
    came = date.fromordinal(row.opens_at.toordinal() + 1)
    log(table, PostedLetter(row.id, "Ormond", came, time(9, 30), word="a plain stone"), [sheet_picture()])
    with site.store() as session:
        assert lots.words_of(session, session.get_one(PhaseRow, row.id)) == ["Ormond: a plain stone"]


@pytest.mark.parametrize(("hours", "scans", "mailed", "phrase"), [
    (-1, True, False, "It is on file as a scan, version 1"),
    (-1, False, True, "The sheet that you mailed is what is read."),
    (-1, False, False, "It has not been scanned yet, and no sheet of yours counts for this phase before"),
    (1, True, True, "came by post after the deadline, so it will not be executed. Received"),
    (1, True, True, "The sheet that you sent in time still counts."),
    (1, True, False, "No other sheet of yours counts for this phase."),
])
def test_a_letter_by_post_gets_its_receipt(
    site: Site, hours: int, scans: bool, mailed: bool, phrase: str
) -> None:
    """SUB-16, LET-01: the player learns that the letter came, when, and what counts."""
    table = open_table(site)
    phase = table.phase()
    if mailed:
        table.file("Montrose", ["A Inverness H"], version=2)
    arrived = phase.deadline + timedelta(hours=hours)
    site.clock.set(arrived + timedelta(hours=1))
    log(table,
        PostedLetter(phase.id, "Montrose", arrived.date(), time(arrived.hour, arrived.minute),
                     postmark=arrived.date() - timedelta(days=2), version=1),
        [picture(90)] if scans else [])
    (letter,) = table.letters("receipt_posted")
    words = table.words(letter)
    assert letter.recipient == address("Montrose")
    assert phrase in words
    assert f"{arrived:%a %-d %b %Y, %H:%M} GMT" in words
    assert "Its postmark: " in words
    assert "subject" not in words.lower()
