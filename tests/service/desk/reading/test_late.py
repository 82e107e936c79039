"""A version that came in time, after its sheet's reading had begun: a banner, decisions carried, nothing sent
before."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from service.store.tables import LineRow, PageRow, PhaseState, SubmissionRow
from tests.support.desk_site import DEADLINE, LINES, DeskSite, photograph

# What the desk's acts ask of a database is asked on both kinds at each landing in test_undo.py.
SLOW_ON_POSTGRES = True


@pytest.fixture
def desk(tmp_path: Path, database_url: str) -> Iterator[DeskSite]:
    """Montrose's first version is half read when its second comes: the third line again, the fourth
    another."""
    desk_site = DeskSite(tmp_path, database_url)
    desk_site.sign_in()
    # Work has begun: without a decision the newer version counts and no one needs a banner.
    desk_site.act("reading-1", 3)
    key = desk_site.blobs.put(photograph())
    desk_site.add(
        SubmissionRow(
            id=2,
            phase_id=7,
            power="Montrose",
            player_id=1,
            sender="james@players.example",
            version=2,
            # In time by the server's stamp, though it came after people had begun to read.
            received_at=DEADLINE - timedelta(minutes=8),
            semantic_key="y",
            read_at=DEADLINE,
        ),
        PageRow(id=2, submission_id=2, ordinal=0, original=key, upright=key),
    )
    for n, text in enumerate((LINES[2][0], "F Lyme Regis H")):
        candidates = [{"text": t, "order": o, "score": s} for t, o, s in LINES[2][3]] if n == 0 else []
        desk_site.add(
            LineRow(
                id=11 + n, page_id=2, ordinal=n, box=[[50, 0], [800, 0], [800, 60], [50, 60]], kind="order",
                text=text, status="open", confidence=0.8, candidates=candidates,
            )
        )
    yield desk_site
    desk_site.close()


def test_a_late_version_is_told_with_its_time_and_ways_to_settle_it(desk: DeskSite) -> None:
    """VER-04: superseded versions are stored and shown with their difference."""
    page_text = desk.text("/desk/7")
    assert ("Montrose: version 2 received Sun 14 Mar 2027, 06:52 GMT , after 1 line of version 1 was read. "
            "It counts now; 1 line on "
            "it is the same, and what was decided there can stay.") in page_text
    page = desk.page("/desk/7")
    assert 'href="/sheet/2?against=1#difference"' in page
    assert 'href="/sheet/1#versions-head"' in page
    assert "Use version 2" in page


def test_using_it_carries_what_was_decided_about_the_same_lines_and_reopens_the_others(
    desk: DeskSite,
) -> None:
    assert [s[2] for s in desk.states()] == ["open", "open"]
    desk.post("/desk/7/late", paper=2, key="use-it")
    assert [(s[0], s[2], s[5]) for s in desk.states()] == [(11, "read", "A Eskdale H"), (12, "open", None)]
    assert "received" not in desk.text("/desk/7").partition("Last decisions")[0]
    desk.post("/desk/7/late", paper=2, key="use-it")
    assert len(desk.reviews()) == 2


def test_a_carried_decision_says_so_until_somebody_decides_anew(desk: DeskSite) -> None:
    """The desk plan's mark: a decision about another piece of paper is never taken for one about this ink."""
    desk.post("/desk/7/late", paper=2)
    entry = {item["id"]: item["carried"] for item in desk.client.get("/desk/7/lines").json()["lines"]}
    assert entry == {11: True, 12: False}
    assert ("settled as read : A Eskdale H, carried over from the version "
            "before.") in desk.text("/desk/7?line=11")
    desk.act("reading-1", 11)
    assert "carried" not in desk.text("/desk/7?line=11")
    assert "carried" not in desk.text("/desk/7?line=12")


def test_using_it_can_be_undone_like_any_act(desk: DeskSite) -> None:
    desk.post("/desk/7/late", paper=2)
    desk.act("undo")
    assert [s[2] for s in desk.states()] == ["open", "open"]
    assert "version 2 received" in desk.text("/desk/7")


def test_results_are_not_sent_while_a_late_version_is_unsettled(desk: DeskSite) -> None:
    desk.change(7, state=PhaseState.READY)
    answer = desk.post("/results/7/approve")
    assert answer.status_code == 409
    assert "a version came after its sheet was already being read" in answer.text
    assert desk.approved == []
    desk.post("/desk/7/late", paper=2)
    assert desk.post("/results/7/approve").status_code == 303


def test_the_old_version_chosen_by_hand_settles_it_too(desk: DeskSite) -> None:
    with desk.store.begin() as session:
        session.get_one(SubmissionRow, 1).flags = ["chosen"]
    # "Keep v2 (reason)" of the banner: choosing by hand is the other way to settle it.
    assert "version 2 received" not in desk.text("/desk/7")
    assert [s[2] for s in desk.states()][2:] == ["read", "open"]


def test_mail_stamped_after_the_deadline_reopens_nothing(desk: DeskSite) -> None:
    with desk.store.begin() as session:
        # Desk plan: mail stamped after the deadline never reopens anything.
        session.get_one(SubmissionRow, 2).received_at = DEADLINE + timedelta(seconds=1)
    assert "received" not in desk.text("/desk/7").partition("Last decisions")[0]
    assert [s[2] for s in desk.states()][2:] == ["read", "open"]
