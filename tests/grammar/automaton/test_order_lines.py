"""The automaton takes what the parser takes (RDR: one grammar for typed and for written orders), and no
more."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from threading import Thread

import pytest

from adjudicator.geo import Region
from adjudicator.orders import (
    Build,
    Convoy,
    Disband,
    Hold,
    Move,
    Order,
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
)
from adjudicator.units import UnitRef
from grammar.automaton.order_lines import OrderAutomaton, order_automaton
from grammar.automaton.prices import SIGNS, sign_of
from grammar.interpret import orders_in_text
from grammar.lexicon import NUMBER, PLACE, POWER
from grammar.print import canonical, prose
from tests.grammar.boards import DATA, board, forms, lexicon

WE = "Montrose"
_TABLE = tomllib.loads(Path(DATA, "phrases.toml").read_text(encoding="utf-8"))["phrases"]


def taken(slug: str, *phases: str) -> OrderAutomaton:
    return order_automaton(tuple(forms(phase) for phase in phases), lexicon(slug))


def random_orders(slug: str, phase: str, count: int) -> list[Order]:
    """Orders of random units and places, coasts among them; most are illegal, which is not the reader's
    business."""
    rng = random.Random(f"{slug} {phase}")
    regions = [Region(p.id) for p in board(slug).provinces.values()]
    regions += [Region(p.id, coast.id) for p in board(slug).provinces.values() for coast in p.coasts]

    def unit() -> UnitRef:
        return UnitRef(rng.choice("AF"), rng.choice(regions))

    def one() -> Order:
        ordered, other, to = unit(), unit(), rng.choice(regions)
        kinds: dict[str, list[Order]] = {
            "movement": [
                Hold(power=WE, unit=ordered), Move(power=WE, unit=ordered, to=to),
                SupportHold(power=WE, unit=ordered, target=other),
                SupportMove(power=WE, unit=ordered, target=other, to=to),
                Convoy(power=WE, unit=ordered, target=other, to=to),
            ],
            "retreat": [Retreat(power=WE, unit=ordered, to=to), Disband(power=WE, unit=ordered)],
            "adjustment": [Build(power=WE, kind=rng.choice("AF"), region=to), Remove(power=WE, unit=ordered)],
        }
        return rng.choice(kinds[phase])

    return [one() for _ in range(count)]


@pytest.mark.parametrize("slug", ["w3k", "standard"])
@pytest.mark.parametrize("phase", ["movement", "retreat", "adjustment"])
def test_every_printed_order_is_taken(slug: str, phase: str) -> None:
    machine = taken(slug, phase)
    for order in random_orders(slug, phase, 400):
        for text in (canonical(order, board(slug)), prose(order, board(slug), lexicon(slug).kinds)):
            assert machine.accepts(text), text


@pytest.mark.parametrize("slug", ["w3k", "standard"])
def test_every_spelling_of_every_place_is_taken_as_unit_and_as_goal(slug: str) -> None:
    machine = taken(slug, "movement")
    london = "London"
    for name in lexicon(slug).names:
        if name.terminal == PLACE:
            for text in (
                f"Army {name.text} - {london}",
                f"A {london} to {name.text.upper()}",
                f"{name.text} holds",
            ):
                assert machine.accepts(text), text


def test_every_owner_and_every_number_is_taken() -> None:
    machine = taken("w3k", "movement", "adjustment")
    for name in lexicon().names:
        if name.terminal == POWER:
            assert machine.accepts(f"the {name.text}'s Army London holds"), name.text
            assert machine.accepts(f"{name.text}s army London holds"), name.text
        if name.terminal == NUMBER:
            assert machine.accepts(f"Send {name.text} units' supply to Argyll"), name.text
    assert machine.accepts("Send 12 supply to Argyll")


@pytest.mark.parametrize(
    ("slug", "phase", "text"),
    [
        pytest.param(block["board"], block["phase"], text, id=text)
        for block in _TABLE
        for text, _ in block["lines"]
        if not block.get("is_for_keyboard")
        and orders_in_text(text, lexicon=lexicon(block["board"]), forms=[forms(block["phase"])])
    ],
)
def test_what_the_parser_takes_is_taken(slug: str, phase: str, text: str) -> None:
    assert taken(slug, phase).accepts(text)


@pytest.mark.parametrize(
    "text",
    [
        "ArmyIsleofManmovestoCounty Cork", "A Ashby de la Zouch Castle-Kent",
        "army ASHBY-DE-LA-ZOUCH castle – kent",
        "F Devon (south coast) → Irish Sea", "F Devon, sc - Irish Sea", "3. A Kent H", "- A Kent H.",
    ],
)
def test_spaces_case_hyphens_and_bullets_do_not_matter(text: str) -> None:
    assert taken("w3k", "movement").accepts(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "Montrose", "Spring 1649 Movement Orders", "Army London", "Army London supports", "to Kent",
        "If Kent moves, Army London holds", "Army London does not move to Kent", "Army Londn holds",
        "Army London holds ?",
    ],
)
def test_what_is_no_order_is_not_taken(text: str) -> None:
    assert not taken("w3k", "movement", "retreat", "adjustment").accepts(text)


def test_a_phase_takes_its_own_orders_only() -> None:
    assert not taken("w3k", "movement").accepts("Build Army London")
    assert taken("w3k", "movement", "adjustment").accepts("Build Army London")


def test_steps_are_the_same_when_asked_again_and_lead_on_without_choice() -> None:
    machine = OrderAutomaton((forms("movement"),), lexicon())
    arcs = machine.arcs(machine.start)
    assert machine.arcs(machine.start) == arcs
    assert len({symbol for symbol, _, _ in arcs}) == len(arcs)
    assert all(price >= 0 for _, _, price in arcs)


def test_threads_may_walk_it_together() -> None:
    machine = OrderAutomaton((forms("movement"),), lexicon())
    texts = [canonical(order, board()) for order in random_orders("w3k", "movement", 60)]
    answers: list[bool] = []
    threads = [
        Thread(target=lambda: answers.extend(machine.accepts(text) for text in texts)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [True] * 240


@pytest.mark.parametrize(
    ("letter", "sign"),
    [("É", "e"), ("—", "-"), ("→", "-"), ("’", ""), ("?", None), ("[", "("), (" ", " "), ("漢", None)],
)
def test_letters_count_as_their_signs(letter: str, sign: str | None) -> None:
    assert sign_of(letter) == sign


def test_signs_are_their_own_signs() -> None:
    assert [sign_of(sign) for sign in SIGNS] == list(SIGNS)


def test_a_rarer_wording_costs_more() -> None:
    machine = taken("w3k", "movement")

    def price(text: str) -> float:
        state, total = machine.start, 0.0
        for sign in text:
            state, more = next(
                (to, more) for symbol, to, more in machine.arcs(state) if SIGNS[symbol] == sign
            )
            total += more
        end = machine.end(state)
        assert end is not None
        return total + end

    assert price("army kent holds") < price("kent holds")
    assert price("army kent holds") < price("my army kent holds")


@pytest.mark.parametrize(("text", "is_taken"), [
    ("Durham army to Cumberland", True), ("Rockall fleet holds", True),
    ("Kent army supports Army Essex to Suffolk", True), ("Kent a to Surrey", False)])
def test_a_unit_is_written_behind_its_place_in_full(text: str, is_taken: bool) -> None:
    """INK-11."""
    assert taken("w3k", "movement").accepts(text) is is_taken
