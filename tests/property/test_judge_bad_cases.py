"""Whatever is in a case, the command answers: with a result, or with the field that is wrong."""

from __future__ import annotations

import io
import json
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import maps
from adjudicator.serialize.answers import answer
from service.cli import adjudicate
from service.cli.adjudicate import FAULT_OF_OURS, case_lines, run_adjudicate

CASES: list[dict[str, Any]] = [
    {
        "id": "move",
        "phase": "movement",
        "season": "Summer",
        "year": 1643,
        "units": ["The Crown A Surrey", "Argyll F Irish Sea"],
        "centres": {"The Crown": ["London"]},
        "memory": {"converting": ["The Crown A Surrey"]},
        "orders": [
            {
                "power": "The Crown",
                "type": "A",
                "loc": "Surrey",
                "order": "move",
                "to": "London",
                "via_convoy": False,
            },
            {
                "power": "Argyll",
                "type": "F",
                "loc": "Irish Sea",
                "order": "convoy",
                "from": "Surrey",
                "to": "London",
            },
            {"power": "Argyll", "type": "F", "loc": "Irish Sea", "order": "proxy", "to_power": "Ormond"},
            {
                "power": "Argyll",
                "type": "F",
                "loc": "Irish Sea",
                "order": "convert",
                "to_type": "A",
                "coast": "x",
            },
        ],
    },
    {
        "id": "retreat",
        "phase": "retreat",
        "season": "Autumn",
        "year": 1643,
        "units": ["The Crown A Surrey"],
        "contested": ["London"],
        "dislodged": [
            {
                "power": "Argyll",
                "type": "A",
                "loc": "Surrey",
                "attacker_from": "London",
                "by_convoy": False,
                "may_retreat": ["Sussex"],
            }
        ],
        "orders": [{"power": "Argyll", "type": "A", "loc": "Surrey", "order": "retreat", "to": "Sussex"}],
    },
    {
        "id": "winter",
        "phase": "adjustment",
        "season": "Winter",
        "year": 1644,
        "units": ["Argyll A Glasgow"],
        "centres": {"Argyll": ["Fife", "Edinburgh"]},
        "lots": [3],
        "orders": [
            {"power": "Argyll", "type": "A", "loc": "Fife", "order": "build"},
            {"power": "Argyll", "order": "send_supply", "to_power": "Ormond", "count": 1},
            {"power": "Argyll", "type": "A", "loc": "Glasgow", "order": "remove"},
        ],
    },
]

odd = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    # Case lines are JSON, which has no NaN.
    st.floats(allow_nan=False),
    st.text(max_size=8),
    st.sampled_from(
        # Values that are right in another field: a coast that a place does not have, a power as a region.
        ["Sutherland", "Devon/North Coast", "London/North Coast", "/", "A", "F", "Argyll", "build", "proxy"]
    ),
    st.lists(st.integers(0, 3), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [path, *(p for key, item in value.items() for p in _places(item, (*path, key)))]
    if isinstance(value, list):
        return [path, *(p for index, item in enumerate(value) for p in _places(item, (*path, index)))]
    return [path]


EXAMPLES = [
    (slug, {key: case[key] for key in case if key != "expect"})
    for slug in maps.variants()
    for path in sorted(Path("maps", slug, "cases").glob("*.toml"))
    for case in tomllib.loads(path.read_text("utf-8"))["case"]
] + [
    ("standard", {key: case[key] for key in case if key != "expect"})
    for case in json.loads(Path("tests/data/datc/datc.json").read_text("utf-8"))["cases"]
]
VARIANTS = {slug: maps.load(slug) for slug in maps.variants()}
WRONG_NOTES: list[Any] = [
    [[]], [["home"]], [["home", "x", "y"]], [["captured", "Duke William", "nowhere"]], [["seen"]],
    [["loan", "Naples", "Spain"]], [["held", "Bavaria", "Austria", "long ago", "June"]],
    [["held", "Bavaria", "Austria", "-999999999", "June"]],
    [["held", "Bavaria", "Austria", "1618", "Lent"]], [["recalled", "Naples", "Naples"]], "home", [3],
]
KEPT: dict[str, list[Any]] = {
    "memory": [
        {"notes": notes}
        for notes in WRONG_NOTES
    ],
    "state": [
        {"grain": {"nobody": 1}}, {"grain": {"Red": -1}}, {"capitals": {"Red": "nowhere"}},
        {"kingdoms": ["nobody"]}, {"kingdoms": ["Red"]}, {"alliances": [["Red", "nobody"]]},
        {"alliances": [["Red"]]}, {"output": {"nowhere": 3}}, {"output": {"Kent": -3}}, 3, [],
    ],
    "centres": [None, {}],
    "year": [10**30, 0, -5],
}
"""What rule sets keep next to units and centres, with something wrong in it."""


def _answers(slug: str, *lines: str) -> tuple[int, list[dict[str, Any]]]:
    """What the command prints, each line read as the strictest reader of JSON would."""
    out = io.StringIO()
    status = run_adjudicate(VARIANTS[slug], lines, out)
    answers = [json.loads(line, parse_constant=pytest.fail) for line in out.getvalue().splitlines()]
    assert len(answers) == len(lines)
    return status, answers


def _shape(answer: dict[str, Any]) -> None:
    if "error" in answer:
        assert set(answer) == {"id", "error"}
        # The path of the field, a colon, and the sentence.
        assert ": " in answer["error"]
        assert FAULT_OF_OURS not in answer["error"]
    else:
        assert {"id", "orders", "positions"} <= set(answer)
        assert all({"result", "why"} <= set(order) for order in answer["orders"])


@given(st.sampled_from(CASES), st.data())
@settings(max_examples=80, deadline=None)
def test_a_case_with_anything_in_it_is_answered(case: dict[str, Any], data: st.DataObject) -> None:
    wounded = _wounded(case, data)
    # A sound case behind the wounded one: a fault must not reach beyond its line.
    status, (first, second) = _answers("w3k", json.dumps(wounded), json.dumps(CASES[0]))
    assert status == (1 if "error" in first else 0)
    _shape(first)
    assert second["orders"][0]["result"] == "succeeds"


@given(st.sampled_from(EXAMPLES), st.data())
@settings(max_examples=100, deadline=None)
def test_a_worked_example_with_something_wrong_in_it_is_answered(
    example: tuple[str, dict[str, Any]], data: st.DataObject
) -> None:
    slug, case = example
    for _ in range(data.draw(st.integers(1, 3))):
        case = _wounded(case, data)
    status, (first,) = _answers(slug, json.dumps(case))
    assert status == (1 if "error" in first else 0)
    _shape(first)


@given(st.sampled_from(EXAMPLES), st.sampled_from(sorted(KEPT)), st.data())
@settings(max_examples=100, deadline=None)
def test_what_a_game_remembers_may_be_wrong(
    example: tuple[str, dict[str, Any]], key: str, data: st.DataObject
) -> None:
    """JUD-05: memory and state, of every game."""
    _answered_with_something_wrong_kept(example, key, data)


@pytest.mark.slow
@given(st.sampled_from(EXAMPLES), st.sampled_from(sorted(KEPT)), st.data())
@settings(max_examples=3_000, deadline=None)
def test_what_a_game_remembers_may_be_wrong_in_many_more_ways(
    example: tuple[str, dict[str, Any]], key: str, data: st.DataObject
) -> None:
    """JUD-05."""
    _answered_with_something_wrong_kept(example, key, data)


def _answered_with_something_wrong_kept(
    example: tuple[str, dict[str, Any]], key: str, data: st.DataObject
) -> None:
    slug, case = example
    case = {**case, key: data.draw(st.sampled_from(KEPT[key]))}
    if data.draw(st.booleans()):
        case = _wounded(case, data)
    status, (first, second) = _answers(slug, json.dumps(case), json.dumps(example[1]))
    assert status == (1 if "error" in first else 0)
    _shape(first)
    assert "error" not in second


@pytest.mark.parametrize(("slug", "key", "value", "error"), [
    ("war1648", "memory", {"notes": [["held", "Saxony", "Austria", "1618", "Lent"]]},
     "memory.notes[0]: there is no season 'Lent'"),
    ("war1648", "memory", {"notes": [["loan", "Naples", "Spain"]]},
     "memory.notes[0]: after 'loan' come province, power, power"),
    ("britain1066", "memory", {"notes": [["Seen", "HG1"]]},
     "memory.notes[0]: 'Seen' is not one of captured, home, seen"),
    ("bretwalda", "memory", {"notes": [["home", "Wessex", "Rome"]]},
     "memory.notes[0]: there is no region 'Rome'"),
    ("bretwalda", "memory", {"notes": [[]]}, "memory.notes[0]: must be a list of texts"),
    ("brittania", "state", {"kingdoms": ["Pink"]}, "state: kingdoms: there is no power 'Pink'"),
    ("brittania", "year", 10**30,
     f"year: {10**30} is not a whole number from 1 to 9999"),
    # The same unit twice is a slip too, which the tables of names must not hide.
    ("war1648", "units", ["Spain A Madrid", "Spain A Madrid"],
     "units[1]: Spain A Madrid and Spain A Madrid are in one region"),
    ("war1648", "units", ["Spain A Madrid", "Spain A Rome"], "units[1]: there is no region 'Rome'"),
    ("war1648", "orders", [{"order": "hold", "power": "Spain", "loc": "Madrid"},
                           {"order": "move", "power": "Spain", "loc": "Madrid", "to": 5}],
     "orders[1].to: 5 is not a region"),
    ("war1648", "orders", [{"order": "hold", "power": "Spain", "type": 1, "loc": "Madrid"}],
     "orders[0].type: 1 is not one of A, F, M"),
    ("war1648", "orders", [5], "orders[0]: must be an object"),
])
def test_the_field_at_fault_is_named(slug: str, key: str, value: object, error: str) -> None:
    """JUD-05."""
    _, case = next(example for example in EXAMPLES if example[0] == slug)
    status, (first, second) = _answers(slug, json.dumps({**case, key: value}), json.dumps(case))
    assert (status, first) == (1, {"id": case["id"], "error": error})
    assert "error" not in second


def test_a_fault_of_the_program_spoils_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """JUD-05: the batch goes on, and the error states whose fault it is."""
    lines = [json.dumps({**CASES[0], "id": name}) for name in ("good", "bad", "good")]
    monkeypatch.setattr(
        adjudicate, "answer", lambda name, *rest: 1 // 0 if name == "bad" else answer(name, *rest))
    status, replies = _answers("w3k", *lines)
    assert status == 1
    assert ["error" in reply for reply in replies] == [False, True, False]
    assert replies[1]["error"].startswith(FAULT_OF_OURS)


@given(st.sampled_from(EXAMPLES), st.data())
@settings(max_examples=100, deadline=None)
def test_a_line_of_which_something_is_torn_off_or_overwritten_is_answered(
    example: tuple[str, dict[str, Any]], data: st.DataObject
) -> None:
    slug, case = example
    line = json.dumps(case).encode()
    start = data.draw(st.integers(0, len(line)))
    torn = line[:start] + data.draw(st.binary(max_size=4)) + line[start + data.draw(st.integers(0, 20)):]
    lines = case_lines(torn + b"\n" + line + b"\n")
    status, answers = _answers(slug, *lines)
    assert status == (1 if any("error" in answer for answer in answers) else 0)
    for reply in answers:
        _shape(reply)
    # The sound line after the torn one; what was torn may be several lines by now.
    assert "error" not in answers[-1]


def _wounded(case: dict[str, Any], data: st.DataObject) -> dict[str, Any]:
    """The case with one value lost or replaced, or one value of it put somewhere else."""
    wounded = deepcopy(case)
    # The empty path is the whole case, which has nothing above it to change.
    *above, last = data.draw(st.sampled_from([p for p in _places(case) if p]))
    target: Any = wounded
    for step in above:
        target = target[step]
    if data.draw(st.booleans()):
        target[last] = data.draw(odd)
    else:
        del target[last]
    return wounded
