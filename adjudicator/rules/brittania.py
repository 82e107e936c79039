"""Warring States: Brittania. Grain, investment, conquest with dice, kings, alliances; one kind of phase, the
turn.

It shares board, lots, position and resolution with the other games, and none of the arithmetic of support.
What the printed rules leave open is a named choice; docs/rulings/brittania.md has the questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Explainer
from adjudicator.geo import LAND, Board, Region
from adjudicator.orders import Order
from adjudicator.position import Extension, Position
from adjudicator.rules.brittania_realm import (
    KING,
    YIELD,
    Ally,
    Claim,
    Conquer,
    Defend,
    Invest,
    MoveKing,
    Realm,
    Send,
    Swap,
    check_realm,
)
from adjudicator.rules.brittania_turn import resolve
from adjudicator.rules.brittania_words import SENTENCES
from adjudicator.ruleset import Resolver, Ruleset
from adjudicator.units import Unit


@dataclass(frozen=True, slots=True)
class WarringStates(Ruleset):
    """The rules of Brittania."""

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "attackers_tied": ("lot", "defender_keeps"),
        "continuous": ("islands", "land", "any_sea"),  # WSB-06
        "defence_die": ("each", "once"),  # WSB-12
        "halved_odd": ("down", "up"),
        "invested_and_lost": ("halved_with_it", "lost"),  # WSB-13
        "joint_kingdom_states": ("ten", "eight"),
        "king_after_conquest": ("stays", "enters"),  # WSB-14
        "king_alone_defends": ("no", "yes"),  # WSB-10
        "king_reach": ("land_and_sea", "land"),  # WSB-15
        "overspending": ("in_order", "void_all"),  # bad input
        "papers": ("first", "latest"),
        "swap_price": ("given", "received"),
        "unmatched_grain": ("kept", "spent"),  # WSB-16, WSB-17
        "unspent_grain": ("carries_over", "rots"),
    }
    ORDERS: ClassVar[Mapping[PhaseKind, frozenset[type[Order]]]] = {
        PhaseKind.TURN: frozenset({Defend, Invest, Conquer, MoveKing, Ally, Swap, Send, Claim}),
    }
    FORMS: ClassVar[Mapping[str, type[Order]]] = {
        "defend": Defend, "invest": Invest, "conquer": Conquer, "move_king": MoveKing, "ally": Ally,
        "swap": Swap,
        "send_grain": Send, "claim": Claim,
    }
    EXAMPLES: ClassVar[Mapping[PhaseKind, tuple[tuple[str, str], ...]]] = {
        PhaseKind.TURN: (
            ("Capital {a}", "where a power begins"),
            ("5 Grain for Defense of {a}", "five grain defend it"),
            ("5 Grain for Investing of {a}", "it yields more from the next turn on"),
            ("10 Grain for Conquest of {b}", "ten grain attack it"),
            ("10 Grain for Conquest of {b} with the King", "and the king goes with them"),
            ("King to {b}", "the king goes there"),
            ("5 Grain for Alliance with {p}", "an alliance, if both declare it"),
            ("5 Grain for Swap of {a} for {b}", "two states change hands, if both ask for it"),
            ("Send 5 Grain to {p}", "grain goes to an ally")),
    }
    SENTENCES: ClassVar[Mapping[str, str]] = SENTENCES
    RESOLVERS: ClassVar[Mapping[PhaseKind, Resolver]] = {PhaseKind.TURN: resolve}
    EXTENSION: ClassVar[type[Extension] | None] = Realm
    # 49 states with ten attackers each would draw 980 dice; grain allows far fewer attacks.
    LOTS: ClassVar[int] = 1000

    def opening_position(self, position: Position, board: Board) -> Position:
        """Powers that the tables give a state begin in the first of them, with a king and 10 grain; the
        others pick."""
        capitals = {power: min(states) for power, states in position.centres.items() if states}
        kings = {unit.power for unit in position.units}
        crowned = {
            Unit(power, KING, Region(state)) for power, state in capitals.items() if power not in kings}
        # WSB-04: every state yields 10 and every power begins with 10 grain.
        realm = Realm(grain=dict.fromkeys(capitals, YIELD), capitals=capitals)
        return replace(position, units=position.units | crowned, own=realm)

    def check_state(self, context: Context, state: Extension) -> None:
        assert isinstance(state, Realm)
        check_realm(context, state)

    def public_holdings(self, context: Context, position: Position) -> tuple[str, ...]:
        """The grain of each power, what its states yield and where its king is, in the order of the seats,
        then the alliances."""
        realm = position.own
        assert isinstance(realm, Realm)
        words = Explainer(context, self)
        sentences = []
        for power in context.powers:
            states = position.centres.get(power, frozenset())
            if not states:
                continue
            yields = ", ".join(f"{words.name(state)} {realm.yields(state)}" for state in sorted(states))
            name = "has_kingdom" if power in realm.kingdoms else "has"
            king = "".join(
                words.text(("king_in", unit.region.province))
                for unit in position.units
                if unit.power == power
            )
            sentences.append(words.text((name, power, realm.grain.get(power, 0), yields)) + king)
        return (*sentences, *(words.text(("are_allies", *two)) for two in sorted(realm.alliances)))

    def journey(self, context: Context, position: Position, order: Order) -> tuple[str, str] | None:
        """A king sets out from where he is; an attack from where the king is who joins it, else from the
        first state of its power by name that borders on its goal, else from the first across a sea."""
        if not isinstance(order, Conquer | MoveKing):
            return None
        goal = order.state.province
        king = next((unit.region.province for unit in position.units if unit.power == order.power), None)
        if isinstance(order, MoveKing) or (order.king and king is not None):
            return None if king is None else (king, goal)
        by_land = context.board.near(goal, LAND)
        waters = context.tables.waters.get(goal, frozenset())
        ways = [(state not in by_land, state) for state in position.centres.get(order.power, ())
                if state in by_land or waters & context.tables.waters.get(state, frozenset())]
        return (min(ways)[1], goal) if ways else None

    def accepts_typed_orders(self) -> bool:
        return True

    def first_version_counts(self) -> bool:
        return self.choice("papers") == "first"


RULES = WarringStates
