"""Undo and redo without limit, exact: after any walk each step back restores every line as it was."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from service.store.tables import PhaseState
from tests.support.desk_site import DeskSite

SLOW_ON_POSTGRES = True


@pytest.fixture
def desk(tmp_path: Path, database_url: str) -> Iterator[DeskSite]:
    desk_site = DeskSite(tmp_path, database_url)
    desk_site.still_to_read = True  # the judge finds something unread, so the phase stays at the desk
    desk_site.sign_in()
    yield desk_site
    desk_site.close()


def _acts(desk: DeskSite, chance: random.Random) -> bool:
    """Do one of everything the page offers for some line; whether it was taken."""
    line = int(chance.choice(desk.states())[0])  # type: ignore[call-overload]  # the first field is the id
    do = chance.choice(
        [
            "reading-1", "reading-2", "edit", "not-order", "void", "skip", "second", "accept", "join",
            "break", "said",
        ]
    )
    more = {"text": chance.choice(["Army Merse holds", "words"])} if do in {"edit", "said"} else {}
    if do == "accept":
        others = [[s[0], s[3], "reading-1"] for s in desk.states() if chance.random() < 0.5]
        return bool(desk.act("accept", others=others).get("saved"))
    if do == "break":
        more = {"at": chance.uniform(0.1, 0.9)}  # type: ignore[dict-item]  # a share among texts
    return bool(desk.act(do, line, **more).get("saved"))


@pytest.mark.parametrize(("seed", "length"), [(1, 40), pytest.param(1642, 500, marks=pytest.mark.slow)])
def test_every_step_of_a_walk_is_undone_and_redone_exactly(desk: DeskSite, seed: int, length: int) -> None:
    """The desk plan's target: undo restores exactly, 100 % of a random 500-action walk, over the page's own
    requests."""
    chance = random.Random(seed)
    past, future = [desk.states()], []
    steps = 0
    while steps < length:
        steps += 1
        choice = chance.random()
        if choice < 0.3:
            reply = desk.act("undo")
            if len(past) == 1:
                assert reply["about"] == []
                continue
            assert reply["about"]
            future.append(past.pop())
        elif choice < 0.45:
            reply = desk.act("redo")
            if not future:
                assert reply["about"] == []
                continue
            past.append(future.pop())
        else:
            # Breaking a line makes two of it; without a bound the page would grow for 500 steps.
            if len(past[-1]) > 14 or not _acts(desk, chance):
                continue
            past.append(desk.states())
            # A new act ends what could be redone.
            future = []
        assert desk.states() == past[-1], steps
    while len(past) > 1:
        desk.act("undo")
        past.pop()
        assert desk.states() == past[-1]
    assert desk.act("undo")["about"] == []


def test_redo_ends_where_something_new_is_done(desk: DeskSite) -> None:
    desk.act("void", 3)
    desk.act("undo")
    desk.act("skip", 3)
    assert desk.act("redo")["about"] == []
    assert desk.states()[2][2] == "skipped"


def test_undo_and_redo_by_form(desk: DeskSite) -> None:
    desk.decide(3, "void", "a")
    desk.post("/desk/7/undo")
    assert desk.post("/desk/7/redo").headers["location"] == "/desk/7?after=3"
    assert desk.states()[2][2] == "void"
    assert "notice=nothing-to-redo" in desk.post("/desk/7/redo").headers["location"]
    assert "There is nothing to do again." in desk.text("/desk/7?notice=nothing-to-redo")


def test_a_decision_of_long_ago_is_undone_by_its_own_key(desk: DeskSite) -> None:
    desk.act("void", 3, "long-ago-one")
    desk.act("void", 4)
    assert desk.act("undo", target="long-ago-one")["about"] == [3]
    assert [s[2] for s in desk.states()[2:]] == ["open", "void"]
    assert desk.act("redo")["about"] == [3]


def test_an_act_done_again_makes_judged_results_out_of_date(desk: DeskSite) -> None:
    desk.still_to_read = False
    desk.decide(3, "void", "a")
    desk.act("skip", 4)
    desk.decide(4, "void", "b")
    desk.act("undo")
    desk.change(7, state=PhaseState.READY, judged_at=desk.clock.now())
    desk.clock.advance(timedelta(minutes=1))
    desk.judge_fault = RuntimeError("broken")
    desk.act("redo")
    assert "the results are out of date" in desk.text("/desk/7")
