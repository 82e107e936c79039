"""The reader's figures: lines read compared with lines written.

An order given as two lines is not exact. A line that gives an order and is `auto` counts as wrong unless it
is that live order: misread, struck out, a heading, invented; so does a live order lost in an `auto` line that
gives none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rapidfuzz.distance import Levenshtein

from training.evaluation.align import align, loose, one_space
from training.evaluation.meaning import meaning_of, same
from training.evaluation.truth import TrueLine, TrueSheet

Read = Mapping[str, Any]
"""One line of `galloper read --json`."""
_FIRST = 5
_BINS = 10


@dataclass(frozen=True)
class LineMatch:
    """A written line and what was read of it; `written` is None for a line that no one wrote."""

    written: TrueLine | None
    read: tuple[Read, ...]

    @cached_property
    def text(self) -> str:
        """What was read, in one."""
        return one_space(" ".join(one_space(line.get("text")) for line in self.read))

    @cached_property
    def live(self) -> bool:
        """True if this is an order that counts and can be taken."""
        line = self.written
        return line is not None and line.is_order and not line.struck and line.want != "review"

    @cached_property
    def struck(self) -> bool:
        """True if this is an order crossed out."""
        return self.written is not None and self.written.is_order and self.written.struck

    @cached_property
    def exact(self) -> bool:
        """True if exactly one line was read of a live order, and it gives that order."""
        return self.live and len(self.read) == 1 and gives(self.read[0]) and self._means(self.read[0])

    @cached_property
    def exact_text(self) -> bool:
        """True if the letters were read, as far as they count."""
        if self.written is None or len(self.read) != 1 or self.read[0].get("struck"):
            return False
        return loose(self.text) == loose(self.written.text)

    @cached_property
    def in_first_five(self) -> bool:
        """True if the right order is the line's own or one of its first five candidates."""
        if self.exact or not self.live or len(self.read) != 1 or self.written is None:
            return self.exact
        offered = (self.read[0].get("candidates") or [])[:_FIRST]
        texts = {loose(self.written.text), loose(self.written.meant or self.written.text)}
        return any(
            self._means(candidate) if candidate.get("order") else loose(candidate.get("text")) in texts
            for candidate in offered
        )

    def _means(self, read: Read) -> bool:
        """True if a line or a candidate with an order shows what was written."""
        line, order = self.written, read.get("order")
        if line is None or not order:
            return False
        meaning = meaning_of(order)
        if line.meaning and meaning:
            return same(line.meaning, meaning)
        # An order that only one game has carries no meaning in the truth and is compared as text.
        as_written = loose(order) in {loose(line.text), loose(line.meant)}
        return as_written or (meaning is None and loose(read.get("text")) == loose(line.text))

    def judged(self) -> Iterable[tuple[float, bool]]:
        """Confidence of each line read that gives an order, and whether it is the one written."""
        return ((confidence(line), self.exact) for line in self.read if gives(line))

    def passed(self) -> Iterable[bool]:
        """For each line read that is taken automatically and matters: True if it is right."""
        for line in self.read:
            if automatic(line) and gives(line):
                yield self.exact
            elif automatic(line) and self.live:
                yield False


def gives(line: Read) -> bool:
    """True if a line is read as an order."""
    return bool(line.get("order")) and not line.get("struck")


def automatic(line: Read) -> bool:
    """True if the line is taken without review."""
    return line.get("status") == "auto"


def confidence(line: Read) -> float:
    """0 to 1; 0 where a reader gives no number."""
    try:
        return min(1.0, max(0.0, float(line.get("confidence") or 0)))
    except (TypeError, ValueError):
        return 0.0


def matches(sheet: TrueSheet, answer: Mapping[str, Any] | None) -> list[LineMatch]:
    """Every written line of a sheet with what was read of it, then the lines that no one wrote. `answer`:
    the object of `galloper read --json`, None where there is none."""
    read = [line for page in (answer or {}).get("pages") or () for line in page.get("lines") or ()]
    aligned = align(
        [line.text for line in sheet.lines], [line.get("text") or line.get("order") or "" for line in read]
    )
    written_matches = [
        LineMatch(line, tuple(read[slice(*span)]) if span else ())
        for line, span in zip(sheet.lines, aligned.spans, strict=True)
    ]
    return written_matches + [LineMatch(None, (read[index],)) for index in aligned.left]


@dataclass(frozen=True)
class Score:
    """Figures over many lines. Shares are 0..1, None where there is nothing to share."""

    matches: Sequence[LineMatch] = field(repr=False)

    @cached_property
    def live(self) -> list[LineMatch]:
        """Orders that count."""
        return [match for match in self.matches if match.live]

    @cached_property
    def passed(self) -> list[bool]:
        """Lines taken automatically, each right or wrong."""
        return [right for match in self.matches for right in match.passed()]

    def share(self, test: Callable[[LineMatch], bool]) -> float | None:
        """Of the orders that count."""
        return _rate(sum(test(match) for match in self.live), len(self.live))

    @property
    def exact(self) -> float | None:
        """Orders exact by meaning."""
        return self.share(lambda match: match.exact)

    @property
    def exact_text(self) -> float | None:
        """Orders exact by text."""
        return self.share(lambda match: match.exact_text)

    @property
    def in_first_five(self) -> float | None:
        """Orders that are the line's own or among its first five candidates."""
        return self.share(lambda match: match.in_first_five)

    @property
    def auto_share(self) -> float | None:
        """Orders read as one line that is taken automatically."""
        return self.share(
            lambda match: len(match.read) == 1 and automatic(match.read[0]) and gives(match.read[0])
        )

    @property
    def wrong_auto(self) -> int:
        """Lines taken automatically that are wrong."""
        return len(self.passed) - sum(self.passed)

    @property
    def wrong_bound(self) -> float | None:
        """The share wrong of lines taken automatically that is exceeded with a chance of 5 % at most."""
        return upper_bound(self.wrong_auto, len(self.passed))

    @property
    def struck(self) -> list[LineMatch]:
        """Orders crossed out."""
        return [match for match in self.matches if match.struck]

    @property
    def struck_live(self) -> int:
        """Orders crossed out that were given as orders."""
        return sum(any(map(gives, match.read)) for match in self.struck)

    @property
    def struck_auto(self) -> int:
        """Orders crossed out that were given as orders and taken automatically."""
        return sum(any(gives(line) and automatic(line) for line in match.read) for match in self.struck)

    def traps(self) -> dict[str, tuple[int, int]]:
        """By oddity: how many lines that need a person were taken as orders automatically, and how many such
        lines there are."""
        counts: dict[str, tuple[int, int]] = {}
        for match in self.matches:
            line = match.written
            if line is not None and line.want == "review" and line.is_order and not line.struck:
                taken, of = counts.get(line.trap or "any", (0, 0))
                is_taken = any(gives(read) and automatic(read) for read in match.read)
                counts[line.trap or "any"] = (taken + is_taken, of + 1)
        return counts

    @property
    def calibration_error(self) -> float | None:
        """Mean distance of confidence from truth over ten bins, weighed by their lines."""
        bins = [[0.0, 0.0] for _ in range(_BINS)]
        judged = [pair for match in self.matches for pair in match.judged()]
        for sure, right in judged:
            # Expected calibration error (Naeini, Cooper and Hauskrecht 2015); a confidence of 1 goes into the
            # last bin.
            sums = bins[min(_BINS - 1, int(sure * _BINS))]
            sums[0] += sure
            sums[1] += right
        return _rate(sum(abs(sure - right) for sure, right in bins), len(judged))

    @property
    def character_errors(self) -> float | None:
        """CER over the lines not crossed out."""
        return self._errors(lambda text: text)

    @property
    def word_errors(self) -> float | None:
        """WER over the lines not crossed out."""
        return self._errors(lambda text: text.split())

    def _errors(self, parts: Callable[[str], Sequence[str]]) -> float | None:
        wrong = of = 0
        for match in self.matches:
            if match.written is not None and not match.written.struck:
                written_parts = parts(one_space(match.written.text))
                wrong += Levenshtein.distance(written_parts, parts(match.text))
                of += len(written_parts)
        return _rate(wrong, of)


def upper_bound(wrong: int, of: int, chance: float = 0.05) -> float | None:
    """The greatest share 0..1 at which `wrong` or fewer of `of` still have this chance (Clopper and Pearson
    1934, one side); None of nothing. Of none wrong in n it is about 3/n."""
    if not of:
        return None
    low, high = wrong / of, 1.0
    for _ in range(40):
        share = (low + high) / 2
        low, high = (share, high) if _at_most(wrong, of, share) > chance else (low, share)
    return round(high, 4)


def _at_most(wrong: int, of: int, share: float) -> float:
    """The binomial chance of `wrong` or fewer."""
    if share >= 1:
        return float(wrong >= of)
    logs = (math.log(math.comb(of, k)) + k * math.log(share) + (of - k) * math.log1p(-share)
            for k in range(wrong + 1) if share > 0)
    return math.fsum(map(math.exp, logs)) if share > 0 else 1.0


def _rate(part: float, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
