"""What `galloper verify` checks of a game: the ink and the time of every order that counted, its lots, and
the judge."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import maps
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Order
from adjudicator.outcome import Resolution
from adjudicator.phrases import is_earlier_wording
from adjudicator.serialize import codec
from adjudicator.serialize.codec import CodecError
from maps import MapError
from maps.variant import Variant
from reading import vocabulary
from service.archive.archive_file import Archive, VerifyReport
from service.archive.verify_lots import check_lots, rounds_to_compare
from service.games.options import OptionFault, stored_options
from service.games.rulings import as_played
from service.store.digests import plain


def judged_phases(archive: Archive) -> dict[int, tuple[int, dict[str, Any]]]:
    """The last judging of each phase that was not taken back: its entry's number and its facts, by phase."""
    entries: dict[int, tuple[int, dict[str, Any]]] = {}
    for number, tells in archive.open_entries("judged"):
        entries[tells["phase"]] = (number, tells)
    return {phase: entry for phase, entry in sorted(entries.items()) if "taken_back" not in entry[1]}


def check_game(archive: Archive, report: VerifyReport) -> None:
    """Every judged phase of an archive."""
    try:
        variant = maps.load(str(archive.manifest["variant"]))
    except MapError as fault:
        report.faults.append(f"Nothing could be judged again: {fault}.")
        return
    # The first entry says what the game began with; a later one may not change the rules of what was judged.
    begun = next((tells for _, tells in archive.open_entries("game")), {})
    try:
        variant = as_played(variant, stored_options(begun.get("options") or {}))
    except OptionFault as fault:
        report.faults.append(f"Nothing could be judged again: record.jsonl has {fault}.")
        return
    before: dict[str, Any] | None = None
    count = 0
    for number, tells in judged_phases(archive).values():
        faults = [
            *_check_sheets(archive, number, tells),
            *_check_orders(archive, variant, number, tells),
            *check_lots(archive, number, tells),
            *_judge_again(variant, number, tells),
        ]
        if before is not None and not _follows(archive, before, tells):
            faults.append(f"Entry {number}: the board of phase {tells['phase']} is not the one that phase "
                          f"{before['phase']} left.")
        report.faults += faults
        before = tells
        count += 1
    report.notes += rounds_to_compare(archive)
    report.confirmations.append(f"{count} judged {'phase was' if count == 1 else 'phases were'} judged again"
                       f"{', with the same results.' if not report.faults else '.'}")


def _follows(archive: Archive, before: dict[str, Any], tells: dict[str, Any]) -> bool:
    """Whether a phase begins on the board that the one before left."""
    left, begins = before["resolution"]["resolution"]["position"], tells["position"]["position"]
    # The players' archive may keep the phase between two others closed.
    return bool(left == begins) or (not archive.is_whole and left["phase"] != begins["phase"])


def _check_sheets(archive: Archive, number: int, tells: dict[str, Any]) -> list[str]:
    clock = archive.last_before("phase", number, phase=tells["phase"])
    if clock is None:
        return [f"Entry {number} judges phase {tells['phase']}, which was never entered."]
    faults = []
    for power, key in tells["executed"].items():
        sheet = archive.last_before("sheet", number, sheet=key)
        if sheet is None or (sheet["power"], sheet["phase"]) != (power, tells["phase"]):
            faults.append(f"Entry {number} executes a sheet of {power} that was never entered.")
        elif sheet["received"] > clock["deadline"]:
            faults.append(f"Entry {number} executes a sheet of {power} that came after the deadline.")
        elif _first_counts(archive, number):
            faults += _check_first_counts(archive, number, sheet)
        # A sheet that the coordinator chose by hand need not be the latest; the choice is an entry of its
        # own.
        elif "chosen" not in sheet["flags"] and (
            later := _later_version(archive, number, sheet, clock["deadline"])
        ):
            faults.append(f"Entry {number} executes version {sheet['version']} of {power}, though version "
                          f"{later} came in time.")
    return faults


def _first_counts(archive: Archive, number: int) -> bool:
    """Whether the game's option says that the first sheet of a power counts (Q-60)."""
    game = archive.last_before("game", number) or {"options": {}}
    return bool(game["options"].get("first_counts", False))


def _check_first_counts(archive: Archive, number: int, sheet: dict[str, Any]) -> list[str]:
    """The fault of an executed sheet in a game where the first sheet counts: a valid one came before it."""
    # A coordinator chose it by hand; that act is an entry of its own.
    if "chosen" in sheet["flags"]:
        return []
    earlier = [
        other
        for other in _sheets_before(archive, number, sheet).values()
        if other["fate"] != "held"
        and (other["received"], other["sheet"]) < (sheet["received"], sheet["sheet"])
    ]
    fault = (f"Entry {number} executes a sheet of {sheet['power']} received {sheet['received']}, though "
            "another came before it and the first counts in this game.")
    return [fault] if earlier else []


def _sheets_before(archive: Archive, number: int, sheet: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """The sheets of the same power for the same phase as they were before an entry, by their ids."""
    # The last entry before the judging says what counted then, and whose the sheet was: it may be filed anew.
    last = {tells["sheet"]: tells for entry_number, tells in archive.open_entries("sheet")
            if entry_number < number}
    return {key: tells for key, tells in last.items()
            if (tells["power"], tells["phase"]) == (sheet["power"], sheet["phase"])}


def _later_version(archive: Archive, number: int, sheet: dict[str, Any], deadline: str) -> int | None:
    """A higher version of the same power that was valid and in time; None if a sheet's own words ask for
    another."""
    rivals = [
        rival
        for rival in _sheets_before(archive, number, sheet).values()
        if rival["received"] <= deadline and rival["fate"] != "held"
    ]
    # A sheet whose own words ask for another version ends the rule of numbers (VER-02).
    if any(rival["asks"] is not None for rival in rivals):
        return None
    higher = [rival["version"] for rival in rivals if (rival["version"] or 0) > (sheet["version"] or 0)]
    return max(higher, default=None) if sheet["version"] is not None else None


def _check_orders(archive: Archive, variant: Variant, number: int, tells: dict[str, Any]) -> list[str]:
    faults, settled = [], _settled_lines(archive, number, tells)
    outcomes = tells["resolution"]["resolution"]["outcomes"]
    if len(outcomes) != len(tells["orders"]):
        return [f"Entry {number} tells of another number of orders than were judged."]
    for order, outcome in zip(tells["orders"], outcomes, strict=True):
        line = settled.get(order["line"])
        if line is None or line[0] != tells["executed"].get(order["power"]):
            faults.append(f"Entry {number}: {order['order']} of {order['power']} stands on no line of an "
                          f"entered photograph of its sheet.")
        elif order["written"] not in line[1]:
            faults.append(f"Entry {number}: {order['order']} is not what its line was read as.")
        elif not _parses_to(variant, tells, order, outcome["order"]):
            faults.append(f"Entry {number}: {order['order']} is not the order that was judged.")
    return faults


def _settled_lines(
    archive: Archive, number: int, tells: dict[str, Any]
) -> dict[int, tuple[int, set[str | None]]]:
    """Each line of the executed sheets whose photograph was entered: its sheet, and what it may count as."""
    readings: dict[int, tuple[int, set[str | None]]] = {}
    for key in tells["executed"].values():
        reading, sheet = (
            archive.last_before("reading", number, sheet=key),
            archive.last_before("sheet", number, sheet=key),
        )
        if reading is None or sheet is None:
            continue
        for page in reading["pages"]:
            # Ink that never arrived with this sheet proves nothing about it.
            if page["photograph"] in sheet["photographs"]:
                readings |= {line["line"]: (key, {line["order"]}) for line in page["lines"]}
    standing: dict[int, dict[str, Any]] = {}
    for entry_number, decision in archive.open_entries("decision"):
        if entry_number < number and decision["line"] in readings:
            standing[decision["decision"]] = decision
    decided: dict[int, set[str | None]] = {}
    for decision in standing.values():
        if decision["taken_back"] is None:
            # Two people may have decided one line.
            decided.setdefault(decision["line"], set()).add(decision["order"])
    return {line: (sheet, decided.get(line, orders)) for line, (sheet, orders) in readings.items()}


def _parses_to(variant: Variant, tells: dict[str, Any], judged_order: dict[str, Any], order: Any) -> bool:
    """Whether the text of the line, parsed again, gives the order that was judged."""
    kind = codec.load_position(tells["position"]).phase.kind
    try:
        parsed = vocabulary.orders_of(
            variant, kind, judged_order["power"], str(judged_order["written"]), int(judged_order["line"])
        )
    except ValueError:
        return False
    return order in [plain(parsed_order) for parsed_order in codec.dump_orders(parsed)["orders"]]


def _judge_again(variant: Variant, number: int, tells: dict[str, Any]) -> list[str]:
    """Judge the phase again; the document must be the same to the last character."""
    try:
        position = codec.load_position(tells["position"])
        stored = codec.load_resolution(tells["resolution"])
        orders: list[Order] = [outcome.order for outcome in stored.outcomes]
        again = judge(
            variant.context(), variant.rules, position, orders, Lots(tuple(tells["lots"]["numbers"]))
        )
    except (CodecError, IndexError, KeyError) as fault:
        return [f"Entry {number}: phase {tells['phase']} cannot be judged again ({fault})."]
    again = in_stored_words(again, stored)
    # Compared as stored text: a resolution that reads alike but differs in a digit is another.
    if plain(codec.dump_resolution(again)) != tells["resolution"]:
        return [f"Entry {number}: the judge now says something else of phase {tells['phase']}."]
    entered = [(order["result"], order["why"]) for order in tells["orders"]]
    if entered != [(outcome.result.value, outcome.why) for outcome in again.outcomes]:
        return [f"Entry {number}: what it tells of the orders is not what the judge says."]
    return []


def in_stored_words(again: Resolution, stored: Resolution) -> Resolution:
    """The new judgement, with a stored sentence wherever that says the same in an older version's words."""
    if len(again.outcomes) != len(stored.outcomes):
        return again
    pairs = zip(again.outcomes, stored.outcomes, strict=True)
    outcomes = tuple(
        replace(outcome, why=before.why) if is_earlier_wording(before.why, outcome.why) else outcome
        for outcome, before in pairs
    )
    return replace(again, outcomes=outcomes)
