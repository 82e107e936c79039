"""`galloper check`: try everything that a site needs, without sending or changing anything. One line for each
test."""

from __future__ import annotations

import difflib
import io
import ipaddress
import os
import shutil
import socket
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TextIO

from service.cli.check_stamps import check_stamps
from service.cli.check_storage import check_photographs, check_site_key
from service.cli.program.results import print_progress, print_result
from service.cli.program.streams import fold
from service.config import ConfigError, Settings
from service.feature import SiteTest, features
from service.operations.child_jail import check_jail
from service.operations.file_rights import check_files
from service.operations.findings import Finding, FindingState
from service.operations.health import FEWEST_FREE_BYTES
from service.site_folder import settings_of

APART = 60.0
"""Seconds that two clocks may differ. A deadline is an instant on the mail server's clock, not on ours."""
YEARS = range(2026, 2100)
SPECIMEN = "Army London to Surrey"
SECONDS = 15.0


WORDS = {
    FindingState.WELL: "ok",
    FindingState.NOTE: "note",
    FindingState.UNKNOWN: "note",
    FindingState.TROUBLE: "MEND",
}
"""The words of the command (docs/contract.md). Only MEND makes the whole check fail."""

def check_site(folder: Path, out: TextIO, *, as_json: bool = False, quiet: bool = False) -> int:
    """Run every test and print a line for each, or with `quiet` only for what must be mended. Returns 1 if
    there is such a line, else 0.

    Raises ConfigError if the settings cannot be read: then there is nothing to test.
    """
    settings = settings_of(folder)
    _print_finding("settings", _settings_finding(folder), out, as_json=as_json, quiet=quiet)
    troubles = 0
    for name, test in site_tests():
        print_progress(f"testing {name} ...", quiet=quiet)
        finding = run_test(name, test, settings)
        _print_finding(name, finding, out, as_json=as_json, quiet=quiet)
        troubles += finding.is_trouble
    return min(troubles, 1)


def _print_finding(name: str, finding: Finding, out: TextIO, *, as_json: bool, quiet: bool) -> None:
    word = WORDS[finding.state]
    # What is to be pasted keeps its lines.
    pasted = finding.advice.splitlines()
    text = "\n".join([fold(f"{word:5} {name:9} {finding.sentence}", 16, out),
                      *(f"{'':16}{line}" for line in pasted)])
    print_result(out, text,
                 {"test": name, "state": word.lower(), "sentence": finding.sentence}
                 | ({"propose": pasted} if pasted else {}),
                 as_json=as_json, quiet=quiet and not finding.is_trouble)


def _settings_finding(folder: Path) -> Finding:
    return Finding("settings", FindingState.WELL, f"{folder / 'galloper.toml'} is complete")


def site_tests() -> Sequence[tuple[str, SiteTest]]:
    """The tests of a site by their names, in the order in which they are run; those of features come last."""
    return (
        ("mailbox", check_mailbox), ("stamps", check_stamps), ("sending", check_sending),
        ("clock", check_clock), ("disk", check_disk),
        ("database", check_database), ("reader", check_reader), ("pictures", check_pictures),
        ("users", check_users),
        ("jail", check_jail), ("files", check_files),
        ("key", check_site_key), ("photos", check_photographs),
        *(test for feature in features() for test in feature.site_tests().items()),
    )


def run_test(name: str, test: SiteTest, settings: Settings) -> Finding:
    """The finding of a test; a test that fails itself is a finding too."""
    try:
        return test(settings)
    except ConfigError as error:
        return Finding(name, FindingState.TROUBLE, str(error))
    except Exception as error:
        return Finding(name,
            FindingState.TROUBLE, (f"could not be tested ({type(error).__name__}: {error}); run tools/setup "
                                   "again")
        )


# Mail
# ----------------------------------------------------------------------------------------------------------


_NOBODY_SAYS = "neither mail_in.provider nor mail_in.trusted_authserv_ids is set, so "
_NO_PROOF = "no mail would count as authenticated; set one of them"
_OWN_PROOF = ("a sheet counts only if its sender's domain signed it (DKIM), which this site checks itself; "
              "set one of them if the mail server writes Authentication-Results headers")


def check_mailbox(settings: Settings) -> Finding:
    """Log in, open the folder and count the mails that wait. Nothing is fetched or moved."""
    from service.mail.account import open_source
    from service.mail.mailbox.source import MailboxError
    from service.mail.trust_settings import trust_of

    incoming = settings.mail_in
    source = open_source(incoming)
    try:
        waiting = len(source.list_waiting())
    except MailboxError as error:
        return Finding("mailbox", FindingState.TROUBLE, str(error))
    finally:
        source.close()
    # Without it every sender counts as not proved, and every sheet would be quarantined.
    trust = trust_of(incoming)
    if not trust.providers:
        return Finding("mailbox", FindingState.NOTE if trust.own_proof else FindingState.TROUBLE,
                       _NOBODY_SAYS + (_OWN_PROOF if trust.own_proof else _NO_PROOF))
    if incoming.kind == "maildir" and not os.access(incoming.path, os.W_OK | os.X_OK):
        return Finding("mailbox",
            FindingState.TROUBLE,
            f"{incoming.path} cannot be written, so mails cannot be moved on; change its rights",
        )
    place = (
        incoming.path
        if incoming.kind == "maildir"
        else f"{incoming.folder} at {incoming.host}:{incoming.port}"
    )
    if incoming.kind == "imap" and sends_password_in_clear(
        incoming.host, incoming.password, encrypted=incoming.tls
    ):
        return Finding(
            "mailbox",
            FindingState.NOTE,
            f"{place} answers, but the password is sent unencrypted; set mail_in.tls = true",
        )
    return Finding("mailbox", FindingState.WELL, f"{place} answers; {waiting} mail(s) wait there")


def check_sending(settings: Settings) -> Finding:
    """Connect to the relay, greet it and log in. No mail is handed over."""
    from service.mail.sending.smtp import ServerUnavailable, SmtpTransport

    outgoing = settings.mail_out
    if outgoing.kind == "folder":
        _try_to_write(Path(outgoing.path), "mail_out.path")
        return Finding(
            "sending", FindingState.WELL, f"letters are written as files to {outgoing.path}; none is sent"
        )

    transport = SmtpTransport(outgoing, seconds=SECONDS)
    try:
        transport.knock()
    except ServerUnavailable as down:
        return Finding("sending", FindingState.TROUBLE, str(down))
    finally:
        transport.close()
    if sends_password_in_clear(outgoing.host, outgoing.password, encrypted=outgoing.encrypted):
        sentence = f"{outgoing.host}:{outgoing.port} answers, but the password is sent unencrypted"
        return Finding("sending", FindingState.NOTE, f"{sentence}; set mail_out.starttls = true")
    login = f"and accepted the login of {outgoing.user}" if outgoing.user else "without a login"
    return Finding(
        "sending", FindingState.WELL, f"{outgoing.host}:{outgoing.port} answers {login}; no mail was sent"
    )


def sends_password_in_clear(host: str, password: str, *, encrypted: bool) -> bool:
    """Whether a password would cross a network unencrypted. This machine's loopback is not a network."""
    if encrypted or not password or host == "localhost":
        return False
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return True


# The machine
# ----------------------------------------------------------------------------------------------------------


def check_clock(settings: Settings) -> Finding:
    """Compare this machine's clock with the mail servers' if they give their time; else check that its year
    is possible."""
    now = datetime.now(UTC)
    if now.year not in YEARS:
        return Finding(
            "clock", FindingState.TROUBLE, f"the clock of this machine is at {now:%d %b %Y}; set the date "
                                           "of this machine"
        )
    clocks = {
        name: moment
        for name, moment in (
            ("the greeting of the mail server", _greeting_time(settings)),
            ("the newest mail that waits", _newest_stamp(settings)),
        )
        if moment is not None
    }
    greeting = clocks.get("the greeting of the mail server")
    newest = clocks.get("the newest mail that waits")
    if greeting is not None and abs((greeting - now).total_seconds()) > APART:
        return Finding(
            "clock", FindingState.TROUBLE, _clocks_differ(now, "the greeting of the mail server", greeting)
        )
    if newest is not None and (newest - now).total_seconds() > APART:
        return Finding(
            "clock", FindingState.TROUBLE,
            _clocks_differ(now, "the stamp of the newest mail that waits", newest)
        )
    compared = " and ".join(clocks) or "the calendar only, as the mail server gives no time"
    sentence = f"{now:%a %-d %b %Y, %H:%M:%S} GMT, compared with {compared}"
    if settings.mail_in.kind == "maildir":
        # The stamps are those of the disk: on this machine's own they prove nothing about its clock.
        return Finding("clock",
            FindingState.WELL if greeting is not None else FindingState.NOTE,
            (f"{sentence}; mails in a folder are stamped by the clock of its disk, so set this machine's "
             f"clock by NTP"),
        )
    return Finding("clock", FindingState.WELL, sentence)


def _clocks_differ(now: datetime, clock_name: str, then: datetime) -> str:
    return (f"this machine has {now:%d %b %Y, %H:%M:%S} GMT and {clock_name} {then:%d %b %Y, %H:%M:%S} "
            "GMT; set the clock, best by NTP")


def _greeting_time(settings: Settings) -> datetime | None:
    """The time in the relay's greeting. Sendmail and Exim end it with one; others give none."""
    outgoing = settings.mail_out
    if outgoing.kind == "folder":
        return None
    try:
        with socket.create_connection((outgoing.host, outgoing.port), SECONDS) as connection:
            connection.settimeout(SECONDS)
            # RFC 5321, 4.5.3.1.5: a reply line has at most 512 octets.
            line = connection.recv(512).partition(b"\r\n")[0].decode("ascii", "replace")
    except OSError:
        return None
    return time_in_greeting(line)


def time_in_greeting(greeting: str) -> datetime | None:
    """The instant that an SMTP greeting names ("220 mx ESMTP; Mon, 1 Mar 2027 07:00:00 +0000"), in UTC, or
    None."""
    words = greeting.replace(";", " ").split()
    for index in range(len(words)):
        if words[index][:3] in {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"} and words[index].endswith(
            ","
        ):
            try:
                moment = parsedate_to_datetime(" ".join(words[index:index + 6]))
            except ValueError:
                return None
            # With the zone -0000 (RFC 5322, 3.3) or none, Python gives a time without a zone.
            return moment.astimezone(UTC) if moment.tzinfo else None
    return None


def _newest_stamp(settings: Settings) -> datetime | None:
    from service.mail.account import open_source
    from service.mail.mailbox.source import MailboxError

    source = open_source(settings.mail_in)
    try:
        return max((mail.received_at for mail in source.list_waiting()), default=None)
    except MailboxError:
        return None
    finally:
        source.close()


def check_disk(settings: Settings) -> Finding:
    """Write to the data folder and see how much room is left."""
    data = Path(settings.data)
    _try_to_write(data, "data")
    free = shutil.disk_usage(data).free
    # The limit of the Health page: a site that may start must not need attention at once.
    if free < FEWEST_FREE_BYTES:
        return Finding(
            "disk",
            FindingState.TROUBLE,
            f"only {free // 1_000_000} MB are free under {data}; make room for at least "
            f"{FEWEST_FREE_BYTES // 1_000_000_000} GB",
        )
    return Finding("disk", FindingState.WELL, f"{data} can be written; {free // 1_000_000_000} GB are free")


def _try_to_write(folder: Path, setting: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"galloper" * 512)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise ConfigError(f"{folder} cannot be written ({error.strerror}); check the setting "
                          f"{setting}") from error


def check_database(settings: Settings) -> Finding:
    """Which migration the tables have. Nothing is changed: a site migrates them when it is served."""
    from sqlalchemy.exc import DBAPIError

    from service.site_folder import database_name, database_sentence
    from service.store.engine import (
        check_sqlite_of_queue,
        connections_for_sites,
        full_url,
        newest_migration,
        open_engine,
        revision_of,
    )

    name, url = database_name(settings), full_url(settings.database_url)
    if url.get_backend_name() == "sqlite":
        check_sqlite_of_queue()
    # Opening it would create the file, and this command changes nothing.
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").exists():
        return Finding("database", FindingState.WELL, f"{name} will be created at the first start")
    engine = open_engine(settings.database_url)
    try:
        with engine.connect() as connection:
            revision = revision_of(connection)
            room = connections_for_sites(connection)
    except DBAPIError as error:
        return Finding("database", FindingState.TROUBLE, database_sentence(name, error))
    finally:
        engine.dispose()
    head = newest_migration()
    # The numbers of scripts rise.
    if revision is not None and revision > head:
        return Finding("database",
            FindingState.TROUBLE,
            f"{name} was written by a newer Galloper (tables {revision}); install that one"
        )
    if revision != head:
        return Finding(
            "database",
            FindingState.WELL,
            f"{name} has tables {revision or 'none'}; the next start brings them to {head}",
        )
    each = settings.database_connections
    if room is not None and room < each:
        return Finding("database", FindingState.TROUBLE,
                       f"{name} has room for {room} connections, and one process of the site may have "
                       f"{each}; raise max_connections, or set database_connections lower")
    fit = "" if room is None else f"; it has room for {room // each} processes of {each} connections"
    return Finding("database", FindingState.WELL, f"{name} is up to date (tables {head}){fit}")


# Reading and drawing
# ------------------------------------------------------------------------------------------------


def check_reader(_settings: Settings) -> Finding:
    """Open a picture of one line in the sandbox and read it with the networks."""
    import cv2
    import numpy as np

    from ocr.engines import tesseract
    from ocr.engines.ppocr import ModelError, PpOcr
    from service.intake.opening.sandbox import ChildFault, decode_photo

    try:
        decoded = decode_photo(_specimen())
    except ChildFault as fault:
        return Finding("reader", FindingState.TROUBLE, f"pictures cannot be opened: {fault}")
    if decoded.trouble is not None:
        return Finding(
            "reader",
            FindingState.TROUBLE,
            f"the child process cannot open a picture ({decoded.detail}); see child_memory_mb",
        )
    try:
        picture = cv2.imdecode(np.frombuffer(decoded.pages[0], np.uint8), cv2.IMREAD_COLOR_RGB)
        (read,) = PpOcr().read([np.asarray(picture, dtype=np.uint8)])
    except ModelError as error:
        return Finding("reader", FindingState.TROUBLE, f"{error}; run tools/setup again")
    # Letters only: networks differ in how they see blanks, and that is not a fault of the installation.
    # 0.9 of 18 letters allows one to be misread.
    alike = difflib.SequenceMatcher(None, _letters(read.text), _letters(SPECIMEN)).ratio()
    if alike < 0.9:
        return Finding(
            "reader", FindingState.TROUBLE, f"“{SPECIMEN}” was read as “{read.text}”; run tools/setup again"
        )
    if missing := tesseract.fault():
        return Finding(
            "reader",
            FindingState.TROUBLE,
            f"the networks read “{read.text}”, and only they read sheets, because {missing}; "
            "install tesseract-ocr and tesseract-ocr-eng, as tools/setup does",
        )
    return Finding(
        "reader", FindingState.WELL, f"the networks and tesseract are here, and read “{read.text}”"
    )


def _letters(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


def _specimen() -> bytes:
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("RGB", (640, 72), "white")
    ImageDraw.Draw(picture).text((20, 12), SPECIMEN, fill="black", font=ImageFont.load_default(40))
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=92)
    return out.getvalue()


def check_pictures(_settings: Settings) -> Finding:
    """Fonts, Pango and pdfium: one word from SVG to PDF to PNG."""
    from service.pictures.drawing import fonts
    from service.pictures.drawing.render import to_pdf, to_png

    try:
        for face in fonts.FACES:
            fonts.width("Galloper", face, 10.0)
        svg = (f'<svg xmlns="http://www.w3.org/2000/svg" width="40mm" height="10mm" viewBox="0 0 40 10">'
               f'<text x="2" y="7" font-size="6" {fonts.CSS["roman"]}>Galloper</text></svg>')
        picture = to_png(to_pdf(svg), 400)
    except fonts.FontMissing as error:
        return Finding("pictures", FindingState.TROUBLE, str(error))
    except OSError as error:  # WeasyPrint's word for a missing Pango, at its import
        reason = str(error).partition("\n")[0]
        return Finding(
            "pictures",
            FindingState.TROUBLE,
            f"Pango cannot be loaded ({reason}); install libpango, as tools/setup does",
        )
    return Finding(
        "pictures", FindingState.WELL, f"fonts and Pango are here; a test picture has {len(picture)} bytes"
    )


def check_users(settings: Settings) -> Finding:
    """Can anybody sign in?"""
    from sqlalchemy import func, inspect, select

    from service.store.engine import full_url, open_engine
    from service.store.tables import UserRow

    url, count = full_url(settings.database_url), 0
    if url.get_backend_name() != "sqlite" or Path(url.database or "").exists():
        engine = open_engine(settings.database_url)
        try:
            with engine.connect() as connection:
                if inspect(connection).has_table(UserRow.__tablename__):
                    count = connection.scalar(select(func.count()).select_from(UserRow)) or 0
        finally:
            engine.dispose()
    if not count:
        return Finding(
            "users", FindingState.NOTE, "no person can sign in at the desk yet; add one with: galloper user "
                                        "DIR NAME"
        )
    return Finding("users", FindingState.WELL, f"{count} can sign in at the desk")
