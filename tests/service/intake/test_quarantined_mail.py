"""The fate of a mail in quarantine: taken back, and the announced phase that it names."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from service.intake.quarantine import DiscardMail, TakeMailBack, announced_for
from service.store.tables import GameRow, MailRow, MailState, PhaseRow, PhaseState
from tests.support.acting import do
from tests.support.mail_builder import mail, stamp, text
from tests.support.site import Site
from tests.support.table import SERVER, Table, open_table

SENDER = "stranger@elsewhere.example"


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def held(table: Table) -> str:
    """The digest of a mail that waits in quarantine."""
    table.take(mail("Powick Bridge", SENDER, parts=[text("Army Kent moves to Sussex")],
                    stamps=[stamp("elsewhere.example", "pass", SERVER)]), table.site.clock.now())
    with table.site.store() as session:
        row = session.scalars(select(MailRow)).one()
        assert row.state == MailState.QUARANTINED
        return row.sha256


@pytest.mark.parametrize("has_reason", [True, False])
def test_a_mail_that_is_taken_back_has_its_reason_again(table: Table, *, has_reason: bool) -> None:
    """DESK-02: one whose verdict has no reason could not be handled."""
    digest = held(table)
    with table.site.store.begin() as session:
        row = session.get_one(MailRow, digest)
        reason = row.reason if has_reason else "could_not_be_handled"
        if not has_reason:
            row.verdict = {}
    do(table, DiscardMail(digest, "Not for us."))
    do(table, TakeMailBack(digest))
    with table.site.store() as session:
        row = session.get_one(MailRow, digest)
        assert (row.state, row.reason) == (MailState.QUARANTINED, reason)


@pytest.mark.parametrize("other", [("season", "Winter"), ("year", 1700), ("kind", "adjustment")])
def test_an_announced_phase_is_the_one_of_which_a_mail_names_season_year_and_kind(
    table: Table, other: tuple[str, object]
) -> None:
    """PHA-02, Q-74."""
    with table.site.store.begin() as session:
        phase = session.scalars(select(PhaseRow).order_by(PhaseRow.ordinal)).first()
        assert phase is not None
        phase.state = PhaseState.WAITING
        game = session.get_one(GameRow, phase.game_id)
        named = {"game": game.name, "season": phase.season, "year": phase.year, "kind": phase.kind}
        for verdict, number in ((named, 1), (named | dict([other]), 0)):
            condition = announced_for(MailRow(verdict=verdict))
            rows = session.execute(select(PhaseRow, GameRow).join(GameRow).where(condition)).all()
            assert len(rows) == number
