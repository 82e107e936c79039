"""What the desk states in each state of a phase, before its deadline and after (the desk plan's table of
states)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import delete, update

from service.store.tables import LineRow, MailRow, MailState, OutboxRow, PageRow, PhaseState, SubmissionRow
from tests.support.desk_site import DEADLINE, DeskSite


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskSite]:
    desk_site = DeskSite(tmp_path)
    yield desk_site
    desk_site.close()


@pytest.fixture(autouse=True)
def _signed_in(desk: DeskSite) -> None:
    desk.sign_in()


def test_before_the_deadline_only_counts_show(desk: DeskSite) -> None:
    desk.change(7, state=PhaseState.OPEN)
    # The tests' clock starts five minutes after the deadline.
    desk.clock.advance(timedelta(days=-2, hours=-3, minutes=-5))
    for path, status in (("/", 200), ("/desk/7", 200), ("/desk/7?line=3", 200), ("/results/7", 200),
                         ("/images/line/3.jpg", 403), ("/images/strip/3.jpg", 403),
                         ("/images/page/1.jpg", 403)):
        page = desk.page(path, status)
        assert "Sealed until" in page
        assert "Eskdale" not in page
        assert "Lyme" not in page
    assert "Sealed until Sun 14 Mar 2027, 07:00 GMT. 1 of 2 powers have a sheet." in desk.text("/desk/7")
    assert "2 days 3 hours to go" in desk.text("/")
    assert "Without a sheet: Ormond." in desk.text("/")


def test_a_phase_that_is_not_open_yet_is_sealed_too(desk: DeskSite) -> None:
    desk.change(7, state=PhaseState.WAITING)
    assert "This phase is not open yet" in desk.text("/desk/7")


@pytest.mark.parametrize("state", [PhaseState.WAITING, PhaseState.OPEN, PhaseState.SENT])
def test_lines_are_decided_only_between_deadline_and_sending(desk: DeskSite, state: PhaseState) -> None:
    desk.change(7, state=state)
    for path, values in (("decide", {"line": 3, "key": "k", "do": "void"}), ("undo", {}), ("judge", {})):
        answer = desk.post(f"/desk/7/{path}", **values)
        assert answer.status_code == 409
        assert "Earlier decisions stay" in answer.text
    assert desk.reviews() == []


def test_a_closed_phase_leads_to_its_doubtful_lines(desk: DeskSite) -> None:
    page_text = desk.text("/")
    assert "1 of 2 powers have a sheet that counts." in page_text
    assert "1 of 3 lines settled" in page_text
    assert "Read 2 doubtful lines" in page_text


def test_all_read_says_who_read_what_and_leads_to_the_results(desk: DeskSite) -> None:
    desk.decide(3, "reading-1", "a")
    desk.decide(4, "void", "b")
    page_text = desk.text("/desk/7")
    assert ("All 3 orders are read: 1 by the machine, 1 by you, 1 void. 1 other line of the sheets is "
            "not an order.") in page_text
    assert "Ormond: nothing received. Units will hold." in page_text
    assert "Results →" in page_text
    assert "Approve the results" in desk.text("/")


def test_only_movement_says_that_units_hold(desk: DeskSite) -> None:
    desk.change(7, kind="adjustment")
    desk.decide(3, "void", "a")
    desk.decide(4, "void", "b")
    assert "Ormond: nothing received." in desk.text("/desk/7")
    # In an adjustment phase nothing holds.
    assert "hold" not in desk.text("/desk/7").partition("Last decisions")[0]


def test_a_sheet_still_with_the_machine_is_told_and_looked_for_again(desk: DeskSite) -> None:
    desk.still_to_read = True
    desk.decide(3, "void", "a")
    with desk.store.begin() as session:
        session.execute(update(SubmissionRow).values(read_at=None))
    assert desk.decide(4, "void", "b") == "/desk/7"
    page = desk.page("/desk/7")
    # The page works without script, so it reloads itself while the machine reads.
    assert '<meta http-equiv="refresh"' in page
    assert "1 sheet is still being read by the machine." in desk.text("/desk/7")
    assert "Judge the turn" not in page
    assert "1 sheet still being read by the machine" in desk.text("/")


def test_a_phase_without_any_sheet_says_so(desk: DeskSite) -> None:
    with desk.store.begin() as session:
        session.execute(update(SubmissionRow).values(fate="held", flags=["heading_disagrees"]))
    page_text = desk.text("/desk/7")
    assert "There is nothing to read: no sheet counts." in page_text
    aside = "A sheet of Montrose is set aside: the sheet's heading and the mail's subject disagree."
    assert aside in page_text.replace("&#39;", "'")
    assert ("A sheet of Montrose is set aside Sheets · Powick Bridge, Summer 1642 Movement · since Sun 14 "
            "Mar, 06:00 GMT The sheet's heading") in desk.text("/").replace("&#39;", "'")


def test_a_sheet_on_which_no_line_was_found_says_so_and_leads_to_it(desk: DeskSite) -> None:
    """An image with no lines: the paper counts, so no one is informed that none came."""
    with desk.store.begin() as session:
        session.execute(delete(LineRow))
    page_text = desk.text("/desk/7")
    assert ("There is nothing to read: no line was found on the 1 sheet that counts. Look at the sheets ; a "
            "line") in page_text
    assert 'href="/sheets/7"' in desk.page("/desk/7")
    assert "No line was found on this sheet. Add what it says below." in desk.text("/sheet/1")
    assert "Judge the turn" in page_text


def test_lines_that_somebody_else_read_are_not_said_to_be_yours(desk: DeskSite) -> None:
    desk.decide(3, "reading-1", "a")
    desk.second_reader()
    desk.decide(4, "reading-1", "b")
    assert ("All 3 orders are read: 1 by the machine, 1 by you, 1 by others. 1 other line of the "
            "sheets is not an order."
            in desk.text("/desk/7"))


def test_after_the_deadline_nobody_can_be_nudged(desk: DeskSite) -> None:
    """The state "power without sheet": it is told, and no control asks its player for one."""
    desk.decide(3, "void", "a")
    desk.decide(4, "void", "b")
    page = desk.page("/desk/7")
    assert "Ormond: nothing received." in page
    assert set(re.findall(r'action="([^"]*)"', page)) <= {
        "/sign-out", "/desk/7/undo", "/desk/7/redo", "/desk/7/judge",
    }


def test_after_sending_the_desk_is_for_looking_only(desk: DeskSite) -> None:
    desk.change(7, state=PhaseState.SENT, sent_at=DEADLINE + timedelta(hours=3))
    page_text = desk.text("/desk/7?line=3")
    assert ("The results were sent Sun 14 Mar 2027, 10:00 GMT. The lines can still be looked "
            "at, but no longer be changed.") in page_text
    assert 'action="/desk/7' not in desk.page("/desk/7?line=3")


def mailed(desk: DeskSite) -> str:
    """Have the sheet come by a mail; its key."""
    desk.add(MailRow(sha256="c" * 64, size=1, received_at=DEADLINE, stored_at=DEADLINE, state=MailState.USED))
    with desk.store.begin() as session:
        session.execute(update(SubmissionRow).values(sha256="c" * 64))
    return "c" * 64


def test_an_unusable_photograph_is_shown_with_its_reason_and_what_its_sender_knows(desk: DeskSite) -> None:
    with desk.store.begin() as session:
        session.execute(update(PageRow).values(note="too_dark"))
    page_text = desk.text("/desk/7")
    assert ("A page of Montrose cannot be used: the photograph is too dark. The sender was not told "
            "yet.") in page_text
    assert 'src="/images/page/1.jpg"' in desk.page("/desk/7")
    sheet = mailed(desk)
    desk.add(OutboxRow(key=f"x/{sheet}-too_dark", kind="rejection", phase_id=7, subject="s",
                       recipient="james@players.example", message="0" * 64, message_id="<1@x>",
                       state="sent", due_at=DEADLINE, sent_at=DEADLINE))
    assert "The sender was told Sun 14 Mar 2027, 07:00 GMT." in desk.text("/desk/7")


@pytest.mark.parametrize(("kind", "flags", "is_told"), [
    # The receipt waited for the reading, so it shows why the sheet does not count.
    ("receipt", ["photo_dark"], True), ("receipt", [], False), ("held", [], True)])
def test_a_sender_who_was_told_in_another_letter_was_told(
    desk: DeskSite, kind: str, flags: list[str], is_told: bool
) -> None:
    """PHA-11: the desk read "The sender was not told yet" of a player whose receipt had told them."""
    with desk.store.begin() as session:
        session.execute(update(PageRow).values(note="too_dark"))
        session.execute(update(SubmissionRow).values(flags=flags))
    sheet = mailed(desk)
    desk.add(OutboxRow(key=f"x/{sheet}", kind=kind, phase_id=7, subject="s", message="0" * 64,
                       recipient="james@players.example", message_id="<1@x>", state="sent",
                       due_at=DEADLINE, sent_at=DEADLINE))
    assert ("The sender was told Sun 14 Mar" in desk.text("/desk/7")) is is_told


def test_words_that_differ_in_capitals_alone_are_not_marked(desk: DeskSite) -> None:
    """PHA-11: "army" next to "Army" was marked as another reading."""
    with desk.store.begin() as session:
        session.get_one(LineRow, 3).candidates = [
            {"text": text, "order": None, "score": score}
            for text, score in (("army eskdale holds", 0.6), ("Army Eskdale moves", 0.4))]
    page = desk.page("/desk/7?line=3")
    assert re.findall(r"<mark>(.*?)</mark>", page) == ["holds", "moves"]


def test_results_from_before_a_sheet_that_is_being_read_are_called_so(desk: DeskSite) -> None:
    """PHA-11: the page showed the old result as judged and waiting, with its button."""
    desk.change(7, state=PhaseState.READY, judged_at=DEADLINE)
    desk.add(SubmissionRow(
        sha256=None, phase_id=7, power="ormond", sender="", received_at=DEADLINE, version=1,
        semantic_key="late", read_at=None, flags=[], fate="counts"))
    text = desk.text("/results/7")
    assert "1 sheet of this phase is being read by the machine. What is below was judged before" in text
    assert "Approve and send" not in text


def test_with_the_engine_down_lines_have_no_readings_and_work_goes_on(desk: DeskSite) -> None:
    """The state "engine down": lines open with no readings, full edit box, work possible."""
    with desk.store.begin() as session:
        session.execute(update(LineRow).values(candidates=[], order=None, status="open", text=""))
    for line in (1, 2, 3, 4):
        page = desk.page(f"/desk/7?line={line}")
        assert "The machine has no reading of this line. Type what you see." in page
        desk.decide(line, "edit", f"k{line}", "Army Merse holds")
    assert [r.order for r in desk.reviews()] == ["A Merse H"] * 4


def test_a_struck_line_is_no_order_and_one_key_takes_it_back(desk: DeskSite) -> None:
    with desk.store.begin() as session:
        session.execute(
            update(LineRow).where(LineRow.id == 3).values(struck=True, status="not an order", order=None)
        )
    assert ("Crossed out on the sheet, so not an order . If it counts after all, take its "
            "reading.") in desk.text("/desk/7?line=3")
    desk.decide(3, "reading-1", "a")
    assert [r.order for r in desk.reviews()] == ["A Eskdale H"]


def test_nothing_to_do_today(desk: DeskSite) -> None:
    desk.change(7, state=PhaseState.SENT)
    assert "no game is in play." in desk.text("/")


def test_an_undone_line_of_a_judged_phase_is_asked_for_again(desk: DeskSite) -> None:
    desk.decide(3, "void", "a")
    desk.decide(4, "void", "b")
    desk.post("/desk/7/undo")
    assert "1 line must be read again" in desk.text("/results/7")
    assert "Approve" not in desk.text("/results/7")
    assert "Read 1 line Lines" in desk.text("/")
    with desk.store() as session:
        assert session.get_one(LineRow, 4).status == "open"


def test_version_numbers_worth_a_look_are_named_and_the_paper_counts(desk: DeskSite) -> None:
    """Q-08: the same version with other ink is flagged; VER-02: so is a sheet that requests another
    number."""
    with desk.store.begin() as session:
        session.execute(update(SubmissionRow).values(flags=["version_conflict", "version_missing"]))
    first = desk.text("/")
    desk.decide(3, "void", "a")
    desk.decide(4, "void", "b")
    for page_text in (first, desk.text("/desk/7")):
        assert ("A sheet of Montrose: the same version number came before with different ink, and the later "
                "one counts.") in page_text
        assert "set aside" not in page_text
