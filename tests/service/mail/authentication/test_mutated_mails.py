"""Every mail of the corpora, changed in many ways: what a server may write differently changes no verdict,
and nothing that a sender may write makes a mail of his count (BOX-02, BOX-04).

Quick and without chance beyond a fixed seed; `test_forged_stamps.py` has the long drawn ones.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from service.mail.authentication.authenticate import authenticate
from service.mail.authentication.trust import Trust, trust_from_mapping
from service.mail.authors import authors
from service.mail.headers import split_mail
from tests.support.mail_builder import FIXTURES

WORLD = FIXTURES / "world"
_FIELD = re.compile(r"^([!-9;-~]+)[ \t]*:(.*(?:\n[ \t].*)*)", re.MULTILINE)
_STAMP = "authentication-results"
# The site gave its server's name alone, which stamps directly below its own line, and here it left its stamp
# out: the sender's first line then is where the server's would (ADR 0016, "What stays open").
_NO_STAMP_OF_OURS = "t17-encoded-word.eml"
_SENDERS_OWN = ("mime-version", "message-id", "date", "subject", "from", "to", "content-type")


@cache
def _index(folder: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((WORLD / folder / "index.json").read_text(encoding="utf-8"))
    return value


@cache
def _trust(folder: str, provider: str | None) -> Trust:
    index = _index(folder)
    return trust_from_mapping(
        {**index["context"], **{key: index[key] for key in ("providers",) if key in index}}, provider)


Field = tuple[str, str]


def _fields(raw: bytes) -> list[Field]:
    text = raw.decode("utf-8", "surrogateescape").replace("\r\n", "\n").partition("\n\n")[0]
    return [(match[1], match[2].strip(" ")) for match in _FIELD.finditer(text + "\n")]


def _mails() -> Iterator[tuple[str, str, str | None, bool, list[Field]]]:
    """Folder, file, provider, whether it is proved, and its fields; only mails with a single author."""
    for folder in ("providers", "headers", "clients"):
        for case in _index(folder)["cases"]:
            fields = _fields((WORLD / folder / case["file"]).read_bytes())
            is_accepted = case["expect"]["verdict"] == "accepted"
            is_refused = case["expect"].get("reason") == "auth_failed"
            if is_accepted or is_refused:
                yield folder, case["file"], case.get("provider"), is_accepted, fields


MAILS = [pytest.param(*mail, id=mail[1].removesuffix(".eml")) for mail in _mails()]


def _is_proved(folder: str, provider: str | None, fields: list[Field], ending: str = "\r\n") -> bool:
    text = "".join(f"{name}: {value}\n" for name, value in fields).replace("\n", ending) + ending
    headers, _ = split_mail(text.encode("utf-8", "surrogateescape"))
    senders = authors(headers.all("from"))
    return len(senders) == 1 and "@" in senders[0] and authenticate(
        headers, _trust(folder, provider), senders[0].rpartition("@")[2]).is_proved


def _each_stamp(change: Callable[[str], str]) -> Callable[[list[Field]], list[Field]]:
    return lambda fields: [
        (name, change(value) if name.lower() == _STAMP else value) for name, value in fields]


def _each_name(change: Callable[[str], str]) -> Callable[[list[Field]], list[Field]]:
    return lambda fields: [(change(name), value) for name, value in fields]


def _in_two(value: str) -> str:
    """Folded behind each semicolon."""
    return re.sub(r";[ \t]*\n?[ \t]*(?=\S)", ";\n\t", value)


def _with_remarks(value: str) -> str:
    return re.sub(r"\b(dmarc|dkim|spf)=(\w+)", r"\1=\2 (a remark \\) with (a nested one))", value)


def _capitals(value: str) -> str:
    return re.sub(r"\b(dmarc|dkim|spf)=(\w+)", lambda match: match[0].upper(), value)


HARMLESS: dict[str, Callable[[list[Field]], list[Field]]] = {
    "names in capitals": _each_name(str.upper),
    "names in small letters": _each_name(str.lower),
    "stamps folded": _each_stamp(_in_two),
    "stamps on one line": _each_stamp(lambda value: re.sub(r"\s*\n\s+", " ", value)),
    "blanks doubled": _each_stamp(lambda value: value.replace("; ", ";   ")),
    "remarks": _each_stamp(_with_remarks),
    "methods in capitals": _each_stamp(_capitals),
    "an unknown method": _each_stamp(lambda value: f"{value.rstrip().rstrip(';')}; x-new=pass policy.x=1"),
    "domain in capitals": _each_stamp(
        lambda value: re.sub(r"(header\.(?:from|d|i)=)(\S+)", lambda m: m[1] + m[2].upper(), value)),
    "author in capitals": lambda fields: [
        (name, value.upper() if name.lower() == "from" else value) for name, value in fields],
    "other fields between": lambda fields: [
        field for name, value in fields for field in (("X-Trace", "1"), (name, value))],
    "a stranger's stamp on top": lambda fields: [
        (_STAMP, "scanner.other.example; dmarc=fail header.from=x.example"), *fields],
    "sealed by a list": lambda fields: [
        ("ARC-Authentication-Results", "i=1; mx.other.example; dmarc=fail header.from=x.example"), *fields],
}


@pytest.mark.parametrize(("folder", "file", "provider", "is_proved", "fields"), MAILS)
def test_what_a_server_may_write_differently_changes_nothing(
    folder: str, file: str, provider: str | None, is_proved: bool, fields: list[Field]
) -> None:
    assert _is_proved(folder, provider, fields) is is_proved
    assert _is_proved(folder, provider, fields, "\n") is is_proved
    for change, made in HARMLESS.items():
        assert _is_proved(folder, provider, made(list(fields))) is is_proved, change


def _author(fields: list[Field]) -> str:
    value = next(value for name, value in fields if name.lower() == "from")
    return authors([value.replace("\n", " ")])[0].rpartition("@")[2]


def _good_stamps(provider: str | None, folder: str, domain: str) -> list[str]:
    """Stamps in the trusted names that a forger would write for `domain`."""
    index = _index(folder)
    habits = index.get("providers", {}).get(provider or "", {})
    names = [name.replace("*", "mx7") for name in habits.get("names", [])]
    names.append(index["context"].get("trusted_authserv_id") or "mx.other.example")
    results = f"dkim=pass header.d={domain} header.i=@{domain}; spf=pass smtp.mailfrom={domain}"
    whole = [f"{name}; {results}; dmarc=pass header.from={domain}" for name in names if name]
    alone = [f"{name}; dmarc=pass header.from={domain}" for name in names if name]
    return [*whole, *alone, f"{results}; dmarc=pass action=none header.from={domain};compauth=pass"]


def _senders_part(fields: list[Field]) -> int:
    """Where what the sender wrote begins: behind the last Received line of the mail's top, and no later than
    the first field of the message itself."""
    names = [name.lower() for name, _ in fields]
    return next(number for number, name in enumerate(names) if name in _SENDERS_OWN)


def _forgeries(fields: list[Field], stamps: list[str], dice: random.Random) -> Iterator[list[Field]]:
    """The mail with what its sender can write: fields in his part, in any number, order and disguise."""
    start = _senders_part(fields)
    top, rest = fields[:start], fields[start:]
    received = ("Received", "from x (x [10.0.0.3]) by mx.other.example with LMTP id 1; date")
    for stamp in stamps:
        yield [*top, (_STAMP, stamp), *rest]
        yield [*top, received, (_STAMP, stamp), *rest]
        yield [*top, (_STAMP, stamp), received, *rest]
        yield [*fields, (_STAMP, stamp)]
        yield [*top, ("Subject", f"x\n {_STAMP}: {stamp}"), *(f for f in rest if f[0].lower() != "subject")]
        yield [*top, ("X-Note", f'"\n\t{_STAMP}: {stamp}'), *rest]
        yield [*top, ("Received", f"from x (\n\t{_STAMP}: {stamp}) by mx.other.example; date"), *rest]
    for _ in range(12):
        extra = [dice.choice([(_STAMP, dice.choice(stamps)), received, ("X-Trace", "1"),
                              ("ARC-Authentication-Results", "i=1; " + dice.choice(stamps)),
                              ("X-ME-Authentication-Results", dice.choice(stamps))])
                 for _ in range(dice.randint(1, 5))]
        mixed = [*rest]
        for field in extra:
            mixed.insert(dice.randint(0, len(mixed)), field)
        yield [*top, *mixed]


@pytest.mark.parametrize(
    ("folder", "file", "provider", "is_proved", "fields"),
    [mail for mail in MAILS if not mail.values[3] and mail.values[1] != _NO_STAMP_OF_OURS])
def test_nothing_that_a_sender_writes_makes_a_refused_mail_count(
    folder: str, file: str, provider: str | None, is_proved: bool, fields: list[Field]
) -> None:
    stamps = _good_stamps(provider, folder, _author(fields))
    for forged in _forgeries(fields, stamps, random.Random(file)):
        assert not _is_proved(folder, provider, forged), forged


DISGUISES: dict[str, Callable[[str], list[Field]]] = {
    "a second From": lambda own: [("From", own), ("From", "eve@attacker.example")],
    "From first of two": lambda own: [("From", "eve@attacker.example"), ("From", own)],
    "two mailboxes": lambda own: [("From", f"{own}, eve@attacker.example")],
    "a group": lambda own: [("From", f"players: {own};")],
    "an empty group": lambda own: [("From", f"{own}, nobody:;")],
    "a quoted local part": lambda own: [("From", f'"x, {own}"@attacker.example')],
    "an open quote": lambda own: [("From", f'"Hal <eve@attacker.example>, {own}')],
    "a route": lambda own: [("From", f"<@attacker.example:{own}>")],
    "nothing": lambda own: [("From", "")],
    "two in brackets": lambda own: [("From", f"<eve@attacker.example> <{own}>")],
    "an encoded word": lambda own: [("From", f"=?utf-8?q?{own.replace('@', '=40')}?=")],
    "a second Subject": lambda own: [("From", own), ("Subject", "y")],
    "a second Date": lambda own: [("From", own), ("Date", "y"), ("Date", "z")],
    "a second Content-Type": lambda own: [
        ("From", own), ("Content-Type", "text/plain"), ("Content-Type", "image/png")],
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_proved_mail_with_two_readings_is_nobodys(disguise: str) -> None:
    for folder, file, provider, is_proved, fields in _mails():
        if not is_proved:
            continue
        own = authors([next(value for name, value in fields if name.lower() == "from").replace("\n", " ")])[0]
        others = [field for field in fields if field[0].lower() != "from"]
        assert not _is_proved(folder, provider, [*others, *DISGUISES[disguise](own)]), file
