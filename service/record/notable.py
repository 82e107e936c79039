"""Events that results must report to all: entries made by hand, late, or against the usual way
(docs/record.md, C15). Pure, apart from `notable_of`, which reads the record."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from service.facts.events import HARMLESS
from service.facts.roles import Role
from service.record import chain

POSTED, WORD, LATE, BEHIND, GONE = "posted", "word", "late", "behind", "gone"
DECIDED, PERSON = "decided", "person"
"""Other entries that results name: a letter by post, a word entered by hand, a sheet after the deadline, a
sheet entered once the sheets could be read, a row that was deleted, a decision about a line once its phase
had been judged (anyone who made it knew what would follow), a person who may read lines or decide from now
on."""


@dataclass(frozen=True, slots=True)
class Entered:
    """An open entry: its number, the kind and key of its fact, and its content."""

    number: int
    kind: str
    key: str
    tells: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Notable:
    """An entry that results mention: its number, its kind or the name of its event, and what helps the one
    whom it concerns to see so: the power, the digest of an address, when a mail was received."""

    number: int
    kind: str
    power: str = ""
    address: str = ""
    received: datetime | None = None


def notable(entries: Sequence[Entered], judged: int, phase: int) -> tuple[Notable, ...]:
    """What the results of a phase, judged in an entry, mention: all about this phase up to that entry, and
    all since the judging before that is of no phase or of one that is over."""
    judgings = {entry.tells["phase"]: entry.number for entry in entries
                if entry.kind == "judged" and entry.number <= judged and "taken_back" not in entry.tells}
    before = max((number for other, number in judgings.items() if other != phase), default=0)
    phases = {entry.number: entry.tells.get("phase") for entry in entries}
    notables = []
    for entry in _worth_telling(entries):
        entry_phase = phases[entry.number] if isinstance(phases[entry.number], int) else None
        is_of_phase = entry_phase == phase and entry.number <= judged
        is_since = before < entry.number <= judged and (
            entry_phase is None
            or (entry_phase != phase and entry.number > judgings.get(entry_phase, judged)))
        if is_of_phase or is_since:
            notables.append(entry)
    return tuple(notables)


def _worth_telling(entries: Iterable[Entered]) -> list[Notable]:
    deadlines: dict[int, str] = {}
    readable: set[int] = set()
    known: set[tuple[str, str]] = set()
    judged: set[int] = set()
    notables = []
    for entry in entries:
        tells, is_first = entry.tells, (entry.kind, entry.key) not in known
        known.add((entry.kind, entry.key))
        match entry.kind:
            case "phase":
                deadlines[tells["phase"]] = tells["deadline"]
                readable |= _opened(tells)
            case "event" if tells["event"] not in HARMLESS:
                notables.append(_of_event(entry.number, tells))
            case "judged" if "taken_back" not in tells:
                judged.add(tells["phase"])
            case "decision" if tells["phase"] in judged:
                notables.append(Notable(entry.number, DECIDED))
            case "person" if deadlines and tells["role"] not in {None, Role.OPERATOR}:
                notables.append(Notable(entry.number, PERSON))
            case "gone":
                notables.append(Notable(entry.number, GONE))
            case "posted" | "word" if is_first and tells.get("mail") is None:
                notables.append(Notable(entry.number, entry.kind, tells["power"]))
            case "sheet" if is_first and (kind := _of_sheet(tells, deadlines, readable)):
                notables.append(Notable(entry.number, kind, tells["power"]))
    return notables


def _of_event(number: int, tells: Mapping[str, Any]) -> Notable:
    detail = tells["detail"]
    # A letter with results must never fail for an event that lacks a detail.
    received = datetime.fromisoformat(detail.get("received") or tells["at"])
    return Notable(number, tells["event"], str(detail.get("power") or ""), str(detail.get("address") or ""),
                   received)


def _opened(tells: Mapping[str, Any]) -> set[int]:
    """The phase of an entry, if its sheets can be read from now on."""
    is_open = tells["unsealed"] is not None or tells["state"] not in {"waiting", "open"}
    return {tells["phase"]} if is_open else set()


def _of_sheet(tells: Mapping[str, Any], deadlines: Mapping[int, str], readable: set[int]) -> str:
    """Why results name a new sheet; "" if it came the usual way."""
    if tells["received"] > deadlines.get(tells["phase"], tells["received"]):
        return LATE
    return BEHIND if tells["phase"] in readable else ""


def notable_of(session: Session, game_id: str, judged: int, phase: int) -> tuple[Notable, ...]:
    """What the results of a phase that was judged in this entry must mention."""
    entries = [Entered(row.number, row.what, row.fact, json.loads(row.body)["tells"])
               for row in chain.entries(session, game_id) if row.number <= judged]
    return notable(entries, judged, phase)
