"""Where and what may be built in a build month of 1648, which units must go, and the Ottoman's special
centres."""

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
from adjudicator.phases.adjustments import Account, AdjustmentSheet
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

Fault = tuple[str, Sentence]


# Builds
# ------------------------------------------------------------------------------


def open_to(sheet: AdjustmentSheet, power: str, place: str) -> bool:
    """Whether a centre is a home centre of a power, or one that is neutral to it (TYW-04, TYW-08)."""
    province = sheet.context.board.provinces[place]
    if province.home is not None:
        return province.home == power
    return f"special={power}" not in province.marks or _is_named(sheet, power, place)


def bars(sheet: AdjustmentSheet, order: Build) -> Fault | None:
    """Reason and sentence against a build in a vacant centre of one's own, or None: fleets (TYW-03, TYW-09,
    TYW-12), three turns for neutral centres (TYW-04), and none at all while units must go (TYW-07)."""
    context, rules, place = sheet.context, sheet.rules, order.region.province
    account = sheet.accounts[order.power]
    province = context.board.provinces[place]
    at_home = province.home == order.power or _is_named(sheet, order.power, place)
    if toll(sheet, account):
        return "no_build", ("nothing_to_build", order.power)
    if not at_home and not _held_long(sheet, order.power, place):
        return "not_owned", ("not_held_long", place, order.power, rules.number("turns_held"))
    return _bars_fleet(sheet, order, at_home) if SEA in context.kinds[order.kind].moves else None


def _bars_fleet(sheet: AdjustmentSheet, order: Build, at_home: bool) -> Fault | None:
    context, rules, place = sheet.context, sheet.rules, order.region.province
    account, province = sheet.accounts[order.power], sheet.context.board.provinces[place]
    if not at_home and f"fleets={order.power}" not in province.marks:
        return "not_home_centre", ("fleets_elsewhere", place, order.power)
    month = sheet.position.phase.season
    if month in rules.word_list("frost") and "frozen" in province.marks:
        return "illegal", ("fleet_in_ice", place, month)
    most = rules.number("fleets_a_turn")
    if sum(SEA in context.kinds[unit.kind].moves for unit in account.built) >= most:
        return "too_many", ("fleets_enough", order.power, most)
    return None


def _held_long(sheet: AdjustmentSheet, power: str, place: str) -> bool:
    """Whether a neutral centre has been held for enough turns in a row, the one in which it was taken not
    counted."""
    since = next((note for note in named(sheet.memory, "held") if note[1:3] == (place, power)), None)
    if since is None:
        return True
    rules = sheet.rules
    count_builds = rules.choice("build_months_count") == "yes"
    return turns_since(
        sheet.context, int(since[3]), since[4], sheet.position.phase, count_builds
    ) >= rules.number("turns_held")


def turns_since(context: Context, year: int, season: str, now: Phase, count_builds: bool) -> int:
    """Turns after a build month up to now, this one among them; build months count or do not (Q-53)."""
    months = context.calendar.seasons()
    building = {name for name, kind in context.calendar.steps if kind is PhaseKind.ADJUSTMENT}
    first = year * len(months) + months.index(season) + 1
    last = now.year * len(months) + months.index(now.season)
    return sum(count_builds or months[at % len(months)] not in building for at in range(first, last + 1))


# Removals
# ------------------------------------------------------------------------------------------------------------


def toll(sheet: AdjustmentSheet, account: Account) -> Counter[bool]:
    """How many units must go, mercenaries (True) and others, for the centres that a power is short of: two
    mercenaries for each, or the one that is left and a unit, or a unit (TYW-07)."""
    context, rules = sheet.context, sheet.rules
    have = rules.upkeep(context, account.units)
    short = have - rules.unit_allowance(rules.supply_from(sheet.memory, account.power, account.centres), have)
    hired = sum(u.kind in context.tables.non_attackers for u in account.units)
    others = len(account.units) - hired
    every = rules.number("mercenaries_a_centre")
    found: Counter[bool] = Counter()
    for _ in range(max(short, 0)):
        gone = min(every, hired - found[True])
        found[True] += gone
        along = gone < every and (gone == 0 or rules.choice("odd_mercenary") == "and_a_unit")
        if along and found[False] < others:
            found[False] += 1
    return +found


def bars_removal(sheet: AdjustmentSheet, account: Account, unit: Unit) -> Fault | None:
    """Reason and sentence against a removal, or None where that unit is among those that must go."""
    hired = sheet.context.tables.non_attackers
    left = toll(sheet, account)
    left.subtract(gone.kind in hired for gone in account.removed)
    if left[unit.kind in hired] > 0:
        return None
    if left[True] > 0:
        return "illegal", ("mercenaries_first", unit)
    return "too_many", ("nothing_to_remove", account.power)


def enforced(sheet: AdjustmentSheet, account: Account) -> list[Unit]:
    """The units that go unasked, mercenaries first, each kind by distance (DATC 4.D.8)."""
    hired = sheet.context.tables.non_attackers
    left = toll(sheet, account)
    left.subtract(gone.kind in hired for gone in account.removed)
    found: list[Unit] = []
    for sort in (True, False):
        units = sorted(
            (u for u in account.units - set(account.removed) if (u.kind in hired) is sort),
            key=lambda u: str(u.region),
        )
        found += civil_disorder.by_distance(sheet.context, units, max(left[sort], 0), account.centres)
    return found


# Special centres
# -----------------------------------------------------------------------------------------------------


def _is_named(sheet: AdjustmentSheet, power: str, place: str) -> bool:
    return any(note[1:3] == (power, place) for note in sheet.memory.notes if note[0] == "home")


def name_homes(sheet: AdjustmentSheet) -> None:
    """Special centres that take the place of lost home centres, in the order listed (TYW-08)."""
    for index, order in enumerate(sheet.orders):
        if isinstance(order, MoveHome) and sheet.verdicts[index] is None:
            found = _lost_home(sheet, order)
            if isinstance(found, tuple):
                sheet.void(index, "illegal", found)
            else:
                _name(sheet, order.power, order.to.province, found)
                sheet.succeed(index, ("home_named", order.to, found))


def _lost_home(sheet: AdjustmentSheet, order: MoveHome) -> str | Sentence:
    """The home centre that a special one is to stand for, or what is wrong with the order."""
    power, place = order.power, order.to.province
    account, provinces = sheet.accounts[power], sheet.context.board.provinces
    replaced = {note[3] for note in sheet.memory.notes if note[:2] == ("home", power)}
    lost = sorted(
        p.id for p in provinces.values() if p.home == power and p.id not in account.centres | replaced
    )
    holder = next((name for name, other in sheet.accounts.items() if place in other.centres), power)
    if place not in provinces or f"special={power}" not in provinces[place].marks:
        return ("not_special", order.to, power)
    if _is_named(sheet, power, place):
        return ("special_named", order.to)
    if holder != power:
        return ("special_held", order.to, holder)
    if not lost:
        return ("home_not_lost", order.to, power)
    if order.origin is None:
        return lost[0]
    return order.origin.province if order.origin.province in lost else ("not_that_home", order.origin, power)


def _name(sheet: AdjustmentSheet, power: str, place: str, lost: str) -> None:
    account = sheet.accounts[power]
    account.centres |= {place}
    sheet.centres[power] = account.centres
    sheet.memory = replace(sheet.memory, notes=sheet.memory.notes | {("home", power, place, lost)})
