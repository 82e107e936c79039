"""A sign-in that has run out: what was typed survives the new one, and is sent only once it is pressed
again."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from sqlalchemy import delete

from service.store.tables import SessionRow
from service.web import sessions
from service.web.kept_form import is_local
from tests.support.desk_site import NAME, OTHER, PASSWORD, DeskSite

TYPED = {"line": "3", "key": "k1", "do": "edit", "text": "Army Merse holds", "seen": "-"}
HTML = {"Accept": "text/html,application/xhtml+xml"}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskSite]:
    desk_site = DeskSite(tmp_path)
    desk_site.sign_in()
    yield desk_site
    desk_site.close()


def expired(desk: DeskSite) -> httpx.Response:
    """Thirteen hours later a form with typed words is sent; the answer."""
    desk.clock.advance(timedelta(hours=13))
    return desk.post("/desk/7/decide", **TYPED)


def hidden(page: str, name: str) -> str:
    match = re.search(rf'name="{name}" value="([^"]*)"', page)
    return "" if match is None else html.unescape(match[1])


def sign_in(desk: DeskSite, page: str, name: str = NAME) -> httpx.Response:
    answer: httpx.Response = desk.client.post("/sign-in", data={
        "name": name, "password": PASSWORD, "kept": hidden(page, "kept"), "to": hidden(page, "to")})
    return answer


def again(desk: DeskSite, page: str) -> httpx.Response:
    """Press "Send it now": the form of the page as a browser would send it."""
    form = re.search(r'<form method="post" action="(/desk/[^"]*)".*?</form>', page, re.DOTALL)
    assert form is not None, page
    fields = re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', form[0])
    answer: httpx.Response = desk.client.post(
        form[1], data={name: html.unescape(value) for name, value in fields}
    )
    return answer


def test_what_was_typed_survives_the_new_sign_in(desk: DeskSite) -> None:
    """A form that was sent after its session had ended."""
    answer = expired(desk)
    assert answer.status_code == 401
    assert "You are signed out, so nothing was sent yet. Your input is still on this page" in answer.text
    page = sign_in(desk, answer.text)
    assert page.status_code == 200
    # Nothing is filed by signing in alone: the words are shown, and sent by one more press.
    assert "nothing was done yet" in page.text
    assert "Army Merse holds" in page.text
    assert desk.reviews() == []
    assert again(desk, page.text).status_code == 303
    assert [(review.line_id, review.order, review.by) for review in desk.reviews()] == [
        (3, "A Merse H", NAME)
    ]


def test_a_wrong_password_loses_nothing_of_it(desk: DeskSite) -> None:
    page = expired(desk).text
    # The words are carried from one refused page to the next.
    for _ in range(2):
        answer = desk.client.post(
            "/sign-in", data={"name": NAME, "password": "wrong", "kept": hidden(page, "kept")}
        )
        assert answer.status_code == 401
        page = answer.text
    assert "Army Merse holds" in sign_in(desk, page).text


def test_somebody_else_who_signs_in_gets_none_of_it(desk: DeskSite) -> None:
    """One person's words are never sent under the name of another."""
    page = expired(desk).text
    desk.second_reader()
    with desk.store.begin() as session:
        sessions.add_user(session, OTHER, PASSWORD, desk.clock.now())
    answer = sign_in(desk, page, OTHER)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert desk.reviews() == []


def test_a_form_of_another_site_is_not_kept(desk: DeskSite) -> None:
    """Its token is none of ours, so nothing of it comes before the person who signs in."""
    desk.clock.advance(timedelta(hours=13))
    for token in ("", "guess"):
        answer = desk.client.post("/results/7/approve", data={"csrf": token})
        assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    # As another site could write it: the one form whose act cannot be undone, with a token of no person.
    forged = json.dumps(["/results/7/approve", [], [], "guess"])
    answer = desk.client.post("/sign-in", data={"name": NAME, "password": PASSWORD, "kept": forged})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


@pytest.mark.parametrize("note", ["x", "[]", "{}", "[1, 2, 3, 4]", ('["//evil.example/x", [], [], '
                                                                    '"a-form-token-of-the-tests"]'),
                                  '["https://evil.example", [], [], "t"]', "[" * 9000, "x" * 300_000])
def test_a_damaged_or_foreign_note_is_left_out(desk: DeskSite, note: str) -> None:
    answer = desk.client.post("/sign-in", data={"name": NAME, "password": PASSWORD, "kept": note})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


def test_markup_in_what_was_typed_is_shown_as_text(desk: DeskSite) -> None:
    desk.clock.advance(timedelta(hours=13))
    first = desk.post("/desk/7/decide", **{**TYPED, "text": '<script>alert(1)</script>" onx="'})
    page = sign_in(desk, first.text)
    for page_text in (first.text, page.text):
        assert "<script>alert" not in page_text
        assert '" onx="' not in page_text


def test_a_file_must_be_chosen_again_and_the_days_are_kept(desk: DeskSite) -> None:
    desk.clock.advance(timedelta(hours=13))
    answer = desk.client.post(
        "/health/pause", data={"csrf": desk.csrf, "received": "2027-03-13"},
        files=[("scan", ("a.jpg", b"picture", "image/jpeg"))],
    )
    page = sign_in(desk, answer.text).text
    assert 'enctype="multipart/form-data"' in page
    assert 'type="file" name="scan"' in page
    assert hidden(page, "received") == "2027-03-13"


def test_a_page_that_was_asked_for_is_opened_after_signing_in(desk: DeskSite) -> None:
    desk.clock.advance(timedelta(hours=13))
    answer = desk.client.get("/desk/7?line=4", headers=HTML)
    assert answer.headers["location"] == "/sign-in?to=%2Fdesk%2F7%3Fline%3D4"
    page = desk.client.get(answer.headers["location"])
    assert sign_in(desk, page.text).headers["location"] == "/desk/7?line=4"


@pytest.mark.parametrize(
    "place",
    [
        "//evil.example", "https://evil.example", "/\\evil.example", "/sign-out", "desk/7", "/a b", "/a\nb",
        "", "/" + "x" * 600,
    ],
)
def test_an_address_elsewhere_is_never_gone_to(desk: DeskSite, place: str) -> None:
    assert not is_local(place)
    answer = desk.client.post("/sign-in", data={"name": NAME, "password": PASSWORD, "to": place})
    assert answer.headers["location"] == "/"


def test_after_signing_out_nothing_is_kept(desk: DeskSite) -> None:
    """A form of a session that its person ended."""
    with desk.store.begin() as session:
        # Anyone who signs out is done: the former session is gone, and its forms with it.
        session.execute(delete(SessionRow))
    answer = desk.post("/desk/7/decide", **TYPED)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")


def test_a_form_older_than_the_sign_in_is_shown_and_sent_by_one_press(desk: DeskSite) -> None:
    """The form carries the token of the former session."""
    # As in a tab that was open while its person signed in again in another one.
    old = desk.csrf
    answer = desk.client.post("/sign-in", data={"name": NAME, "password": PASSWORD})
    assert answer.status_code == 303
    page = desk.client.post("/desk/7/decide", data={"csrf": old, **TYPED})
    assert page.status_code == 403
    assert ("This page was older than your sign-in, so nothing was done "
            "yet") in " ".join(re.sub(r"<[^>]+>", "", page.text).split())
    assert desk.reviews() == []
    assert again(desk, page.text).status_code == 303
    assert [review.order for review in desk.reviews()] == ["A Merse H"]


def test_a_form_with_a_fault_gives_back_what_was_written(desk: DeskSite) -> None:
    """Browsers forget such fields on the way back."""
    long = "The player asked for it by telephone on <Sunday>."
    answer = desk.post("/sheet/1/line", page=1, text=long, key="k", left=9, top=9, right=9, bottom=9)
    assert answer.status_code == 400
    assert "Your input, so you can copy it:" in answer.text
    assert html.escape(long) in answer.text
    answer = desk.client.post("/desk/7/unseal", data={"csrf": "guess", "why": long})
    assert answer.status_code == 403
    assert html.escape(long) in answer.text
