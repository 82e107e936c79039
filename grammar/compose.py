"""Fragments and a variant's own wording joined into one grammar; one parser a phase kind, kept once made.

The text is joined, not imported: Lark renames imported rules after their file, which would tie the table of
order kinds to file names, and `%extend` works on joined text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import LarkError
from lark.lexer import Lexer, PatternStr

from adjudicator.calendar import PhaseKind
from adjudicator.errors import UserFacingError
from grammar.terminal_table import Machine, NestingError, build_machine

FRAGMENTS = ("words", "places", "movement", "retreat", "adjustment")


_MARK = re.compile(r'"\(" "(\w+)" "\)"')


class GrammarError(UserFacingError, ValueError):
    """The wording of a variant does not fit the fragments. Our own fault: names the phase and Lark's
    complaint. `line` is where in the wording, or 0 where that cannot be told."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


class _Given(Lexer):
    """Hands on tokens that were found elsewhere (`grammar.lattice`)."""

    def __init__(self, conf: object) -> None:
        del conf

    def lex(self, lexer_state: Any, parser_state: Any = None) -> Iterator[Token]:
        del parser_state
        yield from lexer_state


@dataclass(frozen=True, slots=True, eq=False)
class Forms:
    """Every order form of one phase kind. `keywords` maps a folded word or sign to its terminal's name;
    `build_machine` says which sequences of terminals are orders; `own` are the rules of the variant's wording
    that make an order class of its rule set (`Ruleset.FORMS`), and `marks` the words that it has in
    parentheses of their own."""

    phase: PhaseKind
    lark: Lark
    keywords: Mapping[str, str]
    machine: Machine
    own: tuple[tuple[str, Any], ...] = ()
    marks: frozenset[str] = frozenset()

    def tree(self, tokens: Sequence[Token]) -> Tree[Token]:
        """The tree of a sequence that `build_machine` takes."""
        return self.lark.parse(tokens)


def _where(fault: str, wording: str, before: int) -> tuple[int, str]:
    """The line of the wording that a complaint is about, and its first sentence with that line in it: Lark
    counts from the first fragment on, and of a rule it names the name alone."""
    said = fault.partition("\n")[0]
    told = re.search(r"at line (\d+)", said)
    if told is not None:
        line = max(int(told[1]) - before, 0)
        return line, said.replace(told[0], f"at line {line}")
    named = re.search(r"[Rr]ule '?(\w+)'?", said)
    lines = wording.splitlines()
    at = [
        number for number, text in enumerate(lines, start=1) if named and re.search(rf"\b{named[1]}\b", text)
    ]
    return (at[-1] if "more than once" in said else at[0]) if at else 0, said


@lru_cache(maxsize=32)
def compose(phase: PhaseKind, wording: str = "", own: tuple[tuple[str, Any], ...] = ()) -> Forms:
    """The parser of one phase kind, `wording` being the text of the variant's `orders.lark` and `own` the
    entries of its rule set's `FORMS`.

    A phase kind without a fragment ("turn") must be defined by the wording as the rule of its name.
    Raises GrammarError where the joined grammar is faulty, ambiguous or nests.
    """
    folder = files("grammar") / "fragments"
    text = "\n".join((folder / f"{name}.lark").read_text(encoding="utf-8") for name in FRAGMENTS)
    try:
        lark = Lark(f"{text}\n{wording}\n", parser="lalr", lexer=_Given, start=phase.value, strict=True)
        table = build_machine(lark.rules, phase.value)
    except (LarkError, NestingError) as fault:
        line, said = _where(str(fault).strip(), wording, before=text.count("\n") + 1)
        raise GrammarError((f"the wording of the {phase.value} phase cannot be composed: "
                            f"{said}"), line) from fault
    keywords = {t.pattern.value: t.name for t in lark.terminals if isinstance(t.pattern, PatternStr)}
    return Forms(phase, lark, keywords, table, own, frozenset(_MARK.findall(wording)))
