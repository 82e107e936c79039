"""TRU-01, TRU-05, TRU-07: no honest game is called a fault. Games by chance on all six boards, played through
the program: versions, late and posted sheets, words, quarantine, two readers, added lines, decisions undone,
judgings taken back, moved deadlines, replaced players, corrections, hand-overs, rehearsals, restores,
imports, the move to PostgreSQL, forgotten players; shown to both checkers with letters of some and of all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from service.archive.export import Secrets, _PlayersEdition
from tests.service.archive.honest.play import play
from tests.support.servers.postgres import Postgres, binaries

# Of these seeds: one of 1066 that ends with phases closed to players, and two are forgotten; one of brittania
# in which results were lost by a restore and the phase was judged otherwise then; one of bretwalda in which
# receipts of a phase were lost whose results are not sent yet; one of the classic board in which players were
# welcomed between two phases, of which the second was passed over.


@pytest.mark.slow
@pytest.mark.parametrize("seed", [7, 8, 36, 45])
def test_a_game_that_was_called_a_fault_once_is_none(seed: int, tmp_path: Path) -> None:
    """What is closed to players proves nothing; a lost letter was held against the entries that have its
    numbers now; the players' archive closed the entry of a restore."""
    assert play(seed, tmp_path)[1] == []


def test_a_letter_about_a_phase_that_was_passed_over_is_open_to_players() -> None:
    """The checkers call a closed one a fault once its phase is over (C16)."""
    players = _PlayersEdition(
        sent=frozenset({1}), over=frozenset({1, 2}), executed=frozenset(), until="", secrets=Secrets(),
        last=9)
    assert players.opens(1, "letter", {"phase": 2})
    assert not players.opens(1, "letter", {"phase": 3})
    assert not players.opens(1, "judged", {"phase": 2})


@pytest.fixture(scope="module")
def new_database(request: pytest.FixtureRequest) -> Callable[[], str] | None:
    """Gives the address of a new, empty PostgreSQL database each time; None where no server is installed."""
    if binaries() is None:
        return None
    server: Postgres = request.getfixturevalue("cluster")
    return server.url


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", range(200))
def test_no_honest_game_is_called_a_fault(
    seed: int, tmp_path: Path, new_database: Callable[[], str] | None
) -> None:
    assert play(seed, tmp_path, new_database)[1] == []
