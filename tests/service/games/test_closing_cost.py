"""The queries of a closing: a number of statements that does not grow with sheets, years or games."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import event, select

from service.facts.roles import Role
from service.record.entries import FACTS, person_content
from service.store.tables import GameRoleRow, GameRow, PhaseState, UserRow
from tests.support.site import Site
from tests.support.table import Table, open_table

MOST = 100
"""Statements of a closing: 78 on 2026-11-26, and 155 before each sheet's rows were loaded together."""


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def statements_of_a_closing(table: Table) -> int:
    """How many statements it takes to close the phase in play and to judge it."""
    asked: list[str] = []

    def note(*values: object) -> None:
        asked.append(str(values[2]))

    phase = table.phase()
    table.site.clock.set(phase.deadline + timedelta(seconds=1))
    event.listen(table.site.engine, "before_cursor_execute", note)
    try:
        table.close_phase(phase.id)
    finally:
        event.remove(table.site.engine, "before_cursor_execute", note)
    assert table.phase().state == PhaseState.READY
    return len(asked)


def test_a_closing_asks_little_though_every_power_sent_a_sheet(table: Table) -> None:
    """(SCA-02) It loaded the pages and the lines of each sheet alone, twice."""
    for power in table.variant.powers:
        table.file(power, ["A Perth H", "A Kent H"], received_at=table.phase().opens_at)
    assert statements_of_a_closing(table) <= MOST


@pytest.mark.parametrize(("role", "in_game"), [
    ("coordinator", None), (Role.BY_GAME, "assistant"), (Role.BY_GAME, None), (None, None)])
def test_a_persons_role_is_told_of_one_game_as_of_all(
    table: Table, role: str | None, in_game: str | None
) -> None:
    """(SCA-01) To compare one game with its record, every game of the site was listed for each person."""
    with table.site.store.begin() as session:
        game = session.scalars(select(GameRow.id)).one()
        if role is not None:
            session.add(UserRow(name="ada", role=role, password="none", created_at=table.site.clock.now()))
            session.flush()
        if in_game is not None:
            session.add(GameRoleRow(game_id=game, user="ada", role=in_game))
            session.flush()
        assert dict(FACTS["person"](session, "ada"))[game] == person_content(session, "ada", game)
        expected_role = in_game if role == Role.BY_GAME else role
        assert person_content(session, "ada", game) == {"name": "ada", "role": expected_role}
