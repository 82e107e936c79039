"""Which webhooks and notices do not get through (BEY-06): for the Health page, without an address."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.features.programs.webhooks import DELIVERED, FAILED, TURNS
from service.operations.findings import Finding, FindingState, ago
from service.operations.health import Check, Observation
from service.store.tables import EventRow, GameRow

NAME = "Webhooks"
SHOWN_FOR = timedelta(days=2)
"""An address that was taken out of the settings is forgotten after this."""
ADVICE = ("Look whether the address in the settings still takes messages; a changed address counts as a new "
          "one. Results are out all the same, and players got their letters. It is tried for a day after "
          "the results, and a trouble leaves this page after two.")


def webhook_finding(session: Session, now: datetime) -> Finding:
    """How many notices of which game do not get through to which address, since when and why."""
    rows = session.execute(
        select(EventRow.what, EventRow.at, EventRow.detail)
        .where(EventRow.what.in_((DELIVERED, FAILED)), EventRow.at > now - SHOWN_FOR)
        .order_by(EventRow.id)).all()
    delivered = {(detail["hook"], detail["event"]) for kind, _, detail in rows if kind == DELIVERED}
    troubles: dict[tuple[str, str], list[tuple[datetime, int, str]]] = defaultdict(list)
    names = _games(session, {int(detail["event"]) for kind, _, detail in rows if kind == FAILED})
    for kind, tried_at, detail in rows:
        if kind == FAILED and (detail["hook"], detail["event"]) not in delivered:
            game = names.get(int(detail["event"]), "a game that is gone")
            whose = str(detail.get("place") or f"the address with the mark {detail['hook']}")
            troubles[game, whose].append((tried_at, int(detail["event"]), str(detail["why"])))
    if not troubles:
        return Finding(NAME, FindingState.WELL,
                       "Every notice that results are out got through, or none is asked for.")
    sentences = []
    for (game, whose), tries in sorted(troubles.items()):
        count, first, why = len({event for _, event, _ in tries}), tries[0][0], tries[-1][2]
        end = " and was given up" if now - first > TURNS[-1] else ""
        sentences.append(f"{game}: {count} notice{'' if count == 1 else 's'} to {whose} did not get through, "
                         f"first tried {ago(now - first)}{end}; the last time {why}.")
    oldest = min(event for tries in troubles.values() for _, event, _ in tries)
    return Finding(NAME, FindingState.TROUBLE, " ".join(sentences), ADVICE, str(oldest))


def _games(session: Session, events: set[int]) -> dict[int, str]:
    """The name of the game whose results each event is about."""
    rows = session.execute(select(EventRow.id, GameRow.name).join(GameRow, GameRow.id == EventRow.game_id)
                           .where(EventRow.id.in_(events)))
    return {row.id: row.name for row in rows}


def _check(observation: Observation) -> Finding:
    return webhook_finding(observation.session, observation.now)


CHECK = Check(NAME, _check, (
    "programs and people who asked for notices do not hear of results. Players got their letters."))
"""Do the addresses that asked for it hear that results are out?"""
