"""Every event has a sentence, and is reported to all players unless a reason shows why not."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path
from string import Formatter

import pytest

import service
from service.facts.events import HARMLESS, Event

SOURCE = Path(service.__file__).parent
CHECKER = SOURCE.parent / "tools" / "verify_record.py"


@pytest.mark.parametrize("event", Event)
def test_an_event_has_a_name_for_the_record_and_a_sentence_for_the_log(event: Event) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", event.value)
    assert event.sentence[0] in "{ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    assert not event.sentence.endswith(".")
    assert all(field is None or field.isidentifier() for _, field, _, _ in Formatter().parse(event.sentence))


def test_an_event_is_told_or_has_a_reason_why_not() -> None:
    """TRU-09. A new event is told until a person writes down why it is harmless; what a person does to a game
    with nothing but a reason is announced."""
    assert all(reason.endswith(".") for reason in HARMLESS.values())
    assert {Event.MAIL_ASSIGNED, Event.MAIL_REFUSED_BY_HAND, Event.MAIL_DISCARDED, Event.ADDRESS_ADDED,
            Event.ADDRESS_REMOVED, Event.SHEET_LOOKED_AT, Event.UPLOAD_LINK_MADE}.isdisjoint(HARMLESS)


def test_the_program_that_players_download_asks_for_the_same_events() -> None:
    """It imports nothing of ours, so it has the list once more (rule C15 of docs/record.md)."""
    spec = importlib.util.spec_from_file_location("verify_record_of_events", CHECKER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert {event.value for event in HARMLESS} == module.HARMLESS


def _literals(path: Path) -> list[str]:
    """The words that a module gives to `log_event` as an event's name."""
    calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
    named = [call for call in calls
             if getattr(call.func, "attr", getattr(call.func, "id", "")) == "log_event"]
    kinds = [call.args[2] for call in named if len(call.args) > 2]
    return [kind.value for kind in kinds if isinstance(kind, ast.Constant) and isinstance(kind.value, str)]


def test_no_module_logs_an_event_that_is_not_declared() -> None:
    names = {name for path in SOURCE.rglob("*.py") for name in _literals(path)}
    assert names <= set(Event)
