"""Games of other programs through the public package (INS-04, INS-09). Whether those programs read ours is
tested with them (tests/adjudicator/formats, docs/formats.md)."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

import galloper
from bench.adjudicate.random_orders import phase_orders

# DATC 6.H.6 in jDip's form: a retreat to a contested province is refused.
RETREAT = """
VARIANT_ALL Standard
CASE 6.H.6 (unit may not retreat to a contested area)
PRESTATE_SETPHASE Spring 1901, Retreat
PRESTATE
\tAustria: A Budapest
\tAustria: A Trieste
\tGermany: A Munich
\tGermany: A Silesia
\tItaly: A vie
PRESTATE_DISLODGED
\tItaly: A Vienna
PRESTATE_RESULTS
\tSUCCESS: Austria: A Budapest Supports A Trieste - Vienna
\tSUCCESS: Austria: A Trieste-Vienna
\tFAILURE: Germany: A Munich-Bohemia
\tFAILURE: Germany: A sil-boh
\tFAILURE: Italy: A Vienna H
ORDERS
\tItaly: A Vienna-Bohemia
POSTSTATE
\tAustria: A Budapest
\tAustria: A Trieste
\tGermany: A Munich
\tGermany: A Silesia
\tItaly: A vie
END
"""


def _random_game(seed: int, count: int) -> galloper.Game:
    """Retreats, builds, removals and void orders among its phases."""
    chance, game = Random(seed), galloper.Game("standard", name="Powick Bridge")
    while len(game.phases) < count and not game.is_over:
        for order in phase_orders(game.board.inner, game.position.inner, chance):
            before = game.orders.get(order.power, ())
            game.set_orders(order.power, [*before, galloper.Order(game.board, order)])
        game.judge()
    return game


@pytest.mark.parametrize("form", ["diplomacy", "jdip"])
def test_a_game_goes_there_and_comes_back(form: str, tmp_path: Path) -> None:
    """INS-09: the board of every phase is the same after the way out, in, and through the judge."""
    game = _random_game(7, 25)
    file = tmp_path / "game"
    exported = galloper.export_game(game, file, form=form, lossy=True)
    assert file.read_bytes() == exported.data
    (read,) = galloper.import_games(file)
    assert read.compare() == ()
    again = read.play()
    assert again.position.units == game.position.units
    assert again.position.centres == game.position.centres
    kinds = {phase.position.phase.kind.value for phase in again.phases}
    assert kinds == {"movement", "retreat", "adjustment"}


def test_cases_come_one_by_one() -> None:
    """DATC 6.H.6, whose text is jDip's: the case agrees, and with a wrong end it cannot be played."""
    (case,) = galloper.import_games(RETREAT.encode())
    assert case.compare() == ()
    assert [str(unit) for unit in case.play().position.units if unit.power == "ITALY"] == ["ITALY A VIE"]
    (wrong,) = galloper.import_games(RETREAT.replace("POSTSTATE", "POSTSTATE\n\tItaly: A boh").encode())
    ends = "units: only here nothing; only in the file ITALY A BOH."
    assert wrong.compare() == (f"Spring 1901 Retreat: {ends}",)
    with pytest.raises(galloper.FormatError, match=r"6\.H\.6.* cannot be played as in its file\. Spring"):
        wrong.play()


def test_an_order_that_cannot_be_read_is_told_and_not_forgotten() -> None:
    """A game that is played without it would be another game."""
    saved = json.loads(galloper.export_game(_random_game(3, 1), form="diplomacy", lossy=True).data)
    saved["phases"][0]["orders"]["FRANCE"].append("A PAR JUMPS")
    (read,) = galloper.import_games(json.dumps(saved).encode())
    assert read.phases[0].unread == ("FRANCE: A PAR JUMPS",)
    assert "an order cannot be read: FRANCE: A PAR JUMPS" in read.compare()[0]
    with pytest.raises(galloper.FormatError, match="A PAR JUMPS"):
        read.play()


@pytest.mark.parametrize(("call", "sentence"), [
    (lambda: galloper.import_games(b"hello"), "in no format that is known here"),
    (lambda: galloper.import_games("no-such-file"), "no-such-file cannot be read .*check the name"),
    (lambda: galloper.import_games(b'{"id": 1, "phase": "movement"}'), "adjudicate; Position.from_json"),
    (lambda: galloper.import_games(b'{"phases": []}'), "the game has no phase"),
    (lambda: galloper.import_games(RETREAT.encode(), board="w3k"), "w3k"),
    (lambda: galloper.export_game(galloper.Game("w3k"), form="jdip"), "cannot hold a game of w3k: .*cases"),
    (lambda: galloper.export_game(galloper.Game("standard"), form="xml"), "there are diplomacy, jdip, datc"),
])
def test_what_cannot_be_is_refused_in_a_sentence(call: object, sentence: str) -> None:
    assert callable(call)
    with pytest.raises(galloper.FormatError, match=sentence):
        call()


def test_losses_are_refused_in_the_words_of_this_package() -> None:
    """INS-09: `lossy=True` is what a programmer writes, and not the option of the command line."""
    game = galloper.Game("standard")
    game.set_orders("France", [{"order": "proxy", "type": "A", "loc": "PAR", "to_power": "GERMANY"}])
    game.judge()
    with pytest.raises(galloper.FormatError, match="with lossy=True"):
        galloper.export_game(game, form="jdip")
    assert galloper.export_game(game, form="jdip", lossy=True).left_out
