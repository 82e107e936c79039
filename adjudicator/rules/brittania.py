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
from adjudicator.ruleset import Resolver, Ruleset
from adjudicator.units import Unit

SENTENCES: Mapping[str, str] = {
    # Orders
    "no_turn_order": "void: no such order is given in this game",
    "no_states": "void: {0} holds no state, and can only pick a capital",
    "no_grain_given": "void: grain is spent 1 or more at a time",
    "no_grain_left": "void: {0} has {1} grain left of {2} and cannot spend {3}",
    "overspent": "void: {0} has {1} grain and its orders spend {2}, so none of them counts",
    "no_state": "void: {0} is no state",
    "not_own_state": "void: {1} does not hold {0}",
    "unneeded": "{1} grain for {0}, which nobody attacked",
    "held": "{0} is held against {1}: {2}",
    "lost_state": "{0} is lost to {1}: {2}",
    "invested": "{1} grain: {0} yields {2} from the next turn, {3} more",
    "invested_nothing": "{1} grain in {0} is too little for one more: that takes 5",
    "invested_lost": "{1} grain in {0}, which {2} took",
    "own_already": "void: {0} is {1}'s own",
    "out_of_reach": "void: {1} holds no state beside {0} or across a sea from it",
    "all_on_crossing": "void: getting across the sea to {0} takes 5 grain, which leaves none to fight",
    "taken": "{0} is taken: {1}",
    "taken_by_lot": "{0} is taken, by lot among equals: {1}",
    "walked_in": "{0} is taken: nobody defended it",
    "walked_in_by_lot": "{0} is taken, by lot among equals: nobody defended it",
    "beaten_off": "beaten off at {0}: {1}",
    "outbid": "{0} is beaten, but {2} spent more on it: {1}",
    "outbid_lot": "{0} is beaten, but the lot between equals fell to {2}: {1}",
    "outbid_walk": "{0} was undefended, but {1} spent more on it",
    "outbid_walk_lot": "{0} was undefended, but the lot between equals fell to {1}",
    "tied_attackers": "{0} is beaten, but two spent the same on it, so neither takes it: {1}",
    "king_goes": "the king goes to {0}",
    "king_is_there": "void: the king is in {0} already",
    "no_king": "void: {0} has no king",
    "king_too_far": "void: the king cannot get from {1} to {0} in one turn",
    "king_busy": "void: the king of {0} has another order already",
    # Alliances
    "with_itself": "void: {0} can only deal with another power",
    "no_such_power": "void: {0} holds no state, and can be no ally",
    "allied_already": "void: {0} and {1} are allies already",
    "one_ceremony": "void: {0} declares another alliance this turn, and one is all it can",
    "alliance_price": "void: an alliance takes 5 grain from each side, not {0}",
    "allied": "{0} and {1} are allies",
    "not_answered": "void: {0} did not declare the alliance this turn",
    "alliance_stillborn": "no alliance: {0} and {1} fought each other, or a king of theirs died, this turn",
    "not_allied": "void: {0} and {1} were no allies when the turn began",
    "capital_stays": "void: {0} is a capital, and capitals cannot be swapped",
    "not_theirs": "void: nobody else holds {0}",
    "swap_unasked": "void: {0} did not ask for the same swap this turn",
    "swap_price": "no swap: {0} takes {1} grain, and {2} spent {3}",
    "swap_lost": "no swap: one of the two was lost in this turn's fighting",
    "swapped": "{0} is swapped for {1}",
    "sent": "{0} grain arrives at {1} next turn",
    "sent_over_sea": "{0} grain arrives at {1} next turn; the crossing took 5",
    "not_neighbours": "void: no state of {0} lies beside one of {1} or across a sea from one",
    "all_on_shipping": "void: the crossing to {0} takes 5 grain, which leaves none to send",
    "sent_to_fallen": "{0} grain is lost: {1} has fallen",
    # Picking
    "picked": "{0} is the capital of {1}",
    "has_states": "void: {0} holds states, and picks no other capital",
    "picked_twice": "void: {0} picks another capital already",
    "not_independent": "void: {0} is not independent",
    "pick_conquered": "void: {0} was conquered by {1} this turn",
    "pick_lot": "void: the lot gave {0} to {1}",
    # What everybody has
    "has": "{0} has {1} grain to spend; its states yield {2}",
    "has_kingdom": "{0}, a kingdom, has {1} grain to spend; its states yield {2}",
    "king_in": "; its king is in {0}",
    "are_allies": "{0} and {1} are allies",
    # What happened without an order
    "note_battle": "{0} is attacked by {1}. {2}",
    "note_flees": "{0}'s king flees from {1} to {2}",
    "note_king_dies": "{0}'s king is caught in {1} and dies",
    "note_heir": "{0} has a new king in {1}",
    "note_alliance_ends": "the alliance of {0} and {1} is over",
    "note_kingdom": "{0} is a kingdom, and has 5 grain more each turn from now on",
    "note_fallen": "{0} holds no state any more",
    "note_empire": "{0} is emperor of Brittania",
    "note_joint": "{0} and {1} have won together",
    "note_king_stays_out": "{0}'s king could not join the attack on {1}",
    "note_king_enters": "{0}'s king enters {1}",
}


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
