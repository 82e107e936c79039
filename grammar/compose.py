"""Fragments and a variant's own wording joined into one grammar: one parser for each phase kind, cached.

The text is joined, not imported: Lark renames imported rules after their file, which would tie the table of
order kinds to file names. And `%extend` works on joined text.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any

from lark import Lark, Token, Tree, __version__
from lark.exceptions import LarkError
from lark.lexer import Lexer, PatternStr

from adjudicator.calendar import PhaseKind
from adjudicator.errors import UserFacingError
from grammar.fragments.languages import languages_named, order_words
from grammar.terminal_table import Machine, NestingError, build_machine

FRAGMENTS = ("words", "places", "movement", "retreat", "adjustment")
SELDOM = "seldom"
"""What few people write. A keyboard is read with it and ink is not: a page that could be anything would be
read as one of these too often, so a person looks at such a line."""

_SOURCES = ("compose.py", "terminal_table.py")
"""The code that makes a grammar's parser and machine."""

_MARK = re.compile(r'"\(" "(\w+)" "\)"')
"""A word in parentheses of its own, as a wording spells it: "(" "db" ")"."""


class GrammarError(UserFacingError, ValueError):
    """The wording of a variant does not fit the fragments. Our own fault: names the phase and Lark's
    complaint. `line` is the line of the wording, or 0 where that is not known."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


class _ReadyTokens(Lexer):
    """Passes on tokens that were found elsewhere (`grammar.lattice`)."""

    def __init__(self, conf: object) -> None:
        del conf

    def lex(self, lexer_state: Any, parser_state: Any = None) -> Iterator[Token]:
        del parser_state
        yield from lexer_state


@dataclass(frozen=True, slots=True, eq=False)
class Forms:
    """Every order form of one phase kind.

    `keywords` maps a folded word or sign to the terminals that it represents. `machine` shows which
    sequences of terminals are orders; `ink_machine` and `ink_keywords` are the same without `SELDOM`.
    `variant_orders` are the rules of the variant's wording that make an
    order class of its rule set (`Ruleset.FORMS`), `marks` the words that the wording has in parentheses of
    their own.
    """

    phase: PhaseKind
    lark: Lark
    keywords: Mapping[str, tuple[str, ...]]
    machine: Machine
    ink_keywords: Mapping[str, tuple[str, ...]]
    ink_machine: Machine
    variant_orders: tuple[tuple[str, Any], ...] = ()
    marks: frozenset[str] = frozenset()

    def tree(self, tokens: Sequence[Token]) -> Tree[Token]:
        """The tree of a sequence that `machine` takes."""
        return self.lark.parse(tokens)


def _line_and_sentence(fault: str, wording: str, before: int) -> tuple[int, str]:
    """The line of the wording that a fault is about, and the fault's first sentence with that line in it.

    Lark counts from the first fragment on (`before` lines), and for some faults names only the rule.
    """
    sentence = fault.partition("\n")[0]
    position = re.search(r"at line (\d+)", sentence)
    if position is not None:
        line = max(int(position[1]) - before, 0)
        return line, sentence.replace(position[0], f"at line {line}")
    rule = re.search(r"[Rr]ule '?(\w+)'?", sentence)
    numbers = [number for number, text in enumerate(wording.splitlines(), start=1)
               if rule and re.search(rf"\b{rule[1]}\b", text)]
    if not numbers:
        return 0, sentence
    # The last of two definitions is the surplus one; for other faults the first use is where to look.
    return numbers[-1 if "more than once" in sentence else 0], sentence


def composed(text: str, start: str) -> tuple[Lark, Machine]:
    """The parser and the machine of a grammar. Raises as Lark and `build_machine` do.

    They take two seconds to make and a tenth to load, so they are stored where Python keeps its bytecode of
    this package, if that can be written: one file for each text, by this code and this Lark.
    """
    # Its classes are named by their modules, and this one may be below another (`galloper.own_names`).
    parts = (text, start, __name__, __version__, sys.version, *(
        (files(__package__) / name).read_text(encoding="utf-8") for name in _SOURCES))
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    file = Path(__file__).parent / "__pycache__" / f"{start}-{digest[:32]}.grammar"
    with suppress(OSError, EOFError, pickle.UnpicklingError), file.open("rb") as stream:
        # A program that can write there can change this package's bytecode as well.
        return Lark.load(stream), pickle.load(stream)  # noqa: S301
    # LALR in strict mode refuses a grammar with two readings of one line, which would be read by chance.
    lark = Lark(text, parser="lalr", lexer=_ReadyTokens, start=start, strict=True)
    machine = build_machine(lark.rules, start)
    if not sys.dont_write_bytecode:
        _keep(lark, machine, file)
    return lark, machine


def _keep(lark: Lark, machine: Machine, file: Path) -> None:
    """Write a parser and its machine, whole or not at all; nothing where the disk is full or closed to us."""
    content = io.BytesIO()
    lark.save(content)
    pickle.dump(machine, content)
    # Under a name of this process, since others may write the same file.
    unfinished = file.with_suffix(f".{os.getpid()}")
    try:
        unfinished.write_bytes(content.getvalue())
        unfinished.replace(file)
    except OSError:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


_COMPOSING = Lock()


def compose(
    phase: PhaseKind, wording: str = "", variant_orders: tuple[tuple[str, Any], ...] = (),
    languages: tuple[str, ...] = (),
) -> Forms:
    """The parser of one phase kind, from the text of the variant's `orders.lark` and its rule set's `FORMS`,
    with the order words of some languages (`grammar.fragments.languages`).

    A phase kind without a fragment ("turn") must be defined by the wording as the rule of its name.
    Raises GrammarError when the joined grammar is faulty, ambiguous or nests.
    """
    # Four threads whose first deadlines come together composed the same grammar four times.
    with _COMPOSING:
        return _compose(phase, wording, variant_orders, languages)


@lru_cache(maxsize=32)
def _compose(
    phase: PhaseKind, wording: str, variant_orders: tuple[tuple[str, Any], ...], languages: tuple[str, ...]
) -> Forms:
    folder = files(__package__) / "fragments"
    names = (*FRAGMENTS, *(("sentences", *languages) if languages else ()))
    text = "\n".join((folder / f"{name}.lark").read_text(encoding="utf-8") for name in names)
    seldom = (folder / f"{SELDOM}.lark").read_text(encoding="utf-8")
    try:
        ink_lark, ink_table = composed(f"{text}\n{wording}\n", phase.value)
        # Behind the wording, so that the faults of the wording have its own lines.
        lark, table = composed(f"{text}\n{wording}\n{seldom}\n", phase.value)
    except (LarkError, NestingError) as fault:
        line, sentence = _line_and_sentence(str(fault).strip(), wording, before=text.count("\n") + 1)
        message = f"the wording of the {phase.value} phase cannot be composed: {sentence}"
        raise GrammarError(message, line) from fault
    return Forms(
        phase, lark, _keywords(lark, languages, table), table, _keywords(ink_lark, languages, ink_table),
        ink_table, variant_orders, frozenset(_MARK.findall(wording)))


def _keywords(lark: Lark, languages: Sequence[str], machine: Machine) -> dict[str, tuple[str, ...]]:
    """The terminals of each word, of those that the machine takes: quoted words of the grammar, and the order
    words and articles of some languages."""
    known = {terminal for moves in machine.moves for terminal in moves}
    terminals: dict[str, set[str]] = defaultdict(set)
    for terminal in lark.terminals:
        if isinstance(terminal.pattern, PatternStr):
            terminals[terminal.pattern.value].add(terminal.name)
    spoken = languages_named(languages)
    for word, names in order_words(spoken).items():
        terminals[word] |= names & known
    # Wordings have "the" inline, where a rule of its own would be ambiguous with it.
    for article in (article for language in spoken for article in language.articles):
        terminals[article] |= terminals.get("the", set())
    return {word: tuple(sorted(names)) for word, names in terminals.items() if names}
