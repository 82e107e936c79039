"""A game of the site in the formats of other programs, as far as everybody may see it.

What leaves: boards, orders and results of phases whose results were sent, and the board that they led to.
Nothing of an open phase, no person and no sheet; where the rules hide units, only what they show to all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import StrEnum

from sqlalchemy.orm import Session

import maps
from adjudicator.formats import datc_cases, diplomacy_game, jdip_game
from adjudicator.formats.classic import refuse_losses
from adjudicator.formats.game_log import FormatFault, GameBoard, GameLog, LoggedPhase, Written
from adjudicator.serialize import codec
from adjudicator.serialize.judged_case import case_of
from maps.variant import Variant
from service.games import lots
from service.store import records
from service.store.tables import GameRow, PhaseRow, PhaseState


class Format(StrEnum):
    """What a game can be written as."""

    DIPLOMACY = "diplomacy"
    JDIP = "jdip"
    DATC = "datc"
    CASES = "cases"


WRITERS: Mapping[Format, Callable[..., Written]] = {
    Format.DIPLOMACY: diplomacy_game.write,
    Format.JDIP: jdip_game.write,
    Format.DATC: datc_cases.write,
}
READERS: Mapping[Format, Callable[[GameBoard, bytes], tuple[GameLog, ...]]] = {
    Format.DIPLOMACY: diplomacy_game.read,
    Format.JDIP: jdip_game.read,
    Format.DATC: datc_cases.read,
}


def board_of(variant: Variant) -> GameBoard:
    """A variant as the formats take it."""
    return GameBoard(
        variant.slug, variant.context(), variant.rules, {row.text: row.region for row in variant.names}
    )


def write_game(session: Session, game: GameRow, form: Format, *, lossy: bool) -> Written:
    """A game as it is now. Raises FormatFault for what the format cannot hold, with the phase; `lossy` leaves
    that out instead, and says so."""
    variant = maps.load(game.variant)
    log, hidden = public_log(session, game, variant)
    return write_log(board_of(variant), log, form, lossy=lossy, hidden=hidden)


def write_log(
    board: GameBoard, log: GameLog, form: Format, *, lossy: bool, hidden: tuple[str, ...] = ()
) -> Written:
    """A game in a format. `hidden` says of which phases something is missing. Raises FormatFault."""
    refuse_losses(hidden, lossy=lossy)
    written = (
        _write_cases(board, log, lossy=lossy)
        if form is Format.CASES
        else WRITERS[form](board, log, lossy=lossy)
    )
    return Written(written.data, (*hidden, *written.left_out), written.notes)


def public_log(session: Session, game: GameRow, variant: Variant) -> tuple[GameLog, tuple[str, ...]]:
    """The phases whose results were sent, and the board now; and a sentence for each phase that is left out
    because the rules hide something of it."""
    setting, rules = variant.context(), variant.rules
    phases: list[LoggedPhase] = []
    hidden: list[str] = []
    last: LoggedPhase | None = None
    is_over = True
    for row in records.phases(session, game.id):
        if row.position is None:
            continue
        position = codec.load_position(row.position)
        shown = rules.visible_position(setting, position, None)
        if row.state != PhaseState.SENT or row.resolution is None:
            # The phase in play: its board went out with the results before.
            last, is_over = LoggedPhase(shown), False
            break
        resolution = codec.load_resolution(row.resolution)
        redacted = rules.redact_resolution(setting, resolution, None)
        last = LoggedPhase(rules.visible_position(setting, resolution.position, None))
        if shown != position or redacted != resolution or last.position != resolution.position:
            hidden.append(f"{position.phase}: the rules hide units or orders of it.")
            continue
        phases.append(
            LoggedPhase(
                position,
                tuple(outcome.order for outcome in resolution.outcomes),
                resolution,
                lots=_lots(session, row, resolution.lots_used),
            )
        )
    if last is not None:
        phases.append(last)
    return GameLog(game.id, game.variant, tuple(phases), is_over), tuple(hidden)


def _lots(session: Session, row: PhaseRow, count: int) -> tuple[int, ...]:
    return lots.tape_of(session, row, count) if count else ()


def _write_cases(board: GameBoard, log: GameLog, *, lossy: bool) -> Written:
    """A case of `galloper adjudicate` for each judged phase, with what is expected."""
    lines, left_out = [], []
    for phase in log.phases:
        if phase.resolution is None:
            continue
        case, answer = case_of(board.context, board.rules, phase.position, phase.resolution, phase.lots)
        if case is None or answer is None:
            left_out.append(f"{phase.position.phase}: a case cannot say all of it.")
            continue
        answer.pop("id")
        lines.append(json.dumps({**case, "expect": answer}, ensure_ascii=False))
    refuse_losses(left_out, lossy=lossy)
    if not lines:
        raise FormatFault("No phase of this game can be written as a case yet; nothing was written.")
    return Written(("\n".join(lines) + "\n").encode(), tuple(left_out))
