"""Rules C6 to C8: every line that counted was judged and no other, and people decided lines by right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.archive.conduct.facts import SLACK, Fact, Facts, instant
from service.facts.events import TOLD, Event

LIVE = ("auto", "read")
UNDECIDED = ("open", "skipped")
ACTS_OF_PEOPLE = TOLD - {Event.RESTORED, "game_imported", "open_phase_copied", "changed_by_hand"} | {
    "results_approved"}
"""Events that a coordinator makes at the desk."""
READING = ("kind", "struck", "text", "order", "state")


@dataclass(frozen=True, slots=True)
class Settled:
    """What a line came to: its state, its order, and the sheet it is on. `is_bare_part`: a person
    cut it out, and no decision about it stands."""

    state: str
    order: str | None
    sheet: int
    power: str
    is_bare_part: bool = False


def check_readings_stay(facts: Facts) -> None:
    """C6: what was read of a line stays; what people think of it is a decision beside it."""
    for before, after in facts.changes("reading"):
        lines = {line["line"]: line for page in after.tells["pages"] for line in page["lines"]}
        for line in (line for page in before.tells["pages"] for line in page["lines"]):
            now = lines.get(line["line"])
            if now is None:
                facts.wrong("C6", after.number, f"line {line['line']}, read in entry {before.number}, is "
                                                "gone.")
            elif line["kind"] != "part" and any(line[name] != now[name] for name in READING):
                facts.wrong("C6", after.number, f"line {line['line']} was read otherwise in entry "
                                                f"{before.number}.")
        new = lines.keys() - {line["line"] for page in before.tells["pages"] for line in page["lines"]}
        # A line that a person cut out is a part; the machine reads a sheet once.
        if before.tells["pages"] and any(lines[key]["kind"] != "part" for key in new) and _has_lines(before):
            facts.wrong("C6", after.number, f"lines were added to the sheet that entry {before.number} read.")


def _has_lines(reading: Fact) -> bool:
    return any(page["lines"] for page in reading.tells["pages"])


def check_lines(facts: Facts, judged: Fact, review: str) -> None:
    """C6 and C7 for one judging: each photograph was read, and each live line was judged."""
    sheets, readings = facts.last("sheet", judged.number), facts.last("reading", judged.number)
    decisions = facts.last("decision", judged.number)
    settled: dict[int, Settled] = {}
    for power, key in judged.tells["executed"].items():
        sheet, reading = sheets.get(str(key)), readings.get(str(key))
        if sheet is None or reading is None:
            facts.wrong("C6", judged.number, f"the sheet of {power} was judged without a reading.")
            continue
        pages = {page["photograph"] for page in reading.tells["pages"]}
        if pages != set(sheet.tells["photographs"]):
            facts.wrong("C6", judged.number, f"not every photograph of the sheet of {power} was read.")
        for page in reading.tells["pages"]:
            for line in page["lines"]:
                standing = _about(decisions, line["line"])
                state, order = settle(line, standing, review)
                settled[line["line"]] = Settled(
                    state, order, key, power, is_bare_part=line["kind"] == "part" and not standing)
    _check_orders(facts, judged, settled)


def _check_orders(facts: Facts, judged: Fact, settled: Mapping[int, Settled]) -> None:
    judged_lines: dict[int, list[Any]] = {}
    for order in judged.tells["orders"]:
        judged_lines.setdefault(order["line"], []).append(order["order"])
    for line, came_to in settled.items():
        judged_orders = judged_lines.get(line, [])
        is_live = came_to.state in LIVE and came_to.order is not None
        if came_to.is_bare_part and is_live:
            facts.wrong("C7", judged.number, f"line {line} of {came_to.power} was cut out by a person, and "
                                             "nobody decided it.")
        elif came_to.state in UNDECIDED:
            facts.wrong("C7", judged.number, f"line {line} of {came_to.power} waits for a person.")
        elif is_live and not judged_orders:
            facts.wrong("C7", judged.number, f"{came_to.order} of {came_to.power} stands on line {line} and "
                                             "was not judged.")
        elif judged_orders and not is_live:
            facts.wrong("C7", judged.number, f"line {line} of {came_to.power} does not count and was judged.")
        elif is_live and None not in judged_orders and sorted(judged_orders) != sorted(
            str(came_to.order).split("; ")
        ):
            facts.wrong("C7", judged.number, f"line {line} of {came_to.power} was judged otherwise than it "
                                             "says.")


def _about(decisions: Mapping[str, Fact], line: int) -> list[Fact]:
    standing = [fact for fact in decisions.values()
                if fact.tells["line"] == line and fact.tells["taken_back"] is None]
    return sorted(standing, key=lambda fact: int(fact.tells["decision"]))


def settle(line: Mapping[str, Any], standing: Sequence[Fact], review: str) -> tuple[str, str | None]:
    """State and order of a line with its standing decisions, oldest first, under a mode of review."""
    machine = str(line["state"])
    needs_two = review != "none" and (
        bool(standing) or machine == "open" or (review == "all" and machine == "auto"))
    if not needs_two:
        return (standing[-1].tells["says"], standing[-1].tells["order"]) if standing else (machine,
            line["order"])
    cast = _votes(standing)
    if not cast:
        return "open", line["order"]
    last = cast[-1].tells
    if last["settles"] or any(_alike(earlier.tells, last) for earlier in cast[:-1]):
        return last["says"], last["order"]
    return "open", line["order"]


def _votes(standing: Sequence[Fact]) -> list[Fact]:
    """The newest decision of each person, oldest first; one that settles alone ends everything before it."""
    since = max((index for index, fact in enumerate(standing) if fact.tells["settles"]), default=-1)
    if since >= 0 and since == len(standing) - 1:
        return [standing[-1]]
    newest = {fact.tells["by"]: fact for fact in standing[since + 1:] if fact.tells["says"] != "open"}
    return [fact for fact in standing
            if newest.get(fact.tells["by"]) is fact and fact.tells["says"] != "skipped"]


def _alike(left: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    if left["says"] != right["says"]:
        return False
    if left["says"] != "read":
        return True
    if left["order"] or right["order"]:
        return bool(left["order"] == right["order"])
    return str(left["text"]).casefold().split() == str(right["text"]).casefold().split()


def check_decisions(facts: Facts) -> None:
    """C8: decisions are made at an open desk by somebody with the right, at the time that they name, and only
    taken back later."""
    for before, after in facts.changes("decision"):
        for name in ("line", "says", "text", "order", "by", "at", "settles"):
            if before.tells[name] != after.tells[name]:
                facts.wrong("C8", after.number, f"the decision of entry {before.number} was changed.")
                break
    people: dict[str, Fact] = {}
    known: set[str] = set()
    for fact in facts.facts:
        if fact.kind == "person":
            people[fact.tells["name"]] = fact
        elif fact.kind == "decision":
            tells = fact.tells
            when = instant(tells["taken_back"] or tells["at"])
            # One that was taken back and then made again names its first time.
            is_again = fact.key in known and tells["taken_back"] is None
            known.add(fact.key)
            if not is_again and abs(when - fact.entered) > SLACK:
                facts.wrong("C8", fact.number, "a decision was entered at another time than it names.")
            if people and not _is_coordinator(people, tells["by"]):
                facts.wrong("C8", fact.number, f"{tells['by']} decided a line and had no right to.")
            _check_desk_was_open(facts, fact)
        elif (
            fact.kind == "event" and fact.tells["event"] in ACTS_OF_PEOPLE and people
            and not str(fact.tells["by"]).startswith("galloper") and not _is_coordinator(people,
                fact.tells["by"])
        ):
            facts.wrong("C8", fact.number, f"{fact.tells['by']} did this ({fact.tells['event']}) and had no "
                                           "right to.")


def _is_coordinator(people: Mapping[str, Fact], name: str) -> bool:
    # An operator keeps the machine running, and decides nothing.
    return name in people and people[name].tells["role"] not in {None, "operator"}


def _check_desk_was_open(facts: Facts, decision: Fact) -> None:
    clock = [fact for fact in facts.of("phase")
             if fact.number < decision.number and fact.tells["phase"] == decision.tells["phase"]]
    state = clock[-1].tells["state"] if clock else "waiting"
    if state == "sent":
        facts.wrong("C8", decision.number, "a line was decided after the results were sent.")
    elif state == "waiting" or (state == "open" and clock[-1].tells["unsealed"] is None):
        facts.wrong("C8", decision.number, "a line was decided while the sheets were sealed.")
