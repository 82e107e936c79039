"""The twenty mails of tests/data/mail get the verdicts of their index, through the command's own function."""

from __future__ import annotations

import io
import json
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from service.cli.intake import run_intake
from tests.support.mail_builder import FIXTURES, index
from tests.support.opening import EverySheet

judge_files = partial(run_intake, sheet_test=EverySheet())
CASES: list[dict[str, Any]] = index()["cases"]
KEYS = ["file", "verdict", "reason", "game", "power", "season", "year", "type", "version", "photos", "flags"]


def rows(out: io.StringIO) -> dict[str, dict[str, Any]]:
    return {row["file"]: row for row in map(json.loads, out.getvalue().splitlines())}


@pytest.fixture(scope="module")
def verdicts() -> dict[str, dict[str, Any]]:
    out = io.StringIO()
    paths = [FIXTURES / case["file"] for case in reversed(CASES)]
    assert judge_files(FIXTURES / "index.json", FIXTURES / "index.json", paths, as_json=True, out=out) == 0
    return rows(out)


@pytest.mark.parametrize("case", CASES, ids=[case["file"] for case in CASES])
def test_fixture(case: dict[str, Any], verdicts: dict[str, dict[str, Any]]) -> None:
    """SUB-12: s10 is s01 delivered again, with one more trace header. SUB-03: s11 has orders in its body
    alone. SUB-14: s13 speaks for another power, s19 is forged."""
    verdict = verdicts[case["file"]]
    assert list(verdict)[: len(KEYS)] == KEYS
    assert {key: verdict[key] for key in case["expect"]} == case["expect"]


def test_nothing_but_the_forgery_alerts_and_nothing_ignored_is_answered(
    verdicts: dict[str, dict[str, Any]],
) -> None:
    assert [name for name, row in verdicts.items() if row["alert"]] == ["s19-forged-auth-results.eml"]
    assert all(row["reply_to"] is None for row in verdicts.values() if row["verdict"] == "ignored")


def test_receipt_time_beside_the_mail(tmp_path: Path) -> None:
    known = tmp_path / "context.json"
    known.write_text(json.dumps(index()["context"]), encoding="utf-8")
    late = tmp_path / "late.eml"
    shutil.copy(FIXTURES / "s20-three-seconds-late.eml", late)
    stamp = tmp_path / "late.eml.internaldate"
    for moment, verdict in (("2025-03-23T07:00:00Z", "accepted"), ("2025-03-23T07:00:01Z", "rejected")):
        stamp.write_text(moment + "\n", encoding="utf-8")
        out = io.StringIO()
        assert judge_files(known, None, [late], as_json=True, out=out) == 0
        assert rows(out)["late.eml"]["verdict"] == verdict


@pytest.mark.slow
def test_index_alone_means_all_its_mails_in_its_order(verdicts: dict[str, dict[str, Any]]) -> None:
    out = io.StringIO()
    assert judge_files(FIXTURES / "index.json", FIXTURES / "index.json", [], as_json=True, out=out) == 0
    assert list(rows(out)) == [case["file"] for case in CASES]
    assert rows(out) == verdicts


def test_words_for_a_person(capsys: pytest.CaptureFixture[str]) -> None:
    out = io.StringIO()
    judge_files(FIXTURES / "index.json", FIXTURES / "index.json", [], as_json=False, out=out)
    printed = out.getvalue()
    assert printed.count(".eml: ") == len(CASES)
    assert "s11-body-only.eml: rejected (no_photo)\n  No picture of a sheet was found" in printed
    assert "flags: game_corrected, power_corrected, season_corrected" in printed


@pytest.mark.parametrize(
    ("context", "index_text", "says"),
    [
        (None, None, "there is no such file or folder; check the name"),
        ("{", None, "not JSON"),
        ('{"games": {}}', None, "format of docs/contract.md"),
        ("good", '{"cases": [{}]}', "not an index"),
        ("good", None, "receipt time of"),
    ],
)
def test_a_fault_of_the_caller_is_one_sentence(
    context: str | None, index_text: str | None, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = tmp_path / "context.json"
    if context is not None:
        known.write_text(json.dumps(index()["context"]) if context == "good" else context, encoding="utf-8")
    index_path = None
    if index_text is not None:
        index_path = tmp_path / "index.json"
        index_path.write_text(index_text, encoding="utf-8")
    out = io.StringIO()
    assert judge_files(known, index_path, [FIXTURES / "s01-gmail-plain.eml"], as_json=True, out=out) == 1
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert out.getvalue() == ""


def test_a_mail_that_is_not_there_or_has_a_bad_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "none.eml"
    stamp = tmp_path / "none.eml.internaldate"
    stamp.write_text("yesterday", encoding="utf-8")
    assert judge_files(FIXTURES / "index.json", None, [missing], as_json=True, out=io.StringIO()) == 1
    assert "is not a time" in capsys.readouterr().err
    stamp.write_text("2025-03-21T10:14:00Z", encoding="utf-8")
    assert judge_files(FIXTURES / "index.json", None, [missing], as_json=True, out=io.StringIO()) == 1
    assert "none.eml cannot be read" in capsys.readouterr().err
