"""Commands next to the product: found in the source tree, one sentence where only the wheel is installed
(HOU-01)."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from service.cli import main

PYPROJECT = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))


def _program(monkeypatch: pytest.MonkeyPatch, **values: str) -> typer.Typer:
    """A program with one command of its own and an entry point for each name."""
    entries = [EntryPoint(name, value, main.GROUP) for name, value in values.items()]
    monkeypatch.setattr(main, "entry_points", lambda group: entries)
    app = typer.Typer()
    app.command("own")(lambda: None)
    main.add_extra_commands(app)
    return app


@pytest.mark.parametrize("words", [["demo"], ["demo", "--fast", "--variant", "w3k"], ["demo", "a", "b"]])
def test_a_command_whose_module_is_missing_says_where_it_is(
    monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    result = CliRunner().invoke(_program(monkeypatch, demo="no_such_module.cli:app"), words)
    assert isinstance(result.exception, main.MissingCommand)
    assert "comes with the source tree" in str(result.exception)
    assert "no_such_module" in str(result.exception)


def test_one_command_stays_a_command_and_several_become_a_group(monkeypatch: pytest.MonkeyPatch) -> None:
    app = _program(monkeypatch, bench="bench.cli:app", demo="demo.cli:app")
    assert "--fast" in CliRunner().invoke(app, ["demo", "--help"]).output
    assert "growth" in CliRunner().invoke(app, ["bench", "--help"]).output


def test_the_wheel_has_the_product_only() -> None:
    packages = {
        pattern.rstrip("*") for pattern in PYPROJECT["tool"]["setuptools"]["packages"]["find"]["include"]
    }
    entries = PYPROJECT["project"]["entry-points"][main.GROUP]
    assert "service" in packages
    assert packages.isdisjoint({"bench", "demo", "training", "tests", "tools"})
    assert set(entries) == {"bench", "demo"}
