"""The adjustment phase from start to finish: supply sent, builds, removals, and the units that go when a
power removes too few (ADJ-01..07, SUP-01..05, MCY-01, DATC 6.I and 6.J)."""

from __future__ import annotations

from collections.abc import Sequence

from adjudicator.context import Context
from adjudicator.explain import Explainer, Sentence
from adjudicator.lots import Lots
from adjudicator.orders import Build, Order, Remove, SendSupply
from adjudicator.outcome import Outcome, Resolution, Result, make_outcome
from adjudicator.phases import year_end
from adjudicator.phases.adjustment_sheet import Account, AdjustmentRules, AdjustmentSheet, Send
from adjudicator.position import Position
from adjudicator.units import Unit


def send_supply(sheet: AdjustmentSheet, sends: list[Send]) -> None:
    """Settle sends in the order listed. Where supply may be passed on, a send that needs what others send
    waits for theirs (Q-28)."""
    waiting = sends
    while True:
        left = [send for send in waiting if not _is_sent(sheet, *send)]
        if len(left) == len(waiting) or not sheet.rules.passes_supply_on():
            break
        waiting = left
    for index, account, order in left:
        sheet.void(index, "no_supply", _nothing_left(sheet, index, account, order))


def _is_sent(sheet: AdjustmentSheet, index: int, account: Account, order: SendSupply) -> bool:
    """Send what the order states. False if there is not enough for the whole of it."""
    if order.count > _left(sheet, index, account):
        return False
    account.sent += order.count
    if sheet.rules.sends_surplus_only():
        # A build above the send keeps what it took: then a removal gives what is sent.
        needed = account.sent + len(account.units) + _spent_on_builds(sheet, index, account)
        account.removals_for_sends = max(0, needed - _own_supply(sheet, account))
    sheet.accounts[order.to_power].received += order.count
    sheet.succeed(index, ("supply_given", order.count, order.to_power))
    return True


def _own_supply(sheet: AdjustmentSheet, account: Account) -> int:
    """What a power may spend on sends: its own centres, and what it receives only where that may be passed on
    (Q-28)."""
    return len(account.centres) + (account.received if sheet.rules.passes_supply_on() else 0)


def _left(sheet: AdjustmentSheet, index: int, account: Account) -> int:
    """The supply left to send at an order's place on the sheet (Q-27)."""
    supply = _own_supply(sheet, account) - account.sent
    if not sheet.rules.sends_surplus_only():
        return supply
    removals = [order for i in account.orders if isinstance(order := sheet.orders[i], Remove)]
    # Units that the sheet removes free their supply for a send, and never for a build.
    freed = {unit for order in removals if (unit := sheet.unit_to_remove(account, order)) is not None}
    return supply - len(account.units) + len(freed) - _spent_on_builds(sheet, index, account)


def _spent_on_builds(sheet: AdjustmentSheet, index: int, account: Account) -> int:
    """How much of its own supply a power has spent on builds above an order's place on the sheet (SUP-05)."""
    supply = _own_supply(sheet, account) - len(account.units)
    sent, built_in = 0, set[str]()
    for above in account.orders:
        order, verdict = sheet.orders[above], sheet.verdicts[above]
        if above == index:
            break
        if isinstance(order, SendSupply) and verdict is not None and verdict.result is Result.SUCCEEDS:
            sent += order.count
        elif isinstance(order, Build):
            # A build that fails uses no supply (ADJ-07), nor does the second in one place.
            province = order.region.province
            is_free = province not in built_in and sheet.build_fault(account, order) is None
            if is_free and sent + len(built_in) < supply:
                built_in.add(province)
    return len(built_in)


def _nothing_left(sheet: AdjustmentSheet, index: int, account: Account, order: SendSupply) -> Sentence:
    owned = "1 centre" if len(account.centres) == 1 else f"{len(account.centres)} centres"
    if sheet.rules.sends_surplus_only() and account.sent + order.count <= _own_supply(sheet, account):
        left = _left(sheet, index, account)
        if left > 0:
            return ("less_supply_left", account.power, left, order.count)
        return ("no_supply_left", account.power)
    if account.sent:
        return ("sends_more", account.power, owned, account.sent, order.count)
    return ("sends_too_much", account.power, owned, order.count)


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
