"""Letters of several players together: two that tell different things of one place in the record are two
truths (rule C22), and the four words of a root are its own."""

from __future__ import annotations

import re

from service.archive.archive_file import Archive, VerifyReport
from service.facts.events import Event
from service.letters.language import wordings
from service.store.root_words import root_words

_IN_WORDS = "In four words: %(words)s."
SHOWN = 12
"""Digits of a digest that a sentence has."""

Places = dict[tuple[str, int], dict[str, list[str]]]
"""What letters tell: by kind ("root" or "sheet") and number of the entry, each digest with its letters."""


def note_place(places: Places, kind: str, number: int, digest: str, name: str) -> None:
    """Keep what a letter tells of a place in the record."""
    places.setdefault((kind, number), {}).setdefault(digest, []).append(name)


def check_places(archive: Archive, places: Places, report: VerifyReport) -> None:
    """C22: no place has two digests, unless a restore on record lost one of them."""
    restores = [
        entry.number for entry in archive.entries
        if entry.kind == "event" and entry.body is not None and entry.facts["event"] == Event.RESTORED]
    for (kind, number), digests in sorted(places.items()):
        if len(digests) < 2:
            continue
        digest_list = "; ".join(f"{digest[:SHOWN]} in {', '.join(dict.fromkeys(names))}"
                                for digest, names in sorted(digests.items()))
        subject = "the record up to it has" if kind == "root" else "its digest is"
        lost = next((restore for restore in restores if restore <= number), None)
        if lost is None:
            report.faults.append(f"Entry {number}: two truths: {subject} {digest_list}. (rule C22)")
        else:
            report.notes.append(f"Entry {number} was made twice, before and after the restore of entry "
                                f"{lost}: {subject} {digest_list}.")


def check_words(name: str, number: int, digest: str, behind: str, report: VerifyReport) -> None:
    """C22: the words that stand behind a root in a letter are those of that root."""
    for message in wordings(_IN_WORDS):
        before, _, after = message.partition("%(words)s")
        match = re.match(rf"\s*{re.escape(before)}((?:[a-z]+ ){{3}}[a-z]+){re.escape(after)}", behind)
        if match is not None and match[1] != root_words(digest):
            report.faults.append(f"Entry {number}: the four words in {name} are not those of the root beside "
                                 "them. (rule C22)")

