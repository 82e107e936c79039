"""When an order read means what was written. Canonical text is taken apart here a second time, by the forms
of the contract alone, so that a fault of the grammar cannot hide itself."""

from __future__ import annotations

import re
from typing import Any

from training.evaluation.truth import Meaning

_UNIT = r"(?P<kind>[A-Z](?:/[A-Z])?) (?P<at>.+?)"
_TARGET = r"(?:(?P<target_kind>[A-Z](?:/[A-Z])?) )?(?P<target>.+?)"
_FORMS = tuple((name, re.compile(form)) for name, form in (
    ("send_supply", r"Send (?P<count>\d+) supply to (?P<power>.+)"),
    ("build", rf"Build {_UNIT}"),
    ("remove", rf"Remove {_UNIT}"),
    ("convoy", rf"{_UNIT} C {_TARGET} - (?P<to>.+)"),
    ("support_move", rf"{_UNIT} S {_TARGET} - (?P<to>.+)"),
    ("support_hold", rf"{_UNIT} S {_TARGET}"),
    ("convert", rf"{_UNIT} converts(?: to (?P<to_type>[A-Z])(?: (?P<to_coast>.+))?)?"),
    ("proxy", rf"{_UNIT} proxy (?P<power>.+)"),
    ("retreat", rf"{_UNIT} R (?P<to>.+)"),
    ("disband", rf"{_UNIT} disbands"),
    ("move", rf"{_UNIT} - (?P<to>.+?)(?: via .+?)?(?P<sheds> \(db\))?"),
    ("hold", rf"{_UNIT} H"),
))
_SEVERAL = "; "
"""Between the orders of a line that gives several."""
_ALIKE = {"retreat": "move", "remove": "disband"}
"""Forms that one phase writes for what another calls differently."""


def meaning_of(order: str) -> Meaning | None:
    """The parts of one order in canonical text; None for any other text, several orders among it."""
    for name, form in _FORMS if _SEVERAL not in order else ():
        match = form.fullmatch(order)
        if match:
            return _parts(name, match.groupdict())
    return None


def _parts(name: str, found: dict[str, str | None]) -> Meaning:
    parts: dict[str, Any] = {"order": name}
    if found.get("at"):
        parts["unit"] = _unit(found["kind"], found["at"] or "")
    if found.get("target"):
        parts["target"] = _unit(found.get("target_kind"), found["target"] or "")
    if found.get("to"):
        parts["to"], parts["to_coast"] = _place(found["to"] or "")
    if found.get("sheds"):
        parts["sheds"] = True
    for key in ("to_type", "to_coast", "power"):
        if found.get(key):
            parts[key] = found[key]
    if found.get("count"):
        parts["count"] = int(found["count"] or 0)
    return parts


def _unit(kind: str | None, text: str) -> Meaning:
    at, coast = _place(text)
    return {"type": kind, "at": at, "coast": coast}


def _place(text: str) -> tuple[str, str | None]:
    at, _, coast = text.partition("/")
    return at, coast or None


def same(written: Meaning, read: Meaning) -> bool:
    """Whether an order read is the one written. A unit's kind may be left out on either side; a written coast
    must be there (that of a supported unit may be left out), one added where none was written is let pass."""
    if _ALIKE.get(written["order"], written["order"]) != _ALIKE.get(read["order"], read["order"]):
        return False
    if any(written.get(key) != read.get(key) for key in ("to", "count", "sheds")):
        return False
    if not _same_unit(written.get("unit"), read.get("unit"), coast_needed=True):
        return False
    if not _same_unit(written.get("target"), read.get("target"), coast_needed=False):
        return False
    if written.get("to_coast") and written["to_coast"] != read.get("to_coast"):
        return False
    kinds = written.get("to_type"), read.get("to_type")
    return not (all(kinds) and kinds[0] != kinds[1]) and _power(written) == _power(read)


def _same_unit(written: Meaning | None, read: Meaning | None, *, coast_needed: bool) -> bool:
    if written is None or read is None:
        return written is read
    kinds = written["type"], read["type"]
    if written["at"] != read["at"] or (all(kinds) and kinds[0] != kinds[1]):
        return False
    if not written.get("coast") or written["coast"] == read.get("coast"):
        return True
    return not coast_needed and not read.get("coast")


def _power(meaning: Meaning) -> str:
    return str(meaning.get("power") or "").casefold().removeprefix("the ")
