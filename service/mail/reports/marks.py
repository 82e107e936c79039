"""What the header block alone states of the machine that wrote a mail; and the words by which mail servers,
vacation programs and challenges are known, in the languages of players.

RFC 3834 (marks of automatic mail), RFC 5321 (the null return path), RFC 6522 (multipart/report), and what
programs write instead. Sources of the words: the test data of flufl.bounce 6.0.0 and of Sisimai; the language
packs of Exchange and Outlook; the manuals of qmail, Exim, Postfix and Sendmail.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.mail.headers import Headers, addresses, decode_words, message_ids, strip_comments
from service.mail.reports.letter import is_letter_id, letter_of_return_path


def _any_of(*forms: str) -> re.Pattern[str]:
    return re.compile("|".join(forms), re.IGNORECASE)


# "Re: Delivery Status Notification" is a person who answers a notice or forwards it.
REPLY_OR_FORWARD = _any_of(r"^\s*(?:re|aw|wg|fw|fwd|sv|vs|tr|rif|antw|odp|i)\s*(?:\[\d+\])?\s*:")

RETURNED = _any_of(
    r"undeliver(?:ed|able)", r"un-?deliverable", r"non-?delivery", r"nondeliverable",
    r"returned (?:e-?)?mail", r"return(?:ed|ing) (?:message )?to (?:the )?sender",
    r"(?:failure|error) (?:notice|delivery)", r"mail error",
    r"(?:mail|message)\b.{0,40}\b(?:could|can) ?not be deliver",
    r"deliver(?:y|ing)\b.{0,30}"
    r"\b(?:fail|warning|problem|error|delay|report|notification|status|impossible|incomplete)",
    r"(?:fail|problem|error|unable)\w*\b.{0,30}\bdeliver", r"^(?:ndn|ndr|dsn|nondelivery)\b",
    r"(?:mail|message)\b.{0,20}\bdelay", r"delayed (?:mail|message)", r"message not delivered",
    r"not delivered", r"(?:mail|message) (?:system|server) (?:error|problem)",
    r"message status - undeliverable", r"failed mail", r"mail (?:status )?report",
    r"rejected (?:mail|message)", r"message (?:was )?rejected",
    # German.
    r"unzustellbar", r"nicht zugestellt", r"zustell\w*\b.{0,40}\b(?:fehl|versp|verz|nicht)",
    r"zustellungsstatus", r"übermittlungsstatus", r"übermittlungsfehler", r"rückläufer",
    r"nicht zustellbar", r"verzögerte zustellung",
    # French.
    r"non remis", r"remise\b.{0,30}\b(?:échou|echou|impossible|retard|état|etat)",
    r"échec\b.{0,20}\bremise", r"état de remise", r"etat de remise", r"non distribu", r"non délivr",
    r"non delivr", r"retour de courrier",
    # Spanish, Portuguese, Italian.
    r"no se pudo entregar", r"no se puede entregar", r"no entregad", r"estado de (?:la )?entrega",
    r"não entregue", r"não foi possível entregar", r"falha na entrega", r"não é possível entregar",
    r"mancata consegna", r"mancato recapito", r"non recapit", r"impossibile recapitare",
    r"stato del recapito", r"entrega\b.{0,20}\bfall",
    # Dutch, Scandinavian, Polish, Czech, Russian.
    r"onbestelbaar", r"niet bezorgd", r"kan niet worden bezorgd", r"olevererbar", r"kan ikke leveres",
    r"gick inte att leverera", r"niedostarczon", r"nie (?:można|udało się) dostarczyć", r"nedoručiteln",
    r"недостав", r"не удалось доставить", r"не доставлено", r"статус доставки",
    # Japanese, Chinese, Korean.
    r"配信不能", r"配信できません", r"配信に?失敗", r"配信エラー", r"メールエラー", r"送信できません",
    r"送信失敗", r"未配信", r"配達不能", r"配信(?:状態|状況|が?遅延)", r"退信", r"退件",
    r"無法(?:傳遞|投遞|遞送|送達)", r"无法(?:传递|投递|送达)", r"(?:投递|投遞|发送|發送|送达|传递)失[败敗]",
    r"未(?:送达|送達|传递|傳遞|投递)", r"传递状态", r"傳遞狀態", r"배달(?:되지|할 수| 실패|\s*상태)",
    r"전송(?:되지|할 수| 실패)", r"반송",
)
"""A subject by which a server returns a mail or warns of a delay."""

DELAYED = _any_of(
    r"\bdelayed\b", r"\(delay\)", r"warning\b.{0,60}\b(?:not|still|delay)", r"still being retried",
    r"not (?:yet )?been delivered (?:yet|so far)?", r"has not yet been",
    r"will (?:continue|keep) (?:to )?(?:try|retry)", r"will be re-?(?:tried|attempted)", r"warning only",
    r"delivery attempts will continue", r"you do not need to resend", r"verzöger", r"verspät",
    r"noch nicht zugestellt", r"retardé", r"retard", r"demorad", r"retrasad", r"ritardat", r"vertraagd",
    r"försen", r"forsink", r"opóźnion", r"задерж", r"отложен", r"遅延", r"遅れ", r"延迟", r"延遲", r"지연",
)
"""A server that keeps trying."""

GIVEN_UP = _any_of(
    r"permanent", r"given up", r"giving up", r"not going to try again", r"\b5\.\d{1,3}\.\d{1,3}\b",
    r"\b55[0-4]\b", r"could not be delivered", r"expired", r"too long in", r"in the queue too long",
)
"""A server that has ended its tries, whatever it states about earlier warnings."""

AUTOMATIC_ANSWER = _any_of(
    r"^\W*auto(?:matic|mated)?[- ]?(?:reply|answer|respon\w*)\b\W*(?::|$|from\b|to\b)",
    r"^\W*auto-?(?:reply|response|responder|answer)\b", r"^\W*yahoo! auto response",
    r"^\W*auto: .{1,80}\bout of (?:the )?office\b",
    r"^\W*out[- ]of[- ](?:the[- ])?office\b\W*(?::|$|re\b|auto|reply)", r"^\W*ooo\s*:",
    r"^\W*(?:i am |i'm )?(?:away|on (?:vacation|holiday|leave))\b\W*(?::|$|re:|from my mail)",
    r"^\W*vacation (?:reply|response|message|notice|auto)",
    r"^\W*(?:absence|away) (?:message|notice|notification)",
    # German, French.
    r"^\W*abwesenheits(?:notiz|nachricht|meldung|benachrichtigung|assistent)",
    r"^\W*automatische (?:antwort|rückantwort)",
    r"^\W*(?:abwesend|nicht im (?:büro|hause?)|abwesenheit|urlaub)\s*(?::|$)", r"^\W*réponse automatique",
    r"^\W*reponse automatique", r"^\W*message d.absence", r"^\W*absen(?:ce|t)(?: du bureau)?\s*(?::|$)",
    # Spanish, Portuguese, Italian, Dutch.
    r"^\W*respuesta autom[aá]tica", r"^\W*fuera de la oficina", r"^\W*resposta autom[aá]tica",
    r"^\W*fora do escrit[oó]rio", r"^\W*risposta automatica", r"^\W*fuori sede",
    r"^\W*automatisch antwoord", r"^\W*afwezigheid",
    # Scandinavian, Finnish, Polish, Czech, Hungarian, Russian, Turkish.
    r"^\W*automatis[kt]+ sv[aå]r", r"^\W*autosvar", r"^\W*automaattinen vastaus", r"^\W*autoreply",
    r"^\W*odpowiedź automatyczna", r"^\W*automatyczna odpowiedź", r"^\W*automatická odpověď",
    r"^\W*automatikus válasz", r"^\W*автоответ", r"^\W*автоматический ответ", r"^\W*otomatik yanıt",
    # Japanese, Chinese, Korean.
    r"^\W*自動(?:応答|返信)", r"^\W*不在(?:通知|のお知らせ|届)", r"^\W*自动(?:回复|答复)",
    r"^\W*自動(?:回覆|答覆)", r"^\W*자동 ?(?:회신|응답)",
)
"""The subject of a vacation answer. A person's subject only seldom begins so."""

CHALLENGE = _any_of(
    r"verify#[0-9a-f]{8,}", r"\[spamarrest\]", r"requires verification",
    r"please confirm your (?:e-?mail|message)",
    r"confirm(?:ation)? (?:your|required for|needed for) (?:delivery|message|e-?mail)",
    r"challenge[-/ ]response", r"^re: .* \(verification\)$",
    r"sender (?:address )?verification (?:required|needed|request)", r"antispam uol",
)
"""The subject of a program that demands a proof from the sender."""


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
_FORWARDING_FIELDS = ("x-ms-exchange-inbox-rules-loop", "x-ms-exchange-generated-message-source")
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
    """The headers by which programs say, or show, that no one wrote a mail.

    The first four are stated outright (RFC 3834, RFC 5321). `report`: multipart/report. `server`: a mail
    server's own address or name in From. `returned`: fields or a subject by which servers return mail.
    `answer_subject` and `answer_fields`: as vacation and challenge programs write them, and sometimes a
    person. `answers_letter`: it answers a letter of ours. `letter`: the Message-ID of ours in the address
    that it came to. `forwarded`: a rule of a mailbox sent it on.
    """

    null_return_path: bool
    auto_submitted: bool
    auto_reply: bool
    challenge: bool
    report: bool
    server: bool
    returned: bool
    answer_subject: bool
    answer_fields: bool
    answers_letter: bool
    letter: str | None
    forwarded: bool

    @property
    def is_forwarded_only(self) -> bool:
        """Whether a rule of a person's mailbox sent the mail on, and nothing else shows a machine."""
        return self.forwarded and not (self.null_return_path or self.auto_reply or self.challenge)

    @property
    def by_server(self) -> bool:
        """Whether the header block shows that a mail server wrote the mail, and not only a program."""
        return self.null_return_path or self.auto_submitted or self.report or self.server

    def __bool__(self) -> bool:
        return self.null_return_path or self.auto_submitted or self.auto_reply or self.challenge


def machine_marks(headers: Headers) -> MachineMarks:
    """The marks of a header block. Pure; never raises."""
    path = headers.first("return-path")
    subject = " ".join(decode_words(headers.text("subject")[:_LONGEST_SUBJECT]).split())
    submitted = [_keyword(value) for value in headers.all("auto-submitted")]
    precedence = {_keyword(value) for name in _PRECEDENCE for value in headers.all(name)}
    references = [
        identifier
        for name in ("in-reply-to", "references")
        for value in headers.all(name)
        for identifier in message_ids(value)
    ]
    return MachineMarks(
        # RFC 5321, 4.5.5: bounces and notices have an empty return path, so that no one answers them.
        null_return_path=path is not None
        and re.fullmatch(r"<\s*>", strip_comments(path).strip()) is not None,
        # RFC 3834, 5: "no" states that a person sent the mail.
        auto_submitted=any(word not in {"", "no"} for word in submitted),
        auto_reply=bool(precedence & _ANSWER_PRECEDENCE) or _is_answer(headers),
        challenge=any(headers.all(name) for name in _CHALLENGE_FIELDS),
        report="multipart/report" in strip_comments(headers.text("content-type")).casefold(),
        server=_from_server(headers),
        returned=_is_returned(headers, subject),
        answer_subject=AUTOMATIC_ANSWER.search(subject) is not None or CHALLENGE.search(subject) is not None,
        # Old vacation scripts write "junk". Each of the others is in persons' mails as well, two do not.
        answer_fields="junk" in precedence
        or ("bulk" in precedence) + sum(bool(headers.all(name)) for name in _RULE_FIELDS) > 1,
        answers_letter=any(map(is_letter_id, references)),
        letter=letter_of_return_path(headers),
        forwarded=_is_forwarded({word for word in submitted if word not in {"", "no"}}, headers),
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


def _is_forwarded(submitted: set[str], headers: Headers) -> bool:
    """Whether the automatic submission is that of a rule: as RFC 5436, 2.7.1 and later practice name it, or
    as Exchange does, whose rules write the same word as other programs and a field of their own."""
    if submitted == {"auto-forwarded"}:
        return True
    by_exchange = any(headers.all(name) for name in _FORWARDING_FIELDS)
    return by_exchange and bool(submitted) and submitted <= {"auto-forwarded", "auto-generated"}


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
