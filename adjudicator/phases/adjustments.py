"""The adjustment phase from start to finish: supply sent, builds, removals, and the units that go when a
power removes too few (ADJ-01..07, SUP-01..05, MCY-01, DATC 6.I and 6.J)."""

from __future__ import annotations

from collections.abc import Sequence

from adjudicator.context import Context
from adjudicator.explain import Explainer
from adjudicator.lots import Lots
from adjudicator.orders import Order
from adjudicator.outcome import Outcome, Resolution, make_outcome
from adjudicator.phases import year_end
from adjudicator.phases.adjustment_sheet import AdjustmentRules, AdjustmentSheet
from adjudicator.phases.supply_sent import send_supply
from adjudicator.position import Position
from adjudicator.units import Unit


def resolve(
    context: Context, rules: AdjustmentRules, position: Position, orders: Sequence[Order], lots: Lots
) -> Resolution:
    """Judge an adjustment phase.

    1. Sort the orders by power and settle the supply that is sent. 2. Carry out the builds and removals of
       each power. 3. Take the units of powers that removed too few. Raises IndexError when lots must be drawn
       and the tape is too short.
    """
    sheet = AdjustmentSheet(context, rules, position, orders)
    send_supply(sheet, sheet.read_orders())
    rules.before_adjustments(sheet)
    for power in sorted(sheet.accounts):
        sheet.carry_out(sheet.accounts[power])
    return _finish(sheet, lots)


def _finish(sheet: AdjustmentSheet, lots: Lots) -> Resolution:
    context, rules, position = sheet.context, sheet.rules, sheet.position
    enforced: list[Unit] = []
    tape = lots
    accounts = [sheet.accounts[power] for power in sorted(sheet.accounts)]
    # Power by power in alphabetical order (docs/rulings/w3k.md, Lots): the order in which lots are drawn is
    # part of the result.
    for account in accounts:
        units, tape = rules.enforced_removals(sheet, account, tape)
        account.removed += units
        enforced += units
    built = tuple(unit for account in accounts for unit in account.built)
    removed = tuple(unit for account in accounts for unit in account.removed)
    standing = (position.units | set(built)) - set(removed)
    by_lot = rules.removes_by_lot()
    explainer = Explainer(context, rules)
    resolution = Resolution(
        outcomes=_outcomes(sheet, explainer),
        position=Position(context.calendar.phase_after(position.phase), standing, sheet.centres,
                          memory=rules.memory_after_winter(sheet.memory, standing)),
        built=built,
        removed=removed,
        removed_by_lot=tuple(enforced) if by_lot else (),
        removed_by_disorder=() if by_lot else tuple(enforced),
        lots_used=tape.used - lots.used,
        notes=tuple(explainer.text(note) for note in sheet.notes),
    )
    if rules.tests_victory_in_winter():
        return year_end.with_victory(context, rules, resolution)
    return resolution


def _outcomes(sheet: AdjustmentSheet, explainer: Explainer) -> tuple[Outcome, ...]:
    outcomes = []
    for index, (order, verdict) in enumerate(zip(sheet.orders, sheet.verdicts, strict=True)):
        assert verdict is not None
        cause = sheet.orders[sheet.causes[index]] if index in sheet.causes else None
        why = (explainer, *verdict.sentence)
        outcomes.append(make_outcome(order, verdict.result, verdict.reason, cause, why, False))
    return tuple(outcomes)
