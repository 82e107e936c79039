"""Rules C15, C16 and C18: what letters must tell, and what a players' archive may keep closed."""

from __future__ import annotations

from collections import Counter

from service.archive.archive_file import Archive
from service.archive.conduct.facts import Facts
from service.archive.verify_files import forgotten_entries
from service.record.notable import Entered, notable

RESULTS = ("draft_results", "final_results", "adjustment", "year_end_results")
MAY_BE_CLOSED = {
    "seat": "names of players who are forgotten",
    "aside": "words beside the orders, which may hold a home address",
    "reading": "readings of sheets that did not count, or that the rules of this game still hide",
    "decision": "decisions on such sheets",
    "judged": "judgings that the rules of this game still hide",
    "phase": "boards that the rules of this game still hide",
    "event": "judgings that the rules of this game still hide, in the log",
    "letter": "letters of no phase",
    "mail": "mails that came after the last results",
    "person": "people at the desk",
}
"""Kinds of entries that a players' archive may keep closed, and why."""


SHREDDED = ("aside", "seat")
"""Kinds of entries whose words may be deleted."""


def expected(archive: Archive, judged: int) -> set[int] | None:
    """The entries that the results of a judging must tell of; None if it is none that stands."""
    entries = [Entered(entry.number, entry.kind, str(entry.body["fact"]), entry.facts)
               for entry in archive.entries if entry.body is not None and entry.number <= judged]
    own = next((entry for entry in entries if entry.number == judged and entry.kind == "judged"), None)
    if own is None or "taken_back" in own.tells:
        return None
    return {entry.number for entry in notable(entries, judged, own.tells["phase"])}


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
    for event in facts.of("event"):
        if event.tells["event"] == "restored":
            facts.notes.append(f"Entry {event.number}: the site was restored from a backup that had "
                               f"{event.tells['detail'].get('entries')} entries. What came after it was "
                               "lost.")


def check_forgotten(facts: Facts) -> None:
    """C20: a player is forgotten when the game is over; what is gone then are words beside the orders, the
    name in a seat's entry, and files."""
    heads = {entry.number: entry.head for entry in facts.archive.entries if entry.body is None}
    for event in facts.of("event"):
        if event.tells["event"] != "forgotten":
            continue
        if any(phase.tells["state"] != "sent" for phase in facts.last("phase", event.number).values()):
            facts.wrong("C20", event.number, "a player was forgotten while the game was played.")
        detail = event.tells["detail"]
        for number in detail["entries"]:
            head = heads.get(number)
            if head is not None and head.partition(" ")[0] not in SHREDDED:
                facts.wrong("C20", number, f"it is closed as forgotten, and is a {head.partition(' ')[0]}.")
        facts.notes.append(f"Entry {event.number}: {detail['player']} is forgotten; {len(detail['files'])} "
                           f"files and the words of {len(detail['entries'])} entries were deleted.")


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
        if entry.body is not None:
            continue
        if entry.head is None:
            if entry.number <= last:
                facts.wrong("C16", entry.number, "it is closed and does not say of what kind it is.")
            continue
        kind, _, phase = entry.head.partition(" ")
        if kind == "seat" and entry.number not in forgotten:
            facts.wrong("C16", entry.number, "it is a seat, and is closed.")
            continue
        is_over = phase == "-" or int(phase) in sent
        if kind not in MAY_BE_CLOSED and is_over:
            facts.wrong("C16", entry.number, f"it is a {kind} of phase {phase}, whose results were sent, "
                                             "and is closed.")
        elif kind == "mail" and entry.number <= last:
            facts.wrong("C16", entry.number, "it is a mail from before the last results, and is closed.")
        else:
            counts[kind if is_over else "of phases that are not over"] += 1
    for kind, number in sorted(counts.items()):
        facts.notes.append(f"Closed: {number} {kind}, {MAY_BE_CLOSED.get(kind, 'not yet for all')}.")
