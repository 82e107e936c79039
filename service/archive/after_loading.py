"""Work after the rows of a game or a site were loaded from elsewhere: records are checked, letters are
held, and the work that had not been done is queued."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from adjudicator.errors import UserFacingError
from service.games.acts.act import ActTable, perform
from service.intake.filing import queue_reading
from service.jobs import Jobs
from service.mail.mailbox import ingest
from service.mail.sending import hold as switches
from service.record import chain
from service.record.sessions import sessions
from service.store import records
from service.store.digests import kept_leaf, link, start
from service.store.tables import OutboxRow, PhaseRow, ShelvedGameRow, SubmissionRow


class BrokenRecord(UserFacingError):
    """A record that was loaded is not whole; the sentence shows where, and that nothing was put back."""


def check_record(session: Session, game: str) -> chain.Root:
    """The end of a game's record, after every digest in it was computed again. Raises BrokenRecord."""
    before, last = start(game), 0
    shelved = session.get(ShelvedGameRow, game)
    if shelved is not None:
        # Its entries are in a file, and are computed when it comes back. What was entered since follows.
        before, last = shelved.link, shelved.number
    here = [row for row in chain.entries(session, game) if shelved is None or row.number > last]
    number = last
    for number, row in enumerate(here, start=last + 1):
        before = link(before, number, row.leaf)
        if (row.number, row.link) != (number, before) or kept_leaf(row.salt, row.body) != row.leaf:
            raise BrokenRecord(f"The record of {game} is broken at entry {number}. Nothing was put back; "
                              f"take an "
                              f"older backup.")
    root = chain.root(session, game)
    if (root.number, root.link) != (number, before):
        raise BrokenRecord(f"The record of {game} ends at entry {number}, and its head is {root.number}. "
                          "Nothing was restored.")
    return root


def hold_letters_and_requeue(engine: Engine, jobs: Jobs | None, now: datetime, reason: str) -> int:
    """Let no letter leave, and enqueue what had not been done; how many letters wait."""
    store = sessions(engine)
    with store.begin() as session:
        if switches.current_hold(session) is None:
            perform(switches.HoldLetters(reason), ActTable(session, "galloper", now))
        if jobs is not None:
            # The queue's own tables are not in the backup; this work is known from ours.
            for mail in records.unfinished_mails(session):
                jobs.enqueue(session, ingest.WORK, f"{ingest.WORK}:{mail.sha256}", {"mail": mail.sha256})
            for key in session.scalars(
                select(SubmissionRow.id)
                .join(PhaseRow, PhaseRow.id == SubmissionRow.phase_id)
                .where(SubmissionRow.read_at.is_(None))
            ):
                queue_reading(session, jobs, key)
        return (
            session.scalar(select(func.count()).select_from(OutboxRow).where(OutboxRow.state == "queued"))
            or 0
        )
