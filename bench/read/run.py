"""`galloper bench read`: the reader on photographs whose truth is known, as JSON lines.

Each line has `what`, `value`, `unit`, `sheets` ("all", a manner that the truth names: "tidy", "hasty", where
the hands are from: "font", "ink", or one of these by manner or by the writers' style: "ink, cursive") and,
for a share, `of`: the number of lines it is taken over; next to a peer also `peer`, `peer_value` and `ratio`
(ours over the peer's); on request `without_tesseract`, the same figure read without Tesseract.
Each reader reads in one fresh process, its models loaded beforehand; seconds are medians over photographs.
Processor time is next to that of RapidOCR as it comes and of RapidOCR with one thread: as it comes, its
threads wait for work in a loop, and the more so the busier the machine.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from bench.figure import print_line
from bench.read import peers as read_peers
from training.evaluation.score import Score, matches
from training.evaluation.truth import NoTruth, Truth, groups, load_truth

Answers = Mapping[str, Mapping[str, Any]]
"""By file name: the object of `galloper read --json` with `cpu` and `wall`."""
# Libraries that start a thread for each core unless they are informed: OpenMP, OpenBLAS, MKL, Tesseract.
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_THREAD_LIMIT")
_BAR = 30
Say = Callable[..., None]
Interpret = Callable[[Mapping[str, Any], str], dict[str, Any]]


class ChildFailed(Exception):
    """The reading process ended before it had read everything; its own message is on standard error."""


@dataclass(frozen=True, slots=True)
class FolderReading:
    """One reader's answers for a folder. `peak_mib`: the most memory that its process held."""

    answers: Answers
    peak_mib: float


@dataclass(frozen=True, slots=True)
class ReadingFigure:
    """One figure of one reader on one group of sheets. `of`: how many lines or sheets it is taken over."""

    name: str
    value: float | None
    unit: str
    sheets: str
    of: int | None = None


def run(
    folder: Path, *, peers: bool, save: Path | None, out: TextIO, progress: TextIO,
    without_tesseract: bool = False
) -> int:
    """Measure and print, on request next to the same reader without Tesseract. Returns 0, or 1 with a
    sentence on `progress` if there is no truth or a reader fails."""
    def say(**line: Any) -> None:
        print_line(out, **line)

    try:
        truth = load_truth(folder)
        ours = read_folder("galloper", truth, progress)
        if save is not None:
            texts = [json.dumps(answer, ensure_ascii=False) + "\n" for answer in ours.answers.values()]
            save.write_text("".join(texts), encoding="utf-8")
        our_figures = list(figures(truth, ours))
        beside: dict[tuple[str, str], dict[str, float | None]] = {}
        if without_tesseract:
            alone = read_folder(read_peers.WITHOUT_TESSERACT, truth, progress)
            beside = {(other.name, other.sheets): {"without_tesseract": other.value}
                      for other in figures(truth, alone)}
        for figure in our_figures:
            say(what=figure.name, value=figure.value, unit=figure.unit, sheets=figure.sheets, of=figure.of,
                **beside.get((figure.name, figure.sheets), {}))
        if peers:
            _compare_peers(truth, our_figures, say, progress)
    except (NoTruth, ChildFailed, OSError) as error:
        print(f"{error}.", file=progress)
        return 1
    return 0


def read_folder(reader: str, truth: Truth, progress: TextIO) -> FolderReading:
    """Let a reader (see `bench.read.child`) read a folder in a fresh process. Raises ChildFailed or
    NoTruth."""
    photos = [truth.folder / sheet.file for sheet in truth.sheets]
    missing = [photo for photo in photos if not photo.is_file()]
    if missing:
        raise NoTruth(f"{missing[0]} is in truth.json and not in the folder")
    command = [sys.executable, "-m", "bench.read.child", reader, truth.variant]
    answers: dict[str, Mapping[str, Any]] = {}
    peak = 0.0
    with subprocess.Popen(  # noqa: S603 our own module
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
        env={**os.environ, **dict.fromkeys(_ONE_THREAD, "1")},
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        # A child that failed at its start has closed the pipe; its exit status, below, states it.
        with suppress(BrokenPipeError):
            child.stdin.write("".join(f"{photo.absolute()}\n" for photo in photos))
            child.stdin.close()
        for line in child.stdout:
            # Libraries print lines of their own to the same pipe.
            if not line.startswith("{"):
                continue
            answer = json.loads(line)
            if "peak_mib" in answer:
                peak = float(answer["peak_mib"])
                continue
            answers[answer["file"]] = answer
            show_progress(progress, reader, len(answers), len(photos))
    if child.returncode or not peak:
        raise ChildFailed(f"the process that reads with {reader} ended with status {child.returncode} after "
                          f"{len(answers)} of {len(photos)} photographs")
    return FolderReading(answers, peak)


def show_progress(progress: TextIO, reader: str, sheets_read: int, of: int) -> None:
    """A bar on a terminal, lines elsewhere."""
    if progress.isatty():
        bar = "#" * round(_BAR * sheets_read / of)
        end = "\n" if sheets_read == of else ""
        print(f"\r{reader} [{bar:.<{_BAR}}] {sheets_read} of {of}", end=end, file=progress, flush=True)
    else:
        print(f"{reader}: {sheets_read} of {of}", file=progress, flush=True)


def figures(truth: Truth, reading: FolderReading) -> Iterator[ReadingFigure]:
    """Every figure of one reader, for each group of sheets (`training.evaluation.truth.groups`)."""
    for group, sheets in groups(truth.sheets).items():
        answers = [reading.answers.get(sheet.file) for sheet in sheets]
        yield from _line_figures(
            Score(
                [
                    match
                    for sheet, answer in zip(sheets, answers, strict=True)
                    for match in matches(sheet, answer)
                ]
            ),
            group,
        )
        for clock, label in (("cpu", "CPU time a sheet, median"), ("wall", "time a sheet, median")):
            # A median, since one large photograph would move the mean of a small folder.
            seconds = [float(answer[clock]) for answer in answers if answer is not None]
            if seconds:
                yield ReadingFigure(label, round(statistics.median(seconds), 3), "s", group, len(seconds))
    yield ReadingFigure("peak memory", reading.peak_mib, "MiB", "all")


def _line_figures(score: Score, group: str) -> Iterator[ReadingFigure]:
    live, struck, passed = len(score.live), len(score.struck), len(score.passed)
    yield ReadingFigure("orders exact by meaning", score.exact, "share", group, live)
    yield ReadingFigure("orders exact by text", score.exact_text, "share", group, live)
    yield ReadingFigure("right among first five", score.in_first_five, "share", group, live)
    yield ReadingFigure("share auto", score.auto_share, "share", group, live)
    yield ReadingFigure("wrong among auto", score.wrong_auto, "lines", group, passed)
    yield ReadingFigure("wrong share among auto, at most", score.wrong_bound, "share", group, passed)
    yield ReadingFigure("struck line taken as live", score.struck_live, "lines", group, struck)
    yield ReadingFigure("struck line taken as live and auto", score.struck_auto, "lines", group, struck)
    for trap, (taken, of) in sorted(score.traps().items()):
        yield ReadingFigure(f"line to be looked at taken as auto: {trap}", taken, "lines", group, of)
    yield ReadingFigure("calibration error", score.calibration_error, "share", group)
    yield ReadingFigure("CER", score.character_errors, "share", group)
    yield ReadingFigure("WER", score.word_errors, "share", group)


# Peers
# ----------------------------------------------------------------------------------------------------------

_COMPARED = ("orders exact by meaning", "orders exact by text", "CER", "WER", "CPU time a sheet, median",
             "time a sheet, median", "peak memory")
# Snapping changes the orders and neither text nor time, and one thread changes time and memory alone.
_COMPARED_SNAPPED = _COMPARED[:1]
_COMPARED_THREADS = _COMPARED[4:]


def _compare_peers(truth: Truth, our_figures: Sequence[ReadingFigure], say: Say, progress: TextIO) -> None:
    """Print our figures once more next to those of each peer that is installed."""
    by_name = {(figure.name, figure.sheets): figure for figure in our_figures}
    for name in read_peers.PEERS:
        title = read_peers.title(name)
        if title is None:
            say(what="peer absent", value=name, unit="package",
                how="pip install -e '.[bench]' and Debian's tesseract-ocr bring it")
            continue
        reading = read_folder(name, truth, progress)
        for method, interpret, compared in _methods(name):
            answers = {file: interpret(answer, truth.variant) for file, answer in reading.answers.items()}
            for theirs in figures(truth, FolderReading(answers, reading.peak_mib)):
                if theirs.name in compared:
                    ours = by_name[theirs.name, theirs.sheets]
                    say(what=theirs.name, value=ours.value, unit=theirs.unit, sheets=theirs.sheets,
                        of=theirs.of, peer=f"{title}, {method}", peer_value=theirs.value,
                        ratio=_ratio(ours.value, theirs.value))


def _methods(peer: str) -> tuple[tuple[str, Interpret, Sequence[str]], ...]:
    """How a peer's answers are compared: the method in words, how they become orders, and which figures."""
    if peer == read_peers.ONE_THREAD:
        return (("no thread waits for work", lambda answer, _: dict(answer), _COMPARED_THREADS),)
    return (
        ("as it comes", read_peers.strict, _COMPARED),
        ("its text snapped by our grammar", read_peers.snapped, _COMPARED_SNAPPED),
    )


def _ratio(ours: float | None, theirs: float | None) -> float | None:
    return round(ours / theirs, 3) if ours is not None and theirs else None
