"""Edges of a line that is taken literally: every word is a keyword, a name or a number, spelled as listed.

Positions count words (`grammar.words.words`), not characters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from adjudicator.calendar import PhaseKind
from grammar.compose import Forms
from grammar.lattice import Edge
from grammar.lexicon import BREAK, COAST, KIND, NUMBER, ORDER_BREAKS, PLACE, POWER, UNIT_WORD, Lexicon, Name
from grammar.plain_remarks import is_plain, is_plain_aside
from grammar.words import REMARK_DOUBTS, Word, is_by_convoy

PIECE_COST = 0.01
"""Cost of each piece, in letters: one long name is cheaper than two short ones (Q-44)."""
PREFIX_COST = 0.02
"""Cost, in letters, of the first letters of a name that represent it ("Iri" for Irish Sea)."""
_OTHER_COST = 0.006
"""Cost, in letters, of a unit's letter that represents another word: enough to choose the unit's reading."""
_PASS_COST = 0.001
"""Cost, in letters, of passing over a sign or a remark."""
_HELPS = frozenset(("supports", "support", "s", "supporting", "convoys", "convoy", "c", "convoying"))
"""Words before the order of another unit."""
_STAYS = (["hold"], ["holds"], ["h"], ["holding"], ["to", "hold"], ["in", "place"])
_INSIDE_NAME = frozenset("-().")
"""Signs that may be part of a name: St. Petersburg, Ashby-de-la-Zouch, Portland (Dorset)."""
_MEANINGLESS = frozenset('."“”„*!:`')
_BEFORE_REMARK = frozenset(",-;.!:")
"""Signs behind an order that a remark may follow."""
_LONGEST_NAME = 6
"""Words of a name before the parentheses that are part of it."""


_TYPED_WORDS = {"2": "to", "m": "-", "mv": "-", "move": "-", "moves": "-", "std": "stands", "hld": "hold",
                "ret": "retreats"}
"""Words of njudge and jDip that represent an arrow ("A Par m Bur", "A Par moves Bur"), and of British zines
("A(Bud) std", "A(Par) ret Gas"); "hld" is of Dippy for the Atari (towi/dipworkpy)."""
_GRAIN = re.compile(r"([1-9]\d?)g(?:r|rain)?")
_FIRST_LETTERS = {
    ("b", PhaseKind.ADJUSTMENT): "build", ("r", PhaseKind.ADJUSTMENT): "remove",
    ("d", PhaseKind.ADJUSTMENT): "disband", ("w", PhaseKind.ADJUSTMENT): "waive",
    ("d", PhaseKind.RETREAT): "disband",
}
"""njudge's letters at the start of a line, by phase."""
_OTHER_ORDERS = frozenset((
    "retreat", "retreats", "retreating", "build", "builds", "remove", "removes", "disband", "disbands"))
"""Words of an order for another phase: a remark that holds one states more than the order before it."""


def edges(
    line: Sequence[Word], forms: Forms, lexicon: Lexicon, *, plain_remarks: bool = False
) -> dict[int, list[Edge]]:
    """Every piece of a line that the grammar could take, by the index of its first word. With
    `plain_remarks` a remark is passed over only if it surely changes no order."""
    table: dict[int, list[Edge]] = {}
    for index, word in enumerate(line):
        pieces = table[index] = []
        meant = {word.text, word.base, _typed_word(line, index, forms)}
        # Where "a" may be an army or the preposition à, an army is written: "soutien A Par".
        cost = PIECE_COST + (_OTHER_COST if len(word.text) == 1 and word.text in lexicon.letters else 0.0)
        pieces += [Edge(index, index + 1, terminal, text, cost)
                   for text in meant for terminal in forms.keywords.get(text, ())]
        # No order counts to a thousand; a year on the same line has four figures.
        if word.text.isdecimal() and len(word.text) < 4 and int(word.text) > 0:
            pieces.append(Edge(index, index + 1, NUMBER, int(word.text), PIECE_COST))
        # "5g" is five grain where a game has grain.
        if "grain" in forms.keywords and (grain := _GRAIN.fullmatch(word.text)):
            pieces.append(Edge(index, index + 1, NUMBER, int(grain[1]), PIECE_COST))
        # "Send a unit's supply" sends one (SUP-01).
        if word.text in {"a", "an"}:
            pieces.append(Edge(index, index + 1, NUMBER, 1, PIECE_COST))
        pieces += _breaks(line, index, forms, lexicon)
        names = names_at(line, index, lexicon)
        pieces += [Edge(index, end, name.terminal, name.value, PIECE_COST) for end, name in names]
        # A pen's last letter is like an A or an F too often, so "York army" is written in full.
        pieces += [Edge(index, end, UNIT_WORD, name.value, PIECE_COST) for end, name in names
                   if name.terminal == KIND and len(name.text) > 1]
        # A listed name or a word of the grammar is never taken for the beginning of another name.
        if not any(end == index + 1 for end, _ in names) and word.text not in forms.keywords:
            begun = () if word.text in lexicon.doubt_words else lexicon.regions_beginning_with(word.text)
            pieces += [Edge(index, index + 1, PLACE, region, PREFIX_COST) for region in begun]
        pieces += _passed_over(line, index, forms, lexicon, plain_remarks=plain_remarks)
    return table


def _typed_word(line: Sequence[Word], index: int, forms: Forms) -> str:
    """The word of the forms that a judge's short one represents here, else "".

    They are typed, and no part of the forms: a pen's first stroke is like an R or a B too often.
    """
    text = line[index].text
    if index == 0:
        return _FIRST_LETTERS.get((text, forms.phase), "")
    return _TYPED_WORDS.get(text, "")


def _breaks(line: Sequence[Word], index: int, forms: Forms, lexicon: Lexicon) -> list[Edge]:
    """A comma or a slash that may end one order before the next ("A Par - Bur, F Bre - ENG").

    A slash before a bare place offers a choice ("A Par - Bur/Gas"), and so does a comma, in a list of
    retreats; what begins with a unit or a word of orders is its own order.
    """
    sign = line[index].text
    if sign not in ORDER_BREAKS:
        return []
    ends = [index + 1]
    if sign == "," and index + 1 < len(line) and line[index + 1].text == "and":
        ends.append(index + 2)
    return [Edge(index, end, BREAK, sign, PIECE_COST) for end in ends
            if sign == "," or (end < len(line) and _begins_unit(line, end, forms, lexicon))]


def _begins_unit(line: Sequence[Word], index: int, forms: Forms, lexicon: Lexicon) -> bool:
    """True if a unit's kind, its owner or a word that an order begins with is at this word."""
    if any(terminal in forms.machine.moves[0] for terminal in forms.keywords.get(line[index].text, ())):
        return True
    return any(name.terminal in {KIND, POWER} for _, name in names_at(line, index, lexicon))


def names_at(line: Sequence[Word], start: int, lexicon: Lexicon) -> list[tuple[int, Name]]:
    """Every listed name that begins at word `start`, with the index of the word after it.

    A coast may begin at the comma before it ("Devon, South Coast").
    """
    if start + 1 < len(line) and line[start].text == ",":
        return [(end, name) for end, name in names_at(line, start + 1, lexicon) if name.terminal == COAST]
    hits: list[tuple[int, Name]] = []
    node: Mapping[str, Any] = lexicon.tree
    depth = 0
    for index in range(start, len(line)):
        word = line[index]
        below = node.get("and" if word.text == "+" else word.text)
        is_possessive = below is None and word.base != word.text
        if is_possessive:
            below = node.get(word.base)  # it ends a name: "Newcastle's"
        if below is not None:
            node = below
            # "Portland (Dorset": the name's words end here, and its parenthesis one word later.
            closed = depth == 1 and index + 1 < len(line) and line[index + 1].text == ")"
            if closed or not depth:
                hits += [(index + 1 + closed, name) for name in node.get("", ())]
        depth += (word.text == "(") - (word.text == ")")
        if is_possessive or depth < 0 or (
                below is None and (index == start or word.text not in _INSIDE_NAME)):
            break
    return hits


def _passed_over(
    line: Sequence[Word], index: int, forms: Forms, lexicon: Lexicon, *, plain_remarks: bool
) -> list[Edge]:
    """Edges over signs without meaning, and over remarks in parentheses (ORD-07)."""
    text = line[index].text
    passed = [Edge(index, end, None, None, _PASS_COST)
              for end in _remark_ends(line, index, forms, lexicon)]
    if text in _MEANINGLESS or text in lexicon.courtesies:
        return [*passed, Edge(index, index + 1, None, None, _PASS_COST)]
    if text not in {"(", ")"}:
        return passed
    if (_is_by_convoy(_in_parentheses(line, index)) or _holds_order(line, index, lexicon)
            or _is_held(line, index) or _is_kind(_in_parentheses(line, index), lexicon)):
        return [Edge(index, index + 1, None, None, _PASS_COST)]
    if text == ")":
        return []
    depth = 0
    for end in range(index, len(line)):
        depth += (line[end].text == "(") - (line[end].text == ")")
        if depth == 0:
            remark = line[index + 1:end]
            is_mark = len(remark) == 1 and remark[0].text in forms.marks
            # A remark that may change the order is not passed over; then the line has no path, and a person
            # reads it.
            has_meaning = (is_mark or _changes_order(remark, lexicon) or _is_by_convoy(remark)
                           or _ends_name(line, index, end, lexicon)
                           or (plain_remarks and not is_plain([word.text for word in remark], lexicon)))
            return [] if has_meaning else [Edge(index, end + 1, None, None, _PASS_COST)]
    return []


def _remark_ends(line: Sequence[Word], index: int, forms: Forms, lexicon: Lexicon) -> Sequence[int]:
    """The end of the line where a sign and what follows it are a remark that changes no order: ", as agreed
    over the phone". A sign before a courtesy goes with it: ", please"."""
    if not index or line[index].text not in _BEFORE_REMARK:
        return []
    rest = line[index + 1:]
    ends = [index + 2] if rest and rest[0].text in lexicon.courtesies else []
    texts = [word.text for word in rest]
    if texts and is_plain_aside(texts, lexicon, forms.keywords) and not _changes_order(rest, lexicon):
        ends.append(len(line))
    return ends


def _is_kind(remark: Sequence[Word], lexicon: Lexicon) -> bool:
    """True if the parentheses hold a unit's kind alone: "[A] York - Selby", "York (Army)"."""
    return bool(remark) and any(
        name.terminal == KIND and end == len(remark) for end, name in names_at(remark, 0, lexicon))


def _ends_name(line: Sequence[Word], opened: int, closed: int, lexicon: Lexicon) -> bool:
    """True if the parentheses end a name, as in "Portland (Sea)": they are then no remark on Portland, which
    is a land province too."""
    starts = range(max(0, opened - _LONGEST_NAME), opened)
    return any(end > closed for start in starts for end, _ in names_at(line, start, lexicon))


def _in_parentheses(line: Sequence[Word], index: int) -> Sequence[Word]:
    """The words between the parenthesis at `index` and the next one of the other sort."""
    texts = [word.text for word in line]
    if texts[index] == "(":
        end = texts.index(")", index) if ")" in texts[index:] else index
        return line[index + 1:end]
    start = index - 1 - texts[:index][::-1].index("(") if "(" in texts[:index] else index
    return line[start + 1:index]


def _holds_order(line: Sequence[Word], index: int, lexicon: Lexicon) -> bool:
    """True if the parentheses hold the order that is supported or convoyed ("supports (A Vie - Gal)")."""
    inside = _in_parentheses(line, index)
    start = next((n for n, word in enumerate(line) if inside and word is inside[0]), 0)
    return (start > 1 and line[start - 2].text in _HELPS
            and any(name.terminal in {KIND, POWER} for _, name in names_at(line, start, lexicon)))


def _is_held(line: Sequence[Word], index: int) -> bool:
    """True if the parentheses say no more than that the unit supported stays ("supports A Par (hold)")."""
    inside = [word.text for word in _in_parentheses(line, index)]
    return inside in _STAYS and any(word.text in _HELPS for word in line[:index])


def _is_by_convoy(remark: Sequence[Word]) -> bool:
    """True if the words in parentheses are still part of the order: "(by convoy)", "(via North Sea)"."""
    return is_by_convoy([word.text for word in remark])


def _changes_order(remark: Sequence[Word], lexicon: Lexicon) -> bool:
    """True if a remark changes the order before it: a bare place or coast, a doubt or a condition."""
    texts = [word.text for word in remark]
    if texts in (["no", "change"], ["no", "changes"]):  # "no" is a word of doubt, and casts none here
        return False
    changing = lexicon.doubt_words | REMARK_DOUBTS | _OTHER_ORDERS
    return not changing.isdisjoint(texts) or (bool(remark) and any(
        end == len(remark) and name.terminal in {PLACE, COAST} for end, name in names_at(remark, 0, lexicon)))
