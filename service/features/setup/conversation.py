"""The first run in a terminal. It may be interrupted anywhere and begun again: nothing is written before the
mailbox answers, and settings that are there are not changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from getpass import getpass
from pathlib import Path
from typing import TextIO

from service.cli.check_site import WORDS
from service.cli.program.streams import fold
from service.features.setup import steps
from service.features.setup.questions import Question, QuestionKind, due
from service.site_folder import SiteError
from service.web.accounts import BadName

_OF_MAILBOX = ("order_address", "provider", "imap_host", "imap_port", "smtp_host", "smtp_port", "user",
               "mail_password", "relay_login")
_OF_PERSON = ("name", "desk_password")


@dataclass(frozen=True, slots=True)
class Terminal:
    """Where questions are read from and written to. What is typed for a secret is not shown on a terminal."""

    source: TextIO
    out: TextIO

    def write(self, text: str = "") -> None:
        """Write one line, folded to the width of the terminal."""
        print(fold(text, 0, self.out), file=self.out, flush=True)

    def ask(self, words: str, *, hidden: bool = False) -> str:
        """The answer, without blanks around it. Raises SiteError at the end of the input."""
        if hidden and self.source.isatty():
            return getpass(words, stream=self.out)
        print(words, end="", file=self.out, flush=True)
        line = self.source.readline()
        if not line:
            raise SiteError("The input ended before all questions were answered. Everything written so far "
                            "stays; run galloper setup again.")
        return line.strip()

    def confirms(self, words: str) -> bool:
        """Whether the answer is yes, which an empty one is too."""
        return self.ask(f"{words} [yes] ").casefold() in {"", "y", "yes"}


def converse(folder: Path, terminal: Terminal) -> int:
    """Ask, test, write, and show what remains. Returns 0, or 1 if something must still be mended. Raises
    SiteError, ConfigError."""
    steps.require_folder(folder)
    answers: dict[str, str] = {}
    if steps.has_settings(folder):
        terminal.write(f"{folder} has settings already. They are not changed; setup tests the site and "
                       "makes your account.")
    else:
        terminal.write("Press Enter for the answer in brackets. Nothing is written until the mailbox "
                       "answers; Ctrl-C ends setup at any time.")
        _ask_mailbox(terminal, answers)
        _ask(terminal, answers, ("coordinator", "base_url"))
        terminal.write(f"Wrote {steps.write_site(folder, answers)}. Comments in it explain each setting.")
    _make_account(folder, terminal, answers)
    if terminal.confirms("Send a trial mail to the order address, and wait for it (two minutes at most)?"):
        finding = steps.trial(folder)
        terminal.write(f"{WORDS[finding.state]} {finding.sentence}.")
    is_ready = _test_site(folder, terminal)
    terminal.write()
    for number, step in enumerate(steps.next_steps(folder, answers["name"]), 1):
        terminal.write(f"{number}. {step}")
    return 0 if is_ready else 1


def _ask_mailbox(terminal: Terminal, answers: dict[str, str]) -> None:
    while True:
        _ask(terminal, answers, _OF_MAILBOX)
        terminal.write("Testing the mailbox and the relay ...")
        troubles = steps.mail_troubles(answers)
        for trouble in troubles:
            terminal.write(f"  {trouble.rstrip('.')}.")
        if not troubles or not terminal.confirms("Answer these questions again?"):
            return


def _ask(terminal: Terminal, answers: dict[str, str], names: Sequence[str]) -> None:
    """Ask what of these questions the answers before make necessary. An earlier answer is proposed again."""
    for name in names:
        question = next((each for each in due(answers) if each.name == name), None)
        if question is not None:
            answers[name] = _answer(terminal, question, answers)


def _answer(terminal: Terminal, question: Question, answers: dict[str, str]) -> str:
    is_secret = question.kind is QuestionKind.HIDDEN
    if hint := question.hint(answers):
        terminal.write(f"  {hint}")
    if question.choices:
        terminal.write(f"  One of: {', '.join(question.choices)}.")
    default = "" if is_secret else answers.get(question.name) or question.default(answers)
    while True:
        answer = terminal.ask(f"{question.words}{f' [{default}]' if default else ''}: ", hidden=is_secret)
        answer = _chosen(question, answer or default)
        if not (fault := question.fault_of(answer)):
            return answer
        terminal.write(f"  {fault}")


def _chosen(question: Question, answer: str) -> str:
    """One of the choices, whatever its capitals; else the answer as it is."""
    folded = answer.casefold()
    return next((choice for choice in question.choices if choice.casefold() == folded), answer)


def _make_account(folder: Path, terminal: Terminal, answers: dict[str, str]) -> None:
    while True:
        _ask(terminal, answers, _OF_PERSON)
        try:
            steps.let_in(folder, answers["name"], answers["desk_password"])
        except BadName as fault:
            terminal.write(f"  {fault}")
            continue
        terminal.write(f"{answers['name']} can sign in at the desk now.")
        return


def _test_site(folder: Path, terminal: Terminal) -> bool:
    terminal.write("Testing the site ...")
    troubles = 0
    for name, finding in steps.findings(folder):
        if finding.is_trouble:
            troubles += 1
            terminal.write(f"MEND {name}: {finding.sentence.rstrip('.')}.")
            for line in finding.advice.splitlines():
                terminal.write(f"  {line}")
    terminal.write("All tests passed." if not troubles
                 else f"{troubles} of the tests failed. Correct the settings, then run galloper check "
                      f"{folder}.")
    return not troubles


