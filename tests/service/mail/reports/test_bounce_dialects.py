"""Real bounces of many servers name the addresses that failed or wait (BOX-06)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from service.intake.opening.open_mail import OwnBodies, open_mail
from service.intake.verdicts.rules import body_need, judge_mail
from service.mail.message import read_head
from tests.support.mail_builder import FIXTURES, IN_TIME, context
from tests.support.opening import own_probe

BOUNCES = FIXTURES / "bounces"
CASES = [
    pytest.param(BOUNCES / folder / name, case["recipients"], case["status"], id=f"{folder}-{name[:-4]}")
    for folder, cases in json.loads((BOUNCES / "index.json").read_text(encoding="utf-8")).items()
    for name, case in cases.items()
]


@pytest.mark.parametrize(("path", "recipients", "status"), CASES)
def test_what_a_server_says(path: Path, recipients: list[str], status: str | None) -> None:
    raw = path.read_bytes()
    head = read_head(raw)
    mail = open_mail(head, raw, body_need(head, context()), OwnBodies(), own_probe())
    verdict = judge_mail(mail, IN_TIME, context())
    if status is None:
        assert verdict.reason is None or verdict.reason.value != "bounce"
        return
    assert verdict.report is not None
    assert (verdict.reason, verdict.report.outcome) == ("bounce", status)
    assert {address.casefold() for address in verdict.report.recipients} == {
        address.casefold() for address in recipients
    }
