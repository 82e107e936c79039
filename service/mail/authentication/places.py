"""Where a provider's stamps stand, read from the words of a setting."""

from __future__ import annotations

import re
from enum import StrEnum


class Place(StrEnum):
    """Where stamps stand as seen from the border, the Received line by which the provider took the mail.

    ABOVE: only above it. BELOW: directly below it, next to what the sender wrote. BOTH: one or the other.
    ANYWHERE: the order of headers means nothing.
    """

    ABOVE = "above"
    BELOW = "below"
    BOTH = "both"
    ANYWHERE = "anywhere"


_ABOVE = r"above|over|on top of|on the top of|before|ahead of|in front of|higher than|preceding|precede[sd]?"
_BELOW = r"below|beneath|underneath|under|after|behind|beyond|lower than|following|follow[s]?"
_DIRECTION = re.compile(
    rf"\b(?:(?:not|never|nothing|no)\s+(?:\w+\s+)?(?:{_ABOVE}|{_BELOW})|({_ABOVE})|({_BELOW}))\b"
)
_ANYWHERE = re.compile(
    r"anywhere|everywhere|any (?:place|position|order)|"
    r"no (?:fixed |certain |particular )?(?:order|place|position)|"
    r"(?:position|order|place) (?:says|proves|means|tells) nothing|re-?arrange|re-?order|shuffle|"
    r"(?:below|under|beneath|after) (?:all|every|any)\b"
)
_BORDER_ALONE = re.compile(r"border alone|by the border only|only by the border")
_TOP = re.compile(
    r"\b(?:at|on|to) the (?:very )?(?:top|beginning|start|head)\b|\b(?:top|upper) ?most\b|\bprepend"
)
_CLAUSE_END = re.compile(r"[,;:(]| and | but | or ")
_UPPER_BOUND = re.compile(r"\b(?:internal|inner|https?|hops?|lmtps?)\b")
_LOWER_BOUND = re.compile(r"\b(?:senders?|foreign|outside|strangers?)\b|wrote")


def place_of(words: str) -> Place:
    """The place that `words` name; BOTH where they name none."""
    text = " ".join(words.casefold().split())
    if _ANYWHERE.search(text):
        return Place.ANYWHERE
    if _BORDER_ALONE.search(text):
        return Place.ABOVE
    if text in set(Place):
        return Place(text)
    directions = _directions(text)
    if _TOP.search(text) and not directions:
        directions = {Place.ABOVE}
    return next(iter(directions)) if len(directions) == 1 else Place.BOTH


def _directions(text: str) -> set[Place]:
    """The directions that are said of the border's own line."""
    matches = list(_DIRECTION.finditer(text))
    ends = [match.start() for match in matches[1:]] + [len(text)]
    directions: set[Place] = set()
    for match, end in zip(matches, ends, strict=False):
        above, below = match.groups()
        aim = _CLAUSE_END.split(text[match.end() : end])[0]
        # "below the internal hop, above what the sender wrote" says how far up and down the place reaches.
        is_bound = (below and _UPPER_BOUND.search(aim)) or (above and _LOWER_BOUND.search(aim))
        if (above or below) and not is_bound:
            directions.add(Place.ABOVE if above else Place.BELOW)
    return directions
