"""Which Authentication-Results headers of a mail our own provider wrote.

Headers grow upwards: each server puts its own on top. The border is the Received line by which our provider
took the mail from a stranger; below it the stranger wrote. A mail's header is cut at its Received lines into
sections, and only the sections that the provider can have written are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from service.mail.authentication.domains import fits, organizational_domain
from service.mail.authentication.places import Place
from service.mail.authentication.providers import Provider
from service.mail.authentication.received import Received, is_address, read_received
from service.mail.authentication.stamps import JUDGED, Stamp, read_stamp
from service.mail.headers import Headers

_STAMP = "authentication-results"
_NO_PUBLIC_NAME = re.compile(
    r"\.(?:internal|local|localdomain|localhost|lan|intern|intra|corp|home|private|arpa)$")
"""Hosts under these names are known within one house alone (RFC 6761; RFC 6762, G; RFC 8375; .internal)."""


@dataclass(frozen=True, slots=True)
class OwnStamps:
    """The stamps in the provider's name that count, topmost first.

    `is_exposed`: what the sender wrote stands directly below, so that his own lines may be among them.
    `against`: stamps in the provider's name that prove nothing and may contradict. `elsewhere`: stamps in its
    name that are where only the sender can have written them.
    """

    stamps: tuple[Stamp, ...] = ()
    is_exposed: bool = False
    against: tuple[Stamp, ...] = ()
    elsewhere: int = 0


@dataclass(frozen=True, slots=True)
class _Border:
    """`line`: the number of the border's Received line, from 1 at the top; 0 where there is none. `first`:
    the first line by which the mail may have come from a stranger. `is_own`: whether the provider wrote
    `line`."""

    line: int
    first: int
    is_own: bool


def own_stamps(headers: Headers, provider: Provider) -> OwnStamps:
    """The provider's own stamps in a mail."""
    lines, sections = _sections(headers, provider)
    total = sum(map(len, sections))
    if provider.place is Place.ANYWHERE:
        return OwnStamps(tuple(stamp for section in sections for stamp in section), is_exposed=True)
    border = _border(lines, provider)
    last = border.line
    if provider.place is Place.ABOVE or not border.is_own:
        last -= 1
    # Of several sections the topmost that states anything counts: one host stamps a mail once, and anyone who
    # makes the border look lower than it is, by our own names in HELO and in Received lines of his making,
    # gains nothing.
    chosen = next((number for number in range(last + 1) if any(map(_says, sections[number]))), None)
    if chosen is None:
        return OwnStamps(elsewhere=total)
    is_exposed = chosen >= border.first
    against = () if is_exposed or provider.place is Place.ABOVE else tuple(sections[border.line])
    return OwnStamps(tuple(sections[chosen]), is_exposed, against,
                     total - len(sections[chosen]) - len(against))


def _says(stamp: Stamp) -> bool:
    """Whether a stamp is about the sender at all, and not about BIMI or a virus alone."""
    return not stamp.results or any(result.method in JUDGED for result in stamp.results)


def _sections(headers: Headers, provider: Provider) -> tuple[list[Received], list[list[Stamp]]]:
    """The Received lines, and the stamps in the provider's name above, between and below them."""
    lines: list[Received] = []
    sections: list[list[Stamp]] = [[]]
    for name, value in headers.fields:
        if name == "received":
            lines.append(read_received(value.decode("utf-8", "replace")))
            sections.append([])
        elif name == _STAMP:
            stamp = read_stamp(value.decode("utf-8", "replace"))
            # A stamp that names no one and cannot be read may be Microsoft's own, spoilt by the sender.
            if provider.is_named(stamp.authserv_id):
                sections[-1].append(stamp)
    return lines, sections


def _border(lines: Sequence[Received], provider: Provider) -> _Border:
    if provider.entry_hosts:
        entries = (number for number, line in enumerate(lines, 1) if fits(line.by, provider.entry_hosts))
        # Without such a line the mail never came from outside, or not through this provider. The same where a
        # line above is not the provider's: it may be the real entry, whose client called itself
        # "x(by(mx.example" so that it names no host, and the line that fits was written by the sender.
        entry = next(entries, 0)
        if not all(_is_house(lines, number, provider) for number in range(1, entry)):
            entry = 0
        return _Border(entry, entry, is_own=True)
    first = next((number for number in range(1, len(lines) + 1) if not _is_hop(lines, number, provider)), 0)
    if not first:
        return _Border(0, 0, is_own=not provider.border_hosts)
    last = first
    # A backup server of ours may have handed the mail back to us. Only where nothing but names is known: by
    # his own Received lines in our name a stranger would gain a place for a stamp that our server left out.
    is_own = _is_house(lines, first, provider)
    while is_own and not provider.border_hosts and last < len(lines) and provider.owns(lines[last].by):
        last += 1
    return _Border(last, first, is_own)


def _is_hop(lines: Sequence[Received], number: int, provider: Provider) -> bool:
    """Whether the provider passed the mail from one of its own machines to another, by line `number` (from 1
    at the top) and the one below it."""
    line = lines[number - 1]
    if number == len(lines) or not _is_house(lines, number, provider):
        return False
    below = lines[number]
    if line.client is None:
        # Gmail: "Received: by 2002:a05:... with SMTP id" names no client at all.
        return True
    if provider.border_hosts and _is_foreign(line.by, provider):
        # A mailbox in another domain than the gateways. What takes mail from strangers is in `border_hosts`.
        return _is_handed(line, provider) and (
            below.by in {line.client, line.looked_up} or provider.owns(below.by))
    return _is_house(lines, number + 1, provider) and _is_colleague(line, provider)


def _is_handed(line: Received, provider: Provider) -> bool:
    """Whether a machine of the house handed the mail over, by what the line's writer knew."""
    # The name in HELO counts only where the writer notes no address: anyone who passes the gateway by states
    # it.
    if line.is_delivery or line.is_from_inside:
        return True
    return provider.owns(line.looked_up or "") or (not line.addresses and provider.owns(line.client or ""))


def _is_colleague(line: Received, provider: Provider) -> bool:
    """Whether a line's client is a machine of the provider's, by what its writer knew and not by HELO."""
    if line.is_delivery:
        return True
    if line.addresses:
        is_looked_up = bool(provider.border_hosts) and provider.owns(line.looked_up or "")
        return line.is_from_inside or is_looked_up
    client = line.client or ""
    return "." not in client or provider.owns(client)


def _is_house(lines: Sequence[Received], number: int, provider: Provider) -> bool:
    """Whether the provider's own machine wrote line `number`: by its name, or because it is a machine without
    a public name, or because the line above took the mail from it inside the house, or for want of
    knowledge."""
    host = lines[number - 1].by
    if not host:
        return False
    if not provider.has_hosts or not _is_foreign(host, provider):
        return True
    # The last hop into the mailbox is the provider's: mailbox.org's is under another domain.
    if number == 1:
        return _is_handed(lines[0], provider)
    handed = lines[number - 2]
    is_inside = handed.is_from_inside or handed.is_delivery
    return is_inside and (host in {handed.client, handed.looked_up} or _is_sibling(host, provider))


def _is_sibling(host: str, provider: Provider) -> bool:
    """Whether a host has its domain in common with one of the border's: settings seldom name all hosts."""
    domain = organizational_domain(host)
    return domain is not None and any(
        pattern == domain or pattern.endswith(f".{domain}") for pattern in provider.border_hosts)


def _is_foreign(host: str, provider: Provider) -> bool:
    """Whether a host has a public name that is none of the provider's."""
    is_public = "." in host and not is_address(host) and not _NO_PUBLIC_NAME.search(host)
    return is_public and not provider.owns(host)
