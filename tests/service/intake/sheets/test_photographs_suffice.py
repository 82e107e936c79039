"""Retreats and adjustments come by photograph alone (SUB-06), also where first orders must be posted."""

from __future__ import annotations

from datetime import timedelta

import pytest

from service.games import ballots
from service.games.phases import phase_of
from service.store.tables import GameRow, MailState, PhaseState
from tests.support.site import Site
from tests.support.table import Table, open_table

RETREATS, WINTER = 2, 5
"""Ordinals of Summer 1642's retreats and of Winter 1643 in a new game."""


@pytest.fixture
def strict(site: Site) -> Table:
    """A game in which the first orders of a season must be posted (Q-04)."""
    table = open_table(site)
    with site.store.begin() as session:
        game = session.get_one(GameRow, table.game)
        game.options = {**game.options, "post_first": True}
    return table


@pytest.mark.parametrize(("number", "name"), [
    (RETREATS, "Summer 1642 Retreat"), (WINTER, "Winter 1643 Adjustment"),
])  # fmt: skip
def test_a_photograph_counts_without_any_letter(strict: Table, number: int, name: str) -> None:
    """SUB-06: taken, executed, and no original is awaited of it; the movement before needed one."""
    refused = strict.take(strict.mail("Montrose"), strict.phase().opens_at)
    assert (refused.state, refused.reason) == (MailState.REFUSED, "first_by_post")
    for earlier in range(1, number):
        strict.set_phase(earlier, state=PhaseState.SENT)
    strict.set_phase(number, state=PhaseState.OPEN)
    phase = strict.phase(number)
    assert str(phase_of(phase)) == name
    subject = strict.subject("Montrose", 1, phase_of(phase))
    row = strict.take(strict.mail("Montrose", 30, subject=subject), phase.deadline - timedelta(hours=1))
    assert (row.state, row.reason) == (MailState.USED, None)
    (submission,) = strict.submissions()
    assert submission.phase_id == phase.id
    with strict.site.store.begin() as session:
        session.merge(submission).read_at = phase.deadline
    with strict.site.store() as session:
        assert ballots.executed(session, phase) == {"Montrose": submission.id}
    assert strict.written_letters()[-1][0] == "receipt"
    # By itself "post" may be one of the three words of a receipt.
    assert "by post" not in strict.words(strict.letters("receipt")[0]).lower()
