"""The report in a mail, in the order of trust: delivery report, receipt, known dialects, common forms."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from email.message import Message

from service.mail.headers import Headers, addresses, decode_words
from service.mail.mime.parts import Tree, content_type
from service.mail.reports import dialects
from service.mail.reports.delivery_status import blocks_in_text, blocks_of, statuses, summary
from service.mail.reports.letter import letters_quoted, letters_reported
from service.mail.reports.marks import AUTOMATIC_ANSWER, DELAYED, GIVEN_UP, MachineMarks, machine_marks
from service.mail.reports.values import DeliveryReport, Evidence, Outcome, ReportKind

_MOST_LOOKED_AT = 50
"""Parts of a report, of all levels, that are read."""
# The second of each: RFC 6533, for addresses that are not ASCII.
_STATUS_TYPES = ("message/delivery-status", "message/global-delivery-status")
# The last: a person called a letter of ours spam (RFC 5965). It did arrive.
_RECEIPT_TYPES = (
    "message/disposition-notification", "message/global-disposition-notification", "message/feedback-report")
_REFUSED = re.compile(r"\b55[0-4][ -]|could not be delivered", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Notice:
    """A mail that may be a report: its tree, headers, first part of each type, and marks."""

    root: Tree
    headers: Headers
    parts: dict[str, Tree]
    marks: MachineMarks

    @property
    def subject(self) -> str:
        return decode_words(self.headers.text("subject")[:1000])

    def part(self, kinds: Iterable[str]) -> Tree | None:
        return next((self.parts[kind] for kind in kinds if kind in self.parts), None)


def read_report(root: Tree | None, headers: Headers) -> DeliveryReport | None:
    """The report in a mail with these `headers`, or None. Never raises."""
    if root is None:
        return None
    marks = machine_marks(headers)
    # A person's mail stays unread here, whatever is attached to it.
    if not (marks.by_server or marks.returned or marks.letter):
        return None
    notice = _Notice(root, headers, _parts_by_type(root), marks)
    status = notice.part(_STATUS_TYPES)
    declared = _declared(root) if marks.report else ""
    if status is None and (marks.by_server or marks.returned):
        blocks = blocks_in_text(dialects.notice_text(root))
        if blocks:
            return _delivery_report(notice, blocks)
    if declared == "delivery-status" or (status is not None and (marks.by_server or marks.returned)):
        return _delivery_report(notice, [] if status is None else blocks_of(status))
    receipt = notice.part(_RECEIPT_TYPES) if marks.report else None
    if declared == "disposition-notification" or receipt is not None:
        return _receipt(notice, [] if receipt is None else blocks_of(receipt))
    return _in_words(notice)


def _declared(root: Tree) -> str:
    try:
        return str(root.get_param("report-type") or "").casefold()
    except Exception:
        return ""


def _parts_by_type(root: Tree) -> dict[str, Tree]:
    """The first part of each type, without those of the letter that is returned."""
    parts = _within(root)
    wrapped = parts.get("message/rfc822")
    inner = wrapped.get_payload() if wrapped is not None and wrapped.is_multipart() else None
    child = inner[0] if isinstance(inner, list) and inner else None
    # A gateway that adds a disclaimer packs the whole report into an attached mail (flufl.bounce, dsn_15).
    if not isinstance(child, Message) or "multipart/report" in parts:
        return parts
    return _within(child) if content_type(child) == "multipart/report" else parts


def _within(root: Tree) -> dict[str, Tree]:
    parts: dict[str, Tree] = {}
    stack = [root]
    for _ in range(_MOST_LOOKED_AT):
        if not stack:
            break
        part = stack.pop()
        kind = content_type(part)
        parts.setdefault(kind, part)
        payload = part.get_payload() if part.is_multipart() and kind.startswith("multipart/") else None
        if isinstance(payload, list):
            stack += reversed([child for child in payload[:_MOST_LOOKED_AT] if isinstance(child, Message)])
    return parts


def _delivery_report(notice: _Notice, blocks: list[dict[str, str]]) -> DeliveryReport:
    outcome, code, failing = summary(list(statuses(blocks)))
    is_delivered = outcome is Outcome.DELIVERED
    if not failing and not is_delivered:
        in_words = _failures(notice)
        failing = in_words.failed or in_words.delayed
        outcome = outcome or in_words.outcome
    return DeliveryReport(
        ReportKind.RECEIPT if is_delivered else ReportKind.BOUNCE,
        letters_reported(notice.headers, notice.parts, _merged(blocks)),
        outcome or _outcome_in_words(notice, ""),
        code,
        failing,
        Evidence.FORM if notice.marks.by_server else Evidence.WORDS,
    )


def _receipt(notice: _Notice, blocks: list[dict[str, str]]) -> DeliveryReport:
    fields = _merged(blocks)
    about = letters_reported(notice.headers, notice.parts, fields)
    # Sieve's reject (RFC 5429, 2.1.2) and Dovecot refuse a mail in the form of a receipt.
    if "automatic-action" in fields.get("disposition", "").casefold():
        refused = dialects.known_failures(notice.root, notice.headers).failed
        if refused:
            return DeliveryReport(ReportKind.BOUNCE, about, Outcome.FAILED, None, refused)
    return DeliveryReport(ReportKind.RECEIPT, about)


def _merged(blocks: list[dict[str, str]]) -> dict[str, str]:
    """All fields of a report part, the first of each name."""
    return {name: value for block in reversed(blocks) for name, value in block.items()}


def _in_words(notice: _Notice) -> DeliveryReport | None:
    """A bounce that only its words show. Known as one only next to what servers alone write."""
    marks = notice.marks
    # A vacation answer that came to a letter's own address. Servers that return mail say more.
    is_answer = AUTOMATIC_ANSWER.search(notice.subject) is not None or marks.auto_reply or marks.challenge
    if is_answer and not (marks.server and marks.returned):
        return None
    text = dialects.notice_text(notice.root)
    # Two marks that no one's mail has make a bounce of a mail whose words no one can read.
    is_certain = (marks.server or marks.returned) and (
        marks.null_return_path or marks.letter is not None or (marks.server and marks.returned)
        or (marks.server and marks.auto_submitted)
    )
    failures = dialects.known_failures(notice.root, notice.headers)
    if is_certain:
        failures = _failures(notice)
    elif failures.outcome is None:
        failures = _refused(text, notice.headers)
    if not is_certain and failures.outcome is None:
        return None
    words = dialects.words_of_server(text)
    code = re.search(r"\b[45]\.\d{1,3}\.\d{1,3}\b", words)
    identifiers = (*letters_reported(notice.headers, notice.parts, {}), *letters_quoted(text))
    return DeliveryReport(
        ReportKind.BOUNCE,
        tuple(dict.fromkeys(identifiers)),
        Outcome.DELAYED if failures.outcome is Outcome.DELAYED else _outcome_in_words(notice, words),
        code.group() if code else None,
        failures.failed or failures.delayed,
        Evidence.SERVER if marks.by_server else Evidence.WORDS,
    )


def _refused(text: str, headers: Headers) -> dialects.Failures:
    """The addresses in a server's words without a telling subject: an SMTP error and whom it is about."""
    is_refused = _REFUSED.search(text) is not None
    return dialects.Failures(dialects.sure_addresses(text, headers) if is_refused else ())


def _failures(notice: _Notice) -> dialects.Failures:
    """The addresses by the field that Exim and Gmail write, by flufl.bounce, and by the common forms."""
    named = tuple(filter(None, addresses(notice.headers.all("x-failed-recipients"))))
    if named:
        return dialects.Failures(failed=named)
    known = dialects.known_failures(notice.root, notice.headers)
    if known.outcome is not None:
        return known
    text = dialects.notice_text(notice.root)
    common = dialects.addresses_in_words(text, notice.headers)
    return dialects.Failures(
        failed=common or dialects.recipient_of_copy(notice.parts) or dialects.recipient_quoted(text))


def _outcome_in_words(notice: _Notice, words: str) -> Outcome:
    """Failed, unless the server states that it keeps trying."""
    is_delayed = DELAYED.search(notice.subject) is not None or (
        DELAYED.search(words) is not None and GIVEN_UP.search(words) is None
    )
    return Outcome.DELAYED if is_delayed else Outcome.FAILED
