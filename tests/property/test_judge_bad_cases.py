"""Whatever stands in a case, the command answers: with a result, or with the field that is wrong."""

from __future__ import annotations

import io
import json
from copy import deepcopy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import maps
from service.adjudicate_cli import run_adjudicate

CASES: list[dict[str, Any]] = [
    {
        "id": "move", "phase": "movement", "season": "Summer", "year": 1643,
        "units": ["The Crown A Surrey", "Argyll F Irish Sea"],
        "centres": {"The Crown": ["London"]},
        "memory": {"converting": ["The Crown A Surrey"]},
        "orders": [
            {"power": "The Crown", "type": "A", "loc": "Surrey", "order": "move", "to": "London", "via_convoy": False},
            {"power": "Argyll", "type": "F", "loc": "Irish Sea", "order": "convoy", "from": "Surrey", "to": "London"},
            {"power": "Argyll", "type": "F", "loc": "Irish Sea", "order": "proxy", "to_power": "Ormond"},
            {"power": "Argyll", "type": "F", "loc": "Irish Sea", "order": "convert", "to_type": "A", "coast": "x"},
        ],
    },
    {
        "id": "retreat", "phase": "retreat", "season": "Autumn", "year": 1643, "units": ["The Crown A Surrey"],
        "contested": ["London"],
        "dislodged": [{"power": "Argyll", "type": "A", "loc": "Surrey", "attacker_from": "London", "by_convoy": False,
                       "may_retreat": ["Sussex"]}],
        "orders": [{"power": "Argyll", "type": "A", "loc": "Surrey", "order": "retreat", "to": "Sussex"}],
    },
    {
        "id": "winter", "phase": "adjustment", "season": "Winter", "year": 1644, "units": ["Argyll A Glasgow"],
        "centres": {"Argyll": ["Fife", "Edinburgh"]}, "lots": [3],
        "orders": [
            {"power": "Argyll", "type": "A", "loc": "Fife", "order": "build"},
            {"power": "Argyll", "order": "send_supply", "to_power": "Ormond", "count": 1},
            {"power": "Argyll", "type": "A", "loc": "Glasgow", "order": "remove"},
        ],
    },
]

odd = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.floats(allow_nan=False), st.text(max_size=8),
    st.sampled_from(["Sutherland", "Devon/North Coast", "London/North Coast", "/", "A", "F", "Argyll", "build", "proxy"]),
    st.lists(st.integers(0, 3), max_size=2), st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [path, *(p for key, item in value.items() for p in _places(item, (*path, key)))]
    if isinstance(value, list):
        return [path, *(p for at, item in enumerate(value) for p in _places(item, (*path, at)))]
    return [path]


@given(st.sampled_from(CASES), st.data())
@settings(max_examples=300, deadline=None)
def test_a_case_with_anything_in_it_is_answered(case: dict[str, Any], data: st.DataObject) -> None:
    wounded = deepcopy(case)
    *above, last = data.draw(st.sampled_from([p for p in _places(case) if p]))
    target: Any = wounded
    for step in above:
        target = target[step]
    if data.draw(st.booleans()):
        target[last] = data.draw(odd)
    else:
        del target[last]
    out = io.StringIO()
    status = run_adjudicate(maps.load("w3k"), [json.dumps(wounded), json.dumps(CASES[0])], out)
    first, second = (json.loads(line) for line in out.getvalue().splitlines())
    assert status == (1 if "error" in first else 0)
    assert set(first) == {"id", "error"} or {"orders", "positions"} <= set(first)
    assert second["orders"][0]["result"] == "succeeds"
