"""What waits for a coordinator besides lines, as rows on the site of `tests.browser.reading_site`: mails held
and ignored, letters of players, failed letters, a sheet on hold, and a second game with its phase open."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from service.record.sessions import sessions
from service.store.engine import open_engine
from service.store.tables import (
    AddressRow,
    CorrespondenceRow,
    GameRow,
    IgnoredMailRow,
    MailRow,
    MailState,
    OutboxRow,
    OutboxState,
    PhaseRow,
    PhaseState,
    PlayerRow,
    SeatRow,
    SubmissionRow,
)
from tests.support.desk_site import AFTER, DEADLINE, GAME, NO_LOTS, PHASE

OPEN_GAME, OPEN_PHASE = "edgehill", 8
HELD, BLOCKING = 10, 1
"""Mails held, and how many of them came for the closed phase."""
ENTRIES = 1 + 1 + HELD + 1 + 1 + 1
"""Entries of the inbox: lines, a sheet, mails, an ignored one, letters, an address."""


def add_rows(folder: Path) -> None:
    """Write the rows into the site of a folder."""
    engine = open_engine(f"sqlite:///{folder / 'desk.sqlite'}")
    with sessions(engine).begin() as session:
        session.add(GameRow(id=OPEN_GAME, name="Edgehill", variant="w3k", created_at=DEADLINE))
        session.add(PlayerRow(id=2, name="Lucy Hutchinson"))
        session.flush()
        session.add(AddressRow(email="lucy@players.example", player_id=2))
        session.add_all(SeatRow(game_id=OPEN_GAME, power=power, player_id=2)
                        for power in ("Montrose", "Ormond"))
        session.add(PhaseRow(
            id=OPEN_PHASE, game_id=OPEN_GAME, ordinal=1, year=1642, season="Summer", kind="movement",
            opens_at=AFTER - timedelta(days=3), deadline=AFTER + timedelta(days=10), state=PhaseState.OPEN,
            **NO_LOTS))
        session.flush()
        # A power of which nothing else came, so that the sheet would count.
        session.add(SubmissionRow(
            id=900, phase_id=OPEN_PHASE, power="Ormond", player_id=2, sender="lucy@players.example",
            received_at=AFTER - timedelta(hours=2), version=1, semantic_key="held", read_at=AFTER,
            fate="held", flags=["heading_disagrees"]))
        for number in range(HELD):
            is_blocking = number < BLOCKING
            session.add(MailRow(
                sha256=f"{number:064x}", size=310_000, stored_at=AFTER,
                received_at=DEADLINE - timedelta(hours=30 - number) if is_blocking
                else AFTER - timedelta(minutes=number), state=MailState.QUARANTINED,
                reason="subject_unparsed" if is_blocking else "unknown_sender",
                sender="james@players.example" if is_blocking else f"stranger-{number}@else.example",
                verdict={"subject": f"Orders for the summer, sheet {number}",
                         **({"game": "Powick Bridge", "power": "Montrose"} if is_blocking else {})}))
        session.add(MailRow(sha256="e" * 64, size=250_000, received_at=AFTER - timedelta(hours=3),
                            stored_at=AFTER, state=MailState.IGNORED, reason="automatic"))
        session.add(MailRow(sha256="d" * 64, size=3_000, received_at=AFTER - timedelta(hours=4),
                            stored_at=AFTER, state=MailState.IGNORED, reason="correspondence"))
        session.flush()
        session.add(IgnoredMailRow(
            sha256="e" * 64, player_id=2, sender="lucy@players.example", reason="automatic",
            subject="Out of office: Edgehill", noted_at=AFTER))
        session.add(CorrespondenceRow(
            player_id=2, game_id=OPEN_GAME, sha256="d" * 64, at=AFTER - timedelta(hours=4),
            subject="May I send my sheet a day late?", words="I am at sea until Thursday."))
        session.add(OutboxRow(
            key="failed", kind="receipt", game_id=GAME, phase_id=PHASE, recipient="james@players.example",
            player_id=1, power="Montrose", subject="Powick Bridge - v1 received", message="f" * 64, words="x",
            message_id="<failed@galloper.example>", state=OutboxState.FAILED, due_at=AFTER,
            error="the mail server answered 550 5.1.1"))
    engine.dispose()
