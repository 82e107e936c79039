"""Bounces that are not delivery reports: the addresses in the words of qmail, Exim, Notes and a hundred more.

flufl.bounce reads most old dialects. It is given a small copy of the mail: it looks at each line some hundred
times, and a returned letter brings its pictures along. What it does not know is read by the forms that all
dialects share.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email.message import Message
from html import unescape

from flufl.bounce import all_failures

from service.mail.headers import Headers, addresses, decode_bytes, split_mail
from service.mail.mime.parts import Tree, content_type, payload_of
from service.mail.reports.values import Outcome

_MOST_PARTS = 20
_DEEPEST = 6
_MOST_TEXT = 40_000
_MOST_LINES = 400
_LONGEST_LINE = 500
"""Of one notice: parts and levels that are read, characters and lines of each part, characters of a line."""
_MOST_LOOSE = 4
"""Addresses that may are anywhere in a notice to be believed; more are a list of something else."""

_MAILBOX = r"[^\s<>()\[\];,:\"'=|@]+@[a-z0-9](?:[a-z0-9-]*\.)*[a-z0-9-]+"
_ADDRESS = re.compile(_MAILBOX, re.IGNORECASE)
_OFFICE = re.compile(
    rf"\b(?:mailer-daemon|post-?master|abuse|support|help|admin|webmaster)@{_MAILBOX.partition('@')[2]}",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"message-id:\s*<([^<>\s]{1,300})>", re.IGNORECASE)
_COPY_BEGINS = re.compile(
    r"(?:original|returned|old) (?:message|mail)(?! was (?:received|sent))"
    r"|copy of (?:the|your) (?:original )?(?:message|mail)|below this line"
    r"|(?:message|mail) (?:headers?|text) follow|^(?:received|return-path|message-id|dkim-signature):"
    r"|unsent message|(?:first|initial) .{0,20}lines of|-{5,} ?forwarded"
    r"|ursprüngliche nachricht|message d.origine|mensaje original|元の(?:メール|メッセージ)|原始邮件|原邮件",
    re.IGNORECASE,
)


def _forms(*forms: str) -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(form.replace("ADDRESS", f"(?P<address>{_MAILBOX})"), re.IGNORECASE) for form in forms
    )


# From the surest to the loosest; the first that fits anything counts.
_SURE_FORMS = _forms(
    r"(?:final|original|failed|intended)[- ]recipients?:?\s*(?:rfc822;)?\s*<?ADDRESS",
    r"rcpt to:\s*<?ADDRESS",
    r"(?:recipient )?address:\s*<?ADDRESS",
    r"(?:could ?not|cannot|can't|unable to|not) (?:be )?deliver(?:ed)?\b.{0,60}?<?ADDRESS",
    r"error delivering your mail to\s*<?ADDRESS",
    r"^\s*<ADDRESS>(?:\s*$|[:,; ].*)",
)
_LOOSE_FORMS = _forms(
    r"^\s*(?:\*|-|>|recipient:|to:)?\s*(?:<)?ADDRESS>?\s*(?:[:;,([].*|\.{3}.*|-{2,}.*)?$",
    r"^\s*<?ADDRESS>?\s",
    r"(?:user|mailbox|account|recipient|an|to|à|für)\W{1,3}ADDRESS",
)


@dataclass(frozen=True, slots=True)
class Failures:
    """Addresses in a notice: those given up, and those whose server keeps trying."""

    failed: tuple[str, ...] = ()
    delayed: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome | None:
        """The worst of them; None if there is no address."""
        return Outcome.FAILED if self.failed else Outcome.DELAYED if self.delayed else None


def known_failures(root: Tree, headers: Headers) -> Failures:
    """The addresses that flufl.bounce finds. Never raises."""
    try:
        delayed, failed = all_failures(_small_copy(root, headers))
    except Exception:
        # It raises on some broken mails, such as a charset that does not exist.
        return Failures()
    # It takes the Message-ID of a returned letter for an address (Sisimai, lhost-zoho-01).
    identifiers = {match[1].casefold() for match in _IDENTIFIER.finditer(notice_text(root))}
    own = identifiers | _own(headers)
    failures = Failures(_readable(failed, own), _readable(delayed, own))
    if failures.outcome is not None:
        return failures
    return Failures(_readable(failed, identifiers), _readable(delayed, identifiers))


def _readable(read: frozenset[bytes], others: set[str]) -> tuple[str, ...]:
    texts = sorted(address.decode("ascii", "replace") for address in read)
    return _without((text for text in texts if _ADDRESS.fullmatch(text)), others)


def _small_copy(root: Tree, headers: Headers) -> Message:
    copy = _skeleton(root, 0)
    for name, value in headers.fields[:200]:
        if name not in copy:
            copy[name] = value.decode("ascii", "replace").replace("\r", " ").replace("\n", " ")
    return copy


def _skeleton(part: Tree, depth: int) -> Message:
    copy: Message = Message()
    for name, value in part.items():
        if name not in copy:
            copy[name] = re.sub(r"[\r\n]+", " ", str(value))
    payload = part.get_payload() if part.is_multipart() else None
    kind = content_type(part)
    if isinstance(payload, list):
        keep = depth < _DEEPEST and not kind.startswith("message/rfc822")
        copy.set_payload(
            [_skeleton(child, depth + 1) for child in payload[:_MOST_PARTS] if isinstance(child, Message)]
            if keep
            else []
        )
    elif kind.startswith(("text/", "message/")):
        copy.set_payload(_cut(str(part.get_payload())))
    return copy


def _cut(text: str) -> str:
    return "\n".join(line[:_LONGEST_LINE] for line in text[:_MOST_TEXT].splitlines()[:_MOST_LINES])


def notice_text(root: Tree) -> str:
    """The words of a notice, decoded, without the letter that it returns; all words of a mail whose parts
    cannot be distinguished."""
    return "\n".join(_cut(text) for text in _texts(root, 0))


def _texts(part: Tree, depth: int) -> Iterator[str]:
    payload = part.get_payload() if part.is_multipart() else None
    kind = content_type(part)
    if isinstance(payload, list):
        if depth < _DEEPEST and not kind.startswith("message/"):
            for child in payload[:_MOST_PARTS]:
                if isinstance(child, Message):
                    yield from _texts(child, depth + 1)
    elif kind in {"text/plain", "text/html"} or kind.startswith("multipart/"):
        text = decode_bytes(payload_of(part)[: 2 * _MOST_TEXT], _charset(part))
        yield _without_tags(text) if kind == "text/html" else text


def _charset(part: Tree) -> str:
    try:
        return str(part.get_param("charset") or "utf-8")
    except Exception:
        return "utf-8"


def _without_tags(text: str) -> str:
    text = re.sub(r"(?is)<(script|style|head)\b.{0,20000}?</\1>", " ", text)
    text = re.sub(r"(?i)<(?:br|/?p|/?div|/?tr|/?li|/?h[1-6])\b[^<>]{0,500}>", "\n", text)
    return unescape(re.sub(r"<[^<>@]{1,2000}>", " ", text))


def words_of_server(notice: str) -> str:
    """The notice down to the copy of our letter."""
    lines: list[str] = []
    for line in notice.splitlines():
        if lines and _COPY_BEGINS.search(line):
            break
        if line.strip():
            lines.append(line)
    return "\n".join(lines)


def sure_addresses(notice: str, headers: Headers) -> tuple[str, ...]:
    """The addresses that the words of a notice call failed; () if none can be found."""
    return _by_forms(_SURE_FORMS, words_of_server(notice).splitlines(), _own(headers))


def addresses_in_words(notice: str, headers: Headers) -> tuple[str, ...]:
    """The failing addresses of a notice in an unknown dialect; () if none can be found."""
    own, lines = _own(headers), words_of_server(notice).splitlines()
    fitting = _by_forms(_SURE_FORMS, lines, own)
    if fitting:
        return fitting
    lines = [_OFFICE.sub(" ", line) for line in lines]
    any_form = tuple(match.group() for line in lines for match in _ADDRESS.finditer(line))
    loose = _by_forms(_LOOSE_FORMS, lines, own) or _without(any_form, own)
    return loose if len(loose) <= _MOST_LOOSE else ()


def _by_forms(forms: tuple[re.Pattern[str], ...], lines: list[str], own: set[str]) -> tuple[str, ...]:
    for form in forms:
        fitting = _without((match["address"] for line in lines for match in form.finditer(line)), own)
        if fitting:
            return fitting
    return ()


def _own(headers: Headers) -> set[str]:
    """Ours, and those of the server that writes, in small letters: none of them has failed."""
    names = ("from", "to", "cc", "reply-to", "delivered-to", "return-path")
    return {address.casefold() for name in names for address in addresses(headers.all(name))}


def _without(texts: Iterable[str], others: set[str]) -> tuple[str, ...]:
    kept = {text.strip(".'*").casefold(): text.strip(".'*") for text in texts}
    return tuple(text for folded, text in kept.items() if folded not in others)


def recipient_of_copy(parts_by_type: dict[str, Tree]) -> tuple[str, ...]:
    """The recipient in the copy of our letter; each letter has a single one."""
    for kind in ("message/rfc822", "text/rfc822-headers"):
        part = parts_by_type.get(kind)
        if part is None:
            continue
        inner = part.get_payload() if part.is_multipart() else None
        if isinstance(inner, list) and inner and isinstance(inner[0], Message):
            recipients = addresses([str(inner[0].get("to", ""))])
        else:
            recipients = addresses(split_mail(payload_of(part))[0].all("to"))
        if len(recipients) == 1 and recipients[0]:
            return recipients
    return ()


def recipient_quoted(notice: str) -> tuple[str, ...]:
    """The recipient in our letter's headers, where a notice has them in its text (Sendmail 5, Verizon)."""
    lines = notice.splitlines()
    start = next((number for number, line in enumerate(lines) if _COPY_BEGINS.search(line)), len(lines))
    written = [line.partition(":")[2] for line in lines[start:] if line[:3].casefold() == "to:"]
    recipients = addresses(written[:1])
    return recipients if len(recipients) == 1 and recipients[0] else ()
