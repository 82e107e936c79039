"""The place of a provider's stamps, read from the words of a setting."""

from __future__ import annotations

import re
from enum import StrEnum


class Place(StrEnum):
    """Where stamps are as seen from the border, the Received line by which the provider took the mail.

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
    r"(?:below|under|beneath|after) (?:all|every|any)\b|at the (?:very )?(?:bottom|end|foot)\b|\bamong\b|"
    r"order (?:is |of headers is )?(?:not kept|not preserved|lost|changed)|\bmix(?:ed|es)\b"
)
_BORDER_ALONE = re.compile(r"border alone|by the border only|only by the border")
_TOP = re.compile(
    r"\b(?:at|on|to) the (?:very )?(?:top|beginning|start|head)\b|\b(?:top|upper) ?most\b|\bprepend"
    r"|^(?:the )?(?:very )?top\b|\b(?:as|are|is) the (?:very )?first\b|\bfirst (?:thing|lines?|headers?)\b"
)
_CLAUSE_END = re.compile(r"[,;:(]| and | but | or ")
_UPPER_BOUND = re.compile(r"\b(?:internal|inner|https?|hops?|lmtps?)\b")
_LOWER_BOUND = re.compile(
    r"\b(?:senders?|foreign|outside|strangers?)\b|wrote"
    r"|^\W*(?:the |its |his |her |own )*(?:from|subject|date|mime|message|body|rest|original|other|dkim)\b"
)
_CLAUSE = re.compile(r"\b(?:that|which|where|who)\b")
_BETWEEN = re.compile(r"\bbetween (.+?) and (.+)")
_ALTERNATIVES = re.compile(r"\b(?:or|either|sometimes|versions?|depending|varies|web|older|old|newer|new)\b")
_SAME_LINE = re.compile(r"\s*(?:it|that|this|the same(?: line)?|one)?\s*(?:$|[,.;:)]|in\b)")


def place_of(words: str) -> Place:
    """The place that `words` name; BOTH where they name none."""
    text = " ".join(words.casefold().split())
    if _ANYWHERE.search(text):
        return Place.ANYWHERE
    if _BORDER_ALONE.search(text):
        return Place.ABOVE
    if text in set(Place):
        return Place(text)
    between = _BETWEEN.search(text)
    if between is not None:
        parts = [_aim(part) for part in between.groups()]
        if any(map(_LOWER_BOUND.search, parts)):
            return Place.BELOW
        return Place.ABOVE if any(map(_UPPER_BOUND.search, parts)) else Place.BOTH
    directions = _directions(text)
    if _TOP.search(text) and not directions:
        directions = {Place.ABOVE}
    return next(iter(directions)) if len(directions) == 1 else Place.BOTH


def _directions(text: str) -> set[Place]:
    """The directions that are stated about the border's own line."""
    matches = list(_DIRECTION.finditer(text))
    ends = [match.start() for match in matches[1:]] + [len(text)]
    directions: set[Place] = set()
    is_range = _ALTERNATIVES.search(text) is None
    for match, end in zip(matches, ends, strict=False):
        above, below = match.groups()
        aim = _aim(_CLAUSE_END.split(text[match.end() : end])[0])
        if below and _LOWER_BOUND.search(aim):
            return {Place.ANYWHERE}
        # "below the internal hop, above what the sender wrote" shows how far up and down the place reaches.
        is_bound = (below and _UPPER_BOUND.search(aim)) or (above and _LOWER_BOUND.search(aim))
        if (above or below) and not is_bound:
            directions.add(Place.ABOVE if above else Place.BELOW)
            is_range = is_range and not _SAME_LINE.fullmatch(aim)
    # "above the gate's line, below the proxies": between two lines of the provider's own, and the lower one
    # is the border. "Spf above the line, dkim below it" names one line twice.
    return {Place.ABOVE} if is_range and len(directions) > 1 else directions


def _aim(words: str) -> str:
    """What a direction is seen from: "the line of mx1" of "the line of mx1 that names the sender"."""
    before = _CLAUSE.split(words)[0]
    return before if "received" in before or "border" in before else words
