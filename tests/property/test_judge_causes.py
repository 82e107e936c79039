"""What the sentences of a movement phase say is so, for any orders: who did it, where, and how strong."""

from __future__ import annotations

import re

from hypothesis import given, settings, strategies as st

from adjudicator.explain import Explainer
from adjudicator.orders import Move, UnitOrder
from adjudicator.outcome import Outcome, Result
from adjudicator.units import Unit
from tests.property.test_judge_properties import VARIANTS, _case, _judge

BY_SOMEBODY = {"bounced", "cut", "dislodged", "disrupted", "paradox", "unmatched"}


@given(st.sampled_from(sorted(VARIANTS)), st.integers(0, 2**32))
@settings(deadline=None)
def test_who_and_where_and_how_strong(slug: str, seed: int) -> None:
    position, orders = _case(slug, seed)
    standing = {unit.region.province: unit for unit in position.units}
    words = Explainer(VARIANTS[slug].context(), VARIANTS[slug].rules)
    for outcome in _judge(slug, position, orders).outcomes:
        why = outcome.why
        assert "{" not in why
        assert outcome.cause is None or isinstance(outcome.cause, UnitOrder)
        if outcome.reason in BY_SOMEBODY and outcome.result is Result.FAILS:
            named = [unit for unit in standing.values() if words.name(unit) in why]
            assert named, why
            if isinstance(outcome.cause, UnitOrder):
                assert words.name(standing[outcome.cause.unit.region.province]) in why
        odds = re.search(r"(\d+) against (\d+)", why)
        if odds is not None:
            # The order's own strength is first: what succeeds has the greater one.
            assert (int(odds[1]) > int(odds[2])) == (outcome.result is Result.SUCCEEDS), why
        if outcome.reason in {"cut", "disrupted"}:
            _is_an_attack_on(outcome, standing)


def _is_an_attack_on(outcome: Outcome, standing: dict[str, Unit]) -> None:
    """A cut or a disruption is by a foreign unit that moved to where the ordered unit stands."""
    order, cause = outcome.order, outcome.cause
    assert isinstance(order, UnitOrder)
    assert isinstance(cause, Move)
    place = order.unit.region.province
    assert cause.to.province == place
    assert standing[cause.unit.region.province].power != standing[place].power
