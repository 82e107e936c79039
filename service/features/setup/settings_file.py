"""Answers into the commented settings file of a site."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Mapping
from pathlib import Path

import templates
from service.features.setup.questions import YES, Answers
from service.mail.hosts import host_named
from service.site_folder import FILE

_LINE = re.compile(r"(?:#\s+)?(?P<key>\w+) = (?:\"[^\"]*\"|\[[^]]*\]|[\w.]+)(?P<rest>\s*(?:#.*)?)")
_TABLE = re.compile(r"\[(?P<name>\w+)\]")
Value = str | int | bool
Values = Mapping[tuple[str, str], Value | None]
"""Values of settings by table ("" for those above all tables) and key; None makes the line a remark."""


def settings_text(answers: Answers) -> str:
    """The settings file for these answers, with all remarks of the template."""
    text = (Path(templates.__file__).parent / "site" / FILE).read_text(encoding="utf-8")
    return filled_in(text, _values(answers))


def filled_in(text: str, values: Values) -> str:
    """A commented settings file with some lines changed. Raises KeyError for a setting that has no line."""
    table, lines, left = "", [], dict(values)
    for line in text.splitlines():
        if heading := _TABLE.match(line):
            table = heading["name"]
        setting = _LINE.fullmatch(line)
        place = (table, setting["key"]) if setting else ("", "")
        if setting is None or place not in left:
            lines.append(line)
            continue
        value, rest = left.pop(place), setting["rest"]
        # A basic string of TOML has the escapes of JSON.
        lines.append(f"# {line.lstrip('# ')}" if value is None
                     else f"{setting['key']} = {json.dumps(value, ensure_ascii=False)}{rest}")
    if left:
        raise KeyError(f"templates/site/{FILE} has no line for {sorted(left)}")
    return "\n".join(lines) + "\n"


def _values(answers: Answers) -> Values:
    host = host_named(answers["provider"])
    imap = host.imap if host else (answers["imap_host"], int(answers["imap_port"]))
    smtp = host.smtp if host else (answers["smtp_host"], int(answers["smtp_port"]))
    wants_login = answers.get("relay_login", YES) == YES
    return {
        ("", "order_address"): answers["order_address"],
        ("", "coordinator"): answers["coordinator"],
        ("mail_in", "host"): imap[0], ("mail_in", "port"): imap[1],
        # A server on this machine, such as Proton Bridge, has a certificate that vouches for itself alone.
        ("mail_in", "tls"): not _is_here(imap[0]),
        ("mail_in", "user"): answers["user"], ("mail_in", "password"): answers["mail_password"],
        ("mail_in", "trusted_authserv_ids"): None,
        ("mail_out", "host"): smtp[0], ("mail_out", "port"): smtp[1],
        ("mail_out", "starttls"): not _is_here(smtp[0]),
        ("mail_out", "user"): answers["user"] if wants_login else "",
        ("mail_out", "password"): answers["mail_password"] if wants_login else "",
        ("mail_out", "sender"): f"Galloper <{answers['order_address']}>",
        **({("mail_in", "provider"): host.key} if host and host.key else {}),
        **({("web", "base_url"): answers["base_url"].rstrip("/")} if answers.get("base_url") else {}),
    }


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
