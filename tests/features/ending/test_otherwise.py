"""BEY-03: one line may be read otherwise once a game is over."""

from __future__ import annotations

from adjudicator.judge import judge
from service.features.ending.otherwise import fancied
from tests.service.games.test_ended import BEFORE, ORDERS, STANDARD


def test_without_its_support_an_attack_would_have_failed() -> None:
    """By hand: two against one dislodges Gascony; with Paris holding it is one against one."""
    resolution = judge(STANDARD.context(), STANDARD.rules, BEFORE, ORDERS)
    fancy = fancied(STANDARD, BEFORE, resolution, 1, "A PAR H", ())
    marks = [(change.was.mark, change.fancied.mark) for change in fancy.changes
             if change.was and change.fancied]
    assert marks == [("given", "holds"), ("moves", "bounced"), ("dislodged", "holds")]
    assert (fancy.more_units, fancy.fewer_units) == (
        ("Army Marseilles (France)", "Army Gascony (Germany)"), ("Army Gascony (France)",))
    assert fancied(STANDARD, BEFORE, resolution, 1, "to arms!", ()).complaint
