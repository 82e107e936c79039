"""What sheets of another folder say, to be written once more in other hands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from training.handwriting.sheet import SheetLine, WrittenLineKind
from training.sheets.drafts import SheetDraft
from training.sheets.order_meaning import Meaning, meaning
from training.sheets.phrases import Dialect

# Canonical text of each order (docs/contract.md).
_FORMS: Mapping[str, str] = {
    "move": "{unit} - {to}", "hold": "{unit} H", "support_move": "{unit} S {target} - {to}",
    "support_hold": "{unit} S {target}", "convoy": "{unit} C {target} - {to}",
    "convert": "{unit} converts to {to_type}", "proxy": "{unit} proxy {power}", "retreat": "{unit} R {to}",
    "disband": "{unit} disbands", "build": "Build {unit}", "remove": "Remove {unit}",
    "send_supply": "Send {count} supply to {power}",
}


def copied_drafts(folder: Path) -> tuple[SheetDraft, ...]:
    """The sheets of a folder's truth.json in their order, word for word, those with lines that a person must
    look at too. Raises ValueError naming a line whose meaning has no canonical text."""
    document = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    return tuple(
        SheetDraft(sheet["power"], sheet["phase"], Dialect(sheet.get("dialect", "prose")),
                   tuple(_line(line) for line in sheet["lines"]))
        for sheet in document["sheets"]
    )


def canonical_text(parts: Meaning) -> str:
    """Canonical text of a meaning, so that `meaning` gives it back. Raises ValueError."""
    facts: dict[str, Any] = {key: parts.get(key) for key in ("to_type", "power", "count")}
    facts |= {key: _unit(parts[key]) for key in ("unit", "target") if parts.get(key)}
    if parts.get("to"):
        facts["to"] = _place(parts["to"], parts.get("to_coast"))
    try:
        text = _FORMS[parts["order"]].format(**facts)
    except KeyError as error:
        raise ValueError(f"no canonical text for {dict(parts)!r}") from error
    back = meaning(text)
    if any(back.get(key) != value for key, value in parts.items() if value is not None):
        raise ValueError(f"{text!r} says not quite what {dict(parts)!r} says")
    return text


def _line(line: Mapping[str, Any]) -> SheetLine:
    kind = WrittenLineKind(line["kind"])
    is_order = kind is WrittenLineKind.ORDER and line.get("meaning")
    order = canonical_text(line["meaning"]) if is_order else None
    return SheetLine(line["text"], kind, order, line["struck"], line.get("want"), line.get("as_"),
                     line.get("trap"))


def _unit(unit: Mapping[str, Any]) -> str:
    return f"{unit['type'] + ' ' if unit['type'] else ''}{_place(unit['at'], unit.get('coast'))}"


def _place(region: str, coast: str | None) -> str:
    return f"{region}/{coast}" if coast else region
