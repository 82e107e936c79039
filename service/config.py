"""Settings: one TOML file and the environment, read once, in `service.cli.main`.

A secret may be given as NAME_FILE: the path of a file that holds it. Game constants are never settings.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from adjudicator.errors import UserFacingError

IMPLICIT_TLS_PORT = 465
"""Where letters are handed over encrypted from the first byte on (RFC 8314, 3.3)."""


class ConfigError(UserFacingError):
    """The settings cannot be used; the sentence names the file and the setting."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class OAuth(_Part):
    """A provider that gives access tokens in place of a password, over HTTPS. Without `refresh_token` the
    application asks in its own name."""

    token_url: str = Field(pattern=r"^(https://|http://(127\.0\.0\.1|localhost)[:/])")
    client_id: str
    client_secret: str = ""
    refresh_token: str = ""
    scope: str = ""


class MailIn(_Part):
    """Where orders arrive. `kind` "imap" or "maildir"; for maildir only `path` counts. With `oauth` the
    password is not used."""

    kind: str = Field(default="imap", pattern="^(imap|maildir)$")
    host: str = "localhost"
    port: int = 993
    tls: bool = True
    user: str = ""
    password: str = ""
    folder: str = "INBOX"
    done_folder: str = "Galloper"
    quarantine_folder: str = "Galloper-Quarantine"
    path: str = ""
    max_bytes: int = 36_000_000
    keep_alive_seconds: int = 240
    trusted_authserv_id: str = ""
    oauth: OAuth | None = None


class MailOut(_Part):
    """Where letters leave. `kind` "smtp", or "folder": finished mails as .eml files under `path` (the demo).
    Port 465 is encrypted from the start (RFC 8314), whatever `starttls` says. With `oauth` the password is
    not used.

    `return_by_letter`: what cannot be delivered goes back to an address of its own for each letter, such as
    orders+results.1f3a@example.org, so that a bounce says which one it is even where it brings nothing of it
    along.
    """

    kind: str = Field(default="smtp", pattern="^(smtp|folder)$")
    host: str = "localhost"
    port: int = 587
    starttls: bool = True
    user: str = ""
    password: str = ""
    path: str = ""
    sender: str
    max_bytes: int = 8_000_000
    oauth: OAuth | None = None
    return_by_letter: bool = False

    @property
    def encrypted(self) -> bool:
        """Whether nothing is said in clear."""
        return self.starttls or self.port == IMPLICIT_TLS_PORT


class ReaderSettings(_Part):
    """How much doubt the desk is asked about (`auto_score` 0..1, `auto_margin` in letters), and the limits of
    the child process that opens files."""

    auto_score: float = Field(default=0.8, ge=0, le=1)
    auto_margin: float = Field(default=1.3, ge=0)
    child_memory_mb: int = Field(default=2500, ge=800)
    child_seconds: int = Field(default=30, ge=5)


class Web(_Part):
    """The desk's address. `secure_cookies` is switched off only on loopback. `metrics_token` is what a
    collector of numbers shows as its bearer token; while it is empty there are none to be had."""

    host: str = "127.0.0.1"
    port: int = 8642
    base_url: str = ""
    secure_cookies: bool = True
    metrics_token: str = ""


class Settings(_Part):
    """Everything a site sets. `data` is the folder for the database and the photographs; `photographs`
    another place for them, such as "s3://bucket/path", for a site on several machines; `boards` a folder of
    boards of one's own."""

    data: str
    database: str = ""
    photographs: str = ""
    boards: str = ""
    order_address: str
    coordinator: str
    mail_in: MailIn
    mail_out: MailOut
    reader: ReaderSettings = ReaderSettings()
    web: Web = Web()
    keep_strays_days: int | None = Field(default=None, ge=60)
    """After how many days mails are forgotten of which no game's record tells
    (`service.operations.retention`); None keeps them for ever."""

    @property
    def database_url(self) -> str:
        """SQLAlchemy address; one SQLite file under `data` unless `database` says otherwise."""
        return self.database or f"sqlite:///{Path(self.data) / 'galloper.sqlite'}"


def _overlay(table: dict[str, Any], environment: dict[str, str], file: str) -> None:
    """Lay GALLOPER_MAIL_IN__PASSWORD and GALLOPER_MAIL_IN__PASSWORD_FILE over the file's values."""
    for name, given in environment.items():
        value = given
        if not name.startswith("GALLOPER_"):
            continue
        path = name.removeprefix("GALLOPER_").lower()
        if path.endswith("_file"):
            path = path.removesuffix("_file")
            try:
                value = Path(value).read_text().strip()
            except OSError as error:
                raise ConfigError(f"{name}: the file {value} cannot be read ({error.strerror})") from error
        *parents, last = path.split("__")
        target = table
        for parent in parents:
            inner = target.setdefault(parent, {})
            if not isinstance(inner, dict):
                raise ConfigError(f"{name} names a table, but {parent} in {file} is a single value")
            target = inner
        target[last] = value


def read_settings(path: Path, environment: dict[str, str] | None = None) -> Settings:
    """The settings of one file with the environment laid over it.

    Raises ConfigError naming the file and the setting, in words a person can act on.
    """
    try:
        table = tomllib.loads(path.read_text())
    except FileNotFoundError:
        raise ConfigError(f"{path} does not exist; write one with: galloper init {path.parent}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error
    _overlay(table, dict(os.environ) if environment is None else environment, str(path))
    try:
        return Settings.model_validate(table)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(str(p) for p in e['loc'])}: {e['msg']}" for e in error.errors())
        raise ConfigError(f"{path}: {faults}") from error
