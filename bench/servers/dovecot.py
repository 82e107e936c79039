"""A private Dovecot on loopback: IMAP with and without encryption, and LMTP for delivery.

Dovecot refuses to serve mail as root, so a server started by root drops to "nobody". Its folder must have a
short name, because the sockets in it may not pass 108 bytes. Versions 2.3 (Debian 12) and 2.4 (Debian 13)
name the same settings differently.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import smtplib
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from imapclient import IMAPClient

from bench.servers.certificates import make_certificate
from bench.servers.ports import free_port

USER, PASSWORD = "orders", "secret"
_PATH = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"

_SETTINGS = """
protocols = imap lmtp
listen = 127.0.0.1
base_dir = {root}/run
state_dir = {root}/state
log_path = {root}/log
instance_name = galloper{imap}
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
ssl = {ssl}
auth_mechanisms = plain{mechanisms}
first_valid_uid = 1
first_valid_gid = 1
mailbox_idle_check_interval = 1 secs
mail_max_userip_connections = {connections}
namespace inbox {{
  inbox = yes
  separator = {separator}
  prefix = {prefix}
}}
protocol lmtp {{
  postmaster_address = postmaster@localhost
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    {listen} = 127.0.0.1
    port = {lmtp}
  }}
}}
"""

_SETTINGS_2_3 = """
disable_plaintext_auth = no
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={root}/mail/%n
}}
mail_location = maildir:{root}/mail/%n/Maildir
"""
_CERTIFICATE_2_3 = """
ssl_cert = <{root}/cert.pem
ssl_key = <{root}/key.pem
"""
_TOKENS_2_3 = """
passdb {{
  driver = oauth2
  mechanisms = xoauth2
  args = {root}/tokens
}}
"""

# The versions of the language and of the files must be the first line.
_FIRST_LINES_2_4 = """dovecot_config_version = 2.4.0
dovecot_storage_version = 2.4.0
"""
_SETTINGS_2_4 = """
auth_allow_cleartext = yes
passdb static {{
  password = {password}
}}
userdb static {{
  fields {{
    uid = {uid}
    gid = {gid}
    home = {root}/mail/%{{user | username}}
  }}
}}
mail_driver = maildir
mail_path = {root}/mail/%{{user | username}}/Maildir
"""
_QUOTA_2_3 = """
mail_plugins = quota
plugin {{
  quota = maildir:User quota
  quota_rule = *:storage={quota}K
  quota_grace = 0
}}
"""
_QUOTA_2_4 = """
mail_plugins {{
  quota = yes
}}
quota of-the-user {{
  storage_size = {quota}K
  storage_grace = 0
}}
"""

_CERTIFICATE_2_4 = """
ssl_server_cert_file = {root}/cert.pem
ssl_server_key_file = {root}/key.pem
"""
_TOKENS_2_4 = """
oauth2 {{
{tokens}
}}
passdb oauth2 {{
  mechanisms_filter = xoauth2
}}
"""


def unprivileged() -> pwd.struct_passwd:
    """The account servers run as: our own, or no one when that is root."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())


@dataclass
class Dovecot:
    """One server. `start` after `kill` brings it back on the same ports with the same mail.

    `connections`: how many a user may have. `quota`: the kB that a user's mails may have, by Dovecot
    2.3's settings. `prefix`: the beginning of the names of a user's folders ("INBOX." on some servers).
    `introspection`: the URL to which an access token is appended to check it; with it the server offers
    XOAUTH2 too.
    """

    tls: bool = False
    prefix: str = ""
    introspection: str = ""
    quota: int = 0
    connections: int = 10
    password: str = PASSWORD
    root: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="dv")))
    imap: int = field(default_factory=free_port)
    lmtp: int = field(default_factory=free_port)
    imaps: int = 0
    _process: subprocess.Popen[bytes] | None = None

    @property
    def certificate(self) -> Path:
        return self.root / "cert.pem"

    def start(self) -> Dovecot:
        """Write the settings, start, and return when both ports answer. Raises RuntimeError with the end of
        the log."""
        program = shutil.which("dovecot", path=_PATH)
        if program is None:
            raise RuntimeError("dovecot is missing; run tools/setup dev")
        account = unprivileged()
        for name in ("mail", "run", "state"):
            (self.root / name).mkdir(exist_ok=True)
        if self.tls:
            self.imaps = self.imaps or free_port()
            make_certificate(self.root)
        asked = [program, "--version"]
        version = subprocess.run(asked, capture_output=True, check=True).stdout  # noqa: S603 as below
        self._write_settings(account, new_language=not version.startswith(b"2.3."))
        self._give_to(account)
        # Left behind by `kill`; if its number is in use again, Dovecot takes itself for running.
        (self.root / "run" / "master.pid").unlink(missing_ok=True)
        as_root = os.geteuid() == 0
        with (self.root / "start.log").open("ab") as out:
            self._process = subprocess.Popen(  # noqa: S603 our own command
                [program, "-F", "-c", str(self.root / "conf")],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                # Its own process group, so that `kill` reaches all of its processes.
                start_new_session=True,
                user=account.pw_uid if as_root else None,
                group=account.pw_gid if as_root else None,
                extra_groups=[] if as_root else None,
            )
        self._wait_until_it_answers()
        return self

    def kill(self) -> None:
        """SIGKILL to every process of the server: a crash, and the quick way to end."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(5)
            self._process = None

    def stop(self) -> None:
        """End in order: those who are signed in hear BYE."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(20)
            self._process = None

    def remove(self) -> None:
        """Kill it and delete its folder."""
        self.kill()
        shutil.rmtree(self.root, ignore_errors=True)

    def change_password(self, password: str) -> None:
        """Ask for another password from now on. Connections end, as at a provider who signs everybody out."""
        self.kill()
        self.password = password
        self.start()

    def deliver(self, mail: bytes, sender: str = "player@example.org") -> None:
        """Hand a mail over by LMTP, as a mail server does; its receipt time is now."""
        with smtplib.LMTP("127.0.0.1", self.lmtp) as lmtp:
            # LMTP answers for each recipient after the mail itself, so that a return means it is stored (RFC
            # 2033).
            lmtp.sendmail(sender, [USER], mail)

    def append(
        self, mail: bytes, received_at: datetime | None = None, folder: str = "INBOX",
        flags: tuple[bytes, ...] = ()
    ) -> None:
        """Put a mail in a folder, received at that time, which must not be in the future."""
        with self.client() as client:
            client.append(folder, mail, flags=flags, msg_time=received_at)

    def client(self) -> IMAPClient:
        """Another mail program, signed in."""
        client = IMAPClient("127.0.0.1", self.imap, ssl=False, timeout=10)
        client.login(USER, self.password)
        return client

    def contents(self, folder: str = "INBOX") -> list[bytes]:
        """Raw mails of a folder; empty when there is no such folder."""
        with self.client() as client:
            return folder_contents(client, folder)

    def rebuild(self, folder: str = "") -> None:
        """Make a mailbox look restored from a backup: a new UIDVALIDITY, UIDs from 1 (RFC 3501, 2.3.1.1)."""
        box = self.root / "mail" / USER / "Maildir"
        box = box / f".{folder}" if folder else box
        time.sleep(1.1)  # Dovecot takes the value from the clock
        # dovecot-uidlist and the indexes hold UIDVALIDITY and the UIDs; mails are files next to them.
        for path in box.glob("dovecot*"):
            if path.is_file():
                path.unlink()

    def _write_settings(self, account: pwd.struct_passwd, *, new_language: bool) -> None:
        tokens = ""
        if self.introspection:
            tokens = (
                f"introspection_url = {self.introspection}\nintrospection_mode = get\n"
                "active_attribute = active\nactive_value = true\nusername_attribute = username\n"
            )
            (self.root / "tokens").write_text(tokens)
        parts = [
            _FIRST_LINES_2_4 if new_language else "",
            _SETTINGS,
            _SETTINGS_2_4 if new_language else _SETTINGS_2_3,
        ]
        if self.tls:
            parts.append(_CERTIFICATE_2_4 if new_language else _CERTIFICATE_2_3)
        if self.quota:
            parts.append(_QUOTA_2_4 if new_language else _QUOTA_2_3)
        if tokens:
            parts.append(_TOKENS_2_4 if new_language else _TOKENS_2_3)
        (self.root / "conf").write_text(
            "".join(parts).format(
                listen="listen" if new_language else "address",
                mechanisms=" xoauth2" if tokens else "",
                tokens=tokens,
                root=self.root,
                user=account.pw_name,
                group=_group_name(account.pw_gid),
                uid=account.pw_uid,
                gid=account.pw_gid,
                password=self.password,
                quota=self.quota,
                connections=self.connections,
                imap=self.imap,
                lmtp=self.lmtp,
                imaps=self.imaps,
                ssl="yes" if self.tls else "no",
                prefix=self.prefix,
                separator="." if self.prefix.endswith(".") else "/",
            )
        )

    def _give_to(self, account: pwd.struct_passwd) -> None:
        if os.geteuid() == 0:
            for base, _, names in os.walk(self.root):
                for name in (".", *names):
                    os.chown(Path(base) / name, account.pw_uid, account.pw_gid)

    def _wait_until_it_answers(self) -> None:
        end = time.monotonic() + 15
        while not (_says(self.imap, b"* OK") and _says(self.lmtp, b"220")):
            assert self._process is not None
            if self._process.poll() is not None or time.monotonic() > end:
                log = self.root / "log"
                raise RuntimeError(
                    "dovecot did not start: "
                    + (self.root / "start.log").read_text()[-1000:]
                    + (log.read_text()[-1000:] if log.exists() else "")
                )
            time.sleep(0.02)


def folder_contents(client: IMAPClient, folder: str) -> list[bytes]:
    """Raw mails of a folder, oldest first; empty when there is no such folder."""
    if not client.folder_exists(folder):
        return []
    client.select_folder(folder, readonly=True)
    uids = client.search("ALL")
    # PEEK leaves the flag \Seen as it is (RFC 3501, 6.4.5).
    answers = client.fetch(uids, ["BODY.PEEK[]"]) if uids else {}
    return [answer[b"BODY[]"] for _, answer in sorted(answers.items())]


def _group_name(gid: int) -> str:
    import grp

    return grp.getgrgid(gid).gr_name


def _says(port: int, greeting: bytes) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as connection:
            connection.settimeout(2)
            return connection.recv(64).startswith(greeting)
    except OSError:
        return False
