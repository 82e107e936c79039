"""A site's folder: its settings file, and the database that the settings name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import parseaddr
from pathlib import Path

from sqlalchemy import Engine, select
from sqlalchemy.exc import ArgumentError, DBAPIError

import templates
from adjudicator.errors import UserFacingError
from service import site_key
from service.config import ConfigError, OAuth, Settings, read_settings
from service.record.sessions import sessions
from service.site_key import SiteKey
from service.store.addresses import is_address
from service.store.engine import NewerTables, Store, full_url, migrate, open_engine
from service.store.tables import PhaseRow

FILE = "galloper.toml"
OTHERS = 0o077
"""The rights of other accounts, which no file of a site has: it holds passwords, addresses and sheets."""


class SiteError(UserFacingError):
    """A request to a site cannot be carried out; the sentence shows what to mend."""


def write_settings(folder: Path, text: str = "") -> Path:
    """Write the commented settings file into `folder`, which is made when it is missing, and return its path.
    `text`: what it states; without it the template as it is.

    Raises SiteError if there is one already, or if nothing can be written.
    """
    path = folder / FILE
    text = text or (Path(templates.__file__).parent / "site" / FILE).read_text(encoding="utf-8")
    os.umask(OTHERS)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # 0o600 from the start, since it may hold passwords; O_EXCL, so that settings are never overwritten.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        if folder.is_dir():
            raise SiteError(
                f"{path} exists already and was not changed; edit it, or choose another folder.") from None
        raise SiteError(f"{folder} is a file; give a folder for the site.") from None
    except OSError as error:
        raise SiteError(f"{path} cannot be written ({error.strerror}); choose another folder.") from error
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def settings_of(folder: Path, environment: dict[str, str] | None = None) -> Settings:
    """The settings of the site in `folder`, the environment laid over them. Paths that are not absolute begin
    at `folder`. Raises ConfigError.

    As an effect the site's own boards are known next to the program's from then on, and files that this
    process makes are for its own account alone.
    """
    os.umask(OTHERS)
    path = folder / FILE
    try:
        settings = read_settings(path, environment)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}); give the folder of a site, and check "
                          "that you have the right to read it") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from error
    faults = _faults(settings)
    if faults:
        raise ConfigError(f"{path}: " + "; ".join(faults))
    home = folder.resolve()
    incoming, outgoing = settings.mail_in, settings.mail_out
    if settings.boards:
        import maps

        try:
            maps.add_folder(Path(_placed(home, settings.boards)))
        except maps.MapError as error:
            raise ConfigError(f"{path}: boards: " + "; ".join(map(str, error.faults))) from error
    return settings.model_copy(update={
        "data": _placed(home, settings.data),
        "boards": _placed(home, settings.boards),
        "site_key": _placed(home, settings.site_key),
        "stamp_certificates": _placed(home, settings.stamp_certificates),
        "mail_in": incoming.model_copy(
            update={"path": _placed(home, incoming.path), "oauth": _oauth_placed(home, incoming.oauth)}),
        "mail_out": outgoing.model_copy(
            update={"path": _placed(home, outgoing.path), "oauth": _oauth_placed(home, outgoing.oauth)}),
    })


def _oauth_placed(home: Path, oauth: OAuth | None) -> OAuth | None:
    return None if oauth is None else oauth.model_copy(update={
        "client_secret_file": _placed(home, oauth.client_secret_file),
        "refresh_token_file": _placed(home, oauth.refresh_token_file),
    })


def _faults(settings: Settings) -> list[str]:
    faults = [
        f"{name}: {value!r} is not a mail address such as ada@example.org"
        for name, value in (("order_address", settings.order_address), ("coordinator", settings.coordinator),
                            ("contact", settings.contact or settings.coordinator))
        if not is_address(value)
    ]
    if not is_address(parseaddr(settings.mail_out.sender)[1]):
        faults.append(f"mail_out.sender: {settings.mail_out.sender!r} must be like Galloper "
                      "<ada@example.org>")
    if settings.mail_in.kind == "maildir" and not settings.mail_in.path:
        faults.append("mail_in.path: a maildir needs the path of its folder")
    if settings.mail_out.kind == "folder" and not settings.mail_out.path:
        faults.append("mail_out.path: letters kept as files need the path of a folder")
    return faults


def _placed(home: Path, path: str) -> str:
    return str(home / Path(path).expanduser()) if path else path


def new_path(output: Path) -> Path:
    """The place of a new file. Raises SiteError if there is one already."""
    if output.exists():
        raise SiteError(f"{output} exists already and was not overwritten; choose another name.")
    return output


def unfinished_path(output: Path) -> Path:
    """Where a file is written until it is whole."""
    return new_path(output).with_name(f".{output.name}.unfinished")


def database_name(settings: Settings) -> str:
    """The address of the database without its password. Raises ConfigError when it is none."""
    try:
        return full_url(settings.database_url).render_as_string(hide_password=True)
    except (ValueError, ArgumentError) as error:
        raise ConfigError(f"database: {error}") from error


def bring_up_to_date(settings: Settings) -> None:
    """Make the database and its tables, or bring them to this version's shape. Raises ConfigError or
    SiteError."""
    name = database_name(settings)
    try:
        migrate(settings.database_url)
    except DBAPIError as error:
        raise SiteError(database_sentence(name, error)) from error
    except NewerTables as error:
        raise SiteError(f"The database {name} was written by a newer Galloper ({error}); install that "
                        f"one.") from error


def database_sentence(name: str, error: DBAPIError) -> str:
    """Why the database cannot be used, and what to check."""
    reason = str(error.orig).strip().partition("\n")[0]
    return (
        f"The database {name} cannot be used ({reason}); check that it runs, that its folder can be "
        "written, and the settings data and database."
    )


def key_of(settings: Settings, engine: Engine) -> SiteKey | None:
    """The key of a site, made where there is none yet. None if it is missing and something in the database
    was made with it: a new one would not open that. Raises NoSiteKey for one that is damaged."""
    key = site_key.read(settings.key_path)
    if key is not None:
        return key
    with sessions(engine)() as session:
        was_used = session.scalar(select(PhaseRow.id).where(PhaseRow.sealed.is_not(None)).limit(1))
    return site_key.make(settings.key_path) if was_used is None else None


@contextmanager
def opened(settings: Settings) -> Iterator[Store]:
    """The site's database, brought up to date. Raises ConfigError or SiteError."""
    bring_up_to_date(settings)
    engine = open_engine(settings.database_url)
    try:
        yield sessions(engine, key=key_of(settings, engine), beacon=settings.beacon)
    finally:
        engine.dispose()
