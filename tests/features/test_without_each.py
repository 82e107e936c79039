"""The program starts without any one of its features, and misses just what that feature adds (HOM-05)."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from service.feature import PACKAGE, features
from service.store.tables import TableBase
from tests.support.features import IN_DOCUMENTS, all_commands, commands_of, is_taken_out

ROOT = Path(__file__).parents[2]
NAMES = tuple(feature.name for feature in features())


@pytest.fixture(scope="module")
def programs() -> dict[str, dict[str, Any]]:
    """The commands and routes of the whole program (""), and of it without each feature."""
    run = subprocess.run([sys.executable, "-m", "tests.features.without_each"], cwd=ROOT,
                         capture_output=True, text=True, check=True)
    return {line["without"]: line for line in map(json.loads, run.stdout.splitlines())}


@pytest.mark.parametrize("name", NAMES)
def test_the_program_starts_without_it(programs: dict[str, dict[str, Any]], name: str) -> None:
    whole, without = programs[""], programs[name]
    assert "fault" not in without, without["fault"]
    for kind in ("commands", "routes"):
        left = {each: module for each, module in whole[kind].items()
                if not f"{module}.".startswith(f"{PACKAGE}.{name}.")}
        assert without[kind] == left
        assert left or kind == "routes"


@pytest.mark.parametrize("name", NAMES)
def test_it_adds_something_and_has_a_page_about_itself(
    programs: dict[str, dict[str, Any]], name: str
) -> None:
    readme = (ROOT / "service" / "features" / name / "README.md").read_text("utf-8")
    assert readme.startswith(f"# {name}: ")
    assert "Without it, " in readme
    assert len(readme.splitlines()) <= 14
    assert (ROOT / "tests" / "features" / name).is_dir()


def test_commands_in_documents_are_of_the_features_that_the_documents_are_checked_for() -> None:
    """`is_taken_out` leaves out no command of the core, or of another feature."""
    for words, name in IN_DOCUMENTS.items():
        assert {each for each in all_commands() if f"{each} ".startswith(f"{words} ")} <= commands_of(name)
        assert any(f"{each} ".startswith(f"{words} ") for each in commands_of(name)), words
        assert not is_taken_out(words.split())


def test_each_table_of_a_feature_is_there_and_belongs_to_one() -> None:
    tables = [table for feature in features() for table in feature.tables]
    assert len(tables) == len(set(tables))
    assert set(tables) <= set(TableBase.metadata.tables)


def test_only_its_own_folders_import_a_feature() -> None:
    """Anyone who deletes a feature deletes its three folders; no other file names its modules."""
    for folder in ("service", "galloper", "bench", "demo", "tools", "training", "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            owner = path.relative_to(ROOT).parts
            if owner[:2] == ("tests", "features") and len(owner) == 3:
                continue  # what several features do together
            own = owner[2] if owner[:2] in {("service", "features"), ("tests", "features")} else ""
            named = {name.split(".")[2] for name in _imported(path) if name.count(".") >= 2
                     and name.startswith(PACKAGE + ".")}
            assert named - {own} == set(), path


def _imported(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
            names.append(node.module)
        elif isinstance(node, ast.Import):
            names += [each.name for each in node.names]
    return names
