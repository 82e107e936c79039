"""What reads has no way to a position (NON-03, DESK-03, Q-01): whatever sheet is read, nothing that knows
where units stand can be asked. `test_reading_lexical` shows it on sheets; here it holds for every sheet there
may be."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.geo import Board
from grammar.automaton.order_lines import OrderAutomaton
from maps.variant import Variant
from reading.vocabulary import forms_of, lexicon_of

ROOT = Path(__file__).parents[2]
READERS = (
    "reading.page",
    "reading.decode",
    "reading.heading",
    "reading.join_rows",
    "reading.classify",
    "service.intake.sheets.recognizer",
    "ocr.read",
    "grammar.parse",
)
"""What a photograph goes through between its bytes and its lines."""
KNOWING = ("adjudicator.position", "adjudicator.judge", "adjudicator.solver", "adjudicator.phases.legality")
"""Modules that hold or ask for a position."""
BESIDE = "maps"
"""A variant's folder holds its first position next to its names. What is taken of it is tested by itself,
below."""
STATES = 2_000


def file_of(module: str) -> Path | None:
    """The file of one of our own modules."""
    path = ROOT.joinpath(*module.split("."))
    files = [candidate for candidate in (path.with_suffix(".py"), path / "__init__.py")
        if candidate.is_file()]
    return files[0] if files else None


def named(module: str) -> Iterator[str]:
    """Every one of our own modules that a module's text imports, at its top or within a function."""
    path = file_of(module)
    assert path is not None
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        yield from (name for name in names if file_of(name) is not None)


def reached(module: str) -> set[str]:
    """A module and all that it can reach."""
    modules: set[str] = set()
    ahead = {module}
    while ahead:
        current = ahead.pop()
        modules.add(current)
        ahead |= {name for name in named(current) if name not in modules and not name.startswith(BESIDE)}
    return modules


@pytest.mark.parametrize("module", READERS)
def test_nothing_that_reads_can_reach_a_position(module: str) -> None:
    assert not reached(module) & set(KNOWING)


def steps(variant: Variant) -> list[object]:
    """The beginning of the automaton of a variant's movement orders: what each of its first states takes, and
    leads to."""
    machine = OrderAutomaton((forms_of(variant, PhaseKind.MOVEMENT),), lexicon_of(variant))
    ahead, known = [machine.start], {machine.start}
    state_facts: list[object] = []
    for state in ahead:
        arcs = tuple(machine.arcs(state))
        state_facts.append((arcs, machine.end(state)))
        new = dict.fromkeys(arc[1] for arc in arcs if arc[1] not in known)
        known.update(new)
        ahead += new
        if len(state_facts) == STATES:
            break
    return state_facts


def elsewhere(variant: Variant) -> Variant:
    """No one stands anywhere or owns anything at the beginning."""
    return replace(variant, start=replace(variant.start, units=frozenset(), centres={}))


def apart(variant: Variant) -> Variant:
    """No region borders any other."""
    return replace(variant, board=Board(variant.board.provinces, {}))


@pytest.mark.parametrize("change", [elsewhere, apart])
def test_the_automaton_is_that_of_any_position_and_of_any_borders(
    change: Callable[[Variant], Variant],
) -> None:
    # Readers get only the words of a variant: the same arcs in any position and with any borders.
    variant = maps.load("w3k")
    other = change(variant)
    assert other != variant
    assert lexicon_of(other).names == lexicon_of(variant).names
    assert steps(other) == steps(variant)


def test_another_name_makes_another_automaton() -> None:
    # Otherwise the test above would prove nothing.
    variant = maps.load("w3k")
    assert steps(replace(variant, names=variant.names[: len(variant.names) // 2])) != steps(variant)


def test_what_judges_can() -> None:
    # Otherwise the walk would prove nothing.
    assert reached("service.games.turns") & set(KNOWING) >= {"adjudicator.position", "adjudicator.judge"}
