"""The seal: every route of the desk before the deadline, and how it is broken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from service.notices.results_facts import unsealing_note
from service.store.tables import EventRow, OutboxRow, OutboxState, PhaseRow, PhaseState
from tests.support.desk_site import DEADLINE, DeskSite, photograph

BOARD = (
    "illegal",
    "bounce",
    "dislodg",
    "succeed",
    "fails",
    "strength",
    "adjacent",
    "standoff",
    "map.pdf",
    "outcome",
)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskSite]:
    desk_site = DeskSite(tmp_path)
    desk_site.sign_in()
    yield desk_site
    desk_site.close()


def _routes(app: Any) -> Iterator[tuple[str, str]]:
    """Every address of the signed-in desk with the numbers of this site filled in, and its method."""
    for route, methods in app.openapi()["paths"].items():
        path = route.replace("{phase_id}", "7").replace("{line_id}", "3").replace("{page_id}", "1")
        if "{" not in path and (path == "/" or path.startswith(("/desk", "/images", "/results"))):
            for method in methods:
                yield method.upper(), path


def test_before_the_deadline_no_route_of_the_desk_tells_what_is_written(desk: DeskSite) -> None:
    """DESK-02, Q-14: counts and technical state only, whatever is asked, read or sent."""
    desk.change(7, state=PhaseState.OPEN)
    desk.clock.advance(timedelta(days=-2))
    walked = 0
    for method, path in _routes(desk.client.app):
        # The one route that may open the sheets; it has its own test below.
        if path.endswith("/unseal"):
            continue
        answer = desk.client.request(
            method, path, **({} if method == "GET" else {"data": {
                "csrf": desk.csrf, "line": "3", "key": "k", "do": "reading-1", "review": "1",
                "one": "3  reading-1"}}))
        walked += 1
        for word in ("Eskdale", "Lyme", "Merse", "Carham", "Lyne", "Easdale"):
            assert word not in answer.text, (method, path)
        # A photograph tells as much as the words read from it.
        assert answer.headers.get("content-type", "") != "image/jpeg", path
    sent = desk.acts({"key": "a-sealed-one", "do": "reading-1", "line": 3})
    assert "Eskdale" not in str(sent)
    assert walked >= 12
    assert desk.reviews() == []


def test_a_receipt_that_shows_the_sheet_is_sealed_like_it(desk: DeskSite) -> None:
    """DESK-02: where a game's receipts show each line as the machine read it, the desk does not before the
    deadline."""
    message = EmailMessage()
    message.set_content("Line 1: Army Eskdale holds")
    message.add_attachment(photograph(), maintype="image", subtype="jpeg", filename="reading-1.jpg")
    desk.add(OutboxRow(
        id=1, key="receipt:1", kind="receipt", recipient="james@players.example",
        subject="Powick Bridge: received", phase_id=7,
        message=desk.blobs.put(message.as_bytes()), message_id="<1@x>", state=OutboxState.SENT,
        due_at=DEADLINE))
    desk.change(7, state=PhaseState.OPEN)
    desk.clock.advance(timedelta(days=-2))
    page_text, part = desk.text("/letters/1"), desk.client.get("/letters/1/part/0")
    assert "Sealed until Sun 14 Mar" in page_text
    assert "Eskdale" not in page_text
    assert (part.status_code, part.headers["content-type"]) == (403, "text/html; charset=utf-8")
    assert desk.post("/desk/7/unseal", why=("Two players wrote that their sheets were "
                                            "swapped.")).status_code == 303
    assert "Army Eskdale holds" in desk.text("/letters/1")
    assert desk.client.get("/letters/1/part/0").headers["content-type"] == "image/jpeg"


def test_while_lines_are_read_no_route_of_the_reading_page_tells_of_the_board(desk: DeskSite) -> None:
    """DESK-03: no board, legality or outcome in anything that the reading page is given."""
    pages = [desk.page(f"/desk/7?line={n}") for n in (2, 3, 4)] + [
        desk.page("/desk/7?notice=overtaken&kept=3")
    ]
    parts = [desk.client.get(path).text for path in ("/desk/7/lines", "/desk/7/line/3", "/desk/7/words")]
    acts = [str(desk.act(do, 3)) for do in ("reading-1", "undo", "void", "edit", "join", "second")]
    for text in [*pages, *parts, *acts]:
        for word in BOARD:
            assert word not in text.lower()


def test_an_unsealing_wants_a_reason_and_is_logged_for_the_results(desk: DeskSite) -> None:
    """DESK-02: unsealed only with a recorded reason."""
    desk.change(7, state=PhaseState.OPEN)
    assert "Open the sheets" in desk.text("/desk/7")
    # DESK-02: the results print the reason, so blanks or a bare "because" are none.
    for why in ("", "   ", "because"):
        answer = desk.post("/desk/7/unseal", why=why)
        assert answer.status_code == 400
        assert "stay sealed" in answer.text
    assert "Sealed until" in desk.text("/desk/7")
    why = "Two players wrote that their sheets were swapped in the post."
    assert desk.post("/desk/7/unseal", why=why).headers["location"] == "/desk/7"
    page_text = desk.text("/desk/7")
    assert (f"Unsealed before the deadline. Ada opened the sheets before the deadline, Sun 14 Mar 2027, "
            f"07:05 GMT. Reason given: {why}") in page_text
    assert "Army Eskdale holds" in page_text
    with desk.store() as session:
        assert unsealing_note(session.get_one(PhaseRow, 7)).endswith(why)
        (event,) = session.scalars(select(EventRow)).all()
    assert (event.what, event.actor, event.game_id) == ("phase_unsealed", "Ada", "powick-bridge")
    assert event.detail == {"phase_id": 7, "why": why}
    assert desk.post("/desk/7/unseal", why=why).status_code == 409
    assert desk.post("/desk/99/unseal", why=why).status_code == 404


@pytest.mark.parametrize("state", [PhaseState.WAITING, PhaseState.CLOSED, PhaseState.SENT])
def test_only_an_open_phase_can_be_unsealed(desk: DeskSite, state: PhaseState) -> None:
    desk.change(7, state=state)
    assert desk.post("/desk/7/unseal", why="a reason that is long enough").status_code == 409
    with desk.store() as session:
        assert unsealing_note(session.get_one(PhaseRow, 7)) == ""


def test_an_unsealed_phase_can_be_read_and_waits_for_its_deadline(desk: DeskSite) -> None:
    desk.change(7, state=PhaseState.OPEN)
    desk.clock.advance(timedelta(days=-1))
    desk.post("/desk/7/unseal", why="a reason that is long enough")
    desk.still_to_read = True  # what the judge states about an open phase
    desk.decide(3, "reading-1", "a")
    desk.decide(4, "void", "b")
    page_text = desk.text("/desk/7")
    assert "All 3 orders are read" in page_text
    assert f"The turn is judged after the deadline, {DEADLINE:%a %-d %b %Y, %H:%M} GMT." in page_text
    assert "Judge the turn" not in page_text
    assert re.search("Sealed until", page_text) is None
