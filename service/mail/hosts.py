"""The mail servers of known providers, and which password each takes, from the providers' pages of 23
November 2026; none was tried with a real account. The documents have them as a page (`tools/documents`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_OF_ITS_OWN = "It needs an app password, which you create in the settings of the account"
OTHER = "other"
"""The word for a provider that is not listed, or a server of one's own."""


@dataclass(frozen=True, slots=True)
class MailHost:
    """A provider. `key`: its word in `mail_in.provider`, "" where stamps are proposed by `galloper check`.
    `domains`: those of its addresses. `imap`, `smtp`: host and port. `hint`: what to know before the password
    is typed."""

    name: str
    key: str
    domains: tuple[str, ...]
    imap: tuple[str, int]
    smtp: tuple[str, int]
    hint: str


HOSTS: Sequence[MailHost] = (
    MailHost("Gmail", "gmail", ("gmail.com", "googlemail.com"), ("imap.gmail.com", 993),
             ("smtp.gmail.com", 587),
             f"{_OF_ITS_OWN} under Security; 2-Step Verification must be on. Without one, run galloper "
             "login afterwards."),
    MailHost("Microsoft 365 and Outlook.com", "microsoft",
             ("outlook.com", "hotmail.com", "live.com", "msn.com"), ("outlook.office365.com", 993),
             ("smtp.office365.com", 587),
             "It accepts no password. Leave the password empty, and run galloper login afterwards."),
    MailHost("iCloud", "icloud", ("icloud.com", "me.com", "mac.com"), ("imap.mail.me.com", 993),
             ("smtp.mail.me.com", 587),
             "It needs an app-specific password, from account.apple.com. If it refuses the whole address, "
             "use the part before the @ as the name."),
    MailHost("Yahoo and AOL", "yahoo", ("yahoo.com", "yahoo.co.uk", "yahoo.de", "aol.com"),
             ("imap.mail.yahoo.com", 993), ("smtp.mail.yahoo.com", 465),
             f"{_OF_ITS_OWN}, under Account Security."),
    MailHost("Fastmail", "fastmail", ("fastmail.com", "fastmail.fm"), ("imap.fastmail.com", 993),
             ("smtp.fastmail.com", 465), f"{_OF_ITS_OWN}; it refuses the usual password."),
    MailHost("Proton", "proton", ("proton.me", "protonmail.com", "pm.me"), ("127.0.0.1", 1143),
             ("127.0.0.1", 1025),
             "Proton Bridge must run on this machine. Use the password that the Bridge shows."),
    MailHost("GMX", "gmx", ("gmx.net", "gmx.de", "gmx.at", "gmx.ch"), ("imap.gmx.net", 993),
             ("mail.gmx.net", 587), "IMAP is off at first: switch it on in the mail settings."),
    MailHost("web.de", "gmx", ("web.de",), ("imap.web.de", 993), ("smtp.web.de", 587),
             "IMAP is off at first: switch it on in the mail settings."),
    MailHost("mailbox.org", "mailboxorg", ("mailbox.org",), ("imap.mailbox.org", 993),
             ("smtp.mailbox.org", 587), "With two-factor sign-in it needs an app password."),
    MailHost("Posteo", "posteo", ("posteo.de", "posteo.net"), ("posteo.de", 993), ("posteo.de", 587),
             "It accepts the usual password."),
    MailHost("Zoho", "zoho", ("zoho.com", "zohomail.eu"), ("imap.zoho.com", 993), ("smtp.zoho.com", 465),
             "IMAP is off at first: switch it on in the mail settings. With two-factor sign-in it needs an "
             "app password."),
    MailHost("Migadu", "migadu", (), ("imap.migadu.com", 993), ("smtp.migadu.com", 465),
             "It accepts the mailbox's own password."),
    MailHost("IONOS, 1&1", "ionos", (), ("imap.ionos.com", 993), ("smtp.ionos.com", 465),
             "It accepts the mailbox's own password."),
    MailHost("OVH (MX Plan)", "ovh", (), ("ssl0.ovh.net", 993), ("ssl0.ovh.net", 465),
             "It accepts the mailbox's own password."),
    MailHost("Rackspace Email", "rackspace", (), ("secure.emailsrvr.com", 993),
             ("secure.emailsrvr.com", 465), "It accepts the mailbox's own password."),
)


def host_named(name: str) -> MailHost | None:
    """The provider of a name, whatever its capitals; None for another one."""
    return next((host for host in HOSTS if host.name.casefold() == name.strip().casefold()), None)


def likely_host(address: str) -> MailHost | None:
    """The provider whose addresses end as this one; None if none is known by its domain."""
    domain = address.rpartition("@")[2].casefold()
    return next((host for host in HOSTS if domain in host.domains), None)
