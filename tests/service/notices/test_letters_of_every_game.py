"""All twenty letters of every game, from its own facts: none has a word of another game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.orders import Convert
from maps.variant import Variant
from service.mail.sending.compose import OutLetter
from service.notices.previews import Previews
from service.notices.results import ResultsAnnouncer
from service.store.tables import GameRow
from tests.support.site import Site
from tests.support.table import Table, open_table

OF_KINDS = {
    PhaseKind.RETREAT: r"retreat\w*|dislodge\w*|beaten",
    PhaseKind.ADJUSTMENT: r"builds?|removals?|adjustments?|supply|offer\w*|centres?",
    PhaseKind.MOVEMENT: r"movement", PhaseKind.TURN: r"grain|turn orders"}
"""What is only showed where a game has such a phase."""
CONVERSION = r"\b(?:convert\w*|conversion)\b"
"""What is only showed where a unit may become one of another kind."""
ELSEWHERE = {"w3k": r"prox(?:y|ies)|sends? supply|supply to", "war1648": r"mercenar\w*|loans?|ice",
             "bretwalda": r"boats?|bunch\w*", "britain1066": r"straits|unseen|off the board",
             "brittania": r"kings?|kingdom|dominion"}
"""What is only said in one game."""


def _words_of(variant: Variant) -> set[str]:
    """Every name in a game, and the words of these names."""
    names = [
        variant.title,
        *(p.name for p in variant.board.provinces.values()),
        *(s for s, _ in variant.calendar.steps),
    ]
    names += [kind.name for kind in variant.kinds.values()]
    for power in variant.powers.values():
        names += [power.name, *power.aliases]
    return {name for full in names for name in (full, *re.findall(r"\w+", full))}


def _people(variant: Variant) -> set[str]:
    return {name for power in variant.powers.values() for name in (power.name, *power.aliases)}


def foreign(slug: str) -> list[str]:
    """Patterns that no letter of a game may match: names of powers, seasons and units of other games, words
    for phases that it lacks, and words that belong to one other game alone. A name that this game has too,
    also as part of a name, is its own."""
    variant = maps.load(slug)
    own_words = {word.casefold() for word in _words_of(variant)}
    patterns = []
    for other in map(maps.load, maps.variants()):
        names = (
            _people(other)
            | {season for season, _ in other.calendar.steps}
            | {kind.name for kind in other.kinds.values()}
        )
        patterns += [rf"\b{re.escape(name)}\b" for name in names if name.casefold() not in own_words
                     and len(name) > 3]
    patterns += [
        rf"\b(?:{words})\b"
        for kind, words in OF_KINDS.items()
        if kind not in {k for _, k in variant.calendar.steps}
    ]
    if not any(Convert in orders for orders in variant.rules.ORDERS.values()):
        patterns.append(CONVERSION)
    return patterns + [rf"\b(?:{words})\b" for other, words in ELSEWHERE.items() if other != slug]


def _previews(table: Table) -> Iterator[OutLetter]:
    with table.site.store() as session:
        game = session.get_one(GameRow, table.game)
        power = next(iter(table.variant.powers))
        for kind in table.writer.kinds_of(game).values():
            yield Previews(table.writer, session, game, power).of(kind).letter


def _said(slug: str, text: str) -> list[str]:
    """The foreign words in a letter, apart from the name that games have in these tests, and from the words
    of the record's root, which are drawn by its digest ("Silver" is a power of Brittania)."""
    bare = text.replace("Powick Bridge", "").replace("powick-bridge", "")
    bare = re.sub(r"In\s+four\s+words:\s+(?:[a-z]+\s+){3}[a-z]+\.", "", bare)
    return [match.group() for pattern in foreign(slug) for match in re.finditer(pattern, bare, re.IGNORECASE)]


@pytest.mark.parametrize("slug", maps.variants())
def test_no_letter_says_a_word_of_another_game(site: Site, slug: str) -> None:
    table = open_table(site, slug=slug)
    letters = list(_previews(table))
    with table.site.store() as session:
        kinds = table.writer.kinds_of(session.get_one(GameRow, table.game))
    assert [letter.kind for letter in letters] == list(kinds)
    assert {
        letter.kind: _said(slug, f"{letter.subject}\n{letter.text}\n{letter.html}") for letter in letters
    } == {
        letter.kind: [] for letter in letters
    }


@pytest.mark.slow
@pytest.mark.parametrize("slug", maps.variants())
def test_nor_does_one_of_a_year_that_was_judged(site: Site, slug: str) -> None:
    """Half a game year or more in which no one sends anything: every letter of it, and the previews after
    it."""
    table = open_table(site, slug=slug)
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    for phase in table.phases()[:6]:
        if table.phase(phase.ordinal).state == "sent":
            continue
        site.clock.set(max(site.clock.now(), phase.opens_at))
        table.open_phase(phase.id)
        site.clock.set(phase.deadline + timedelta(minutes=1))
        table.close_phase(phase.id)
        table.approve_phase(phase.id, "ada")
    written = [f"{row.subject}\n{table.message(row).as_string()}" for row in table.letters()]
    assert len(written) > len(table.variant.powers)
    texts = [table.words(row) for row in table.letters()] + [row.subject for row in table.letters()]
    texts += [f"{letter.subject}\n{letter.text}" for letter in _previews(table)]
    assert {word for letter in texts for word in _said(slug, letter)} == set()
