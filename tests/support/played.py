"""A game that was played over a Winter, for tests of the record: sheets by mail and by hand, a decision and
one taken back, lots, letters; nothing drawn."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from sqlalchemy import select

from adjudicator.calendar import Phase, PhaseKind
from service.archive import export
from service.games import decisions
from service.games.decisions import Decision, ReviewAction
from service.notices.results import ResultsAnnouncer
from service.store import records
from service.store.letter_parts import finished
from service.store.tables import LineRow, LineState, PageRow, PhaseRow, PhaseState, SubmissionRow
from tests.support.site import Site
from tests.support.table import Table, autumn_1642, open_table

WINTER = Phase(1643, "Winter", PhaseKind.ADJUSTMENT)
# The power with two units more than centres, of which it names none to be removed.
SHORT = "Newcastle"
# The power whose player sends by mail.
HERSELF = "Montrose"


def winter_table(site: Site) -> Table:
    """A game whose first phase is a Winter in which Newcastle owes two removals."""
    board = autumn_1642()
    centres = {
        power: frozenset(sorted(owned)[:4]) if power == SHORT else owned
        for power, owned in board.centres.items()
    }
    return open_table(
        site, position=replace(board, phase=WINTER, centres=centres, memory=type(board.memory)())
    )


def played(site: Site) -> Table:
    """Newcastle owes two removals and sends nothing; then a Spring in which Montrose sends by mail, twice."""
    table = winter_table(site)
    # Pictures take seconds to draw.
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    finish(table)
    spring = begin(table)
    table.sent = [
        table.mail(
            HERSELF, shade, subject=table.subject(HERSELF, version, Phase(1643, "Spring", PhaseKind.MOVEMENT))
        )
        for version, shade in ((1, 90), (2, 120))
    ]
    for minutes, raw in enumerate(table.sent, start=1):
        table.take(raw, spring.opens_at + timedelta(minutes=minutes))
    unit = next(u for u in sorted(table.position(spring.ordinal).units) if u.power == HERSELF)
    read(table, HERSELF, [f"{unit.kind} {unit.region} H", "A Nowhere H"])
    table.file(
        "Argyll",
        [
            f"{u.kind} {u.region} H"
            for u in sorted(table.position(spring.ordinal).units)
            if u.power == "Argyll"
        ],
        number=spring.ordinal,
        heading=["Ada Lovelace, 12 St James's Square"],
        answered=True,
    )
    finish(table)
    begin(table)
    return table


def begin(table: Table) -> PhaseRow:
    """Open the next phase in which there is something to order; the row."""
    row = next(phase for phase in table.phases() if phase.state != PhaseState.SENT)
    table.site.clock.set(max(row.opens_at, table.site.clock.now()))
    table.open_phase(row.id)
    return row


def finish(table: Table) -> None:
    """Close, judge and approve the phase in play; a doubtful line is left out first."""
    row = next(phase for phase in table.phases() if phase.state != PhaseState.SENT)
    table.site.clock.set(max(table.site.clock.now(), row.deadline) + timedelta(minutes=1))
    table.close_phase(row.id)
    decide(table, row.id)
    table.judge_when_read(row.id)
    table.approve_phase(row.id, "Ada")


def read(table: Table, power: str, orders: list[str]) -> None:
    """What the recognizer would have made of every sheet of a power in this game: the same lines, the last
    doubtful."""
    phases = [phase.id for phase in table.phases()]
    with table.site.store.begin() as session:
        for submission in session.scalars(
            select(SubmissionRow).where(SubmissionRow.power == power, SubmissionRow.phase_id.in_(phases))
        ):
            page = records.pages(session, submission.id)[0]
            page.upright = page.original
            for ordinal, text in enumerate(orders):
                top = 100 + 60 * ordinal
                session.add(LineRow(
                    page_id=page.id, ordinal=ordinal, kind="order", text=text,
                    order=text if ordinal == 0 else None, confidence=0.9,
                    box=[[100, top], [700, top], [700, top + 40], [100, top + 40]], candidates=[],
                    status=LineState.AUTO.value if ordinal == 0 else LineState.OPEN.value))
            submission.read_at = table.site.clock.now()


def decide(table: Table, phase_id: int) -> None:
    """Call every open line no order, take that back, and do it again."""
    with table.site.store() as session:
        lines = session.scalars(
            select(LineRow.id).join(PageRow, PageRow.id == LineRow.page_id)
            .join(SubmissionRow, SubmissionRow.id == PageRow.submission_id)
            .where(SubmissionRow.phase_id == phase_id, LineRow.status == LineState.OPEN)).all()
    for line in lines:
        now = table.site.clock.now()
        with table.site.store.begin() as session:
            decisions.file(
                session,
                ReviewAction(f"key-{line}", phase_id, "Ada", now),
                [Decision(line, LineState.VOID, "A Nowhere H")],
            )
        with table.site.store.begin() as session:
            decisions.undo(session, ReviewAction(f"undo-{line}", phase_id, "Ada", now))
        with table.site.store.begin() as session:
            decisions.file(
                session, ReviewAction(f"again-{line}", phase_id, "Ada", now),
                [Decision(line, LineState.NOT_ORDER, "")]
            )


def archived(table: Table, edition: export.Edition = export.Edition.WHOLE) -> bytes:
    """The game's archive as it is now."""
    out = io.BytesIO()
    with table.site.store() as session:
        export.write_archive(
            session, table.site.blobs, table.game, edition, table.site.clock.now(), "test", out
        )
    return out.getvalue()


def kept(table: Table, folder: Path, power: str = HERSELF) -> list[Path]:
    """The mails that a player has at the end: those received, and those sent."""
    folder.mkdir(exist_ok=True)
    player_address = f"player@{power.lower()}.example"
    mails = [
        (f"{row.id:03}-{row.kind}.eml", finished(table.site.blobs, row))
        for row in table.letters()
        if row.recipient == player_address
    ]
    sent = table.sent if power == HERSELF else []
    mails += [(f"sent-{number}.eml", raw) for number, raw in enumerate(sent, start=1)]
    for name, data in mails:
        (folder / name).write_bytes(data)
    return [folder / name for name, _ in mails]
