"""Build months of 1648: what may be built where, which units must go, and the Ottoman's special centres."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Sentence
from adjudicator.geo import SEA
from adjudicator.orders import Build, MoveHome
from adjudicator.phases import civil_disorder
from adjudicator.phases.adjustment_sheet import Account, AdjustmentSheet, Fault
from adjudicator.rules.war1648_loans import named
from adjudicator.units import Unit

SENTENCES: Mapping[str, str] = {
    "home_named": "from now on {0} is a home centre, in place of {1}",
    "not_special": "void: {0} is no special centre of {1}",
    "home_not_lost": "void: {1} has lost no home centre that {0} could stand for",
    "not_that_home": "void: {0} is no home centre that {1} has lost and not replaced",
    "special_held": "void: {0} is in the hands of {1}",
    "special_named": "void: {0} is a home centre already",
    "fleets_enough": "void: {0} builds {1} fleets already, and more are not built in one turn",
    "fleets_elsewhere": "void: {1} builds no fleets in {0}",
    "fleet_in_ice": "void: {0} is frozen in {1}, and no fleet is built there",
    "not_held_long": "void: {1} has not yet controlled {0} for {2} turns after the one it was taken in",
    "mercenaries_first": "void: {0} stays, because mercenaries go first",
}


# Builds


def open_to(sheet: AdjustmentSheet, power: str, place: str) -> bool:
    """True if a centre is a home centre of a power, or neutral to it (TYW-04, TYW-08)."""
    province = sheet.context.board.provinces[place]
    if province.home is not None:
        return province.home == power
    return f"special={power}" not in province.marks or _is_named_home(sheet, power, place)


def build_fault(sheet: AdjustmentSheet, order: Build) -> Fault | None:
    """Reason and sentence against a build in a vacant centre of its power's own, or None: limits on
    fleets (TYW-03, TYW-09, TYW-12), three turns for neutral centres (TYW-04), no builds while units
    must go (TYW-07)."""
    context, rules, place = sheet.context, sheet.rules, order.region.province
    account, province = sheet.accounts[order.power], context.board.provinces[place]
    is_home = province.home == order.power or _is_named_home(sheet, order.power, place)
    if removals_owed(sheet, account):
        return "no_build", ("nothing_to_build", order.power)
    if not is_home and not _is_held_long(sheet, order.power, place):
        return "not_owned", ("not_held_long", place, order.power, rules.number("turns_held"))
    if SEA in context.kinds[order.kind].moves:
        return _fleet_fault(sheet, order, is_home=is_home)
    return None


def _fleet_fault(sheet: AdjustmentSheet, order: Build, *, is_home: bool) -> Fault | None:
    context, rules, place = sheet.context, sheet.rules, order.region.province
    account, province = sheet.accounts[order.power], context.board.provinces[place]
    if not is_home and f"fleets={order.power}" not in province.marks:
        return "not_home_centre", ("fleets_elsewhere", place, order.power)
    month = sheet.position.phase.season
    if month in rules.word_list("frost") and "frozen" in province.marks:
        return "illegal", ("fleet_in_ice", place, month)
    limit = rules.number("fleets_a_turn")
    if sum(SEA in context.kinds[unit.kind].moves for unit in account.built) >= limit:
        return "too_many", ("fleets_enough", order.power, limit)
    return None


def _is_held_long(sheet: AdjustmentSheet, power: str, place: str) -> bool:
    """True if a power has held a neutral centre for enough turns in a row, not counting the one it
    took it in."""
    held = next((note for note in named(sheet.memory, "held") if note[1:3] == (place, power)), None)
    if held is None:
        return True  # held since before the first build month
    rules = sheet.rules
    year, season = int(held[3]), held[4]
    turns = turns_since(
        sheet.context, year, season, sheet.position.phase, rules.choice("build_months_count") == "yes")
    return turns >= rules.number("turns_held")


def turns_since(context: Context, year: int, season: str, now: Phase, count_builds: bool) -> int:
    """Turns after a build month up to now, this one included; build months count or not (Q-53)."""
    months = context.calendar.seasons()
    build_months = {name for name, kind in context.calendar.steps if kind is PhaseKind.ADJUSTMENT}
    first = year * len(months) + months.index(season) + 1
    last = now.year * len(months) + months.index(now.season)
    return sum(
        count_builds or months[month % len(months)] not in build_months for month in range(first, last + 1))


# Removals


def removals_owed(sheet: AdjustmentSheet, account: Account) -> Counter[bool]:
    """How many mercenaries (True) and other units (False) a power must remove for the centres it is short of:
    for each two mercenaries; or the single one that is left and a unit; or a unit (TYW-07)."""
    context, rules = sheet.context, sheet.rules
    needed = rules.upkeep(context, account.units)
    supply = rules.supply_from(sheet.memory, account.power, account.centres)
    short = needed - rules.unit_allowance(supply, needed)
    mercenaries = sum(u.kind in context.tables.non_attackers for u in account.units)
    others = len(account.units) - mercenaries
    per_centre = rules.number("mercenaries_a_centre")
    owed: Counter[bool] = Counter()
    for _ in range(max(short, 0)):
        taken = min(per_centre, mercenaries - owed[True])
        owed[True] += taken
        takes_unit = taken < per_centre and (taken == 0 or rules.choice("odd_mercenary") == "and_a_unit")
        if takes_unit and owed[False] < others:
            owed[False] += 1
    return +owed


def removal_fault(sheet: AdjustmentSheet, account: Account, unit: Unit) -> Fault | None:
    """Reason and sentence against a removal, or None if the unit is among those that must go."""
    mercenaries = sheet.context.tables.non_attackers
    left = removals_owed(sheet, account)
    left.subtract(removed.kind in mercenaries for removed in account.removed)
    if left[unit.kind in mercenaries] > 0:
        return None
    if left[True] > 0:
        return "illegal", ("mercenaries_first", unit)
    return "too_many", ("nothing_to_remove", account.power)


def enforced_removals(sheet: AdjustmentSheet, account: Account) -> list[Unit]:
    """The units that go unasked: mercenaries first, each sort by distance (DATC 4.D.8)."""
    mercenaries = sheet.context.tables.non_attackers
    left = removals_owed(sheet, account)
    left.subtract(removed.kind in mercenaries for removed in account.removed)
    enforced: list[Unit] = []
    for is_mercenary in (True, False):
        units = sorted(
            (u for u in account.units - set(account.removed) if (u.kind in mercenaries) is is_mercenary),
            key=lambda u: str(u.region),
        )
        count = max(left[is_mercenary], 0)
        enforced += civil_disorder.by_distance(sheet.context, units, count, account.centres)
    return enforced


# Special centres


def _is_named_home(sheet: AdjustmentSheet, power: str, place: str) -> bool:
    return any(note[1:3] == (power, place) for note in sheet.memory.notes if note[0] == "home")


def name_homes(sheet: AdjustmentSheet) -> None:
    """Make special centres the homes in place of lost ones, in the order listed (TYW-08)."""
    for index, order in enumerate(sheet.orders):
        if isinstance(order, MoveHome) and sheet.verdicts[index] is None:
            lost = _lost_home(sheet, order)
            if isinstance(lost, tuple):
                sheet.void(index, "illegal", lost)
            else:
                _name_home(sheet, order.power, order.to.province, lost)
                sheet.succeed(index, ("home_named", order.to, lost))


def _lost_home(sheet: AdjustmentSheet, order: MoveHome) -> str | Sentence:
    """The home centre that a special one replaces, or the sentence that shows what is wrong with the
    order."""
    power, place = order.power, order.to.province
    account, provinces = sheet.accounts[power], sheet.context.board.provinces
    replaced = {note[3] for note in sheet.memory.notes if note[:2] == ("home", power)}
    lost = sorted(
        p.id for p in provinces.values() if p.home == power and p.id not in account.centres | replaced
    )
    holder = next((name for name, other in sheet.accounts.items() if place in other.centres), power)
    if place not in provinces or f"special={power}" not in provinces[place].marks:
        return ("not_special", order.to, power)
    if _is_named_home(sheet, power, place):
        return ("special_named", order.to)
    if holder != power:
        return ("special_held", order.to, holder)
    if not lost:
        return ("home_not_lost", order.to, power)
    if order.origin is None:
        return lost[0]
    return order.origin.province if order.origin.province in lost else ("not_that_home", order.origin, power)


def _name_home(sheet: AdjustmentSheet, power: str, place: str, lost: str) -> None:
    account = sheet.accounts[power]
    account.centres |= {place}
    sheet.centres[power] = account.centres
    sheet.memory = replace(sheet.memory, notes=sheet.memory.notes | {("home", power, place, lost)})
