"""The questions of the first run, their order, and the fitting answers: one list for the terminal and
for the page."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from service.cli.users import SHORTEST
from service.mail.hosts import HOSTS, OTHER, host_named, likely_host
from service.store.addresses import is_address

YES, NO = "yes", "no"
Answers = Mapping[str, str]
"""The answers by the names of their questions; one that was not asked is missing."""


class QuestionKind(StrEnum):
    """How an answer is given: in words, hidden, or as one of a list."""

    WORDS = "words"
    HIDDEN = "hidden"
    CHOICE = "choice"


def _no_default(_answers: Answers) -> str:
    return ""


def _no_fault(_answer: str) -> str:
    return ""


def _always(_answers: Answers) -> bool:
    return True


def _no_hint(_answers: Answers) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `default` is proposed from the answers before; `fault` is a sentence about an answer that
    does not fit, "" for one that does; `asked` is whether the answers before make it necessary; `hint` is
    shown before it. `optional`: an empty answer fits too."""

    name: str
    words: str
    kind: QuestionKind = QuestionKind.WORDS
    choices: Sequence[str] = ()
    default: Callable[[Answers], str] = _no_default
    fault: Callable[[str], str] = _no_fault
    asked: Callable[[Answers], bool] = _always
    hint: Callable[[Answers], str] = _no_hint
    optional: bool = False

    def fault_of(self, answer: str) -> str:
        """A sentence about this answer, "" if it fits."""
        if not answer:
            return "" if self.optional else "An answer is needed here."
        if not all(char == "\t" or unicodedata.category(char)[0] != "C" for char in answer):
            return "This answer has an invisible character. Type it without that character."
        if self.choices and answer not in self.choices:
            return f"Choose one of: {', '.join(self.choices)}."
        return self.fault(answer)


def _address_fault(answer: str) -> str:
    return "" if is_address(answer) else "This is not a mail address such as orders@example.org."


def _port_fault(answer: str) -> str:
    fits = answer.isascii() and answer.isdigit() and 1 <= int(answer) <= 65535
    return "" if fits else "A port is a number from 1 to 65535."


def _link_fault(answer: str) -> str:
    try:
        parts = urlsplit(answer)
        fits = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        fits = False
    return "" if fits else "An address begins with https://, such as https://orders.example.org."


def _password_fault(answer: str) -> str:
    return "" if len(answer) >= SHORTEST else f"A password has at least {SHORTEST} characters."


def _domain(answers: Answers) -> str:
    return answers["order_address"].rpartition("@")[2]


def _likely(answers: Answers) -> str:
    host = likely_host(answers["order_address"])
    return host.name if host else OTHER


def _is_other(answers: Answers) -> bool:
    return answers["provider"] == OTHER


def _password_hint(answers: Answers) -> str:
    host = host_named(answers["provider"])
    return host.hint if host else ""


QUESTIONS: Sequence[Question] = (
    Question("order_address", "The mail address to which players send their sheets", fault=_address_fault),
    Question("provider", "The provider of that mailbox", QuestionKind.CHOICE,
             choices=(*(host.name for host in HOSTS), OTHER), default=_likely),
    Question("imap_host", "The server for incoming mail (IMAP)", asked=_is_other,
             default=lambda answers: f"imap.{_domain(answers)}"),
    Question("imap_port", "Its port", asked=_is_other, default=lambda _: "993", fault=_port_fault),
    Question("smtp_host", "The server for outgoing mail (SMTP)", asked=_is_other,
             default=lambda answers: f"smtp.{_domain(answers)}"),
    Question("smtp_port", "Its port", asked=_is_other, default=lambda _: "587", fault=_port_fault),
    Question("user", "The name to sign in to the mailbox with",
             default=lambda answers: answers["order_address"]),
    Question("mail_password", "The password of the mailbox", QuestionKind.HIDDEN, hint=_password_hint,
             optional=True),
    Question("relay_login", "Whether outgoing mail needs the same name and password", QuestionKind.CHOICE,
             choices=(YES, NO), asked=_is_other, default=lambda _: YES),
    Question("coordinator", "Your own mail address, for notices that need a person", fault=_address_fault),
    Question("name", "Your name at the desk"),
    Question("desk_password", f"Your password at the desk (at least {SHORTEST} characters)",
             QuestionKind.HIDDEN, fault=_password_fault),
    Question("base_url", "The address of this site in the browsers of others, if there is one",
             fault=_link_fault, optional=True),
)
"""All questions. The names of the last three of a person are `name`, `desk_password` and `coordinator`."""


def due(answers: Answers) -> Sequence[Question]:
    """The questions that these answers make necessary, as far as they go: one whose earlier answers are
    missing is not looked at."""
    questions = []
    for question in QUESTIONS:
        try:
            if question.asked(answers):
                questions.append(question)
        except KeyError:
            continue
    return questions
