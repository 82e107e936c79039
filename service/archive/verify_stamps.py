"""What `galloper verify` checks of time stamps (docs/record.md, rule C24)."""

from __future__ import annotations

import base64
from typing import Any

from service.archive.archive_file import Archive, VerifyReport
from service.archive.conduct.facts import SLACK, instant
from service.facts.events import Event
from service.record import time_stamps
from service.record.time_stamps import FalseStamp, NoStampLibrary, TimeStamp


def check_stamps(archive: Archive, report: VerifyReport, authorities: str = "") -> None:
    """Each stamp is of the root that it names, and was made when the record says. `authorities`: certificates
    as PEM that must vouch for each; without them no signature is looked at, and the note says so."""
    entries = {entry.number: entry for entry in archive.entries}
    stamps: list[tuple[int, TimeStamp]] = []
    phases: set[int] = set()
    for number, tells in archive.open_entries("event"):
        if tells["event"] != Event.ROOT_STAMPED:
            continue
        phases.add(tells["detail"]["phase"])
        try:
            stamps.append(_checked(archive, number, tells["detail"], authorities))
        except NoStampLibrary as fault:
            report.notes.append(str(fault))
            return
        except (FalseStamp, ValueError) as fault:
            report.faults.append(f"Entry {number}: its time stamp does not hold: {fault}. (rule C24)")
            continue
        body, stamp = entries[number].body or {}, stamps[-1][1]
        if abs(instant(body["entered"]) - stamp.instant) > SLACK:
            report.faults.append(f"Entry {number}: the authority stamped at {_in_words(stamp)}, and the "
                                 f"record says {body['entered']}. (rule C24)")
    report.notes += _notes(archive, stamps, phases, is_signed=bool(authorities))


def _checked(
    archive: Archive, number: int, detail: dict[str, Any], authorities: str
) -> tuple[int, TimeStamp]:
    """The entry that a stamp covers, and the stamp."""
    covered, reply = int(detail["entry"]), base64.b64decode(detail["reply"], validate=True)
    if not 0 < covered < number or archive.entries[covered - 1].link != detail["root"]:
        raise FalseStamp(f"entry {covered} has another root")
    stamp = time_stamps.stamp_of(reply, detail["root"])
    body = archive.entries[covered - 1].body
    if body is not None and instant(body["entered"]) > stamp.instant + SLACK:
        raise FalseStamp(f"entry {covered} says that it was entered later")
    if authorities and not time_stamps.is_signed(reply, detail["root"], authorities):
        raise FalseStamp("no certificate of yours vouches for it")
    return covered, stamp


def _notes(
    archive: Archive, stamps: list[tuple[int, TimeStamp]], phases: set[int], *, is_signed: bool
) -> list[str]:
    if not stamps:
        return []
    covered, stamp = max(stamps, key=lambda pair: pair[0])
    signature = ("Their signatures hold." if is_signed else
                 "Whether they are signed is checked with --authority FILE, the authority's certificate.")
    name = stamp.authority or "without a name"
    notes = [(f"An authority outside ({name}) saw the root of entry {covered} at {_in_words(stamp)}: nothing "
              f"up to there was written later. Stamps: {len(stamps)}. {signature}")]
    sent = {tells["phase"] for _, tells in archive.open_entries("phase") if tells["state"] == "sent"}
    bare = sorted(phase for phase in sent if min(phases) < phase < max(phases) and phase not in phases)
    if bare:
        phrase = ", ".join(map(str, bare))
        notes.append(f"The results of phase {phrase} have no time stamp, though others have.")
    return notes


def _in_words(stamp: TimeStamp) -> str:
    return f"{stamp.instant:%Y-%m-%d %H:%M:%S} GMT"
