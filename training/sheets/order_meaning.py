"""Canonical order text taken apart into the `meaning` of truth.json.

The forms are those of the contract (`A X - Y`, `F X C A Y - Z`, ...). Names are full region names.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

Meaning: TypeAlias = dict[str, Any]
"""The JSON object of a meaning: `order`, `unit`, `target`, `to`, `to_coast`, `to_type`, `from`, `power`,
`count`, `via_convoy`, `sheds`."""

_KIND = r"[A-Z](?:/[A-Z])?"
"""The letters of a unit's kind: A, F, and what other games bring (B, A/F)."""
_UNIT = rf"(?P<type>{_KIND}) (?P<at>.+?)"
_TARGET = rf"(?:(?P<ttype>{_KIND}) )?(?P<tat>.+?)"
_FORMS: tuple[tuple[str, str], ...] = (
    ("send_supply", r"Send (?P<count>\d+) supply to (?P<power>.+)"),
    ("build", rf"Build {_UNIT}"),
    ("remove", rf"Remove {_UNIT}"),
    ("convoy", rf"{_UNIT} C {_TARGET} - (?P<to>.+)"),
    ("support_move", rf"{_UNIT} S {_TARGET} - (?P<to>.+)"),
    ("support_hold", rf"{_UNIT} S {_TARGET}"),
    ("convert", rf"{_UNIT} converts to (?P<to_type>{_KIND})(?: (?P<to_coast>\w+ Coast))?"),
    ("proxy", rf"{_UNIT} proxy (?P<power>.+)"),
    ("retreat", rf"{_UNIT} R (?P<to>.+)"),
    ("disband", rf"{_UNIT} disbands"),
    ("move", rf"{_UNIT} - (?P<to>.+?)(?P<via_convoy> via convoy)?(?P<sheds> \(db\))?"),
    ("hold", rf"{_UNIT} H"),
    ("move_home", r"Home (?:(?P<from>.+?) - )?(?P<to>.+)"),
)


def meaning(order: str) -> Meaning:
    """The parts of a canonical order. Raises ValueError for text in no canonical form."""
    for name, form in _FORMS:
        match = re.fullmatch(form, order)
        if match:
            return _parts(name, match)
    raise ValueError(f"not a canonical order: {order!r}")


def is_common_order(order: str) -> bool:
    """True if a canonical text has a form that every game has, so that `meaning` can take it apart."""
    return any(re.fullmatch(form, order) for _, form in _FORMS)


def _parts(name: str, match: re.Match[str]) -> Meaning:
    found = match.groupdict()
    unit = _unit(found.get("type"), found["at"]) if "at" in found else None
    parts: Meaning = {"order": name, "unit": unit}
    if "tat" in found:
        parts["target"] = _unit(found["ttype"], found["tat"])
    if "to" in found:
        parts["to"], parts["to_coast"] = _place(found["to"])
    if "to_type" in found:
        parts["to_type"] = found["to_type"]
        if found["to_coast"]:
            parts["to_coast"] = found["to_coast"]
    if "count" in found:
        parts["count"] = int(found["count"])
    if "power" in found:
        parts["power"] = found["power"]
    if found.get("from"):
        parts["from"] = found["from"]
    return parts | {flag: True for flag in ("via_convoy", "sheds") if found.get(flag)}


def _unit(kind: str | None, text: str) -> Meaning:
    at, coast = _place(text)
    return {"type": kind, "at": at, "coast": coast}


def _place(text: str) -> tuple[str, str | None]:
    at, _, coast = text.partition("/")
    return at, coast or None


def regions(order: str) -> tuple[str, ...]:
    """Every region an order names, without coasts. Raises ValueError as `meaning` does."""
    parts = meaning(order)
    named = [parts[key]["at"] for key in ("unit", "target") if parts.get(key)]
    named += [parts["from"]] if "from" in parts else []
    if "to" in parts:
        named.append(parts["to"])
    return tuple(named)
