"""Fit the judge of crossed-out writing, and say how well it judges hands it never saw.

    python -m ocr.train.fit_strike fit --names NAMES.json --out ocr/strike.toml
    python -m ocr.train.fit_strike judge --names NAMES.json

Sheets are composed (`struck_sheets`), photographed and read; every row found is measured (`ocr.strike_marks`), as it
is and three times altered: pen thicker or thinner, letters joined, blurred, paler, bent, leaning, wider or narrower. The same seeds,
fonts and library versions give the same coefficients. HELD hands take no part in `fit` and are all of `judge`.
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

from ocr.engines import Recognised
from ocr.engines.ppocr import PpOcr
from ocr.page import Image, Row, Strike
from ocr.read import MARGIN, Options, read_images
from ocr.strike import CLASSES, Judge, Layers, sites, softmax, stretches, strike, summary
from ocr.strike_marks import EDGE, MEASURES, marks, soft_ink
from ocr.train import fonts
from ocr.train.random_sheets import Name
from ocr.train.struck_sheets import STRIKES, Fonts, Mark2, MarkedRow, marked_sheet

HELD = (
    "bad-script", "caveat", "cedarville-cursive", "kalam", "mansalva", "neucha", "reenie-beanie", "short-stack",
)
"""Hands that are only judged by."""

HIDDEN, STEPS, BATCH, RATE, DECAY = 24, 6000, 2048, 0.01, 3e-4
"""Of the little network: units, steps of Adam, windows a step, first rate (falls to nought), weight decay."""

ALTERED = 3
"""Altered copies of each row that the fit takes in."""

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A row as the reader cut it, and the words on it: (left, right) shares of the crop and mark, from the left."""

    hand: str
    paper: str
    crop: Image
    words: tuple[tuple[float, float, Mark2], ...]
    legible: float

    @property
    def struck(self) -> float:
        """The share of its words that is crossed out."""
        return sum(mark in STRIKES for _, _, mark in self.words) / len(self.words)

    @property
    def kind(self) -> Mark2:
        """The mark of the first word that is not plain; LIVE where all are."""
        return next((mark for _, _, mark in self.words if mark is not Mark2.LIVE), Mark2.LIVE)


class _Watching:
    """The usual recogniser, which keeps the crops it was shown."""

    name = "watching"

    def __init__(self) -> None:
        self.engine = PpOcr()
        self.shown: dict[int, Image] = {}
        self.kept: list[Recognised] = []

    def read(self, crops: Sequence[Image]) -> tuple[Recognised, ...]:
        """See Engine."""
        said = self.engine.read(crops)
        self.kept += said
        self.shown.update({id(one.posteriors): crop for one, crop in zip(said, crops, strict=True)})
        return said


def sample_sheet(task: tuple[str, str, tuple[Name, ...], Fonts]) -> list[Sample]:
    """Compose, photograph and read one sheet: its rows with what stands on them. Rows without clear truth drop out."""
    cv2.setNumThreads(1)
    name, hand, names, chance = task
    sheet = marked_sheet(name, names, chance, hand)
    watching = _Watching()
    reading = read_images([sheet.image], [watching], Options(strike=lambda _crop, _score: Strike()))
    found = []
    for row in (row for page in reading.pages for line in page.lines for row in line.rows):
        crop, words = watching.shown[id(row.posteriors)], words_on(row, sheet.rows)
        if words and _covered(crop, words):
            found.append(Sample(hand, sheet.paper, crop, words, row.score))
    return found


def words_on(row: Row, rows: Iterable[MarkedRow]) -> tuple[tuple[float, float, Mark2], ...]:
    """The words whose middle lies in a row's box, as shares of its crop; none where two written rows meet in it."""
    corners = np.array(row.box.corners)
    along, across = corners[1] - corners[0], corners[3] - corners[0]
    wide, high = float(np.hypot(*along)), float(np.hypot(*across))
    u, v = along / max(wide, 1.0), across / max(high, 1.0)
    room = MARGIN[0] * high
    whole = wide + 2 * room
    found = []
    for written in rows:
        here = []
        for word in written.words:
            middle = word.ends.mean(axis=0) - corners[0]
            if 0.15 <= middle @ v / high <= 0.85 and -0.2 * high < middle @ u < wide + 0.2 * high:
                a, b = (float((end - corners[0]) @ u + room) / whole for end in word.ends)
                here.append((a, b, word.mark))
        if here:
            found.append(tuple(here))
    return found[0] if len(found) == 1 else ()


def _covered(crop: Image, words: Sequence[tuple[float, float, Mark2]]) -> bool:
    """Whether the words account for the ink, so that none was missed."""
    inked = soft_ink(crop)[EDGE:-EDGE].max(axis=0) > 0.5
    near = np.zeros(len(inked), np.bool_)
    for a, b, _ in words:
        near[max(0, int(a * len(inked)) - 14) : int(b * len(inked)) + 15] = True
    return bool((inked & ~near).sum() <= 0.06 * inked.sum())


def altered(crop: Image, rng: np.random.Generator) -> Image:
    """The row in another pen, light and camera; words keep their places along it."""
    grey = cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY) if crop.ndim == 3 else crop
    high = 64
    wide = max(16, round(grey.shape[1] * high / grey.shape[0] * float(np.exp(rng.normal(0, 0.15)))))
    grey = np.asarray(cv2.resize(grey, (wide, high), interpolation=cv2.INTER_AREA), np.uint8)
    more = int(rng.choice([-1, 0, 0, 1, 2, 3]))
    if more > 0:
        disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (more + 1, more + 1))
        grey = np.asarray(cv2.erode(grey, disc), np.uint8)
    elif more < 0:
        grey = np.asarray(cv2.dilate(grey, np.ones((2, 2), np.uint8)), np.uint8)
    xs, ys = np.arange(wide, dtype=np.float32), np.arange(high, dtype=np.float32)[:, None] - high / 2
    lift = rng.normal(0, 0.012) * min(1.0, 400 / wide) * (xs - wide / 2)
    lift = lift + rng.normal(0, 2.0) * np.sin(2 * np.pi * xs / rng.uniform(150, 600) + rng.uniform(0, 6.28))
    to_y = ys / np.exp(rng.normal(0, 0.1)) + high / 2 + lift[None]
    to_x = xs[None] + rng.normal(0, 0.1) * ys
    grey = np.asarray(
        cv2.remap(
            grey, to_x.astype(np.float32), to_y.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        ), np.uint8)
    blur = float(rng.choice([0.0, 0.6, 1.0, 1.5, 2.0]))
    if rng.random() < 0.4:
        joined = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (int(rng.integers(5, 13)), 3))
        grey = np.asarray(cv2.morphologyEx(grey, cv2.MORPH_OPEN, joined), np.uint8)
    soft = cv2.GaussianBlur(grey, (0, 0), blur) if blur else grey
    pale = 255 - (255 - soft.astype(np.float64)) * rng.uniform(0.45, 1.0)
    return np.asarray(np.clip(pale + rng.normal(0, rng.uniform(0, 5), pale.shape), 0, 255), np.uint8)


def windows(sample: Sample, crop: Image) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Sites along a crop with clear truth: their measures (sites x inputs), and the class at each."""
    found, middles = sites(marks(soft_ink(crop)))
    wide = int(middles[-1]) + 5
    truth, ink = _columns(sample.words, wide)
    inked = np.flatnonzero(ink)
    kept, classes = [], []
    for k, middle in enumerate(middles):
        if not len(inked) or not inked[0] <= middle <= inked[-1]:
            continue
        near = truth[max(0, middle - 10) : middle + 10]
        share = float((near > 0).mean())
        if share > 0.7 or not truth[max(0, middle - 24) : middle + 24].any():
            kept.append(k)
            classes.append(int(np.bincount(near[near > 0]).argmax()) if share else 0)
    return found[kept], np.asarray(classes, np.intp)


def _columns(
    words: Sequence[tuple[float, float, Mark2]], wide: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
    """Each column's class, and whether a word is there; the gap between two words struck alike is struck."""
    truth, ink = np.zeros(wide, np.intp), np.zeros(wide, np.bool_)
    end, before = 0, Mark2.LIVE
    for a, b, mark in words:
        left, right = max(0, int(a * wide)), min(wide, int(np.ceil(b * wide)))
        ink[left:right] = True
        if mark in STRIKES:
            truth[end if mark is before else left : right] = CLASSES.index(mark.value)
        end, before = right, mark
    return truth, ink


def fit_layers(inputs: Floats, classes: npt.NDArray[np.intp], seed: int) -> Layers:
    """One hidden layer of tanh, softmax over CLASSES, trained by Adam on windows drawn by chance."""
    rng = np.random.default_rng(seed)
    mean, spread = inputs.mean(axis=0), inputs.std(axis=0) + 1e-6
    data = (inputs - mean) / spread
    width, count = data.shape[1], len(CLASSES)
    weights = [
        rng.normal(0, 1 / np.sqrt(width), (width, HIDDEN)), np.zeros(HIDDEN),
        rng.normal(0, 1 / np.sqrt(HIDDEN), (HIDDEN, count)), np.zeros(count),
    ]
    first, second = [np.zeros_like(w) for w in weights], [np.zeros_like(w) for w in weights]
    truth = np.eye(count)[classes]
    for step in range(1, STEPS + 1):
        drawn = rng.integers(0, len(data), BATCH)
        batch = data[drawn]
        hidden = np.tanh(batch @ weights[0] + weights[1])
        back = (softmax(hidden @ weights[2] + weights[3]) - truth[drawn]) / BATCH
        deep = back @ weights[2].T * (1 - hidden**2)
        slopes = [batch.T @ deep + DECAY * weights[0], deep.sum(0), hidden.T @ back + DECAY * weights[2], back.sum(0)]
        rate = RATE * (1 - step / STEPS)
        for k, slope in enumerate(slopes):
            first[k] = 0.9 * first[k] + 0.1 * slope
            second[k] = 0.99 * second[k] + 0.01 * slope**2
            weights[k] -= rate * (first[k] / (1 - 0.9**step)) / (np.sqrt(second[k] / (1 - 0.99**step)) + 1e-8)
    return Layers(mean, spread, weights[0], weights[1], weights[2], weights[3])


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


def fit(samples: Sequence[Sample], seed: int) -> Judge:
    """The whole judge: first the network on rows as they are and altered, then, on other alterations of the same rows,
    the weights for words, and on the rows as they are those for rows struck whole against live ones."""
    rng = np.random.default_rng(seed)
    parts = [
        windows(sample, crop)
        for sample in samples
        for crop in (sample.crop, *(altered(sample.crop, rng) for _ in range(ALTERED)))
    ]
    parts = [part for part in parts if len(part[1])]
    layers = fit_layers(np.concatenate([x for x, _ in parts]), np.concatenate([y for _, y in parts]), seed)
    clear = [sample for sample in samples if sample.struck in {0.0, 1.0}]
    found = [summary(marks(soft_ink(sample.crop)), layers, sample.legible) for sample in clear]
    row = fit_row(np.array(found), np.array([sample.struck == 1.0 for sample in clear]))
    words = [
        word for sample in samples for crop in (sample.crop, altered(sample.crop, rng), altered(sample.crop, rng))
        for word in _judged(sample, crop, layers)
    ]
    word = fit_row(np.array([features for features, _ in words]), np.array([struck for _, struck in words]))
    return Judge(layers, tuple(float(w) for w in row), tuple(float(w) for w in word))


def _judged(sample: Sample, crop: Image, layers: Layers) -> list[tuple[tuple[float, ...], bool]]:
    """The stretches found on a row, and whether half of each or more is crossed out in truth."""
    seen = marks(soft_ink(crop))
    truth, _ = _columns(sample.words, seen.shape[1])
    return [
        (stretch.features, float((truth[stretch.left : stretch.right] > 0).mean()) >= 0.5)
        for stretch in stretches(seen, layers, sample.legible)
    ]


def gather(hands: Sequence[str], per_hand: int, seed: int, names: Path, cache: Path) -> list[Sample]:
    """Rows of sheets in these hands, sheets in two processes; the order does not depend on which is first."""
    listed = tuple(
        Name(row["name"], row["kind"], tuple(row.get("aliases", ())))
        for row in json.loads(names.read_text(encoding="utf-8"))
    )
    chance = Fonts({hand: fonts.locate(hand, cache, {}) for hand in hands}, seed)
    tasks = [(f"{hand}-{k}", hand, listed, chance) for k in range(per_hand) for hand in hands]
    with ProcessPoolExecutor(2) as pool:
        return [sample for found in pool.map(sample_sheet, tasks) for sample in found]


def to_toml(judge: Judge, facts: Sequence[str]) -> str:
    """`strike.toml`: the judge to four digits, with `facts` as comments at its head."""
    layers = judge.layers
    parts = [f"# {fact}" for fact in facts]
    parts += ["", f"classes = {json.dumps(CLASSES)}", f"measures = {json.dumps(MEASURES)}", "", "[row]"]
    parts += [f"weights = {_row(judge.row)}", "", "[word]", f"weights = {_row(judge.word)}", "", "[network]"]
    for part in Layers.__slots__:
        table = np.asarray(getattr(layers, part))
        rows = [_row(table)] if table.ndim == 1 else ["[", *(f"  {_row(row)}," for row in table), "]"]
        parts.append(f"{part} = " + "\n".join(rows))
    return "\n".join(parts) + "\n"


def _row(numbers: Iterable[float]) -> str:
    return "[" + ", ".join(f"{number:.4g}" if number else "0.0" for number in map(float, numbers)) + "]"


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What a judge said of samples: the row's score and its most struck part, one number a sample."""

    samples: Sequence[Sample]
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
                    f"{kind.value} {share:.2f}" for kind in STRIKES if (share := self._share(hit, kind, scores, limit)) >= 0
                )
                out.append(f"  at {alarms:.0%} false alarms (score {limit:.3f}): {(scores[hit] > limit).mean():.3f}; {kinds}")
        for low in (0.2, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
            plain = live & np.array([s.kind is Mark2.LIVE for s in self.samples])
            out.append(
                f"  score >= {low}: row: live {_over(self.row, live, low)}, struck {_over(self.row, struck, low)}, part"
                f" {_over(self.row, part, low)}; touched: live {_over(self.touched, live, low)}, without any mark"
                f" {_over(self.touched, plain, low)}, struck {_over(self.touched, struck, low)}, part"
                f" {_over(self.touched, part, low)}"
            )
        for paper in sorted({s.paper for s in self.samples}):
            here = np.array([s.paper == paper for s in self.samples])
            out.append(
                f"  {paper}: row AUC {auc(self.row, struck & here, live & here):.4f}; touched >= 0.9: live"
                f" {_over(self.touched, live & here, 0.9)}, struck or part"
                f" {_over(self.touched, (struck | part) & here, 0.9)}"
            )
        return out

    def _where(self, low: float, high: float) -> npt.NDArray[np.bool_]:
        return np.array([low <= s.struck <= high for s in self.samples])

    def _share(self, hit: npt.NDArray[np.bool_], kind: Mark2, scores: Floats, limit: float) -> float:
        chosen = hit & np.array([kind in {m for _, _, m in s.words} for s in self.samples])
        return float((scores[chosen] > limit).mean()) if chosen.any() else -1.0


def _over(scores: Floats, chosen: npt.NDArray[np.bool_], low: float) -> str:
    return f"{float((scores[chosen] >= low).mean()) if chosen.any() else float('nan'):.3f}"


def auc(scores: Floats, hit: npt.NDArray[np.bool_], miss: npt.NDArray[np.bool_]) -> float:
    """How often a hit scores more than a miss; ties count half."""
    high, low = scores[hit], np.sort(scores[miss])
    below = np.searchsorted(low, high, "left") + np.searchsorted(low, high, "right")
    return float(below.mean() / 2 / max(len(low), 1)) if len(high) else float("nan")


def score(samples: Sequence[Sample]) -> Scores:
    """What the judge of `strike.toml` says of samples."""
    found = [strike(sample.crop, sample.legible) for sample in samples]
    return Scores(samples, np.array([s.score for s in found]), np.array([s.touched for s in found]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 on success."""
    parser = argparse.ArgumentParser(prog="python -m ocr.train.fit_strike", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("what", choices=("fit", "judge"))
    parser.add_argument("--names", type=Path, required=True, help='JSON list of {"name", "kind", "aliases"}')
    parser.add_argument("--cache", type=Path, default=fonts.default_cache(), help="where the fonts are")
    parser.add_argument("--sheets", type=int, default=8, help="sheets for each hand")
    parser.add_argument("--seed", type=int, default=1642)
    parser.add_argument("--out", type=Path, default=Path("ocr/strike.toml"))
    given = parser.parse_args(arguments)
    hands = HELD if given.what == "judge" else tuple(hand for hand in fonts.HANDS if hand not in HELD)
    samples = gather(hands, given.sheets, given.seed, given.names, given.cache)
    if given.what == "fit":
        facts = (
            "Coefficients of ocr.strike: made by ocr.train.fit_strike, never written by hand.",
            f"Seed {given.seed}, {given.sheets} sheets for each of these hands (OFL fonts, see ocr/train/README.md):",
            f"{', '.join(hands)}.", f"{len(samples)} rows, each also {ALTERED} times altered.",
        )
        given.out.write_text(to_toml(fit(samples, given.seed), facts), encoding="utf-8")
    else:
        sys.stdout.write("\n".join(score(samples).lines()) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
