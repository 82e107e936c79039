"""Rule sets of an older Galloper: a hook under its old name is refused, since it would never be called."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicator import rules
from adjudicator.ruleset import Ruleset

PROGRAM = """
from adjudicator.ruleset import Ruleset


class RULES(Ruleset):
    def {hook}(self, *arguments):
        return None
"""


@pytest.mark.parametrize(("hook", "name"), [("sight", "visible_position"), ("enforce", "choose_removals")])
def test_an_old_hook_is_refused_with_its_new_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hook: str, name: str
) -> None:
    (tmp_path / f"old_{hook}.py").write_text(PROGRAM.format(hook=hook), "utf-8")
    # `add_folder` adds to this list for good; the copy goes with the test.
    monkeypatch.setattr(rules, "__path__", list(rules.__path__))
    rules.add_folder(tmp_path)
    with pytest.raises(ValueError, match=f"{hook} is {name} now"):
        rules.load(f"old_{hook}", {})


def test_each_new_name_is_a_hook_and_no_old_one_is() -> None:
    assert all(hasattr(Ruleset, name) for name in rules.RENAMED_HOOKS.values())
    assert not [name for name in rules.RENAMED_HOOKS if hasattr(Ruleset, name)]
