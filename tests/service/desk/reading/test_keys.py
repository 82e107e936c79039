"""The keys of the reading page: one each, changed by a person, kept for that person."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from service.desk.reading.keys import ACTIONS, changes, keys_of
from tests.support.desk_site import DeskSite

PLAN = [
    "Enter", "1", "2", "3", "4", "5", "ArrowUp", "ArrowDown", "e", "o", "v", "s", "d", "u", "Shift+u", "j",
    "k", "]", "[", "p", "z", "+", "-", "r", "m", "b", "a", "g", "?",
]
"""The table of keys in the desk plan, section 4."""


def test_the_defaults_are_those_of_the_plan() -> None:
    keys = [action.key for action in ACTIONS]
    # The page may have more keys than the plan, but never two actions on one.
    assert set(PLAN) <= set(keys)
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(("form_values", "stored"), [
    ({}, {}), ({"void": "V"}, {}), ({"void": "x"}, {"void": "x"}), ({"redo": "y"}, {"redo": "y"}),
    ({"undo": "shift+Z"}, {"undo": "Shift+z"}),
    ({"void": "o", "not-order": "v"}, {"void": "o", "not-order": "v"}),
    ({"off": "yes"}, {"off": "yes"}), ({"skip": "é"}, {"skip": "é"}), ({"goto": ""}, {}),
    ({"accept": "x"}, {}),
])
def test_only_what_a_person_changed_is_kept(form_values: dict[str, str], stored: dict[str, str]) -> None:
    assert changes(form_values) == stored
    assert keys_of(stored) | {"off": ""} == {action.name: action.key for action in ACTIONS} | stored | {
        "off": ""
    }


@pytest.mark.parametrize(
    "form_values",
    [
        {"void": "o"},
        {"void": "1"},
        {"void": "F5"},
        {"void": " "},
        {"void": "Shift+1"},
        # The browser's own combination: it would close or open a tab and lose what was typed.
        {"void": "ctrl+t"},
        {"void": "\x07"},
    ],
)
def test_two_things_on_one_key_and_keys_that_are_none_are_refused(form_values: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="Nothing was changed"):
        changes(form_values)


def test_keys_are_kept_for_each_person(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    desk = DeskSite(tmp_path)
    request.addfinalizer(desk.close)
    desk.sign_in()
    answer = desk.post("/desk/keys", void="x", back="7")
    assert answer.headers["location"] == "/desk/7"
    assert "&#34;void&#34;: &#34;x&#34;" in desk.page("/desk/7") or '"void": "x"' in desk.page("/desk/7")
    assert 'name="void" value="x"' in desk.page("/desk/7")
    desk.second_reader()
    assert 'name="void" value="v"' in desk.page("/desk/7")
    desk.sign_in()
    assert desk.post("/desk/keys", void="o").status_code == 400
    # "//evil" would be another site's host; only the number of a phase is gone to.
    assert desk.post("/desk/keys", void="q", defaults="yes", back="//evil").headers["location"] == "/"
    assert 'name="void" value="v"' in desk.page("/desk/7")


def test_the_handbook_of_the_desk_names_only_keys_of_the_page() -> None:
    """docs/desk.md: each key of "Read a line" is one of the page. All are listed from the actions."""
    page = (Path(__file__).parents[4] / "docs" / "desk.md").read_text("utf-8")
    section = page.partition("## Read a line")[2].partition("**Typing.**")[0]
    shown = set(re.findall(r"`([A-Z]|[1-5]|Enter)`", section))
    assert len(shown) > 10
    assert {key.lower() for key in shown} <= {action.key.lower() for action in ACTIONS}
