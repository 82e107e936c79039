"""Cheats with sheets: taken away, put in, moved, or made to count."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Protocol

from sqlalchemy.orm import Session

from service.games import ballots, turns
from service.games.acts.sheets import ChooseSheet, RefuseSheet
from service.games.ballots import Ballot, RankedSubmission
from service.notices.answers import receipts
from service.notices.answers.replies import Replies
from service.record import judged_entry
from service.store import records
from service.store.tables import MailRow, PageRow, PhaseRow, SubmissionRow
from tests.service.archive.cheats.table import (
    AFTER,
    BEFORE,
    KEEPER,
    OPERATOR,
    WITH_PLAYER,
    Cheat,
    Play,
    exchange,
    sha,
    sql,
    without_triggers,
)
from tests.support import keeper
from tests.support.acting import do
from tests.support.keeper import OTHER, VICTIM, mailed, recognize
from tests.support.table import Table, address, picture

V1, ARGYLL, SHORTS, V2 = 1, 2, 3, 4
"""The sheets of the game by their numbers (`keeper.send_sheets`)."""


def removal(*sheets: int) -> list[str]:
    """The statements that delete sheets with their pages and lines."""
    some = ", ".join(map(str, sheets))
    pages = f"(SELECT id FROM pages WHERE submission_id IN ({some}))"
    return [f"DELETE FROM lines WHERE page_id IN {pages}",
            f"DELETE FROM pages WHERE submission_id IN ({some})",
            f"DELETE FROM submissions WHERE id IN ({some})"]


def forged_sheet(
    table: Table, power: str, raw: bytes, photograph: bytes, *, known: bool, received: bool = True
) -> int:
    """A sheet put into the tables by hand, with a mail that is on record if it is `known`."""
    now = table.site.clock.now()
    key = table.site.blobs.put(raw)
    with table.site.store.begin() as session:
        if known:
            if session.get(MailRow, key) is None:
                records.add_mail(session, key, len(raw), now, now)
            row = session.get_one(MailRow, key)
            row.state, row.verdict, row.sender = "used", {"game": "Powick Bridge"}, address(power)
            session.flush()
        sheet = SubmissionRow(
            sha256=key if received else None, phase_id=keeper.in_play(table).id, power=power,
            sender=address(power), received_at=now, version=9, semantic_key=sha(raw), flags=[], fate="counts")
        session.add(sheet)
        session.flush()
        session.add(PageRow(submission_id=sheet.id, ordinal=0, original=table.site.blobs.put(photograph)))
        session.flush()
        number = sheet.id
    recognize(table, number, moved=True, doubtful=False)
    return number


def _put_in_without_a_mail(table: Table) -> None:
    forged_sheet(table, VICTIM, b"nothing", picture(200), known=False, received=False)


def _put_in_with_a_mail(table: Table) -> None:
    raw = mailed(VICTIM, 9, 200, table.site.clock.now())
    forged_sheet(table, VICTIM, raw, picture(200), known=True)


def _other_photograph(table: Table) -> None:
    """The player's mail of version 3, filed with a picture that the keeper drew."""
    at = table.site.clock.now()
    raw = mailed(VICTIM, 3, 140, at)
    table.sent.append(raw)
    number = forged_sheet(table, VICTIM, raw, picture(201), known=True)
    with table.site.store.begin() as session:
        sheet = session.get_one(SubmissionRow, number)
        phase = session.get_one(PhaseRow, sheet.phase_id)
        verdict = receipts.verdict_of(session, sheet, phase, VICTIM)
        Replies(table.writer).receipt(session, sheet, phase, verdict)


def _stamped_early(table: Table) -> None:
    """A mail from after the deadline gets a stamp from before it."""
    row = keeper.in_play(table)
    early, late = row.deadline - timedelta(hours=1), row.deadline + timedelta(hours=3)
    table.site.clock.set(late)
    table.take(mailed(OTHER, 2, 150, early, received_at=late), early)
    recognize(table, table.submissions()[-1].id, moved=True)


def _stamped_late(table: Table) -> None:
    """A mail in time gets a stamp from after the deadline, so that it is refused as late."""
    row = keeper.in_play(table)
    early, late = row.deadline - timedelta(hours=1), row.deadline + timedelta(hours=3)
    table.site.clock.set(late)
    raw = mailed(VICTIM, 3, 150, late, received_at=early)
    table.sent.append(raw)
    table.take(raw, late)


def chosen(table: Table) -> None:
    """The coordinator's own act, with a reason that is none."""
    do(table, ChooseSheet(V1, "because it suits my friends"))


def _refused(table: Table) -> None:
    do(table, RefuseSheet(V2, "I do not like this sheet"))


class Count(Protocol):
    """What `ballots.count` is, and what a cheat puts in its place."""

    def __call__(
        self, submissions: Iterable[RankedSubmission], deadline: datetime, *, first: bool = False
    ) -> dict[str, Ballot]: ...


def _without_the_victim(
    submissions: Iterable[RankedSubmission], deadline: datetime, *, first: bool = False
) -> dict[str, Ballot]:
    counted = ballots.count(submissions, deadline, first=first)
    return {power: ballot for power, ballot in counted.items() if power != VICTIM}


def _without_the_second_version(
    submissions: Iterable[RankedSubmission], deadline: datetime, *, first: bool = False
) -> dict[str, Ballot]:
    return ballots.count([each for each in submissions if each.id != V2], deadline, first=first)


def _counted_by(count: Count) -> Play:
    """The program, changed by its operator, counts ballots otherwise, for the judging and for the record."""

    def executed(session: Session, phase: PhaseRow) -> dict[str, int]:
        counted = count(ballots.ranked_submissions(session, phase.id), phase.deadline)
        return {power: ballot.submission.id for power, ballot in counted.items()}

    def play(_table: Table) -> None:
        exchange(judged_entry, "count", count)
        exchange(turns, "executed", executed)

    return play


CHEATS = (
    Cheat("one version is deleted", KEEPER, BEFORE, "sheets", sql(*removal(V2)), "C17"),
    Cheat("all sheets of a power are deleted", KEEPER, BEFORE, "sheets", sql(*removal(V1, V2)), "C1"),
    Cheat("all sheets of a power are deleted after the deadline", KEEPER, BEFORE, "closed",
          sql(*removal(V1, V2)), "C1"),
    Cheat("sheets are deleted without triggers", OPERATOR, BEFORE, "sheets",
          without_triggers(*removal(V1, V2)), "C1"),
    Cheat("one version is deleted without triggers", OPERATOR, BEFORE, "sheets",
          without_triggers(*removal(V2)), "C1"),
    Cheat("a version is held by hand", KEEPER, BEFORE, "sheets",
          sql("UPDATE submissions SET fate = 'held', flags = '[\"set_aside_by_hand\", \"refused: so\"]' "
              f"WHERE id = {V2}"), "C2"),
    Cheat("a version is chosen by hand", KEEPER, BEFORE, "sheets",
          sql(f"UPDATE submissions SET flags = '[\"chosen\"]' WHERE id = {V1}"), "C2"),
    Cheat("a version gets a lower number", KEEPER, BEFORE, "sheets",
          sql(f"UPDATE submissions SET version = 0 WHERE id = {V2}"), "C2"),
    Cheat("a sheet is made late", KEEPER, BEFORE, "sheets",
          sql(f"UPDATE submissions SET received_at = '2028-01-01 00:00:00.000000' WHERE id = {V2}"), "C2"),
    Cheat("a sheet is given to another power", KEEPER, BEFORE, "sheets",
          sql(f"UPDATE submissions SET power = '{OTHER}', version = 7 WHERE id = {V2}"), "C2"),
    Cheat("a sheet is filed under a later phase", KEEPER, BEFORE, "sheets",
          sql(f"UPDATE submissions SET phase_id = 4 WHERE id = {V2}"), "C2"),
    Cheat("a sheet asks for another version", KEEPER, BEFORE, "sheets",
          sql(f"UPDATE submissions SET instruction = 1 WHERE id = {V2}"), "C2"),
    Cheat("a photograph is exchanged", KEEPER, BEFORE, "sheets",
          sql(f"UPDATE pages SET original = (SELECT original FROM pages WHERE submission_id = {ARGYLL}) "
              f"WHERE submission_id = {V2}"), "C2"),
    Cheat("a mail gets another stamp", KEEPER, BEFORE, "sheets",
          sql("UPDATE mails SET received_at = '2028-01-01 00:00:00.000000' WHERE sha256 = "
              f"(SELECT sha256 FROM submissions WHERE id = {V2})"), "C3"),
    Cheat("a sheet is put in without a mail", KEEPER, BEFORE, "sheets", _put_in_without_a_mail, "C3"),
    Cheat("a sheet is put in with a mail of the keeper's", KEEPER, BEFORE, "sheets", _put_in_with_a_mail,
          "C3"),
    Cheat("another photograph is filed with a mail", OPERATOR, BEFORE, "sheets", _other_photograph, "C5"),
    Cheat("a late mail is stamped as in time", WITH_PLAYER, BEFORE, "sheets", _stamped_early, "C4"),
    # A provider that delivers three hours late leaves the same traces: the player and all others are told.
    Cheat("a mail in time is stamped as late", OPERATOR, BEFORE, "sheets", _stamped_late, "C4",
          is_named=True),
    Cheat("a lower version is chosen at the desk", KEEPER, BEFORE, "closed", chosen, "C15", is_named=True),
    Cheat("a lower version is chosen once the results are known", KEEPER, BEFORE, "ready", chosen, "C15",
          is_named=True),
    Cheat("a good sheet is refused at the desk", KEEPER, BEFORE, "closed", _refused, "C15", is_named=True),
    Cheat("nothing of one power is executed", OPERATOR, BEFORE, "closed", _counted_by(_without_the_victim),
          "C1"),
    Cheat("a lower version is executed", OPERATOR, BEFORE, "closed",
          _counted_by(_without_the_second_version), "C1"),
    Cheat("a sheet that counted is deleted after the results", KEEPER, AFTER, "sent",
          sql("DELETE FROM reviews WHERE line_id IN (SELECT l.id FROM lines l JOIN pages p "
              f"ON p.id = l.page_id WHERE p.submission_id = {V2})", *removal(V2)), "C17"),
    Cheat("a sheet that counted is made late after the results", KEEPER, AFTER, "sent",
          sql("UPDATE submissions SET received_at = '2028-01-01 00:00:00.000000' "
              f"WHERE id = {SHORTS}"), "C2"),
)
