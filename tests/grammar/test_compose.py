"""A variant's own wording: words added by %extend, new order kinds through the table, faults of the wording
named."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from lark import Lark, Token
from lark.grammar import NonTerminal, Rule, Terminal

from adjudicator.calendar import PhaseKind
from adjudicator.orders import Order, UnitOrder
from grammar import compose as compose_module
from grammar.build_orders import MAKERS, OrderParts
from grammar.compose import GrammarError, compose, composed
from grammar.parse import parse_line
from grammar.terminal_table import Machine, NestingError, build_machine
from tests.grammar.boards import lexicon, read, said

_SCUTTLE = """
%extend movement_order: scuttle
scuttle: units ("scuttles" | "fca")
%extend _attack_word: "pesters"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scuttle(UnitOrder):
    """An order only this test's game has."""


def _scuttle(parts: OrderParts) -> Iterable[Order]:
    return [Scuttle(power=parts.author, line=parts.line, unit=unit) for unit in parts.units]


def test_a_variant_adds_words_and_orders() -> None:
    forms = compose(PhaseKind.MOVEMENT, _SCUTTLE)
    makers = {**MAKERS, "scuttle": _scuttle}
    line = parse_line("F Lyme Bay FCA", lexicon=lexicon(), forms=forms, power="Ormond", makers=makers)
    assert [type(order) for order in line.orders] == [Scuttle]
    stormed = parse_line(
        "Army London pesters Surrey", lexicon=lexicon(), forms=forms, power="Ormond", makers=makers
    )
    assert said(stormed.orders) == "A London - Surrey"


def test_added_words_stay_with_their_variant() -> None:
    compose(PhaseKind.MOVEMENT, _SCUTTLE)
    assert read("F Lyme Bay FCA").orders == ()
    assert read("Army London pesters Surrey").orders == ()


def test_parsers_are_made_once() -> None:
    assert compose(PhaseKind.RETREAT) is compose(PhaseKind.RETREAT)
    assert compose(PhaseKind.MOVEMENT, _SCUTTLE) is compose(PhaseKind.MOVEMENT, _SCUTTLE)


@pytest.mark.parametrize(
    ("wording", "said_of_it"),
    [
        ("%extend movement_order: nowhere_defined", "nowhere_defined"),
        ('%extend movement_order: held\nheld: units "holds"', "movement"),  # two ways to read one line
        ("scuttle: (", "movement"),
        ('%extend movement_order: boxed\nboxed: "box" boxed "end" | "thing"', "boxed"),
    ],
)
def test_a_faulty_wording_is_our_own_fault(wording: str, said_of_it: str) -> None:
    with pytest.raises(GrammarError, match=said_of_it):
        compose(PhaseKind.MOVEMENT, wording)


def test_a_phase_nobody_worded_is_refused() -> None:
    with pytest.raises(GrammarError, match="turn"):
        compose(PhaseKind.TURN)


def test_a_phase_of_its_own_is_worded_by_its_variant() -> None:
    wording = """
    turn: turn_line (_next turn_line)*
    turn_line: defence
    defence: A_NUMBER "grain" "for" ("defense" | "defence") "of" place
    """
    forms = compose(PhaseKind.TURN, wording)
    all_parts: list[OrderParts] = []

    def defend(parts: OrderParts) -> Iterable[Order]:
        all_parts.append(parts)
        return []

    parse_line("5 Grain for Defense of Essex.", lexicon=lexicon(), forms=forms, power="Ormond",
               makers={"defence": defend})
    assert [parts.count for parts in all_parts[:1]] == [5]


def test_a_grammar_is_kept_beside_the_bytecode_and_made_anew_from_a_spoilt_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(compose_module, "__file__", str(tmp_path / "compose.py"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "__pycache__").mkdir()
    text = 'hold: "a" "holds" | "f" "holds"\n'
    _, machine = composed(text, "hold")
    (file,) = (tmp_path / "__pycache__").iterdir()
    parser, loaded = composed(text, "hold")
    assert loaded == machine
    assert parser.parse([Token("A", "a"), Token("HOLDS", "holds")]).data == "hold"
    file.write_bytes(file.read_bytes()[:100])
    assert composed(text, "hold")[1] == machine
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    composed(text + 'more: "b"\n', "hold")
    assert [path.name for path in (tmp_path / "__pycache__").iterdir()] == [file.name]


def test_a_full_disk_leaves_nothing_unfinished(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def write_half(path: Path, content: bytes) -> int:
        with path.open("wb") as stream:
            stream.write(content[:100])
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(compose_module, "__file__", str(tmp_path / "compose.py"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(Path, "write_bytes", write_half)
    (tmp_path / "__pycache__").mkdir()
    parser, _ = composed('hold: "a" "holds" | "f" "holds"\n', "hold")
    assert parser.parse([Token("A", "a"), Token("HOLDS", "holds")]).data == "hold"
    assert list((tmp_path / "__pycache__").iterdir()) == []


def test_rules_that_hold_each_other_are_refused() -> None:
    order, more = NonTerminal("order"), NonTerminal("more")
    rules = [Rule(order, [Terminal("A"), more, Terminal("B")]), Rule(more, [Terminal("C"), Terminal("D")])]
    machine = build_machine(rules, "order")
    assert [dict(moves) for moves in machine.moves] == [{"A": 1}, {"C": 2}, {"D": 3}, {"B": 4}, {}]
    assert machine.final == {4}
    with pytest.raises(NestingError, match="'order' nests in itself"):
        build_machine([*rules, Rule(more, [Terminal("E"), order])], "order")


def test_threads_that_need_one_grammar_compose_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """SCA-11: four deadlines at one moment composed the grammar of their games four times."""
    begun: list[str] = []

    def counted(text: str, start: str) -> tuple[Lark, Machine]:
        begun.append(start)
        return composed(text, start)

    monkeypatch.setattr(compose_module, "composed", counted)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    wording = "\n// of this test alone\n"
    with ThreadPoolExecutor(4) as threads:
        forms = list(threads.map(lambda _: compose(PhaseKind.RETREAT, wording), range(4)))
    assert begun == ["retreat", "retreat"]  # for ink, and for the keyboard
    assert all(each is forms[0] for each in forms)
