"""A game of the site in the formats of other programs, as far as everybody may see it.

What leaves: boards, orders and results of phases whose results were sent, and the board that they led to.
Nothing of an open phase, no person and no sheet; where the rules hide units, only what they show to all.
"""

from __future__ import annotations

from sqlalchemy.orm import Session

import maps
from adjudicator.formats.forms import Format, write_log
from adjudicator.formats.game_log import GameLog, LoggedPhase, Written
from adjudicator.serialize import codec
from maps.game_board import game_board
from maps.variant import Variant
from service.games import lots
from service.store import records
from service.store.tables import GameRow, PhaseRow, PhaseState


def write_game(session: Session, game: GameRow, form: Format, *, lossy: bool) -> Written:
    """A game as it is now. Raises FormatFault for what the format cannot hold, with the phase; `lossy` leaves
    that out instead, and says so."""
    variant = maps.load(game.variant)
    log, hidden = public_log(session, game, variant)
    return write_log(game_board(variant), log, form, lossy=lossy, hidden=hidden)


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
            hidden.append(f"{position.phase}: the rules hide some of its units or orders.")
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
