"""Whether a machine wrote a mail. A bounce that is none would lose a turn, so words alone never make a bounce
of a player's mail."""

from __future__ import annotations

from service.facts.refusals import RefusalReason
from service.mail.message import IncomingMail
from service.mail.reports import DeliveryReport, Evidence, ReportKind


def machine_reason(mail: IncomingMail, *, is_registered: bool) -> RefusalReason | None:
    """Why a mail is a machine's and is ignored: bounce, receipt or automatic answer; None for a person's.

    `is_registered`: its From is a player's address, proved or not.
    """
    if mail.report is not None and _is_believed(mail, mail.report, is_registered=is_registered):
        return RefusalReason.BOUNCE if mail.report.kind is ReportKind.BOUNCE else RefusalReason.RECEIPT
    return RefusalReason.AUTO_REPLY if mail.machine or _looks_automatic(mail) else None


def _is_believed(mail: IncomingMail, report: DeliveryReport, *, is_registered: bool) -> bool:
    if report.evidence is Evidence.FORM:
        return True
    # "Undelivered Mail" as the subject of a player's forwarded sheet is no bounce.
    if is_registered:
        return False
    return report.evidence is Evidence.SERVER or not mail.has_pictures


def _looks_automatic(mail: IncomingMail) -> bool:
    """A vacation answer or challenge that bears no mark of RFC 3834."""
    marks = mail.machine
    if mail.has_pictures:
        # The picture below somebody's name in a vacation answer is no sheet.
        return marks.answer_subject and marks.answers_letter
    return marks.answer_subject or marks.answer_fields
