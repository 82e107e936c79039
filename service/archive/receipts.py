"""What `galloper verify` checks of a signed receipt: with the archive (rule C21), and alone with the sheet
that a player kept (`galloper verify --receipt`)."""

from __future__ import annotations

import email
import email.policy
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from enum import Enum
from typing import Any

from service.archive.archive_file import Archive, VerifyReport
from service.letters.language import wordings
from service.letters.render import PROOF
from service.store.digests import canonical, head, headed, inner, link
from service.store.signatures import Statement, fingerprint, is_signed

_SIGNED = "Signed with the key of %(game)s, fingerprint %(fingerprint)s:"
_WELCOME_KEY = "Receipts of %(game)s are signed with a key of this fingerprint: %(fingerprint)s."
_FINGERPRINT = r"(?P<fingerprint>(?:[0-9a-f]{4} ){3}[0-9a-f]{4})"
ADVICE = "Compare the key's fingerprint with that of your welcome or of any map."


class Signature(Enum):
    """What a receipt's signature is worth."""

    VALID = "valid"
    MISSING = "missing"
    FALSE = "false"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ReceiptSignature:
    """What a receipt says of its signature: the key's fingerprint, the signature, and the root of that
    moment."""

    fingerprint: str
    signature: str
    root: str


def proof_of(message: EmailMessage) -> dict[str, Any] | None:
    """The file `receipt.json` of a letter; None if there is none that can be read."""
    for part in message.walk():
        if part.get_filename() == PROOF:
            try:
                data = part.get_payload(decode=True)
                proof = json.loads(data if isinstance(data, bytes) else b"")
            except ValueError:
                return None
            return proof if isinstance(proof, dict) else None
    return None


def _pattern(message: str, game: str, after: str) -> str:
    pieces = re.split(r"%\((\w+)\)s", message)
    blanks = {"game": game, "fingerprint": _FINGERPRINT}
    return "".join(blanks[piece] if index % 2 else re.escape(piece)
                   for index, piece in enumerate(pieces)) + after


def receipt_signature(text: str, games: str, root: str) -> ReceiptSignature | None:
    """What the text of a receipt, in one line, says of its signature."""
    for message in wordings(_SIGNED):
        match = re.search(_pattern(message, games, r"\s+(?P<signature>[0-9a-f]{128})\b"), text)
        if match is not None:
            return ReceiptSignature(match["fingerprint"], match["signature"], root)
    return None


def check_signature(
    archive: Archive, statement: Statement, signature_words: ReceiptSignature | None
) -> tuple[Signature, str]:
    """What the signature of a receipt is worth by the keys on record, and a sentence for what is wrong."""
    keys = [(number, str(tells["public"])) for number, tells in archive.open_entries("key")]
    if signature_words is None:
        before = [number for number, _ in keys if number < statement.number]
        if not before:
            return Signature.UNKNOWN, ""
        return Signature.MISSING, ("is not signed, though the game's key was on record from entry "
                                   f"{before[0]} on: the site did not write it so")
    named = [key for _, key in keys if fingerprint(key) == signature_words.fingerprint]
    if not named:
        return Signature.FALSE, "is signed with a key that is not on record"
    if not any(is_signed(key, statement, signature_words.signature) for key in named):
        return Signature.FALSE, "has a signature that is not of the game's key: the site did not write it so"
    return Signature.VALID, ""


def check_key_of_welcome(archive: Archive, name: str, text: str, games: str, report: VerifyReport) -> None:
    """The fingerprint in a welcome is that of a key on record (C21)."""
    keys = {fingerprint(str(tells["public"])) for _, tells in archive.open_entries("key")}
    for message in wordings(_WELCOME_KEY):
        for match in re.finditer(_pattern(message, games, ""), text):
            if match["fingerprint"] in keys:
                report.confirmations.append(f"{name}: the key of receipts is the one on record.")
            else:
                report.faults.append(f"The record, up to entry {len(archive.entries)}: the key that {name} "
                                     "names is not on record. (rule C21)")


def verify_receipt(name: str, data: bytes, sheets: Sequence[tuple[str, bytes]], report: VerifyReport) -> None:
    """Check a receipt alone, with the mails or photographs that its player kept."""
    message = email.message_from_bytes(data, policy=email.policy.default)
    proof = proof_of(message)
    if proof is None:
        report.faults.append(f"{name} has no file {PROOF} that can be read: it is no signed receipt, or the "
                             "file was lost on its way.")
        return
    try:
        statement = Statement(str(proof["game"]), int(proof["entry"]), str(proof["leaf"]), str(proof["root"]),
                              str(proof["received"]), str(proof["mail"]))
        body, facts = canonical(proof["body"]), proof["body"]["tells"]
        leaf = headed(head(proof["body"]), inner(str(proof["salt"]), body))
        root = link(str(proof["before"]), statement.number, leaf)
        public, signature = str(proof["key"]), str(proof["signature"])
        photographs = list(facts["photographs"])
        sheet_arrival = str(facts["received"]), str(facts["mail"] or "-")
        mark = fingerprint(public)
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        report.faults.append(f"{PROOF} of {name} has another form than a receipt's ({type(fault).__name__}).")
        return
    if not is_signed(public, statement, signature):
        report.faults.append(f"The signature of {name} is false: it was changed, or the site did not write "
                             "it.")
    if leaf != statement.leaf or root != statement.root:
        report.faults.append(f"Entry {statement.number}: salt and body in {name} do not give its digest or "
                             "root.")
    if sheet_arrival != (statement.received, statement.mail):
        report.faults.append(f"Entry {statement.number}: {name} signs another mail or time than its entry "
                             "has.")
    if report.faults:
        return
    report.confirmations.append(
        f"{name}: the keeper of {statement.game} signed that a sheet of {facts['power']} for phase "
        f"{facts['phase']}, version {facts['version']}, was received {statement.received}, as entry "
        f"{statement.number}. Key {mark}. {ADVICE}")
    for sheet, content in sheets:
        _check_sheet(sheet, content, statement, photographs, report)


def _check_sheet(
    name: str, data: bytes, statement: Statement, photographs: Sequence[str], report: VerifyReport
) -> None:
    message = email.message_from_bytes(data, policy=email.policy.compat32)
    parts = [part.get_payload(decode=True) for part in message.walk()]
    digests = {hashlib.sha256(part).hexdigest() for part in (data, *parts) if isinstance(part, bytes)}
    if statement.mail in digests:
        report.confirmations.append(f"{name}: this is the mail, to the last byte.")
    elif count := len(digests & set(photographs)):
        report.confirmations.append(f"{name}: {count} of the {len(photographs)} photographs of that sheet "
                                    f"{'is' if count == 1 else 'are'} in it.")
    else:
        report.faults.append(f"{name} has none of the photographs of entry {statement.number}.")
