"""`galloper adjudicate`: judge positions, JSON lines in and JSON lines out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TextIO

from adjudicator.judge import judge
from adjudicator.lots import TapeTooShortError
from adjudicator.serialize.answers import answer
from adjudicator.serialize.case_fields import CaseFault
from adjudicator.serialize.cases import CaseReader, case_id
from maps.variant import Variant

FAULT_OF_OURS = "case: this program fails on it"
_DIGITS = 1000
"""A longer number is refused: the program could read it, and not write what it adds up to (Python allows
4,300 digits)."""


def run_adjudicate(variant: Variant, lines: Iterable[str], out: TextIO) -> int:
    """Judge one case a line and print one answer a line, in the same order.

    A faulty case is answered with {"id", "error"}, the error naming the field, and the next one is judged; so
    is a line that is empty or no JSON, whose id is null. Exit status: 0, or 1 when a case was faulty.
    """
    reader = CaseReader(variant.context(), variant.rules, variant.start.phase.year)
    status = 0
    for line in lines:
        reply = _judged(variant, reader, line)
        status = 1 if "error" in reply else status
        print(json.dumps(reply), file=out)
    return status


def judged(variant: Variant, line: str) -> dict[str, Any]:
    """The answer to one line."""
    return _judged(variant, CaseReader(variant.context(), variant.rules, variant.start.phase.year), line)


def case_lines(text: bytes) -> list[str]:
    """The lines of a file of cases. A byte that is not UTF-8 spoils its own line only, and nothing but a line
    feed ends a line: JSON allows the other separators of Unicode inside a text. Empty lines at the end are no
    cases."""
    lines = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return [line.decode("utf-8", "surrogateescape") for line in lines]


def _judged(variant: Variant, reader: CaseReader, line: str) -> dict[str, Any]:
    name = None
    try:
        data = _document(line)
        name = case_id(data)
        case = reader.read(data)
        resolution = judge(variant.context(), variant.rules, case.position, case.orders, case.lots)
        return answer(case.id, case.position.phase.kind, resolution, variant.rules)
    except CaseFault as fault:
        return {"id": name, "error": str(fault)}
    # The case draws more lots than its tape has.
    except TapeTooShortError as error:
        return {"id": name, "error": f"lots: {error}"}
    # Our own fault. The cases after this one are judged all the same.
    except Exception as error:
        return {"id": name, "error": f"{FAULT_OF_OURS} ({type(error).__name__}: {error}); please report it"}


def _document(line: str) -> dict[str, Any]:
    """The object on a line. Raises CaseFault for a line without one."""
    if not line.strip():
        raise CaseFault("line", "it is empty")
    try:
        # Bytes that are not UTF-8 were stored as surrogates, and only encoding them shows it.
        line.encode()
        data = _DECODER.decode(line)
    except UnicodeEncodeError as error:
        raise CaseFault("line", f"it is not UTF-8 text (character {error.start + 1})") from error
    except (ValueError, RecursionError) as error:
        raise CaseFault("line", f"it is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise CaseFault("line", "it is not a JSON object")
    return data


def _whole_number(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError(f"a number of {len(digits)} digits is too long")
    return int(digits)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a number")


_DECODER = json.JSONDecoder(parse_int=_whole_number, parse_constant=_no_number)
