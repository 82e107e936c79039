"""What the lines that a recogniser is tuned on say: orders, headings, and about as much that is neither.

A reader tuned on orders alone gets worse at everything else and learns to guess orders. So general words,
numbers and random letters are mixed in. The words are those of the English in Python's own reference
(`pydoc_data`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pydoc_data import topics

import numpy as np

from training.sheets.phrases import Dialect, PhraseBook
from training.sheets.random_orders import POWERS, RandomName

# Shares of lines that are orders, whole or a piece of one, and headings; the rest is general.
ORDERS, HEADINGS = 0.52, 0.08

# Share of the orders whose names are of no board, so that a name is read and not guessed.
INVENTED = 0.35
_PHASES = ("Movement", "Movement", "Movement", "Retreat", "Adjustment")
_SEASONS = ("Spring", "Summer", "Autumn", "Winter", "Fall")
_MONTHS = ("January", "March", "April", "June", "August", "October", "December")
_FIRST_NAMES = (
    "Anna", "Bob", "Chris", "Dorothy", "Edward", "Fiona", "George", "Helen", "Ivan", "Jack", "Kate", "Liam",
    "Maria", "Nigel", "Olga", "Peter", "Quentin", "Rachel", "Steve", "Tom", "Ursula", "Victor", "Wendy",
    "Zoe",
)  # fmt: skip
_MORE_POWERS = ("Austria", "England", "France", "Germany", "Italy", "Russia", "Turkey", "Duke William",
                "Harald Hardrada", "Mercia", "Wessex", "Northumbria", "Spain", "Sweden", "Poland",
                "Ottoman Empire")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_VOWELS, _CONSONANTS = "aeiou", "bcdfghjklmnprstvwyz"


@dataclass(frozen=True, slots=True)
class Sources:
    """What texts are made of. `boards`: the regions of each board, so that orders keep to one board's
    names."""

    boards: Sequence[Sequence[RandomName]]


def text(sources: Sources, rng: np.random.Generator) -> str:
    """One line of one to ten words; deterministic in `rng`. Single spaces, none at the ends, never empty."""
    chance = rng.random()
    if chance < ORDERS:
        words = _order(sources, rng)
    elif chance < ORDERS + HEADINGS:
        words = _heading(rng)
    else:
        words = _general(rng)
    return " ".join(_cased(words, rng).split())


def code_line(sources: Sources, rng: np.random.Generator) -> str:
    """A short order by codes: half of them a board's, half three letters by chance, so that a code is read
    and not guessed; A and F as often."""
    first, second, third = (_code(sources, rng) for _ in range(3))
    unit, other = _pick(rng, "AF"), _pick(rng, "AF")
    arrow = _pick(rng, (" - ",) * 6 + ("-", " -> ", " to ", "->", " -"))
    words = _pick(rng, (
        f"{unit} {first}{arrow}{second}", f"{unit} {first}{arrow}{second}", f"{unit} {first}{arrow}{second}",
        f"{unit} {first} H", f"{unit} {first} S {other} {second}{arrow}{third}",
        f"{unit} {first} S {other} {second}", f"F {first} C A {second}{arrow}{third}",
        f"{unit} {first} R {second}", f"Build {unit} {first}", f"Remove {unit} {first}", f"{unit} {first}",
        f"{first}{arrow}{second}", f"{unit} {first} = {other}",
    ))  # fmt: skip
    words += "." if rng.random() < 0.12 else ""
    return words.lower() if rng.random() < 0.05 else words


def _code(sources: Sources, rng: np.random.Generator) -> str:
    if rng.random() < 0.5:
        names = sources.boards[int(rng.integers(len(sources.boards)))]
        code = names[int(rng.integers(len(names)))].abbr
        if code:
            return code.upper() if rng.random() < 0.15 else code
    return _random_code(rng)


def _random_code(rng: np.random.Generator) -> str:
    letters = "".join(_LETTERS[k] for k in rng.integers(0, 26, int(rng.choice((2, 3, 3, 3, 3, 4)))))
    return letters.upper() if rng.random() < 0.2 else letters.capitalize()


def _order(sources: Sources, rng: np.random.Generator) -> str:
    names = sources.boards[int(rng.integers(len(sources.boards)))]
    if rng.random() < INVENTED:
        names = _invented_names(names, rng)
    book = PhraseBook(names, rng, list(Dialect)[int(rng.integers(3))], (*POWERS, *_MORE_POWERS))
    # The wording alone: what the order means does not matter to a recogniser.
    order = book.order(_pick(rng, _PHASES))[0]
    order = order[0].upper() + order[1:] + ("." if rng.random() < 0.1 else "")
    return order if rng.random() < 0.45 else _piece(order, rng)


def _invented_names(names: Sequence[RandomName], rng: np.random.Generator) -> tuple[RandomName, ...]:
    """Some regions of a board under names of no list."""
    drawn = [names[index] for index in rng.permutation(len(names))[:40]]
    return tuple(
        replace(name, name=_invented_name(name.name, rng), aliases=(), abbr=_random_code(rng))
        for name in drawn
    )


def _invented_name(name: str, rng: np.random.Generator) -> str:
    """A name whose longer words are made up: by half a few letters from its own, else of pieces of English
    words. Short words stay ("of", "Sea")."""
    return " ".join(
        word if len(word) < 4 or not word.isalpha()
        else _changed_word(word, rng) if rng.random() < 0.5 else _pieced_word(rng)
        for word in name.split()
    )


def _changed_word(word: str, rng: np.random.Generator) -> str:
    """A word with two to four of its letters changed, a vowel to a vowel."""
    letters = list(word.lower())
    for spot in rng.permutation(len(letters))[: int(rng.integers(2, 5))]:
        like = _VOWELS if letters[spot] in _VOWELS else _CONSONANTS
        letters[spot] = like[int(rng.integers(len(like)))]
    return "".join(letters).capitalize()


def _pieced_word(rng: np.random.Generator) -> str:
    """The beginning of a word and the end of another."""
    first, last = _word(rng), _word(rng)
    return (first[: int(rng.integers(2, 5))] + last[-int(rng.integers(2, 5)) :]).capitalize()


def _piece(order: str, rng: np.random.Generator) -> str:
    """A few consecutive words of a text, as on one row of a wrapped order."""
    parts = order.split()
    length = int(rng.integers(1, min(6, len(parts)) + 1))
    start = int(rng.integers(len(parts) - length + 1))
    return " ".join(parts[start : start + length])


def _heading(rng: np.random.Generator) -> str:
    year = int(rng.choice([rng.integers(1640, 1652), rng.integers(1900, 1920), rng.integers(600, 1100)]))
    season, power = _pick(rng, _SEASONS), _pick(rng, (*POWERS, *_MORE_POWERS))
    kind = _pick(rng, ("Moves", "Movement Orders", "Retreats", "Adjustments", "Builds", "Orders", ""))
    name = f"{_pick(rng, _FIRST_NAMES)} {_word(rng).capitalize()}"
    return _pick(rng, (
        f"{season} {year} {kind}", f"Game: {_word(rng).capitalize()} {_word(rng).capitalize()}",
        f"{power}, {season} {year}",
        f"v{rng.integers(2, 10)}", f"Version {rng.integers(2, 10)}", f"{power}", name,
        f"{name}, {power}, {season} {year}",
        f"{kind} - {season} {year}, v{rng.integers(2, 5)}", f"Orders for {power}",
    ))  # fmt: skip


def _general(rng: np.random.Generator) -> str:
    chance = rng.random()
    if chance < 0.12:
        return _figures(rng)
    if chance < 0.20:
        return " ".join(_nonsense(rng) for _ in range(int(rng.integers(1, 4))))
    words = [_word(rng) for _ in range(int(rng.integers(1, 8)))]
    if rng.random() < 0.25:
        words[int(rng.integers(len(words)))] = _figures(rng)
    if rng.random() < 0.5:
        words = [word.capitalize() if rng.random() < 0.4 else word for word in words]
    joint = _pick(rng, (" ",) * 12 + (", ", " - ", "/", " & ", "; ", ": "))
    return joint.join(words) + _pick(rng, ("",) * 8 + (".", "!", "?", ","))


def _figures(rng: np.random.Generator) -> str:
    number, day = int(rng.integers(0, 10 ** int(rng.integers(1, 6)))), int(rng.integers(1, 32))
    return _pick(rng, (
        f"{number}", f"{number}", f"{day} {_pick(rng, _MONTHS)}", f"{day}/{rng.integers(1, 13)}",
        f"({number})", f"#{day}",
        f"{day}.", f"{rng.integers(1, 24)}:{rng.integers(10, 60)}", f"{day}th", f"1{rng.integers(600, 999)}",
    ))  # fmt: skip


def _nonsense(rng: np.random.Generator) -> str:
    """Random letters, the rare ones as often as the others: the recogniser must read, not guess."""
    letters = "".join(_LETTERS[k] for k in rng.integers(0, 26, int(rng.integers(2, 9))))
    return letters.capitalize() if rng.random() < 0.5 else letters


def _cased(words: str, rng: np.random.Generator) -> str:
    chance = rng.random()
    if chance < 0.08:
        return words.upper()
    return words.lower() if chance < 0.18 else words


def _word(rng: np.random.Generator) -> str:
    words = general_words()
    return words[int(rng.integers(len(words)))]


@cache
def general_words() -> tuple[str, ...]:
    """The distinct English words of Python's reference, in alphabetical order; the same for one Python
    release."""
    words = re.findall(r"(?<![\w.'`])[A-Za-z]?[a-z]{1,12}(?![\w'`(])", " ".join(topics.topics.values()))
    return tuple(sorted({word.lower() for word in words if len(word) > 1 or word in "aAI"}))


def _pick(rng: np.random.Generator, choices: Sequence[str]) -> str:
    return choices[int(rng.integers(len(choices)))]
