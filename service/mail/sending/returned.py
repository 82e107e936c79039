"""What another server's report changes: the state of the one letter that it is about, and nothing else.

Anybody can write such a report. So it never keeps a later letter from being written or sent, and the
coordinator hears of each letter that it takes for lost.
"""

from __future__ import annotations

from sqlalchemy.orm import Session

from service.mail.reports import DeliveryReport, Outcome
from service.store import records
from service.store.tables import OutboxRow, OutboxState

# RFC 3463, 3: subject and detail of an enhanced status code, the longest that fits first.
_CAUSES = (
    ("1.10", "there is no such address"), ("1.2", "there is no such mail server"),
    ("1.", "there is no such address"), ("2.1", "the mailbox is closed"), ("2.2", "the mailbox is full"),
    ("2.3", "the letter is too large for it"), ("3.4", "the letter is too large for it"),
    ("4.", "its server could not be reached"), ("7.", "its server refuses mail from this site"),
)
_LEFT = (OutboxState.SENT, OutboxState.DELAYED)
"""The states of a letter that another server has taken over."""


def note_report(session: Session, report: DeliveryReport) -> int | None:
    """Settle the state of the letter that a report is about. The letter's id if it has failed by this report,
    else None."""
    row = _letter(session, report)
    if row is None or report.outcome is None:
        return None
    match report.outcome:
        case Outcome.FAILED:
            words = f"it came back as undeliverable{_cause(report)}"
            return row.id if _settle(session, row, _LEFT, OutboxState.FAILED, words) else None
        case Outcome.DELAYED:
            words = f"a server on the way has not delivered it yet and is still trying{_cause(report)}"
            _settle(session, row, (OutboxState.SENT,), OutboxState.DELAYED, words)
        case Outcome.DELIVERED:
            _settle(session, row, (OutboxState.DELAYED,), OutboxState.SENT, None)
    return None


def names_letter(session: Session, report: DeliveryReport) -> bool:
    """Whether a report is about a letter of the outbox."""
    return _letter(session, report) is not None


def _letter(session: Session, report: DeliveryReport) -> OutboxRow | None:
    letters = (records.letter_by_message_id(session, [identifier]) for identifier in report.message_ids)
    return next((row for row in letters if row is not None), None)


def _settle(
    session: Session, row: OutboxRow, before: tuple[OutboxState, ...], after: OutboxState, words: str | None
) -> bool:
    # A letter on its way to the server settles by the server's own answer, and one that a person sends again
    # is not stopped by the report on its first copy.
    return records.claim(session, OutboxRow, OutboxRow.id == row.id, OutboxRow.state.in_(before),
                         state=after, error=words)


def _cause(report: DeliveryReport) -> str:
    code = report.status_code
    if code is None:
        return ""
    cause = cause_of(code)
    return f" ({code})" if cause is None else f": {cause} ({code})"


def cause_of(code: str) -> str | None:
    """What an enhanced status code such as "5.1.1" means, in words; None if it is not in the list."""
    detail = code.partition(".")[2]
    return next((words for start, words in _CAUSES if detail.startswith(start)), None)
