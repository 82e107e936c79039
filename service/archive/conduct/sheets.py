"""Rules C1 to C5: the sheet that counted was the right one, and what is on record of a sheet stays."""

from __future__ import annotations

import email.utils
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from service.archive.conduct.facts import SLACK, TOGETHER, Fact, Facts, instant
from service.archive.conduct.kept_mails import AttachedPart

FIXED = ("phase", "received", "mail", "version")
TRANSIT = timedelta(minutes=10)
"""By how much the receiving server's own line may differ from its stamp."""
RECEIPTS = ("receipt", "receipt_late", "receipt_posted")
"""Kinds of letters that say that a sheet came."""
CONTAINERS = ("application/ms-tnef", "application/pkcs7-mime", "application/x-pkcs7-mime", "application/zip")
"""Parts of a mail that hold files which a checker cannot see."""


def check_ballot(facts: Facts, judged: Fact, deadline: str) -> None:
    """C1: each power with a sheet that stands in time has the right one executed, and nobody else has."""
    phase, sheets = judged.tells["phase"], facts.last("sheet", judged.number)
    first = facts.of("game") and [game for game in facts.of("game") if game.number < judged.number][-1]
    first_counts = bool(first and first.tells["options"].get("first_counts"))
    standing: dict[str, list[Fact]] = {}
    for sheet in sheets.values():
        tells = sheet.tells
        if tells["phase"] == phase and tells["received"] <= deadline and tells["fate"] != "held":
            standing.setdefault(tells["power"], []).append(sheet)
    for power in sorted(standing.keys() | judged.tells["executed"].keys()):
        right = max(standing.get(power, ()), key=_earliness if first_counts else _rank, default=None)
        executed = judged.tells["executed"].get(power)
        if right is None:
            facts.wrong("C1", judged.number, f"the sheet executed for {power} does not stand in time.")
        elif executed is None:
            facts.wrong("C1", judged.number, f"{power} has a sheet in time, entered as entry "
                                             f"{right.number}, and none was executed.")
        elif executed != right.tells["sheet"]:
            facts.wrong("C1", judged.number, f"the sheet of entry {right.number} should have counted for "
                                             f"{power}, and another was executed.")


def _numbered(tells: Any) -> int:
    return int(tells["version"] if tells["version"] is not None else tells["mail"] is not None)


def _rank(sheet: Fact) -> tuple[Any, ...]:
    tells = sheet.tells
    wanted = _numbered(tells) if tells["asks"] is None else int(tells["asks"])
    return ("chosen" in tells["flags"], wanted, _numbered(tells), tells["received"], tells["sheet"])


def _earliness(sheet: Fact) -> tuple[Any, ...]:
    tells = sheet.tells
    return ("chosen" in tells["flags"], -instant(tells["received"]).timestamp(), -tells["sheet"])


def check_sheets_stay(facts: Facts) -> None:
    """C2: what was entered of a sheet changes only by an act that is entered with it."""
    for before, after in facts.changes("sheet"):
        old, new, key = before.tells, after.tells, after.tells["sheet"]
        for name in FIXED:
            if old[name] != new[name]:
                facts.wrong("C2", after.number, f"the {name} of the sheet of entry {before.number} was "
                                                "changed.")
        if set(old["photographs"]) != set(new["photographs"]):
            facts.wrong("C2", after.number, f"the photographs of the sheet of entry {before.number} were "
                                            "changed.")
        if old["power"] != new["power"] and not facts.act(after, "sheet_filed_anew", submission=key):
            facts.wrong("C2", after.number, "a sheet was given to another power without an act on record.")
        if old["asks"] != new["asks"] and (old["asks"] is not None or not _read_with(facts, after)):
            facts.wrong("C2", after.number, "the version that a sheet asks for was changed.")
        _check_fate(facts, old, after)


def _check_fate(facts: Facts, old: Any, after: Fact) -> None:
    new, key = after.tells, after.tells["sheet"]
    was_chosen, is_chosen = "chosen" in old["flags"], "chosen" in new["flags"]
    if is_chosen and not was_chosen and not facts.act(after, "sheet_chosen", submission=key):
        facts.wrong("C2", after.number, "a sheet was chosen without an act on record.")
    if was_chosen and not is_chosen and not (
        "choice_ended" in new["flags"]
        or facts.act(after, "sheet_chosen", "sheet_choice_taken_back", "sheet_refused", "sheet_filed_anew")
    ):
        facts.wrong("C2", after.number, "the choice of a sheet was ended without an act on record.")
    if old["fate"] == new["fate"]:
        return
    if new["fate"] == "held":
        allowed = bool(
            facts.act(after, "sheet_refused", "sheet_filed_anew", submission=key) or _read_with(facts, after)
            or "reader_failed" in new["flags"] or (was_chosen and "released" in old["flags"]))
    else:
        allowed = bool(facts.act(
            after, "sheet_chosen", "sheet_refusal_taken_back", "sheet_filed_anew", submission=key))
    if not allowed:
        facts.wrong("C2", after.number, f"a sheet of {new['power']} was set to {new['fate']!r} without an "
                                        "act on record.")


def _read_with(facts: Facts, after: Fact) -> bool:
    """Whether the first reading of a sheet was entered with this entry."""
    first = next((fact for fact in facts.of("reading") if fact.key == after.key), None)
    if first is None:
        # Readings of sheets that did not count are closed in a players' archive.
        return facts.closed_reading(after)
    return abs(first.entered - after.entered) <= TOGETHER


def check_arrivals(facts: Facts) -> None:
    """C3: a sheet was received when its mail was stamped; one without a mail was logged as a letter by
    post."""
    for before, after in facts.changes("mail"):
        if before.tells["stamped"] != after.tells["stamped"]:
            facts.wrong("C3", after.number, f"the stamp of the mail of entry {before.number} was changed.")
    first: dict[str, Fact] = {}
    for sheet in facts.of("sheet"):
        first.setdefault(sheet.key, sheet)
    mails = {fact.tells["mail"]: fact for fact in reversed(facts.of("mail"))}
    posted = {fact.tells["sheet"]: fact for fact in facts.of("posted") if fact.tells["sheet"] is not None}
    for sheet in first.values():
        _check_arrival(facts, sheet, mails, posted.get(sheet.tells["sheet"]))


def _check_arrival(facts: Facts, sheet: Fact, mails: Mapping[str, Fact], letter: Fact | None) -> None:
    tells = sheet.tells
    if instant(tells["received"]) > sheet.entered + SLACK:
        facts.wrong("C3", sheet.number, "the sheet was entered before it was received.")
    if tells["mail"] is None:
        if letter is None or letter.tells["came"] != tells["received"][:10]:
            facts.wrong("C3", sheet.number, f"a sheet of {tells['power']} came by no mail, and no letter by "
                                            "post was logged for it.")
        return
    mail = mails.get(tells["mail"])
    if mail is None or mail.number > sheet.number + 3:
        facts.wrong("C3", sheet.number, f"the mail of a sheet of {tells['power']} was not entered before it.")
    elif mail.tells["stamped"] != tells["received"]:
        facts.wrong("C3", sheet.number, "the sheet is on record with another time than the stamp of its "
                                        "mail.")
    elif instant(mail.tells["stored"]) < instant(mail.tells["stamped"]) - SLACK:
        facts.wrong("C3", mail.number, "the mail was stored before it was stamped.")


def check_receipts(facts: Facts, judged: Fact) -> None:
    """C3: of each sheet of a phase its player was told, so that nobody has a sheet that they do not know
    of."""
    phase = judged.tells["phase"]
    first: dict[str, Fact] = {}
    letters: dict[str, Fact] = {}
    for fact in facts.of("sheet"):
        if fact.tells["phase"] == phase and fact.number < judged.number:
            first.setdefault(fact.key, fact)
    for fact in facts.of("letter"):
        if fact.tells["phase"] == phase and fact.tells["kind"] in RECEIPTS:
            letters.setdefault(fact.key, fact)
    for power in sorted({sheet.tells["power"] for sheet in first.values()}):
        power_sheets = [sheet for sheet in first.values() if sheet.tells["power"] == power]
        receipts = [letter for letter in letters.values() if power in letter.tells["to"]]
        if len(receipts) < len(power_sheets):
            facts.wrong("C3", power_sheets[-1].number,
                        f"{len(power_sheets)} sheets of {power} are on record, and its player has "
                        f"{len(receipts)} receipts.")


def check_mails(facts: Facts) -> None:
    """C4 and C5, for the mails of a whole archive: their Received line and their attachments."""
    deadlines = [instant(fact.tells["deadline"]) for fact in facts.of("phase")]
    mails = facts.archive.mails
    checked_mails: set[str] = set()
    for entry in facts.of("mail"):
        if entry.key in mails and entry.key not in checked_mails:
            checked_mails.add(entry.key)
            _check_received(facts, entry, mails[entry.key].received, deadlines)
    first: dict[str, Fact] = {}
    for sheet in facts.of("sheet"):
        first.setdefault(sheet.key, sheet)
    for sheet in first.values():
        if sheet.tells["mail"] in mails:
            _check_attached(facts, sheet, mails[sheet.tells["mail"]].parts)


def _check_received(facts: Facts, entry: Fact, line: str, deadlines: Sequence[datetime]) -> None:
    try:
        when = email.utils.parsedate_to_datetime(line.rpartition(";")[2].strip()).astimezone(UTC)
    except ValueError:
        facts.notes.append(f"Entry {entry.number}: the mail has no Received line, so its time is the stamp's "
                           "alone.")
        return
    stamp = instant(entry.tells["stamped"])
    is_across = any(when <= deadline < stamp for deadline in deadlines)
    if when - stamp > TRANSIT or (is_across and stamp - when > TRANSIT):
        facts.wrong("C4", entry.number, f"the mail server wrote {when:%Y-%m-%dT%H:%M:%SZ} into the mail, and "
                                        f"the record says {entry.tells['stamped']}.")


def _check_attached(facts: Facts, sheet: Fact, parts: Sequence[AttachedPart]) -> None:
    digests = {part.digest for part in parts}
    if "typed" in sheet.tells["flags"]:
        game = [each for each in facts.of("game") if each.number < sheet.number]
        if game and not game[-1].tells["options"].get("typed_orders"):
            facts.wrong("C5", sheet.number, "it is called typed, and this game takes no typed orders.")
    if any(part.content_type in CONTAINERS for part in parts) or "typed" in sheet.tells["flags"]:
        return
    for key in sheet.tells["photographs"]:
        if key not in digests:
            facts.wrong("C5", sheet.number, f"its photograph {key[:12]} is no attachment of its mail.")
    for part in parts:
        if (
            part.content_type.startswith("image/") and part.disposition == "attachment"
            and part.digest not in sheet.tells["photographs"]
        ):
            # Intake leaves out what is too small or does not open.
            facts.notes.append(f"Entry {sheet.number}: a picture attached to its mail is not among its "
                               "photographs.")
