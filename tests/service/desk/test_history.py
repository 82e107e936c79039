"""Pages of many phases stay light however long the games have run: they fetch no board of any phase, and find
the decisions about a line by its number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text

from tests.support.desk_site import DeskSite
from tests.support.features import of_features

# With 845 phases Today took 259 ms while it fetched boards, Games 131 ms.
MANY = ("/", "/games", "/games/powick-bridge", *of_features("PAGES_OF_EVERY_GAME"))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskSite]:
    desk_site = DeskSite(tmp_path)
    desk_site.sign_in()
    yield desk_site
    desk_site.close()


def _asked(desk: DeskSite, path: str) -> list[str]:
    """The statements of the database that a page needs."""
    statements: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    event.listen(desk.engine, "before_cursor_execute", note)
    desk.page(path)
    event.remove(desk.engine, "before_cursor_execute", note)
    return statements


@pytest.mark.parametrize("path", MANY)
def test_a_page_of_many_phases_fetches_no_board(desk: DeskSite, path: str) -> None:
    statements = _asked(desk, path)
    assert any("FROM phases" in statement for statement in statements)
    assert not [
        statement
        for statement in statements
        # A position is most of a phase's row; these pages show its clock only.
        if "phases.position," in statement or "phases.resolution" in statement
    ]


def test_decisions_are_found_by_their_line_and_not_by_reading_all(desk: DeskSite) -> None:
    with desk.engine.connect() as connection:
        # Without the index by line every page of the desk read all decisions of all years.
        plan = connection.execute(text("explain query plan select id from reviews where line_id in (3, "
                                       "4)")).all()
    assert "SEARCH reviews USING" in str(plan)
    assert "line_id" in str(plan)
