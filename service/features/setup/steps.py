"""The work of the first run with the answers, for the terminal and for the page: write the settings, let the
coordinator in, and test the site."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex

from service.cli.check_site import run_test, site_tests
from service.cli.model_schemas import write_settings_schema
from service.clock import SystemClock
from service.features.setup.questions import Answers
from service.features.setup.settings_file import settings_text
from service.features.setup.trials import mail_findings, try_mail
from service.operations.findings import Finding
from service.site_folder import FILE, SiteError, opened, settings_of, write_settings
from service.store.tables import UserRow
from service.web import accounts, sessions

NEXT = (
    "Start the site, and leave it running: galloper serve {folder}",
    "Open {address} in a browser and sign in as {name}.",
    ("Create a game there: Games, New game. The game's page then has the blank sheets and a preview of its "
     "letters."),
)
"""The remaining steps, in the words of both doors."""


def require_folder(folder: Path) -> None:
    """Before anything is asked: raises SiteError where no site can be written."""
    nearest = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    if not nearest.is_dir():
        raise SiteError(f"{nearest} is a file; give a folder for the site. Nothing was changed.")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise SiteError(f"{nearest} cannot be written; give another folder for the site, or change its "
                        "rights. Nothing was changed.")


def has_settings(folder: Path) -> bool:
    """Whether this folder has a settings file. It is never overwritten."""
    return (folder / FILE).exists()


def mail_troubles(answers: Answers) -> list[str]:
    """The answers that mailbox and relay refuse, as sentences; empty if both answer. An empty
    password is not a trouble yet: the provider may want a login of another kind."""
    if not answers["mail_password"]:
        return []
    # The mailbox is tried before the coordinator's address is asked for.
    text = settings_text({"coordinator": answers["order_address"], **answers})
    return [finding.sentence for finding in mail_findings(text) if finding.is_trouble]


def write_site(folder: Path, answers: Answers) -> Path:
    """Write the settings of these answers and their schema; the path of the settings. Raises SiteError if
    there are some already, or if nothing can be written."""
    path = write_settings(folder, settings_text(answers))
    write_settings_schema(folder)
    return path


def let_in(folder: Path, name: str, password: str) -> None:
    """Let the coordinator sign in at the desk, or give them this password. Raises BadName, ConfigError,
    SiteError."""
    person = name.strip()
    with opened(settings_of(folder)) as store, store.begin() as session:
        if session.get(UserRow, person) is None:
            accounts.require_new_name(session, person)
        sessions.add_user(session, person, password, SystemClock().now())


def trial(folder: Path) -> Finding:
    """Send a mail to the order address, and wait for it. Raises ConfigError."""
    settings = settings_of(folder)
    return try_mail(settings.mail_in, settings.mail_out, settings.order_address, token_hex(8))


def findings(folder: Path) -> Iterator[tuple[str, Finding]]:
    """Each test of the site with what it finds, one after the other. Raises ConfigError."""
    settings = settings_of(folder)
    for name, test in site_tests():
        yield name, run_test(name, test, settings)


def next_steps(folder: Path, name: str) -> list[str]:
    """The remaining steps, as sentences. Raises ConfigError."""
    settings = settings_of(folder)
    address = settings.web.base_url or f"http://127.0.0.1:{settings.web.port}"
    return [step.format(folder=folder, address=address, name=name) for step in NEXT]
