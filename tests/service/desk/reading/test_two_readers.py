"""A second reader at the desk: nothing of the first is shown, two must agree, a difference is reported to
both and can be closed as void (desk plan, "Two-person review"; Q-01)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from service.games.lines import SettledLine, lines_by_id
from service.games.results import _readings
from service.store.tables import EventRow, GameRow, LineState, PhaseRow, PhaseState, UserRow
from tests.support.desk_site import NAME, NO_LOTS, OTHER, DeskSite

HERS, HIS = "A Eskdale H", "A Merse H"
OPTIONS = "/games/powick-bridge/options"

# What the desk's acts ask of a database is asked on both kinds at each landing in test_undo.py.
SLOW_ON_POSTGRES = True


@pytest.fixture
def desk(tmp_path: Path, database_url: str) -> Iterator[DeskSite]:
    """Two lines wait; two people must read each doubtful line."""
    desk_site = DeskSite(tmp_path, database_url)
    desk_site.change(7, review="doubtful")
    desk_site.sign_in()
    yield desk_site
    desk_site.close()


def line(desk: DeskSite, number: int = 3) -> SettledLine:
    with desk.store() as session:
        return lines_by_id(session, [number])[number]


def entry(desk: DeskSite, number: int = 3) -> dict[str, Any]:
    """How a line is, as the script of anyone who is signed in is told."""
    entries = desk.client.get("/desk/7/lines").json()["lines"]
    return dict(next(item for item in entries if item["id"] == number))


def differ(desk: DeskSite) -> None:
    """Ada and Blaise read line 3 otherwise; Blaise, who came second, stays signed in."""
    desk.act("reading-1", 3, "hers-of-three", seen="")
    desk.second_reader()
    desk.act("edit", 3, "his-of-three", text="Army Merse holds", seen="")


def test_a_line_read_by_one_person_is_not_settled(desk: DeskSite) -> None:
    desk.act("reading-1", 3)
    desk.act("reading-1", 4)
    assert [line(desk, n).state for n in (3, 4)] == [LineState.OPEN, LineState.OPEN]
    assert desk.judged == []
    page_text = desk.text("/desk/7")
    assert "2 lines not settled yet. You have read all that is yours to read:" in page_text
    assert "2 lines wait for a second reader: in this game two people read every doubtful line." in page_text
    assert "Judge the turn" not in page_text


def test_it_counts_once_a_second_person_reads_the_same(desk: DeskSite) -> None:
    for number in (3, 4):
        desk.act("reading-1", number)
    desk.second_reader()
    for number in (3, 4):
        desk.act("reading-1", number, seen="")
    settled = line(desk)
    assert (settled.state, settled.order, settled.by) == (LineState.READ, HERS, f"{NAME} and {OTHER}")
    assert desk.judged == [7]


def test_the_second_reader_is_shown_nothing_of_the_first(desk: DeskSite) -> None:
    """What the first one decided is in no page and no answer that the second one gets, before they have
    decided."""
    desk.orders_of_words["a secret of hers"] = "A Carham H"
    desk.act("edit", 3, "hers-of-three", text="a secret of hers", seen="")
    desk.act("void", 4, "hers-of-four", kept=[], seen="")
    desk.second_reader()
    pages = [desk.page(path) for path in ("/", "/desk/7", "/desk/7?line=3", "/desk/7?line=4", "/desk/7/lines",
                                          "/desk/7/line/3", "/sheet/1", "/sheets/7")]
    pages.append(
        desk.client.post("/desk/7/acts", json={"acts": []}, headers={"X-Galloper-Token": desk.csrf}).text
    )
    for page in pages:
        # Words, order, keys of decisions, and the notice about a difference: each would tell that there was a
        # decision.
        for word in ("secret", "Carham H", "hers-of-three", "hers-of-four", "cannot settle"):
            assert word not in page
    line = entry(desk)
    assert (line["state"], line["version"], line["both"]) == ("open", "", [])
    assert entry(desk, 4)["state"] == "open"
    assert ("Another person has read this line. Their reading is not "
            "shown") in desk.text("/desk/7?line=3")


def test_the_first_reader_sees_their_own_and_goes_on(desk: DeskSite) -> None:
    answer = desk.acts({"key": "hers-of-three", "do": "reading-1", "line": 3, "seen": ""})
    own_state = next(item for item in answer["states"] if item["id"] == 3)
    assert (own_state["state"], own_state["order"], own_state["version"], own_state["stage"]) == (
        "read", HERS, "hers-of-three", "second",
    )
    assert 'data-line="4"' in desk.page("/desk/7")
    assert ("You read this line as read : A Eskdale H. It counts once a second person reads the "
            "same") in desk.text(
        "/desk/7?line=3")


def test_two_who_read_otherwise_are_both_shown_side_by_side(desk: DeskSite) -> None:
    differ(desk)
    assert line(desk).state is LineState.OPEN
    for sign_in in (desk.sign_in, desk.second_reader):
        sign_in()
        page = desk.text("/desk/7?line=3")
        assert "Two people read this line differently." in page
        assert f"{NAME} {HERS}" in page
        assert f"{OTHER} {HIS}" in page
    desk.sign_in()
    assert f"≠ read differently: {NAME} “{HERS}”, {OTHER} “{HIS}”" in desk.text("/sheet/1")
    assert "1 is read differently by two people" in desk.text("/")


def test_a_difference_comes_back_to_whoever_did_not_decide_last(desk: DeskSite) -> None:
    differ(desk)
    assert entry(desk)["state"] == "read"
    assert entry(desk)["stage"] == "differs"
    desk.sign_in()
    assert entry(desk)["state"] == "open"
    desk.act("edit", 3, text="Army Merse holds", seen="his-of-three")
    assert (line(desk).state, line(desk).order) == (LineState.READ, HIS)


def test_who_decides_on_the_page_of_before_is_told_and_overwrites_nothing(desk: DeskSite) -> None:
    """The plan: the later save is shown as a difference."""
    differ(desk)
    desk.sign_in()
    # She decides on the page as it was before his decision.
    assert desk.act("not-order", 3, "a-stale-one", seen="hers-of-three") == {
        "key": "a-stale-one", "overtaken": 3,
    }
    assert len(desk.reviews()) == 2


def test_an_unsettled_difference_is_void_with_both_readings_kept(desk: DeskSite) -> None:
    """Q-01: the unit holds and both readings are printed."""
    differ(desk)
    assert desk.act("close", 3, "nobody-knows", seen="his-of-three")["saved"]
    settled = line(desk)
    assert (settled.state, settled.order) == (LineState.VOID, None)
    assert _readings(settled, holds=True) == f"read as “{HERS}” or as “{HIS}”: void, the unit holds"
    assert desk.act("undo")["about"] == [3]
    assert line(desk).state is LineState.OPEN
    assert desk.act("redo")["about"] == [3]


def test_a_line_that_nobody_read_otherwise_cannot_be_closed(desk: DeskSite) -> None:
    for sign_in in (desk.sign_in, desk.second_reader):
        sign_in()
        assert "Nothing was changed" in desk.act("close", 3)["refused"]
        desk.act("reading-1", 3)
    assert "Nothing was changed" in desk.act("close", 3)["refused"]
    assert desk.post("/desk/7/close").status_code == 400


def test_the_coordinator_closes_every_difference_and_the_turn_is_judged(desk: DeskSite) -> None:
    differ(desk)
    desk.act("reading-1", 4)
    desk.sign_in()
    desk.act("reading-1", 4, seen="")
    page = desk.text("/desk/7?after=4")
    assert "Two people read this line differently." in page
    assert desk.judged == []
    assert desk.post("/desk/7/close", key="close-them-all").headers["location"] == "/results/7"
    assert (line(desk).state, desk.judged) == (LineState.VOID, [7])
    with desk.store() as session:
        events = {row.what: row.detail for row in session.scalars(select(EventRow))}
    assert events["differences_closed"] == {"phase_id": 7, "lines": 1}
    assert events["line_read_differently"] == {"phase_id": 7, "line": 3, "readers": [NAME, OTHER]}
    # The log is shown to every coordinator; it states that readings differ, not what they are.
    assert "Eskdale" not in str(events)


def test_a_second_reader_does_not_close_the_review(desk: DeskSite) -> None:
    differ(desk)
    with desk.store.begin() as session:
        session.get_one(UserRow, OTHER).role = "second reader"
    assert desk.post("/desk/7/close").status_code == 403
    assert "Close it as void" not in desk.text("/desk/7?line=4")


def test_a_line_cut_anew_needs_no_second_to_set_its_old_one_aside(desk: DeskSite) -> None:
    desk.act("break", 3, at=0.5)
    # The two new parts and line 4; the old line is set aside without a second reader.
    waiting = [state for state in desk.states() if state[2] == "open"]
    assert len(waiting) == 3
    for sign_in in (desk.sign_in, desk.second_reader):
        sign_in()
        for state in waiting:
            desk.act("reading-1", int(str(state[0])))
    assert desk.judged == [7]


def test_every_line_is_read_twice_where_the_game_says_all(desk: DeskSite) -> None:
    desk.change(7, review="all")
    assert [state[2] for state in desk.states()] == ["not an order", "open", "open", "open"]
    for sign_in in (desk.sign_in, desk.second_reader):
        sign_in()
        for number in (2, 3, 4):
            desk.act("reading-1", number)
    assert desk.judged == [7]
    assert line(desk, 2).stage == "agreed"


def test_a_machine_that_was_sure_is_overruled_by_two_only(desk: DeskSite) -> None:
    assert line(desk, 2).state is LineState.AUTO
    desk.act("void", 2)
    assert line(desk, 2).state is LineState.OPEN
    desk.act("undo")
    assert line(desk, 2).state is LineState.AUTO


def test_a_line_added_by_hand_is_read_by_two(desk: DeskSite) -> None:
    """And the second does not find the first one's words in the edit box."""
    desk.post("/sheet/1/line", page=1, after=4, text="Army Merse holds", key="an-added-line")
    added = desk.reviews()[-1].line_id
    assert line(desk, added).state is LineState.OPEN
    desk.second_reader()
    assert "Army Merse holds" not in desk.page(f"/desk/7?line={added}")
    desk.act("edit", added, text="Army Merse holds", seen="")
    assert line(desk, added).order == HIS


def test_the_option_of_a_game_holds_for_phases_that_are_not_judged(desk: DeskSite) -> None:
    desk.add(PhaseRow(id=8, game_id="powick-bridge", ordinal=2, year=1642, season="Summer", kind="retreat",
                      opens_at=desk.clock.now(), deadline=desk.clock.now(), state=PhaseState.SENT, **NO_LOTS))
    answer = desk.post(OPTIONS, on="mail_commands", review="all",
                       why="A second reader has joined us.")
    assert answer.headers["location"] == "/games/powick-bridge?task=options&notice=option"
    with desk.store() as session:
        assert session.get_one(GameRow, "powick-bridge").options["review"] == "all"
        # Phase 8 is sent: its lines were read under the option of their time.
        assert [session.get_one(PhaseRow, n).review for n in (7, 8)] == ["all", "none"]
    page = desk.text("/games/powick-bridge")
    assert 'value="all" selected>Two people read every line, the second' in desk.page("/games/powick-bridge")
    assert "A second reader has joined us." in page


@pytest.mark.parametrize(("value", "why", "sentence"), [
    ("all", "short", "needs a reason"), ("three", "A reason in a sentence.", "write one of"),
    ("none", "A reason in a sentence.", "has this value already")])
def test_an_option_that_cannot_be_so_is_refused(desk: DeskSite, value: str, why: str, sentence: str) -> None:
    answer = desk.post(OPTIONS, on="mail_commands", review=value, why=why)
    assert answer.status_code == 409
    assert sentence in answer.text
    assert "Nothing was changed" in answer.text


def test_no_option_decides_which_of_two_readers_is_right(desk: DeskSite) -> None:
    differ(desk)
    with desk.store.begin() as session:
        session.get_one(GameRow, "powick-bridge").options = {"review": "doubtful"}
    desk.sign_in()
    answer = desk.post(OPTIONS, on="mail_commands", review="none",
                       why="The second reader has left us.")
    assert answer.status_code == 409
    assert "First settle it at the desk or close it as void" in answer.text


def _hers(desk: DeskSite) -> None:
    desk.act("reading-1", 3)


def _nothing(_desk: DeskSite) -> None:
    return


@pytest.mark.parametrize(("before", "sentence"), [(_hers, "1 waits for a second reader"), (_nothing, "")])
def test_today_counts_what_waits_for_a_second(
    desk: DeskSite, before: Callable[[DeskSite], None], sentence: str
) -> None:
    before(desk)
    page = desk.text("/")
    assert "Read 2 doubtful lines" in page
    assert sentence in page
    assert ("second reader" in page) is bool(sentence)
