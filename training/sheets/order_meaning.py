"""Canonical order text taken apart into the `meaning` of truth.json.

The forms are those of the contract (`A X - Y`, `F X C A Y - Z`, ...). Names are full region names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Meaning: TypeAlias = dict[str, Any]
"""The JSON object of a meaning: `order`, `unit`, `target`, `to`, `to_coast`, `to_type`, `from`, `power`,
`count`, `via_convoy`, `sheds`."""
Forms: TypeAlias = Sequence[tuple[str, str]]
"""Names of orders, each with the regular expression of its canonical text."""

# The letters of a unit's kind: A, F, and what other games bring (B, A/F).
_KIND = r"[A-Z](?:/[A-Z])?"
UNIT = rf"(?P<kind>{_KIND}) (?P<place>.+?)"
_TARGET = rf"(?:(?P<target_kind>{_KIND}) )?(?P<target>.+?)"
# The forms of docs/contract.md by the name of their order.
# The first form that fits is taken, so the order of rows matters: "A X S A Y - Z" would also fit a support to
# hold of a place "Y - Z", and "F X C A Y - Z" a move from a place "X C A Y".
FORMS: Forms = (
    ("send_supply", r"Send (?P<count>\d+) supply to (?P<power>.+)"),
    ("build", rf"Build {UNIT}"),
    ("remove", rf"Remove {UNIT}"),
    ("convoy", rf"{UNIT} C {_TARGET} - (?P<to>.+)"),
    ("support_move", rf"{UNIT} S {_TARGET} - (?P<to>.+)"),
    ("support_hold", rf"{UNIT} S {_TARGET}"),
    ("convert", rf"{UNIT} converts to (?P<to_type>{_KIND})(?: (?P<to_coast>.+))?"),
    ("proxy", rf"{UNIT} proxy (?P<power>.+)"),
    ("retreat", rf"{UNIT} R (?P<to>.+)"),
    ("disband", rf"{UNIT} disbands"),
    ("move", rf"{UNIT} - (?P<to>.+?)(?: via (?P<via>.+?))?(?P<sheds> \(db\))?"),
    ("hold", rf"{UNIT} H"),
)
# Only a composed sheet is taken apart by this form; the scorer compares such an order as text.
_COMPOSED: Forms = (*FORMS, ("move_home", r"Home (?:(?P<from>.+?) - )?(?P<to>.+)"))


def meaning(order: str) -> Meaning:
    """The parts of a canonical order. Raises ValueError for text in no canonical form."""
    parts = parts_of(order, _COMPOSED)
    if parts is None:
        raise ValueError(f"not a canonical order: {order!r}")
    return parts


def is_common_order(order: str) -> bool:
    """True if a canonical text has a form that every game has, so that `meaning` can take it apart."""
    return parts_of(order, _COMPOSED) is not None


def parts_of(order: str, forms: Forms) -> Meaning | None:
    """The parts of a text by the first of the forms that it has; None if it has none of them."""
    for name, form in forms:
        match = re.fullmatch(form, order)
        if match:
            return _parts(name, match.groupdict())
    return None


def _parts(name: str, groups: Mapping[str, str | None]) -> Meaning:
    parts: Meaning = {"order": name, "unit": _unit(groups.get("kind"), groups.get("place"))}
    if "target" in groups:
        parts["target"] = _unit(groups["target_kind"], groups["target"])
    if groups.get("to"):
        parts["to"], parts["to_coast"] = _place(groups["to"] or "")
    if "to_type" in groups:
        parts["to_type"] = groups["to_type"]
    if groups.get("count"):
        parts["count"] = int(groups["count"] or 0)
    parts |= {key: groups[key] for key in ("to_coast", "power", "from") if groups.get(key)}
    # A route ("via Irish Sea") states no more than the move; the contract's flag is for the words "via
    # convoy".
    if groups.get("via") == "convoy":
        parts["via_convoy"] = True
    if groups.get("sheds"):
        parts["sheds"] = True
    return parts


def _unit(kind: str | None, text: str | None) -> Meaning | None:
    if not text:
        return None
    region, coast = _place(text)
    return {"type": kind, "at": region, "coast": coast}


def _place(text: str) -> tuple[str, str | None]:
    region, _, coast = text.partition("/")
    return region, coast or None


def regions(order: str) -> tuple[str, ...]:
    """Every region an order names, without coasts. Raises ValueError as `meaning` does."""
    parts = meaning(order)
    names = [parts[key]["at"] for key in ("unit", "target") if parts.get(key)]
    names += [parts["from"]] if "from" in parts else []
    if "to" in parts:
        names.append(parts["to"])
    return tuple(names)
