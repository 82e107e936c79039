"""Which boards other programs can hold: armies and fleets, and a year of Spring, Autumn and Winter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.formats.game_log import FormatFault, GameBoard, GameLog
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
from adjudicator.position import Position

DIPLOMACY_MAPS: Mapping[str, str] = {"standard": "standard"}
"""Our boards that the package `diplomacy` has too, with the name of its map."""
JDIP_VARIANTS: Mapping[str, str] = {"standard": "Standard"}
"""Our boards that jDip has too, with the name of its variant."""
KINDS = frozenset({"A", "F"})
STEPS = (PhaseKind.MOVEMENT, PhaseKind.RETREAT, PhaseKind.MOVEMENT, PhaseKind.RETREAT, PhaseKind.ADJUSTMENT)
SPOKEN_ORDERS: tuple[type[Order], ...] = (
    Hold,
    Move,
    SupportHold,
    SupportMove,
    Convoy,
    Retreat,
    Disband,
    Build,
    Remove,
)
"""The orders of the classic rules; no other program has a word for another."""
WITHOUT_EFFECT: tuple[type[Order], ...] = (Waive,)
"""Orders that change nothing, so that a file without them loses nothing. What other programs write for them
is passed over too (`order_text.read_order`)."""


def map_name(board: GameBoard, names: Mapping[str, str], program: str) -> str:
    """The program's name of this board. Raises FormatFault, showing what the program cannot hold."""
    odd_units = [kind.name.lower() for letter, kind in board.context.kinds.items() if letter not in KINDS]
    if odd_units:
        raise FormatFault(
            _refusal(
                board,
                program,
                f"it has units of the kind {' and '.join(odd_units)}, and {program} has only armies and "
                "fleets",
            )
        )
    if tuple(kind for _, kind in board.context.calendar.steps) != STEPS:
        raise FormatFault(
            _refusal(
                board, program, f"its game year is not the Spring, Autumn and Winter that {program} counts in"
            )
        )
    if board.rules.keeps_memory() or board.rules.EXTENSION is not None:
        raise FormatFault(
            _refusal(
                board,
                program,
                f"its rules keep more than units and centres from phase to phase, and "
                f"{program} has no place for it",
            )
        )
    name = names.get(board.slug)
    if name is None:
        raise FormatFault(
            _refusal(
                board, program, f"{program} has no such board; of ours it has {', '.join(sorted(names))}"
            )
        )
    return name


def _refusal(board: GameBoard, program: str, reason: str) -> str:
    return f"{program} cannot hold a game of {board.slug}: {reason}. The format cases holds every board."


def season_letter(board: GameBoard, phase: Phase) -> str:
    """S, F or W: the first, the second or the last season of the year."""
    return "SFW"[board.context.calendar.seasons().index(phase.season)]


def season_named(board: GameBoard, letter: str) -> str:
    """The board's own word for a season by its letter; inverse of `season_letter`."""
    return board.context.calendar.seasons()["SFW".index(letter)]


def without_stranded(position: Position) -> Position:
    """The position without dislodged units that can go nowhere: other programs destroy them at once."""
    return replace(position, dislodged=tuple(d for d in position.dislodged if d.may_retreat))


def is_idle(board: GameBoard, position: Position) -> bool:
    """Whether a phase of retreats or adjustments has nothing to order: other programs pass over it."""
    kind = position.phase.kind
    if kind is PhaseKind.RETREAT:
        return not without_stranded(position).dislodged
    return kind is PhaseKind.ADJUSTMENT and not is_due(board, position)


def is_due(board: GameBoard, position: Position) -> bool:
    """Whether an adjustment phase has anything to order: other programs pass over one that has not."""
    return any(adjustment(board, position, power) for power in board.context.powers)


def adjustment(board: GameBoard, position: Position, power: str) -> int:
    """Builds (+) or removals (-) that a power may or must order; builds only where a home centre is free."""
    centres = position.centres.get(power, frozenset())
    units = sum(unit.power == power for unit in position.units)
    return min(len(centres) - units, len(build_sites(board, position, power)))


def build_sites(board: GameBoard, position: Position, power: str) -> list[str]:
    """Free home centres that the power owns, sorted."""
    taken = {unit.region.province for unit in position.units}
    provinces = board.context.board.provinces
    return sorted(
        centre
        for centre in position.centres.get(power, frozenset())
        if provinces[centre].home == power and centre not in taken
    )


def unspoken(log: GameLog) -> list[str]:
    """A sentence for each order that the classic rules have no word for."""
    return [
        f"{phase.position.phase}: {order.power}'s order {order.WORD or type(order).__name__.lower()!r} has "
        f"no word there."
        for phase in log.phases
        for order in phase.orders
        if not isinstance(order, (*SPOKEN_ORDERS, *WITHOUT_EFFECT))
    ]


def refuse_losses(left_out: Sequence[str], *, lossy: bool) -> None:
    """Raise FormatFault with the first losses unless they were asked for."""
    if left_out and not lossy:
        more = f" (and {len(left_out) - 3} more)" if len(left_out) > 3 else ""
        raise FormatFault(
            f"The format cannot hold all of this game: {' '.join(left_out[:3])}{more} Nothing "
            f"was written; with --lossy the file is written without them."
        )
