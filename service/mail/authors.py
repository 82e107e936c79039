"""Who wrote a mail by its From field, read strictly (RFC 5322, 3.4 and 3.6.2).

`service.mail.headers.addresses` finds what addresses it can. Here whatever two programs might read
differently is not an address, because the server that proved the From domain and we must mean the same
mailbox. """

from __future__ import annotations

import re
from collections.abc import Sequence

from service.mail.headers import LONGEST_VALUE

_ADDRESS = re.compile(r"[^\s<>()\[\]\",;:@\\]+@[^\s<>()\[\]\",;:@\\.]+(?:\.[^\s<>()\[\]\",;:@\\.]+)*\.?")
_LETTER = re.compile(r"\\.|[^\\]|\\$", re.DOTALL)
_QUOTED_OR_LETTER = re.compile(r'"(?:[^"\\]|\\.)*"|[^"]', re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
UNREADABLE = ""
"""Stands for a mailbox that is meant as one and cannot be read."""


def authors(values: Sequence[str]) -> tuple[str, ...]:
    """The addresses in one or more From fields, as written; UNREADABLE for each that is not a plain address.

    A group, an open quote or comment, an encoded word inside an address, and a quoted local part make it
    UNREADABLE. Never raises; time is linear in the length of `values`.
    """
    return tuple(address for value in values for address in _authors(value))


def _authors(value: str) -> tuple[str, ...]:
    plain = None if len(value) >= LONGEST_VALUE or _CONTROL.search(value) else _without_comments(value)
    if plain is None:
        return (UNREADABLE,)
    addresses: list[str] = []
    for part in _parts(plain):
        address = _address(part)
        if address is not None:
            addresses.append(address)
    return tuple(addresses)


def _without_comments(value: str) -> str | None:
    """Each comment as one blank; None where a comment or a quoted string stays open, or a backslash or
    closing bracket is outside."""
    letters: list[str] = []
    depth = 0
    quoted = False
    for letter in _LETTER.findall(value):
        if quoted:
            quoted = letter != '"'
        elif depth or letter == "(":
            depth += (letter == "(") - (letter == ")")
            letters.append("" if depth else " ")
            continue
        elif letter[0] in {"\\", ")"}:
            return None
        else:
            quoted = letter == '"'
        letters.append(letter)
    return None if depth or quoted else "".join(letters)


def _parts(plain: str) -> list[str]:
    """Cut at commas outside quotes and angle brackets."""
    parts: list[list[str]] = [[]]
    angled = False
    for piece in _QUOTED_OR_LETTER.findall(plain):
        angled = piece == "<" or (angled and piece != ">")
        if piece == "," and not angled:
            parts.append([])
        else:
            parts[-1].append(piece)
    return ["".join(part) for part in parts]


def _address(part: str) -> str | None:
    """The mailbox of one part; None for mere words, such as the family name in "Marl, Hal
    <hal@marl.example>"."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '"', part)
    if "<" in bare:
        before, _, rest = bare.partition("<")
        inner, _, after = rest.partition(">")
        address = inner.strip()
        # "hal@a.example <hal@b.example>": some programs take the first. Only its own address may be there.
        is_plain = not after.strip() and not set(before) & set(":;>") and (
            "@" not in before or before.strip().casefold() == address.casefold())
    elif set(bare) & set("@:;>"):
        is_plain, address = True, bare.strip()
    else:
        return None
    # RFC 2047, 5: encoded words belong to names. One inside an address may be an encoded line break.
    if is_plain and _ADDRESS.fullmatch(address) and "=?" not in address:
        return address.rstrip(".")
    return UNREADABLE
