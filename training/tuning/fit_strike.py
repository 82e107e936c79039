"""Fit the weights that tell crossed-out writing from live, and measure them on hands that they never saw.

    python -m training.tuning.fit_strike fit --names NAMES.json... --out ocr/corrections/strike.toml
    python -m training.tuning.fit_strike judge --names NAMES.json

Sheets are composed (`struck_sheets`), photographed and read; what the engine saw along each row
(`training.tuning.crossing` makes its head) is summed up for the row and for stretches of it, and weighed
against the truth. The same seeds, fonts, networks and library versions give the same weights. Hands for
tuning serve `fit`, HELD hands are all of `judge`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from ocr.corrections.strike import StrikeWeights, detect_strike, row_frames, struck_stretches
from ocr.corrections.strike_marks import EDGE, soft_ink
from ocr.decoding.review_gate import CUT_OUT
from ocr.engines import STRIKE_CLASSES, Recognition
from ocr.engines.ppocr import PpOcr
from ocr.image.geometry import CROP_MARGIN
from ocr.page import Image, Row, Strike
from ocr.read import ReadOptions, read_images
from training.handwriting import fonts
from training.handwriting.font_sets import Purpose, of
from training.sheets.compose import read_names
from training.sheets.random_orders import RandomName
from training.sheets.struck_sheets import STRIKES, Fonts, MarkedRow, PenMark, marked_sheet

# Hands that are only judged by.
HELD = (
    "bad-script", "caveat", "cedarville-cursive", "kalam", "mansalva", "neucha", "reenie-beanie",
    "short-stack",
)

# About a letter's width in heights of a crop: how far the end of a struck word may be off.
LETTER = 0.3

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class StrikeSample:
    """A row as the reader cut it, the words on it: (left, right) shares of the crop and mark, from the left;
    and what the engine recognised on it."""

    hand: str
    paper: str
    crop: Image
    words: tuple[tuple[float, float, PenMark], ...]
    recognition: Recognition

    @property
    def runs(self) -> tuple[tuple[float, float], ...]:
        """Where words are crossed out; neighbours with the same kind of stroke are one run."""
        runs: list[tuple[float, float]] = []
        before = PenMark.LIVE
        for left, right, mark in self.words:
            if mark in STRIKES:
                start = runs.pop()[0] if mark is before else left
                runs.append((start, right))
            before = mark
        return tuple(runs)

    @property
    def struck(self) -> float:
        """The share of its words that is crossed out."""
        return sum(mark in STRIKES for _, _, mark in self.words) / len(self.words)

    @property
    def kind(self) -> PenMark:
        """The mark of the first word that is not plain; LIVE where all are."""
        return next((mark for _, _, mark in self.words if mark is not PenMark.LIVE), PenMark.LIVE)


class _Watching:
    """The usual recogniser; it keeps the crops that it was given."""

    name = "watching"

    def __init__(self) -> None:
        self.engine = PpOcr()
        self.shown: dict[int, tuple[Image, Recognition]] = {}

    def read(self, crops: Sequence[Image]) -> tuple[Recognition, ...]:
        """See Engine."""
        recognitions = self.engine.read(crops)
        for recognition, crop in zip(recognitions, crops, strict=True):
            self.shown[id(recognition.posteriors)] = (crop, recognition)
        return recognitions


def sample_sheet(task: tuple[str, str, tuple[RandomName, ...], Fonts]) -> list[StrikeSample]:
    """Compose, photograph and read one sheet: its rows with the words on them. Rows without clear truth are
    left out."""
    cv2.setNumThreads(1)
    name, hand, names, chance = task
    sheet = marked_sheet(name, names, chance, hand)
    watching = _Watching()
    reading = read_images([sheet.image], [watching],
        ReadOptions(detect_strike=lambda _crop, _recognition: Strike()))
    samples = []
    for row in (row for page in reading.pages for line in page.lines for row in line.rows):
        (crop, recognition), words = watching.shown[id(row.posteriors)], words_on(row, sheet.rows)
        if words and _covered(crop, words):
            samples.append(StrikeSample(hand, sheet.paper, crop, words, recognition))
    return samples


def words_on(row: Row, rows: Iterable[MarkedRow]) -> tuple[tuple[float, float, PenMark], ...]:
    """The words whose middle lies in a row's box, as shares of its crop; none where two written rows meet in
    it."""
    corners = np.array(row.box.corners)
    along, across = corners[1] - corners[0], corners[3] - corners[0]
    width, height = float(np.hypot(*along)), float(np.hypot(*across))
    u, v = along / max(width, 1.0), across / max(height, 1.0)
    room = CROP_MARGIN[0] * height
    whole_width = width + 2 * room
    words_by_row = []
    for written in rows:
        row_words = []
        for word in written.words:
            middle = word.ends.mean(axis=0) - corners[0]
            if 0.15 <= middle @ v / height <= 0.85 and -0.2 * height < middle @ u < width + 0.2 * height:
                a, b = (float((end - corners[0]) @ u + room) / whole_width for end in word.ends)
                row_words.append((a, b, word.mark))
        if row_words:
            words_by_row.append(tuple(row_words))
    return words_by_row[0] if len(words_by_row) == 1 else ()


def _covered(crop: Image, words: Sequence[tuple[float, float, PenMark]]) -> bool:
    """True if the words account for the ink, so that none was missed."""
    inked = soft_ink(crop)[EDGE:-EDGE].max(axis=0) > 0.5
    is_near = np.zeros(len(inked), np.bool_)
    for a, b, _ in words:
        is_near[max(0, int(a * len(inked)) - 14) : int(b * len(inked)) + 15] = True
    return bool((inked & ~is_near).sum() <= 0.06 * inked.sum())


def fit_row(features: Floats, struck: npt.NDArray[np.bool_]) -> Floats:
    """Logistic regression by Newton's method with a little ridge; the last number is the constant."""
    data = np.column_stack([features, np.ones(len(features))])
    ridge = 0.5 * np.eye(data.shape[1])
    ridge[-1, -1] = 0.0
    weights = np.zeros(data.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(data @ weights, -30, 30)))
        slope = data.T @ (chance - struck) + ridge @ weights
        weights -= np.linalg.solve((data * (chance * (1 - chance))[:, None]).T @ data + ridge, slope)
    return np.asarray(weights)


def fit(samples: Sequence[StrikeSample]) -> StrikeWeights:
    """Weights for the row, from rows struck whole against all others, and for words, from every stretch
    found."""
    rows = [
        (sample, frames)
        for sample in samples
        if (frames := row_frames(soft_ink(sample.crop), sample.recognition)) is not None
    ]
    row = fit_row(
        np.array([frames.summary() for _, frames in rows]),
        np.array([sample.struck == 1.0 for sample, _ in rows])
    )
    words = [
        (
            stretch.features,
            _true(sample, stretch.left / len(frames.struck_probs), stretch.right / len(frames.struck_probs)),
        )
        for sample, frames in rows
        for stretch in struck_stretches(frames)
    ]
    word = fit_row(np.array([features for features, _ in words]), np.array([struck for _, struck in words]))
    return StrikeWeights(tuple(float(w) for w in row), tuple(float(w) for w in word))


def _true(sample: StrikeSample, left: float, right: float) -> bool:
    """True if half of a stretch or more is really crossed out."""
    return sum(max(0.0, min(right, b) - max(left, a)) for a, b in sample.runs) >= 0.5 * (right - left)


def gather(
    hands: Sequence[str], per_hand: int, seed: int, names: Sequence[Path], cache: Path
) -> list[StrikeSample]:
    """Rows of sheets in these hands, sheets in two processes; the order does not depend on which is first."""
    boards = [tuple(read_names(path)) for path in names]
    chance = Fonts({hand: fonts.locate(hand, cache, {}) for hand in hands}, seed)
    tasks = [
        (f"{hand}-{sheet_index}", hand, boards[(sheet_index + hand_index) % len(boards)], chance)
        for sheet_index in range(per_hand)
        for hand_index, hand in enumerate(hands)
    ]
    with ProcessPoolExecutor(2) as pool:
        return [sample for sheet_samples in pool.map(sample_sheet, tasks) for sample in sheet_samples]


def to_toml(strike_weights: StrikeWeights, facts: Sequence[str]) -> str:
    """`strike.toml`: the weights to four digits, with `facts` as comments at its head."""
    parts = [
        *(f"# {fact}" for fact in facts),
        "",
        f"classes = {json.dumps(STRIKE_CLASSES)}",
        "",
        "[row]",
        f"weights = {_row(strike_weights.row)}",
    ]
    return "\n".join([*parts, "", "[word]", f"weights = {_row(strike_weights.word)}", ""])


def _row(numbers: Iterable[float]) -> str:
    return "[" + ", ".join(f"{number:.4g}" if number else "0.0" for number in map(float, numbers)) + "]"


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What a judge said of samples: the row's score and its most struck part, one number a sample."""

    samples: Sequence[StrikeSample]
    strikes: Sequence[Strike]
    row: Floats
    touched: Floats

    def lines(self) -> list[str]:
        """Figures for people: AUC, and detection at given false alarms by kind and by paper."""
        struck, live = self._where(1.0, 1.0), self._where(0.0, 0.0)
        part = self._where(0.001, 0.999)
        out = [f"rows: {live.sum()} live, {struck.sum()} struck whole, {part.sum()} with struck words"]
        for name, scores, hit in (("row", self.row, struck), ("touched", self.touched, struck | part)):
            out.append(f"{name}: AUC {auc(scores, hit, live):.4f}")
            for alarms in (0.01, 0.02):
                limit = float(np.quantile(scores[live], 1 - alarms))
                kinds = ", ".join(
                    f"{kind.value} {share:.2f}"
                    for kind in STRIKES
                    if (share := self._share(hit, kind, scores, limit)) >= 0
                )
                out.append(f"  at {alarms:.0%} false alarms (score {limit:.3f}): "
                           f"{(scores[hit] > limit).mean():.3f}; {kinds}")
        for level in (0.2, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
            plain = live & np.array([s.kind is PenMark.LIVE for s in self.samples])
            out.append(
                f"  score >= {level}: row: live {_over(self.row, live, level)}, struck "
                f"{_over(self.row, struck, level)}, part"
                f" {_over(self.row, part, level)}; touched: live {_over(self.touched, live, level)}, without "
                f"any mark"
                f" {_over(self.touched, plain, level)}, struck {_over(self.touched, struck, level)}, part"
                f" {_over(self.touched, part, level)}"
            )
        out.append(self.places())
        for paper in sorted({s.paper for s in self.samples}):
            on_paper = np.array([s.paper == paper for s in self.samples])
            row_auc = auc(self.row, struck & on_paper, live & on_paper)
            out.append(
                f"  {paper}: row AUC {row_auc:.4f}; touched >= 0.9: live"
                f" {_over(self.touched, live & on_paper, 0.9)}, struck or part"
                f" {_over(self.touched, (struck | part) & on_paper, 0.9)}"
            )
        return out

    def places(self) -> str:
        """How many runs of struck words in live rows were found, and how many from end to end within
        LETTER."""
        runs = detected_runs = exact = 0
        for sample, strike in zip(self.samples, self.strikes, strict=True):
            slack = LETTER * sample.crop.shape[0] / sample.crop.shape[1]
            struck_words = [
                word for word in strike.words
                if word.score >= CUT_OUT and word.kind not in {"unread", "faint"}
            ]
            for a, b in sample.runs if sample.struck < 1.0 else ():
                nearby_words = [
                    word for word in struck_words
                    if min(word.right, b) - max(word.left, a) > 0.3 * (b - a)
                ]
                runs, detected_runs = runs + 1, detected_runs + bool(nearby_words)
                exact += any(abs(word.left - a) <= slack and abs(word.right - b) <= slack
                    for word in nearby_words)
        return f"struck words: {runs} runs, {detected_runs} found, {exact} with both ends within a letter"

    def _where(self, least: float, most: float) -> npt.NDArray[np.bool_]:
        return np.array([least <= s.struck <= most for s in self.samples])

    def _share(self, hit: npt.NDArray[np.bool_], kind: PenMark, scores: Floats, limit: float) -> float:
        chosen = hit & np.array([kind in {m for _, _, m in s.words} for s in self.samples])
        return float((scores[chosen] > limit).mean()) if chosen.any() else -1.0


def _over(scores: Floats, chosen: npt.NDArray[np.bool_], least: float) -> str:
    return f"{float((scores[chosen] >= least).mean()) if chosen.any() else float('nan'):.3f}"


def auc(scores: Floats, hit: npt.NDArray[np.bool_], miss: npt.NDArray[np.bool_]) -> float:
    """How often a hit scores more than a miss; ties count half."""
    hit_scores, miss_scores = scores[hit], np.sort(scores[miss])
    below = np.searchsorted(miss_scores, hit_scores, "left")
    not_above = np.searchsorted(miss_scores, hit_scores, "right")
    if not len(hit_scores):
        return float("nan")
    return float((below + not_above).mean() / 2 / max(len(miss_scores), 1))


def score(samples: Sequence[StrikeSample]) -> Scores:
    """What the judge of `strike.toml` states about samples."""
    strikes = [detect_strike(sample.crop, sample.recognition) for sample in samples]
    return Scores(
        samples, strikes, np.array([s.score for s in strikes]), np.array([s.max_word_score for s in strikes])
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 on success."""
    parser = argparse.ArgumentParser(
        prog="python -m training.tuning.fit_strike", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("what", choices=("fit", "judge"))
    parser.add_argument("--names", type=Path, nargs="+", required=True,
                        help="a JSON list of regions for each board")
    parser.add_argument("--cache", type=Path, default=fonts.default_cache(), help="where the fonts are")
    parser.add_argument("--sheets", type=int, default=8, help="sheets for each hand")
    parser.add_argument("--seed", type=int, default=1642)
    parser.add_argument("--out", type=Path, default=Path("ocr/corrections/strike.toml"))
    args = parser.parse_args(arguments)
    hands = HELD if args.what == "judge" else of(Purpose.TUNING)
    samples = gather(hands, args.sheets, args.seed, args.names, args.cache)
    if args.what == "fit":
        facts = (
            ("Coefficients of ocr.corrections.strike: made by training.tuning.fit_strike, never written by "
             "hand."),
            f"Seed {args.seed}, {args.sheets} sheets in each of",
            (f"{len(hands)} fonts for tuning (OFL, see training/handwriting/font_sets.py); {len(samples)} "
             f"rows."),
        )
        args.out.write_text(to_toml(fit(samples), facts), encoding="utf-8")
    else:
        sys.stdout.write("\n".join(score(samples).lines()) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
