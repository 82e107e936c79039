"""What the header block alone says of the machine that wrote a mail.

RFC 3834 (marks of automatic mail), RFC 5321 (the null return path), RFC 6522 (multipart/report), and what
programs write instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.mail.headers import Headers, addresses, decode_words, message_ids, strip_comments
from service.mail.reports.letter import is_letter_id, letter_of_return_path
from service.mail.reports.words import AUTOMATIC_ANSWER, CHALLENGE, REPLY_OR_FORWARD, RETURNED

_LONGEST_SUBJECT = 1000
"""Characters of a subject that are looked at."""
_SERVER_MAILBOX = re.compile(
    r"(?:mailer[-_.]?daemon|mdaemon|(?:mail[-_.]?)?delivery[-_.]?(?:subsystem|system|service|status)?"
    r"|mail-?daemon|mmdf|(?:[a-z0-9.]+-)?daemon|mail[-_.]?(?:system|server|admin|adm)"
    r"|microsoftexchange[0-9a-f]{16,}|ndr|bounces?|e500_smtp_mail_service|[a-z0-9.]*smtp[a-z0-9_.-]*)@.*"
)
_POST_MASTER = re.compile(r"post[-_]?master\b.*")
_ANGLE = re.compile(r"<(?!post-?master)[^<>]*>", re.IGNORECASE)
_SERVER_NAME = re.compile(
    r"mailer.?daemon|mail delivery (?:sub)?(?:system|service)|mail administrator|mail system"
    r"|delivery (?:sub)?system|post ?master|system administrator|system attendant|mail router"
    r"|jetmail|symantec|interscan",
    re.IGNORECASE,
)
_VACATION_PROGRAM = re.compile(
    r"vacation|autorespon|auto-?reply|boxtrapper|tmda|spamarrest|choicemail", re.IGNORECASE
)
_ANSWER_FIELDS = (
    "x-autoreply",
    "x-autorespond",
    "x-auto-reply",
    "x-mail-autoreply",
    "x-autoresponder",
    "x-autoreply-from",
    "x-autoresponse",
    "x-fc-machinegenerated",
)
# A rule that forwards a player's photographs leaves the first of these, some firms' servers write the second.
_RULE_FIELDS = (
    "x-ms-exchange-inbox-rules-loop",
    "x-auto-response-suppress",
    "x-ms-exchange-generated-message-source",
    "x-loop",
)
_CHALLENGE_FIELDS = (
    "x-boxtrapper-match",
    "x-boxtrapper",
    "x-boxtrapper-queue",
    "x-tmda-fingerprint",
    "x-spamarrest",
    "x-choicemail-registration-request",
    "x-asa-challenge",
    "x-ask-confirm",
)
_PRECEDENCE = ("precedence", "x-precedence", "preference")
_ANSWER_PRECEDENCE = {"auto_reply", "auto-reply", "autoreply"}


@dataclass(frozen=True, slots=True)
class MachineMarks:
    """The headers by which programs say, or show, that no person wrote a mail.

    The first four are said outright (RFC 3834, RFC 5321). `report`: multipart/report. `server`: a mail
    server's own address or name in From. `returned`: fields or a subject by which servers return mail.
    `answer_subject` and `answer_fields`: as vacation and challenge programs write them, and sometimes a
    person. `answers_letter`: it answers a letter of ours. `letter`: the Message-ID of ours in the address
    that it came to.
    """

    null_return_path: bool = False
    auto_submitted: bool = False
    auto_reply: bool = False
    challenge: bool = False
    report: bool = False
    server: bool = False
    returned: bool = False
    answer_subject: bool = False
    answer_fields: bool = False
    answers_letter: bool = False
    letter: str | None = None

    @property
    def by_server(self) -> bool:
        """Whether the header block shows that a mail server wrote the mail, and not only a program."""
        return self.null_return_path or self.auto_submitted or self.report or self.server

    def __bool__(self) -> bool:
        return self.null_return_path or self.auto_submitted or self.auto_reply or self.challenge


def machine_marks(headers: Headers) -> MachineMarks:
    """The marks of a header block. Pure; never raises."""
    path = headers.first("return-path")
    subject = " ".join(decode_words((headers.first("subject") or "")[:_LONGEST_SUBJECT]).split())
    submitted = [_keyword(value) for value in headers.all("auto-submitted")]
    precedence = {_keyword(value) for name in _PRECEDENCE for value in headers.all(name)}
    references = [
        identifier
        for name in ("in-reply-to", "references")
        for value in headers.all(name)
        for identifier in message_ids(value)
    ]
    return MachineMarks(
        # RFC 5321, 4.5.5: bounces and notices have an empty return path, so that nobody answers them.
        null_return_path=path is not None
        and re.fullmatch(r"<\s*>", strip_comments(path).strip()) is not None,
        # RFC 3834, 5: "no" says that a person sent the mail.
        auto_submitted=any(word not in {"", "no"} for word in submitted),
        auto_reply=bool(precedence & _ANSWER_PRECEDENCE) or _is_answer(headers),
        challenge=any(headers.all(name) for name in _CHALLENGE_FIELDS),
        report="multipart/report" in strip_comments(headers.first("content-type") or "").casefold(),
        server=_from_server(headers),
        returned=_is_returned(headers, subject),
        answer_subject=AUTOMATIC_ANSWER.search(subject) is not None or CHALLENGE.search(subject) is not None,
        # Old vacation scripts write "junk". Each of the others stands in persons' mails as well, two do not.
        answer_fields="junk" in precedence
        or ("bulk" in precedence) + sum(bool(headers.all(name)) for name in _RULE_FIELDS) > 1,
        answers_letter=any(map(is_letter_id, references)),
        letter=letter_of_return_path(headers),
    )


def may_be_report(headers: Headers) -> bool:
    """Whether the body must be read to know if the mail reports on a letter of ours."""
    marks = machine_marks(headers)
    return bool(
        marks.null_return_path
        or marks.auto_submitted
        or marks.report
        or marks.server
        or marks.returned
        or marks.letter
    )


def _is_answer(headers: Headers) -> bool:
    if any(
        _keyword(value) not in {"", "no", "false"} for name in _ANSWER_FIELDS for value in headers.all(name)
    ):
        return True
    # iCloud writes this field into every mail, with what its rules did ("MOVE_TO_FOLDER/INBOX").
    if any(value.casefold().startswith("vacation") for value in headers.all("x-apple-action")):
        return True
    programs = [
        program
        for name in ("x-mailer", "x-delivery-agent", "x-post-messageclass")
        for program in headers.all(name)
    ]
    return any(_VACATION_PROGRAM.search(program) for program in programs) or any(
        value.casefold() == "autoresponder" for value in headers.all("delivered-to")
    )


def _from_server(headers: Headers) -> bool:
    written = headers.all("from")
    senders = addresses(written)
    if any(
        _SERVER_MAILBOX.fullmatch(sender.casefold()) or _POST_MASTER.fullmatch(sender.casefold())
        for sender in senders
    ):
        return True
    names = " ".join(_ANGLE.sub(" ", decode_words(value)) for value in written)
    return bool(_SERVER_NAME.search(names)) or (bool(written) and not senders and "<>" in "".join(written))


def _is_returned(headers: Headers, subject: str) -> bool:
    if any(headers.all(name) for name in ("x-failed-recipients", "x-dsncontext", "x-bounce-reason")):
        return True
    if any(value.casefold().startswith("delivery report") for value in headers.all("message-type")):
        return True
    # A server's own "RE:" has nothing that it answers; a person's has.
    is_answer = REPLY_OR_FORWARD.search(subject) is not None and (
        headers.first("in-reply-to") is not None or re.match(r"\s*re\s*:", subject, re.IGNORECASE) is None
    )
    return not is_answer and RETURNED.search(subject) is not None


def _keyword(value: str) -> str:
    return strip_comments(value).partition(";")[0].strip().casefold()
