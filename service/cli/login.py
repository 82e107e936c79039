"""`galloper login`: the owner of a mailbox allows Galloper to use it; its refresh token is stored (BOX-09).

Each coordinator registers a program of their own with the provider. To use the id of another mail program
would break its terms, and one id for all sites could be blocked for all of them at once.
"""

from __future__ import annotations

import difflib
import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from service.cli.program.results import print_result
from service.config import ConfigError
from service.mail.access.grants import (
    Client,
    LoginFailed,
    LoopbackListener,
    begin_browser_login,
    begin_device_login,
    finish_browser_login,
    wait_for_owner,
)
from service.mail.access.oauth import read_secret, write_secret

FILE = "refresh-token"
"""The file in the site's folder that keeps what the owner allowed."""


@dataclass(frozen=True, slots=True)
class MailProvider:
    """A provider that `galloper login` knows: its preset, its hosts, and its doors, whose client id is still
    missing."""

    preset: str
    imap: str
    smtp: str
    doors: Client


PROVIDERS: Mapping[str, MailProvider] = {
    # Google's typed code is for a few scopes, and mail is none of them:
    # developers.google.com/identity/protocols/oauth2/limited-input-device#allowedscopes.
    "google": MailProvider("gmail", "imap.gmail.com", "smtp.gmail.com", Client(
        "https://oauth2.googleapis.com/token", "https://mail.google.com/", client_id="",
        authorize_url="https://accounts.google.com/o/oauth2/v2/auth",
        # Without both Google gives a refresh token at the first login only.
        extra=(("access_type", "offline"), ("prompt", "consent")))),
    # learn.microsoft.com/exchange/client-developer/legacy-protocols, "Authenticate an IMAP, POP or SMTP
    # connection using OAuth".
    "microsoft": MailProvider("microsoft", "outlook.office365.com", "smtp.office365.com", Client(
        "https://login.microsoftonline.com/common/oauth2/v2.0/token",
        "https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send "
        "offline_access",
        client_id="",
        device_url="https://login.microsoftonline.com/common/oauth2/v2.0/devicecode")),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LoginOptions:
    """The arguments of the command. `paste`: the browser runs on another machine."""

    provider: str
    client_id: str
    secret_file: Path | None = None
    paste: bool = False


def log_in(
    folder: Path, options: LoginOptions, out: TextIO, *, as_json: bool = False,
    providers: Mapping[str, MailProvider] = PROVIDERS, read_line: Callable[[], str] = sys.stdin.readline,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Log in and store the refresh token in the site's folder, for its owner alone; print the lines for the
    settings. Nothing secret is printed. Raises ConfigError, LoginFailed; then nothing was stored."""
    provider = _provider(options.provider, providers)
    if not folder.is_dir():
        raise ConfigError(f"{folder} does not exist; make a site first with: galloper init {folder}")
    client = replace(provider.doors, client_id=options.client_id.strip(),
                     client_secret=_secret(options.secret_file))
    token = (_by_code(client, sleep) if client.device_url
             else _by_paste(client, read_line) if options.paste else _by_browser(client))
    path = folder / FILE
    try:
        write_secret(path, token)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written ({error.strerror}); change its rights and log in "
                          "again") from error
    lines = _lines(provider, client, options.secret_file)
    print_result(
        out, f"Stored in {path}, which only you can read. Put these lines into {folder / 'galloper.toml'}, "
             f"then run: galloper check {folder}\n\n{lines}",
        {"refresh_token_file": str(path), "settings": lines.splitlines()}, as_json=as_json)


def _provider(name: str, providers: Mapping[str, MailProvider]) -> MailProvider:
    known = {"gmail": "google", "outlook": "microsoft", "hotmail": "microsoft", "office365": "microsoft"}
    key = name.strip().lower()
    key = known.get(key, key)
    if key in providers:
        return providers[key]
    near = difflib.get_close_matches(key, [*providers, *known], 1, 0.6)
    hint = (f"did you mean {known.get(near[0], near[0])}?" if near
            else f"the providers are {', '.join(providers)}.")
    raise ConfigError(f"--provider {name}: {hint} Other providers use an app password, see "
                      "docs/how-to/prepare-a-mailbox.md")


def _secret(file: Path | None) -> str:
    if file is None:
        return ""
    try:
        return read_secret(file)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read; name the file with the secret of the client id") from error


def _by_code(client: Client, sleep: Callable[[float], None]) -> str:
    code = begin_device_login(client)
    _say(f"Open {code.address} on any machine, sign in as the mailbox's owner, and type in:\n\n"
         f"    {code.user_code}\n\nWaiting, {round(code.life / 60)} minutes at most ...")
    return wait_for_owner(client, code, sleep=sleep, now=time.monotonic)


def _by_browser(client: Client) -> str:
    listener = LoopbackListener()
    login = begin_browser_login(client, listener.redirect)
    _say("Open this address in a browser on this machine, and sign in as the mailbox's owner (if the "
         f"browser is on another machine, stop this command and add --paste):\n\n{login.address}\n\nWaiting, "
         "10 minutes at most ...")
    came_back = listener.wait()
    if not came_back:
        raise LoginFailed("The browser did not answer in time; nothing was stored. Run galloper login "
                          "again, with --paste if the browser is on another machine.")
    return finish_browser_login(client, login, came_back)


def _by_paste(client: Client, read_line: Callable[[], str]) -> str:
    # No one listens there: the browser shows an error, and its address line has the answer.
    login = begin_browser_login(client, "http://127.0.0.1:1/")
    _say("Open this address in any browser, and sign in as the mailbox's owner. At the end the browser "
         "shows that it cannot open a page at 127.0.0.1, as expected. Copy the whole address of that page, "
         f"and paste it here:\n\n{login.address}\n")
    return finish_browser_login(client, login, read_line())


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _lines(provider: MailProvider, client: Client, secret_file: Path | None) -> str:
    values = {"token_url": client.token_url, "client_id": client.client_id,
              "client_secret_file": "" if secret_file is None else str(secret_file.resolve()),
              "refresh_token_file": FILE, "scope": client.scope}
    # A basic string of TOML has the escapes of JSON.
    oauth = ", ".join(f"{key} = {json.dumps(value)}" for key, value in values.items() if value)
    return (f'[mail_in]\nprovider = "{provider.preset}"\nhost = "{provider.imap}"\n'
            f'oauth = {{ {oauth} }}\n\n[mail_out]\nhost = "{provider.smtp}"\noauth = {{ {oauth} }}')
