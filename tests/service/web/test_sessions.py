"""Who may come in at the desk, and what every answer carries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.desk_site import CSRF, NAME, PASSWORD, DeskSite


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskSite]:
    desk_site = DeskSite(tmp_path)
    yield desk_site
    desk_site.close()


CLOSED = (
    "/", "/desk/7", "/desk/7/lines", "/desk/7/line/3", "/desk/7/words", "/results/7", "/quarantine",
    "/quarantine/" + "a" * 64 + ".eml",
    "/letters", "/letters/1", "/letters/1/part/0", "/images/line/1.jpg", "/images/strip/1.jpg",
    "/images/page/1.jpg")


def test_nothing_shows_without_signing_in(desk: DeskSite) -> None:
    for path in CLOSED:
        answer = desk.client.get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in"), path


def test_a_password_opens_a_session_whose_cookie_scripts_cannot_read(desk: DeskSite) -> None:
    answer = desk.client.post("/sign-in", data={"name": NAME, "password": PASSWORD})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    # A form on another site is then sent without the cookie, besides the token that each form needs.
    assert "samesite=strict" in cookie
    assert "Inbox" in desk.text("/")


def test_a_wrong_password_is_refused_and_five_of_them_rest_the_name(desk: DeskSite) -> None:
    def enter(password: str, name: str = NAME) -> int:
        return int(desk.client.post("/sign-in", data={"name": name, "password": password}).status_code)

    # Five guesses are free; a sixth within five minutes is not even looked at.
    assert [enter("wrong") for _ in range(5)] == [401] * 5
    assert enter(PASSWORD) == 429  # even the right one
    assert enter("wrong", "Nobody " + "x" * 90) == 401  # no one else rests
    desk.clock.advance(timedelta(minutes=5, seconds=1))
    assert enter(PASSWORD) == 303


def test_a_session_ends_after_twelve_idle_hours(desk: DeskSite) -> None:
    desk.sign_in()
    desk.clock.advance(timedelta(hours=11))
    assert desk.client.get("/").status_code == 200
    # Rest is counted on the server, from the last use: the cookie's own end would come whatever was done
    # meanwhile.
    desk.clock.advance(timedelta(hours=13))
    assert desk.client.get("/").status_code == 303


def test_the_cookie_does_not_end_while_its_person_works(desk: DeskSite) -> None:
    """The browser keeps the cookie as long as a sign-in may last at all."""
    answer = desk.client.post("/sign-in", data={"name": NAME, "password": PASSWORD})
    # A week. The twelve hours are of rest, and counted on the server.
    assert f"max-age={7 * 24 * 3600}" in answer.headers["set-cookie"].lower()
    for _ in range(13):  # five and a half days with a look every ten hours
        desk.clock.advance(timedelta(hours=10))
        assert desk.client.get("/").status_code == 200


def test_a_sign_in_ends_after_a_week_at_the_latest_and_says_so_an_hour_before(desk: DeskSite) -> None:
    desk.sign_in()
    # 160 hours of a week's 168, with a look every ten.
    for _ in range(16):
        desk.clock.advance(timedelta(hours=10))
        assert "Your sign-in ends" not in desk.text("/")
    desk.clock.advance(timedelta(hours=7, minutes=30))
    assert ("Your sign-in ends at Sun 21 Mar 2027, 07:05 GMT, a week after it "
            "began") in desk.text("/").replace("Mar,", "Mar 2027,")
    desk.clock.advance(timedelta(minutes=31))
    assert desk.client.get("/").status_code == 303


def test_signing_out_ends_the_session_on_the_server_too(desk: DeskSite) -> None:
    desk.sign_in()
    assert desk.post("/sign-out").headers["location"] == "/sign-in"
    desk.sign_in()
    assert desk.client.get("/").status_code == 303


def test_every_answer_carries_the_strict_headers_and_no_inline_code(desk: DeskSite) -> None:
    desk.sign_in()
    for path in ("/sign-in", "/", "/desk/7", "/results/7", "/letters", "/nowhere", "/desk/x"):
        answer = desk.client.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy, path
        assert "unsafe-inline" not in policy, path
        assert "frame-ancestors 'none'" in policy, path  # default-src does not cover it
        assert answer.headers["referrer-policy"] == "no-referrer", path
        assert answer.headers["cache-control"] == "no-store", path
        # The policy forbids inline code; a page that had any would be broken in the browser.
        assert not re.search(r"<script(?! src)|<style|\son\w+=|\sstyle=", answer.text), path


FORMS = (
    "/desk/7/decide", "/desk/7/undo", "/desk/7/redo", "/desk/7/accept", "/desk/7/unseal", "/desk/7/judge",
    "/desk/keys", "/results/7/approve", "/sign-out",
)


def test_a_form_without_its_token_changes_nothing(desk: DeskSite) -> None:
    """That every form of the site is refused so: tests/service/web/test_security.py."""
    desk.sign_in()
    for path in FORMS:
        for data in ({}, {"csrf": "guess"}):
            answer = desk.client.post(path, data={"line": "3", "key": "k", "do": "reading-1", **data})
            assert answer.status_code == 403, path
            assert "Nothing was changed" in answer.text, path
        assert (desk.reviews(), desk.judged, desk.approved) == ([], [], []), path
        # A refused form must not sign anybody out either.
        assert desk.client.get("/").status_code == 200, path


def test_the_token_stands_in_every_form_that_changes_something(desk: DeskSite) -> None:
    desk.sign_in()
    desk.decide(3, "skip")
    for form in re.findall(r"<form.*?</form>", desk.page("/desk/7")):
        assert f'name="csrf" value="{CSRF}"' in form or '<form method="get"' in form


def test_the_map_has_a_stable_public_address(desk: DeskSite) -> None:
    assert desk.client.get("/public/powick-bridge/map.pdf").content.startswith(b"%PDF")
    assert "no such game" in desk.text("/public/nowhere/map.pdf", 404)
