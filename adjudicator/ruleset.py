"""What a variant sets and overrides, with the defaults of the classic game. The judge calls the rule set, and
never which game it is."""

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
    Waive,
)
from adjudicator.outcome import Resolution
from adjudicator.phases import civil_disorder
from adjudicator.phases.adjustment_sheet import Account, AdjustmentRule, AdjustmentSheet, Fault
from adjudicator.phases.movement_sheet import Check, MovementSheet, OutcomeRule
from adjudicator.phrases import CLASSIC, REASONS
from adjudicator.position import Centres, Dislodgement, Extension, Memory, NotePart, Position
from adjudicator.units import Unit

CLASSIC_ORDERS: Mapping[PhaseKind, frozenset[type[Order]]] = {
    PhaseKind.MOVEMENT: frozenset({Hold, Move, SupportHold, SupportMove, Convoy}),
    PhaseKind.RETREAT: frozenset({Retreat, Disband}),
    PhaseKind.ADJUSTMENT: frozenset({Build, Remove, Waive}),
}

_NO_MEMORY = Memory()

Resolver = Callable[[Context, "Ruleset", Position, Sequence[Order], Lots], Resolution]
"""Judges a phase from start to finish: the position before it, everybody's orders, and the tape of lots."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Values from `[rules]` of a variant's `variant.toml`, and the classic answer to every question
    of a phase.

    `adjudicator.rules.load` makes one, of the class that the module `adjudicator.rules.<name>` defines.
    `values` are the variant's named choices and `figures` its numbers and lists of words. `citations` say
    where the printed rules have what a sentence rests on: a sentence's name, or else the contract's reason,
    to a paragraph ("handbook, Convoys"); an empty text is not a citation.

    The class attributes show what a rule set has: a new kind of order has its class in `ORDERS`, and a
    function in `CHECKS` and `OUTCOME_RULES`, or in `ADJUSTMENT_RULES`. The methods are hooks, grouped by
    phase; the Protocols of `adjudicator.phases` show which phase calls which.
    """

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {"wrong_unit_type": ("forgiven", "void")}
    """Every named choice with the answers allowed, the default first."""

    FIGURES: ClassVar[Mapping[str, int | tuple[str, ...]]] = {}
    """Every figure that these rules use, a number or a list of words, with its default."""

    MARKS: ClassVar[Mapping[str, str]] = {}
    """Marks of provinces (`Province.marks`) in words for players. "fleets=Sweden" is the mark "fleets", whose
    words have a blank for "Sweden". Marks without words are not shown."""

    ORDERS: ClassVar[Mapping[PhaseKind, frozenset[type[Order]]]] = CLASSIC_ORDERS
    """The orders that each kind of phase takes."""

    EXAMPLES: ClassVar[Mapping[PhaseKind, tuple[tuple[str, str], ...]]] = {}
    """Orders that the classic game does not have, as a player may write them, each with what it does; {a},
    {b} and {c} are places, {p} is a power."""

    SHEDDING: ClassVar[frozenset[str]] = frozenset()
    """Kinds of units that may leave their boats behind as they move (`Move.sheds`)."""

    CHECKS: ClassVar[Mapping[type[Order], Check]] = {}
    """Legality of orders that the classic game does not have, as in `adjudicator.phases.legality`."""

    SENTENCES: ClassVar[Mapping[str, str]] = CLASSIC
    """Every sentence these rules can say, by name, as in `adjudicator.phrases`."""

    OUTCOME_RULES: ClassVar[Mapping[type[Order], OutcomeRule]] = {}
    """Outcomes of movement orders that the classic game does not have."""

    ADJUSTMENT_RULES: ClassVar[Mapping[type[Order], AdjustmentRule]] = {}
    """What settles adjustment orders that the classic game does not have."""

    RESOLVERS: ClassVar[Mapping[PhaseKind, Resolver]] = {}
    """Kinds of phase that these rules judge themselves; `adjudicator.judge` has the shared ones."""

    EXTENSION: ClassVar[type[Extension] | None] = None
    """The class of `Position.own`, where these rules keep more than units and centres."""

    NOTES: ClassVar[Mapping[str, tuple[NotePart, ...]]] = {}
    """The notes that these rules keep in `Memory.notes`, by their first word, with what the others are."""

    LOTS: ClassVar[int] = 128
    """Numbers that a phase's tape of lots must hold: more than any phase under these rules can draw."""

    FORMS: ClassVar[Mapping[str, type[Order]]] = {}
    """Rules of the variant's own grammar, each with the order class that is made of it. A field takes what
    the grammar rule of the field's name matched (`grammar.build_orders`)."""

    name: str
    values: Mapping[str, object] = field(default_factory=dict)
    citations: Mapping[str, object] = field(default_factory=dict)
    figures: Mapping[str, object] = field(default_factory=dict)

    def check(self) -> None:
        """Raises ValueError, naming the key, for an unknown choice, figure or citation, and for a value that
        is not allowed."""
        for key, figure in self.figures.items():
            if key not in self.FIGURES:
                known = ", ".join(sorted(self.FIGURES)) or "none"
                raise ValueError(f"rules.figures.{key}: rule set {self.name!r} has no such figure (it has: "
                                 f"{known})")
            if not _same_type(figure, self.FIGURES[key]):
                expected_kind = "a whole number" if isinstance(self.FIGURES[key], int) else "a list of texts"
                raise ValueError(f"rules.figures.{key}: {figure!r} is not {expected_kind}")
        for key, value in self.values.items():
            allowed = self.CHOICES.get(key)
            if allowed is None:
                known = ", ".join(sorted(self.CHOICES)) or "none"
                raise ValueError(f"rules.values.{key}: rule set {self.name!r} has no such choice (it has: "
                                 f"{known})")
            if value not in allowed:
                raise ValueError(f"rules.values.{key}: {value!r} is not one of {', '.join(allowed)}")
        for key, value in self.citations.items():
            is_known = key in self.SENTENCES or key in REASONS
            if not (is_known and isinstance(value, str)):
                fault = f"{value!r} is not a text" if is_known else (
                    f"rule set {self.name!r} has no such sentence or reason")
                raise ValueError(f"rules.citations.{key}: {fault}")

    def citation(self, sentence: str, reason: str | None) -> str:
        """The paragraph of the printed rules that a sentence rests on, or "" where the variant names none."""
        if not self.citations:
            return ""
        return str(self.citations.get(sentence, self.citations.get(reason or "", "")))

    def choice(self, key: str) -> str:
        """The answer to a named choice: the variant's, else the default. Raises KeyError for a choice that is
        not declared."""
        return str(self.values.get(key, self.CHOICES[key][0]))

    def number(self, key: str) -> int:
        """A figure that is a number: the variant's, else the default. Raises KeyError for one that is not
        declared."""
        figure: Any = self.figures.get(key, self.FIGURES[key])
        return int(figure)

    def word_list(self, key: str) -> tuple[str, ...]:
        """A figure that is a list of words, as `number`."""
        figure: Any = self.figures.get(key, self.FIGURES[key])
        return tuple(figure)

    def accepts_order(self, order: Order, phase: PhaseKind) -> bool:
        """True if orders of this class belong to that kind of phase."""
        return type(order) in self.ORDERS.get(phase, frozenset())

    def check_state(self, context: Context, state: Extension) -> None:
        """Raises ValueError, naming the field, for a name or number in `Position.own` that no game of this
        board can have."""

    # A game and its sheets

    def opening_position(self, position: Position, board: Board) -> Position:
        """The position a game begins with, made from the one in the variant's tables."""
        return position

    def first_version_counts(self) -> bool:
        """True if the first sheet a power sends for a phase counts; otherwise the latest version does
        (Q-60)."""
        return False

    def accepts_typed_orders(self) -> bool:
        """True if orders may be typed into a mail, in bold; otherwise only a photographed sheet counts (Q-03,
        Q-60)."""
        return False

    # What is known

    def public_holdings(self, context: Context, position: Position) -> tuple[str, ...]:
        """What each power has besides units and centres, one sentence each, printed with the results."""
        return ()

    def journey(self, context: Context, position: Position, order: Order) -> tuple[str, str] | None:
        """Where an order that names no unit sets out and where it goes, as provinces, for who draws it on a
        board; None for an order that goes nowhere."""
        return None

    def visible_position(self, context: Context, position: Position, power: str | None) -> Position:
        """The position as a power may know it, or an onlooker if `power` is None."""
        return position

    def redact_resolution(self, context: Context, resolution: Resolution, power: str | None) -> Resolution:
        """The resolution as a power may know it, or an onlooker if `power` is None; the same object if
        nothing is kept from them."""
        return resolution

    # Movement

    def forgives_wrong_kind(self) -> bool:
        """True if an order that calls an army a fleet, or the reverse, still means the unit that is there:
        a place holds one unit, so its kind carries nothing (DATC 4.C.2)."""
        return self.values.get("wrong_unit_type") != "void"

    def crossing_needs_fleets(self) -> bool:
        """True if an order to go overseas is illegal when no fleets are on a way there; otherwise it is a
        move that fails (DATC 6.D.32; Q-17)."""
        return True

    def support_follows_mover(self) -> bool:
        """True if a support in place of a unit that moves backs its move; otherwise it is unmatched
        (Q-15)."""
        return False

    def convoy_paradox_fails_all_moves(self) -> bool:
        """True if all moves of a convoy paradox fail; otherwise its convoys do (Szykman, DATC 4.A.2,
        Q-18)."""
        return False

    def first_of_two_orders_counts(self) -> bool:
        """True if of two different orders for one unit the first counts; otherwise the unit holds (Q-16)."""
        return False

    def commanders(self, sheet: MovementSheet) -> Mapping[int, str]:
        """Units that another power than their owner orders this season, with that power. Also settles the
        orders that state it, and others that no unit carries out."""
        return {}

    def owner_replaces_silent_commander(self) -> bool:
        """True if the owner's order counts when the power that commands a unit gives it none (Q-23)."""
        return True

    def initial_deployment(
        self, context: Context, position: Position, orders: Sequence[Order]
    ) -> Position:
        """The position that a movement phase is judged from, where orders show how units begin it."""
        return position

    def before_resolution(self, sheet: MovementSheet) -> None:
        """Called after the legality checks, before supports are matched and strengths are computed."""

    def dislodged_for_retreat(
        self, sheet: MovementSheet, dislodged: tuple[Dislodgement, ...]
    ) -> tuple[Dislodgement, ...]:
        """The dislodged units as they go into the retreat phase."""
        return dislodged

    def asks_units_without_refuge(self) -> bool:
        """True if a season whose dislodged units all have no place to go is followed by retreats all the
        same; otherwise they are disbanded at once, and no player is asked."""
        return False

    def after_movement(
        self, sheet: MovementSheet, standing: frozenset[Unit]
    ) -> tuple[frozenset[Unit], Memory]:
        """The units after the phase, and what to remember; `standing` are all that were not dislodged."""
        return standing, _NO_MEMORY

    def keeps_memory(self) -> bool:
        """True if something is stored in memory from one season to the next."""
        return False

    # Retreats

    def after_retreat(self, context: Context, unit: Unit) -> Unit:
        """A unit that has just retreated, which may become another kind where it arrives."""
        return unit

    def memory_after_retreats(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        """What to remember after retreats; `units` are those on the board then."""
        return Memory(memory.converting & units)

    # Supply and builds

    def before_adjustments(self, sheet: AdjustmentSheet) -> None:
        """Called when supply has been sent, before anybody builds or removes."""

    def adjustment_reason(self, reason: str) -> str:
        """The contract's word for a fault in an adjustment order."""
        return "too_many" if reason == "no_build" else reason

    def memory_after_winter(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        """What to remember after an adjustment phase; `units` are those on the board then (Q-20)."""
        return Memory(memory.converting & units)

    def supply_from(self, memory: Memory, power: str, owned: frozenset[str]) -> int:
        """The number of centres that supply a power which owns these."""
        return len(owned)

    def upkeep(
        self, context: Context, units: Collection[Unit], built: Collection[Unit] = (),
        removed: Collection[Unit] = ()
    ) -> int:
        """The number of centres that a power's units need, with those built and without those removed."""
        return len(units) + len(built) - len(removed)

    def needs_no_supply(self, context: Context, unit: Unit) -> bool:
        """True if a unit never has to be removed for want of supply, though it counts against builds."""
        return False

    def unit_allowance(self, centres: int, units: int, received: int = 0, sent: int = 0) -> int:
        """How many units a power may have that owns so many centres, has so many units, and received and sent
        so much supply."""
        return centres

    def sends_surplus_only(self) -> bool:
        """True if a power may send only what its units do not need; otherwise all it owns (Q-27)."""
        return False

    def passes_supply_on(self) -> bool:
        """True if supply received may be sent on; otherwise a power sends supply of its own centres
        (Q-28)."""
        return False

    def is_home(self, sheet: AdjustmentSheet, power: str, province: str) -> bool:
        """True if a province is a home centre of a power, so that it may build there."""
        return sheet.context.board.provinces[province].home == power

    def builds_at_home_only(self) -> bool:
        """True if a power builds only in its home centres; otherwise in every centre it owns."""
        return True

    def builds_off_centres(self, power: str, province: Province) -> bool:
        """True if a power may build in a province that is not a centre, or that it does not own."""
        return False

    def build_fault(self, sheet: AdjustmentSheet, order: Build) -> Fault | None:
        """Reason and sentence against a build that the classic rules allow, or None."""
        return None

    def can_afford(self, sheet: AdjustmentSheet, account: Account, order: Build, due: int) -> bool:
        """True if a power has supply left for a build; `due` is what `AdjustmentSheet.builds_due` states."""
        return due > 0

    def picks_missing_coast(self) -> bool:
        """True if a new fleet whose coast is missing is put on the first coast by name; otherwise its order
        is void (DATC 4.B.7, Q-22)."""
        return False

    # Removals

    def builds_strike_removals(self) -> bool:
        """True if removals listed next to builds are struck (Q-26)."""
        return False

    def removal_fault(self, sheet: AdjustmentSheet, account: Account, unit: Unit) -> Fault | None:
        """Reason and sentence against the removal of a power's own unit, or None."""
        if sheet.owes_removal(account):
            return None
        return self.adjustment_reason("too_many"), ("nothing_to_remove", account.power)

    def removes_by_lot(self) -> bool:
        """True if removals that no unit ordered are drawn by lot (ADJ-05); otherwise they go by distance."""
        return False

    def enforced_removals(
        self, sheet: AdjustmentSheet, account: Account, lots: Lots
    ) -> tuple[list[Unit], Lots]:
        """The units of one power that go because it removed too few, and the tape of lots afterwards."""
        count = -sheet.builds_due(account, account.sent)
        if count <= 0:
            return [], lots
        left = sorted(
            (account.units - set(account.removed)) | set(account.built), key=lambda u: str(u.region)
        )
        return self.choose_removals(sheet.context, left, count, account.centres, lots)

    def choose_removals(
        self, context: Context, units: Sequence[Unit], count: int, centres: frozenset[str], lots: Lots
    ) -> tuple[list[Unit], Lots]:
        """The `count` units that go, of these units of one power, and the tape of lots afterwards."""
        if self.removes_by_lot():
            return civil_disorder.by_lot(units, count, lots)
        return civil_disorder.by_distance(context, units, count, centres), lots

    # The end of a year

    def after_year(
        self, context: Context, after: Position, owners: Centres
    ) -> tuple[Centres, Memory, tuple[Sentence, ...]]:
        """Who owns what, what to remember, and sentences about it, when a year's last retreats are over.
        `after` still has the owners from before; `owners` are those of
        `adjudicator.phases.year_end.owners_after`."""
        return owners, after.memory, ()

    def tests_victory_in_winter(self) -> bool:
        """True if victory and draw are tested after the Winter; otherwise as soon as the Autumn is over
        (Q-29)."""
        return False

    def draw_ends_game(self) -> bool:
        """True if a game ends as a draw once the condition is fulfilled; otherwise the survivors may ask
        for it (Q-30)."""
        return False

    def winner(self, context: Context, centres: Centres) -> str | None:
        """The power that wins with these centres, or None: it has enough for victory, and more than
        anybody."""
        counts = sorted(
            (len(owned), power) for power, owned in centres.items()
            if len(owned) >= context.victories.get(power, context.victory)
        )
        if not context.victory or not counts:
            return None
        is_tied = len(counts) > 1 and counts[-2][0] == counts[-1][0]
        return None if is_tied else counts[-1][1]

    def draw_open_to(
        self, context: Context, centres: Centres, units: frozenset[Unit]
    ) -> tuple[str, ...] | None:
        """The powers that together fulfil the condition for a draw; None if the rules set no condition, or it
        is not fulfilled."""
        return None


def _same_type(figure: object, default: int | tuple[str, ...]) -> bool:
    if isinstance(default, int):
        return isinstance(figure, int) and not isinstance(figure, bool)
    return isinstance(figure, list | tuple) and all(isinstance(word, str) for word in figure)
