"""Check a game's archive against itself, against the letters you kept, and against the judge.

    python3 verify_record.py ARCHIVE [LETTER.eml ...]     (the letters of several players together)
    python3 verify_record.py --receipt RECEIPT.eml [SHEET.eml or PHOTOGRAPH ...]
    python3 verify_record.py --stamps ARCHIVE FOLDER      (the time stamps as files, for openssl)

It is one file that needs Python's standard library alone, so that a player can read all of it and run it
(TRU-08). It prints all that it notices, the worst first, in four kinds of sentence (TRU-12). If the program
`galloper` is installed, that judges every phase again. docs/record.md describes the format; the rules C1 to
C25, about the conduct of the record's keeper, have the same numbers there. The parts, each with its first
function and the rules that it checks:

    1. Words that every part uses                                    sha
    2. The record: its chain, its files, its entries                 Entry            C20
    3. Lots                                                          check_lots       C23
    4. Signatures                                                    add
    5. What a letter proves                                          words_of         C14 to C16, C21 to C23
    6. The conduct of the keeper, a function for each rule or two    check_conduct    C1 to C21, C23 to C25
    7. The judge, the seal, the names of the letters                 judge_again
    8. The program: everything in its turn                           read_record
"""

import base64
import email
import email.header
import email.policy
import email.utils
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

# 1. Words that every part uses. ------
FOLDERS = ("photographs", "pictures", "mails", "letters")
OTHER_FILES = ("README.txt", "words.txt", "manifest.json", "record.jsonl", "tables.jsonl")
README = "34b2d660b04d72450901a667410a899ce712b429399ce4b379a88df850778cb5"
"""The digest of the README.txt in every archive, and that of its words.txt, BIP 39, which names roots."""
WORDS = "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda"
Facts = list[tuple[int, dict[str, Any]]]  # what entries of one kind say, each with its number
Letters = list[tuple[str, bytes]]  # mails with the names of their files
sentences: list[str] = []  # every sentence that is no alarm
tell = sentences.append
ALARM = "NOT AS IT SHOULD BE: "
TOLD, MACHINE, UNPROVED = "To know, told: ", "To know, a machine: ", "To know, not proved: "
MEANING = {
    ALARM: "The record contradicts itself or your letters, so results that rest on it cannot be trusted. "
           "Send the sentence to all players, and ask the coordinator which of the two is right, and why.",
    TOLD: "A person changed this, and every player can read of it in the results. It is no fault. If you do "
          "not know the reason, ask the coordinator.",
    MACHINE: "A clock or a program did this, and no order counts otherwise for it. Ask the coordinator "
             "whether it was put right.",
    UNPROVED: "These files can neither confirm nor deny this. It becomes an answer with the file or the "
              "letter that the sentence names."}
alarms: list[str] = []
unplaced: dict[str, list[str]] = defaultdict(list)  # letters that name no place in the record, by the reason
SLACK, TOGETHER = timedelta(minutes=5), timedelta(minutes=2)  # of two clocks; of entries of one act
CHUNK = 1 << 20  # bytes read at once: the photographs of years do not fit into memory
def sha(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def plain(text: str) -> str:
    """Without control characters: a name in an archive could hide an alarm on a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def time(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


class Alarm(Exception):
    """Something is not as it should be, and what comes after it cannot be checked."""


def must(condition: Any, sentence: str) -> None:
    if not condition:
        raise Alarm(sentence)


def check_all(*parts: Callable[[], object]) -> None:
    """Run each part of the check; an alarm ends its part alone, and is kept."""
    for part in parts:
        try:
            part()
        except Alarm as alarm:
            alarms.append(str(alarm))


def note(kind: str, sentence: str) -> None:
    tell(kind + plain(sentence))


def say(path: str, sentence: str) -> None:
    """Confirm something of a letter that a player kept; an archive's own letters are only checked."""
    if not path.startswith("letters/"):
        tell(plain(f"{path}: {sentence}"))


# 2. The record: its chain, its files, its entries. ------
class Entry:
    """One open entry: number, kind, key of its fact, when it was entered, what it tells, and its record."""

    def __init__(self, line: dict[str, Any], record: Any = None) -> None:
        body = line["body"]
        self.n, self.kind, self.key, self.tells = line["n"], body["what"], body["fact"], body["tells"]
        self.entered, self.record = time(body["entered"]), record
        self.phase: Any = self.tells.get("phase") if isinstance(self.tells.get("phase"), int) else None
        self.event, self.detail = self.tells.get("event"), self.tells.get("detail") or {}

    def __getitem__(self, name: str) -> Any:
        return self.tells[name]

    def get(self, name: str, default: Any = None) -> Any:
        return self.tells.get(name, default)

    def names(self, phase: dict[str, Any]) -> bool:
        """Whether an event names a phase in words."""
        words = str(self.detail.get("phase")).casefold()
        return all(str(phase[name]).casefold() in words for name in ("season", "year", "kind"))

    def waited(self, phase: dict[str, Any]) -> bool:
        """Whether a phase waited past its deadline, by the log, before this entry."""
        past = time(phase["deadline"]) - SLACK
        return any(event.n < self.n and event.names(phase) and event.entered >= past
                   for event in self.record.events("deadline_waits_for_mailbox"))

    def rule(self, number: str, condition: Any, sentence: str) -> bool:
        """Whether a rule is kept; what breaks it is kept as an alarm, and the check goes on."""
        if not condition:
            alarms.append(f"entry {self.n}: {sentence} (rule {number}).")
        return bool(condition)

    def acted(self, number: str, allowed: Any, change: str) -> None:
        self.rule(number, allowed, f"{change} without an act on record")

    def act(self, *names: str, within: int = 40, **detail: Any) -> bool:
        """Whether one of these acts was entered with this entry: within so many others, and two minutes."""
        return self.n > self.record.log_until or any(event.event in names and abs(event.n - self.n) <= within
            and abs(event.entered - self.entered) <= TOGETHER
            and all(event.detail.get(name) == value for name, value in detail.items())
            for event in self.record.of("event"))


class Record:
    """An archive, with the questions that the rules ask of it: facts by kind; leaf, link and parts of each
    entry (from entry 0 on); of each phase the judging that stands; all open entries, the heads of others."""

    def __init__(self, files: zipfile.ZipFile) -> None:
        self.files, self.manifest = files, json.loads(files.read("manifest.json"))
        self.whole, self.game = self.manifest["edition"] == "whole", self.manifest["game"]
        must(self.manifest["format"] == 2,
             "it was written by a newer Galloper; nothing is checked, from entry 1 on.")
        # Not splitlines: a reason may have a line separator of Unicode, which JSON leaves as it is.
        lines = files.read("record.jsonl").decode().removesuffix("\n").split("\n")
        self.facts: dict[str, Facts] = defaultdict(list)
        self.entries: list[dict[str, Any]] = []
        self.leaves, self.links = [""], [sha(f"galloper record 2\n{self.game}")]
        self.read_chain(lines)
        self.words = tuple(files.read("words.txt").decode().split())
        # A judgement that was taken back has a later entry for the same phase, which says so.
        newest = {judged["phase"]: (n, judged) for n, judged in self.facts["judged"]}
        self.judged = {n: entry for n, entry in sorted(newest.items()) if "taken_back" not in entry[1]}
        self.all = [Entry(line, self) for line in self.entries if "body" in line]
        self.closed = {line["n"]: line.get("head") for line in self.entries if "body" not in line}
        self.kinds: dict[str, list[Entry]] = defaultdict(list)
        for entry in self.all:
            self.kinds[entry.kind].append(entry)
        self.cancelled = {letter.key for letter in self.of("letter") if letter["became"] == "cancelled"}
        self.sent = {phase.phase for phase in self.last("phase").values() if phase["state"] == "sent"}
        self.final = [each for each in self.of("judged") if self.judged.get(each.phase, (0,))[0] == each.n]
        # A players' archive has the log up to the last results: what came after is checked with the next.
        last = [entry.n for entry in self.of("judged")
                if entry.phase in self.sent and "taken_back" not in entry.tells]
        self.log_until = max(last, default=0) if self.closed else float("inf")

    def read_chain(self, lines: list[str]) -> None:
        """Each entry gives its leaf, a leaf and the link before it the next link; the last is the root."""
        # Rule C20: the words of these were deleted because their player is forgotten.
        bodies = [json.loads(line).get("body") or {"tells": {}} for line in lines if '"forgotten"' in line]
        forgotten = {number for body in bodies if body["tells"].get("event") == "forgotten"
                     for number in body["tells"]["detail"]["entries"]}
        for n, line in enumerate(lines, 1):
            must(line.startswith("{") and line.endswith("}"), f"entry {n} cannot be read.")
            entry = json.loads(line)
            must(entry["n"] >= n, f"entry {entry['n']} is there twice: the chain has two heads.")
            must(entry["n"] == n, f"entry {n} is missing: entry {entry['n']} is in its place.")
            shown = set(entry) - {"n", "leaf", "link"}
            must(shown in ({"salt", "body"}, {"head", "inner"}, set()), f"entry {n} has other parts.")
            # An archive for players leaves out what is not theirs; the leaf still proves the chain.
            must("body" in entry or not self.whole or n in forgotten, f"entry {n} lacks its body.")
            if "body" in entry:
                must({*entry["body"]} == {"what", "fact", "entered", "tells"}, f"entry {n} has another form.")
                entry["inner"] = sha(f"{entry['salt']}\n{canonical(entry['body'])}")
                phase = entry["body"]["tells"].get("phase")
                entry["head"] = f"{entry['body']['what']} {phase if isinstance(phase, int) else '-'}"
            if "inner" in entry:
                must(sha(f"{entry['head']}\n{entry['inner']}") == entry["leaf"], f"entry {n} was changed.")
            if "body" in entry:
                self.facts[entry["body"]["what"]].append((n, entry["body"]["tells"]))
            self.entries.append(entry)
            self.leaves.append(entry["leaf"])
            self.links.append(sha(f"{self.links[-1]}\n{n}\n{entry['leaf']}"))
            must(entry["link"] == self.links[-1], f"entry {n} does not follow on the one before it.")
        must((self.manifest["entries"], self.manifest["root"]) == (len(lines), self.links[-1]),
             f"the record ends at entry {len(lines)}, not where the self.manifest says.")

    def check_files(self) -> None:
        """Every file is what an entry names, and a whole archive has all that are named."""
        files, facts, names = self.files, self.facts, self.files.namelist()
        named = [(n, "photographs", key) for n, sheet in facts["sheet"] for key in sheet["photographs"]]
        named += [(n, "pictures", page["upright"]) for n, reading in facts["reading"]
                  for page in reading["pages"] if page["upright"]]
        named += [(n, "mails", mail["mail"]) for n, mail in facts["mail"]]
        named += [(n, "letters", letter["message"]) for n, letter in facts["letter"]]
        begun = facts["begun"][0][1]
        must([begun["game"], begun["variant"], facts["game"][-1][1]["name"]] == [
            self.manifest[name] for name in ("game", "variant", "name")], "entry 1 is of another game.")
        missing = {(folder, key): n for n, folder, key in reversed(named)}
        boards = {(phase["phase"], phase["position"]) for _, phase in facts["phase"]}
        for name in names:
            folder, _, rest = name.partition("/")
            if folder in FOLDERS:
                key = rest.partition(".")[0]
                must((folder, key) in missing and self.whole, f"{name} was put in: no entry names it.")
                must(sha(files.read(name)) == key, f"{name}, of entry {missing[folder, key]}, was changed.")
                missing.pop((folder, key))
            elif folder == "board":
                must(re.fullmatch(r"(rules/)?[\w-]+\.(csv|toml|lark|py)", rest), f"{name} is of no board.")
            elif folder == "positions":
                board = int(rest[:3]), sha(canonical(json.loads(files.read(name))))
                must(board in boards, f"{name} is not the board entered.")
            else:
                must(name in OTHER_FILES, f"{name} is no part of an archive.")
        tables = {name[6:]: sha(files.read(name)) for name in names if name.startswith("board/")}
        must(begun["board"] == (sha(canonical(tables)) if tables else None),
             "the tables in board/ are not those of the board that entry 1 names.")
        gone = {key for event in self.events("forgotten") for key in event.detail["files"]}
        for (folder, key), n in missing.items():
            must(not self.whole or key in gone, f"the {folder[:-1]} {key[:12]} of entry {n} is missing.")

    def of(self, kind: str, before: float = float("inf")) -> list[Entry]:
        return [entry for entry in self.kinds[kind] if entry.n < before]

    def events(self, *names: str) -> list[Entry]:
        return [event for event in self.of("event") if event.event in names]

    def last(self, kind: str, before: float = float("inf")) -> dict[str, Entry]:
        """The last entry of each fact of a kind before an entry."""
        return {entry.key: entry for entry in self.of(kind, before)}

    def firsts(self, kind: str) -> list[Entry]:
        """The first entry of each fact of a kind."""
        return list({entry.key: entry for entry in reversed(self.of(kind))}.values())[::-1]

    def letters(self, *kinds: str, phase: Any = None) -> list[Entry]:
        """The letters of some kinds, of one phase if it is named, as they were first entered."""
        return [letter for letter in self.firsts("letter")
                if letter["kind"] in kinds and phase in (None, letter.phase)]

    def pairs(self, kind: str) -> list[tuple[Entry, Entry]]:
        """Each entry that changes a fact, behind the one that it changes."""
        pairs: list[tuple[Entry, Entry]] = []
        before: dict[str, Entry] = {}
        for entry in self.of(kind):
            if entry.key in before:
                pairs.append((before[entry.key], entry))
            before[entry.key] = entry
        return pairs

    def clock(self, entry: Entry) -> dict[str, Any]:
        """What the phase of an entry was when it was entered; {} if it was not planned yet, or is closed."""
        return next((phase.tells for phase in reversed(self.of("phase", entry.n))
                     if phase.phase == entry.phase), {})

    def deadline(self, sheet: Entry) -> str:
        """The deadline of a sheet's phase as it stood when the sheet was entered."""
        return str(self.clock(sheet).get("deadline", sheet["received"]))

    def holders(self, before: float) -> dict[str, Any]:
        """The player of each power before an entry."""
        return {seat["power"]: seat["player"] for seat in self.of("seat", before)}

    def is_corrected(self, phase: dict[str, Any]) -> bool:
        """Whether the board of a phase was corrected by an act on record."""
        return any(each.names(phase) for each in self.events("board_corrected"))

    def slack(self, moment: datetime) -> timedelta:
        """How far two clocks may differ: more for three days before and after the site's was set back."""
        near = [event.detail for event in self.events("clock_set")
                if abs(event.entered - moment) <= timedelta(days=3)]
        return sum((time(jump["from"]) - time(jump["to"]) for jump in near), SLACK)


# 3. Lots (docs/record.md, "Lots"; rule C23). ------
def check_lots(judged: Entry, clock: dict[str, Any]) -> None:
    """The seed's digest was entered before the deadline, and the lots come from what their rule mixes."""
    record, lots, where = judged.record, judged["lots"], f"entry {judged.n}"
    seed, plan, deadline = lots["seed"], clock["draw"], clock["deadline"]
    must(lots["rule"] == plan["rule"] == 2, f"{where}: its lots are drawn by another rule (rule C23).")
    must(seed or plan.get("seed_lost"), f"{where}: its seed was not opened, nor called lost (rule C23).")
    must(seed is None or any((phase.phase, phase["lots"]) == (judged.phase, sha(seed)) and phase["state"] in (
        "waiting", "open") for phase in record.of("phase", judged.n)),
        f"{where}: the digest of its seed was not entered before the deadline.")
    words = {word["power"]: word["word"] for word in record.of("word")
             if word.phase == judged.phase and word["received"] <= deadline}
    lines = ["galloper lots 2", f"{record.game} {judged.phase}", f"seed {seed or 'lost'}"]
    if plan["beacon"] and not plan.get("beacon_given_up") and (lots["used"] or lots["beacon"]):
        check_round(where, plan["beacon"], lots, deadline)
        lines.append(f"beacon {lots['beacon']['round']} {lots['beacon']['randomness']}")
    else:
        must(lots["beacon"] is None, f"{where}: a beacon took part that was not named (rule C23).")
        in_order = [f"{power}: {words[power]}" for power in sorted(words)]
        must(lots["words"] == in_order, f"{where}: its words are not those entered.")
        must(lots["sheets"] == sheets_in_time(record, judged.phase), f"{where}: the sheets that took part in "
             "the lots are not those that came by mail before the phase was closed (rule C23).")
        lines += [f"word {word}" for word in lots["words"]] + [f"sheet {sheet}" for sheet in lots["sheets"]]
    numbers = [int(sha("\n".join([*lines, str(k)]))[:8], 16) for k in range(1, lots["used"] + 1)]
    must(numbers == lots["numbers"], f"{where}: its lots do not come from its seed.")


def sheets_in_time(record: Record, phase: int) -> list[str]:
    """The sheets that came by mail, by the deadline, before the phase closed, by their first entries."""
    clock = [entry for entry in record.of("phase") if entry.phase == phase]
    closed = min([entry.n for entry in clock if entry["state"] not in ("waiting", "open")], default=1 << 60)
    deadline = [entry["deadline"] for entry in clock if entry.n < closed][-1]
    return sorted(f"{sheet['power']}: {sheet['mail']}" for sheet in record.firsts("sheet")
                  if (sheet.phase, sheet.n < closed) == (phase, True)
                  and sheet["mail"] and sheet["received"] <= deadline)


# drand's chain "quicknet": its hash, the time of its first round, the seconds between two, its public key.
QUICKNET = {"chain": "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    "genesis": 1692803367, "period": 3,
    "key": "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
           "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"}
def check_round(where: str, chain: dict[str, Any], lots: dict[str, Any], deadline: str) -> None:
    """The round of the beacon is the first one from ten minutes after the deadline on, and alone."""
    must(chain == QUICKNET, f"{where}: its beacon is none that everybody knows (rule C23).")
    beacon = lots["beacon"]
    must(beacon and not lots["words"] and not lots["sheets"],
         f"{where}: its lots are not drawn with the round of its beacon alone (rule C23).")
    seconds = int(time(deadline).timestamp()) + 600 - chain["genesis"]
    right = -(-seconds // chain["period"]) + 1
    must(beacon["round"] == right, f"{where}: its lots are drawn with round {beacon['round']} of the "
         f"beacon; the first one after the deadline is {right} (rule C23).")
    must(sha(bytes.fromhex(beacon["signature"])) == beacon["randomness"],
         f"{where}: round {right} of the beacon is not the digest of its signature (rule C23).")
    note(UNPROVED, f"{where} draws with round {right} of the public beacon, which is "
                   f"{beacon['randomness']}: compare it with any server of drand.")


# 4. Signatures (rule C21): Ed25519 as RFC 8032, section 6, has it: slow, and short enough to be read. ------
P, Q = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493  # the field, the order of the base point
D = -121665 * pow(121666, P - 2, P) % P
BASE_X = 15112221349535400772501151409588531511454012693041857206046113283949847762202
BASE_Y = 46316835694926478169428394003475163141307993866256225615783033603165251855960
Point = tuple[int, int, int, int]  # x and y with their common divisor z, and x * y / z
BASE: Point = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)
def add(first: Point, second: Point) -> Point:
    a, b = (first[1] - first[0]) * (second[1] - second[0]), (first[1] + first[0]) * (second[1] + second[0])
    c, d = 2 * first[3] * second[3] * D, 2 * first[2] * second[2]
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(number: int, point: Point) -> Point:
    total: Point = (0, 1, 1, 0)
    while number:
        total = add(total, point) if number & 1 else total
        point, number = add(point, point), number >> 1
    return total


def point_of(data: bytes) -> Point | None:
    """The point that 32 bytes write; None if they write none."""
    y, sign = int.from_bytes(data, "little") % (1 << 255), data[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
    if len(data) != 32 or y >= P or x * x % P != square or (x == 0 and sign):
        return None
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P


def is_signed(public: str, message: bytes, signature: str) -> bool:
    try:
        key, signed = bytes.fromhex(public), bytes.fromhex(signature)
    except ValueError:
        return False
    if (len(key), len(signed)) != (32, 64):
        return False
    owner, point, s = point_of(key), point_of(signed[:32]), int.from_bytes(signed[32:], "little")
    if owner is None or point is None or s >= Q:
        return False
    h = int.from_bytes(hashlib.sha512(signed[:32] + key + message).digest(), "little") % Q
    left, right = times(s, BASE), add(point, times(h, owner))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 == (left[1] * right[2] - right[1] * left[2]) % P


def fingerprint(public: str) -> str:
    digits = sha(bytes.fromhex(public))[:16]
    return " ".join(digits[start:start + 4] for start in range(0, 16, 4))


# 5. What a letter proves: its file has all digests, and its words say the same to people. ------
def words_of(data: bytes) -> tuple[Any, str]:
    """A mail, and its words in one line: mail programs wrap lines where they like."""
    message: Any = email.message_from_bytes(data, policy=email.policy.default)
    body = message.get_body(("plain", "html"))
    return message, " ".join(body.get_content().split()) if body else ""


def proof_in(message: Any) -> dict[str, Any]:
    """The file of a letter by which it can be checked, {} if there is none: receipt.json or record.json."""
    for part in message.iter_attachments():
        if part.get_filename() in ("receipt.json", "record.json"):
            with suppress(ValueError):
                proof = json.loads(part.get_payload(decode=True))
                if isinstance(proof, dict) and isinstance(proof.get("entry"), int) and proof["entry"] > 0:
                    return proof
    return {}


def moment_of(header: Any) -> datetime | None:
    """The time in a line of a mail's head; None if there is none."""
    with suppress(ValueError):
        return email.utils.parsedate_to_datetime(str(header).rpartition(";")[2].strip()).astimezone(UTC)
    return None


@cache
def root_words(root: str, words: tuple[str, ...]) -> str:
    number = int.from_bytes(hashlib.pbkdf2_hmac("sha256", root.encode(), b"galloper words", 100_000, 8)) >> 20
    return " ".join(words[number >> shift & 2047] for shift in (33, 22, 11, 0))


def check_letter(path: str, data: bytes, record: Record) -> None:
    """What a letter names is in the record as it was mailed."""
    message, text = words_of(data)
    proof = proof_in(message)
    is_here = proof.get("game") == record.game
    if not path.startswith("letters/") and not check_sent(path, data, message, record) and not is_here:
        unplaced["no mail" if not (message["From"] or message["Subject"] or message["Date"]) else
                 f"about the record of {proof['game']}, another game" if proof else
                 "a mail that names no place in the record"].append(path)
    slugs = {re.sub(r"[^a-z0-9]+", "-", game["name"].lower()).strip("-") or "game"
             for _, game in record.facts["game"]}
    kind = str(message["Message-ID"] or "").strip().lstrip("<").partition(".")[0]
    of_game = str(message["List-Id"] or "").strip().lstrip("<").partition(".")[0] in slugs
    proving = ("draftresults", "finalresults", "yearendresults", "receipt", "welcome", "handover")
    must(is_here or not of_game or kind not in proving,
         f"{path} is a {kind} of this game and names no place in its record: its file receipt.json or "
         "record.json was lost on its way, or the site did not write it so (rule C21).")
    if not is_here:
        return
    n, root, end = proof["entry"], str(proof["root"]), len(record.entries)
    # Rule C18, by clocks that may differ by a quarter of an hour.
    written = moment_of(message["Date"])
    for restore in [event.n for event in record.events("restored")
                    if written and event.entered >= written - 3 * SLACK]:
        if restore <= n and not {root, proof.get("leaf", root)} <= {*record.leaves, *record.links}:
            note(TOLD, f"entry {n}, which {path} names, was lost by the restore of entry {restore}.")
            return
    must(n <= end, f"the archive is older than {path}: it ends at entry {end}, and the letter names entry "
                   f"{n}.")
    check_words(path, text, proof, record.words)
    line = record.entries[n - 1]
    if "leaf" in proof:
        check_receipt_on_record(path, proof, record)
    must(kind != "receipt" or "leaf" in proof, f"{path} is a receipt and names no sheet (rule C21).")
    if kind in proving[:3]:
        must({"sheets", "seed", "tell"} <= proof.keys(),
             f"entry {n}: {path} has results, and its file does not tell of their sheets (rule C25).")
        is_judging = line.get("head", "judged ").startswith("judged ")
        must(is_judging, f"entry {n}: {path} has results up to it, and it is no judging (rule C25).")
    must(record.links[n] == root, f"the record up to entry {n} is not the one that {path} names.")
    say(path, f"the record up to entry {n} is the one mailed.")
    keys = {fingerprint(key["public"]) for _, key in record.facts["key"]}
    must("leaf" in proof or not proof.get("key") or (proof["key"] in keys and proof["key"] in text),
         f"the key that {path} names is not on record (rule C21).")
    check_arrival(path, message, line, record)
    check_results(path, proof, record)
    for seed in proof.get("seeds", ()):
        check_seed(path, seed, record)


def check_words(path: str, text: str, proof: dict[str, Any], words: tuple[str, ...]) -> None:
    """What people read in a letter, in any language, is what its file has."""
    where = f"entry {proof['entry']}: the words of {path}"
    must(root_words(str(proof["root"]), words) in text, f"{where} lack its four words (rule C22).")
    must("leaf" not in proof or (f" {proof['entry']}," in text and proof["received"] in text),
         f"{where} name another entry or time than its file (rule C21).")
    versions = [(re.escape(sheet["power"]), sheet["version"]) for sheet in proof.get("sheets", ())]
    must(all(version is None or re.search(rf"{power}, \w+ {version}\b", text) for power, version in versions),
         f"{where} name other versions than its file (rule C25).")
    must(all(re.search(rf"\b{n}:", text) for n in proof.get("tell", ())),
         f"{where} do not tell of all entries that its file names (rule C15).")


def check_sent(path: str, data: bytes, message: Any, record: Record) -> bool:
    """What became of a mail that a player sent; whether its photographs are on a sheet."""
    for n, mail in [(n, mail) for n, mail in record.facts["mail"] if mail["mail"] == sha(data)][-1:]:
        if mail["became"] != "used":
            note(UNPROVED, f"entry {n}: {path} was {mail['became']} ({mail['reason']}) and counts for "
                           "nothing. If it had orders, ask the coordinator why.")
    filed, pictures = False, False
    for part in message.walk():
        digest = sha(part.get_payload(decode=True) or b"")
        pictures |= part.get_content_maintype() == "image"
        for n, sheet in [(n, sheet) for n, sheet in record.facts["sheet"] if digest in sheet["photographs"]]:
            filed = True
            say(path, f"{part.get_filename() or 'its photograph'} is on the sheet of entry {n}, received "
                      f"{sheet['received']}.")
    if pictures and not filed and not message["List-Id"]:
        note(UNPROVED, f"{path} has pictures that are on no sheet of this archive. If its phase is over and "
                       "you have no receipt, ask the coordinator for your mail.")
    return filed


def check_receipt(path: str, proof: dict[str, Any]) -> None:
    """A receipt's file fits itself: its signature covers it, and salt and body give its digests."""
    n, body = proof["entry"], proof["body"]
    signed = ["galloper receipt 1", proof["game"], str(n), *(
        proof[name] for name in ("leaf", "root", "received", "mail"))]
    must(not proof["signature"] or is_signed(proof["key"], "\n".join(signed).encode(), proof["signature"]),
         f"entry {n}: the receipt {path} has a signature that is not of its key: it was changed, or the site "
         "did not write it so (rule C21).")
    leaf = sha(f"{body['what']} {body['tells']['phase']}\n" + sha(f"{proof['salt']}\n{canonical(body)}"))
    must((leaf, sha(f"{proof['before']}\n{n}\n{leaf}")) == (proof["leaf"], proof["root"]),
         f"entry {n}: salt and body in {path} do not give its digest or root.")
    must((proof["received"], proof["mail"]) == (body["tells"]["received"], body["tells"]["mail"] or "-"),
         f"entry {n}: {path} signs another mail or time than its entry has.")


def check_receipt_on_record(path: str, proof: dict[str, Any], record: Record) -> None:
    """Rule C21: a receipt is signed, once a key is on record, and its entry is there."""
    n, keys = proof["entry"], [(n, key["public"]) for n, key in record.facts["key"]]
    must(not proof["signature"] or proof["key"] in [key for _, key in keys],
         f"entry {n}: the receipt {path} is signed with a key that is not on record (rule C21).")
    check_receipt(path, proof)
    must(proof["signature"] or not any(number < n for number, _ in keys),
         f"entry {n}: the receipt {path} is not signed, though the game's key was on record (rule C21).")
    must(record.leaves[n] == proof["leaf"], f"entry {n} is not the one of the receipt {path}."
         + " Its signature is the keeper's own." * bool(proof["signature"]))
    head = record.entries[n - 1].get("head", "sheet ")
    must(head.startswith("sheet "), f"entry {n}, of the receipt {path}, is no sheet.")
    say(path, f"entry {n} is the sheet of this receipt, received {proof['received']}.")


def check_receipt_alone(receipt: tuple[str, bytes], sheets: Letters) -> None:
    """A receipt proves a sheet without any archive: the keeper signed its entry, with these photographs."""
    path, letter = receipt
    proof = proof_in(words_of(letter)[0])
    must(proof.get("signature"), f"{path} has no file receipt.json with a signature, or lost it on its way.")
    check_receipt(path, proof)
    n, sheet_facts = proof["entry"], proof["body"]["tells"]
    named = {proof["mail"], *sheet_facts["photographs"]}
    say(path, f"the keeper of {proof['game']} signed that a sheet of {sheet_facts['power']} for phase "
              f"{sheet_facts['phase']} was received {proof['received']}, as entry {n}. Key "
              f"{fingerprint(proof['key'])}: compare it with your welcome or any map.")
    for sheet, data in sheets:
        parts = [part.get_payload(decode=True) for part in email.message_from_bytes(data).walk()]
        digests = {sha(part) for part in (data, *parts) if isinstance(part, bytes)}
        must(digests & named, f"{sheet} has none of the photographs of entry {n}.")
        say(sheet, "it is the sheet of this receipt.")


def check_arrival(path: str, message: Any, line: dict[str, Any], record: Record) -> None:
    """Rule C14: when a letter came, by its reader's mail server, its entry was made, its deadline over."""
    came = moment_of(message["Received"])
    if came and "body" in line:
        entry = Entry(line)
        deadline = record.clock(entry).get("deadline") if entry.kind == "judged" else None
        must(max(entry.entered, time(deadline) if deadline else entry.entered)
             <= came + SLACK + record.slack(came), f"entry {entry.n}: {path} names it and came before it was "
                                                   "entered, or before its deadline (rule C14).")


def check_results(path: str, proof: dict[str, Any], record: Record) -> None:
    """Results name the sheets and the seed of their judging, and tell of all that they must (rule C15)."""
    n = proof["entry"]
    for judged in [judged for number, judged in record.facts["judged"] if number == n and "sheets" in proof]:
        if "taken_back" in judged:
            continue
        last = record.last("sheet", n)
        sheets = [last[str(key)] for key in judged["executed"].values()]
        must({(sheet["version"], sheet["digest"]) for sheet in proof["sheets"] if sheet["digest"]}
             == {(sheet["version"], sheet["mail"]) for sheet in sheets if sheet["mail"]},
             f"entry {n} executed other sheets than {path} says.")
        say(path, f"the versions that it names as counted are those of entry {n}.")
        must(proof["seed"] in (None, judged["lots"]["seed"]), f"entry {n} has not the seed opened in {path}.")
        for number in entries_to_tell(record, n, judged["phase"]):
            must(number in proof["tell"], f"entry {number}: {path} does not tell of it (rule C15).")
            if not path.startswith("letters/"):
                note(TOLD, f"entry {number} was by hand, late, or against the usual way; {path} tells of it.")


def check_seed(path: str, seed: dict[str, Any], record: Record) -> None:
    """The digest of a seed that a letter promised, and what is mixed in, are those of the record."""
    phase, digest = seed["ordinal"], seed["digest"]
    plans = [fact for _, fact in record.facts["phase"] if fact["phase"] == phase]
    must(digest in [plan["lots"] for plan in plans], f"the seed of phase {phase} is not the one in {path}.")
    beacon = plans[0]["draw"]["beacon"]
    must(seed["chain"] == (beacon["chain"] if beacon else ""),
         f"the lots of phase {phase} are not mixed as {path} says (rule C23).")
    n, opened = record.judged.get(phase, (0, None))
    must(opened is None or sha(opened["lots"]["seed"] or "") == digest,
         f"entry {n}: the lots of phase {phase} are not from the seed in {path}.")
    say(path, f"the digest of the seed of phase {phase} is the one entered{' and opened' if opened else ''}.")


def check_pool(letters: Letters, record: Record) -> None:
    """Rule C22: letters of several players tell the same of one place, unless a restore lost one of them."""
    places: dict[tuple[str, int], dict[str, str]] = defaultdict(dict)
    for path, data in letters:
        proof = proof_in(words_of(data)[0])
        if proof.get("game") == record.game:
            for place, name in (("the record up to", "root"), ("the sheet of", "leaf")):
                if name in proof:
                    places[place, proof["entry"]][str(proof[name])] = path
    restored = min((event.n for event in record.events("restored")), default=1 << 60)
    for (place, n), digests in sorted(places.items()):
        versions = "; ".join(f"{digest[:12]} in {path}" for digest, path in sorted(digests.items()))
        must(len(digests) == 1 or restored <= n, f"two truths: {place} entry {n} is {versions} (rule C22).")


# 6. The conduct of the keeper: rules C1 to C21, C23 to C25 of docs/record.md. ------
RESULTS = ("draft_results", "final_results", "adjustment", "year_end_results")
TO_ALL = ("announcement", "correction", "deadline_moved")  # letters that each player gets
TAKES_BACK = ("phase_rolled_back", "results_taken_back", "board_corrected", "sheet_chosen",
              "sheet_refused", "sheet_refusal_taken_back", "sheet_choice_taken_back", "sheet_filed_anew",
              "orders_taken_over", "differences_closed")
DESK = (*TAKES_BACK[:-1], "phase_unsealed", "deadline_moved", "year_moved", "option_changed",
    "coordinator_changed", "seat_changed", "results_approved")  # acts of a coordinator at the desk
HARMLESS = frozenset(re.findall(r"\w+", """
absence_announced absence_ended accommodation_changed backup_made board_kept clock_off clock_right
code_app_added code_app_removed coordinator_away deadline_waits_for_mailbox entry_changed forgotten
game_created game_offered game_paused game_role_changed game_shelved game_unshelved hand_forgotten
letter_answered letter_done letter_logged letter_not_sent letter_readdressed letters_paused letters_resumed
letters_tried_again line_read_differently mail_command mail_given_up mail_ignored mail_moved_elsewhere
mail_quarantined mail_refused mail_sign_up mail_unreadable mail_used mail_waits_for_dns mailbox_emptied
offer_ended passkey_added passkey_removed person_added person_removed person_signed_out phase_closed
phase_judged phase_opened phase_proof_read phase_rehearsed powers_drawn reading_failed restore_tested
results_approved results_corrected role_changed root_stamped sign_up_letter sign_up_removed
signed_out_elsewhere strays_forgotten upload_link_ended upload_links_ended webhook_delivered webhook_failed
work_failed
"""))  # results tell of every other event (docs/record.md, C15)
OPEN_GAMES = ("standard", "w3k", "bretwalda", "brittania", "war1648")  # their rules hide nothing
CLOSED = ("addresses", "aside", "reading", "decision", "judged", "phase", "event", "letter", "mail")
NOT_ASKED = ("sheet", "posted", "word")  # closed of a phase that was passed over, since it asked no power


def check_conduct(record: Record) -> None:
    """Every rule of conduct but those about what was judged, which `read_record` checks."""
    for judged in record.final:
        if clock := record.clock(judged):
            check_all(partial(rule_3_receipts, judged), partial(rule_19_words, judged, clock))
    check_all(*(partial(each, record) for each in (
        rules_of_what_stays, rule_2_sheets, rule_3_arrivals, rules_4_5_25_mails, rule_6_readings,
        rule_8_decisions, rules_9_to_13_phases, rule_9_judgings, rule_13_game, rule_13_addresses,
        rules_14_17_times, rule_15_letters, rule_16_closed, rule_18_restores, rule_20_forgotten,
        rules_21_23_plans, rule_24_stamps)))


# What no act changes: the rule, the kind of entry, and the names; all names where there are none.
STAYS = (("C2", "sheet", "phase received mail version"), ("C3", "mail", "stamped"),
    ("C8", "decision", "line says text order by at settles"), ("C12", "phase", "lots"),
    ("C13", "game", "variant"), ("C17", "posted", "phase power postmark came sheet by"),
    ("C17", "event", ""), ("C17", "correction", ""), ("C17", "word", ""), ("C21", "key", ""))


def rules_of_what_stays(record: Record) -> None:
    for number, kind, names in STAYS:
        for before, after in record.pairs(kind):
            for name in names.split() or sorted(before.tells.keys() | after.tells.keys()):
                after.rule(number, before.get(name) == after.get(name),
                           f"the {name} of the {kind} of entry {before.n} was changed")
    for before, after in record.pairs("posted"):
        stays = before["taken_back"] == after["taken_back"] or after.act("letter_taken_back")
        after.rule("C17", stays, f"the posted of entry {before.n} was changed")


def worth(sheet: dict[str, Any], first_counts: Any) -> tuple[Any, ...]:
    """Its rank among its power's sheets (C1): chosen; the version it asks for, else its own; its own, 1 by
    mail and 0 by post; the later receipt. Where the first counts: chosen, the earlier one."""
    number = sheet["version"] if sheet["version"] is not None else int(sheet["mail"] is not None)
    if first_counts:
        return ("chosen" in sheet["flags"], -time(sheet["received"]).timestamp(), -sheet["sheet"])
    asks = number if sheet["asks"] is None else sheet["asks"]
    return ("chosen" in sheet["flags"], asks, number, sheet["received"], sheet["sheet"])


def rule_1_ballots(judged: Entry, clock: dict[str, Any]) -> None:
    record, executed = judged.record, judged["executed"]
    first_counts = record.of("game", judged.n)[-1]["options"].get("first_counts")
    standing: dict[str, list[Entry]] = defaultdict(list)
    # Of each sheet the last entry: one that was filed anew is another power's.
    for sheet in record.last("sheet", judged.n).values():
        tells = sheet.tells
        if sheet.phase == judged.phase and tells["received"] <= clock["deadline"] and tells["fate"] != "held":
            standing[tells["power"]].append(sheet)
    for power, sheets in standing.items():
        best = max(sheets, key=lambda sheet: worth(sheet.tells, first_counts))
        if judged.rule("C1", power in executed, f"the sheet of entry {best.n}, in time, was not executed"):
            judged.rule("C1", executed[power] == best["sheet"],
                        f"another sheet of {power} should have counted, the one of entry {best.n}")
    for power in executed:
        judged.rule("C1", power in standing, f"the sheet executed for {power} does not stand in time")


def read_with(sheet: Entry) -> bool:
    """Whether a sheet was entered with its first reading."""
    record = sheet.record
    first = [reading for reading in record.of("reading") if reading.key == sheet.key][:1]
    if not first:  # Closed in a players' archive: a reading, the words beside it, the sheet.
        return any(record.closed.get(sheet.n - back) == f"reading {sheet.phase}" for back in (1, 2, 3))
    return any(abs(reading.entered - sheet.entered) <= TOGETHER for reading in first)


def rule_2_sheets(record: Record) -> None:
    filed = {sheet.key: sheet for sheet in record.firsts("sheet")}
    for before, after in record.pairs("sheet"):
        old, new, first = before.tells, after.tells, filed[after.key]
        act = partial(after.act, submission=new["sheet"])
        after.rule("C2", set(old["photographs"]) == set(new["photographs"]), "its photographs were changed")
        same = old["power"] == new["power"]
        after.acted("C2", same or act("sheet_filed_anew"), "a sheet was given to another power")
        sender = record.holders(first.n).get(first["power"])
        after.rule("C2", same or record.holders(after.n).get(new["power"]) == sender,
                   "a sheet was filed for a power of another player than its sender")
        after.rule("C2", old["asks"] == new["asks"] or (old["asks"] is None and read_with(after) and (
            new["version"] in (None, new["asks"]))), "the version that it asks for was changed")
        was, now = "chosen" in old["flags"], "chosen" in new["flags"]
        after.acted("C2", was or not now or act("sheet_chosen"), "a sheet was chosen")
        after.acted("C2", now or not was or "choice_ended" in new["flags"] or after.act(
            "sheet_chosen", "sheet_choice_taken_back", "sheet_refused", "sheet_filed_anew"),
            "a choice was ended")
        if new["fate"] == "held":
            right = (act("sheet_refused", "sheet_filed_anew") or read_with(after)
                     or "reader_failed" in new["flags"] or (was and "released" in old["flags"]))
        else:
            right = act("sheet_chosen", "sheet_refusal_taken_back", "sheet_filed_anew")
        after.acted("C2", old["fate"] == new["fate"] or right, f"a sheet was set to {new['fate']!r}")


def rule_3_arrivals(record: Record) -> None:
    mails = {mail.key: mail for mail in record.firsts("mail")}
    posted = {letter["sheet"]: letter for letter in record.of("posted")}
    for sheet in record.firsts("sheet"):
        tells, received = sheet.tells, time(sheet["received"])
        deadline, slack = time(record.deadline(sheet)), record.slack(sheet.entered)
        # Of a clock that is behind no deadline comes of it; to call a sheet late, one must lie between.
        if received > sheet.entered + SLACK and sheet.rule(
            "C3", received <= sheet.entered + slack or not sheet.entered <= deadline < received,
            "it was entered before it was received, and its deadline lies between"):
            note(MACHINE, f"entry {sheet.n}: by the site's clock the sheet was entered before the mail "
                          "server received it: one of the two clocks is wrong.")
        if tells["mail"] is None:
            letter = posted.get(tells["sheet"])
            sheet.rule("C3", letter and letter["came"] == tells["received"][:10],
                       f"a sheet of {tells['power']} came by no mail, and by no letter that was logged")
            continue
        mail = mails.get(tells["mail"])
        if sheet.rule("C3", mail and mail.n <= sheet.n + 3, "its mail was not entered before it") and mail:
            stored, stamped = time(mail["stored"]), time(mail["stamped"])
            sheet.rule("C3", stamped == received, "it has another time than the stamp of its mail")
            mail.rule("C3", stored >= stamped - slack or not stored <= deadline < stamped,
                      "it was stored before it was stamped, and the deadline of its sheet lies between")


def rule_3_receipts(judged: Entry) -> None:
    """Each player has a receipt for each sheet, so that none is put in without her."""
    record = judged.record
    sheets = Counter(sheet["power"] for sheet in record.firsts("sheet")
                     if sheet.phase == judged.phase and sheet.n < judged.n)
    receipts = Counter(power for letter in record.firsts("letter") for power in letter["to"]
                       if letter.phase == judged.phase and letter["kind"].startswith("receipt")
                       and may_have(letter, power))
    for power, count in sheets.items():
        judged.rule("C3", receipts[power] >= count,
                    f"{count} sheets of {power} are on record, and its player has {receipts[power]} receipts")


def payload_of(part: Any) -> bytes:
    encoding = re.search(r"[A-Za-z0-9-]+", str(part.get("content-transfer-encoding", "")))
    if encoding is not None:  # "base64;" is an encoding to whoever shows the picture
        part.replace_header("content-transfer-encoding", encoding.group())
    return part.get_payload(decode=True) or b""


def inner_files(data: bytes, depth: int = 0) -> Iterator[bytes]:
    """The bytes of an attached file, and of the files in it: of an archive, a mail, a folder of mails."""
    yield data
    if depth < 8 and data[:4] == b"PK\3\4":
        with suppress(Exception), zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(member.file_size for member in archive.infolist()) < 200_000_000:
                for name in archive.namelist():
                    yield from inner_files(archive.read(name), depth + 1)
    elif depth < 8 and re.match(rb"[A-Za-z][\w-]*:[ \t]|From [^\n]+\n", data):
        for mail in re.split(rb"(?m)^From [^\n]+\n", data):
            for part in email.message_from_bytes(mail, policy=email.policy.compat32).walk():
                if not part.is_multipart() and part.get_content_maintype() != "text":
                    yield from inner_files(payload_of(part), depth + 1)


def is_beyond(part: Any) -> bool:
    """Whether a part may hold pictures that are not taken out here: packed, in a text, behind the parts."""
    data = payload_of(part) if not part.is_multipart() else b""
    is_text = part.get_content_maintype() == "text"
    return bool(data[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" or "--" in (part.epilogue or "")
        or (is_text and re.search(rb"data:image/|^begin [0-7]{3} ", data, re.MULTILINE)))


def rules_4_5_25_mails(record: Record) -> None:
    """In a whole archive, which has the mails."""
    deadlines = [time(phase["deadline"]) for phase in record.of("phase")]
    names, mails = set(record.files.namelist()), {}
    for entry in record.firsts("mail"):
        if f"mails/{entry.key}.eml" in names:
            raw = record.files.read(f"mails/{entry.key}.eml")
            mails[entry.key] = email.message_from_bytes(raw, policy=email.policy.compat32)
            rule_4_stamp(entry, mails[entry.key], deadlines)
    for word in record.of("word"):
        word.rule("C25", word["mail"] not in mails or has_word(mails[word["mail"]], word),
                  f"the mail of {word['power']} has no such word for the lots")
    for sheet in record.firsts("sheet"):
        if sheet["mail"] in mails:
            rule_25_origin(sheet, mails[sheet["mail"]])
            rule_5_photographs(sheet, mails[sheet["mail"]])


def rule_4_stamp(entry: Entry, mail: Any, deadlines: list[datetime]) -> None:
    """The mail server's own line in a mail fits its stamp."""
    server = moment_of(mail.get("Received"))
    if not server:
        note(UNPROVED, f"entry {entry.n}: the mail has no Received line: its time is the stamp's alone.")
        return
    stamp, much = time(entry["stamped"]), 2 * SLACK
    says = f"the mail server wrote {server} into the mail, and the record says {stamp}"
    is_early = any(stamp <= deadline < server for deadline in deadlines)
    entry.rule("C4", server - stamp <= (SLACK if is_early else much), says)
    # A provider may deliver late; a mail that was on record before its stamp did not come late.
    if any(server <= deadline < stamp for deadline in deadlines) and stamp - server > much and entry.rule(
            "C4", entry.entered >= stamp - SLACK, says):
        note(UNPROVED, f"entry {entry.n}: {says}. A deadline lies between. Ask for the provider's log.")


def rule_5_photographs(sheet: Entry, mail: Any) -> None:
    parts = [part for part in mail.walk() if not part.is_multipart()]
    digests = {sha(data) for part in parts for data in inner_files(payload_of(part))}
    games, typed = sheet.record.of("game", sheet.n), "typed" in sheet["flags"]
    sheet.rule("C5", not typed or not games or games[-1]["options"].get("typed_orders"),
               "it is called typed, and this game takes no typed orders")
    packed = {"application/ms-tnef", "application/pkcs7-mime", "application/x-pkcs7-mime"}
    if typed or packed & {part.get_content_type() for part in parts}:
        return
    beyond = any(map(is_beyond, mail.walk()))
    for key in sheet["photographs"]:
        sheet.rule("C5", beyond or key in digests, f"its photograph {key[:12]} is no attachment of its mail")
    for part in parts:
        if part.get_content_maintype() == "image" and part.get_content_disposition() == "attachment" and (
            sha(payload_of(part)) not in sheet["photographs"]):
            note(UNPROVED, f"entry {sheet.n}: a picture attached to its mail is none of its photographs.")


def subject_of(mail: Any) -> str:
    return str(email.header.make_header(email.header.decode_header(str(mail.get("Subject", "")))))


def has_word(mail: Any, word: Entry) -> bool:
    texts = [payload_of(part).decode(errors="replace") for part in mail.walk()
             if part.get_content_maintype() == "text"]
    # A word is stored with single blanks, and with blanks for what cannot be printed.
    lines = ["".join(sign if sign.isprintable() else " " for sign in text)
             for text in (subject_of(mail), *texts)]
    return any(word["word"].casefold() in " ".join(line.casefold().split()) for line in lines)


def rule_25_origin(sheet: Entry, mail: Any) -> None:
    """A sheet is filed as its mail's subject says, unless a person filed it by hand, which results tell."""
    if {"assigned", "typed"} & set(sheet["flags"]):
        return
    record, subject, version = sheet.record, subject_of(mail), sheet["version"]
    proof = str(mail.get("Authentication-Results", ""))
    sheet.rule("C25", "dmarc=fail" not in proof or "=pass" in proof, "its sender was not proved")
    versions = {int(number) for number in re.findall(r"(?i)\bv(?:ersion)?[ .]*(\d{1,3})\b", subject)}
    sheet.rule("C25", len(versions) != 1 or version in versions | {None},
               f"its version is {version}, and the subject of its mail says {versions}")
    # Behind the version, as the program asks for it; one that comes late is no word.
    names_word = re.search(r"(?i)\bv\d{1,3}\s*,\s*lots:\s+\w[^,;]*$", subject)
    sheet.rule("C25", not names_word or sheet["received"] > record.deadline(sheet)
               or sheet["mail"] in {word["mail"] for word in record.of("word")},
               "the word for the lots in its mail's subject is not on record")
    seasons = {phase.phase: f"{phase['season']} {phase['year']}".casefold()
               for phase in record.of("phase", sheet.n)}
    named, filed = {season for season in seasons.values() if season in subject.casefold()}, sheet.phase
    sheet.rule("C25", len(named) != 1 or seasons.get(filed) in named,
               f"it is filed for {seasons.get(filed)}, and the subject of its mail says {', '.join(named)}")


def lines_of(reading: Entry) -> dict[int, dict[str, Any]]:
    return {line["line"]: line for page in reading["pages"] for line in page["lines"]}
def rule_6_readings(record: Record) -> None:
    names = ("kind", "struck", "text", "order", "state", "box")
    for before, after in record.pairs("reading"):
        old, new = lines_of(before), lines_of(after)
        for key, line in old.items():
            if after.rule("C6", key in new, f"line {key}, read in entry {before.n}, is gone"):
                stays = all(line[name] == new[key][name] for name in names)
                after.rule("C6", line["kind"] == "part" or stays, f"line {key} differs from entry {before.n}")
        after.rule("C6", not old or all(new[key]["kind"] == "part" for key in new.keys() - old.keys()),
                   f"lines were added to the sheet that entry {before.n} read")


def settle(line: dict[str, Any], decisions: list[dict[str, Any]], review: str) -> tuple[str, Any]:
    """State and order of a line after its standing decisions, oldest first. Where a phase asks for two
    readers, the newest decision counts once another person's newest says the same."""
    read = line["state"], line["order"]
    if review == "none" or not (decisions or read[0] == "open" or (review, read[0]) == ("all", "auto")):
        return (decisions[-1]["says"], decisions[-1]["order"]) if decisions else read
    alone = max((k for k, decision in enumerate(decisions) if decision["settles"]), default=-1)
    votes = decisions[-1:]
    if alone != len(decisions) - 1 or alone < 0:
        since = decisions[alone + 1:]
        newest = {decision["by"]: decision for decision in since if decision["says"] != "open"}
        votes = [decision for decision in since if newest.get(decision["by"]) is decision
                 and decision["says"] != "skipped"]

    def meaning(decision: dict[str, Any]) -> Any:
        if decision["says"] != "read":
            return decision["says"]
        return decision["order"] or " ".join(str(decision["text"]).casefold().split())

    if votes and (votes[-1]["settles"] or meaning(votes[-1]) in [meaning(vote) for vote in votes[:-1]]):
        return votes[-1]["says"], votes[-1]["order"]
    return "open", line["order"]


def rules_6_7_lines(judged: Entry, clock: dict[str, Any]) -> None:
    """Every line of an executed sheet is settled, and just the orders of those that count were judged."""
    record = judged.record
    sheets, readings = record.last("sheet", judged.n), record.last("reading", judged.n)
    decisions: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for decision in sorted(record.last("decision", judged.n).values(), key=lambda each: each["decision"]):
        if decision["taken_back"] is None:
            decisions[decision["line"]].append(decision.tells)
    settled: dict[int, tuple[str, str]] = {}
    for power, key in judged["executed"].items():
        reading, sheet = readings.get(str(key)), sheets.get(str(key))
        if not judged.rule("C6", reading and sheet, f"the sheet of {power} was judged without a reading"):
            continue
        judged.rule("C6", {page["photograph"] for page in reading["pages"]} == set(sheet["photographs"]),
                    f"not every photograph of the sheet of {power} was read, or another was")
        for number, line in lines_of(reading).items():
            state, order = settle(line, decisions[number], clock["review"])
            judged.rule("C7", state not in ("open", "skipped"), f"line {number} of {power} is not settled")
            if state in ("auto", "read") and order is not None:
                settled[number] = power, order
                judged.rule("C7", line["kind"] != "part" or decisions[number],
                            f"line {number} of {power} was cut out by a person and was not decided")
    ordered: dict[int, list[Any]] = defaultdict(list)
    for each in judged["orders"]:
        power, order = settled.get(each["line"], ("", ""))
        judged.rule("C7", (each["power"], each["written"]) == (power, order)
                    and each["order"] in (None, *order.split("; ")),
                    f"{each['order'] or each['written']} of {each['power']} is not what its line was read as")
        ordered[each["line"]].append(each["order"])
    for number, (power, order) in settled.items():
        judged.rule("C7", None in ordered[number] or sorted(ordered[number]) == sorted(order.split("; ")),
                    f"{order} of {power}, on line {number}, was not judged, or otherwise")


def rule_8_decisions(record: Record) -> None:
    roles: dict[str, Any] = {}
    known: set[str] = set()
    for entry in record.all:
        tells = entry.tells
        may = not roles or roles.get(tells.get("by")) not in (None, "operator")
        if entry.kind == "person":
            roles[tells["name"]] = tells["role"]
        elif entry.event in DESK:
            may |= str(tells["by"]).startswith("galloper")
            entry.rule("C8", may, f"{tells['by']} did this and had no right to")
        elif entry.kind == "decision":
            again = entry.key in known and tells["taken_back"] is None
            known.add(entry.key)
            entry.rule("C8", again or abs(time(tells["taken_back"] or tells["at"]) - entry.entered) <= SLACK,
                       "a decision was entered at another time than it names")
            entry.rule("C8", may, f"{tells['by']} decided and had no right to")
            clock = record.clock(entry)
            now = clock.get("state")
            entry.rule("C8", now in ("closed", "ready") or (now == "open" and clock["unsealed"]),
                       "a line was decided while the sheets were sealed, or after the results")


def rules_9_to_13_phases(record: Record) -> None:
    steps = ("waiting", "open", "closed", "ready", "sent")
    for before, after in record.pairs("phase"):
        old, new, rule, acted, act = before.tells, after.tells, after.rule, after.acted, after.act
        was, now, step = old["state"], new["state"], (old["state"], new["state"])
        back = now in ("closed", "waiting") and act("results_taken_back")
        rule("C9", was != "sent" or now == "sent" or back, "a phase was opened again after its results")
        acted("C9", steps.index(now) >= steps.index(was) or back or (
            step == ("ready", "closed") and act(*TAKES_BACK)) or (
            now == "open" and act("deadline_moved") and after.waited(old)), "a phase went back")
        if step == ("open", "closed"):
            rule("C9", after.entered >= time(new["deadline"]) - SLACK, "a phase closed before its deadline")
            acted("C9", act("phase_closed", within=1 << 60), "a phase was closed")
        rule("C9", step != ("ready", "sent") or act("results_approved", within=1 << 60),
             "results were sent without an approval on record")
        acted("C9", old["unsealed"] == new["unsealed"] or (old["unsealed"] is None and act("phase_unsealed")),
             "a phase was unsealed")
        if (old["opens"], old["deadline"]) != (new["opens"], new["deadline"]):
            acted("C10", act("deadline_moved", "year_moved"), "a deadline was moved")
            # Nobody is asked in a phase that has not opened, and one that waits is still sealed.
            in_time = after.entered <= time(old["deadline"]) + SLACK or was == "waiting" or after.waited(old)
            rule("C10", in_time and time(new["deadline"]) >= after.entered - SLACK,
                 "a deadline was moved once it had passed, or into the past")
            # A pause and a holiday are told in a letter of their own.
            kinds = ["deadline_moved"] + ["announcement"] * act("game_paused", "coordinator_away")
            is_told = any(letter.n > after.n - 40 for letter in record.letters(*kinds))
            rule("C10", not record.whole or is_told, "no letter tells of the move")
        rule("C11", old["position"] in (None, new["position"]) or (back and not new["position"]) or act(
            "board_corrected"), f"the board of phase {after.phase} was changed")
        drew, draws = old["draw"] or {}, new["draw"] or {}
        acts = [name for name in ("seed_lost", "beacon_given_up") if drew.get(name) != draws.get(name)]
        acted("C23", drew == draws or (drew and draws and all(drew[name] == draws[name] for name in (
            "beacon", "rule")) and all(map(act, acts))),
            f"how the lots of phase {after.phase} are drawn was changed")
        acted("C13", old["review"] == new["review"] or act("option_changed"), "how lines are read changed")


def rule_9_judgings(record: Record) -> None:
    came_from = {new.phase: old["state"] for old, new in record.pairs("phase") if new["state"] == "sent"}
    for judged in record.of("judged"):
        clock = record.clock(judged)
        if not clock:
            continue
        taken_back = "taken_back" in judged.tells
        judged.rule("C9", clock["state"] != "sent" or (taken_back and judged.act("results_taken_back")),
                    "a phase was judged again, or taken back, after its results")
        if taken_back:
            judged.acted("C9", judged.act(*TAKES_BACK, "deadline_moved"), "a judging was taken back")
            # A retreat that was judged may have none to ask for in results that replace others.
            judged.rule("C9", judged.phase not in record.sent or came_from[judged.phase] == "waiting" or any(
                entry.n > judged.n and entry.phase == judged.phase for entry in record.final),
                "a judging was taken back, and its results were sent")
        else:
            judged.rule("C9", clock["state"] in ("closed", "ready") and judged.entered >= time(
                clock["deadline"]) - record.slack(judged.entered), "a phase was judged before its deadline")
            judged.acted("C9", not record.whole or judged.act("phase_judged"), "a judging was changed")


def rule_11_boards(record: Record) -> None:
    """Each phase is judged on its board, and begins where the one before ended."""
    boards = {phase.phase: phase for phase in record.last("phase").values() if phase["position"]}
    for judged in record.final:
        board, left = boards.get(judged.phase), judged["resolution"]
        judged.rule("C11", not board or sha(canonical(judged["position"])) == board["position"],
                    f"phase {judged.phase} was judged on another board than the one entered")
        later = boards.get(min((phase for phase in boards if phase > judged.phase), default=None))
        after = {"format": left["format"], "position": left["resolution"]["position"]}
        # A players' archive keeps some phases closed; one may lie between these two.
        if later and (record.whole or all(after["position"]["phase"][name] == later[name] for name in (
                "season", "year", "kind"))):
            later.rule("C11", sha(canonical(after)) == later["position"] or record.is_corrected(later.tells),
                       f"phase {later.phase} does not begin where phase {judged.phase} ended")


def rules_21_23_plans(record: Record) -> None:
    for key in record.of("key"):
        key.acted("C21", key["number"] == 1 or key.act("key_changed"), "receipts got another key")
    for first in record.firsts("phase"):
        first.rule("C23", re.fullmatch("[0-9a-f]{64}", str(first["lots"])),
                   f"phase {first.phase} is planned without the digest of a seed for its lots")
        games = record.of("game", first.n)
        first.rule("C23", not games or bool(first["draw"]["beacon"]) == bool(
            games[-1]["options"].get("beacon")),
            f"phase {first.phase} does not draw with the beacon that the game names")


def rule_13_game(record: Record) -> None:
    """Each act names what it changes, so that none is a cover for another change."""
    acts = {"coordinator": "coordinator_changed", "return_address": "return_address_changed"}
    words = {"auto_score": "lines_without_a_look"}
    for before, after in record.pairs("game"):
        old, new = before["options"] or {}, after["options"] or {}
        for name in sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name)):
            after.acted("C13", after.act("option_changed", option=words.get(name, name)) or (
                name in acts and after.act(acts[name])), f"the option {name} was changed")
        after.acted("C13", all(before[name] == after[name] for name in ("name", "aliases"))
                   or after.act("option_changed"), "the name of the game was changed")
    for before, after in record.pairs("seat"):
        power = after["power"]
        after.acted("C13", before.tells == after.tells or after.act("seat_changed", power=power),
                    f"{power} got another player")


def rule_13_addresses(record: Record) -> None:
    """Sheets may come by each: an act names each new address or link, and each address that went."""
    for before, after in record.pairs("addresses"):
        old, new, player = before.tells, after.tells, after["player"]
        powers = sorted(power for power, holder in record.holders(after.n).items() if holder == player)
        names, took_seat = ", ".join(powers), after.act("seat_changed", to=player)
        for act, digests in (("address_added", set(new["addresses"]) - set(old["addresses"])),
                             ("address_removed", set(old["addresses"]) - set(new["addresses"]))):
            after.acted("C13", took_seat or all(after.act(act, address=key[:12]) for key in digests),
                       f"an address of {names} was changed")
        ends = dict(old["links"])
        after.acted("C13", all(until <= ends.get(key, "") for key, until in new["links"]) or any(
            after.act("upload_link_made", power=name) for name in (*powers, names)),
            f"a link to send sheets of {names} was made")


def rules_14_17_times(record: Record) -> None:
    newest, set_back = record.all[0], record.events("clock_set")
    deadlines = {time(phase["deadline"]) for phase in record.of("phase")}
    for entry in record.all:
        # A clock that was put right changes no order, unless a deadline comes a second time by it.
        if entry.entered < newest.entered - SLACK:
            between = any(entry.entered <= deadline < newest.entered for deadline in deadlines)
            tells = any(0 <= event.n - entry.n <= 40 and newest.entered <= time(event.detail["from"]) + SLACK
                       and entry.entered >= time(event.detail["to"]) - SLACK for event in set_back)
            older = f"it was entered earlier than entry {newest.n}"
            if entry.rule("C14", tells or not between, f"{older}, and a deadline lies between"):
                note(MACHINE, f"entry {entry.n}: {older}: the site's clock was set back.")
            newest = entry if tells else newest
        newest = max(newest, entry, key=lambda each: each.entered)
        entry.rule("C14", entry.kind not in ("event", "correction")
                   or abs(time(entry["at"]) - entry.entered) <= SLACK,
                   "it names another time than the one at which it was entered")
        entry.rule("C17", entry.kind != "gone", f"a {entry.get('of')} was deleted from the database")
        entry.rule("C17", entry.event != "changed_by_hand", "rows were changed past the record")


def entries_to_tell(record: Record, judged: int, phase: int) -> list[int]:
    """Rule C15: the entries that the results of a phase must tell of. All about this phase up to its
    judging, and all since the judging before it that is of no phase, or of a phase that is over."""
    over = {each.phase: each.n for each in record.of("judged", judged + 1) if "taken_back" not in each.tells}
    before = max([n for other, n in over.items() if other != phase], default=0)
    deadlines: dict[int | None, str] = {}
    readable, known, was_judged, numbers = set(), set(), set(), []
    for entry in record.all:
        if entry.n > judged:
            break
        tells, first = entry.tells, (entry.kind, entry.key) not in known
        known.add((entry.kind, entry.key))
        if entry.kind == "phase":
            deadlines[entry.phase] = tells["deadline"]
            if tells["unsealed"] or tells["state"] not in ("waiting", "open"):
                readable.add(entry.phase)
        if entry.kind == "judged" and "taken_back" not in tells:
            was_judged.add(entry.phase)
        received = tells.get("received", "")
        worth_telling = {
            "decision": entry.phase in was_judged, "event": entry.event not in HARMLESS, "gone": True,
            "person": deadlines and tells.get("role") not in (None, "operator"), "posted": first,
            "word": first and tells.get("mail") is None,
            "sheet": first and (entry.phase in readable or received > deadlines.get(entry.phase, received)),
        }.get(entry.kind)
        since = before < entry.n and (entry.phase is None or (
            entry.phase != phase and entry.n > over.get(entry.phase, judged)))
        if worth_telling and (entry.phase == phase or since):
            numbers.append(entry.n)
    return numbers


def left_seat(record: Record, n: int, power: str) -> bool:
    """Whether a power changed hands after an entry, or its player's address did."""
    went = record.events("address_removed", "letter_not_sent", "letter_readdressed", "forgotten")
    return n > record.log_until or any(event.n > n for event in went) or any(
        seat.n > n and seat["power"] == power for seat in record.of("seat"))


def may_have(letter: Entry, power: str) -> bool:
    """Whether a letter left for a power, or was cancelled because its player went."""
    return letter.key not in letter.record.cancelled or left_seat(letter.record, letter.n, power)


def rule_15_letters(record: Record) -> None:
    for correction in record.of("correction") if record.whole else ():
        informed = {power for letter in record.letters("correction") if abs(letter.n - correction.n) <= 40
                for power in letter["to"]}
        had = {power for letter in record.letters(*RESULTS, phase=correction.phase)
               if letter.n < correction.n for power in letter["to"]}
        missing = ", ".join(who for who in sorted(had - informed) if not left_seat(record, correction.n, who))
        correction.rule("C15", informed and not missing, f"no letter tells {missing or 'anyone'} of it")
    for event in record.events("results_taken_back", "board_corrected") if record.whole else ():
        near = [letter for letter in record.letters("announcement") if 0 < letter.n - event.n <= 40]
        event.rule("C15", near, "no letter tells of it")
    for letter in record.letters(*TO_ALL) if record.whole else ():
        others = {power for other in record.letters(letter["kind"]) if other.key != letter.key
                  and abs(other.n - letter.n) <= 40 for power in other["to"]}
        for power in set(letter["to"]) - others:
            letter.rule("C15", may_have(letter, power), f"a letter to all never left for {power}")
    for judged in record.final:
        # Of results that were taken back there are older letters, which may arrive later.
        results = [letter for letter in record.letters(*RESULTS, phase=judged.phase) if letter.n > judged.n]
        if judged.phase in record.sent and judged.rule("C15", results, "no letter has its results"):
            rule_15_everybody(judged, results)


def rule_15_everybody(judged: Entry, results: list[Entry]) -> None:
    """Who had a letter of this phase before its results, and still has the seat, gets the results."""
    record, ended, sent = judged.record, judged.record.last("letter"), results[0].n
    times = {power: time(str(ended[letter.key]["sent"])) for letter in results
             for power in letter["to"] if ended[letter.key]["sent"]}
    for power, moment in times.items():
        days = (moment - min(times.values())).days
        if days >= 2:
            note(MACHINE, f"entry {judged.n}: results left for {power} {days} days later than for others.")
    for power, seat in {seat["power"]: seat for seat in record.of("seat", sent)}.items():
        wrote = any(power in letter["to"] and seat.n < letter.n and letter.phase == judged.phase
                    for letter in record.of("letter", sent))
        gets = any(power in letter["to"] and may_have(letter, power) for letter in results)
        judged.rule("C15", not wrote or not seat["player"] or gets, f"no letter has results for {power}")


def rule_16_closed(record: Record) -> None:
    """What a players' archive may keep closed."""
    end = max([judged.n for judged in record.final if judged.phase in record.sent], default=0)
    heads = {n: str(head or "").partition(" ")[::2] for n, head in record.closed.items()}
    judgings = [judged.n for judged in record.of("judged")] + [n for n in heads if heads[n][0] == "judged"]
    judged_phases = {str(each.phase) for each in record.final} | {
        phase for kind, phase in heads.values() if kind == "judged"}
    open_judgings = {str(each.phase) for each in record.of("judged")}
    forgotten = {number for event in record.events("forgotten") for number in event.detail["entries"]}
    hides_nothing = record.manifest["variant"] in OPEN_GAMES
    closed: Counter[str] = Counter()
    for n, (kind, phase) in sorted(heads.items()) if not record.whole else ():
        over = phase == "-" or phase in map(str, record.sent)
        passed_over, past = kind in NOT_ASKED and phase not in judged_phases, over and n <= end
        for wrong, sentence in () if n in forgotten else ((not kind and n <= end, "of no kind that it names"),
            (over and kind and kind not in CLOSED and not passed_over, f"a {kind} of a phase that is over"),
            (kind == "mail" and n <= end, "a mail from before the last results"),
            (past and kind == "letter" and phase != "-", "a letter of a phase that is over"),
            (past and hides_nothing and kind in ("phase", "judged", "event"),
             f"a {kind}, though this game hides nothing"),
            (past and kind == "event" and not any(abs(n - judged) <= 4 for judged in judgings),
             "an event about no judging"),
            (past and kind == "phase" and phase in open_judgings, "a phase whose judging is open")):
            must(not wrong, f"entry {n}: it is {sentence}, and is closed (rule C16).")
        if kind and n not in forgotten:
            closed[kind + " of a phase that was passed over" * (over and passed_over) if over else
                   "of phases that are not over"] += 1
    if closed:
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(closed.items()))
        note(UNPROVED, f"entries that this players' archive keeps closed: {counts}.")


def rule_18_restores(record: Record) -> None:
    for event in record.events("restored"):
        event.rule("C18", (event.detail.get("entries"), event.detail.get("root")) == (
            event.n - 1, record.links[event.n - 1]),
            "a restore names another end of the record than the entry before it")
        note(TOLD, f"entry {event.n}: the site was restored from a backup; what came between was lost.")


def rule_20_forgotten(record: Record) -> None:
    for event in record.events("forgotten"):
        for phase in record.last("phase", event.n).values():
            # A game that hides something closes phases, too: that this one is over may be closed.
            closed = record.manifest["variant"] not in OPEN_GAMES and any(
                phase.n < number < event.n and head in (None, f"phase {phase.phase}")
                for number, head in record.closed.items())
            event.rule("C20", phase["state"] == "sent" or closed, "a player was forgotten during the game")
        numbers = event.detail["entries"]
        for number in numbers:
            kind = str(record.closed.get(number) or "aside").partition(" ")[0]
            must(kind in ("addresses", "aside", "seat"), f"entry {number}: a {kind} is forgotten (rule C20).")
        note(TOLD, f"entry {event.n}: {event.detail['player']} is forgotten, with {len(numbers)} entries.")


def rule_19_words(judged: Entry, clock: dict[str, Any]) -> None:
    record = judged.record
    # A phase that was opened again, or whose board was taken back, closes twice.
    closed = [after.n for before, after in record.pairs("phase")
              if after.phase == judged.phase and after.n < judged.n
              and (before["state"], after["state"]) == ("open", "closed")][-1:] or [judged.n]
    stamps = {mail.key: mail["stamped"] for mail in record.of("mail")}
    for word in record.of("word"):
        if word.phase == judged.phase:
            by_hand = word["mail"] is None
            word.rule("C19", word.n < closed[0] and not (by_hand and word.entered > time(clock["deadline"])),
                      f"a word of {word['power']} for the lots was entered after the deadline")
            word.rule("C19", by_hand or stamps.get(word["mail"]) == word["received"],
                      "a word for the lots came with no mail of that time")


def parts(data: bytes) -> list[tuple[int, bytes]]:
    """What a value in DER has in it: tags and contents (X.690)."""
    values, offset = [], 0
    while offset < len(data):
        tag, size, start = data[offset], data[offset + 1], offset + 2
        if size > 127:
            start += size - 128
            size = int.from_bytes(data[offset + 2:start])
        must(tag & 31 < 31 and start + size <= len(data), "a time stamp cannot be read (rule C24).")
        values.append((tag, data[start:start + size]))
        offset = start + size
    return values


def stamp_of(reply: bytes) -> tuple[bytes, datetime]:
    """Of an authority's reply (TimeStampResp, RFC 3161) the digest that it stamped, and when."""
    status, token = parts(parts(reply)[0][1])[:2]
    must(parts(status[1])[0][1] in (b"\0", b"\1"), "a time stamp was refused by its authority (rule C24).")
    signed = parts(parts(parts(token[1])[1][1])[0][1])
    info = parts(parts(parts(parts(signed[2][1])[1][1])[0][1])[0][1])
    when = next(content.decode() for tag, content in info if tag == 0x18)
    instant = datetime.strptime(when[:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    return parts(info[2][1])[1][1], instant


def rule_24_stamps(record: Record) -> None:
    stamped = record.events("root_stamped")
    for event in stamped:
        covered = event.detail["entry"]
        event.rule("C24", 0 < covered < event.n and record.links[covered] == event.detail["root"],
                   f"its time stamp is of another root than that of entry {covered}")
        digest, instant = stamp_of(base64.b64decode(event.detail["reply"]))
        event.rule("C24", digest.hex() == sha(event.detail["root"]), "its time stamp is of something else")
        event.rule("C24", abs(instant - event.entered) <= record.slack(event.entered),
                   f"the authority stamped at {instant}, and the record says {event.entered}")
        entered_at = record.entries[covered - 1].get("body", {"entered": None})["entered"]
        event.rule("C24", entered_at is None or time(entered_at) <= instant + SLACK,
                   f"its time stamp is older than entry {covered}, which it covers")
    if stamped:
        last = max((event.detail for event in stamped), key=lambda detail: int(detail["entry"]))
        note(UNPROVED, f"an authority outside ({last['authority']}) saw the root of entry {last['entry']} at "
             f"{last['time']}. Stamps: {len(stamped)}. Ask openssl about their signatures (--stamps).")
        phases = {event.detail["phase"] for event in stamped}
        for phase in sorted(phase for phase in record.sent - phases if min(phases) < phase < max(phases)):
            note(UNPROVED, f"the results of phase {phase} have no time stamp, though others have.")


def write_stamps(archive: Path, folder: Path) -> None:
    """Each time stamp as a file, and the root that it is of, for any program that knows RFC 3161."""
    folder.mkdir(parents=True, exist_ok=True)
    for event in Record(zipfile.ZipFile(archive)).events("root_stamped"):
        file = folder / f"{int(event.detail['entry']):06}"
        file.with_suffix(".tsr").write_bytes(base64.b64decode(event.detail["reply"]))
        file.with_suffix(".root").write_text(event.detail["root"])
        print(f"openssl ts -verify -data {file}.root -in {file}.tsr -CAfile CERTIFICATE")


# 7. The judge, the seal, the names of the letters. ------
def judge_again(record: Record) -> None:
    """The judge, run as a separate program, says the same again of each phase."""
    judged = list(record.judged.values())
    cases = [(n, phase) for n, phase in judged if phase["case"] is not None]
    for n, phase in cases:
        results, answer = ([(order["result"], order["why"]) for order in orders]
            for orders in (phase["orders"], phase["answer"]["orders"]))
        must(results == answer, f"entry {n} gives other results than the judge did.")
    tables = [name for name in record.files.namelist() if name.startswith("board/")]
    if any(name.endswith(".py") for name in tables):
        note(UNPROVED, "the game has rules of its own, a program in board/rules, so no phase was judged "
                       "again. Read it before you run it.")
        return
    program = shutil.which(os.environ.get("GALLOPER") or "galloper")
    if not program:
        tell("No phase was judged again: the program `galloper` is not installed.")
        return
    with TemporaryDirectory() as folder:
        board = Path(folder, record.manifest["variant"])
        board.mkdir()
        for name in tables:
            (board / Path(name).name).write_bytes(record.files.read(name))
        completed_process = subprocess.run([program, "adjudicate", "--variant", record.manifest["variant"]],
            capture_output=True, text=True, check=False,
            env=os.environ | ({"GALLOPER_BOARDS": folder} if tables else {}),
            input="\n".join(json.dumps(phase["case"]) for _, phase in cases))
    answers = [json.loads(line) for line in completed_process.stdout.split("\n") if line]
    must(len(answers) == len(cases), f"the judge did not answer: {completed_process.stderr.strip()[:200]}")
    for (n, phase), answer in zip(cases, answers, strict=True):
        must(answer == phase["answer"], f"entry {n}: the judge now gives other results.")
    tell(f"{len(cases)} of {len(judged)} phases were judged again, with the same results.")


def check_seal(path: Any) -> None:
    """The file ends with the SHA-256 of everything before it, as 64 hexadecimal digits."""
    with path.open("rb") as file:
        left, seal = path.stat().st_size - 64, hashlib.sha256()
        while left > 0 and (part := file.read(min(left, CHUNK))):
            left -= len(part)
            seal.update(part)
        must(file.read() == seal.hexdigest().encode(),
             "the file is damaged or cut off: nothing counts, from entry 1 on.")


def letters_named(words: list[str]) -> Letters:
    """The files that the command line names; a terminal of Windows leaves *.eml as it is."""
    named = {word: [Path(word)] if Path(word).is_file() else sorted(Path(word).parent.glob(Path(word).name))
             for word in words}
    for word in [word for word, paths in named.items() if not paths]:
        note(UNPROVED, f"there is no file {word}: no letter was compared.")
    return [(str(path), path.read_bytes()) for paths in named.values() for path in paths]


# 8. The program: everything in its turn. ------
def read_record(path: Any) -> Record:
    """Check the seal, the chain, the files and what was judged. `path` is a Path, or opens like one."""
    check_seal(path)
    files = zipfile.ZipFile(path.open("rb"))
    must(len(set(files.namelist())) == len(files.namelist()), "two files in it have one name.")
    must(sha(files.read("words.txt")) == WORDS, "words.txt is another list than that of BIP 39.")
    record = Record(files)
    record.check_files()
    for judged in record.final:
        check_all(*(partial(each, judged, record.clock(judged)) for each in (
            check_lots, rule_1_ballots, rules_6_7_lines)))
    check_all(partial(rule_11_boards, record))
    return record


def check(path: Any, letters: Letters) -> Record:
    """Check an archive, its letters and those that players kept, and its keeper's conduct. What is wrong is
    in `alarms`, the worst first: what contradicts a letter, then what breaks a rule."""
    record = read_record(path)
    archived = ((name, record.files.read(name)) for name in record.files.namelist()
                if name.startswith("letters/"))
    check_all(partial(check_pool, letters, record))
    copies: dict[str, tuple[str, list[str]]] = {}
    for name, data in (*archived, *letters):
        try:
            check_all(partial(check_letter, name, data, record))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            alarms.append(f"{name}: its file has another form than the site writes ({error}).")
        message, words = words_of(data)
        content = (words, sorted(sha(payload_of(part)) for part in message.iter_attachments()))
        if copies.setdefault(str(message["Message-ID"] or name), content) != content:
            note(UNPROVED, f"{name} has other words or files than its copy in the archive. If no mail "
                           "program on its way adds any, ask the coordinator which of the two was sent.")
    for reason, paths in unplaced.items():
        note(UNPROVED, f"{reason}: {', '.join(paths)}.")
    check_conduct(record)
    if "README.txt" in record.files.namelist() and sha(record.files.read("README.txt")) != README:
        note(UNPROVED, "README.txt is not the one that archives of this checker have: do not follow it.")
    return record


def main() -> str:
    """Check everything, and print what is no alarm; the sentence at the end if there is none."""
    must(len(sys.argv) > 1, "say which archive: python3 verify_record.py ARCHIVE [LETTER.eml ...]")
    if sys.argv[1] == "--receipt":
        receipt, *sheets = [(name, Path(name).read_bytes()) for name in sys.argv[2:]]
        check_receipt_alone(receipt, sheets)
        return ""
    if sys.argv[1] == "--stamps":
        must(len(sys.argv) == 4, "name the archive, and a folder for its time stamps.")
        write_stamps(Path(sys.argv[2]), Path(sys.argv[3]))
        return ""
    record = check(Path(sys.argv[1]), letters_named(sys.argv[2:]))
    check_all(partial(judge_again, record))
    opened = sum(map(len, record.facts.values()))
    name, entries, root = record.manifest["name"], len(record.entries), record.links[-1]
    return f"{name}: {entries} entries, {opened} of them open, unbroken. Root {root}"


def run() -> None:
    """Run the program; it ends with what each kind of sentence means, and all alarms, never a traceback."""
    sentences.clear()
    last = ""
    try:
        last = main()
    except Alarm as alarm:
        alarms.append(str(alarm))
    except (KeyError, TypeError, ValueError, IndexError, zipfile.BadZipFile) as error:
        alarms.append(f"this is no archive of a game ({type(error).__name__}: {error}).")
    wrong = [ALARM + plain(sentence) for sentence in dict.fromkeys(alarms)]
    for sentence in sentences:
        print(sentence)
    for kind, meaning in MEANING.items():
        if any(sentence.startswith(kind) for sentence in [*sentences, *wrong]):
            print(f"({kind.strip(' :')}) {meaning}")
    if wrong:
        raise SystemExit("\n".join(wrong))
    print(plain(last), end="\n" if last else "")


if __name__ == "__main__":
    run()
