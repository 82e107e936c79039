"""Received lines: who took a mail from whom (RFC 5321, 4.4), as far as a line can be believed.

The host that wrote a line and the address of its client are the writer's knowledge. The name behind "from" is
what the client said in HELO, which a stranger chooses; only where the writer adds the looked-up name in
brackets is it worth something.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

_LETTER = re.compile(r"\\.|[()]|\s+|[^\\()\s]+|\\$")
_ADDRESS = re.compile(r"(?:IPv6:)?([0-9A-Fa-f:.]*[0-9A-Fa-f:])", re.IGNORECASE)
_PIECE = re.compile(r"[^\s()\[\]=,;]+")
_INSIDE = tuple(ipaddress.ip_network(text) for text in (
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16", "100.64.0.0/10",
    "::1/128", "fc00::/7", "fe80::/10"))  # fmt: skip
"""Addresses that are routed nowhere. Python's `is_private` takes in those for documentation as well."""
_LONGEST = 8000


@dataclass(frozen=True, slots=True)
class Received:
    """One Received line. `by`: the host that wrote it. `client`: the name that the client gave, None without
    "from". `looked_up`: the client's name by DNS, if the writer added it. `addresses`: all addresses given
    for the client. `is_delivery`: the writer took the mail by LMTP or from its own store, as only machines of
    one house do (RFC 2033, 5; RFC 3848)."""

    by: str
    client: str | None
    looked_up: str | None
    addresses: tuple[str, ...]
    is_delivery: bool = False

    @property
    def is_from_inside(self) -> bool:
        """Whether the client's address can only be a machine of the same house."""
        # All of them: a stranger may write an address of ours into HELO, but not the one he calls from.
        return bool(self.addresses) and all(is_inside(address) for address in self.addresses)


def is_inside(address: str) -> bool:
    """Whether an IP address is one of a private network, or of the machine itself."""
    parsed = ipaddress.ip_address(address)
    return any(parsed in network for network in _INSIDE if network.version == parsed.version)


def is_address(name: str) -> bool:
    """Whether a host is given by its IP address."""
    return _parsed(name.strip("[]")) is not None


def read_received(value: str) -> Received:
    """A Received header's value. Never raises; what is not there is empty."""
    tokens = _tokens(value[:_LONGEST])
    # The second word may be a client that calls itself "by". One that calls itself "x by mx.a.example" makes
    # a line with two, of which neither is believed.
    places = [place for place, token in enumerate(tokens) if token.casefold() == "by" and place != 1]
    by = places[0] if len(places) == 1 else None
    host = tokens[by + 1] if by is not None and by + 1 < len(tokens) else ""
    host = "" if host.startswith("(") else host.rstrip(".;").casefold()
    is_delivery = by is not None and _is_delivery([token.casefold() for token in tokens], by)
    if not tokens or tokens[0].casefold() != "from":
        return Received(host, None, None, (), is_delivery)
    before = tokens[1 : by if by is not None else len(tokens)]
    client = next((token for token in before if not token.startswith("(")), "")
    remarks = [token for token in before if token.startswith("(")]
    pieces = [piece for token in (client, *remarks) for piece in _PIECE.findall(token)]
    addresses = tuple(address for piece in pieces if (address := _parsed(piece)) is not None)
    return Received(
        host, client.strip("[]").rstrip(".").casefold(), _looked_up(remarks), addresses, is_delivery)


def _tokens(value: str) -> list[str]:
    """Words, and comments in their brackets; one that is never closed holds all that follows."""
    tokens: list[str] = []
    depth = 0
    is_word = False
    for piece in _LETTER.findall(value):
        if depth or (is_word and piece != "(" and not piece.isspace()):
            tokens[-1] += piece
        elif not piece.isspace():
            tokens.append(piece)
        is_word = not depth and piece != "(" and not piece.isspace()
        depth += (piece == "(") - (piece == ")" and depth > 0)
    return tokens


def _is_delivery(words: list[str], by: int) -> bool:
    """Whether the words behind "by" name LMTP, or Exchange's last step into a mailbox."""
    # What a client states in HELO is before; a second "by" or "with" may be part of it.
    if words.count("by") > 1 or words.count("with") > 1:
        return False
    rest = words[by + 1 :]
    protocol = rest[rest.index("with") + 1 : rest.index("with") + 2] if "with" in rest else []
    is_lmtp = any(word.rstrip(";").startswith(("lmtp", "utf8lmtp")) for word in protocol)
    return is_lmtp or "via mailbox transport" in " ".join(rest)


def _looked_up(remarks: list[str]) -> str | None:
    """The name in "(mail.example.org [203.0.113.5])"."""
    # Two of them: one is part of what the client called itself.
    if sum("[" in remark for remark in remarks) != 1 or "forged" in remarks[0].casefold():
        return None
    match = re.match(r"\(\s*([A-Za-z0-9._-]+)\s+\[", remarks[0])
    return None if match is None else match.group(1).rstrip(".").casefold()


def _parsed(text: str) -> str | None:
    match = _ADDRESS.fullmatch(text)
    if match is None:
        return None
    try:
        return str(ipaddress.ip_address(match.group(1)))
    except ValueError:
        return None
