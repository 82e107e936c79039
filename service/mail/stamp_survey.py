"""What the newest mails of a mailbox say about its own server, and the setting that fits (BOX-02).

Senders write into the same header as the server, so only what is above the server's line counts here: the
topmost Received line is the last hop into the mailbox, and no sender can write above it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from publicsuffixlist import PublicSuffixList

from service.mail.authentication.border import own_stamps
from service.mail.authentication.domains import fits
from service.mail.authentication.presets import PRESETS
from service.mail.authentication.providers import Provider
from service.mail.authentication.received import Received, read_received
from service.mail.authentication.stamps import read_stamp
from service.mail.authentication.trust import Trust
from service.mail.headers import Headers, addresses

MOST_MAILS = 20
"""Mails that are looked at."""
FEWEST_MAILS, FEWEST_SENDERS, AGREEING = 3, 2, 0.8
"""From so many mails of so many domains, and with this share that agrees, a proposal is sure."""
INNER_HOSTS = {
    "icloud": ("p*-mailgateway-*",), "posteo": ("*.posteo.name",), "fastmail": ("sloti*",),
}  # fmt: skip
"""Hosts of a provider that hand a mail into the mailbox and are not in the preset."""
LOGIN_HOSTS = {
    "gmail": ("imap.gmail.com", "imap.googlemail.com"),
    "microsoft": ("outlook.office365.com", "*.outlook.com", "*.office365.com"),
    "icloud": ("*.mail.me.com", "*.icloud.com"), "fastmail": ("imap.fastmail.com",),
    "yahoo": ("*.mail.yahoo.com", "*.aol.com"), "zoho": ("imap.zoho.*", "imappro.zoho.*"),
    "gmx": ("imap.gmx.*", "imap.web.de"), "mailboxorg": ("*.mailbox.org",), "posteo": ("posteo.de",),
    "workmail": ("*.awsapps.com",), "infomaniak": ("*.infomaniak.com",), "mailru": ("imap.mail.ru",),
    "yandex": ("imap.yandex.*",), "mailde": ("imap.mail.de",), "gandi": ("mail.gandi.net",),
    "migadu": ("imap.migadu.com",), "ovh": ("*.mail.ovh.net",), "ionos": ("imap.ionos.*", "imap.1und1.de"),
    "rackspace": ("secure.emailsrvr.com",),
}  # fmt: skip
"""Servers that one logs in to, by provider. No sender of mail has any part in these names."""
_LOCAL = re.compile(r"\bwith\s+(?:UTF8)?(?:LMTPS?A?|local)\b", re.IGNORECASE)
_PLAIN = re.compile(r"[A-Za-z0-9._-]{1,80}")
_JUDGING = frozenset({"dmarc", "dkim"})


class Certainty(StrEnum):
    """How far a proposal can be relied on."""

    SURE = "sure"
    LIKELY = "likely"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Survey:
    """`mails`: those that a mail server took in. `domains`: of their senders. `agreeing`: those that speak
    for the proposal. `lines`: to paste below [mail_in], empty without a proposal. `server`: whose they are,
    in words. `stamp_kinds`: a sentence for each kind of stamp."""

    mails: int
    domains: int
    agreeing: int
    certainty: Certainty
    server: str = ""
    lines: tuple[str, ...] = ()
    stamp_kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _TakenIn:
    """One mail: its header, the hosts of the server that took it in, the border's last, and the names and
    methods of the stamps above and below that border."""

    headers: Headers
    domain: str
    hosts: tuple[str, ...]
    above: tuple[tuple[str, frozenset[str]], ...]
    below: tuple[tuple[str, frozenset[str]], ...]


def survey(mails: Iterable[Headers], login_host: str, order_address: str) -> Survey:
    """Look at mails, newest first; `login_host` is the mailbox's server, as in the settings."""
    taken = [mail for headers in mails if (mail := _taken_in(headers)) is not None]
    domains = len({mail.domain for mail in taken})
    stamp_kinds = _stamp_kinds(taken)
    known, agreeing = _known(taken, login_host)
    is_by_login = known is not None and fits(login_host, LOGIN_HOSTS.get(known.key, ()))
    if known is not None:
        certainty = _certainty(len(taken), domains, agreeing) if not is_by_login else Certainty.SURE
        return Survey(len(taken), domains, agreeing, certainty, known.label,
                      (f'provider = "{known.key}"',), stamp_kinds)
    names, hosts, agreeing = _own_server(taken)
    if not names:
        return Survey(len(taken), domains, 0, Certainty.NONE, stamp_kinds=stamp_kinds)
    certainty = _certainty(len(taken), domains, agreeing)
    own_domains = {_registrable(login_host), _registrable(order_address.rpartition("@")[2])}
    # A server of a name that has nothing to do with the site may be a relay in front of it.
    if not own_domains & set(map(_registrable, hosts)):
        certainty = Certainty.LIKELY
    line = (f"stamps = {{ names = {_listed(names)}, border_hosts = {_listed(hosts)}, "
            'stands = "above the Received line" }')
    return Survey(len(taken), domains, agreeing, certainty, " and ".join(hosts), (line,), stamp_kinds)


def fitting(mails: Iterable[Headers], trust: Trust) -> int:
    """The number of mails with stamps that count by these settings."""
    return sum(
        any(own_stamps(headers, provider).stamps for provider in trust.providers) for headers in mails)


def was_taken_in(headers: Headers) -> bool:
    """Whether a mail server took this mail in; drafts and notes have no Received line."""
    return headers.first("received") is not None


def _taken_in(headers: Headers) -> _TakenIn | None:
    values = headers.all("received")
    if not values:
        return None
    lines = [read_received(value) for value in values]
    border = 0
    while border + 1 < len(lines) and _is_inner(lines[border], lines[border + 1], values[border]):
        border += 1
    above: list[tuple[str, frozenset[str]]] = []
    below: list[tuple[str, frozenset[str]]] = []
    passed = 0
    for name, value in headers.fields:
        passed += name == "received"
        if name == "authentication-results":
            stamp = read_stamp(value.decode("utf-8", "replace"))
            methods = frozenset(result.method for result in stamp.results)
            (above if passed <= border else below).append((stamp.authserv_id, methods))
    sender = next(iter(addresses(headers.all("from"))), "")
    hosts = tuple(line.by for line in lines[: border + 1])
    return _TakenIn(headers, _registrable(sender.rpartition("@")[2]), hosts, tuple(above), tuple(below))


def _is_inner(line: Received, following: Received, value: str) -> bool:
    """Whether a server passed the mail on to itself, so that the line below is its own too."""
    if line.is_from_inside:
        return True
    # A delivery by LMTP comes from the same house: servers of strangers speak SMTP (RFC 2033, 5).
    return bool(_LOCAL.search(value)) and bool(line.client) and line.client == following.by


def _known(taken: Sequence[_TakenIn], login_host: str) -> tuple[Provider | None, int]:
    """The preset that fits: by the server one logs in to, else by most mails."""
    by_login = next((provider for provider in PRESETS
                     if fits(login_host, LOGIN_HOSTS.get(provider.key, ()))), None)
    counts = {provider.key: sum(_is_by(mail, provider) for mail in taken) for provider in PRESETS}
    if by_login is not None:
        return by_login, counts[by_login.key]
    best = max(PRESETS, key=lambda provider: counts[provider.key])
    agreeing = counts[best.key]
    return (best, agreeing) if agreeing and agreeing * 2 >= len(taken) else (None, 0)


def _is_by(mail: _TakenIn, provider: Provider) -> bool:
    """Whether a provider took a mail in and stamped it."""
    if not provider.border_hosts:
        return False
    inner = INNER_HOSTS.get(provider.key, ())
    at_top = fits(mail.hosts[0], inner) or any(provider.owns(host) for host in mail.hosts)
    return at_top and bool(own_stamps(mail.headers, provider).stamps)


def _own_server(taken: Sequence[_TakenIn]) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """The names and border hosts of a server that is not a preset, and how many mails agree."""
    with_names = [
        (mail, {name for name, methods in mail.above if name and methods & _JUDGING}) for mail in taken]
    # A name that only some mails have may be that of a scanner, or of one machine of several.
    names = _common([names for _, names in with_names], len(taken))
    agreeing = [mail for mail, stamped in with_names if any(fits(name, names) for name in stamped)]
    hosts = _common([{mail.hosts[-1]} for mail in agreeing if mail.hosts[-1]], len(agreeing))
    return (names, hosts, len(agreeing)) if names and hosts else ((), (), 0)


def _common(sets: Sequence[set[str]], total: int) -> tuple[str, ...]:
    """Names that at least half of `total` have, else patterns of neighbours that do ("*.example.org")."""
    counts = Counter(name for names in sets for name in names if _PLAIN.fullmatch(name))
    common = sorted(name for name, count in counts.items() if count * 2 >= total)
    if common:
        return tuple(common)
    parents = Counter(parent for names in sets for parent in {name.partition(".")[2] for name in names
                                                              if _PLAIN.fullmatch(name)})
    return tuple(sorted(f"*.{parent}" for parent, count in parents.items()
                        if count * 2 >= total and parent == _registrable(parent) and "." in parent))


def _certainty(mails: int, domains: int, agreeing: int) -> Certainty:
    is_sure = agreeing >= FEWEST_MAILS and domains >= FEWEST_SENDERS and agreeing >= AGREEING * mails
    return Certainty.SURE if is_sure else Certainty.LIKELY


def _stamp_kinds(taken: Sequence[_TakenIn]) -> tuple[str, ...]:
    """Who stamped, where, and with which methods, the most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    methods: dict[tuple[str, str], set[str]] = {}
    for mail in taken:
        for place, stamps in (("above", mail.above), ("below", mail.below)):
            for kind in {(_shown(name), place) for name, _ in stamps}:
                counts[kind] += 1
            for name, stamp_methods in stamps:
                methods.setdefault((_shown(name), place), set()).update(stamp_methods)
    return tuple(
        f"{count} of {len(taken)} mails: {name} ({', '.join(map(_shown, sorted(methods[name, place])))}), "
        f"{place} the line of the server" for (name, place), count in counts.most_common(8))


def _shown(name: str) -> str:
    # Senders write these names too: nothing of theirs may steer a terminal.
    if not name:
        return "no name"
    return name if _PLAIN.fullmatch(name) else "an odd name"


def _listed(names: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def _registrable(host: str) -> str:
    """The domain that a person registered ("example.org" of "mx.example.org")."""
    return str(_suffixes().privatesuffix(host.casefold()) or host.casefold())
