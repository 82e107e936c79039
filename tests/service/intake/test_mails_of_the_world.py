"""155 mails in the shapes that providers, programs, mail servers and forgers really write get the verdicts of
their indexes, through the command's own function (BOX-02, BOX-03, BOX-04, BOX-06)."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from service.cli.intake import run_intake
from tests.support.mail_builder import FIXTURES
from tests.support.opening import EverySheet

judge_files = partial(run_intake, sheet_test=EverySheet())
WORLD = FIXTURES / "world"
FOLDERS = ("providers", "clients", "bounces", "headers", "dkim")


def _index(folder: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((WORLD / folder / "index.json").read_text(encoding="utf-8"))
    return value


def _cases() -> Iterator[tuple[str, dict[str, Any]]]:
    for folder in FOLDERS:
        for case in _index(folder)["cases"]:
            yield folder, case


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Each folder once; the cases of one provider together, as world.md asks."""
    rows: dict[str, dict[str, Any]] = {}
    for folder in FOLDERS:
        index = _index(folder)
        context = {**index["context"], **{key: index[key] for key in ("providers", "dns") if key in index}}
        for provider in dict.fromkeys(case.get("provider") for case in index["cases"]):
            cases = [case for case in index["cases"] if case.get("provider") == provider]
            place = tmp_path_factory.mktemp(folder)
            for name, value in (("context.json", context), ("index.json", {"cases": cases})):
                (place / name).write_text(json.dumps(value), encoding="utf-8")
            out = io.StringIO()
            mails = [WORLD / folder / case["file"] for case in cases]
            done = judge_files(place / "context.json", place / "index.json", mails, as_json=True, out=out)
            assert done == 0
            rows |= {row["file"]: row for row in map(json.loads, out.getvalue().splitlines())}
    return rows


def _differences(row: dict[str, Any], expect: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Each field that is not as expected: (expected, said). `flags` count for accepted mails alone;
    `recipients` are compared as a set without case, `reason_any` lists several right reasons."""
    said = dict(row)
    wanted = dict(expect)
    if "reason_any" in wanted:
        reasons = wanted.pop("reason_any")
        wanted["reason"] = row["reason"] if row["reason"] in reasons else reasons
    if wanted["verdict"] != "accepted":
        wanted.pop("flags", None)
    for side in (said, wanted):
        for name, change in (("flags", str), ("recipients", str.casefold)):
            if side.get(name) is not None:
                side[name] = sorted({change(value) for value in side[name]})
    return {name: (value, said.get(name)) for name, value in wanted.items() if said.get(name) != value}


@pytest.mark.parametrize(
    ("folder", "case"), [pytest.param(*pair, id=Path(pair[1]["file"]).stem) for pair in _cases()]
)
def test_verdict(folder: str, case: dict[str, Any], verdicts: dict[str, dict[str, Any]]) -> None:
    assert _differences(verdicts[case["file"]], case["expect"]) == {}, case["why"]
