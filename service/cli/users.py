"""Who may sign in at the desk of a site."""

from __future__ import annotations

import sys
from collections import Counter
from getpass import getpass
from pathlib import Path
from typing import TextIO

from sqlalchemy import select

from service.cli.program.faults import did_you_mean
from service.cli.program.results import print_result
from service.clock import SystemClock
from service.facts.roles import GAME_ROLES, Role
from service.site_folder import SiteError, opened, settings_of
from service.store import records
from service.store.tables import SessionRow, UserRow

SHORTEST = 10
"""Fewest characters of a password."""
ACTOR = "galloper user"
"""Who did it, in the log of events: the command line has no names."""


def add_user(
    folder: Path, name: str, out: TextIO, *, as_json: bool = False, quiet: bool = False
) -> int:
    """Let `name` sign in, or give that person a new password.

    On a terminal the password is asked for twice and not shown; else it is the first line of standard input.
    Raises SiteError when nothing was changed, ConfigError for the settings.
    """
    from service.web import accounts, sessions

    settings = settings_of(folder)
    person = name.strip()
    with opened(settings) as store, store.begin() as session:
        known = session.get(UserRow, person) is not None
        if not known:
            accounts.require_new_name(session, person)
    password = _password(person)
    with opened(settings) as store, store.begin() as session:
        # A new password also ends every session under the old one.
        sessions.add_user(session, person, password, SystemClock().now())
        role = session.get_one(UserRow, person).role
    print_result(
        out, f"{person} has a new password." if known else f"{person} can sign in at the desk now.",
        {"name": person, "role": role, "new": not known}, as_json=as_json, quiet=quiet)
    return 0


def list_users(folder: Path, out: TextIO, *, as_json: bool = False) -> int:
    """Print everybody who may sign in: name, role, since when, and how many browsers are signed in. Raises
    ConfigError, SiteError."""
    with opened(settings_of(folder)) as store, store() as session:
        users = session.scalars(select(UserRow).order_by(UserRow.name)).all()
        signed_in = Counter(session.scalars(select(SessionRow.user)))
        by_game = records.roles_in_games(session)
        for user in users:
            count = signed_in[user.name]
            data = {"name": user.name, "role": user.role, "since": user.created_at.isoformat(),
                    "sessions": count, "games": dict(by_game.get(user.name, {}))}
            games = "".join(f", {role} of {game}" for game, role in by_game.get(user.name, {}).items())
            print_result(out, f"{user.name}: {user.role}{games}, since {user.created_at:%-d %b %Y}, "
                              "signed in "
                              f"{'nowhere' if not count else 'once' if count == 1 else f'{count} times'}",
                         data, as_json=as_json)
    if not users and not as_json:
        print(f"No person can sign in yet. Add one with: galloper user add {folder} NAME", file=out)
    return 0


def remove_user(
    folder: Path, name: str, out: TextIO, *, as_json: bool = False, quiet: bool = False
) -> int:
    """Let a person sign in no longer. Their sessions end; what they decided stays. Raises Refused for
    an unknown name and for the last coordinator, ConfigError, SiteError."""
    from service.games.acts.act import ActTable, perform
    from service.web import accounts

    with opened(settings_of(folder)) as store, store.begin() as session:
        person = name.strip()
        if session.get(UserRow, person) is None:
            known = session.scalars(select(UserRow.name).order_by(UserRow.name)).all()
            raise SiteError(f"Nothing was changed: {person} has no account here."
                            f"{did_you_mean(person, known)} The accounts are: {', '.join(known) or 'none'}.")
        perform(accounts.RemovePerson(person), ActTable(session, ACTOR, SystemClock().now()))
    print_result(out, f"{person} can no longer sign in, and is signed out everywhere. Their decisions stay "
                      "under their name.",
                 {"name": person, "removed": True}, as_json=as_json, quiet=quiet)
    return 0


def change_role(
    folder: Path, name: str, role: str, out: TextIO, *, game: str = "", as_json: bool = False,
    quiet: bool = False,
) -> int:
    """Give a person another role, of the site or with `game` in one game ("none" takes that). Raises
    Refused where nothing was changed, ConfigError, SiteError."""
    from service.games.acts.act import ActTable, perform
    from service.web import accounts, game_roles

    person, words = name.strip(), role.replace("-", " ")
    known = [str(each) for each in (GAME_ROLES if game else Role)] + (["none"] if game else [])
    if words not in known:
        raise SiteError(f"Nothing was changed: there is no role {role}."
                        f"{did_you_mean(words, known)} There are: {', '.join(known)}.")
    new, now = None if words == "none" else Role(words), SystemClock().now()
    with opened(settings_of(folder)) as store, store.begin() as session:
        if game:
            perform(game_roles.ChangeGameRole(person, game, new), ActTable(session, ACTOR, now))
        elif new is not None:
            perform(accounts.ChangeRole(person, new), ActTable(session, ACTOR, now))
    print_result(out, f"{person}: {words}{f' of {game}' if game else ''}.",
                 {"name": person, "role": words, "game": game or None}, as_json=as_json, quiet=quiet)
    return 0


def _password(person: str) -> str:
    # A pipe is for scripts; it has no echo to hide and no one to ask twice.
    if sys.stdin.isatty():
        password = getpass(f"Password for {person} (at least {SHORTEST} characters): ")
        if password != getpass("Repeat it: "):
            raise SiteError("The two passwords differ; nothing was changed.")
    else:
        password = sys.stdin.readline().rstrip("\r\n")
    if len(password) < SHORTEST:
        raise SiteError(f"A password has at least {SHORTEST} characters; nothing was changed.")
    return password
