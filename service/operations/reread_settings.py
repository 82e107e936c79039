"""Some settings are read again while the site runs: those of the mail servers, since a new password needs no
restart, and who may read by a program or gets notices of results, since a token that is taken out has to end.

Looked at every few seconds by the times of the files, and at once on SIGHUP. A file with a fault changes
nothing and is reported.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from adjudicator.errors import UserFacingError
from service.config import Settings
from service.mail.account import MailAccount
from service.operations.mailbox_status import MailboxStatus

log = logging.getLogger(__name__)

SECONDS = 15.0
"""Between two looks at the times of the files."""

Stamp = tuple[int, int, int] | None


@dataclass(slots=True)
class SettingsReader:
    """Reads the settings again with `read` when one of `files` changed or `asked` is set. `renew` takes over
    what is not of the mail servers."""

    read: Callable[[], Settings]
    files: Sequence[Path]
    account: MailAccount
    status: MailboxStatus
    renew: Callable[[Settings], None] = lambda _settings: None
    asked: Event = field(default_factory=Event)
    _stamps: list[Stamp] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._stamps = [_stamp(path) for path in self.files]

    def look(self) -> bool:
        """Read the settings if they may have changed; whether the mail servers are reached otherwise now."""
        stamps = [_stamp(path) for path in self.files]
        if stamps == self._stamps and not self.asked.is_set():
            return False
        self.asked.clear()
        try:
            settings = self.read()
        except UserFacingError as fault:
            self._stamps = stamps
            self.status.settings_fault = f"{fault}. The earlier settings stay in use."
            log.warning("the settings were not read again: they have a fault")
            return False
        self._stamps = stamps
        self.renew(settings)
        later = self.account.needs_restart(settings.mail_in, settings.mail_out)
        self.status.settings_fault = (
            f"{', '.join(later)}: changed in the file, and used after the next restart." if later else "")
        has_changed = self.account.change(settings.mail_in, settings.mail_out)
        if has_changed:
            log.info("the settings of the mail servers were read again")
            self.status.wanted.set()
        return has_changed


def secret_files(environment: Mapping[str, str] | None = None) -> tuple[Path, ...]:
    """The files that hold secrets, by the variables GALLOPER_..._FILE."""
    variables = os.environ if environment is None else environment
    return tuple(Path(value) for name, value in sorted(variables.items())
                 if name.startswith("GALLOPER_") and name.endswith("_FILE") and value)


def _stamp(path: Path) -> Stamp:
    """What changes when a file is written or replaced; None if it cannot be looked at."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
