"""Where the letters of a text that is known stand in a row, by what the recogniser shows of its own accord.

`ocr.decoding.alignment` lays a text on the ink frame by frame. Where a line is read anyway this does as well
for its letters, in a fiftieth of the time.
"""

from __future__ import annotations

from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from ocr.page import Posteriors


@dataclass(frozen=True, slots=True)
class ShownSign:
    """A letter or other sign of free reading, in its own case. `start`, `end`: its frames, `end` being the
    first after it."""

    sign: str
    start: int
    end: int


def shown_signs(posteriors: Posteriors) -> tuple[ShownSign, ...]:
    """The likeliest sign of each frame, repeats and blanks taken out; spaces too."""
    signs: list[ShownSign] = []
    start, last = 0, 0
    best = posteriors.log_probs.argmax(axis=1).tolist() if len(posteriors.log_probs) else []
    for frame, column in enumerate([*best, 0]):
        if column != last:
            if last and posteriors.letters[last - 1] != " ":
                signs.append(ShownSign(posteriors.letters[last - 1], start, frame))
            start, last = frame, column
    return tuple(signs)


def places_of(text: str, shown: tuple[ShownSign, ...]) -> dict[int, int]:
    """By place in a text that was written the place in `shown` of the sign that stands for it, also where
    that is another letter; none for what free reading lost, and for spaces."""
    written = [place for place, letter in enumerate(text) if letter != " "]
    changes = Levenshtein.opcodes(
        "".join(text[place].casefold()[:1] for place in written),
        "".join(sign.sign.casefold()[:1] for sign in shown),
    )
    return {
        written[change.src_start + step]: change.dest_start + step
        for change in changes if change.tag in {"equal", "replace"}
        for step in range(min(change.src_end - change.src_start, change.dest_end - change.dest_start))
    }
