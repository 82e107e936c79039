"""Acts sent by the reading page's script: once each, in order, never over what another person decided."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from service.store.tables import LineRow, PhaseState
from tests.support.desk_site import COMPLAINT, DeskSite

# What the desk's acts ask of a database is asked on both kinds at each landing in test_undo.py.
SLOW_ON_POSTGRES = True


@pytest.fixture
def desk(tmp_path: Path, database_url: str) -> Iterator[DeskSite]:
    desk_site = DeskSite(tmp_path, database_url)
    desk_site.sign_in()
    yield desk_site
    desk_site.close()


def test_acts_are_filed_in_order_and_answered_with_how_the_lines_stand(desk: DeskSite) -> None:
    answer = desk.acts(
        {"key": "first-key", "do": "reading-1", "line": 3, "seen": ""},
        # Two blanks: a line is stored with single ones, so that equal words compare equal.
        {"key": "second-key", "do": "edit", "line": 4, "seen": "", "text": "Army  Merse holds"},
    )
    assert [item["saved"] for item in answer["acts"]] == [True, True]
    assert [(r.line_id, r.text, r.order, r.key) for r in desk.reviews()] == [
        (3, "Army Eskdale holds", "A Eskdale H", "first-key"),
        (4, "Army Merse holds", "A Merse H", "second-key")]
    states = {item["id"]: item for item in answer["states"]}
    assert (states[3]["state"], states[3]["version"], states[3]["by"]) == ("read", "first-key", "Ada")
    assert [item["key"] for item in answer["undo"]] == ["first-key", "second-key"]
    assert desk.judged == [7]


def test_a_repeated_delivery_changes_nothing(desk: DeskSite) -> None:
    for do in ("void", "undo", "undo", "redo", "redo"):
        # Delivered twice on purpose: a browser repeats an act whose answer it never got.
        wish = {"key": f"the-{do}-key", "do": do, "line": 3}
        first, again = desk.acts(wish), desk.acts(wish)
        assert first["states"] == again["states"]
        assert [act["saved"] for act in (first["acts"][0], again["acts"][0])] == [True, True]
    assert [r.decision for r in desk.reviews()] == ["void"]
    assert [r.undone_at for r in desk.reviews()] == [None]


def test_a_line_decided_meanwhile_is_not_overwritten_unseen(desk: DeskSite) -> None:
    """Two readers, or two tabs of one: the later save is told of, and filed only when sent again on
    purpose."""
    assert desk.act("void", 3, "hers-is-first", seen="")["saved"]
    desk.second_reader()
    assert desk.act("reading-1", 3, "his-is-late", seen="") == {"key": "his-is-late", "overtaken": 3}
    assert [r.decision for r in desk.reviews()] == ["void"]
    # Sent again on purpose, now with the version that he was shown.
    assert desk.act("reading-1", 3, "his-on-purpose", seen="hers-is-first")["saved"]
    assert [(r.decision, r.by) for r in desk.reviews()] == [("void", "Ada"), ("read", "Blaise")]


def test_the_forms_of_a_page_carry_the_version_they_were_made_for(desk: DeskSite) -> None:
    assert 'name="seen" value="-"' in desk.page("/desk/7?line=3")
    desk.decide(3, "void", "a")
    assert 'name="seen" value="a"' in desk.page("/desk/7?line=3")


def test_an_overtaken_form_tells_it_on_the_page(desk: DeskSite) -> None:
    desk.decide(3, "void", "a")
    answer = desk.post("/desk/7/decide", line=3, key="b", do="reading-1", seen="-")
    page_text = desk.text(answer.headers["location"])
    assert ("Another person decided this line after it was shown to you. Your decision was not "
            "saved") in page_text
    assert "settled as void" in page_text
    assert len(desk.reviews()) == 1


def test_one_reader_undoes_only_their_own_last_decision(desk: DeskSite) -> None:
    desk.act("void", 3)
    desk.second_reader()
    desk.act("skip", 4)
    assert desk.act("undo")["about"] == [4]
    assert desk.act("undo")["about"] == []
    desk.sign_in()
    assert desk.act("undo")["about"] == [3]


def test_what_cannot_be_done_is_refused_in_a_sentence_and_the_rest_goes_on(desk: DeskSite) -> None:
    answer = desk.acts(
        {"key": "no-such-reading", "do": "reading-4", "line": 3},
        {"key": "no-such-line", "do": "void", "line": 99},
        {"key": "no-such-act", "do": "burn", "line": 3},
        {"key": "nothing-typed", "do": "edit", "line": 3, "text": " "},
        {"key": "nothing-listed", "do": "accept"},
        # Nothing would be left to read behind the cut.
        {"key": "at-the-end", "do": "break", "line": 3, "at": 0.999},
        {"key": "nothing-below", "do": "join", "line": 4},
        # A void line has two readings or none; one would be a decision for it.
        {"key": "one-kept", "do": "void", "line": 3, "kept": ["reading-1"]},
        {"key": "a-good-one", "do": "skip", "line": 3})
    refused = [act["refused"] for act in answer["acts"][:-1]]
    assert all("Nothing was changed" in sentence for sentence in refused)
    assert answer["acts"][-1]["saved"]
    assert [r.decision for r in desk.reviews()] == ["skipped"]


def test_words_that_are_no_order_are_kept_and_told(desk: DeskSite) -> None:
    assert desk.act("edit", 3, text="God save the King")["complaint"] == COMPLAINT
    assert desk.reviews()[0].text == "God save the King"


def test_a_void_line_keeps_the_two_readings_that_are_as_good(desk: DeskSite) -> None:
    """Q-01: both readings are kept for the results to print."""
    desk.act("void", 3, kept=["reading-1", "reading-2"])
    assert desk.reviews()[0].text == "Army Eskdale holds\nArmy Easdale holds"
    assert "settled as void : Army Eskdale holds, or Army Easdale holds." in desk.text("/desk/7?line=3")


def test_sure_lines_of_a_sheet_are_accepted_together_and_undone_together(desk: DeskSite) -> None:
    with desk.store.begin() as session:
        session.get_one(LineRow, 3).candidates = [
            {"text": "A Eskdale H", "order": "A Eskdale H", "score": 0.99}
        ]
        session.get_one(LineRow, 4).candidates = [
            {"text": "F Lyme Bay H", "order": "F Lyme Bay H", "score": 0.99}
        ]
    # LINE VERSION READING: no version yet, so two blanks next to each other.
    assert 'value="3  reading-1"' in desk.client.get("/desk/7").text
    desk.act("accept", key="both-at-once", others=[[3, "", "reading-1"], [4, "", "reading-1"]])
    assert [(r.key, r.order) for r in desk.reviews()] == [
        ("both-at-once.3", "A Eskdale H"), ("both-at-once.4", "F Lyme Bay H")]
    assert sorted(desk.act("undo")["about"]) == [3, 4]
    assert {s[2] for s in desk.states()} == {"not an order", "auto", "open"}


def test_of_an_accept_nothing_is_filed_when_one_line_was_overtaken(desk: DeskSite) -> None:
    desk.act("void", 4, "somebody-else")
    assert desk.act("accept", others=[[3, "", "reading-1"], [4, "", "reading-1"]])["overtaken"] == 4
    assert [r.decision for r in desk.reviews()] == ["void"]


def test_accepting_works_by_form_too(desk: DeskSite) -> None:
    answer = desk.post("/desk/7/accept", key="k", one="3  reading-1")
    assert answer.headers["location"] == "/desk/7?after=3"
    assert [r.order for r in desk.reviews()] == ["A Eskdale H"]
    assert desk.post("/desk/7/accept", key="l", one="three").status_code == 400


def test_an_act_without_the_pages_token_changes_nothing(desk: DeskSite) -> None:
    wish = {"acts": [{"key": "a-forged-one", "do": "void", "line": 3}]}
    for headers in ({}, {"X-Galloper-Token": "guess"}):
        assert desk.client.post("/desk/7/acts", json=wish, headers=headers).status_code == 403
        assert desk.client.post("/desk/7/here", json={"line": 3}, headers=headers).status_code == 403
    assert desk.reviews() == []


@pytest.mark.parametrize("state", [PhaseState.WAITING, PhaseState.OPEN, PhaseState.SENT])
def test_acts_are_refused_outside_the_time_of_reading(desk: DeskSite, state: PhaseState) -> None:
    desk.change(7, state=state)
    answer = desk.acts({"key": "out-of-time", "do": "void", "line": 3})
    assert "Earlier decisions stay" in answer["acts"][0]["refused"]
    assert "states" not in answer
    assert desk.reviews() == []


def test_a_judge_that_fails_after_the_last_act_costs_nothing(desk: DeskSite) -> None:
    desk.judge_fault = RuntimeError("a rule has a hole")
    desk.acts({"key": "third-line", "do": "void", "line": 3}, {"key": "fourth-line", "do": "void", "line": 4})
    assert desk.judged == [7]
    assert "Judge the turn" in desk.text("/desk/7")
    assert len(desk.reviews()) == 2


def test_who_has_a_line_is_told_for_a_minute(desk: DeskSite) -> None:
    def note_presence(line: int) -> object:
        return desk.client.post(
            "/desk/7/here", json={"line": line}, headers={"X-Galloper-Token": desk.csrf}
        ).json()

    assert note_presence(3) == {"others": {}}
    desk.second_reader()
    assert note_presence(3) == {"others": {"3": "Ada"}}
    # A claim expires after 60 s (desk plan, "Two-person review").
    desk.clock.advance(timedelta(seconds=61))
    assert note_presence(3) == {"others": {}}


def test_a_line_for_a_second_reader_comes_to_them_first_and_to_the_asker_last(desk: DeskSite) -> None:
    desk.decide(3, "second", "a")
    assert "line 3 of 3" in desk.text("/desk/7")
    assert "You asked for a second reader." in desk.text("/desk/7?line=3")
    desk.second_reader()
    page_text = desk.text("/desk/7")
    assert "line 2 of 3" in page_text
    assert ("Ada asks for a second reader. Their reading is not shown; the readings are in another "
            "order.") in page_text
    desk.decide(3, "reading-1", "b")
    assert "asks for a second reader" not in desk.text("/desk/7?line=3")


def test_a_second_reader_sees_the_readings_in_another_order(desk: DeskSite) -> None:
    # Equal scores: only the reader and the line decide the order.
    texts = [f"Army Place{n} holds" for n in range(5)]
    with desk.store.begin() as session:
        session.get_one(LineRow, 3).candidates = [{"text": t, "order": None, "score": 0.5} for t in texts]
    desk.decide(3, "second", "a")
    desk.second_reader()
    page = desk.page("/desk/7?line=3")
    shown_texts = [text for _, text in sorted((page.index(f'data-text="{text}"'), text) for text in texts)]
    assert sorted(shown_texts) == texts
    assert shown_texts != texts


def test_words_to_complete_are_those_of_the_whole_board(desk: DeskSite) -> None:
    answer = desk.client.get("/desk/7/words").json()
    assert answer == {
        "names": [["Carham", "Carham Castle"]], "verbs": ["moves to"], "units": ["Army", "Fleet"],
    }
