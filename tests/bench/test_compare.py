"""Figures of documents: each is on its page with its command and date, and what drifted is printed
(SCA-12)."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bench import compare
from bench.compare import DRIFT, NoFigures, drift_of, read_figures
from service.cli import main

DOCS = Path(__file__).parents[2] / "docs"
ENTRY = """
[[figure]]
page = "page.md"
words = "two {name} in all"
command = "galloper bench {name}"
made = 2026-11-30
what = "{name}"
value = {value}
"""


def test_each_figure_stands_on_its_page_with_its_command_and_its_day() -> None:
    figures = read_figures(DOCS)
    assert len(figures) > 8
    for figure in figures:
        page = re.sub(r"\s+", " ", (DOCS / figure.page).read_text("utf-8"))
        assert figure.words in page, figure
        assert f"{figure.value:g}" in figure.words, figure
        assert f"`{figure.command}`" in page, figure
        assert figure.made.isoformat() in page, figure


def test_each_command_is_one_of_the_program() -> None:
    for command in {figure.command for figure in read_figures(DOCS)}:
        program, *words = command.split()
        assert program == "galloper"
        options = [word for word in words if not word.startswith("-") and word.isalpha()]
        assert CliRunner().invoke(main.app, [*options, "--help"]).exit_code == 0


def test_what_drifted_is_printed_and_each_command_runs_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = {"same": 2.1, "more": 2.0 * DRIFT + 0.1, "less": 2.0 / DRIFT - 0.1}
    entries = [ENTRY.format(name=name, value=2.0).replace(f"bench {name}", "bench all") for name in values]
    slow = ENTRY.format(name="slow", value=2.0) + "is_quick = false\n"
    gone = ENTRY.format(name="gone", value=2.0)
    (tmp_path / "figures.toml").write_text("".join([*entries, gone, slow]))
    ran: list[list[str]] = []

    def output(words: list[str]) -> str:
        ran.append(words)
        lines = [json.dumps({"what": name, "value": value}) for name, value in values.items()]
        return "\n".join(["progress", *lines]) if words == ["bench", "all"] else ""

    monkeypatch.setattr(compare, "_output", output)
    out = io.StringIO()
    assert compare.compare(tmp_path, out, io.StringIO()) == 1
    assert ran == [["bench", "all"], ["bench", "gone"]]
    answers = {line["what"]: line for line in map(json.loads, out.getvalue().splitlines())}
    assert {name: answer["drifted"] for name, answer in answers.items()} == {
        "same": False, "more": True, "less": True, "gone": True}
    assert answers["gone"]["value"] is None
    assert answers["more"]["documented"] == 2.0


def test_drift_is_a_ratio_either_way() -> None:
    assert drift_of(2.0, 3.0) == drift_of(3.0, 2.0) == 1.5
    assert drift_of(2.0, None) == drift_of(2.0, 0.0) == float("inf")
    assert drift_of(0.0, 0.0) == 1.0


def test_a_folder_without_figures_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoFigures, match=r"figures\.toml"):
        read_figures(tmp_path)
