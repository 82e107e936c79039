"""No secret of a site is in an argument, a line of the log, a traceback or a core dump (SEC-03). The
programs themselves are run, against a mail server that refuses them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.servers.ports import free_port
from service.config import Settings
from service.site_folder import settings_of
from tests.support.own_site import own_site
from tests.support.servers.served import ROOT, Served

SECRETS = {name: f"{name}-zk7Qw9" for name in ("mailbox", "relay", "client", "refresh", "numbers", "base")}
SETTINGS = """data = "data"
order_address = "orders@galloper.example"
coordinator = "coordinator@galloper.example"
[mail_in]
host = "127.0.0.1"
port = {port}
tls = false
user = "orders"
password = "mailbox-zk7Qw9"
trusted_authserv_ids = ["mx.galloper.example"]
[mail_out]
host = "127.0.0.1"
port = {port}
starttls = false
user = "orders"
password = "relay-zk7Qw9"
sender = "Galloper <orders@galloper.example>"
[web]
port = 0
secure_cookies = false
metrics_token = "numbers-zk7Qw9"
"""
PASSWORD = "a password of a person-zk7Qw9"


def test_settings_show_no_secret_to_whoever_prints_them() -> None:
    settings = Settings.model_validate({
        "data": "x", "order_address": "a@example.org", "coordinator": "b@example.org",
        "database": f"postgresql://galloper:{SECRETS['base']}@localhost/galloper",
        "mail_in": {"password": SECRETS["mailbox"], "oauth": {
            "token_url": "https://example.org/token", "client_id": "x", "client_secret": SECRETS["client"],
            "refresh_token": SECRETS["refresh"]}},
        "mail_out": {"password": SECRETS["relay"], "sender": "a@example.org"},
        "web": {"metrics_token": SECRETS["numbers"]},
    })
    settings_text = f"{settings} {settings!r} {settings.mail_in} {settings.mail_out}"
    assert "order_address" in settings_text
    assert "zk7Qw9" not in settings_text


@pytest.mark.slow
def test_the_programs_show_no_secret_anywhere(tmp_path: Path) -> None:
    folder = own_site(tmp_path / "site", SETTINGS.format(port=free_port()))
    output: list[str] = []

    def galloper(*words: str, sent: str = "") -> None:
        done = subprocess.run([sys.executable, "-m", "service.cli.main", *words], input=sent, text=True,
                              capture_output=True, cwd=ROOT, check=False)
        output.extend((done.stdout, done.stderr))

    galloper("user", "add", str(folder), "Ada", sent=PASSWORD)
    galloper("check", str(folder))
    site = Served(folder)
    try:
        site.ready()
        processes = Path("/proc").glob("[0-9]*/cmdline")
        arguments = [line for path in processes if (line := _read(path))]
        assert any(str(folder).encode() in line for line in arguments)  # it runs, and is among them
        assert not [line for line in arguments if b"zk7Qw9" in line]
        limits = Path(f"/proc/{site.process.pid}/limits").read_text()
        (core,) = [line.split() for line in limits.splitlines() if line.startswith("Max core file size")]
        assert core[4:6] == ["0", "0"]
    finally:
        site.end()
        site.close()
    output.extend(site.said)
    assert "The desk is at" in "".join(output)
    assert "zk7Qw9" not in "".join(output)
    for path in Path(settings_of(folder).data).rglob("*"):
        # The settings alone hold the secrets; a person's password is stored as a hash.
        assert not path.is_file() or b"zk7Qw9" not in path.read_bytes(), path


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""  # it ended meanwhile
