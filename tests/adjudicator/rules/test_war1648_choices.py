"""Both answers to every question that the rules of 1648 leave open, and the game's figures (TYW-03 to TYW-14,
Q-16 to Q-53)."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

import maps
from adjudicator import rules
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.orders import Order
from adjudicator.outcome import Resolution
from adjudicator.position import Memory, Position
from adjudicator.units import Unit
from reading.vocabulary import parse_typed

VARIANT = maps.load("war1648")
JULY, JANUARY, AUGUST = (Phase(1619, month, PhaseKind.MOVEMENT) for month in ("July", "January", "August"))
SEPTEMBER = Phase(1619, "September", PhaseKind.ADJUSTMENT)


@dataclass
class Case:
    """A month and what happens in it; `notes` are what is remembered of centres."""

    phase: Phase
    units: tuple[str, ...] = ()
    sheets: tuple[tuple[str, str], ...] = ()
    centres: dict[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[tuple[str, ...], ...] = ()

    def played(self, **values: str) -> Resolution:
        """The month judged with other answers than ours."""
        # The board's own values first: only the choice under test differs from the game that is played.
        ruled = rules.load("war1648", {**VARIANT.rules.values, **values}, {}, VARIANT.rules.figures)
        owned = {power: frozenset(centres) for power, centres in self.centres.items()}
        position = Position(
            self.phase, frozenset(map(_unit, self.units)), owned, memory=Memory(notes=frozenset(self.notes))
        )
        orders = [order for sheet in self.sheets for order in self._orders(*sheet)]
        return judge(VARIANT.context(), ruled, position, orders)

    def _orders(self, power: str, text: str) -> tuple[Order, ...]:
        parsed = parse_typed(VARIANT, self.phase.kind, power, text)
        assert parsed.orders, text
        return parsed.orders


def _unit(text: str) -> Unit:
    power = next(power for power in VARIANT.powers if text.startswith(power))
    kind, _, place = text.removeprefix(power).strip().partition(" ")
    return Unit(power, kind, Region.of(place))


def _said(resolution: Resolution) -> list[str]:
    return [o.reason or o.result.value for o in resolution.outcomes]


QUESTIONS: list[tuple[str, str, Case, list[str], list[str]]] = [
    (
        "wrong_unit_type",
        "void",
        Case(JULY, ("Austria M Vienna",), (("Austria", "A Vienna - Moravia"),)),
        ["succeeds"],
        ["no_such_unit"],
    ),
    (
        "double_orders",
        "first",
        Case(
            JULY,
            ("Austria A Vienna",),
            (("Austria", "A Vienna - Moravia"), ("Austria", "A Vienna - Bohemia")),
        ),
        ["illegal", "illegal"],
        ["succeeds", "illegal"],
    ),
    (
        "missing_coast",
        "first",
        Case(SEPTEMBER, (), (("Spain", "Build F Papal States"),), {"Spain": ("Papal States",)}),
        ["coast_missing"],
        ["not_home_centre"],
    ),
    (
        "build_months_count",
        "no",
        Case(
            SEPTEMBER,
            (),
            (("England", "Build A Holland"),),
            {"England": ("Holland",)},
            (("held", "Holland", "England", "1619", "June"),),
        ),
        ["succeeds"],
        ["not_owned"],
    ),
    (
        "own_attack_disrupts",
        "yes",
        Case(
            JULY,
            ("Sweden F Stockholm", "Sweden A Gothia"),
            (("Sweden", "F Stockholm FCA"), ("Sweden", "A Gothia - Stockholm")),
        ),
        ["completed", "bounced"],
        ["disrupted", "bounced"],
    ),
    (
        "frozen_fleet_changes",
        "yes",
        Case(JANUARY, ("Russia F Kargopol",), (("Russia", "F Kargopol FCA"),)),
        ["illegal"],
        ["completed"],
    ),
    (
        "fleets_and_frozen_land",
        "open",
        Case(
            JANUARY,
            ("Sweden F Lapland", "Sweden F Bergen", "Russia A Trondelag"),
            (("Sweden", "F Lapland - Finnmark"), ("Sweden", "F Bergen - Trondelag")),
        ),
        ["illegal", "illegal"],
        ["succeeds", "illegal"],
    ),
    (
        "convoys_in_ice",
        "yes",
        Case(
            JANUARY,
            ("England F Norwegian Sea", "England A Bergen", "England F North Atlantic"),
            (
                ("England", "A Bergen - Ulster"),
                ("England", "F Norwegian Sea C A Bergen - Ulster"),
                ("England", "F North Atlantic C A Bergen - Ulster"),
            ),
        ),
        ["no_convoy", "illegal", "succeeds"],
        ["succeeds", "succeeds", "succeeds"],
    ),
    (
        "lender_borrows",
        "yes",
        Case(
            SEPTEMBER,
            (),
            (("England", "Lend London to Spain"),),
            {"England": ("London",), "Spain": ("Naples", "Granada")},
            (("loan", "Naples", "Spain", "France"),),
        ),
        ["illegal"],
        ["succeeds"],
    ),
]


@pytest.mark.parametrize(
    ("choice", "other", "case", "ours", "theirs"), QUESTIONS, ids=[row[0] for row in QUESTIONS]
)
def test_either_answer_is_played(
    choice: str, other: str, case: Case, ours: list[str], theirs: list[str]
) -> None:
    assert VARIANT.rules.choice(choice) != other
    assert _said(case.played()) == ours
    assert _said(case.played(**{choice: other})) == theirs


def test_a_paradox_ends_either_way() -> None:
    """Q-18: the convoy that its own army's attack would save."""
    case = Case(
        JULY, ("England A London", "England F North Sea", "Spain F Holland", "Spain F English Channel"),
        (("England", "A London - Holland"), ("England", "F North Sea C A London - Holland"),
         ("Spain", "F Holland S F English Channel - North Sea"),
         ("Spain", "F English Channel - North Sea")))  # fmt: skip
    assert _said(case.played()) == ["no_convoy", "dislodged", "succeeds", "succeeds"]
    assert _said(case.played(convoy_paradox="all_hold"))[0] == "bounced"


def test_retreats_into_the_ice() -> None:
    case = Case(JANUARY, ("England F Bergen", "Sweden F Norway", "Sweden F Skagerrak"),
                (("Sweden", "F Norway - Bergen"), ("Sweden", "F Skagerrak S F Norway - Bergen")))
    assert {str(r) for r in case.played().dislodged[0].may_retreat} == {"North Sea"}
    open_to = {str(r) for r in case.played(retreats_into_ice="yes").dislodged[0].may_retreat}
    assert open_to == {"North Sea", "Norwegian Sea", "Trondelag"}


def test_the_odd_mercenary() -> None:
    """TYW-07: two units and a mercenary, and supply for two."""
    case = Case(
        SEPTEMBER,
        ("France A Burgundy", "France A Picardy", "France M Gascony"),
        (),
        {"France": ("Paris", "Nantes")},
    )
    # Only one mercenary is left to go, so it goes and a unit next to it.
    assert len(case.played().position.units) == 1
    alone = case.played(odd_mercenary="alone").position
    assert {str(u) for u in alone.units} == {"France A Burgundy", "France A Picardy"}


def test_special_centres_that_count_or_do_not() -> None:
    """TYW-08."""
    case = Case(AUGUST, ("Ottoman Empire A Buda",), (), {"Ottoman Empire": ("Syria",)})
    assert case.played().position.centres == {"Ottoman Empire": frozenset({"Syria"})}
    assert case.played(special_centres="owned").position.centres == {
        "Ottoman Empire": frozenset({"Syria", "Buda"})
    }


def test_a_home_retaken() -> None:
    """TYW-08."""
    case = Case(AUGUST, ("Ottoman Empire A Greece",), (), {"Ottoman Empire": ("Smyrna",)},
                (("home", "Ottoman Empire", "Smyrna", "Greece"),))
    assert case.played().position.centres == {"Ottoman Empire": frozenset({"Greece"})}
    stays = case.played(special_when_retaken="stays").position
    assert stays.centres == {"Ottoman Empire": frozenset({"Greece", "Smyrna"})}
    assert stays.memory.notes == {("home", "Ottoman Empire", "Smyrna", "Greece")}


def test_the_borrowers_garrison() -> None:
    """TYW-14."""
    case = Case(
        AUGUST, ("France F Naples",), (), {"Spain": ("Naples",)}, (("loan", "Naples", "Spain", "France"),)
    )
    assert case.played().position.centres == {"Spain": frozenset({"Naples"})}
    taken = case.played(borrower_takes="yes")
    assert taken.position.centres == {"France": frozenset({"Naples"})}
    assert not [note for note in taken.position.memory.notes if note[0] == "loan"]


def test_every_choice_is_played_here() -> None:
    apart = {
        "convoy_paradox", "retreats_into_ice", "odd_mercenary", "special_centres", "special_when_retaken",
        "borrower_takes",
    }  # fmt: skip
    assert {row[0] for row in QUESTIONS} | apart == set(VARIANT.rules.CHOICES) == set(VARIANT.rules.values)


@pytest.mark.parametrize(("figures", "key"), [
    ({"frosts": ["January"]}, "rules.figures.frosts"), ({"frost": "January"}, "rules.figures.frost"),
    ({"fleets_a_turn": True}, "rules.figures.fleets_a_turn"),
    ({"turns_held": ["3"]}, "rules.figures.turns_held"),
])
def test_a_wrong_figure_is_our_own_fault_and_named(figures: dict[str, object], key: str) -> None:
    with pytest.raises(ValueError, match=key.replace(".", r"\.")):
        rules.load("war1648", {}, {}, figures)
