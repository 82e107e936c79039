"""Two people decide at the same instant, on both databases: no one overwrites unseen, and nothing is filed
twice."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from service.games import decisions
from service.games.agreement import Stage
from service.games.decisions import Decision, Overtaken, ReviewAction
from service.games.lines import lines_by_id
from service.store.tables import LineState
from tests.support.desk_site import DeskSite

ROUNDS = 12


@pytest.fixture
def desk(tmp_path: Path, database_url: str) -> Iterator[DeskSite]:
    desk_site = DeskSite(tmp_path, database_url)
    yield desk_site
    desk_site.close()


def race(desk: DeskSite, *acts: tuple[str, str, Decision, str]) -> list[Any]:
    """Who, key, what and the version seen, all filed at once; for each whether it was filed, or
    "overtaken"."""
    # Without the barrier the first is often done before the second begins, and nothing races.
    ready = threading.Barrier(len(acts))

    def file_one(person: str, key: str, decision: Decision, version: str) -> Any:
        ready.wait()
        try:
            with desk.store.begin() as session:
                act = ReviewAction(key, 7, person, desk.clock.now())
                return decisions.file(session, act, [decision], {decision.line_id: version})
        except Overtaken:
            return "overtaken"

    with ThreadPoolExecutor(len(acts)) as pool:
        return [answer.result() for answer in [pool.submit(file_one, *act) for act in acts]]


def test_of_two_who_decide_one_line_at_once_the_later_is_told(desk: DeskSite) -> None:
    version = ""
    for round_number in range(ROUNDS):
        answers = race(desk, ("Ada", f"hers-{round_number}", Decision(3, LineState.VOID, "x"), version),
                     ("Blaise", f"his-{round_number}", Decision(3, LineState.NOT_ORDER, "x"), version))
        # Which of the two is the later is left to chance; that exactly one is told is not.
        assert sorted(map(str, answers)) == ["True", "overtaken"]
        with desk.store() as session:
            version = lines_by_id(session, [3])[3].version()
    assert len(desk.reviews()) == ROUNDS


def test_the_same_request_delivered_twice_at_once_is_filed_once(desk: DeskSite) -> None:
    for round_number in range(ROUNDS):
        version = desk.reviews()[-1].key if round_number else ""
        act = ("Ada", f"once-{round_number}", Decision(3, LineState.VOID, "x"), version)
        assert sorted(race(desk, act, act)) == [False, True]
    assert len(desk.reviews()) == ROUNDS


def test_two_readers_who_read_a_line_at_once_are_both_filed(desk: DeskSite) -> None:
    # In two-person review neither may learn of the other, so neither is overtaken.
    desk.change(7, review="all")
    for line, hers, his, expected_stage in ((3, "A", "A", Stage.AGREED), (4, "A", "B", Stage.DIFFERS)):
        answers = race(desk, ("Ada", f"hers-{line}", Decision(line, LineState.READ, hers, hers), ""),
                       ("Blaise", f"his-{line}", Decision(line, LineState.READ, his, his), ""))
        assert answers == [True, True]
        with desk.store() as session:
            assert lines_by_id(session, [line])[line].stage is expected_stage
