"""HOU-07: ARCHITECTURE.md names what is there: each function and file, and the floors of the contracts."""

from __future__ import annotations

import importlib
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
PACKAGES = "adjudicator|grammar|maps|ocr|reading|service"
FUNCTIONS = sorted(set(re.findall(rf"`((?:{PACKAGES})(?:\.\w+)+)`", TEXT)))
NAMED = set(re.findall(rf"`((?:{PACKAGES}|templates|tests|migrations|docs|training)/[\w./]*)`", TEXT))
# The tests of features are gone where all features were taken out.
PATHS = sorted(path for path in NAMED if (ROOT / "tests/features").is_dir()
               or not path.startswith("tests/features/"))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_function_is_there(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        assert hasattr(importlib.import_module(module), attribute), name


@pytest.mark.parametrize("path", PATHS)
def test_each_path_is_there(path: str) -> None:
    assert (ROOT / path).exists(), path


def test_the_picture_has_the_floors_of_the_contracts() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    floors = next(contract for contract in contracts if contract["name"] == "Floors of service")["layers"]
    layers = [sorted(name for name in re.findall(r"\w+", re.sub(r"\(\w+\)", "", floor))) for floor in floors]
    picture = re.split(r"\.{9,} *every effect\n", TEXT)[1].partition("v\n")[0]
    drawn_floors = [sorted(re.findall(r"\w+", floor)) for floor in picture.split(">")]
    assert drawn_floors == layers
