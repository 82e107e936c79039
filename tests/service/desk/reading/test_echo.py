"""The same ink by the same hand, decided once on a sheet, is offered first on its next lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.desk import queries
from service.games.draw_votes import vote_of
from service.store.tables import LineRow, PhaseRow
from tests.support.desk_site import DeskSite

WRONG, RIGHT = "A Easdale - Carham", "A Eskdale - Carham"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskSite]:
    desk_site = DeskSite(tmp_path)
    desk_site.sign_in()
    yield desk_site
    desk_site.close()


def _candidates(desk: DeskSite, line: int, *texts: str) -> None:
    with desk.store.begin() as session:
        session.get_one(LineRow, line).candidates = [{"text": t, "order": t, "score": 0.9 - n / 10}
                                                     for n, t in enumerate(texts)]


def _first(desk: DeskSite, line: int) -> str:
    page = desk.page(f"/desk/7?line={line}")
    return page[page.index('class="reading first"'):].partition("</button>")[0]


def test_a_correction_is_offered_first_where_the_same_misreading_comes_again(desk: DeskSite) -> None:
    _candidates(desk, 3, WRONG, RIGHT)
    _candidates(desk, 4, "A Easdale - Merse", "A Eskdale - Merse")
    assert 'data-text="A Easdale - Merse"' in _first(desk, 4)
    desk.orders_of_words = {"A Eskdale - Merse": "A Eskdale - Merse"}
    answer = desk.acts({"key": "the-correction", "do": "reading-2", "line": 3})
    first = _first(desk, 4)
    assert 'data-text="A Eskdale - Merse"' in first
    assert "as you read line 2" in first
    assert 'data-offer="reading-2"' in first
    # The script fetches just these lines again; the other lines it holds are still right.
    assert answer["offers"] == {"4": "reading-2 line 2 A Eskdale - Merse"}
    desk.act("undo")
    assert 'data-text="A Easdale - Merse"' in _first(desk, 4)


def test_a_correction_that_is_none_of_the_readings_is_offered_as_words(desk: DeskSite) -> None:
    _candidates(desk, 3, WRONG, RIGHT)
    _candidates(desk, 4, "A Easdale - Merse")
    desk.orders_of_words = {"A Eskdale - Merse": "A Eskdale - Merse"}
    desk.act("reading-2", 3)
    assert 'data-offer="said"' in _first(desk, 4)
    desk.decide(4, "said", "k", "A Eskdale - Merse")
    assert (desk.reviews()[-1].text, desk.reviews()[-1].order) == ("A Eskdale - Merse", "A Eskdale - Merse")


def test_nothing_is_offered_that_makes_no_order(desk: DeskSite) -> None:
    _candidates(desk, 3, WRONG, RIGHT)
    _candidates(desk, 4, "A Easdale - Merse")
    desk.act("reading-2", 3)
    assert 'data-text="A Easdale - Merse"' in _first(desk, 4)


def test_what_the_machine_was_sure_of_corrects_nobody(desk: DeskSite) -> None:
    """Only a person's decision is an example: an automatic line has none."""
    _candidates(desk, 2, WRONG)
    with desk.store.begin() as session:
        # The machine was sure of this order; no one has looked at its ink.
        session.get_one(LineRow, 2).order = RIGHT
    _candidates(desk, 4, "A Easdale - Merse")
    desk.orders_of_words = {"A Eskdale - Merse": "A Eskdale - Merse"}
    assert 'data-text="A Easdale - Merse"' in _first(desk, 4)


@pytest.mark.parametrize(("do", "text", "vote"), [
    ("reading-2", "", "I ask for a draw"), ("edit", "I ask for a draw", "I ask for a draw"),
    ("not-order", "", None),
])
def test_a_misread_wish_for_a_draw_counts_by_the_reading_that_is_chosen(
    desk: DeskSite, do: str, text: str, vote: str | None
) -> None:
    """Q-30: chosen or typed alike; what is marked as no order keeps the machine's words."""
    with desk.store.begin() as session:
        row = session.get_one(LineRow, 4)
        row.text, row.order = "I ask for a drum", None
        row.candidates = [{"text": words, "order": None, "score": 0.5}
                          for words in ("I ask for a drum", "I ask for a draw")]
    desk.decide(4, do, "a-vote", text)
    with desk.store() as session:
        lines = [work.line for work in queries.work(session, session.get_one(PhaseRow, 7))]
    assert vote_of(lines) == vote
