"""The desk's ports from names without their groups."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import maps
from service.bootstrap import letter_kinds
from service.notices.broadcasts import Broadcasts
from service.notices.letter_context import LetterContext, Sender
from service.web.ports import DeskActions, DeskPorts, PageSettings, SiteChecks

GROUPS = {"actions": DeskActions, "settings": PageSettings, "checks": SiteChecks}


def desk_ports(**values: Any) -> DeskPorts:
    """Ports whose actions do nothing but write letters, except for `values`; each name goes into the group
    that has it."""
    sender = Sender("Galloper <orders@galloper.example>", "orders@galloper.example",
                    "coordinator@galloper.example", 8_000_000)
    kinds, load = letter_kinds(), values.get("load", maps.load)
    named: dict[str, Any] = {
        "judge_when_read": lambda _phase: None, "approve": lambda _phase, _by, _answer_by: None,
        "map_pdf": lambda _game: None, "read_again": lambda _session, _line: None,
        "judge_again": lambda _session, _sha256: None,
        "circulars": Broadcasts(LetterContext(values["blobs"], values["clock"], load, sender, kinds)),
        "health": list, "metrics": bytes, "letter_kinds": kinds, **values,
    }
    groups = {
        group: kind(**{field.name: named.pop(field.name) for field in fields(kind) if field.name in named})
        for group, kind in GROUPS.items()
    }
    return DeskPorts(**named, **groups)
