"""What `galloper verify` checks of letters that somebody kept: receipts, roots and seeds are as mailed, and
photographs are the ones entered."""

from __future__ import annotations

import email
import email.policy
import email.utils
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from itertools import chain

from service.archive.archive_file import Archive, VerifyReport
from service.archive.conduct.facts import instant
from service.archive.conduct.sheets import TRANSIT
from service.archive.conduct.telling import RESULTS, expected
from service.archive.pooled_letters import Places, check_words, note_place
from service.archive.receipts import (
    Signature,
    check_key_of_welcome,
    check_signature,
    proof_of,
    receipt_signature,
)
from service.archive.verify_game import judged_phases
from service.facts.events import Event
from service.letters.language import ENGLISH, LANGUAGES, language, wordings
from service.store.signatures import Statement

_HEX = r"\s+(?P<digest>[0-9a-f]{64})\b"
_RECEIPT = "On record in %(game)s as entry %(number)s, received %(stamp)s, with this digest:"
_ROOTS = tuple(
    f"The record of %(game)s has %(number)s entries up to {event}, with this root:"
    for event in ("these results", "this hand-over", "this welcome", "this receipt")
)
_LOTS = "The lots of %(season)s (phase %(number)s) will be drawn from a seed with this digest:"
_SHEETS_MIXED = "Mixed in: the digests of all mails with sheets that come by the deadline."
_BEACON_MIXED = ("Mixed in: the first round of the public beacon (drand, chain %(chain)s) from ten minutes "
                 "after the deadline on.")
_COUNTED = "%(power)s, %(version)s, fingerprint %(digest)s"
_ANNOUNCED = "All players of %(game)s should know of these entries, up to entry %(number)s: %(entries)s."
_NO_VERSION, _VERSION = "without a version number", "version %(number)s"
# The fingerprint is the first 12 digits of the SHA-256 of the mail.
_MARK = r"(?P<mark>[0-9a-f]{4} [0-9a-f]{4} [0-9a-f]{4})"
_PROVING = {"receipt": _RECEIPT, "welcome": _ROOTS[2], "handover": _ROOTS[1],
            **dict.fromkeys((kind.replace("_", "") for kind in RESULTS if kind != "adjustment"), _ROOTS[0])}
"""Letters that prove something, by the beginning of their Message-ID, and the sentence that they have."""
_OPENED = re.compile(r"drawn in phase (?P<phase>\d+), from the seed" + _HEX)


def check_letter(
    archive: Archive, name: str, data: bytes, report: VerifyReport, places: Places | None = None
) -> None:
    """Check one mail that a player received or sent. A letter of another game is ignored. `places`: what
    letters of several players tell, to which this one's is added."""
    message = email.message_from_bytes(data, policy=email.policy.default)
    text, games = _plain_text(message), _game_names_pattern(archive)
    receipts = list(_matches(
        text, wordings(_RECEIPT), game=games, number=r"(?P<n>\d+)", stamp=r"(?P<stamp>\S+)"))
    before = len(report.faults) + len(report.confirmations) + len(report.notes)
    for match in receipts:
        if places is not None:
            note_place(places, "sheet", int(match["n"]), match["digest"], name)
        receipt = _Receipt(name, int(match["n"]), match["stamp"], match["digest"])
        worth = _signature(archive, receipt, text, games, message, report)
        _check_receipt(archive, receipt, report, message, worth)
    check_key_of_welcome(archive, name, text, games, report)
    roots = [match for root in _ROOTS
             for match in _matches(text, wordings(root), game=games, number=r"(?P<n>\d+)")]
    for match in roots:
        if places is not None:
            note_place(places, "root", int(match["n"]), match["digest"], name)
        check_words(name, int(match["n"]), match["digest"], text[match.end():], report)
        if not _check_root(archive, name, int(match["n"]), match["digest"], report, message):
            # What it says is of entries that are no more, and other entries have their numbers now.
            return
        # A player's own mails prove what arrived, not that the version named is the one that counted.
        _check_counted(archive, name, int(match["n"]), text, report)
        _check_announced(archive, name, int(match["n"]), text, report)
    _check_arrival(archive, name, message, [int(match["n"]) for match in roots], report)
    if roots:
        _check_seeds(archive, name, text, report)
    _check_photographs(archive, name, message, report)
    _check_what_is_missing(archive, name, message, text, report)
    if before == len(report.faults) + len(report.confirmations) + len(report.notes):
        report.notes.append(_nothing_in(name, message, text))


def entries_named(data: bytes, names: Iterable[str]) -> list[int]:
    """The numbers of the entries that a letter of a game names, in receipts and as ends of its record."""
    text = _plain_text(email.message_from_bytes(data, policy=email.policy.default))
    games = _any_of(names)
    receipts = _matches(
        text, wordings(_RECEIPT), game=games, number=r"(?P<n>\d+)", stamp=r"(?P<stamp>\S+)")
    roots = (match for root in _ROOTS
             for match in _matches(text, wordings(root), game=games, number=r"(?P<n>\d+)"))
    return [int(match["n"]) for match in chain(receipts, roots)]


def check_own_letters(archive: Archive, report: VerifyReport) -> None:
    """The letters of a whole archive agree with its chain (C15); only what does not is noted."""
    if archive.format < 2:
        return
    letters_report = VerifyReport()
    for key, data in archive.letters.items():
        check_letter(archive, f"letter {key[:12]}", data, letters_report)
    faults = letters_report.faults
    # One sentence for all: a root that is another is in the letters of every player.
    more = f" So are {len(faults) - 1} other sentences of its letters." if len(faults) > 1 else ""
    report.faults += [f"{faults[0]}{more}"] if faults else []


def _matches(
    text: str, messages: Iterable[str], *, after: str = _HEX, **blanks: str
) -> Iterator[re.Match[str]]:
    """Where a text has one of some messages, followed by `after`. Each blank is a pattern by its name."""
    for message in messages:
        pieces = re.split(r"%\((\w+)\)s", message)
        # Every second piece is the name of a blank.
        pattern = "".join(blanks[piece] if index % 2 else re.escape(piece)
                          for index, piece in enumerate(pieces))
        yield from re.finditer(pattern + after, text)


def _counted(text: str) -> set[tuple[str, str]]:
    """The versions that a letter with results names as counted, each with its fingerprint."""
    named = set()
    # Older letters call the fingerprint a mark.
    for code in LANGUAGES:
        words = language(code)
        numbered = re.escape(words.say(_VERSION, number="").strip()) + r" (?P<number>\d+)"
        versions = (re.escape(words.say(_NO_VERSION)), numbered)
        messages = [words.catalogue.gettext(_COUNTED)]
        if code == ENGLISH:
            messages.append("%(power)s, %(version)s, mark %(digest)s")
        for match in _matches(text, [message.partition("%(power)s, ")[2] for message in messages], after="",
                              version=f"(?:{'|'.join(versions)})", digest=_MARK):
            version = _NO_VERSION if match["number"] is None else f"version {match['number']}"
            named.add((version, match["mark"].replace(" ", "")))
    return named


def _game_names_pattern(archive: Archive) -> str:
    """A pattern of what letters call the game: each name that it ever had, and its short one, as older
    letters have it."""
    names = [
        str(archive.manifest["game"]),
        *(str(tells["name"]) for _, tells in archive.open_entries("game")),
    ]
    return _any_of(names)


def _any_of(names: Iterable[str]) -> str:
    return f"(?:{'|'.join(re.escape(' '.join(name.split())) for name in dict.fromkeys(names))})"


def _plain_text(message: EmailMessage) -> str:
    body = message.get_body(("plain", "html"))
    # Letters are wrapped at any blank, so patterns see one long line.
    return " ".join(str(body.get_content()).split()) if body is not None else ""


def _archive_is_older(archive: Archive, name: str, number: int) -> str:
    return (f"The archive is older than {name}: it ends at entry {len(archive.entries)}, and the letter "
            f"names entry {number}. Restore a newer backup.")


@dataclass(frozen=True, slots=True)
class _Receipt:
    """What a receipt says of a sheet: the number of its entry, its time, and its leaf; `name` of the
    letter."""

    name: str
    number: int
    stamp: str
    leaf: str


def _signature(
    archive: Archive, receipt: _Receipt, text: str, games: str, message: EmailMessage, report: VerifyReport
) -> Signature:
    """What a receipt's signature is worth; what is wrong with it is a fault (C21)."""
    if archive.format < 2:
        return Signature.UNKNOWN
    roots = [match["digest"] for root in _ROOTS
             for match in _matches(text, wordings(root), game=games, number=str(receipt.number))]
    signature_words = receipt_signature(text, games, roots[0] if roots else "")
    entry = archive.entries[receipt.number - 1] if 1 <= receipt.number <= len(archive.entries) else None
    mail = str((proof_of(message) or {}).get("mail", ""))
    if not mail and entry is not None and entry.kind == "sheet":
        mail = str(entry.facts["mail"])
    statement = Statement(str(archive.manifest["game"]), receipt.number, receipt.leaf,
                          roots[0] if roots else "", receipt.stamp, mail)
    worth, sentence = check_signature(archive, statement, signature_words)
    if sentence:
        report.faults.append(f"Entry {receipt.number}: the receipt {receipt.name} {sentence}. (rule C21)")
    return worth


def _check_receipt(
    archive: Archive, receipt: _Receipt, report: VerifyReport, message: EmailMessage, worth: Signature
) -> None:
    name, number, stamp = receipt.name, receipt.number, receipt.stamp
    if (restore := _lost(archive, number, message)) is not None and (
        number > len(archive.entries) or archive.entries[number - 1].leaf != receipt.leaf
    ):
        report.notes.append(f"{name}: entry {number}, a sheet received {stamp}, was lost by the restore of "
                            f"entry {restore}.")
        return
    if not 1 <= number <= len(archive.entries):
        report.faults.append(_archive_is_older(archive, name, number))
        return
    entry = archive.entries[number - 1]
    if entry.leaf != receipt.leaf:
        signer_note = " Its signature is the keeper's own." if worth is Signature.VALID else ""
        report.faults.append(f"Entry {number} is not the one that the receipt {name} names.{signer_note}")
    # In the players' archive the entry may be closed; then its leaf is all there is to compare.
    elif entry.body is None and entry.head is not None and archive.format > 1 and (
        not entry.head.startswith("sheet ") or _is_over(archive, entry.head)
    ):
        report.faults.append(f"Entry {number} is closed, though {name} is a receipt for it and its phase "
                             "is over. (rule C16)")
    elif entry.body is not None and (entry.kind, entry.facts.get("received")) != ("sheet", stamp):
        report.faults.append(f"Entry {number} is no sheet received at the time that the receipt {name} "
                             f"names.")
    else:
        tells = entry.facts
        whose = f", of {tells['power']}, version {tells['version']}" if tells else ""
        signed = ", signed" if worth is Signature.VALID else ""
        report.confirmations.append(f"{name}: entry {number} is the sheet of this receipt, received "
                                    f"{stamp}{whose}{signed}.")


def _check_what_is_missing(
    archive: Archive, name: str, message: EmailMessage, text: str, report: VerifyReport
) -> None:
    """C21: a letter of this game by which something is proved names its entry or its root."""
    # The record of format 1 began in the middle of games: their letters may have none.
    if archive.format < 2 or not _is_letter_of(archive, message):
        return
    kind = str(message["Message-ID"] or "").strip().lstrip("<").partition(".")[0]
    wanted = _PROVING.get(kind)
    games = _game_names_pattern(archive)
    if wanted is not None and not any(_matches(
        text, wordings(wanted), game=games, number=r"\d+", stamp=r"\S+")
    ):
        report.faults.append(f"The record, up to entry {len(archive.entries)}: {name} is a {kind} of this "
                             "game and names no place in its record. (rule C21)")


def _is_letter_of(archive: Archive, message: EmailMessage) -> bool:
    """Whether a letter's List-Id is that of this game, by any name that it had."""
    slug = str(message["List-Id"] or "").strip().lstrip("<").partition(".")[0]
    names = {str(tells["name"]) for _, tells in archive.open_entries("game")}
    return slug in {re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "game" for name in names}


def _nothing_in(name: str, message: EmailMessage, text: str) -> str:
    """Why nothing of a file was checked: no silence about what somebody shows."""
    if not (message["From"] or message["Subject"] or message["Date"]):
        return f"{name} is no mail. Nothing of it was checked."
    others = sorted({match["other"] for pattern in (_RECEIPT, _ROOTS[0]) for match in _matches(
        text, wordings(pattern), game=r"(?P<other>.{1,200}?)", number=r"\d+", stamp=r"\S+")})
    if others:
        about = ", ".join(map(repr, others))
        return f"{name} is about the record of {about}, another game. Nothing of it was checked."
    return f"{name} names no place in the record. Nothing of it was checked."


def _is_over(archive: Archive, head: str) -> bool:
    return any(tells["state"] == "sent" and f"sheet {tells['phase']}" == head
               for _, tells in archive.open_entries("phase"))


def _lost(archive: Archive, number: int, message: EmailMessage) -> int | None:
    """The entry of a restore by which an entry that a letter names may have been lost; None if there is
    none."""
    try:
        written = email.utils.parsedate_to_datetime(str(message["Date"])).astimezone(UTC)
    except ValueError:
        return None
    for entry in archive.entries:
        if (entry.kind == "event" and entry.facts["event"] == Event.RESTORED and entry.body is not None
                and entry.number <= number and datetime.fromisoformat(entry.body["entered"]) >= written):
            return entry.number
    return None


def _check_root(
    archive: Archive, name: str, number: int, digest: str, report: VerifyReport, message: EmailMessage
) -> bool:
    """Compare a root with the chain; False if a restore lost what the letter is about."""
    if (restore := _lost(archive, number, message)) is not None and (
        number > len(archive.entries) or archive.entries[number - 1].link != digest
    ):
        report.notes.append(f"{name}: the record up to entry {number} was lost by the restore of entry "
                            f"{restore}.")
        return False
    if not 1 <= number <= len(archive.entries):
        report.faults.append(_archive_is_older(archive, name, number))
    elif archive.entries[number - 1].link != digest:
        report.faults.append(f"The record up to entry {number} is not the one whose root {name} names.")
    else:
        report.confirmations.append(f"{name}: the record up to entry {number} is the one mailed.")
    return True


def _check_counted(archive: Archive, name: str, number: int, text: str, report: VerifyReport) -> None:
    """The versions that a results letter names as those that counted are the executed sheets of the judging
    it names."""
    named = _counted(text)
    executed = next(
        (
            tells.get("executed")
            for entry_number, tells in archive.open_entries("judged")
            if entry_number == number
        ),
        None,
    )
    if not named or executed is None:
        return
    sheets = [archive.last_before("sheet", number, sheet=key) or {} for key in executed.values()]
    right = {
        (
            f"version {sheet['version']}" if sheet["version"] is not None else "without a version number",
            sheet["mail"][:12],
        )
        for sheet in sheets
        if sheet.get("mail")
    }
    if named == right:
        report.confirmations.append(f"{name}: the versions that it names as counted are those of entry "
                                    f"{number}.")
    else:
        report.faults.append(f"Entry {number} executed other sheets than {name} says.")


def _check_announced(archive: Archive, name: str, number: int, text: str, report: VerifyReport) -> None:
    """C15: results tell of each entry that was made by hand, late, or against the usual way."""
    wanted = expected(archive, number) if archive.format > 1 else None
    if not wanted:
        return
    named = {int(entry) for match in _matches(text, wordings(_ANNOUNCED), game=_game_names_pattern(archive),
        after="",
                                              number=str(number), entries=r"(?P<entries>[\d, ]+)")
             for entry in match["entries"].replace(",", " ").split()}
    for entry in sorted(wanted - named):
        report.faults.append(f"Entry {entry}: {name} has the results up to entry {number} and does not "
                             "tell of it. (rule C15)")
    for entry in sorted(wanted & named):
        report.notes.append(f"Entry {entry} was made by hand, late, or against the usual way; {name} tells "
                            "of it.")


def _check_arrival(
    archive: Archive, name: str, message: EmailMessage, numbers: Iterable[int], report: VerifyReport
) -> None:
    """C14: what a letter names was entered before the letter reached its player, whose own mail server wrote
    down when that was; and results come after their deadline."""
    try:
        line = str(message["Received"] or "").rpartition(";")[2].strip()
        came = email.utils.parsedate_to_datetime(line).astimezone(UTC) + TRANSIT
    except ValueError:
        return
    for number in numbers:
        entry = archive.entries[number - 1] if number <= len(archive.entries) else None
        if entry is None or entry.body is None:
            continue
        clock = archive.last_before("phase", number, phase=entry.facts.get("phase")) or {}
        if instant(str(entry.body["entered"])) > came or (
            entry.kind == "judged" and instant(str(clock["deadline"])) > came
        ):
            report.faults.append(f"Entry {number}: {name} names it and came at {line}, before it was entered "
                                 "or before its deadline. (rule C14)")


def _check_seeds(archive: Archive, name: str, text: str, report: VerifyReport) -> None:
    over = judged_phases(archive)
    for match in _matches(text, wordings(_LOTS), season=r".{0,80}?", number=r"(?P<phase>\d+)"):
        phase = int(match["phase"])
        entered = any(
            tells["phase"] == phase and tells["lots"] == match["digest"] for _,
            tells in archive.open_entries("phase")
        )
        opened = str(over[phase][1]["lots"]["seed"]) if phase in over else None
        if not entered or (
            opened is not None and hashlib.sha256(opened.encode()).hexdigest() != match["digest"]
        ):
            where = (
                f"Entry {over[phase][0]}"
                if phase in over
                else f"The record, up to entry {len(archive.entries)}"
            )
            report.faults.append(f"{where}: the seed of phase {phase} is not the one committed in {name}.")
        elif _mixed(text[match.end():].lstrip()) != _planned(archive, phase):
            report.faults.append(f"The record, up to entry {len(archive.entries)}: the lots of phase {phase} "
                                 f"are not mixed as {name} says. (rule C23)")
        elif opened is not None:
            report.confirmations.append(f"{name}: the lots of phase {phase} come from the seed whose digest "
                                        f"it names.")
    for match in _OPENED.finditer(text):
        phase = int(match["phase"])
        if phase not in over or over[phase][1]["lots"]["seed"] != match["digest"]:
            report.faults.append(f"The lots of phase {phase} are not from the seed that {name} opens.")


def _mixed(text: str) -> str | None:
    """What a letter says, right behind the digest of a seed, is mixed in: "" the sheets, or the chain of a
    beacon; None where it says nothing, as of phases of rule 1."""
    if any(text.startswith(words) for words in wordings(_SHEETS_MIXED)):
        return ""
    for match in _matches(text, wordings(_BEACON_MIXED), after="", chain=r"(?P<chain>[0-9a-f]{64})"):
        if match.start() == 0:
            return match["chain"]
    return None


def _planned(archive: Archive, phase: int) -> str | None:
    """What the record says of the same."""
    plans = (tells.get("draw") for _, tells in archive.open_entries("phase") if tells["phase"] == phase)
    plan = next(plans, None)
    return None if plan is None else str((plan["beacon"] or {"chain": ""})["chain"])


def _check_photographs(archive: Archive, name: str, message: EmailMessage, report: VerifyReport) -> None:
    sheets = {
        key: (number, tells)
        for number, tells in archive.open_entries("sheet")
        for key in tells["photographs"]
    }
    # A mail that its sender kept has the photograph itself.
    for part in message.walk():
        data = part.get_payload(decode=True)
        sheet = sheets.get(hashlib.sha256(data).hexdigest()) if isinstance(data, bytes) else None
        if sheet is not None:
            number, tells = sheet
            report.confirmations.append(
                f"{name}: {part.get_filename() or 'its photograph'} is on the sheet of entry {number}, "
                f"received {tells['received']}."
            )
