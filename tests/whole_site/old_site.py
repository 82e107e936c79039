"""The old site of commit a9edea3: its files, what that commit said of them, and any site in plain values.

`expected.json` was written on the old code by the `..._as_json` functions below. The README beside it tells
how.
"""

from __future__ import annotations

import io
import json
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

import maps
from adjudicator.serialize import codec
from grammar.print import canonical
from service.archive.verify import run_verify
from service.games.lines import lines_of
from service.store import records
from service.store.tables import (
    GameRow,
    MailRow,
    OutboxRow,
    OutboxState,
    SubmissionRow,
)

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "data" / "old_site"
EXPECTED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
STOPPED = datetime.fromisoformat(EXPECTED["stopped"])
"""What the old site's clock said when it stopped."""
ARCHIVES = sorted(EXPECTED["archives"])
WHOLE_ARCHIVES = [name for name in ARCHIVES if name.endswith("-whole.zip")]
BRIDGE, CROWN = "powick-bridge", "broken-crown"
"""The two games on the old site: w3k from photographs, brittania from typed mails."""


def kept_letters(old: Path, archive: str) -> list[Path]:
    """What two players kept of the game of an archive: the letters they received, and the sheets they
    sent."""
    game = next((game for game in (BRIDGE, CROWN) if archive.startswith(game)), "no game of the site")
    return sorted((old / "letters").glob(f"{game}*.eml"))


def verified(archive: Path, letters: list[Path]) -> tuple[int, str]:
    """What `galloper verify` ends with, and what it prints."""
    printed = io.StringIO()
    return run_verify(archive, letters, printed), printed.getvalue()


def letters_expected(state: OutboxState) -> int:
    """How many letters the old site had in that state."""
    return sum(letter["state"] == state for letter in EXPECTED["letters"])


def letters_named(printed: str) -> set[str]:
    """The letters that a verification says something good of."""
    return {line.partition(":")[0] for line in printed.splitlines() if ".eml: " in line}


def lines_as_json(session: Session) -> list[dict[str, Any]]:
    """Every line as it was read and as it stands."""
    submission_ids = list(session.scalars(select(SubmissionRow.id).order_by(SubmissionRow.id)))
    lines = [
        {
            "id": line.id,
            "paper": submission_id,
            "kind": line.kind,
            "state": line.state.value,
            "text": line.text,
            "order": line.order,
            "by": line.by,
            "confidence": line.confidence,
            "struck": line.struck,
            "candidates": list(line.candidates),
            "box": [list(corner) for corner in line.box],
            "seen": line.machine_text,
            "seen_order": line.machine_order,
        }
        for submission_id, settled in lines_of(session, submission_ids).items()
        for line in settled
    ]
    return sorted(lines, key=lambda line: line["id"])


def phases_as_json(session: Session) -> list[dict[str, Any]]:
    """Every phase with its clock and board, and of a judged one what became of the orders."""
    phases = []
    for game in session.scalars(select(GameRow).order_by(GameRow.id)):
        board = maps.load(game.variant).board
        for row in records.phases(session, game.id):
            phase: dict[str, Any] = {
                "game": game.id,
                "number": row.ordinal,
                "season": row.season,
                "year": row.year,
                "kind": row.kind,
                "state": row.state,
                "review": row.review,
                "opens": row.opens_at.isoformat(),
                "deadline": row.deadline.isoformat(),
                "seed": row.seed,
                "units": [],
                "centres": {},
                "dislodged": [],
                "own": None,
                "outcomes": [],
                "units_after": [],
            }
            if row.position is not None:
                position = codec.load_position(row.position)
                phase["units"] = sorted(map(str, position.units))
                phase["centres"] = {power: sorted(owned) for power, owned in sorted(position.centres.items())}
                phase["dislodged"] = [
                    f"{beaten.unit} from {beaten.attacker_from}" for beaten in position.dislodged
                ]
                phase["own"] = None if position.own is None else codec.dump_own(position.own)
            if row.resolution is not None:
                resolution = codec.load_resolution(row.resolution)
                phase["outcomes"] = [
                    [
                        outcome.order.power,
                        canonical(outcome.order, board),
                        outcome.result.value,
                        outcome.reason,
                    ]
                    for outcome in resolution.outcomes
                ]
                phase["units_after"] = sorted(map(str, resolution.position.units))
            phases.append(phase)
    return phases


def mails_as_json(session: Session) -> list[dict[str, Any]]:
    """Every mail that came, and what was judged of it."""
    return [
        {
            "mail": mail.sha256,
            "size": mail.size,
            "received": mail.received_at.isoformat(),
            "state": mail.state,
            "reason": mail.reason,
            "sender": mail.sender,
            "verdict": mail.verdict,
        }
        for mail in session.scalars(select(MailRow).order_by(MailRow.sha256))
    ]


def submissions_as_json(session: Session) -> list[dict[str, Any]]:
    """Every submission."""
    return [
        {
            "id": submission.id,
            "mail": submission.sha256,
            "power": submission.power,
            "version": submission.version,
            "fate": submission.fate,
            "flags": list(submission.flags),
            "semantic_key": submission.semantic_key,
        }
        for submission in session.scalars(select(SubmissionRow).order_by(SubmissionRow.id))
    ]


def letters_as_json(session: Session) -> list[dict[str, Any]]:
    """Every letter in the outbox."""
    return [
        {
            "id": letter.id,
            "key": letter.key,
            "kind": letter.kind,
            "recipient": letter.recipient,
            "subject": letter.subject,
            "state": letter.state,
            "message": letter.message,
            "message_id": letter.message_id,
        }
        for letter in session.scalars(select(OutboxRow).order_by(OutboxRow.id))
    ]
