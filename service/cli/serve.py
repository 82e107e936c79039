"""`galloper serve`: poller, workers, scheduler and desk in one process, until it is asked to stop; and
`galloper worker`: workers and scheduler alone, as many processes on as many machines as share one PostgreSQL
database."""

from __future__ import annotations

import fcntl
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from sqlalchemy import select

from service.cli.worker_group import WorkerGroup, worker_command
from service.config import Settings
from service.operations.file_rights import close_files
from service.operations.logs import set_up
from service.site_folder import FILE, SiteError, bring_up_to_date, database_name, opened, settings_of
from service.store.engine import full_url
from service.store.tables import UserRow

if TYPE_CHECKING:  # a command that serves nothing loads none of it
    from service.bootstrap import Site
    from service.operations.reread_settings import SettingsReader

LOCK = "serving"
"""A file under `data` that is locked while a site with its database in a file is served: two at once would
take up each other's work."""


def run_site(folder: Path) -> int:
    """Serve the site in `folder` until SIGTERM or SIGINT, then end in order with 0.

    Progress goes to standard error. A mailbox or mail server that cannot be reached is reported there and
    tried again. Raises ConfigError or SiteError when serving cannot begin.
    """
    stop = _stop_on_signals()
    settings = settings_of(folder)
    set_up(sys.stderr)
    _keep_private(settings)
    with site_lock(settings):
        bring_up_to_date(settings)
        _say_who_may_sign_in(settings, folder)
        _serve(settings, stop, folder)
    _say("Stopped. Waiting mail stays on the mail server; interrupted work continues at the next start.")
    return 0


def _keep_private(settings: Settings) -> None:
    """Leave no core, which would hold the site's secrets, and close what an earlier version left open."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    closed = close_files(settings)
    if closed:
        _say(f"{closed} files of the site were readable by other accounts of this machine; now they are not.")


def run_worker(folder: Path, threads: int = 4, processes: int = 1) -> int:
    """Work for the site in `folder` until SIGTERM or SIGINT, then end in order with 0: judge, read, close,
    send.

    It takes no mail in and shows no desk; `galloper serve` does. `threads` jobs run at once in each of
    `processes` processes; one that dies is started again. Its work is
    taken over by another process within two lease times of its death. Raises ConfigError or SiteError, also
    for a database in a file, which one process serves.
    """
    from service.bootstrap import Running, open_site

    stop = _stop_on_signals()
    settings = settings_of(folder)
    if _in_a_file(settings):
        raise SiteError(
            "The database is an SQLite file, which allows one process; run only galloper serve, or set "
            "database to a PostgreSQL server for more."
        )
    set_up(sys.stderr)
    _keep_private(settings)
    bring_up_to_date(settings)
    if processes > 1:
        _say(f"Working with {processes} processes of {threads} threads (stop with Ctrl-C)")
        WorkerGroup(worker_command(folder, threads), processes, _say).run(stop)
        _say("Stopped. Interrupted work continues in another process, or at the next start.")
        return 0
    site = open_site(settings, workers=threads, polls=False)
    try:
        running = Running(site, poll=False, settings_reader=_settings_reader(site, folder))
        running.start()
        _say(f"Working with {threads} threads (stop with Ctrl-C)")
        try:
            stop.wait()
        finally:
            running.stop()
    finally:
        site.engine.dispose()
    _say("Stopped. Interrupted work continues in another process, or at the next start.")
    return 0


def _serve(settings: Settings, stop: Event, folder: Path) -> None:
    from service.bootstrap import Running, open_site
    from service.mail.mailbox.mark import MailboxTaken
    from service.web.server import WebServer

    site = open_site(settings)
    settings_reader = _settings_reader(site, folder)
    try:
        web = WebServer(site.desk(), settings.web.host, settings.web.port, settings.web.proxies)
        running = Running(site, Reporter(settings), settings_reader=settings_reader)
        try:
            running.claim_mailbox()
        except MailboxTaken as taken:
            raise SiteError(str(taken)) from taken
        running.start()
        try:
            web.start()
            _say(f"The desk is at {web.address}/ (stop with Ctrl-C)")
            stop.wait()
            _say("Stopping ...")
        finally:
            web.stop()
            running.stop()
    finally:
        site.engine.dispose()


def _settings_reader(site: Site, folder: Path) -> SettingsReader:
    """Reads some settings again when their file or a file of a secret changes, and on SIGHUP."""
    from service.operations.reread_settings import SettingsReader, secret_files

    reader = SettingsReader(lambda: settings_of(folder), (folder / FILE, *secret_files()), site.account,
                            site.health.mailbox, site.renew)
    signal.signal(signal.SIGHUP, lambda _number, _frame: reader.asked.set())
    return reader


class Reporter:
    """Says on standard error what changes about the mailbox, each state once."""

    def __init__(self, settings: Settings) -> None:
        incoming = settings.mail_in
        self._place = incoming.path if incoming.kind == "maildir" else f"{incoming.folder} at {incoming.host}"
        self._last: str | None = None

    def __call__(self, trouble: str) -> None:
        """`trouble` is a sentence, or "" when the mailbox answers."""
        # A mail server that is away all night is one line and not thousands.
        if trouble != self._last:
            self._last = trouble
            _say(trouble or f"Taking in mail from {self._place}")


def _stop_on_signals() -> Event:
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: stop.set())
    return stop


@contextmanager
def site_lock(settings: Settings) -> Iterator[None]:
    """No one else serves a site whose database is a file while this is held. Raises SiteError if a person
    does; a site on PostgreSQL has no such lock."""
    path = Path(settings.data) / LOCK
    # Several processes may serve a PostgreSQL site: its workers have names, and its mails are known by bytes.
    if not _in_a_file(settings):
        yield
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w")
    except OSError as error:
        raise SiteError(f"{path.parent} cannot be written ({error.strerror}); check the setting "
                        f"data.") from error
    with file:
        try:
            # The kernel frees the lock when the process dies, so no stale lock can keep a site down.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise SiteError(f"Another process of galloper serves this site already ({path} is locked); stop "
                            "it first.") from error
        yield


def _in_a_file(settings: Settings) -> bool:
    database_name(settings)  # raises SiteError if the setting is not valid
    return full_url(settings.database_url).get_backend_name() == "sqlite"


def _say_who_may_sign_in(settings: Settings, folder: Path) -> None:
    with opened(settings) as store, store() as session:
        if session.scalar(select(UserRow.name).limit(1)) is None:
            _say(f"No person can sign in at the desk yet. Add one with: galloper user add {folder} NAME")


def _say(text: str) -> None:
    print(f"galloper: {text}", file=sys.stderr, flush=True)
