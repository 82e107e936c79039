"""The sheets of a game's whole archive read again by the reader of today, next to what its record states
about each line: how it was read then, and what it finally counted as.

Only the archive is opened, and only to be read: no site, no row and no result can change, whatever the reader
states now. A line that a person decided is the measure; where no one did, what counted is what the machine
itself was sure of, so that a change there is a line to look at and no proof of an error.
"""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TextIO

from adjudicator.calendar import PhaseKind
from adjudicator.errors import UserFacingError
from maps.variant import Variant
from ocr.engines.hand import Hand
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.vocabulary import known_game, vocabulary_of
from service.archive.archive_file import check_outside
from service.archive.checker import CheckedRecord, VerifyReport, checking, last_before
from service.games.options import recorded_options
from service.games.rulings import as_written
from service.intake.sheets.recognizer import HandRecognizer, Recognizer

NEAR = 0.3
"""The least overlap of two boxes, as a share of both together, at which they are the same line of ink."""
ORDERS = frozenset({"order", "part"})
Points = Sequence[Sequence[float]]


class ReadWith(StrEnum):
    """Whose hand sheets are read again with: THEN, the one that the record states each was read with; NOW,
    what has been learnt of its player by now; NONE, the common reader alone."""

    THEN = "then"
    NOW = "now"
    NONE = "none"


class RereadFault(UserFacingError):
    """The sheets cannot be read from this archive; the sentence shows why, with the entry's number where
    there is one."""


class Change(StrEnum):
    """A line's new reading, against what it counted as."""

    ALIKE = "as before"
    BETTER = "right now"
    SPARED = "right as before, and sure now"
    DOUBTED = "right as before, and doubtful now"
    WORSE = "wrong now, and doubtful"
    WORSE_UNSEEN = "wrong now, and sure"
    GONE = "not found now"
    NEW = "found now, and not before"


@dataclass(frozen=True, slots=True)
class LineReading:
    """One reading of a line: its letters, its likeliest order (canonical, or None) and whether the machine
    was sure of it."""

    text: str
    order: str | None
    sure: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """One line of ink. `line` is its number in the record, None for one that is found only now; `counted`
    what it finally counted as, None for nothing; `decided` that a person said so; `box` its corners in pixels
    of the upright picture."""

    phase: int
    power: str
    sheet: int
    line: int | None
    box: tuple[tuple[int, int], ...]
    counted: str | None
    decided: bool
    was: LineReading | None
    now: LineReading | None

    @property
    def change(self) -> Change:
        """Its fate."""
        if self.was is None or self.now is None:
            return Change.NEW if self.was is None else Change.GONE
        right, before = self.now.order == self.counted, self.was.order == self.counted
        if right and not before:
            return Change.BETTER
        if before and not right:
            return Change.WORSE_UNSEEN if self.now.sure else Change.WORSE
        if right and self.now.sure != self.was.sure:
            return Change.SPARED if self.now.sure else Change.DOUBTED
        return Change.ALIKE


def run_reread(
    path: Path,
    recognizer: Recognizer,
    load: Callable[[str], Variant],
    phase: int | None,
    out: TextIO,
    progress: TextIO,
    *,
    as_json: bool,
    read_with: ReadWith = ReadWith.THEN,
) -> int:
    """Print what changes, and a summary; with `as_json` a JSON line for every line of ink, the summary last.
    Returns 0. Raises RereadFault and maps.MapError."""
    counts: Counter[Change] = Counter()
    archive = check_archive(path)
    for comparison in reread(archive, recognizer, load, phase, progress, read_with):
        counts[comparison.change] += 1
        if as_json:
            print(json.dumps(_as_json(comparison), ensure_ascii=False), file=out, flush=True)
        elif comparison.change is not Change.ALIKE:
            print(_as_sentence(comparison), file=out, flush=True)
    summary = {change.value: counts[change] for change in Change}
    if as_json:
        print(
            json.dumps(
                {"lines": counts.total(), "changes": summary, "root": archive.manifest["root"]},
                ensure_ascii=False,
            ),
            file=out,
        )
    else:
        print(
            (f"{counts.total()} lines of orders: ")
            + ", ".join(f"{count} {change}" for change, count in summary.items() if count)
            + ".",
            file=out,
        )
        print("Nothing was changed: the results stay as sent.", file=out)
    # A reader that reads otherwise is not a failure.
    return 0


def check_archive(path: Path) -> CheckedRecord:
    """A whole archive whose chain, files and sheets fit. Raises RereadFault."""
    report = VerifyReport()
    record: CheckedRecord | None = None
    with checking(report) as checker:
        check_outside(path)
        record = checker.read_record(path)
    if record is None:
        raise RereadFault(f"{report.faults[0]} Nothing was read.")
    if not record.whole:
        raise RereadFault("A players' archive has no photographs to read again. Ask the coordinator for the "
                          "whole archive.")
    return record


def reread(
    archive: CheckedRecord, recognizer: Recognizer, load: Callable[[str], Variant], phase: int | None,
    progress: TextIO, read_with: ReadWith = ReadWith.THEN
) -> Iterator[Comparison]:
    """Every line of orders on the sheets that counted, of one phase or of all."""
    variant = load(str(archive.manifest["variant"]))
    hands = ArchivedHands.of(archive)
    photographs = {name.partition("/")[2].partition(".")[0]: name
                   for name in archive.files.namelist() if name.startswith("photographs/")}
    for number, tells in archive.judged.values():
        if phase is not None and tells["phase"] != phase:
            continue
        clock = last_before(archive, "phase", number, phase=tells["phase"]) or {}
        # A game may take order words of other languages: without them its sheets would all read as worse.
        options = (last_before(archive, "game", number) or {}).get("options") or {}
        written = as_written(variant, recorded_options(options))
        reader = PageReader(vocabulary_of(written, PhaseKind(clock["kind"])))
        for power, key in tells["executed"].items():
            print(f"reading phase {tells['phase']}: {power}", file=progress)
            old = _recorded_pages(archive, number, key)
            reader_of_sheet = _recognizer_of(archive, number, key, hands, recognizer, read_with, progress)
            # One photograph may hold several pages and is read once.
            for photograph in dict.fromkeys(name for name, _ in old):
                data = archive.files.read(photographs[photograph])
                fresh = _read_now(data, reader_of_sheet, reader, written, str(archive.manifest["name"]))
                for was, now in _pair_lines([lines for name, lines in old if name == photograph], fresh):
                    yield _compare(tells["phase"], power, key, was, now)


@dataclass(frozen=True, slots=True)
class ArchivedHands:
    """The hands of an archive's players: by digest, and the newest of each sheet's player by the sheet's
    number. Forgotten ones are missing."""

    by_digest: Mapping[str, Hand]
    newest: Mapping[int, Hand]

    @staticmethod
    def of(archive: CheckedRecord) -> ArchivedHands:
        """From the rows that a whole archive carries."""
        records = [json.loads(line) for line in archive.files.read("tables.jsonl").splitlines()]
        rows = [record["row"] for record in records if record["table"] == "hands"]
        hands = {row["id"]: Hand(base64.b64decode(row["layer"]), row["base"])
                 for row in sorted(rows, key=lambda row: row["version"]) if row["layer"] is not None}
        of_player = {row["player_id"]: hands[row["id"]] for row in rows if row["id"] in hands}
        sheets = [record["row"] for record in records if record["table"] == "submissions"]
        return ArchivedHands(
            {hand.digest: hand for hand in hands.values()},
            {row["id"]: of_player[row["player_id"]] for row in sheets if row["player_id"] in of_player},
        )


def _recognizer_of(
    archive: CheckedRecord, number: int, key: int, hands: ArchivedHands, recognizer: Recognizer,
    read_with: ReadWith, progress: TextIO
) -> Recognizer:
    """Who reads a sheet again."""
    if read_with is ReadWith.NONE or not isinstance(recognizer, HandRecognizer):
        return recognizer
    if read_with is ReadWith.NOW:
        hand = hands.newest.get(key)
        return recognizer if hand is None else recognizer.with_hand(hand)
    digest = (last_before(archive, "reading", number, sheet=key) or {}).get("hand")
    if digest is None:
        return recognizer
    if digest not in hands.by_digest:
        print(f"sheet {key} was read with a hand that has been forgotten since; it is read without",
              file=progress)
        return recognizer
    return recognizer.with_hand(hands.by_digest[digest])


@dataclass(frozen=True, slots=True)
class _RecordedLine:
    """A line as the record has it."""

    line: int
    box: Points
    read: LineReading
    counted: str | None
    decided: bool


def _recorded_pages(archive: CheckedRecord, number: int, key: int) -> list[tuple[str, list[_RecordedLine]]]:
    """The pages of a sheet that were read, each as its photograph and its lines of orders."""
    reading = last_before(archive, "reading", number, sheet=key) or {"pages": []}
    decisions: dict[int, dict[str, Any]] = {}
    for entry_number, decision in archive.facts["decision"]:
        if entry_number < number and decision["sheet"] == key:
            decisions[decision["decision"]] = decision
    standing = {
        decision["line"]: decision for decision in decisions.values() if decision["taken_back"] is None
    }
    return [
        (
            page["photograph"],
            [
                _recorded_line(line, standing.get(line["line"]))
                for line in page["lines"]
                if line["kind"] in ORDERS
            ],
        )
        for page in reading["pages"]
        if page["upright"] is not None
    ]


def _recorded_line(line: dict[str, Any], decision: dict[str, Any] | None) -> _RecordedLine:
    sure = line["state"] != "open"
    best = line["order"] or next((order for _, order in line["candidates"]), None)
    # A doubtful line that no one decided counted as nothing.
    counted = decision["order"] if decision is not None else line["order"] if sure else None
    return _RecordedLine(
        line["line"], line["box"], LineReading(line["text"] or "", best, sure), counted, decision is not None
    )


def _read_now(
    data: bytes, recognizer: Recognizer, reader: PageReader, variant: Variant, game: str
) -> list[list[InterpretedLine]]:
    """The pages of a file as the reader of today sees them, lines of orders alone."""
    known = [known_game(variant, game)]
    return [[line for line in reader.read_page(page, known).lines if line.kind in ORDERS]
            for recognized in recognizer.recognize(data, "photograph") for page in recognized.reading.pages]


def _pair_lines(
    old: Sequence[Sequence[_RecordedLine]], fresh: Sequence[Sequence[InterpretedLine]]
) -> Iterator[tuple[_RecordedLine | None, InterpretedLine | None]]:
    """Lines of the same ink, page by page: those that overlap most first, each once; what is left alone."""
    for index in range(max(len(old), len(fresh))):
        was, now = (
            list(old[index] if index < len(old) else ()),
            list(fresh[index] if index < len(fresh) else ()),
        )
        # In crowded rows a box overlaps its neighbours too: the best pair first, or they would take its
        # partner.
        ranked = sorted(
            ((_overlap(old_line.box, other.box), old_line, other) for old_line in was for other in now),
            key=lambda pair: -pair[0],
        )
        for share, old_line, other in ranked:
            if share >= NEAR and any(old_line is left for left in was) and any(other is left for left in now):
                was = [left for left in was if left is not old_line]
                now = [left for left in now if left is not other]
                yield old_line, other
        yield from ((old_line, None) for old_line in was)
        yield from ((None, other) for other in now)


def _overlap(first: Points, second: Points) -> float:
    """The share of two boxes in the ground that they cover together, each taken as the upright rectangle
    around it."""
    (left, top, right, bottom), (left2, top2, right2, bottom2) = _bounds(first), _bounds(second)
    wide, high = min(right, right2) - max(left, left2), min(bottom, bottom2) - max(top, top2)
    shared = max(0.0, wide) * max(0.0, high)
    union = (right - left) * (bottom - top) + (right2 - left2) * (bottom2 - top2) - shared
    return shared / union if union else 0.0


def _bounds(box: Points) -> tuple[float, float, float, float]:
    xs, ys = [float(x) for x, _ in box], [float(y) for _, y in box]
    return min(xs), min(ys), max(xs), max(ys)


def _compare(
    phase: int, power: str, sheet: int, was: _RecordedLine | None, now: InterpretedLine | None
) -> Comparison:
    box = was.box if was is not None else now.box if now is not None else ()
    best = (
        None
        if now is None
        else now.order
        or next((str(candidate["order"]) for candidate in now.candidates if candidate["order"]), None)
    )
    return Comparison(
        phase, power, sheet, None if was is None else was.line, tuple((round(x), round(y)) for x, y in box),
        None if was is None else was.counted, was is not None and was.decided,
        None if was is None else was.read,
        None if now is None else LineReading(now.text, best, now.status.value != "open"))


def _as_json(comparison: Comparison) -> dict[str, Any]:
    def read_as(line: LineReading | None) -> dict[str, Any] | None:
        return None if line is None else {"text": line.text, "order": line.order, "sure": line.sure}

    return {
        "phase": comparison.phase,
        "power": comparison.power,
        "sheet": comparison.sheet,
        "line": comparison.line,
        "box": [list(point) for point in comparison.box],
        "counted": comparison.counted,
        "decided": comparison.decided,
        "was": read_as(comparison.was),
        "now": read_as(comparison.now),
        "change": comparison.change.value,
    }


def _as_sentence(comparison: Comparison) -> str:
    was = "nothing" if comparison.was is None else f"“{comparison.was.text}”"
    now = "nothing" if comparison.now is None else f"“{comparison.now.text}”"
    which = "a separate line" if comparison.line is None else f"line {comparison.line}"
    by = "a person said" if comparison.decided else "it counted as"
    return (f"Phase {comparison.phase}, {comparison.power}, {which}: {comparison.change.value}. Read as "
            f"{was} then, {now} now; "
            f"{by} {comparison.counted or 'nothing'}.")
