"""What a variant sets and overrides. The judge asks the rule set, never which game it is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Sentence
from adjudicator.geo import Board, Province
from adjudicator.lots import Lots
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
from adjudicator.outcome import Resolution
from adjudicator.phases import civil_disorder
from adjudicator.phases.adjustments import Account, AdjustmentRule, AdjustmentSheet
from adjudicator.phases.movement_sheet import Check, MovementSheet, OutcomeRule
from adjudicator.phrases import CLASSIC, REASONS
from adjudicator.position import Centres, Dislodgement, Extension, Memory, Position
from adjudicator.units import Unit

CLASSIC_ORDERS: Mapping[PhaseKind, frozenset[type[Order]]] = {
    PhaseKind.MOVEMENT: frozenset({Hold, Move, SupportHold, SupportMove, Convoy}),
    PhaseKind.RETREAT: frozenset({Retreat, Disband}),
    PhaseKind.ADJUSTMENT: frozenset({Build, Remove}),
}


_NOTHING = Memory()

Resolver = Callable[[Context, "Ruleset", Position, Sequence[Order], Lots], Resolution]
"""Judges a phase from start to finish: the position before it, everybody's orders, and the tape of lots."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Values from `[rules]` of a variant's `variant.toml`; behaviour lives in `adjudicator/rules/<name>.py`.

    `name` is the module under `adjudicator.rules`. `values` are the variant's named choices, checked by that
    module. `citations` say where the printed rules have what a sentence rests on: the name of a sentence, or
    else the contract's reason, to a paragraph ("handbook, Convoys"). An empty text is no citation. Take one
    from `adjudicator.rules.load`, which gives the class that the module defines.
    """

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Every named choice with the answers allowed, the default first."""

    FIGURES: ClassVar[Mapping[str, int | tuple[str, ...]]] = {}
    """Every figure of the game that these rules use, a number or a list of words, with the one they take if
    the variant gives none."""

    MARKS: ClassVar[Mapping[str, str]] = {}
    """Marks of provinces (`Province.marks`) in words for players; "fleets=Sweden" is the mark "fleets", and
    its words have a blank for "Sweden". Marks without words are the board's own business."""

    ORDERS: ClassVar[Mapping[PhaseKind, frozenset[type[Order]]]] = CLASSIC_ORDERS
    """Which orders a phase takes."""

    EXAMPLES: ClassVar[Mapping[PhaseKind, tuple[tuple[str, str], ...]]] = {}
    """Orders that the classic game does not have, as a player may write them, each with what it says; {a},
    {b} and {c} are places, {p} is a power."""

    CHECKS: ClassVar[Mapping[type[Order], Check]] = {}
    """Legality of order kinds that the classic game does not have, as in `adjudicator.phases.legality`."""

    SENTENCES: ClassVar[Mapping[str, str]] = CLASSIC
    """Every sentence these rules can say, by name, as in `adjudicator.phrases`."""

    OUTCOME_RULES: ClassVar[Mapping[type[Order], OutcomeRule]] = {}
    """Verdicts on order kinds that the classic game does not have, as in
    `adjudicator.phases.order_outcomes`."""

    ADJUSTMENT_RULES: ClassVar[Mapping[type[Order], AdjustmentRule]] = {}
    """What settles order kinds that the classic adjustment phase does not have."""

    RESOLVERS: ClassVar[Mapping[PhaseKind, Resolver]] = {}
    """Kinds of phase that these rules judge themselves; `adjudicator.judge` has the shared ones."""

    EXTENSION: ClassVar[type[Extension] | None] = None
    """The class of `Position.own`, where these rules keep more than units and centres."""

    LOTS: ClassVar[int] = 128
    """Numbers that a phase's tape of lots must hold: more than any phase under these rules can draw."""

    FORMS: ClassVar[Mapping[str, type[Order]]] = {}
    """Grammar rules of the variant's own wording, each with the order class that is made of it: a field takes
    what was written in the rule of the field's name (`grammar.build_orders`)."""

    name: str
    values: Mapping[str, object] = field(default_factory=dict)
    citations: Mapping[str, object] = field(default_factory=dict)
    figures: Mapping[str, object] = field(default_factory=dict)

    def check(self) -> None:
        """Raises ValueError naming the key when a choice, a citation or a figure is unknown, or a value not
        allowed."""
        for key, figure in self.figures.items():
            if key not in self.FIGURES:
                known = ", ".join(sorted(self.FIGURES)) or "none"
                raise ValueError(f"rules.figures.{key}: rule set {self.name!r} has no such figure (it has: "
                                 f"{known})")
            if not _same_sort(figure, self.FIGURES[key]):
                wanted = "a whole number" if isinstance(self.FIGURES[key], int) else "a list of texts"
                raise ValueError(f"rules.figures.{key}: {figure!r} is not {wanted}")
        for key, value in self.values.items():
            allowed = self.CHOICES.get(key)
            if allowed is None:
                known = ", ".join(sorted(self.CHOICES)) or "none"
                raise ValueError(f"rules.values.{key}: rule set {self.name!r} has no such choice (it has: "
                                 f"{known})")
            if value not in allowed:
                raise ValueError(f"rules.values.{key}: {value!r} is not one of {', '.join(allowed)}")
        for key, value in self.citations.items():
            there = key in self.SENTENCES or key in REASONS
            if not (there and isinstance(value, str)):
                wrong = f"{value!r} is not a text" if there else (f"rule set {self.name!r} has no such "
                                                                  f"sentence or reason")
                raise ValueError(f"rules.citations.{key}: {wrong}")

    def citation(self, sentence: str, reason: str | None) -> str:
        """The paragraph of the printed rules that a sentence rests on, or "" where the variant names none."""
        return str(self.citations.get(sentence, self.citations.get(reason or "", "")))

    def choice(self, key: str) -> str:
        """The answer to a named choice: the variant's, else the default. Raises KeyError for a choice not
        declared."""
        return str(self.values.get(key, self.CHOICES[key][0]))

    def number(self, key: str) -> int:
        """A figure that is a number: the variant's, else the rules'. Raises KeyError for one not declared."""
        found: Any = self.figures.get(key, self.FIGURES[key])
        return int(found)

    def word_list(self, key: str) -> tuple[str, ...]:
        """A figure that is a list of words, as `number`."""
        found: Any = self.figures.get(key, self.FIGURES[key])
        return tuple(found)

    def accepts_order(self, order: Order, phase: PhaseKind) -> bool:
        """Whether orders of this class belong to that kind of phase."""
        return type(order) in self.ORDERS.get(phase, frozenset())

    def opening_position(self, position: Position, board: Board) -> Position:
        """The position a game begins from, out of the one the tables of the variant give."""
        return position

    def first_version_counts(self) -> bool:
        """Whether the first paper of a power counts in a phase and stays; otherwise the latest version does
        (Q-60)."""
        return False

    def accepts_typed_orders(self) -> bool:
        """Whether orders may be typed into a mail, in bold; otherwise only a sheet on a photograph counts
        (Q-03, Q-60)."""
        return False

    def public_holdings(self, context: Context, position: Position) -> tuple[str, ...]:
        """What each power has beside units and centres, one sentence each, for everybody to read with the
        results."""
        return ()

    # What is known
    # ---------------------------------------------------------------------------------------------------

    def visible_position(self, context: Context, position: Position, power: str | None) -> Position:
        """The position as a power may know it, or whoever looks on where it is None."""
        return position

    def redact_resolution(self, context: Context, resolution: Resolution, power: str | None) -> Resolution:
        """What was judged as a power may know it; the same where nothing is kept from it."""
        return resolution

    # Movement
    # --------------------------------------------------------------------------------------------------------

    def forgives_wrong_kind(self) -> bool:
        """Whether an order that calls an army a fleet, or the reverse, still means the unit that stands
        there."""
        return False

    def crossing_needs_fleets(self) -> bool:
        """Whether an order to go overseas is illegal when no fleets stand on a way; otherwise it is a move
        that fails (DATC 6.D.32; Q-17)."""
        return True

    def support_follows_mover(self) -> bool:
        """Whether a support in place backs the move of a unit that was ordered to move; otherwise it is
        unmatched (Q-15)."""
        return False

    def convoy_paradox_fails_all_moves(self) -> bool:
        """Whether all moves of a convoy paradox fail; otherwise its convoys do (Szykman, DATC 4.A.2,
        Q-18)."""
        return False

    def first_of_two_orders_counts(self) -> bool:
        """Whether of two different orders for one unit the first counts; otherwise the unit holds (Q-16)."""
        return False

    def commanders(self, sheet: MovementSheet) -> Mapping[int, str]:
        """Unit number to the power that orders it this season in its owner's place. Settles the orders that
        say so."""
        return {}

    def owner_replaces_silent_commander(self) -> bool:
        """Whether the owner's own order counts when the power that commands a unit is silent (Q-23)."""
        return True

    def initial_deployment(self, context: Context, position: Position, orders: Sequence[Order]) -> Position:
        """The position that a movement phase is judged from, where orders may say how units begin it."""
        return position

    def before_resolution(self, sheet: MovementSheet) -> None:
        """The last word before the fights are decided; every order has been read by then, and legality has
        spoken."""

    def dislodged_for_retreat(
        self, sheet: MovementSheet, found: tuple[Dislodgement, ...]
    ) -> tuple[Dislodgement, ...]:
        """The dislodged as they may retreat."""
        return found

    def after_movement(
        self, sheet: MovementSheet, standing: frozenset[Unit]
    ) -> tuple[frozenset[Unit], Memory]:
        """The units as the phase leaves them, and what to remember; `standing` are all that were not
        dislodged."""
        return standing, _NOTHING

    def keeps_memory(self) -> bool:
        """Whether anything is kept in memory from one season to the next."""
        return False

    # Retreats
    # --------------------------------------------------------------------------------------------------------

    def after_retreat(self, context: Context, unit: Unit) -> Unit:
        """A unit that has just retreated, as it stands there."""
        return unit

    def memory_after_retreats(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        """What to remember after retreats; `units` are those on the board then."""
        return Memory(memory.converting & units)

    # Winter
    # ----------------------------------------------------------------------------------------------------------

    def memory_after_winter(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        """What to remember after an adjustment phase; `units` are those on the board then (Q-20)."""
        return Memory(memory.converting & units)

    def before_adjustments(self, sheet: AdjustmentSheet) -> None:
        """What passes between powers, or changes what they own, before anybody builds or removes."""

    def supply_from(self, memory: Memory, power: str, owned: frozenset[str]) -> int:
        """How many centres supply a power that owns these."""
        return len(owned)

    def upkeep(
        self, context: Context, units: Collection[Unit], built: Collection[Unit] = (),
        removed: Collection[Unit] = ()
    ) -> int:
        """How many centres' supply one power's units take, with those built and without those removed."""
        return len(units) + len(built) - len(removed)

    def needs_no_supply(self, context: Context, unit: Unit) -> bool:
        """Whether a unit never has to be removed for want of supply, though it counts against builds."""
        return False

    def can_afford(self, sheet: AdjustmentSheet, account: Account, order: Build, due: int) -> bool:
        """Whether supply is left for a unit to build; `due` is what `Winter.due` has left."""
        return due > 0

    def removal_fault(
        self, sheet: AdjustmentSheet, account: Account, unit: Unit
    ) -> tuple[str, Sentence] | None:
        """Reason and sentence against a removal of a power's own unit, or None where it stands."""
        if sheet.builds_due(account, account.sent) < 0:
            return None
        return self.adjustment_reason("too_many"), ("nothing_to_remove", account.power)

    def is_home(self, sheet: AdjustmentSheet, power: str, province: str) -> bool:
        """Whether a power may build in a province because it is a home centre."""
        return sheet.context.board.provinces[province].home == power

    def builds_off_centres(self, power: str, province: Province) -> bool:
        """Whether a power may build in a province that is no centre, or nobody's."""
        return False

    def build_fault(self, sheet: AdjustmentSheet, order: Build) -> tuple[str, Sentence] | None:
        """Reason and sentence against a build that the classic rules allow, or None."""
        return None

    def picks_missing_coast(self) -> bool:
        """Whether a fleet whose coast is missing is put on the one whose name comes first; otherwise its
        order is void (DATC 4.B.7, Q-22)."""
        return False

    def sends_surplus_only(self) -> bool:
        """Whether a power may send only what its units do not need; otherwise all it owns (Q-27)."""
        return False

    def passes_supply_on(self) -> bool:
        """Whether supply received may be sent on; otherwise each send is of the sender's own centres
        (Q-28)."""
        return False

    # The year
    # --------------------------------------------------------------------------------------------------------

    def unit_allowance(self, centres: int, units: int, received: int = 0, sent: int = 0) -> int:
        """How many units a power may have that owns so many centres, has so many units, and gets and sends
        supply."""
        return centres

    def builds_at_home_only(self) -> bool:
        """Whether a centre must be a home centre of its owner to build in."""
        return True

    def builds_strike_removals(self) -> bool:
        """Whether removals listed beside builds are struck (Q-26)."""
        return False

    def adjustment_reason(self, reason: str) -> str:
        """The word of the contract for a fault in an adjustment order."""
        return "too_many" if reason == "no_build" else reason

    def removes_by_lot(self) -> bool:
        """Whether removals that nobody ordered are drawn by lot (ADJ-05); otherwise they go by distance."""
        return False

    def enforced_removals(
        self, sheet: AdjustmentSheet, account: Account, lots: Lots
    ) -> tuple[list[Unit], Lots]:
        """The units of one power that go because it removed too few, and the tape of lots afterwards."""
        need = -sheet.builds_due(account, account.sent)
        if need <= 0:
            return [], lots
        left = sorted(
            (account.units - set(account.removed)) | set(account.built), key=lambda u: str(u.region)
        )
        return self.choose_removals(sheet.context, left, need, account.centres, lots)

    def choose_removals(
        self, context: Context, units: Sequence[Unit], need: int, centres: frozenset[str], lots: Lots
    ) -> tuple[list[Unit], Lots]:
        """The `need` units of one power that go because it removed too few, and the tape of lots
        afterwards."""
        if self.removes_by_lot():
            return civil_disorder.by_lot(units, need, lots)
        return civil_disorder.by_distance(context, units, need, centres), lots

    def after_year(
        self, context: Context, after: Position, owners: Centres
    ) -> tuple[Centres, Memory, tuple[Sentence, ...]]:
        """Who owns what, what to remember, and what there is to tell, now that a year's last retreats are
        over. `after` still has the owners from before; `owners` are those of
        `adjudicator.phases.year_end.owners_after`."""
        return owners, after.memory, ()

    def tests_victory_in_winter(self) -> bool:
        """Whether victory and draw are looked at after the Winter; otherwise as soon as the Autumn is over
        (Q-29)."""
        return False

    def draw_ends_game(self) -> bool:
        """Whether a game ends as a draw once the condition is fulfilled; otherwise the survivors may ask for
        it (Q-30)."""
        return False

    def winner(self, context: Context, centres: Mapping[str, frozenset[str]]) -> str | None:
        """The power that has won with these centres, or None: the most centres, and enough of them for it."""
        counts = sorted(
            (len(owned), power) for power, owned in centres.items()
            if len(owned) >= context.victories.get(power, context.victory)
        )
        if not context.victory or not counts:
            return None
        tied = len(counts) > 1 and counts[-2][0] == counts[-1][0]
        return None if tied else counts[-1][1]

    def draw_open_to(
        self, context: Context, centres: Mapping[str, frozenset[str]], units: frozenset[Unit]
    ) -> tuple[str, ...] | None:
        """The powers that together fulfil the condition for a draw, or None where the rules set none or it is
        not fulfilled."""
        return None


def _same_sort(figure: object, default: int | tuple[str, ...]) -> bool:
    if isinstance(default, int):
        return isinstance(figure, int) and not isinstance(figure, bool)
    return isinstance(figure, list | tuple) and all(isinstance(word, str) for word in figure)
