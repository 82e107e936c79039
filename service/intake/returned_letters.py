"""A report of another server reaches the outbox and the coordinator."""

from __future__ import annotations

from typing import Protocol

from sqlalchemy.orm import Session

from service.facts.refusals import RefusalReason
from service.intake.verdicts.verdict import Verdict
from service.mail.reports import Outcome
from service.mail.sending import returned
from service.store import records

_REPORTS = {RefusalReason.BOUNCE, RefusalReason.RECEIPT}


class BounceNotices(Protocol):
    """The letters about letters that came back."""

    def bounced(self, session: Session, letter_id: int) -> None:
        """Tell the coordinator about a letter that came back."""

    def unknown_letter_bounced(self, session: Session, player_id: int) -> None:
        """Tell the coordinator that some letter to this player came back."""


def note_report(session: Session, notices: BounceNotices, verdict: Verdict) -> None:
    """Note what a bounce or receipt says about its letter, and tell the coordinator of a lost one."""
    report = verdict.report
    # A vacation answer may have words of a report in it, and reports on nothing.
    if report is None or verdict.reason not in _REPORTS:
        return
    letter_id = returned.note_report(session, report)
    if letter_id is not None:
        notices.bounced(session, letter_id)
    elif report.outcome is Outcome.FAILED and not returned.names_letter(session, report):
        players = {player.id for address in report.recipients
                   if (player := records.player_of(session, address)) is not None}
        for player_id in sorted(players):
            notices.unknown_letter_bounced(session, player_id)
