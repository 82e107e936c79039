"""The statement of a machine about a letter of ours."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ReportKind(StrEnum):
    """The subject of a report: a letter that did not arrive yet or at all, or one that did."""

    BOUNCE = "bounce"
    RECEIPT = "receipt"


class Outcome(StrEnum):
    """The fate of a letter on its way. Delayed: its server keeps trying."""

    FAILED = "failed"
    DELAYED = "delayed"
    DELIVERED = "delivered"


class Evidence(StrEnum):
    """Why a mail is taken for a report, the strongest first.

    FORM: written in the form of RFC 3464 or RFC 8098 by a server, which no one's mail program does.
    SERVER: known by its words, in a mail that a server wrote. WORDS: by its words and subject alone.
    """

    FORM = "form"
    SERVER = "server"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class DeliveryReport:
    """A report about one outgoing mail. It can be forged, so it may change no more than that letter's state.

    `message_ids`: what the report may be about, the likeliest first. `status_code`: "5.2.2" (RFC 3463).
    `recipients`: the addresses that failed; if none did, those that wait.
    """

    kind: ReportKind
    message_ids: tuple[str, ...] = ()
    outcome: Outcome | None = None
    status_code: str | None = None
    recipients: tuple[str, ...] = ()
    evidence: Evidence = Evidence.FORM

    @property
    def message_id(self) -> str | None:
        """The likeliest Message-ID of the mail that the report is about, or None."""
        return next(iter(self.message_ids), None)
