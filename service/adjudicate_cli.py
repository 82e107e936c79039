"""`galloper adjudicate`: judge positions, JSON lines in and JSON lines out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TextIO

from adjudicator.judge import Setting, judge
from maps.variant import Variant
from service.adjudicate_json import CaseFault, CaseReader, answer


def run_adjudicate(variant: Variant, lines: Iterable[str], out: TextIO) -> int:
    """Judge one case a line and print one answer a line, in the same order; blank lines are passed over.

    A faulty case is answered with {"id", "error"}, the error naming the field, and the next one is judged. Exit
    status: 0, or 1 when a case was faulty.
    """
    setting = variant.setting()
    reader = CaseReader(setting, variant.start.phase.year)
    status = 0
    for line in lines:
        if line.strip():
            found = _judged(setting, reader, line)
            status = 1 if "error" in found else status
            print(json.dumps(found), file=out)
    return status


def _judged(setting: Setting, reader: CaseReader, line: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except ValueError as error:
        return {"id": None, "error": f"the line is not JSON: {error}"}
    if not isinstance(data, dict):
        return {"id": None, "error": "the line is not a JSON object"}
    try:
        case = reader.read(data)
        return answer(case, judge(setting, case.position, case.orders, case.lots), setting)
    except CaseFault as fault:
        return {"id": data.get("id"), "error": str(fault)}
    except IndexError as error:
        return {"id": data.get("id"), "error": f"lots: {error}"}
