"""Mails in the shape of public reports get the verdicts of their index through the command's own function,
which opens and reads their pictures as a site does (ARR-01 to ARR-07). Through a real mailbox:
`tests/whole_site/test_what_arrives.py`."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from service.cli.intake import run_intake
from tests.support.mail_builder import FIXTURES

PUBLIC = FIXTURES / "public"
INDEX: dict[str, Any] = json.loads((PUBLIC / "index.json").read_text(encoding="utf-8"))
# Those with many pages are read by a site in the test named above.
QUICK = {
    "a02-second-page-avif.eml", "a06-own-receipt-forwarded.eml", "a07-logo-alone.eml", "a09-googlemail.eml"}
CASES = [
    pytest.param(case, id=case["file"], marks=() if case["file"] in QUICK else pytest.mark.slow)
    for case in INDEX["cases"]]


@pytest.mark.parametrize("case", CASES)
def test_a_public_mail_gets_its_verdict(case: dict[str, Any], tmp_path: Path) -> None:
    context = tmp_path / "context.json"
    context.write_text(json.dumps(INDEX["context"]), encoding="utf-8")
    # Each in its own run: they share subject and version.
    out = io.StringIO()
    assert run_intake(context, PUBLIC / "index.json", [PUBLIC / case["file"]], as_json=True, out=out) == 0
    verdict = json.loads(out.getvalue())
    expect = {key: value for key, value in case["expect"].items() if key != "pages_read"}
    reasons = expect.pop("reason_any", [verdict["reason"]])
    expect.pop("or", None)
    assert verdict["reason"] in reasons
    assert {key: verdict[key] for key in expect} == expect
