"""A board's house rules as players may read them: what the printed rules leave open, each with the answer
that is played.

They are the paragraphs of `docs/rulings/` under headings that concern play, so that developers and players
have one source. A paragraph begins with its name in bold. If a choice of `[rules.values]` follows the name,
its answers come next, each by its own name, and only the one that the board has is shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from maps.files import board_text
from maps.variant import Variant

FILE = "rulings.md"
SECTIONS = ("Play", "Words", "Judging", "Sheets")
"""Headings whose paragraphs concern players; the others show how the board was drawn."""

_BOLD = re.compile(r"\*\*(?P<name>[^*]+?)\*\*(?P<rest>.*)", re.DOTALL)
_OWN_NUMBERS = re.compile(r"\s*\((?:[A-Z]{1,4}-\d\d)(?:, [A-Z]{1,4}-\d\d)*\)")


class BadRulings(Exception):
    """House rules that do not fit their board, which is our own fault. The sentence names the paragraph."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """One house rule. `name` as results cite it ("Q-18", "Retreats") or as its paragraph begins; `text` what
    is asked or said; `answer` the one played, "" where there is nothing to choose."""

    section: str
    name: str
    text: str
    answer: str = ""


def rulings(folder: Path, variant: Variant) -> tuple[Ruling, ...]:
    """The house rules in a board's folder, in their order; none for a board without the file. Raises
    BadRulings."""
    path = folder / FILE
    if not path.exists():
        return ()
    house_rules = []
    for part in board_text(path).split("\n## ")[1:]:
        section, _, body = part.partition("\n")
        # The other sections show how the board was drawn, which is not a rule of play.
        if section in SECTIONS:
            house_rules += [
                ruling
                for text in body.split("\n\n")
                if (ruling := _ruling(section, " ".join(text.split()), variant))
            ]
    return tuple(house_rules)


def _ruling(section: str, text: str, variant: Variant) -> Ruling | None:
    bold = _BOLD.fullmatch(text)
    if bold is None:
        return None
    name, rest_of_text = bold["name"], _OWN_NUMBERS.sub("", bold["rest"]).removeprefix(".").strip()
    # "**Q-18, `convoy_paradox`.**": the name that results cite, and the choice it is about.
    code, _, choice = name.rstrip(".").partition(", `")
    if not choice:
        # "**Nobody must retreat:** the phase is passed over": the colon belongs to the sentence.
        colon = ": " if name.endswith(":") else ""
        return Ruling(section, name.rstrip(".:"), colon + rest_of_text.replace("`", ""))
    key = choice.rstrip("`")
    allowed = variant.rules.CHOICES.get(key)
    if allowed is None:
        raise BadRulings(f"{FILE}: {code} is about {key!r}, which these rules do not know")
    # The names of the answers cut the text: what is before the first is the question.
    question, *rest = re.split(rf"`({'|'.join(allowed)})`[:.] ?", rest_of_text)
    answers = dict(zip(rest[::2], rest[1::2], strict=True))
    played = variant.rules.choice(key)
    # A choice that the text forgets would be played without notice.
    if set(answers) != set(allowed):
        raise BadRulings(f"{FILE}: {code} should answer for each of {', '.join(allowed)}")
    return Ruling(section, code, question.strip(), _sentence(played, answers[played].strip()))


def _sentence(played: str, answer: str) -> str:
    """An answer that is alone; the name of a choice is for the table, but for yes and no."""
    sentence = f"{played}: {answer}".rstrip(": ") if played in {"yes", "no"} else answer
    return sentence[:1].upper() + sentence[1:]
