"""Loans of centres, and what changes when control is determined: rules 7, 12 and 13 of 1648.

Memory keeps these notes: ("loan", centre, lender, borrower); ("recalled", centre); ("home", power, special
centre, the home centre it replaces); ("held", centre, power, year, month), controlled since that build month.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from adjudicator.context import Context
from adjudicator.explain import Sentence
from adjudicator.geo import Region
from adjudicator.orders import Order
from adjudicator.phases.adjustment_sheet import AdjustmentSheet
from adjudicator.position import Centres, Memory, NotePart, Position
from adjudicator.ruleset import Ruleset

SENTENCES: Mapping[str, str] = {
    "lent": "lent: {0} to {1}",
    "lent_to_nobody": "void: {0} can be lent to another power only",
    "lends_what_is_not_owned": "void: {1} does not control {0}",
    "lent_before": "void: {0} is lent already",
    "lent_to_two": "void: {0} is lent to more than one power, so to none",
    "lender_borrows": "void: {0} has a loan itself, and cannot lend",
    "borrower_lends": "void: {0} has lent a centre itself, and cannot borrow",
    "called_back": "called back: {0} returns in the next build month",
    "not_on_loan": "void: {0} is not lent by {1}",
    "loan_over": "the loan of {0} to {1} is over: {0} supplies {2} again",
    "loan_lost": "the loan of {0} to {1} is over: {0} is no longer in the hands of {2}",
    "home_over": "{0} is no home centre of {1} any more: {2} is retaken",
    "called_before": "void: {0} is called back already",
}

Note = tuple[str, ...]

NOTES: Mapping[str, tuple[NotePart, ...]] = {
    "loan": (NotePart.PROVINCE, NotePart.POWER, NotePart.POWER),
    "recalled": (NotePart.PROVINCE,),
    "home": (NotePart.POWER, NotePart.PROVINCE, NotePart.PROVINCE),
    "held": (NotePart.PROVINCE, NotePart.POWER, NotePart.YEAR, NotePart.SEASON),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lend(Order):
    """`Lend Naples to France` (TYW-14): from now on the centre supplies the borrower."""

    WORD: ClassVar[str] = "lend"
    TERSE: ClassVar[str] = "Lend {centre} to {borrower}"
    PROSE: ClassVar[str] = "Lend {centre} to {borrower}"

    centre: Region
    borrower: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBack(Order):
    """`Take back Naples` (TYW-14): notice, a build month ahead, that a loan ends."""

    WORD: ClassVar[str] = "take_back"
    TERSE: ClassVar[str] = "Take back {centre}"
    PROSE: ClassVar[str] = "Take back {centre}"

    centre: Region


def named(memory: Memory, name: str) -> list[Note]:
    """The notes of one name, sorted."""
    return sorted(note for note in memory.notes if note[0] == name)


def balance(memory: Memory, power: str) -> int:
    """Centres that a power has borrowed less those it has lent."""
    borrowed = 0
    for note in memory.notes:
        if note[0] == "loan":
            borrowed += (note[3] == power) - (note[2] == power)
    return borrowed


# Orders of a build month


def enter_loans(sheet: AdjustmentSheet) -> None:
    """Settle every loan and notice of this build month. All powers' orders count at once."""
    loan_of = {note[1]: note for note in named(sheet.memory, "loan")}
    new = _possible_loans(sheet, loan_of)
    for index in _refused(new):
        lender = new.pop(index).power
        sheet.void(index, "illegal", ("lender_borrows", lender))
    added: set[Note] = set()
    for index, order in new.items():
        added.add(("loan", order.centre.province, order.power, order.borrower))
        sheet.succeed(index, ("lent", order.centre, order.borrower))
    added |= _notices(sheet, loan_of)
    if added:
        sheet.memory = replace(sheet.memory, notes=sheet.memory.notes | added)


def _possible_loans(sheet: AdjustmentSheet, loan_of: Mapping[str, Note]) -> dict[int, Lend]:
    """The new loans that nothing but other new loans can forbid; all others are voided."""
    orders = {i: o for i, o in enumerate(sheet.orders) if isinstance(o, Lend) and sheet.verdicts[i] is None}
    offers = Counter((o.power, o.centre.province, o.borrower) for o in orders.values())
    borrowers = Counter((power, place) for power, place, _ in offers)
    possible: dict[int, Lend] = {}
    lent: set[tuple[str, str]] = set()
    for index, order in orders.items():
        key = order.power, order.centre.province
        fault = _fault(sheet, order, loan_of)
        if fault is None and borrowers[key] > 1:
            fault = ("lent_to_two", order.centre)
        if fault is None and key in lent:
            fault = ("lent_before", order.centre)
        if fault is None:
            possible[index] = order
            lent.add(key)
        else:
            sheet.void(index, "illegal", fault)
    return possible


def _fault(sheet: AdjustmentSheet, order: Lend, loan_of: Mapping[str, Note]) -> Sentence | None:
    place = order.centre.province
    if order.borrower == order.power or order.borrower not in sheet.accounts:
        return ("lent_to_nobody", order.centre)
    if place not in sheet.accounts[order.power].centres:
        return ("lends_what_is_not_owned", order.centre, order.power)
    if place in loan_of:
        return ("lent_before", order.centre)
    if any(note[3] == order.power for note in loan_of.values()):
        return ("lender_borrows", order.power)
    borrower_lends = any(note[2] == order.borrower for note in loan_of.values())
    if borrower_lends and sheet.rules.choice("lender_borrows") == "no":
        return ("borrower_lends", order.borrower)
    return None


def _refused(new: Mapping[int, Lend]) -> list[int]:
    """Of this month's loans, those whose lender gets one that counts. Of powers that lend in a
    ring, none may."""
    accepted: set[int] = set()
    refused: set[int] = set()
    # A loan counts once all loans to its lender are refused, and is refused once one of them counts. What is
    # left when neither changes anything is a ring.
    while True:
        newly_accepted = {
            i for i, order in new.items()
            if i not in accepted | refused
            and all(j in refused for j, other in new.items() if other.borrower == order.power)
        }
        accepted |= newly_accepted
        newly_refused = {
            i for i, order in new.items()
            if i not in accepted and any(new[j].borrower == order.power for j in accepted)
        } - refused
        refused |= newly_refused
        if not newly_accepted and not newly_refused:
            return sorted(set(new) - accepted)


def _notices(sheet: AdjustmentSheet, loan_of: Mapping[str, Note]) -> set[Note]:
    recalled = {note[1] for note in named(sheet.memory, "recalled")}
    for index, order in enumerate(sheet.orders):
        if not isinstance(order, TakeBack) or sheet.verdicts[index] is not None:
            continue
        place = order.centre.province
        if place not in loan_of or loan_of[place][2] != order.power:
            sheet.void(index, "illegal", ("not_on_loan", order.centre, order.power))
        elif place in recalled:
            sheet.void(index, "illegal", ("called_before", order.centre))
        else:
            recalled.add(place)
            sheet.succeed(index, ("called_back", order.centre))
    return {("recalled", place) for place in recalled}


# Control


def after_year(
    rules: Ruleset, context: Context, after: Position, owners: Centres
) -> tuple[Centres, Memory, tuple[Sentence, ...]]:
    """Owners, memory and sentences when control is determined (TYW-13).

    Loans that were called back end, and so does a loan whose centre a third power conquered (TYW-14).
    Special centres serve their power only in place of a lost home (TYW-08). Who holds what since when
    is noted (TYW-04).
    """
    before = {centre: power for power, owned in after.centres.items() for centre in owned}
    owner = {centre: power for power, owned in owners.items() for centre in owned}
    notes = set(after.memory.notes)
    sentences = _end_loans(rules, owner, notes) + _end_homes(rules, owner, notes)
    _free_special_centres(rules, context, owner, notes)
    for centre in {*before, *owner}:
        if owner.get(centre) != before.get(centre):
            notes = {note for note in notes if not (note[0] == "held" and note[1] == centre)}
            if centre in owner and context.board.provinces[centre].home is None:
                notes.add(("held", centre, owner[centre], str(after.phase.year), after.phase.season))
    centres: dict[str, set[str]] = {}
    for centre, power in owner.items():
        centres.setdefault(power, set()).add(centre)
    return (
        {power: frozenset(centres[power]) for power in sorted(centres)},
        replace(after.memory, notes=frozenset(notes)),
        tuple(sentences),
    )


def _end_loans(rules: Ruleset, owner: dict[str, str], notes: set[Note]) -> list[Sentence]:
    """Take out the loans that end now: those called back, and those whose centre a third power has taken."""
    recall_notes = {note for note in notes if note[0] == "recalled"}
    recalled = {note[1] for note in recall_notes}
    sentences: list[Sentence] = []
    for note in sorted(note for note in notes if note[0] == "loan"):
        _, centre, lender, borrower = note
        if centre in recalled:
            notes.discard(note)
            sentences.append(("loan_over", centre, borrower, lender))
        elif owner.get(centre) == borrower and rules.choice("borrower_takes") == "no":
            owner[centre] = lender  # a borrower's unit there does not take the centre
        elif owner.get(centre) != lender:
            notes.discard(note)
            sentences.append(("loan_lost", centre, borrower, lender))
    notes -= recall_notes
    return sentences


def _end_homes(rules: Ruleset, owner: Mapping[str, str], notes: set[Note]) -> list[Sentence]:
    """Take out the homes named for one that was retaken (TYW-08)."""
    if rules.choice("special_when_retaken") != "reverts":
        return []
    ended = sorted(note for note in notes if note[0] == "home" and owner.get(note[3]) == note[1])
    notes.difference_update(ended)
    return [("home_over", place, power, home) for _, power, place, home in ended]


def _free_special_centres(
    rules: Ruleset, context: Context, owner: dict[str, str], notes: set[Note]
) -> None:
    """A special centre that is no home belongs to no unit where its own power is in it."""
    if rules.choice("special_centres") == "owned":
        return
    homes = {(note[1], note[2]) for note in notes if note[0] == "home"}
    for province in context.board.provinces.values():
        power = owner.get(province.id, "")
        if power and f"special={power}" in province.marks and (power, province.id) not in homes:
            del owner[province.id]
