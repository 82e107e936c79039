"""Faults at the desk: each gives a sentence that shows what is safe, and nothing is lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event

from service.games.turns import NotReady
from service.store.tables import LineRow, PageRow, PhaseState
from tests.support.desk_site import DeskSite
from tests.support.features import of_features


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskSite]:
    desk_site = DeskSite(tmp_path)
    yield desk_site
    desk_site.close()


@pytest.fixture(autouse=True)
def _signed_in(desk: DeskSite) -> None:
    desk.sign_in()


def test_a_judge_that_fails_costs_no_decision_and_can_be_asked_again(desk: DeskSite) -> None:
    desk.judge_fault = RuntimeError("a rule has a hole")
    desk.decide(3, "void", "a")
    where = desk.decide(4, "reading-1", "b")
    page_text = desk.text(where)
    assert "The turn could not be judged. Every decision is kept. Try again" in page_text
    assert "hole" not in page_text
    assert [r.decision for r in desk.reviews()] == ["void", "read"]
    desk.judge_fault = None
    assert "Judge the turn" in page_text
    assert desk.post("/desk/7/judge").headers["location"] == "/results/7"
    assert desk.judged == [7, 7]


def test_a_phase_moved_on_by_somebody_else_is_no_fault(desk: DeskSite) -> None:
    desk.judge_fault = NotReady("another process has judged this phase or moved it on")
    desk.decide(3, "void", "a")
    assert desk.decide(4, "void", "b") == "/desk/7"
    assert "could not be judged" not in desk.text("/desk/7")


def test_results_older_than_a_decision_are_not_sent(desk: DeskSite) -> None:
    desk.decide(3, "void", "a")
    desk.decide(4, "void", "b")
    desk.clock.advance(timedelta(minutes=1))
    # The decision is filed and the judge then fails, so the judged results are older than the decision.
    desk.judge_fault = RuntimeError("broken")
    desk.decide(4, "reading-1", "c")
    answer = desk.post("/results/7/approve")
    assert answer.status_code == 409
    assert "Not sent" in answer.text
    assert "Judge once more" in desk.text("/results/7")
    assert "results are out of date" in desk.text("/desk/7")
    assert desk.approved == []
    desk.judge_fault = None
    desk.post("/desk/7/judge")
    # Letters are drawn in a job, whose progress the results page shows (LET-04).
    assert desk.post("/results/7/approve").headers["location"] == "/results/7"
    assert desk.approved == [(7, "Ada")]


@pytest.mark.parametrize(("fault", "status", "sentence"), [
    (NotReady("a sheet or a line is still to be read"), 409, ("Not sent: a sheet or a line is still to be "
                                                              "read.")),
    (RuntimeError("no font"), 500, "Not sent: the letters or their pictures could not be made."),
])
def test_sending_that_cannot_be_done_says_so(
    desk: DeskSite, fault: Exception, status: int, sentence: str
) -> None:
    desk.change(7, state=PhaseState.READY)
    desk.approve_fault = fault
    answer = desk.post("/results/7/approve")
    assert answer.status_code == status
    assert sentence in answer.text
    assert "Traceback" not in answer.text
    assert "no font" not in answer.text


def test_a_lost_photograph_is_told_and_the_line_can_be_worked_on(desk: DeskSite) -> None:
    for blob in desk.blobs.root.rglob("*"):
        if blob.is_file():
            blob.unlink()
    with desk.store.begin() as session:
        session.get_one(PageRow, 1).upright = "0" * 64
    page_text = desk.text("/desk/7")
    assert "This picture cannot be shown" in page_text
    assert "restore it from the backup" in page_text
    assert "Army Eskdale holds" in page_text
    for path in ("/images/line/3.jpg", "/images/strip/3.jpg", "/images/page/1.jpg"):
        assert "Readings and decisions are safe" in desk.text(path, 503)
    assert desk.decide(3, "skip").startswith("/desk/7")


def test_a_page_that_never_opened_has_no_picture(desk: DeskSite) -> None:
    with desk.store.begin() as session:
        session.get_one(PageRow, 1).upright = None
    assert "There is no picture of this line." in desk.text("/desk/7")
    assert "could not be opened" in desk.text("/images/line/3.jpg", 404)


def test_bytes_that_are_no_picture_are_told(desk: DeskSite) -> None:
    key = desk.blobs.put(b"these bytes are no picture")
    with desk.store.begin() as session:
        session.get_one(PageRow, 1).upright = key
    assert "This picture cannot be opened" in desk.text("/desk/7")
    assert "This picture cannot be opened" in desk.text("/images/line/3.jpg", 503)


@pytest.mark.parametrize(
    # "²" is a digit to Python and no number; "reading-" and "reading--1" are cut short or signed.
    "do", ["reading-0", "reading-9", "reading-", "reading-x", "reading--1", "reading-²", "burn"]
)
def test_a_decision_the_page_does_not_offer_changes_nothing(desk: DeskSite, do: str) -> None:
    answer = desk.post("/desk/7/decide", line=3, key="k", do=do)
    assert answer.status_code == 400
    assert "Nothing was changed" in answer.text
    assert desk.reviews() == []


@pytest.mark.parametrize(("form", "page"), [
    ("/desk/7/decide", "/desk/7"), ("/games/nope/pause", "/games/nope"), ("/people/add", "/people"),
    ("/nowhere/at/all", ""), *of_features("FORMS_WITH_PAGES").items(),
])
def test_a_form_that_was_not_taken_leads_back_to_its_page(desk: DeskSite, form: str, page: str) -> None:
    """The only way on was to the front page, however far from there the form stood."""
    answer = desk.post(form)
    assert answer.status_code in {400, 403, 404, 405}
    back = f'<a class="button" href="{page}">Back to the page of this form</a>'
    assert (back in answer.text, "Back to" in answer.text) == (bool(page), bool(page))
    assert '<a class="button" href="/">Inbox</a>' in answer.text
    assert "Back to" not in desk.client.get("/nowhere/at/all").text


def test_typing_nothing_is_no_decision(desk: DeskSite) -> None:
    answer = desk.post("/desk/7/decide", line=3, key="k", do="edit", text="  ")
    assert answer.status_code == 400
    assert "No words were typed" in answer.text
    assert desk.reviews() == []


@pytest.mark.parametrize(
    "values", [{"key": "k", "do": "void"}, {"line": "three", "key": "k", "do": "void"}, {"line": 3}]
)
def test_a_form_with_a_field_missing_changes_nothing(desk: DeskSite, values: dict[str, object]) -> None:
    answer = desk.post("/desk/7/decide", **values)
    assert answer.status_code == 400
    assert "This form is incomplete. Nothing was changed" in answer.text
    assert desk.reviews() == []


def test_a_line_of_another_phase_cannot_be_decided_here(desk: DeskSite) -> None:
    answer = desk.post("/desk/7/decide", line=99, key="k", do="void")
    assert answer.status_code == 404
    assert "Nothing was changed" in answer.text


@pytest.mark.parametrize(
    "path", ["/nowhere", "/desk/x", "/desk/99", "/results/99", "/letters/x", "/desk/7/decide"]
)
def test_an_address_that_leads_nowhere_leads_back_to_the_inbox(desk: DeskSite, path: str) -> None:
    answer = desk.client.get(path)
    assert answer.status_code in {404, 405}
    assert "Nothing is lost: the" in answer.text
    assert 'href="/games"' in answer.text


def test_a_fault_of_ours_shows_no_trace_and_keeps_the_headers(desk: DeskSite) -> None:
    with desk.store.begin() as session:
        session.get_one(LineRow, 3).candidates = [{"no": "text"}]
    answer = desk.client.get("/desk/7")
    assert answer.status_code == 500
    assert "Everything saved before is safe" in answer.text
    assert "KeyError" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_a_database_that_somebody_else_holds_is_told_and_what_was_written_is_kept(
    desk: DeskSite, tmp_path: Path
) -> None:
    """Fault 27a: a form waits, and then it says so; nothing is half saved, and it works once it is free."""
    desk.engine.dispose()
    event.listen(desk.engine, "connect", lambda connection, _record: connection.execute(
        "pragma busy_timeout = 200"))
    with closing(sqlite3.connect(tmp_path / "desk.sqlite", isolation_level=None)) as other:
        other.execute("begin immediate")
        answer = desk.post("/desk/7/decide", line=3, key="held", do="edit", text="Army Merse holds")
        other.execute("rollback")
    assert answer.status_code == 503
    assert "did not answer in time. Everything saved before is safe." in answer.text
    assert "Army Merse holds" in answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert desk.reviews() == []
    again = desk.post("/desk/7/decide", line=3, key="held", do="edit", text="Army Merse holds")
    assert again.status_code == 303


@pytest.mark.parametrize(
    "path", ["/", "/sign-in", "/alive", "/log", "/public/entry", "/nothing", "/desk/7/lines"])
def test_head_is_answered_as_get_without_its_body(desk: DeskSite, path: str) -> None:
    """RFC 9110, 9.3.2 (SEC-06); it was answered with 405, of which no page told what would do."""
    asked, shown = desk.client.head(path), desk.client.get(path)
    assert (asked.status_code, asked.content) == (shown.status_code, b"")
    assert asked.headers["content-length"] == shown.headers["content-length"]
    assert asked.headers["content-security-policy"] == shown.headers["content-security-policy"]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE"])
def test_a_method_that_no_page_takes_says_which_it_does(desk: DeskSite, method: str) -> None:
    answer = desk.client.request(method, "/log")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")


@pytest.mark.parametrize(("path", "german"), [
    ("/public/nothing/map", "Eine solche Partie gibt es hier nicht."),
    ("/public/me/unknown/too/deep", "Eine solche Seite gibt es nicht."),
    ("/public/me", "Fordern Sie mit dem Knopf unten einen eigenen Link an"),
])
def test_a_players_error_page_is_in_the_readers_language(desk: DeskSite, path: str, german: str) -> None:
    """LET-10: every page spoke German but the one that shows what went wrong."""
    answer = desk.client.get(path, headers={"Accept-Language": "de-AT, en;q=0.5"})
    assert answer.status_code in {403, 404}
    assert german in answer.text
    assert '<html lang="de">' in answer.text
    assert answer.headers["content-language"] == "de"
    assert "Einen eigenen Link anfordern" in answer.text
    english = desk.client.get(path, headers={"Accept-Language": "en"}).text
    assert "Ask for a link of your own" in english
    assert german not in english
