"""Rules C15, C16 and C18: what letters must tell, and what a players' archive may keep closed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import maps
from adjudicator.ruleset import Ruleset
from maps import MapError
from service.archive.archive_file import Archive
from service.archive.conduct.facts import NEAR, Fact, Facts
from service.archive.verify_files import forgotten_entries
from service.facts.events import Event
from service.record.notable import Entered, notable

RESULTS = ("draft_results", "final_results", "adjustment", "year_end_results")
MAY_BE_CLOSED = {
    "aside": "words beside the orders, which may hold a home address",
    "reading": "readings of sheets that did not count, or that the rules of this game still hide",
    "decision": "decisions on such sheets",
    "judged": "judgings that the rules of this game still hide",
    "phase": "boards that the rules of this game still hide",
    "event": "judgings that the rules of this game still hide, in the log",
    "letter": "letters of no phase",
    "mail": "mails that came after the last results",
}
"""Kinds of entries that a players' archive may keep closed, and why."""


NEAR_JUDGING = 4
"""How many entries lie between a judging and the event about it, at most."""
SHREDDED = ("aside", "seat")
"""Kinds of entries whose words may be deleted."""


def expected(archive: Archive, judged: int) -> set[int] | None:
    """The entries that the results of a judging must tell of; None if it is none that stands."""
    entries = [Entered(entry.number, entry.kind, str(entry.body["fact"]), entry.facts)
               for entry in archive.entries if entry.body is not None and entry.number <= judged]
    judging = next((entry for entry in entries if entry.number == judged and entry.kind == "judged"), None)
    if judging is None or "taken_back" in judging.tells:
        return None
    return {entry.number for entry in notable(entries, judged, judging.tells["phase"])}


def check_letters(facts: Facts) -> None:
    """C15 in part, and C18: results that were sent are in letters, and restores are named."""
    last = {fact.tells["phase"]: fact for fact in facts.of("judged")}
    sent = {fact.tells["phase"] for fact in facts.of("phase") if fact.tells["state"] == "sent"}
    for phase, judged in sorted(last.items()):
        if phase in sent and "taken_back" not in judged.tells and not any(
            letter.tells["kind"] in RESULTS and letter.tells["phase"] == phase
                for letter in facts.of("letter")
        ):
            facts.wrong("C15", judged.number, f"no letter has the results of phase {phase}.")
        elif phase in sent and "taken_back" not in judged.tells:
            _check_results_reached_everybody(facts, judged)
    if facts.archive.is_whole:
        _check_corrections_were_announced(facts)
    for event in facts.of("event"):
        if event.tells["event"] == Event.RESTORED:
            last_link = facts.archive.entries[event.number - 2].link if event.number > 1 else ""
            detail = event.tells["detail"]
            if (detail.get("entries"), detail.get("root")) != (event.number - 1, last_link):
                facts.wrong("C18", event.number, "a restore names another end of the record than the entry "
                                                 "before it.")
            facts.notes.append(f"Entry {event.number}: the site was restored from a backup that had "
                               f"{event.tells['detail'].get('entries')} entries. What came after it was "
                               "lost.")


def _check_results_reached_everybody(facts: Facts, judged: Fact) -> None:
    """Each power whose player had a letter of this phase or of the one before gets its results."""
    letters = facts.of("letter")
    phase = judged.tells["phase"]
    results = [letter for letter in letters
               if letter.tells["kind"] in RESULTS and letter.tells["phase"] == phase]
    sent_at = min((letter.number for letter in results), default=0)
    seats = {seat.tells["power"]: seat for seat in facts.of("seat") if seat.number < sent_at}
    ended = facts.last("letter", len(facts.archive.entries) + 1)
    reached = {power for letter in results for power in letter.tells["to"]
               if ended[letter.key].tells["became"] != "cancelled" or _left(facts, letter.number, power)}
    for power, seat in sorted(seats.items()):
        wrote = any(power in letter.tells["to"] and seat.number < letter.number < sent_at
                    and letter.tells["phase"] == phase for letter in letters)
        if wrote and seat.tells["player"] is not None and power not in reached:
            facts.wrong("C15", judged.number, f"no letter has the results of phase {phase} for {power}.")


def _left(facts: Facts, number: int, power: str) -> bool:
    """Whether a power changed hands after an entry: then its letter was rightly cancelled. A players' archive
    has the log up to the last results."""
    seats = [seat for seat in facts.of("seat") if seat.tells["power"] == power and seat.number > number]
    return bool(seats) or facts.knows_no_acts_after(number) or any(
        event.number > number and event.tells["event"] in {
            "address_removed", "letter_not_sent", "letter_readdressed", "forgotten"}
        for event in facts.of("event"))


def _check_corrections_were_announced(facts: Facts) -> None:
    for correction in facts.of("correction"):
        if not any(letter.tells["kind"] == "correction" and abs(letter.number - correction.number) <= NEAR
                   for letter in facts.of("letter")):
            facts.wrong("C15", correction.number, "no letter tells the players of a correction.")


def check_forgotten(facts: Facts) -> None:
    """C20: a player is forgotten when the game is over; what is gone then are words beside the orders, the
    name in a seat's entry, and files."""
    heads = {entry.number: entry.head for entry in facts.archive.entries if entry.body is None}
    hides = _hides_something(facts)
    for event in facts.of("event"):
        if event.tells["event"] != "forgotten":
            continue
        if any(phase.tells["state"] != "sent" and not (hides and _may_be_over(heads, phase, event.number))
               for phase in facts.last("phase", event.number).values()):
            facts.wrong("C20", event.number, "a player was forgotten while the game was played.")
        detail = event.tells["detail"]
        for number in detail["entries"]:
            head = heads.get(number)
            if head is not None and head.partition(" ")[0] not in SHREDDED:
                facts.wrong("C20", number, f"it is closed as forgotten, and is a {head.partition(' ')[0]}.")
        facts.notes.append(f"Entry {event.number}: {detail['player']} is forgotten; {len(detail['files'])} "
                           f"files and the words of {len(detail['entries'])} entries were deleted.")


def _may_be_over(heads: Mapping[int, str | None], phase: Fact, until: int) -> bool:
    """Whether a closed entry before this one may say that a phase is over (1066 closes phases, too)."""
    return any(phase.number < number < until and head in {None, f"phase {phase.tells['phase']}"}
               for number, head in heads.items())


def _hides_something(facts: Facts) -> bool:
    """Whether the rules of the game hide something from players, also once it was judged."""
    try:
        rules = maps.load(str(facts.archive.manifest["variant"])).rules
    except MapError:
        return True
    return type(rules).visible_position is not Ruleset.visible_position


def _no_secret(facts: Facts, number: int, kind: str, phase: str) -> str:
    """Why the rules of the game do not close an entry; "" if they may."""
    if kind == "letter":
        return "" if phase == "-" else "its phase is over"
    if kind not in {"phase", "judged", "event"}:
        return ""
    if not _hides_something(facts):
        return "this game hides nothing"
    heads = {entry.number: str(entry.head).partition(" ") for entry in facts.archive.entries
             if entry.body is None}
    if kind == "event":
        # What is closed there is that a phase was judged, which is entered with its judging.
        numbers = {each.number for each in facts.of("judged")} | {
            other for other, head in heads.items() if head[0] == "judged"}
        return "" if any(abs(number - other) <= NEAR_JUDGING for other in numbers) else (
            "it is about no judging")
    if kind == "phase" and any(str(each.tells["phase"]) == phase for each in facts.of("judged")):
        return "what was judged in it is open"
    return ""


def check_closed(facts: Facts) -> None:
    """C16: up to the last results everything is open but what a rule lists, and that is counted."""
    if facts.archive.is_whole:
        return
    sent = {fact.tells["phase"] for fact in facts.of("phase") if fact.tells["state"] == "sent"}
    last = max((fact.number for fact in facts.of("judged")
                if fact.tells["phase"] in sent and "taken_back" not in fact.tells), default=0)
    counts: Counter[str] = Counter()
    forgotten = forgotten_entries(facts.archive)
    for entry in facts.archive.entries:
        if entry.body is not None or entry.number in forgotten:
            continue
        if entry.head is None:
            if entry.number <= last:
                facts.wrong("C16", entry.number, "it is closed and does not say of what kind it is.")
            continue
        kind, _, phase = entry.head.partition(" ")
        is_over = phase == "-" or int(phase) in sent
        if reason := _may_not_be_closed(facts, entry.number, kind, phase, is_over=is_over, last=last):
            facts.wrong("C16", entry.number, reason)
        else:
            counts[kind if is_over else "of phases that are not over"] += 1
    for kind, number in sorted(counts.items()):
        facts.notes.append(f"Closed: {number} {kind}, {MAY_BE_CLOSED.get(kind, 'not yet for all')}.")


def _may_not_be_closed(
    facts: Facts, number: int, kind: str, phase: str, *, is_over: bool, last: int
) -> str:
    """What is wrong with a closed entry; "" if it may be closed."""
    if kind not in MAY_BE_CLOSED and is_over:
        return f"it is a {kind} of phase {phase}, whose results were sent, and is closed."
    if kind == "mail" and number <= last:
        return "it is a mail from before the last results, and is closed."
    if is_over and number <= last and (reason := _no_secret(facts, number, kind, phase)):
        return f"it is a {kind}, and is closed, though {reason}."
    return ""
