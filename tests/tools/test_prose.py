"""`tools/prose` counts idioms in docstrings and comments, in messages, and in pages (REL-03)."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

PROSE = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "prose"))
SOURCE = '''\
"""Nobody says this."""
A = 1
"""What stands here."""
B = "somebody told"  # kept, and asks
C = 2  # noqa: says
'''
PAGE = """\
Somebody tells `nobody` what it says.

```sh
echo kept  # whoever
```
"""


def test_only_docstrings_and_comments_of_code_are_counted() -> None:
    """REL-03: a string that is a value and a directive to a tool are not prose."""
    words, rates = PROSE["rates"](PROSE["python_prose"](SOURCE))
    assert words == 9
    counts = {name: round(rate * words / 10_000) for name, rate in rates.items() if rate}
    assert counts == {"say, says, said": 1, "nobody, somebody, whoever": 1, "stand, stands, stood": 1,
                      "knows, asks, wants": 1, "kept": 1}


def test_strings_of_three_words_are_messages() -> None:
    """REL-03: docstrings, keys and patterns are not messages; the blanks of an f-string are not words."""
    source = SOURCE + 'D = f"{B} stands beside {A} now"\nE = r"\\b(?:is kept as said)"\nF = {"last key": 1}\n'
    words, rates = PROSE["rates"](PROSE["python_messages"](source))
    assert words == 2
    assert {name for name, rate in rates.items() if rate} == {"stand, stands, stood", "beside"}


def test_code_on_a_page_is_not_counted() -> None:
    """REL-03"""
    words, rates = PROSE["rates"](PROSE["page_prose"](PAGE))
    assert words == 5
    counts = {name: round(rate * words / 10_000) for name, rate in rates.items() if rate}
    assert counts == {"say, says, said": 1, "nobody, somebody, whoever": 1, "tell, tells, told": 1}


def test_the_report_never_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """REL-03: it informs, also over nothing."""
    monkeypatch.setattr("sys.argv", ["prose", "no/such/folder"])
    assert PROSE["main"]() == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(PROSE["IDIOMS"]) + 2
    assert lines[-1].split() == ["words", "0", "0", "0"]
