"""Who may sign in at the desk of a site."""

from __future__ import annotations

import sys
from getpass import getpass
from pathlib import Path
from typing import TextIO

from service.clock import SystemClock
from service.site_folder import SiteError, opened, settings_of
from service.store.tables import UserRow
from service.web import sessions

SHORTEST = 10
"""Fewest characters of a password."""
LONGEST_NAME = 80


def add_user(folder: Path, name: str, out: TextIO) -> int:
    """Let `name` sign in, or give that person a new password.

    On a terminal the password is asked for twice and not shown; else it is the first line of standard input.
    Raises SiteError when nothing was changed, ConfigError for the settings.
    """
    settings = settings_of(folder)
    person = name.strip()
    if not person or len(person) > LONGEST_NAME:
        raise SiteError(f"A name has 1 to {LONGEST_NAME} characters.")
    password = _password(person)
    with opened(settings) as store, store.begin() as session:
        known = session.get(UserRow, person) is not None
        # A new password also ends every session under the old one.
        sessions.add_user(session, person, password, SystemClock().now())
    print(f"{person} has a new password." if known else f"{person} may sign in at the desk now.", file=out)
    return 0


def _password(person: str) -> str:
    # A pipe is for scripts; it has no echo to hide and nobody to ask twice.
    if sys.stdin.isatty():
        password = getpass(f"Password for {person} (at least {SHORTEST} characters): ")
        if password != getpass("Repeat it: "):
            raise SiteError("The two passwords differ; nothing was changed.")
    else:
        password = sys.stdin.readline().rstrip("\r\n")
    if len(password) < SHORTEST:
        raise SiteError(f"A password has at least {SHORTEST} characters; nothing was changed.")
    return password
