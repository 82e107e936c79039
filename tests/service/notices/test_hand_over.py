"""A new coordinator: every player gets one letter, with a digest of the record that shows any later
change."""

from __future__ import annotations

import pytest

from service.games.acts.results import ChangeCoordinator
from service.notices.broadcasts import Broadcasts
from service.record.chain import Root, root
from service.record.references import root_words
from service.store import records
from service.store.tables import GameRow
from tests.support.acting import do
from tests.support.proofs import proof_of
from tests.support.site import Site
from tests.support.table import Table, address, open_table


@pytest.fixture
def table(site: Site) -> Table:
    opened = open_table(site)
    with site.store.begin() as session:
        for number in range(3):
            records.log_event(
                session, site.clock.now(), "something",  # type: ignore[arg-type]
                game_id=opened.game, detail={"number": number}
            )
    return opened


def hand_over(table: Table, name: str = "Blaise", key: str = "form-1") -> int:
    return do(table, ChangeCoordinator(table.game, name, key), "ada",
              circulars=Broadcasts(table.writer)).letters


def record(table: Table) -> Root:
    with table.site.store() as session:
        return root(session, table.game)


def test_every_player_is_told_once_with_the_digest_of_the_record(table: Table) -> None:
    before = record(table)
    assert hand_over(table) == len(table.variant.powers)
    assert hand_over(table) == 0
    rows = table.letters("announcement")
    assert sorted(row.recipient for row in rows) == sorted(address(power) for power in table.variant.powers)
    for row in rows:
        words, message = table.words(row), table.message(row)
        assert "has a new coordinator: Blaise, from" in words
        assert (f"The record of Powick Bridge has {before.number} entries up to this hand-over. In four "
                f"words: {root_words(before.link)}.") in words
        assert proof_of(bytes(message))["root"] == before.link
        assert f"{table.phase().deadline:%a %-d %b %Y, 07:00 GMT}" in words
        # The proofs are below the signature.
        signature = "Blaise coordinator of Powick Bridge Orders go to orders@galloper.example"
        parts = [words.index(part) for part in ("go to the same address", signature, "The record")]
        assert parts == sorted(parts)
        assert message["Auto-Submitted"] == "auto-generated"
        assert not [
            other for other in map(address, table.variant.powers) if other != row.recipient and other in words
        ]


def test_letters_are_signed_by_the_new_coordinator_from_then_on(table: Table) -> None:
    hand_over(table)
    with table.site.store() as session:
        assert table.writer.game_info(session.get_one(GameRow, table.game)).coordinator == "Blaise"
    assert hand_over(table, "Grace", "form-2") == len(table.variant.powers)
    assert "Until now: Blaise" in table.words(table.letters("announcement")[-1])


def test_another_game_is_no_part_of_the_record(table: Table) -> None:
    """NON-05."""
    first = record(table)
    with table.site.store.begin() as session:
        records.log_event(session, table.site.clock.now(), "something")  # type: ignore[arg-type]
    assert record(table) == first
