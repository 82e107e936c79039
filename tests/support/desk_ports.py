"""The desk's ports from names without their groups."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from service.bootstrap import letter_kinds
from service.web.ports import DeskActions, DeskPorts, PageSettings, SiteChecks

GROUPS = {"actions": DeskActions, "settings": PageSettings, "checks": SiteChecks}


def desk_ports(**values: Any) -> DeskPorts:
    """Ports whose actions do nothing, except for `values`; each name goes into the group that has it."""
    named: dict[str, Any] = {
        "judge_when_read": lambda _phase: None, "approve": lambda _phase, _by: None,
        "map_pdf": lambda _game: None, "letter_kinds": letter_kinds(), **values,
    }
    groups = {
        group: kind(**{field.name: named.pop(field.name) for field in fields(kind) if field.name in named})
        for group, kind in GROUPS.items()
    }
    return DeskPorts(**named, **groups)
