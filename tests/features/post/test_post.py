"""The Post page: letters that came by post, their scans read like mails, and originals that are awaited."""

from __future__ import annotations

from datetime import timedelta

import httpx
import pytest
from sqlalchemy import select

from service.clock import SimulatedClock
from service.desk.sheet import view
from service.facts.refusals import RefusalReason
from service.games import ballots
from service.intake.filing import READ_WORK
from service.notices.answers.replies import Replies
from service.store import records
from service.store.tables import (
    EventRow,
    GameRow,
    LotContributionRow,
    MailState,
    PageRow,
    PhaseRow,
    PhaseState,
    PostalOriginalRow,
    SubmissionRow,
)
from tests.support.desk_table import CSRF, DeskTable, open_desk, plain
from tests.support.mail_builder import pdf, picture
from tests.support.site import Site
from tests.support.table import COORDINATOR, open_table

DAY = timedelta(days=1)


@pytest.fixture
def desk(site: Site) -> DeskTable:
    """A game on its second day."""
    table = open_table(site)
    site.clock.advance(DAY)
    return open_desk(table, wall=SimulatedClock(site.clock.now()))


def send(
    desk: DeskTable, *scans: bytes, power: str = "Montrose", csrf: str = CSRF, **changes: str
) -> httpx.Response:
    """Log a letter that came this morning."""
    form = {"csrf": csrf, "place": (f"{desk.table.phase().id} "
                                    f"{power}"), "received": "2027-03-02", "hour": "06:30",
            "postmark": "2027-02-27", "version": "", **changes}
    answer: httpx.Response = desk.client.post(
        "/post", data=form,
        files=[("scan", (f"{number}.jpg", data, "image/jpeg")) for number, data in enumerate(scans)],
    )
    return answer


def posted(desk: DeskTable) -> list[PostalOriginalRow]:
    with desk.table.site.store() as session:
        return list(
            session.scalars(
                select(PostalOriginalRow)
                .where(PostalOriginalRow.ended_at.is_(None))
                .order_by(PostalOriginalRow.id)
            )
        )


def executed(desk: DeskTable) -> dict[str, int]:
    with desk.table.site.store() as session:
        return ballots.executed(session, session.get_one(PhaseRow, desk.table.phase().id))


def test_a_scan_is_filed_with_its_days_and_read_the_same_way_as_a_mail(desk: DeskTable) -> None:
    """SUB-16: the same intake takes a scan of a posted letter, entered with the day received and the
    postmark."""
    sheets = pdf(2)
    assert send(desk, picture(), sheets).status_code == 303
    (submission,) = desk.table.submissions()
    assert (submission.sha256, submission.power, submission.version, submission.received_at.isoformat()) == (
        # No mail, so no digest of one; without a number it counts as version 0.
        None, "Montrose", None, "2027-03-02T06:30:00+00:00")
    assert list(desk.table.site.jobs.queue) == [
        (READ_WORK, f"read:{submission.id}", {"submission": submission.id})]
    with desk.table.site.store() as session:
        pages = session.scalars(select(PageRow).order_by(PageRow.ordinal)).all()
    assert [desk.table.site.blobs.read(page.original) for page in pages] == [picture(), sheets]
    (row,) = posted(desk)
    assert (
        row.received.isoformat(), row.postmark and row.postmark.isoformat(), row.submission_id, row.made_by,
    ) == ("2027-03-02", "2027-02-27", submission.id, "Ada")
    assert "Montrose came Tue 2 Mar 2027, postmark Sat 27 Feb 2027" in desk.text("/post")
    # LET-06: its player alone learns that it came, and nothing of what is on it, for no one has read it
    # yet.
    assert desk.table.written_letters() == [("receipt_posted", "player@montrose.example")]
    (receipt,) = desk.table.letters()
    assert list(desk.table.message(receipt).iter_attachments()) == []
    assert ("It is on file as a scan, without a version number, and is read like a mailed sheet. "
            "The letter is kept.") in desk.table.words(receipt)


def test_a_letter_that_comes_between_two_phases_is_filed_for_the_next_one(desk: DeskTable) -> None:
    """PHA-02: anyone who posts early is as early as anyone who mails."""
    table = desk.table
    place = f"{table.phase(3).id} Montrose"
    assert place not in desk.client.get("/post").text  # while the Summer takes orders
    table.site.clock.set(table.phase().deadline)
    table.close_phase(table.phase().id)
    assert place in desk.client.get("/post").text
    day = table.site.clock.now()
    answer = send(desk, picture(90), place=place, received=f"{day:%Y-%m-%d}", hour="06:30", version="1")
    assert answer.status_code == 303
    [sheet] = table.submissions()
    assert (sheet.phase_id, sheet.power, sheet.fate) == (table.phase(3).id, "Montrose", "counts")


def test_a_posted_sheet_without_a_number_gives_way_to_any_photograph(desk: DeskTable) -> None:
    """VER-02, Q-08: it counts as version 0."""
    send(desk, picture())
    (letter,) = desk.table.submissions()
    assert executed(desk) == {"Montrose": letter.id}
    mailed = desk.table.file("Montrose", ["A Aberdeen H"])
    assert executed(desk) == {"Montrose": mailed}


def test_receipt_and_desk_agree_on_which_of_two_doors_counts(desk: DeskTable) -> None:
    """PHA-06: with a posted v7 on file a mailed v2 was informed that it replaces version 7."""
    assert send(desk, picture(30), version="7").status_code == 303
    raw = desk.table.mail("Montrose", 60, subject=desk.table.subject("Montrose", 2))
    desk.table.take(raw, desk.table.site.clock.now())
    first, second = desk.table.submissions()
    assert executed(desk) == {"Montrose": first.id}
    words = desk.table.words(desk.table.letters("receipt")[0])
    assert ("Version 7, which came by post, is on file and counts before it; send it again with a higher "
            "number if this one should count.") in words
    assert "replaces" not in words
    assert "Movement Orders - v8" in words
    with desk.table.site.store() as session:
        shown = view.versions(session, session.get_one(PhaseRow, desk.table.phase().id), "Montrose")
    assert [(version.id, version.executed, version.why) for version in shown] == [
        (first.id, True, "the latest version in time"),
        (second.id, False, "replaced by a higher version")]
    # The other way round: what is posted is behind what was mailed.
    assert send(desk, picture(90), version="6").status_code == 303
    assert "Version 7, which came by post, is on file" in desk.table.words(
        desk.table.letters("receipt_posted")[-1])
    raw = desk.table.mail("Montrose", 120, subject=desk.table.subject("Montrose", 8))
    desk.table.take(raw, desk.table.site.clock.now())
    assert executed(desk) == {"Montrose": desk.table.submissions()[-1].id}
    assert "Once it is read it replaces version 7" in desk.table.words(desk.table.letters("receipt")[1])


def test_a_letter_that_came_after_the_deadline_is_kept_and_does_not_count(desk: DeskTable) -> None:
    """SUB-13."""
    desk.table.site.clock.set(desk.table.phase().deadline + timedelta(hours=3))
    late = open_desk(desk.table)
    desk.table.set_phase(state=PhaseState.CLOSED)
    assert send(late, picture(), received="2027-03-14", hour="07:01").status_code == 303
    assert executed(desk) == {}
    # At the very minute of the deadline it is in time.
    assert send(late, picture(20), received="2027-03-14", hour="07:00").status_code == 303
    assert list(executed(desk)) == ["Montrose"]


def test_a_word_for_the_lots_that_is_logged_after_the_deadline_takes_no_part(desk: DeskTable) -> None:
    """TRU-02: who enters it then may know what the lots draw without it; the letter alone is still logged."""
    desk.table.site.clock.set(desk.table.phase().deadline + timedelta(minutes=1))
    desk = open_desk(desk.table)
    assert "a word for the lots does not count after" in send(desk, picture(), word="heather").text
    assert posted(desk) == []
    assert send(desk, picture()).status_code == 303
    with desk.table.site.store() as session:
        assert session.scalars(select(LotContributionRow)).all() == []
    assert len(posted(desk)) == 1


def test_the_tick_that_the_original_came_is_set_and_taken_back(desk: DeskTable) -> None:
    """SUB-05, Q-04: a photograph counts, with a mark that the posted original is awaited."""
    desk.table.take(desk.table.mail("Montrose"), desk.table.phase().opens_at + timedelta(hours=1))
    assert "Posted original awaited: Montrose" in desk.text("/post")
    assert send(desk).status_code == 303
    page_text = desk.text("/post")
    assert "Posted original awaited" not in page_text
    assert "original received Montrose" in page_text
    assert len(desk.table.submissions()) == 1
    (row,) = posted(desk)
    assert desk.post(f"/post/{row.id}/untick").status_code == 303
    assert "Posted original awaited: Montrose" in desk.text("/post")
    assert desk.post(f"/post/{row.id}/untick").status_code == 409


def test_a_filed_scan_is_never_taken_away(desk: DeskTable) -> None:
    send(desk, picture())
    (row,) = posted(desk)
    assert desk.post(f"/post/{row.id}/untick").status_code == 409
    assert len(posted(desk)) == 1


def test_in_a_strict_game_a_photograph_counts_once_the_letter_was_logged(desk: DeskTable) -> None:
    """SUB-05, Q-04: the strict mode refuses a photograph until then."""
    with desk.table.site.store.begin() as session:
        game = session.get_one(GameRow, desk.table.game)
        game.options = {**game.options, "post_first": True}
    received_at = desk.table.phase().opens_at + timedelta(hours=1)
    refused = desk.table.take(desk.table.mail("Montrose"), received_at)
    assert (refused.state, refused.reason) == (MailState.REFUSED, "first_by_post")
    send(desk)
    used = desk.table.take(desk.table.mail("Montrose", 30), received_at)
    assert used.state == MailState.USED
    other = desk.table.take(desk.table.mail("Argyll"), received_at)
    assert other.reason == "first_by_post"


@pytest.mark.parametrize(("changes", "status"), [
    # Tomorrow: a letter that has not come yet; a postmark after the day it came is as wrong.
    ({"received": "2027-03-03"}, 409),
    ({"postmark": "2027-03-03"}, 409),
    ({"received": "soon"}, 400),
    ({"hour": "late"}, 400),
    ({"version": "first"}, 400),
    ({"place": "999 Montrose"}, 409),
    ({"place": "x"}, 400),
    ({"csrf": "wrong"}, 403),
])
def test_a_letter_with_a_fault_changes_nothing_and_is_told(
    desk: DeskTable, changes: dict[str, str], status: int
) -> None:
    answer = send(desk, picture(), **changes)
    assert answer.status_code == status
    assert "Nothing was" in answer.text
    assert posted(desk) == []
    assert desk.table.submissions() == []


def test_a_file_that_does_not_open_or_the_same_scan_again_changes_nothing(desk: DeskTable) -> None:
    answer = send(desk, picture(), b"no picture")
    assert answer.status_code == 409
    assert "file 2 does not open" in answer.text
    assert desk.table.submissions() == []
    send(desk, picture())
    assert send(desk, picture()).status_code == 409
    assert len(desk.table.submissions()) == len(posted(desk)) == 1


def test_a_scan_of_60_megabytes_is_refused_with_what_to_do_and_changes_nothing(desk: DeskTable) -> None:
    """SUB-16: by its size alone."""
    # The bytes are those of a picture, so that it is their number alone that is refused.
    answer = send(desk, picture() + bytes(60 * 1024 * 1024))
    assert answer.status_code == 409
    assert ("Nothing was logged: at most 20 pages and 25 MB together. Scan the sheet at 300 dots per inch as "
            "JPEG") in answer.text
    assert (posted(desk), desk.table.submissions()) == ([], [])
    assert send(desk, picture()).status_code == 303


def test_a_posted_sheet_that_cannot_be_read_is_told_to_the_coordinator_alone(desk: DeskTable) -> None:
    """HEAD-03: there is no mail to answer, and no one else has the paper."""
    send(desk, picture())
    post = Replies(desk.table.writer)
    with desk.table.site.store.begin() as session:
        submission = session.scalars(select(SubmissionRow)).one()
        phase = session.get_one(PhaseRow, submission.phase_id)
        post.unusable(session, submission, phase, RefusalReason.TOO_DARK)
        post.held(session, submission, phase, RefusalReason.HEADING_DISAGREES)
    # LET-06: its receipt was written when the letter was logged, before anybody read it, and states it came.
    assert desk.table.written_letters() == [
        ("receipt_posted", "player@montrose.example"), *[("coordinator_notice", COORDINATOR)] * 2]
    receipt, unusable, _ = desk.table.letters()
    assert "A posted sheet of Montrose waits: The photograph is too dark" in desk.table.words(unusable)
    for words in ("dark", "waits", "heading"):
        assert words not in desk.table.words(receipt)


def test_the_log_names_who_logged_a_letter_and_no_address(desk: DeskTable) -> None:
    send(desk, picture())
    with desk.table.site.store() as session:
        event = session.scalars(select(EventRow).where(EventRow.what == "letter_logged")).one()
        assert records.posted(session, desk.table.phase().id) == {"Montrose"}
    assert event.actor == "Ada"
    assert "@" not in str(event.detail)


def test_nothing_of_a_posted_sheet_shows_before_the_deadline(desk: DeskTable) -> None:
    """DESK-02, Q-14."""
    send(desk, picture())
    (submission,) = desk.table.submissions()
    assert "Sealed until" in desk.text(f"/sheet/{submission.id}")
    with desk.table.site.store() as session:
        page = session.scalars(select(PageRow)).one()
    assert desk.client.get(f"/sheet/{submission.id}/original/{page.id}").status_code == 403
    desk.client.cookies.clear()
    assert desk.client.get("/post").headers["location"] == "/sign-in"


def test_a_tick_and_its_taking_back_are_said(desk: DeskTable) -> None:
    """An address cannot make the page say anything else."""
    ticked = send(desk).headers["location"]
    assert "ticked as received" in desk.text(ticked)
    assert "The tick is taken back" in desk.text(desk.post("/post/1/untick").headers["location"])
    page = desk.page("/post?notice=You+have+won")
    assert "You have won" not in page
    assert 'class="said"' not in page


def test_a_scan_that_came_late_is_said_not_to_count(desk: DeskTable) -> None:
    """SUB-13, SUB-16."""
    phase = desk.table.phase()
    desk.table.site.clock.set(phase.deadline + timedelta(days=1))
    late = open_desk(desk.table)
    notices = []
    # The deadline is at 07:00. Two shades, since the same scan twice is one sheet.
    for hour, shade in (("07:00", 10), ("07:01", 20)):
        answer = late.client.post(
            "/post",
            data={"csrf": CSRF, "place": f"{phase.id} Argyll", "received": "2027-03-14", "hour": hour},
            files={"scan": ("a.jpg", picture(shade), "image/jpeg")},
        )
        notices.append(plain(late.page(answer.headers["location"])))
    assert "its scan is filed" in notices[0]
    assert "it does not count" in notices[1]


def test_where_results_wait_for_a_scan_a_link_leads_to_the_post(desk: DeskTable) -> None:
    """LET-01."""
    assert send(desk).status_code == 303
    desk.table.site.clock.set(desk.table.phase().deadline + DAY)
    desk.table.close_phase(desk.table.phase().id)
    desk.table.judge_when_read(desk.table.phase().id)
    late = open_desk(desk.table)
    assert "no scan of it is on file. Add its scan at Post, or take the entry back" in late.text(
        f"/results/{desk.table.phase().id}")
