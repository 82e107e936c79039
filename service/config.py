"""Settings: one TOML file and the environment, read once, in `service.cli.main`.

A secret may be given as NAME_FILE: the path of a file that holds it. Why not pydantic-settings: ADR 12.
"""

from __future__ import annotations

import difflib
import ipaddress
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from adjudicator.errors import UserFacingError

IMPLICIT_TLS_PORT = 465
"""Where letters are handed over encrypted from the first byte on (RFC 8314, 3.3)."""


class ConfigError(UserFacingError):
    """The settings cannot be used; the sentence names the file and the setting."""


_WORDS_FOR: Mapping[str, str] = {
    "missing": "is missing",
    "int": "write a whole number",
    "float": "write a number",
    "finite_number": "write a number",
    "bool": "write true or false",
    "string_type": 'write text between quotes, such as "text"',
    "string_too_short": "it is empty",
    "string_too_long": "it may have at most {max_length} letters",
    "greater_than_equal": "write a number from {ge} on",
    "greater_than": "write a number above {gt}",
    "less_than_equal": "write a number up to {le}",
    "less_than": "write a number below {lt}",
    "list_type": 'write a list, such as ["one", "two"]',
    "tuple_type": 'write a list, such as ["one", "two"]',
    "too_short": "it needs at least {min_length}",
    "too_long": "it may have at most {max_length}",
    "dict_type": "write a table of names and values",
    "model": "write a table of names and values",
    "date": "write a day such as 2027-03-01",
    "path_type": "write the path of a file",
    "enum": "write one of {expected}",
    "literal": "write {expected}",
}
"""Words for the kinds of fault that pydantic finds, by the beginning of their code."""
_CHOICES = re.compile(r"\^\(([\w|]+)\)\$")


def plain_words(fault: Mapping[str, Any]) -> str:
    """The fault of a value and what to write instead, from one of pydantic's `errors()`. The value itself is
    not quoted: it may be a password."""
    kind, context = str(fault["type"]), fault.get("ctx") or {}
    # A check of our own has its words already.
    if kind == "value_error":
        return str(context["error"])
    choices = _CHOICES.fullmatch(str(context.get("pattern", "")))
    if choices:
        return f"write {' or '.join(choices[1].split('|'))}"
    if str(context.get("pattern", "")) == "^(|quicknet)$":
        return "write quicknet or leave it out"
    if kind == "string_pattern_mismatch":
        return "write an address that begins with https://"
    # "int_parsing" begins with "int"; the longest beginning that is known is the most exact.
    known = max((key for key in _WORDS_FOR if kind.startswith(key)), key=len, default=None)
    return "it cannot be used" if known is None else _WORDS_FOR[known].format(**context)


def plain_faults(error: ValidationError, model: type[BaseModel]) -> list[tuple[str, str]]:
    """Every fault of a file as the place in it and what to write there; a name that is unknown with the
    nearest known one."""
    faults = []
    for fault in error.errors():
        *table, last = fault["loc"] or ("the file",)
        is_unknown = fault["type"] == "extra_forbidden"
        words = _unknown_name(str(last), _model_at(model, table)) if is_unknown else plain_words(fault)
        faults.append((_place((*table, last)), words))
    return faults


def _unknown_name(name: str, model: type[BaseModel] | None) -> str:
    names = [] if model is None else list(model.model_fields)
    near = difflib.get_close_matches(name, names, 1, 0.6)
    what = getattr(model, "NOUN", "setting")
    return f"there is no such {what}" + (f" (did you mean {near[0]}?)" if near else "")


def _place(parts: tuple[int | str, ...]) -> str:
    """`player.2.mail` for the mail of the second player: people count from one."""
    return ".".join(str(part + 1) if isinstance(part, int) else part for part in parts)


def _model_at(model: type[BaseModel], table: Sequence[int | str]) -> type[BaseModel] | None:
    """The model of a table of the file; None for a table without one."""
    for part in table:
        field = model.model_fields.get(str(part)) if isinstance(part, str) else None
        inner = [field.annotation, *get_args(field.annotation)] if field is not None else []
        parts = [kind for kind in inner if isinstance(kind, type) and issubclass(kind, BaseModel)]
        if parts:
            model = parts[0]
        elif isinstance(part, str):
            return None
    return model


def no_toml(path: Path, error: ValueError) -> str:
    """Why a file cannot be read as TOML and what to write, from the error of decoding or parsing it. What
    is in the file is not quoted: it may be a password."""
    if not isinstance(error, tomllib.TOMLDecodeError):
        return f"{path} is not UTF-8 text; save it as UTF-8 and try again"
    place = re.search(r"at line (\d+), column (\d+)", str(error))
    where = f"at line {place[1]}, column {place[2]}" if place else "at its end"
    if "Cannot overwrite" in str(error) or "twice" in str(error):
        return f"{path} {where}: the same name or table is already above; remove one of the two"
    return f"{path} {where}: write NAME = VALUE, with text between quotes, or a table's name in brackets"


class _Part(BaseModel):
    # The texts below the settings are read by `galloper schema settings` and by the documents.
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class OAuth(_Part):
    """A provider that gives access tokens in place of a password. Without `refresh_token` the application
    asks in its own name."""

    # HTTPS, or loopback for tests: the request has the client's secret in it.
    token_url: str = Field(pattern=r"^(https://|http://(127\.0\.0\.1|localhost)[:/])")
    """Where the provider gives access tokens; over HTTPS."""
    client_id: str
    """The client id of this program at the provider."""
    client_secret: str = Field(default="", repr=False)
    """The secret of that name."""
    client_secret_file: str = ""
    """A file that holds it, in place of `client_secret`."""
    refresh_token: str = Field(default="", repr=False)
    """The permission of the mailbox's owner; without it the program logs in under its own name."""
    refresh_token_file: str = ""
    """A file that holds it, as `galloper login` writes it; a renewed one is put into it."""
    scope: str = ""
    """The scope, for providers that need it."""


class Stamps(_Part):
    """The stamp that the mail server of this mailbox writes on top of a mail, for one that is not a known
    provider. `galloper check` proposes these values from the mails that are there."""

    names: tuple[str, ...] = Field(min_length=1)
    """The names that it writes first into Authentication-Results headers; `*` represents a part."""
    border_hosts: tuple[str, ...] = ()
    """The hosts whose Received lines it writes; without them those that have one of the names."""
    stands: str = ""
    """The place of its stamps, in words such as `below the Received line`. Without it: above that line."""
    dmarc: bool = True
    """Whether it writes a result of DMARC."""


class MailIn(_Part):
    """Where orders arrive. `kind` "imap" or "maildir"; for maildir only `path` counts. With `oauth` the
    password is not used."""

    kind: str = Field(default="imap", pattern="^(imap|maildir)$")
    """How mail is fetched: `imap` from a mail server, `maildir` from a folder of this machine."""
    host: str = "localhost"
    """The mail server."""
    port: int = 993
    """Its port. 993: encrypted from the start; 143: by STARTTLS."""
    tls: bool = True
    """Whether the connection is encrypted and the server's certificate verified."""
    user: str = ""
    """The name to sign in with."""
    password: str = Field(default="", repr=False)
    """The password to sign in with."""
    folder: str = "INBOX"
    """The folder where new mail arrives."""
    done_folder: str = "Galloper"
    """Where mails that were taken in are moved."""
    quarantine_folder: str = "Galloper-Quarantine"
    """Where mails that could not be fetched are moved."""
    path: str = ""
    """The folder of a maildir."""
    max_bytes: int = 36_000_000
    """Of a larger mail only the header is fetched, and its sender is informed."""
    keep_alive_seconds: int = 240
    """How long to wait for news before the connection is renewed, five minutes at the most."""
    provider: str = ""
    """Who runs the mailbox, such as `gmail`, `microsoft`, `icloud` or `fastmail`: then it is known which
    server proves a sender. `galloper check` proposes it."""
    trusted_authserv_ids: tuple[str, ...] = ()
    """For a server of one's own: the names that it writes first into the Authentication-Results header of a
    mail that it received, such as `mx.example.org` or `*.example.org`."""
    stamps: Stamps | None = None
    """The same with more words, in place of the two above."""
    own_proof: bool = True
    """Whether the sender's own signature (DKIM) is checked here, with keys from DNS, for a mail on which the
    mail server wrote nothing that counts. A mail that the server refused is never taken because of it."""
    oauth: OAuth | None = None
    """A provider of access tokens, in place of the password."""


class MailOut(_Part):
    """Where letters leave. `kind` "smtp", or "folder": finished mails as .eml files under `path` (the demo).
    With `oauth` the password is not used. `return_by_letter`: each letter has its own return address,
    such as orders+results.1f3a@example.org.
    """

    kind: str = Field(default="smtp", pattern="^(smtp|folder)$")
    """How letters leave: `smtp` by a relay, `folder` as files that no one sends."""
    host: str = "localhost"
    """The relay."""
    port: int = 587
    """Its port. 587: by STARTTLS; 465: encrypted from the start."""
    starttls: bool = True
    """Whether STARTTLS is asked for before anything is sent."""
    user: str = ""
    """The name to sign in with."""
    password: str = Field(default="", repr=False)
    """The password to sign in with."""
    path: str = ""
    """The folder for letters as files."""
    sender: str
    """The From field, such as `Galloper <orders@example.org>`."""
    max_bytes: int = 8_000_000
    """Pictures of a larger letter are made smaller."""
    connections: int = Field(default=2, ge=1, le=20)
    """How many letters the site hands over at the same time, all its processes together; providers allow some
    two to ten."""
    per_minute: int = Field(default=0, ge=0)
    """How many letters the site hands over in a minute, all its processes together, where the provider has
    such a limit; 0 for as many as the relay takes."""
    per_day: int = Field(default=0, ge=0)
    """How many letters the provider lets the site send in a day, where it has such a limit; 0 where it is not
    known. Notices that strangers cause then take at most a tenth of it."""
    copies: str = Field(default="attached", pattern="^(attached|links)$")
    """Copies of the sheets in results: `attached`, or `links` to a page of the site for each reader alone,
    which needs `base_url` of `[web]`."""
    oauth: OAuth | None = None
    """A provider of access tokens, in place of the password."""
    # Then a bounce shows which letter it is about, even if it quotes nothing of it.
    return_by_letter: bool = False
    """Whether each letter has its own return address; mail to `orders+anything@` must reach
    `orders@`."""

    @property
    def encrypted(self) -> bool:
        """True if the connection uses TLS."""
        # Port 465 is encrypted from the start, whatever `starttls` states (RFC 8314, 3.3).
        return self.starttls or self.port == IMPLICIT_TLS_PORT


class ReaderSettings(_Part):
    """Which lines are accepted without a person, and the limits of the child process that opens files.

    `auto_accept_confidence`: the least confidence, 0..1. `min_margin_letters`: how many letters the next
    different order must be away, 0 or more. `accepted_wrong_share`: the share, 0..1, of the lines accepted
    without a person that may be wrong; None for the confidence alone.
    """

    auto_accept_confidence: float = Field(default=0.8, ge=0, le=1)
    """A line is accepted without a person only from this confidence on."""
    accepted_wrong_share: float | None = Field(default=None, ge=0, le=1)
    """And only from the confidence on that kept to this share when the reader was calibrated."""
    min_margin_letters: float = Field(default=1.3, ge=0)
    """And only if the next different order is this many letters away."""
    players_hands: bool = True
    """A player's sheets are read with what was learnt from that player's own earlier lines; false reads
    everybody alike and learns nothing."""
    at_once: int = Field(default=0, ge=0, le=64)
    """How many sheets each process reads at the same time; 0 for one a core, at most two. With
    `galloper worker --processes`, 1 is enough."""
    child_memory_mb: int = Field(default=2500, ge=800)
    """Megabytes for the child process that opens a photograph."""
    child_seconds: int = Field(default=30, ge=5)
    """Seconds for it."""
    child_jail: str = Field(default="kernel", pattern="^(kernel|bwrap)$")
    """Who shuts it in: `kernel` (Landlock and seccomp, which it requests itself), or `bwrap` as well
    (bubblewrap, which must be installed)."""


class Web(_Part):
    """The desk's address. `secure_cookies` is off only if sign-in fails on http://127.0.0.1. Metrics need
    `metrics_token` as bearer token; with an empty token they are off."""

    host: str = "127.0.0.1"
    """The address that the desk listens at. A web server with a certificate is before it."""
    port: int = 8642
    """Its port."""
    proxies: tuple[str, ...] = ("127.0.0.1", "::1")
    """Addresses or networks of the web servers before the desk, such as `172.18.0.0/16`. They alone are
    believed when they say in X-Forwarded-For for whom they ask."""
    base_url: str = ""
    """How the desk is reached from outside, such as `https://orders.example.org`. Without it letters have no
    links."""
    secure_cookies: bool = True
    """False only on loopback, for a browser that refuses to sign in at http://127.0.0.1."""
    metrics_token: str = Field(default="", repr=False)
    """The bearer token of Prometheus for `/metrics`; without it there are no metrics."""
    api_tokens: tuple[str, ...] = ()
    """The SHA-256 of each token with which programs may read games, deadlines, sent results, maps and roots
    at `/api/v1`; without any no one may."""

    @field_validator("proxies", "api_tokens", mode="before")
    @classmethod
    def _from_one_word(cls, words: Any) -> Any:
        # In the environment all of them are one value.
        return tuple(words.replace(",", " ").split()) if isinstance(words, str) else words

    @field_validator("api_tokens")
    @classmethod
    def _are_digests(cls, digests: tuple[str, ...]) -> tuple[str, ...]:
        for digest in digests:
            # Never quoted: it may be the token itself.
            if not re.fullmatch(r"[0-9a-f]{64}", digest):
                raise ValueError("a value is not the SHA-256 of a token, 64 hexadecimal digits; "
                                 "printf %s TOKEN | sha256sum prints it")
        return digests

    @field_validator("proxies")
    @classmethod
    def _are_networks(cls, proxies: tuple[str, ...]) -> tuple[str, ...]:
        for proxy in proxies:
            try:
                ipaddress.ip_network(proxy)
            except ValueError:
                raise ValueError(f"{proxy!r} is neither an address nor a network such as "
                                 "172.18.0.0/16") from None
        return proxies


class Webhook(_Part):
    """An address of another program that is informed when results are out, by a signed POST without
    content."""

    url: str = Field(pattern=r"^https://[^/@\s]+(/\S*)?$")
    """Where to, by HTTPS; an address of a private network is refused when it is used."""
    secret: str = Field(min_length=32, repr=False)
    """The key that signs the message (HMAC-SHA256); at least 32 characters."""


class Notice(_Part):
    """A person who needs to hear that results are out, by a way that the library apprise knows: Telegram,
    Matrix, ntfy and others. Needs the extra `notices`."""

    url: str = Field(min_length=6, repr=False)
    """The address in apprise's form, such as `ntfy://my-topic`; it may hold a secret."""


DEFAULT_CONNECTIONS, FEWEST_CONNECTIONS = 10, 3
"""To a PostgreSQL server, of each process."""


class Settings(_Part):
    """Everything that a site sets. Game constants are never settings.

    `data` is the folder for the database and the photographs. `photo_store` is another place for photographs,
    mails and letters, such as "s3://bucket/path", for a site on several machines. `boards` is a folder of the
    site's own boards.
    """

    data: str
    """The folder for the database and the photographs."""
    database: str = Field(default="", repr=False)
    """An address such as `postgresql://galloper@localhost/galloper`. Without it: one SQLite file under
    `data`."""
    database_connections: int = Field(default=DEFAULT_CONNECTIONS, ge=FEWEST_CONNECTIONS, le=100)
    """How many connections to a PostgreSQL server each process of the site has at most. All together must
    leave some of the server's `max_connections` for a backup and a person."""
    photo_store: str = ""
    """Another place for photographs, mails and letters, such as `s3://bucket/path`, for a site on several
    machines."""
    boards: str = ""
    """A folder of boards of the site's own, each a folder in it."""
    site_key: str = ""
    """The file with the site's key, from which the lots are drawn and receipts are signed. Without it:
    `site.key` next to the folder `data`. Keep a copy apart from the backups."""
    beacon: str = Field(default="", pattern="^(|quicknet)$")
    """The public beacon of chance that the lots of games begun from now on are drawn with: `quicknet`, or
    nothing for the sheets that come in. It needs the extra `beacon` and the way to the internet."""
    checker_url: str = Field(default="", pattern="^(|https?://.+)$")
    """Where players can get the checker of the record (`verify_record.py`) elsewhere than from this site,
    such as the address of its source. The welcome names it next to the checker's digest."""
    stamp_authority: str = Field(default="", pattern="^(|https?://.+)$")
    """The address of a time-stamping authority (RFC 3161) that the root of all results is sent to, such as
    `https://freetsa.org/tsr`. It needs the extra `stamps` and the way to the internet."""
    stamp_certificates: str = ""
    """A file with that authority's certificates, as PEM. Without it a stamp's signature is left to anyone who
    checks the record."""
    order_address: str
    """Where players send their sheets."""
    coordinator: str
    """Who hears of a mail that needs a person, and of alarms."""
    deputy: str = ""
    """The address that also gets a mail when results wait for the coordinator for longer than a day."""
    contact: str = ""
    """Where players reach a person: it is below every letter of a game. Without it: `coordinator`."""
    mail_in: MailIn
    mail_out: MailOut
    reader: ReaderSettings = ReaderSettings()
    web: Web = Web()
    webhooks: tuple[Webhook, ...] = ()
    """Addresses that are informed when results are out."""
    notices: tuple[Notice, ...] = ()
    """Further receivers of notices, by apprise."""
    unrelated_mail_retention_days: int | None = Field(default=None, ge=60)
    """Days after which mails that are in no game's record are deleted. Without it they stay for ever."""
    shelve_after_days: int | None = Field(default=None, ge=30)
    """Days after which the rows of a game that is over leave the database for a file next to the photographs;
    they come back when a person requests the game. PostgreSQL only; without it they stay."""
    backup_recipients: tuple[str, ...] = ()
    """Public keys of age, such as `age1...`: `galloper backup` then writes files that only the holders of the
    secret keys can read."""

    @property
    def key_path(self) -> Path:
        """The file of the site's key."""
        # Next to `data` and not in it: who copies `data` has no secret of a game.
        return Path(self.site_key) if self.site_key else Path(self.data).with_name("site.key")

    @property
    def database_url(self) -> str:
        """SQLAlchemy address; one SQLite file under `data` unless `database` states otherwise."""
        return self.database or f"sqlite:///{Path(self.data) / 'galloper.sqlite'}"


def _overlay(table: dict[str, Any], environment: Mapping[str, str], file: Path) -> None:
    """Lay GALLOPER_MAIL_IN__PASSWORD and GALLOPER_MAIL_IN__PASSWORD_FILE over the file's values."""
    for name, text in environment.items():
        if not name.startswith("GALLOPER_"):
            continue
        value, key = text, name.removeprefix("GALLOPER_").lower().replace("__", ".")
        if key.endswith("_file"):
            key = key.removesuffix("_file")
            try:
                value = Path(text).read_text().strip()
            except OSError as error:
                raise ConfigError(f"{name}: the file {text} cannot be read ({error.strerror})") from error
        *parents, last = key.split(".")
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
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise ConfigError(f"{path} has too many nested brackets; write it again") from None
    except FileNotFoundError:
        raise ConfigError(f"{path} does not exist; write one with: galloper init {path.parent}") from None
    except ValueError as error:
        raise ConfigError(no_toml(path, error)) from error
    _overlay(table, os.environ if environment is None else environment, path)
    try:
        return Settings.model_validate(table)
    except ValidationError as error:
        faults = "; ".join(f"{place}: {words}" for place, words in plain_faults(error, Settings))
        raise ConfigError(f"{path}: {faults}") from error
