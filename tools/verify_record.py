"""Check a game's archive against itself, against the letters you kept, and against the judge.

    python3 verify_record.py ARCHIVE [LETTER.eml ...]     (the letters of several players together)
    python3 verify_record.py --receipt RECEIPT.eml [SHEET.eml or PHOTOGRAPH ...]
    python3 verify_record.py --stamps ARCHIVE FOLDER      (the time stamps as files, for openssl)

It is one file that needs Python's standard library alone, so that a player can read all of it and run it
(TRU-08). It prints all that it notices, the worst first, in four kinds of sentence (TRU-12). If the program
`galloper` is installed, that judges every phase again; `galloper verify` runs this file. docs/record.md
describes the format and says what each check relies on; the rules C1 to C25, about the conduct of the
record's keeper, have the same numbers there and here. Its parts, in order, each with its first function and
the rules that it checks:

    1. Words that every part uses                                    sha
    2. The chain, and the files that it names                        read_chain    C20
    3. Each phase: its sheets, its orders, its lots                  check_phase   C23
    4. What a letter says, and whether the record says the same      receipts_of   C14, C16, C22, C23
    5. Signed receipts, and the letters of several players together  add           C21, C22
    6. The conduct of the keeper, a function for each rule or two    time          C1 to C21, C23, C24
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
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

# 1. Words that every part uses. ------
HEX = r"(?:with this (?:digest|root)|mit (?:diesem Prüfwert|dieser Wurzel)): ([0-9a-f]{64})"
FOLDERS = ("photographs", "pictures", "mails", "letters")
OTHER_FILES = ("README.txt", "words.txt", "manifest.json", "record.jsonl", "tables.jsonl")
README = "8d546b14c1697321773f9edfe67b8b633a961ac6d6e259335795a855da9841fa"
"""The digest of the README.txt that is in every archive."""
WORDS = "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda"
"""That of its words.txt, the English list of BIP 39, by which letters name a root."""
Facts = list[tuple[int, dict[str, Any]]]  # what entries of one kind say, each with its number
Letters = list[tuple[str, bytes]]  # mails with the names of their files
tell = print  # where every sentence goes that is no alarm
ALARM = "NOT AS IT SHOULD BE: "
TOLD, MACHINE, UNPROVED = "To know, told: ", "To know, a machine: ", "To know, not proved: "
"""How the four kinds of sentence begin: forged or withheld; changed, and told by results; a fault of a clock
or a machine; not to be proved with these files."""
MEANING = {
    ALARM: "The record contradicts itself or your letters, so results that rest on it cannot be trusted. "
           "Send the sentence to all players, and ask the coordinator which of the two is right, and why.",
    TOLD: "A person changed this, and every player can read of it in the results. It is no fault. If you do "
          "not know the reason, ask the coordinator.",
    MACHINE: "A clock or a program did this, and no order counts otherwise for it. Ask the coordinator "
             "whether it was put right.",
    UNPROVED: "These files can neither confirm nor deny this. It becomes an answer with the file or the "
              "letter that the sentence names.",
}
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


class Record(NamedTuple):
    """An archive whose chain and files fit: facts by kind; leaf, link and parts of each entry (the first leaf
    and link are before entry 1); and of each phase the judging that stands, with its number."""

    files: zipfile.ZipFile
    manifest: dict[str, Any]
    facts: dict[str, Facts]
    leaves: list[str]
    links: list[str]
    entries: list[dict[str, Any]]
    judged: dict[int, tuple[int, dict[str, Any]]]

    @property
    def whole(self) -> bool:
        return bool(self.manifest["edition"] == "whole")


def latest(facts: Facts, before: int, key: str, value: Any) -> dict[str, Any]:
    """The last fact about one thing before an entry; {} if there was none."""
    return next((fact for n, fact in reversed(facts) if n < before and fact[key] == value), {})


# 2. The chain, and the files that it names. ------
def read_chain(
    lines: list[str], manifest: dict[str, Any]
) -> tuple[dict[str, Facts], list[str], list[str], list[dict[str, Any]]]:
    """Facts by kind, leaves, links, and entries: every entry gives its leaf, a leaf and the link before it
    give the next link, and the last link is the root."""
    facts: dict[str, Facts] = defaultdict(list)
    entries = []
    # Rule C20: the words of these were deleted because their player is forgotten.
    forgotten = {number for line in lines if '"forgotten"' in line
                 for number in json.loads(line).get("body", {"tells": {}})["tells"].get("detail", {}).get(
                     "entries", []) if json.loads(line)["body"]["tells"].get("event") == "forgotten"}
    leaves, links = [""], [sha(f"galloper record 2\n{manifest['game']}")]
    for n, line in enumerate(lines, 1):
        must(line.startswith("{") and line.endswith("}"), f"entry {n} cannot be read.")
        entry = json.loads(line)
        must(entry["n"] >= n, f"entry {entry['n']} is there twice: the chain has two heads.")
        must(entry["n"] == n, f"entry {n} is missing: entry {entry['n']} is in its place.")
        must(set(entry) - {"n", "leaf", "link"} in ({"salt", "body"}, {"head", "inner"}, set()),
             f"entry {n} has other parts.")
        # An archive for players leaves out the bodies of what is not theirs; the leaf still proves the chain.
        must("body" in entry or manifest["edition"] == "players" or n in forgotten,
             f"entry {n} is closed in a whole archive.")
        if "body" in entry:
            must(set(entry["body"]) == {"what", "fact", "entered", "tells"}, f"entry {n} has another form.")
            entry["inner"] = sha(f"{entry['salt']}\n{canonical(entry['body'])}")
            phase = entry["body"]["tells"].get("phase")
            entry["head"] = f"{entry['body']['what']} {phase if isinstance(phase, int) else '-'}"
        if "inner" in entry:
            must(sha(f"{entry['head']}\n{entry['inner']}") == entry["leaf"], f"entry {n} was changed.")
        if "body" in entry:
            facts[entry["body"]["what"]].append((n, entry["body"]["tells"]))
        entries.append(entry)
        leaves.append(entry["leaf"])
        links.append(sha(f"{links[-1]}\n{n}\n{entry['leaf']}"))
        must(entry["link"] == links[-1], f"entry {n} does not follow on the one before it.")
    must((manifest["entries"], manifest["root"]) == (len(lines), links[-1]),
         f"the record ends at entry {len(lines)}, not where the manifest says.")
    return facts, leaves, links, entries


def named_files(facts: dict[str, Facts]) -> dict[tuple[str, str], int]:
    """Every file that the record names, by folder and digest, with the first entry that names it."""
    named = [(n, "photographs", key) for n, sheet in facts["sheet"] for key in sheet["photographs"]]
    named += [
        (n, "pictures", page["upright"])
        for n, reading in facts["reading"] for page in reading["pages"] if page["upright"]
    ]
    named += [(n, "mails", mail["mail"]) for n, mail in facts["mail"]]
    named += [(n, "letters", letter["message"]) for n, letter in facts["letter"]]
    return {(folder, key): n for n, folder, key in reversed(named)}


def check_files(files: zipfile.ZipFile, manifest: dict[str, Any], facts: dict[str, Facts]) -> None:
    """Every file is what an entry names, and a whole archive has all that are named."""
    begun = facts["begun"][0][1]
    names = (begun["game"], begun["variant"], facts["game"][-1][1]["name"])
    must(names == (manifest["game"], manifest["variant"], manifest["name"]),
         "entry 1 is of another game than manifest.json.")
    missing = named_files(facts)
    boards = {(phase["phase"], phase["position"]) for _, phase in facts["phase"]}
    for name in files.namelist():
        folder, _, rest = name.partition("/")
        if folder in FOLDERS:
            key = rest.partition(".")[0]
            must((folder, key) in missing and manifest["edition"] == "whole",
                 f"{name} was put in: no entry names it.")
            must(sha(files.read(name)) == key, f"{name}, of entry {missing[folder, key]}, was changed.")
            missing.pop((folder, key))
        elif folder == "board":
            must(re.fullmatch(r"(rules/)?[\w-]+\.(csv|toml|lark|py)", rest), f"{name} is no part of a board.")
        elif folder == "positions":
            board = int(rest[:3]), sha(canonical(json.loads(files.read(name))))
            must(board in boards, f"{name} is not the board entered.")
        else:
            must(name in OTHER_FILES, f"{name} is no part of an archive.")
    tables = {name.removeprefix("board/"): sha(files.read(name)) for name in files.namelist()
              if name.startswith("board/")}
    must(begun["board"] == (sha(canonical(tables)) if tables else None),
         "the tables in board/ are not those of the board that entry 1 names.")
    gone = {key for _, event in facts["event"] if event["event"] == "forgotten" for key in
            event["detail"]["files"]}
    for (folder, key), n in missing.items():
        must(manifest["edition"] == "players" or key in gone,
             f"the {folder[:-1]} {key[:12]} of entry {n} is missing.")


# 3. Each phase: its sheets, its orders, its lots (rule C23). ------
def check_phase(facts: dict[str, Facts], n: int, judged: dict[str, Any]) -> None:
    """Every sheet that counted was the right one and in time; every order was read in the ink of one of its
    lines; the lots come from the seed."""
    phase, where = judged["phase"], f"entry {n} (phase {judged['phase']})"
    lines: dict[int, tuple[str, list[str | None]]] = {}
    deadline = latest(facts["phase"], n, "phase", phase)["deadline"]
    first_counts = [game["options"].get("first_counts") for number, game in facts["game"] if number < n][-1]
    for power, key in judged["executed"].items():
        sheets = sheets_of(facts["sheet"], n, phase, power)
        must(key in sheets, f"{where}: a sheet of {power} was never entered.")
        sheet = sheets[key]
        must(sheet["received"] <= deadline, f"{where}: a sheet of {power} came after the deadline.")
        rivals = [
            rival for rival in sheets.values() if rival["fate"] != "held" and rival["received"] <= deadline]
        must(all(worth(rival, first_counts) <= worth(sheet, first_counts) for rival in rivals),
             f"{where}: another sheet of {power} should have counted.")
        for page in latest(facts["reading"], n, "sheet", key).get("pages", []):
            must(page["photograph"] in sheet["photographs"],
                 f"{where}: a page of {power} is on no entered photograph.")
            lines |= {line["line"]: (power, [line["order"]]) for line in page["lines"]}
    check_orders(facts, n, judged["orders"], lines, where)
    check_lots(facts, n, phase, judged["lots"], deadline)


def sheets_of(entered: Facts, n: int, phase: int, power: str) -> dict[Any, dict[str, Any]]:
    """The sheets of a power in a phase as their last entries before entry n say: one that was filed anew is
    another power's."""
    last = {sheet["sheet"]: sheet for number, sheet in entered if number < n}
    return {key: sheet for key, sheet in last.items() if (sheet["phase"], sheet["power"]) == (phase, power)}


def worth(sheet: dict[str, Any], first_counts: Any) -> tuple[Any, ...]:
    """Its rank among the sheets of its power, the highest counts (rule C1): chosen; the version that it asks
    for, else its own; its own, 1 for a mail without one and 0 for a letter; the later receipt. Where the
    first counts: chosen, and the earlier receipt."""
    number = sheet["version"] if sheet["version"] is not None else int(sheet["mail"] is not None)
    if first_counts:
        return ("chosen" in sheet["flags"], -time(sheet["received"]).timestamp(), -sheet["sheet"])
    asks = number if sheet["asks"] is None else sheet["asks"]
    return ("chosen" in sheet["flags"], asks, number, sheet["received"], sheet["sheet"])


def check_orders(
    facts: dict[str, Facts], n: int, orders: list[dict[str, Any]],
    lines: dict[int, tuple[str, list[str | None]]], where: str,
) -> None:
    """Every order is what its line was read as, or what people decided about it last."""
    decisions = {decision["decision"]: decision for number, decision in facts["decision"] if number < n}
    for order in orders:
        power, readings = lines.get(order["line"], ("", []))
        must(power == order["power"], f"{where}: {order['order']} is on no line of its sheet.")
        decided = [
            decision["order"] for decision in decisions.values()
            if decision["line"] == order["line"] and decision["taken_back"] is None
        ]
        must(order["written"] in (decided or readings),
             f"{where}: {order['order']} is not what its line was read as.")
        must(order["order"] in [None, *order["written"].split("; ")],
             f"{where}: {order['order']} is not written there.")


def check_lots(facts: dict[str, Facts], n: int, phase: int, lots: dict[str, Any], deadline: str) -> None:
    """The seed's digest was entered before the deadline, and the lots come from what their rule mixes
    (docs/record.md, "Lots"; rule C23)."""
    plan = latest(facts["phase"], n, "phase", phase)["draw"]
    where, seed = f"entry {n}", lots["seed"]
    must(lots["rule"] == plan["rule"] == 2,
         f"{where}: its lots are drawn by another rule than the one committed (rule C23).")
    must(seed is not None or plan.get("seed_lost"),
         f"{where}: its seed was not opened, and nobody said that it is lost (rule C23).")
    committed = [
        number for number, entered in facts["phase"]
        if (entered["phase"], entered["lots"]) == (phase, sha(seed or ""))
        and entered["state"] in ("waiting", "open")
    ]
    must(seed is None or (committed and committed[0] < n),
         f"{where}: the digest of its seed was not entered before the deadline.")
    words = {
        word["power"]: word["word"] for _, word in facts["word"]
        if word["phase"] == phase and word["received"] <= deadline
    }
    words_in_time = [f"{power}: {words[power]}" for power in sorted(words)]
    lines = ["galloper lots 2", f"{facts['begun'][0][1]['game']} {phase}", f"seed {seed or 'lost'}"]
    if plan["beacon"] and not plan.get("beacon_given_up") and (lots["used"] or lots["beacon"]):
        check_round(where, plan["beacon"], lots, deadline)
        lines.append(f"beacon {lots['beacon']['round']} {lots['beacon']['randomness']}")
    else:
        must(lots["beacon"] is None, f"{where}: a beacon took part that was not named (rule C23).")
        must(lots["words"] == words_in_time, f"{where}: its words are not those entered.")
        must(lots["sheets"] == sheets_in_time(facts, phase), f"{where}: the sheets that took part in the "
             "lots are not those that came by mail before the phase was closed (rule C23).")
        lines += [*(f"word {word}" for word in lots["words"]),
                  *(f"sheet {sheet}" for sheet in lots["sheets"])]
    numbers = [int(sha("\n".join([*lines, str(k)]))[:8], 16) for k in range(1, lots["used"] + 1)]
    must(numbers == lots["numbers"], f"{where}: its lots do not come from its seed.")


def sheets_in_time(facts: dict[str, Facts], phase: int) -> list[str]:
    """Of each sheet of a phase the power and the mail's digest, as its first entry tells them: those that
    came by mail, by the deadline, and were entered before the phase was closed."""
    clock = [(n, fact) for n, fact in facts["phase"] if fact["phase"] == phase]
    closed = min([n for n, fact in clock if fact["state"] not in ("waiting", "open")], default=1 << 60)
    deadline = [fact["deadline"] for n, fact in clock if n < closed][-1]
    first = {sheet["sheet"]: (n, sheet) for n, sheet in reversed(facts["sheet"]) if sheet["phase"] == phase}
    return sorted(f"{sheet['power']}: {sheet['mail']}" for n, sheet in first.values()
                  if n < closed and sheet["mail"] and sheet["received"] <= deadline)


# drand's chain "quicknet": its hash, the time of its first round, the seconds between two, its public key.
QUICKNET = {
    "chain": "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    "genesis": 1692803367, "period": 3,
    "key": "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
           "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
}


def check_round(where: str, chain: dict[str, Any], lots: dict[str, Any], deadline: str) -> None:
    """The round of the beacon is the first one from ten minutes after the deadline on, and nothing else was
    mixed in. Its signature needs a pairing of curves: compare the round with a server of drand instead."""
    must(chain == QUICKNET, f"{where}: its beacon is none that everybody knows, so its keeper may know its "
                            "rounds ahead (rule C23).")
    beacon = lots["beacon"]
    must(beacon and not lots["words"] and not lots["sheets"],
         f"{where}: its lots are not drawn with the round of its beacon alone (rule C23).")
    seconds = int(time(deadline).timestamp()) + 600 - chain["genesis"]
    right = -(-seconds // chain["period"]) + 1
    must(beacon["round"] == right, f"{where}: its lots are drawn with round {beacon['round']} of the beacon; "
                                   f"the first one after the deadline is {right} (rule C23).")
    must(sha(bytes.fromhex(beacon["signature"])) == beacon["randomness"],
         f"{where}: round {right} of the beacon is not the digest of its signature (rule C23).")
    note(UNPROVED, f"{where} draws with round {right} of the public beacon, which is "
                   f"{beacon['randomness']}: compare it with any server of drand.")


# 4. What a letter says, in English or German, and whether the record says the same (rules C14, C16, C22 and
# C23). `names` is a pattern of the game's names. ------
def receipts_of(text: str, names: str) -> list[tuple[str, str, str]]:
    """The entries that receipts name: number, time stamp, digest."""
    return re.findall(rf"(?:On record in|Im Protokoll von) (?:{names}) (?:as entry|als Eintrag) (\d+), "
                      rf"(?:received|eingegangen) (\S+), {HEX}", text)


def roots_of(text: str, names: str) -> list[tuple[str, str]]:
    """The roots of the record that a letter names: number of entries, digest."""
    return re.findall(rf"(?:The record of|Das Protokoll von) (?:{names}) (?:has|hat) (\d+) "
                      rf"(?:entries up to|Einträge bis zu) [\w -]+, {HEX}", text)


def seeds_of(text: str) -> list[tuple[str, str, str]]:
    """The digests of seeds that a letter promises: phase, digest, what is mixed in: "sheets", the chain of a
    beacon, or nothing."""
    mixed = (r"(?: (?:Mixed in|Dazu kommen): (?:the digests of all mails with (sheets)|"
             r"die Prüfwerte aller Mails mit (Blättern))|"
             r" (?:Mixed in|Dazu kommt): [\w ]+\(drand, (?:chain|Kette) ([0-9a-f]{64})\))?")
    promised = (rf"\([Pp]hase (\d+)\) (?:will be drawn from a seed|werden gezogen aus einer Saat) "
                rf"{HEX}{mixed}")
    return [(phase, digest, "sheets" if english or german else chain)
            for phase, digest, english, german, chain in re.findall(promised, text)]


def versions_of(text: str) -> set[tuple[str, str]]:
    """The versions that results name as counted, "number" for a sheet without one, each with its mark."""
    named = re.findall(r"(?:[Vv]ersion |ohne Versions)(number|nummer|\d+), "
                       r"(?:mark|fingerprint|Fingerabdruck) (\w{4}) (\w{4}) (\w{4})", text)
    return {(version.replace("nummer", "number"), "".join(mark)) for version, *mark in named}


def words_of(data: bytes) -> tuple[Any, str]:
    """A mail, and its words in one line: mail programs wrap lines where they like."""
    message: Any = email.message_from_bytes(data, policy=email.policy.default)
    body = message.get_body(("plain", "html"))
    return message, " ".join(body.get_content().split()) if body else ""


def pattern_of(titles: Any) -> str:
    return "|".join(re.escape(" ".join(title.split())) for title in titles)


def names_of(record: Record) -> str:
    """A pattern of what letters call the game: its short name, and each name that it ever had."""
    return pattern_of({record.manifest["game"], *(entered["name"] for _, entered in record.facts["game"])})


def places_of(text: str, names: str) -> list[int]:
    """The numbers of the entries that a letter names."""
    return [int(numbers[0]) for numbers in receipts_of(text, names) + roots_of(text, names)]


def check_letter(path: str, data: bytes, record: Record) -> None:
    """What a letter names is in the record as it was mailed, and a photograph that you sent is the one
    entered."""
    (message, text), names = words_of(data), names_of(record)
    facts, leaves, links, entries = record.facts, record.leaves, record.links, record.entries
    end = len(entries)
    # 1. Receipts and roots.
    received = {n: sheet["received"] for n, sheet in facts["sheet"]}
    lost = restores_after(message, record)
    receipts, roots = receipts_of(text, names), roots_of(text, names)
    for number, digest in [(int(n), digest) for n, _, digest in receipts] + [(int(n), d) for n, d in roots]:
        for restore in [n for n in lost if n <= number and digest not in (leaves + links)]:
            note(TOLD, f"entry {number}, which {path} names, was lost by the restore of entry {restore}.")
            return
    for number in places_of(text, names):
        must(number <= end, f"the archive is older than {path}: it ends at entry {end}, and the letter "
                            f"names entry {number}.")
    for entry, stamp, digest in receipts:
        worth = check_signature(path, text, names, int(entry), stamp, digest, message, facts)
        must((leaves[int(entry)], received.get(int(entry), stamp)) == (digest, stamp),
             f"entry {entry} is not the one of the receipt {path}. {worth}")
        closed = entries[int(entry) - 1]
        phase = closed.get("head", "").partition(" ")[2]
        over = any(str(f["phase"]) == phase and f["state"] == "sent" for _, f in facts["phase"]) and (
            any(str(f["phase"]) == phase for _, f in facts["judged"])
            or any(line.get("head") == f"judged {phase}" for line in entries))
        must("body" in closed or "head" not in closed or (closed["head"].startswith("sheet ") and not over),
             f"entry {entry}, of the receipt {path}, is closed though its phase is over (rule C16).")
        must("body" not in closed or closed["body"]["what"] == "sheet",
             f"entry {entry} is no sheet, and {path} is a receipt for it.")
        say(path, f"entry {entry} is the sheet of this receipt, received {stamp}.")
    for entry, digest in roots:
        words = re.search(rf"{digest} (?:In four words|In vier Wörtern): ((?:[a-z]+ ){{3}}[a-z]+)\.", text)
        must(not words or words[1] == root_words(digest, record.files.read("words.txt").decode().split()),
             f"entry {entry}: the four words in {path} are not those of its root (rule C22).")
        must(links[int(entry)] == digest, f"the record up to entry {entry} is not the one that {path} names.")
        say(path, f"the record up to entry {entry} is the one mailed.")
        check_versions(path, text, facts, int(entry))
        check_arrival(path, message, entries[int(entry) - 1], facts)
        check_announced_entries(path, text, names, int(entry), entries)
    check_what_is_missing(path, message, text, names, facts, entries)
    check_sent(path, data, message, facts)
    # 2. Seeds. A letter without a root is of another game, whose phases have other seeds.
    if roots:
        check_seeds(path, text, facts, record.judged)


def check_sent(path: str, data: bytes, message: Any, facts: dict[str, Facts]) -> None:
    """What became of a mail that a player sent, and on which sheet its photographs are."""
    for n, mail in [(n, mail) for n, mail in facts["mail"] if mail["mail"] == sha(data)][-1:]:
        if mail["became"] != "used":
            note(UNPROVED, f"entry {n}: {path} was {mail['became']} ({mail['reason']}) and counts for "
                           "nothing. If it had orders, ask the coordinator why.")
    filed, pictures = False, False
    for part in message.walk():
        digest = sha(part.get_payload(decode=True) or b"")
        pictures |= part.get_content_maintype() == "image"
        for n, sheet in [(n, sheet) for n, sheet in facts["sheet"] if digest in sheet["photographs"]]:
            filed = True
            say(path, f"{part.get_filename() or 'its photograph'} is on the sheet of entry {n}, received "
                      f"{sheet['received']}.")
    if filed:
        for paths in unplaced.values():
            paths[:] = [other for other in paths if other != path]
    elif pictures and not (message["List-Id"] or path.startswith("letters/")):
        note(UNPROVED, f"{path} has pictures that are on no sheet of this archive. If its phase is over and "
                       "you have no receipt, ask the coordinator for your mail.")


def check_arrival(path: str, message: Any, line: dict[str, Any], facts: dict[str, Facts]) -> None:
    """Rule C14: an entry that a letter names is older than the letter, whose player's own mail server wrote
    down when it came; and results come after their deadline."""
    try:
        server = email.utils.parsedate_to_datetime(str(message["Received"] or "").rpartition(";")[2].strip())
        came = server.astimezone(UTC)
    except ValueError:
        return
    if "body" in line:
        tells = line["body"]["tells"]
        moments = [line["body"]["entered"]]
        if line["body"]["what"] == "judged":
            moments.append(latest(facts["phase"], line["n"], "phase", tells["phase"])["deadline"])
        must(max(map(time, moments)) <= came + SLACK + slack(facts["event"], came),
             f"entry {line['n']}: {path} names it and came before it was entered, or before its deadline "
             "(rule C14).")


def check_versions(path: str, text: str, facts: dict[str, Facts], n: int) -> None:
    """The versions that a results letter names as counted are those of its entry."""
    named = versions_of(text)
    for executed in [judged["executed"] for number, judged in facts["judged"] if number == n and named]:
        sheets = [latest(facts["sheet"], n, "sheet", key) for key in executed.values()]
        counted = {
            ("number" if sheet["version"] is None else str(sheet["version"]), sheet["mail"][:12])
            for sheet in sheets if sheet["mail"]
        }
        must(named == counted, f"entry {n} executed other sheets than {path} says.")
        say(path, f"the versions that it names as counted are those of entry {n}.")


def check_seeds(
    path: str, text: str, facts: dict[str, Facts], judged: dict[int, tuple[int, dict[str, Any]]]
) -> None:
    """The digests of seeds that a letter promised, and the seeds that it opened, are those of the record."""
    for phase, digest, mixed in seeds_of(text):
        entered = any((fact["phase"], fact["lots"]) == (int(phase), digest) for _, fact in facts["phase"])
        must(entered, f"the seed of phase {phase} is not the one in {path}.")
        plan = next((fact["draw"] for _, fact in facts["phase"] if fact["phase"] == int(phase)), None)
        planned = plan and (plan["beacon"]["chain"] if plan["beacon"] else "sheets")
        must(mixed == (planned or ""), f"the lots of phase {phase} are not mixed as {path} says (rule C23).")
        n, opened = judged.get(int(phase), (0, None))
        must(opened is None or sha(opened["lots"]["seed"] or "") == digest,
             f"entry {n}: the lots of phase {phase} are not from the seed in {path}.")
        say(path, f"the digest of the seed of phase {phase} is the one "
                  f"entered{' and opened' if opened else ''}.")
    for phase, seed in re.findall(r"drawn in phase (\d+), from the seed ([0-9a-f]{64})", text):
        # Also of a judging that was taken back since.
        must(any(str(fact["phase"]) == phase and fact.get("lots", {}).get("seed") == seed
                 for _, fact in facts["judged"]),
             f"phase {phase} has not the seed opened in {path}.")


# 5. Signed receipts (rule C21), and the letters of several players together (rule C22). Ed25519 as RFC 8032,
# section 6, has it: slow, and short enough to be read. ------
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


def proof_in(message: Any) -> dict[str, Any]:
    """The file receipt.json of a letter; {} if there is none."""
    for part in message.walk():
        if part.get_filename() == "receipt.json":
            proof = json.loads(part.get_payload(decode=True))
            return proof if isinstance(proof, dict) else {}
    return {}


def statement(game: str, entry: int, leaf: str, root: str, received: str, mail: str) -> bytes:
    return "\n".join(("galloper receipt 1", game, str(entry), leaf, root, received, mail)).encode()


def check_signature(
    path: str, text: str, names: str, entry: int, stamp: str, leaf: str, message: Any,
    facts: dict[str, Facts],
) -> str:
    """Rule C21: once a key is on record each receipt is signed with one. How much the signature is worth, in
    words for a sentence about the receipt."""
    game, where = facts["begun"][0][1]["game"], f"entry {entry}: the receipt {path}"
    keys = [(n, fact["public"]) for n, fact in facts["key"]]
    signature_line = re.search(
        rf"(?:Signed with the key of|Unterschrieben mit dem Schlüssel von) (?:{names}), "
        r"(?:fingerprint|Fingerabdruck) ([0-9a-f ]{19}): ([0-9a-f]{128})", text)
    if not signature_line:
        must(not any(n < entry for n, _ in keys), f"{where} is not signed, though the game's key was on "
                                                  "record: the site did not write it so (rule C21).")
        return ""
    matching_keys = [key for _, key in keys if fingerprint(key) == signature_line[1]]
    must(matching_keys, f"{where} is signed with a key that is not on record (rule C21).")
    mail = proof_in(message).get("mail") or next(
        (fact["mail"] for n, fact in facts["sheet"] if n == entry), "")
    root = next((digest for n, digest in roots_of(text, names) if n == str(entry)), "")
    signed = statement(game, entry, leaf, root, stamp, mail)
    must(any(is_signed(key, signed, signature_line[2]) for key in matching_keys),
         f"{where} has a signature that is not of the game's key: the site did not write it so (rule C21).")
    return "Its signature is the keeper's own"


def check_what_is_missing(
    path: str, message: Any, text: str, names: str, facts: dict[str, Facts], entries: list[dict[str, Any]]
) -> None:
    """Rule C21: the key of a welcome is on record; a letter of this game by which something is proved names
    its entry or its root, results that of a judging (C25); and what names nothing is said to do so."""
    marks = re.findall(rf"(?:Receipts of|Empfangsbestätigungen von) (?:{names}) "
                       r"[\w ]+: ([0-9a-f ]{19})", text)
    must(set(marks) <= {fingerprint(fact["public"]) for _, fact in facts["key"]},
         f"the key that {path} names is not on record (rule C21).")
    titles = {entered["name"] for _, entered in facts["game"]}
    slugs = {re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "game" for title in titles}
    kind = str(message["Message-ID"] or "").strip().lstrip("<").partition(".")[0]
    is_of_game = str(message["List-Id"] or "").strip().lstrip("<").partition(".")[0] in slugs
    named = receipts_of(text, names) if kind == "receipt" else roots_of(text, names)
    proving = ("receipt", "welcome", "handover", "draftresults", "finalresults", "yearendresults")
    must(named or not is_of_game or kind not in proving,
         f"{path} is a {kind} of this game and names no place in its record (rule C21).")
    for number, _ in roots_of(text, names) if is_of_game and kind in proving[3:] else ():
        line = entries[int(number) - 1]
        must(("body" not in line and "head" not in line) or line.get("head", "").startswith("judged "),
             f"entry {number}: {path} has results up to it, and it is no judging (rule C25).")
    if path.startswith("letters/"):
        return
    others = set(re.findall(r"(?:On record in|The record of|Im Protokoll von|Das Protokoll von) "
                            r"(.{1,200}?) (?:as entry|has|als Eintrag|hat) \d+", text))
    if not (message["From"] or message["Subject"] or message["Date"]):
        unplaced["no mail"].append(path)
    elif not receipts_of(text, names) and not roots_of(text, names):
        unplaced[f"about the record of {', '.join(sorted(others))}, another game" if others else
                 "a mail that names no place in the record"].append(path)


def check_pool(letters: Letters, record: Record) -> None:
    """Rule C22: letters of several players tell the same of one place, unless a restore lost one of them."""
    names = names_of(record)
    places: dict[tuple[str, int], dict[str, str]] = defaultdict(dict)
    for path, data in letters:
        _, text = words_of(data)
        for number, digest in roots_of(text, names):
            places["the record up to", int(number)][digest] = path
        for number, _, digest in receipts_of(text, names):
            places["the sheet of", int(number)][digest] = path
    restores = [n for n, event in record.facts["event"] if event["event"] == "restored"]
    for (place, n), digests in sorted(places.items()):
        versions = "; ".join(f"{digest[:12]} in {path}" for digest, path in sorted(digests.items()))
        must(len(digests) == 1 or any(restore <= n for restore in restores),
             f"two truths: {place} entry {n} is {versions} (rule C22).")


def root_words(root: str, words: list[str]) -> str:
    number = int.from_bytes(hashlib.pbkdf2_hmac("sha256", root.encode(), b"galloper words", 100_000, 8)) >> 20
    return " ".join(words[number >> shift & 2047] for shift in (33, 22, 11, 0))


def check_receipt_alone(receipt: tuple[str, bytes], sheets: Letters) -> None:
    """A receipt proves a sheet without any archive: the keeper signed its entry, and it has these
    photographs."""
    path, letter = receipt
    proof = proof_in(email.message_from_bytes(letter, policy=email.policy.default))
    must(proof, f"{path} has no file receipt.json: it is no signed receipt, or the file was lost on its way.")
    n, body = proof["entry"], proof["body"]
    signed = statement(proof["game"], n, proof["leaf"], proof["root"], proof["received"], proof["mail"])
    must(is_signed(proof["key"], signed, proof["signature"]),
         f"the signature of {path} is false: it was changed, or the site did not write it.")
    phase = body["tells"]["phase"]
    leaf = sha(f"{body['what']} {phase}\n" + sha(f"{proof['salt']}\n{canonical(body)}"))
    must((leaf, sha(f"{proof['before']}\n{n}\n{leaf}")) == (proof["leaf"], proof["root"]),
         f"entry {n}: salt and body in {path} do not give its digest or root.")
    must((proof["received"], proof["mail"]) == (body["tells"]["received"], body["tells"]["mail"] or "-"),
         f"entry {n}: {path} signs another mail or time than its entry has.")
    say(path, f"the keeper of {proof['game']} signed that a sheet of {body['tells']['power']} for phase "
              f"{phase} was received {proof['received']}, as entry {n}. Key {fingerprint(proof['key'])}: "
              "compare it with your welcome or any map.")
    for sheet, data in sheets:
        parts = [part.get_payload(decode=True) for part in email.message_from_bytes(data).walk()]
        digests = {sha(part) for part in (data, *parts) if isinstance(part, bytes)}
        must(digests & {proof["mail"], *body["tells"]["photographs"]},
             f"{sheet} has none of the photographs of entry {n}.")
        say(sheet, "it is the sheet of this receipt.")


# 6. The conduct of the keeper: rules C1 to C21, C23, C24 of docs/record.md. ------
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
letter_answered letter_done letter_logged letter_not_sent letter_readdressed letters_paused
letters_resumed letters_tried_again line_read_differently mail_command mail_given_up mail_ignored
mail_moved_elsewhere mail_quarantined mail_refused mail_sign_up mail_unreadable mail_used mail_waits_for_dns
mailbox_emptied offer_ended passkey_added passkey_removed person_added person_removed
person_signed_out phase_closed phase_judged phase_opened phase_rehearsed powers_drawn reading_failed
restore_tested results_approved results_corrected role_changed root_stamped sign_up_letter
sign_up_removed signed_out_elsewhere strays_forgotten upload_link_ended upload_links_ended
webhook_delivered webhook_failed work_failed
"""))  # results tell of every other event (docs/record.md, C15)
OPEN_GAMES = ("standard", "w3k", "bretwalda", "brittania", "war1648")  # their rules hide nothing
CLOSED = ("addresses", "aside", "reading", "decision", "judged", "phase", "event", "letter", "mail")
# What stays closed of a phase that was passed over: it was sent in for orders that nobody was asked for.
NOT_ASKED = ("sheet", "posted", "word")


def time(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


class Entry:
    """One open entry: number, kind, key of its fact, when it was entered, and what it tells."""

    def __init__(self, line: dict[str, Any]) -> None:
        body = line["body"]
        self.n, self.kind, self.key, self.tells = line["n"], body["what"], body["fact"], body["tells"]
        self.entered = time(body["entered"])
        self.phase = self.tells.get("phase") if isinstance(self.tells.get("phase"), int) else None


class Conduct:
    """The open entries, with the questions that the rules ask of them."""

    def __init__(self, entries: list[dict[str, Any]]) -> None:
        self.all = [Entry(line) for line in entries if "body" in line]
        self.closed = {line["n"]: line.get("head") for line in entries if "body" not in line}
        self.links = {line["n"]: line["link"] for line in entries}
        # A players' archive has the log up to the last results: what came after is checked with the next.
        sent = self.sent()
        last = [entry.n for entry in self.of("judged")
                if entry.phase in sent and "taken_back" not in entry.tells]
        self.log_until = float("inf") if len(self.all) == len(entries) else max(last, default=0)

    def of(self, kind: str, before: float = float("inf")) -> list[Entry]:
        return [entry for entry in self.all if entry.kind == kind and entry.n < before]

    def last(self, kind: str, before: float) -> dict[str, Entry]:
        """The last entry of each fact of a kind before an entry."""
        return {entry.key: entry for entry in self.of(kind, before)}

    def sent(self) -> set[int | None]:
        """The phases whose results are sent now: none that were taken back since."""
        return {phase.phase for phase in self.last("phase", float("inf")).values()
                if phase.tells["state"] == "sent"}

    def is_corrected(self, phase: dict[str, Any]) -> bool:
        """Whether the board of a phase was corrected by an act on record."""
        title = f"{phase['season']} {phase['year']} {phase['kind']}".casefold()
        return any(event.tells["event"] == "board_corrected"
                   and str(event.tells["detail"].get("phase")).casefold() == title
                   for event in self.of("event"))

    def pairs(self, kind: str) -> list[tuple[Entry, Entry]]:
        """Each entry that changes a fact, behind the one that it changes."""
        pairs: list[tuple[Entry, Entry]] = []
        before: dict[str, Entry] = {}
        for entry in self.of(kind):
            if entry.key in before:
                pairs.append((before[entry.key], entry))
            before[entry.key] = entry
        return pairs

    def act_at(self, entry: Entry, name: str) -> bool:
        """The same, however many letters lie between."""
        return entry.n > self.log_until or any(
            event.tells["event"] == name and abs(event.entered - entry.entered) <= TOGETHER
            for event in self.of("event"))

    def act(self, entry: Entry, *names: str, **detail: Any) -> bool:
        """Whether one of these acts was entered together with an entry."""
        return entry.n > self.log_until or any(
            event.tells["event"] in names and abs(event.n - entry.n) <= 40
            and abs(event.entered - entry.entered) <= TOGETHER
            and all(event.tells["detail"].get(name) == value for name, value in detail.items())
            for event in self.of("event"))


def waited(record: Conduct, entry: Entry, phase: dict[str, Any]) -> bool:
    """Whether a phase waited past its deadline, by the log, before an entry."""
    words = [str(phase[name]).casefold() for name in ("season", "year", "kind")]
    return any(event.tells["event"] == "deadline_waits_for_mailbox"
               and event.entered >= time(phase["deadline"]) - SLACK
               and all(word in str(event.tells["detail"].get("phase")).casefold() for word in words)
               for event in record.of("event", entry.n))


def rule(number: str, condition: Any, entry: Entry, sentence: str) -> bool:
    """Whether a rule is kept; what breaks it is kept as an alarm, and the check goes on."""
    if not condition:
        alarms.append(f"entry {entry.n}: {sentence} (rule {number}).")
    return bool(condition)


def check_conduct(archive: Record) -> None:
    """Every rule of conduct, in the order of their numbers."""
    record, whole, variant = Conduct(archive.entries), archive.whole, archive.manifest["variant"]
    final = [entry for entry in record.of("judged")
             if archive.judged.get(entry.tells["phase"], (0,))[0] == entry.n]
    for entry in final:
        clock = [phase for phase in record.of("phase", entry.n) if phase.phase == entry.phase]
        if clock:
            deadline = clock[-1].tells["deadline"]
            check_all(
                partial(rule_1_ballots, record, entry, deadline), partial(rule_3_receipts, record, entry),
                partial(rules_6_7_lines, record, entry, clock[-1].tells["review"]),
                partial(rule_19_words, record, entry, deadline))
    check_all(
        partial(rule_2_sheets_stay, record), partial(rule_3_arrivals, record, archive),
        partial(rules_4_5_25_mails, record, archive.files if whole else None),
        partial(rule_6_readings_stay, record), partial(rule_8_decisions, record),
        partial(rules_9_to_12_phases, record, final, archive), partial(rules_21_23_plans, record),
        partial(rule_13_game, record), partial(rule_13_addresses, record), partial(rules_14_17_times, record),
        partial(rule_15_letters, record, final, whole),
        *([] if whole else [partial(rule_16_closed, record, archive.entries, final, variant)]),
        partial(rule_20_forgotten, record, variant),
        partial(rule_24_stamps, record, archive.entries, archive.facts["event"]))
    for entry in record.of("event"):
        if entry.tells["event"] == "restored":  # rule C18
            note(TOLD, f"entry {entry.n}: the site was restored from a backup of "
                 f"{entry.tells['detail'].get('entries')} entries; what came after it was lost.")


def rule_1_ballots(record: Conduct, judged: Entry, deadline: str) -> None:
    first_counts = record.of("game", judged.n)[-1].tells["options"].get("first_counts")
    standing: dict[str, list[Entry]] = {}
    for sheet in record.last("sheet", judged.n).values():
        tells = sheet.tells
        if sheet.phase == judged.phase and tells["received"] <= deadline and tells["fate"] != "held":
            standing.setdefault(sheet.tells["power"], []).append(sheet)
    executed = judged.tells["executed"]
    for power, sheets in standing.items():
        best = max(sheets, key=lambda sheet: worth(sheet.tells, first_counts))
        if rule("C1", power in executed, judged,
                f"{power} has a sheet in time (entry {best.n}), and none was executed"):
            rule("C1", executed[power] == best.tells["sheet"], judged,
                 f"the sheet of entry {best.n} should have counted for {power}")
    for power in executed:
        rule("C1", power in standing, judged, f"the sheet executed for {power} does not stand in time")


def read_with(record: Conduct, sheet: Entry) -> bool:
    first = [reading for reading in record.of("reading") if reading.key == sheet.key][:1]
    if not first:  # Closed in a players' archive: a reading, the words beside it, the sheet.
        return any(record.closed.get(sheet.n - back) == f"reading {sheet.phase}" for back in (1, 2, 3))
    return any(abs(reading.entered - sheet.entered) <= TOGETHER for reading in first)


def player_of(record: Conduct, n: int, power: str) -> Any:
    """Who held a power when an entry was made."""
    return next((seat.tells["player"] for seat in reversed(record.of("seat", n))
                 if seat.tells["power"] == power), None)


def rule_2_sheets_stay(record: Conduct) -> None:
    filed = {sheet.tells["sheet"]: sheet for sheet in firsts(record, "sheet")}
    for before, after in record.pairs("sheet"):
        old, new, key = before.tells, after.tells, after.tells["sheet"]
        for name in ("phase", "received", "mail", "version"):
            rule("C2", old[name] == new[name], after, f"the {name} of the sheet of entry {before.n} was "
                                                      "changed")
        rule("C2", set(old["photographs"]) == set(new["photographs"]), after, "its photographs were changed")
        rule("C2", old["power"] == new["power"] or record.act(after, "sheet_filed_anew", submission=key),
            after,
             "a sheet was given to another power without an act on record")
        sender = player_of(record, filed[key].n, filed[key].tells["power"])
        rule("C2", old["power"] == new["power"] or player_of(record, after.n, new["power"]) == sender, after,
             "a sheet was filed for a power of another player than its sender")
        rule("C2", old["asks"] == new["asks"] or (old["asks"] is None and read_with(record, after) and (
            new["version"] in (None, new["asks"]))), after, "the version that it asks for was changed")
        was, now = "chosen" in old["flags"], "chosen" in new["flags"]
        rule("C2", was or not now or record.act(after, "sheet_chosen", submission=key), after,
             "a sheet was chosen without an act on record")
        rule("C2", now or not was or "choice_ended" in new["flags"] or record.act(
            after, "sheet_chosen", "sheet_choice_taken_back", "sheet_refused", "sheet_filed_anew"), after,
            "a choice was ended without an act on record")
        if old["fate"] == new["fate"]:
            continue
        if new["fate"] == "held":
            right = (record.act(after, "sheet_refused", "sheet_filed_anew", submission=key)
                     or read_with(record, after) or "reader_failed" in new["flags"]
                     or (was and "released" in old["flags"]))
        else:
            right = record.act(after, "sheet_chosen", "sheet_refusal_taken_back", "sheet_filed_anew",
                submission=key)
        rule("C2", right, after, f"a sheet was set to {new['fate']!r} without an act on record")


def firsts(record: Conduct, kind: str) -> list[Entry]:
    """The first entry of each fact of a kind."""
    return list({entry.key: entry for entry in reversed(record.of(kind))}.values())[::-1]


def rule_3_arrivals(record: Conduct, archive: Record) -> None:
    for before, after in record.pairs("mail"):
        rule("C3", before.tells["stamped"] == after.tells["stamped"], after,
             f"the stamp of the mail of entry {before.n} was changed")
    mails = {mail.key: mail for mail in firsts(record, "mail")}
    posted = {letter.tells["sheet"]: letter for letter in record.of("posted")}
    for sheet in firsts(record, "sheet"):
        tells = sheet.tells
        received, explained = time(tells["received"]), slack(archive.facts["event"], sheet.entered)
        if received > sheet.entered + SLACK:
            # Of a clock that is behind no deadline comes of it; to call a sheet late, one must lie between.
            deadline = time(latest_deadline(record, sheet))
            if rule("C3", received <= sheet.entered + explained
                    or not sheet.entered <= deadline < received, sheet,
                    "it was entered before it was received, and its deadline lies between"):
                note(MACHINE, f"entry {sheet.n}: by the site's clock the sheet was entered before the mail "
                              "server received it: one of the two clocks is wrong.")
        if tells["mail"] is None:
            letter = posted.get(tells["sheet"])
            rule("C3", letter and letter.tells["came"] == tells["received"][:10], sheet,
                 f"a sheet of {tells['power']} came by no mail, and no letter by post was logged for it")
            continue
        mail = mails.get(tells["mail"])
        if not rule("C3", mail and mail.n <= sheet.n + 3, sheet, "its mail was not entered before it"):
            continue
        assert mail is not None
        rule("C3", mail.tells["stamped"] == tells["received"], sheet, "it has another time than the stamp "
                                                                      "of its mail")
        if time(mail.tells["stored"]) < time(mail.tells["stamped"]) - SLACK:
            deadline = time(latest_deadline(record, sheet))
            rule("C3", time(mail.tells["stored"]) >= received - explained
                 or not time(mail.tells["stored"]) <= deadline < time(mail.tells["stamped"]), mail,
                 "it was stored before it was stamped, and the deadline of its sheet lies between")


def slack(events: Facts, moment: datetime) -> timedelta:
    """How far two clocks may differ at a moment: more in the three days before and after the site's clock was
    set back, which `clock_set` tells."""
    jumps = [time(event["detail"]["from"]) - time(event["detail"]["to"]) for _, event in events
             if event["event"] == "clock_set" and abs(time(event["at"]) - moment) <= timedelta(days=3)]
    return sum(jumps, SLACK)


def latest_deadline(record: Conduct, sheet: Entry) -> str:
    """The deadline of a sheet's phase as it stood when the sheet was entered."""
    clock = [phase for phase in record.of("phase", sheet.n) if phase.phase == sheet.phase]
    return str(clock[-1].tells["deadline"]) if clock else sheet.tells["received"]


def rule_3_receipts(record: Conduct, judged: Entry) -> None:
    """Each player has a receipt for each sheet on record, so that no sheet is put in for a player who does
    not learn of it. A receipt counts unless it was cancelled."""
    cancelled = {letter.key for letter in record.of("letter") if letter.tells["became"] == "cancelled"}
    sheets = Counter(sheet.tells["power"] for sheet in firsts(record, "sheet")
                     if sheet.phase == judged.phase and sheet.n < judged.n)
    receipts = Counter(power for letter in firsts(record, "letter") for power in letter.tells["to"]
                       if letter.phase == judged.phase and letter.tells["kind"].startswith("receipt")
                       and (letter.key not in cancelled or left_seat(record, letter.n, power)))
    for power, count in sheets.items():
        rule("C3", receipts[power] >= count, judged, f"{count} sheets of {power} are on record, and its "
                                                     f"player has {receipts[power]} receipts")


def payload_of(part: Any) -> bytes:
    encoding = re.search(r"[A-Za-z0-9-]+", str(part.get("content-transfer-encoding", "")))
    if encoding is not None:  # "base64;" is an encoding to whoever shows the picture
        part.replace_header("content-transfer-encoding", encoding.group())
    return part.get_payload(decode=True) or b""


def content_digest(part: Any) -> str:
    return sha(payload_of(part))


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
    """Whether a part of a mail may hold pictures that this program does not take out: in a program's own
    container, written into a text, or behind the end of the parts."""
    data = payload_of(part) if not part.is_multipart() else b""
    is_text = part.get_content_maintype() == "text"
    return bool(
        data[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" or "--" in (part.epilogue or "")
        or (is_text and re.search(rb"data:image/|^begin [0-7]{3} ", data, re.MULTILINE)))


def rule_4_stamp(entry: Entry, mail: Any, deadlines: list[datetime]) -> None:
    """The mail server's own line in a mail fits its stamp."""
    try:
        server = email.utils.parsedate_to_datetime(str(mail.get("Received")).rpartition(";")[2].strip())
    except ValueError:
        note(UNPROVED, f"entry {entry.n}: the mail has no Received line: its time is the stamp's alone.")
        return
    stamp, much = time(entry.tells["stamped"]), timedelta(minutes=10)
    says = f"the mail server wrote {server} into the mail, and the record says {stamp}"
    is_early = any(stamp <= deadline < server for deadline in deadlines)
    rule("C4", server - stamp <= (SLACK if is_early else much), entry, says)
    # A provider may deliver late; a mail that was on record before its stamp did not come late.
    if any(server <= deadline < stamp for deadline in deadlines) and stamp - server > much and rule(
            "C4", entry.entered >= stamp - SLACK, entry, says):
        note(UNPROVED, f"entry {entry.n}: {says}. A deadline lies between. Ask for the provider's log.")


def rules_4_5_25_mails(record: Conduct, files: zipfile.ZipFile | None) -> None:
    if files is None:
        return
    deadlines = [time(phase.tells["deadline"]) for phase in record.of("phase")]
    names = set(files.namelist())
    mails = {}
    for entry in firsts(record, "mail"):
        if f"mails/{entry.key}.eml" in names:
            raw = files.read(f"mails/{entry.key}.eml")
            mails[entry.key] = email.message_from_bytes(raw, policy=email.policy.compat32)
            rule_4_stamp(entry, mails[entry.key], deadlines)
    for word in record.of("word"):
        rule("C25", word.tells["mail"] not in mails or has_word(mails[word.tells["mail"]], word), word,
             f"the mail of {word.tells['power']} has no such word for the lots")
    for sheet in firsts(record, "sheet"):
        if sheet.tells["mail"] in mails:
            rule_25_origin(record, sheet, mails[sheet.tells["mail"]])
            rule_5_photographs(record, sheet, mails[sheet.tells["mail"]])


def rule_5_photographs(record: Conduct, sheet: Entry, mail: Any) -> None:
    parts = [part for part in mail.walk() if not part.is_multipart()]
    digests = {sha(data) for part in parts for data in inner_files(payload_of(part))}
    games = record.of("game", sheet.n)
    rule("C5", "typed" not in sheet.tells["flags"] or not games or games[-1].tells["options"].get(
        "typed_orders"), sheet, "it is called typed, and this game takes no typed orders")
    packed = {"application/ms-tnef", "application/pkcs7-mime", "application/x-pkcs7-mime"}
    if "typed" in sheet.tells["flags"] or packed & {part.get_content_type() for part in parts}:
        return
    beyond = any(map(is_beyond, mail.walk()))
    for key in sheet.tells["photographs"]:
        rule("C5", beyond or key in digests, sheet, f"its photograph {key[:12]} is no attachment of its mail")
    for part in parts:
        if part.get_content_maintype() == "image" and part.get_content_disposition() == "attachment" and (
            content_digest(part) not in sheet.tells["photographs"]
        ):
            note(UNPROVED, f"entry {sheet.n}: a picture attached to its mail is none of its photographs.")


def has_word(mail: Any, word: Entry) -> bool:
    texts = [payload_of(part).decode(errors="replace") for part in mail.walk()
             if part.get_content_maintype() == "text"]
    # A word is stored with single blanks, and with blanks for what cannot be printed.
    lines = ["".join(sign if sign.isprintable() else " " for sign in text)
             for text in (subject_of(mail), *texts)]
    return any(word.tells["word"].casefold() in " ".join(line.casefold().split()) for line in lines)


def subject_of(mail: Any) -> str:
    return str(email.header.make_header(email.header.decode_header(str(mail.get("Subject", "")))))


def rule_25_origin(record: Conduct, sheet: Entry, mail: Any) -> None:
    """A sheet is filed for the version and the season that its mail's subject names, unless a person filed it
    by hand, which results tell."""
    if "assigned" in sheet.tells["flags"] or "typed" in sheet.tells["flags"]:
        return
    subject = subject_of(mail)
    proof = str(mail.get("Authentication-Results", ""))
    rule("C25", "dmarc=fail" not in proof or "=pass" in proof, sheet,
         "the mail server could not prove who sent its mail, and no person filed it by hand")
    versions = {int(number) for number in re.findall(r"(?i)\bv(?:ersion)?[ .]*(\d{1,3})\b", subject)}
    rule("C25", len(versions) != 1 or sheet.tells["version"] in versions | {None}, sheet,
         f"its version is {sheet.tells['version']}, and the subject of its mail says {versions}")
    seasons = {phase.phase: f"{phase.tells['season']} {phase.tells['year']}".casefold()
               for phase in record.of("phase", sheet.n)}
    words = {word.tells["mail"] for word in record.of("word")}
    # Behind the version, as the program asks for it; one that comes late is no word.
    names_word = re.search(r"(?i)\bv\d{1,3}\s*,\s*lots:\s+\w[^,;]*$", subject)
    rule("C25", not names_word or sheet.tells["mail"] in words
         or sheet.tells["received"] > latest_deadline(record, sheet), sheet,
         "the word for the lots in its mail's subject is not on record")
    named = {season for season in seasons.values() if season in subject.casefold()}
    rule("C25", len(named) != 1 or seasons.get(sheet.phase) in named, sheet,
         f"it is filed for {seasons.get(sheet.phase)}, and the subject of its mail says {', '.join(named)}")


def lines_of(reading: Entry) -> dict[int, dict[str, Any]]:
    return {line["line"]: line for page in reading.tells["pages"] for line in page["lines"]}


LINE_STAYS = ("kind", "struck", "text", "order", "state", "box")


def rule_6_readings_stay(record: Conduct) -> None:
    for before, after in record.pairs("reading"):
        old, new = lines_of(before), lines_of(after)
        for key, line in old.items():
            if not rule("C6", key in new, after, f"line {key}, read in entry {before.n}, is gone"):
                continue
            rule("C6", line["kind"] == "part" or all(
                line[name] == new[key][name] for name in LINE_STAYS), after,
                f"line {key} was read otherwise in entry {before.n}")
        rule("C6", not old or all(new[key]["kind"] == "part" for key in new.keys() - old.keys()), after,
             f"lines were added to the sheet that entry {before.n} read")


def settle(line: dict[str, Any], decisions: list[dict[str, Any]], review: str) -> tuple[str, Any]:
    """State and order of a line after its standing decisions, oldest first. Where a phase asks for two
    readers, the newest decision counts once another person's newest says the same."""
    if review == "none" or not (decisions or line["state"] == "open" or (review, line["state"]) == ("all",
        "auto")):
        return (decisions[-1]["says"], decisions[-1]["order"]) if decisions else (line["state"],
            line["order"])
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


def rules_6_7_lines(record: Conduct, judged: Entry, review: str) -> None:
    sheets, readings = record.last("sheet", judged.n), record.last("reading", judged.n)
    decisions: dict[int, list[dict[str, Any]]] = {}
    for decision in sorted(record.last("decision", judged.n).values(),
        key=lambda entry: entry.tells["decision"]):
        if decision.tells["taken_back"] is None:
            decisions.setdefault(decision.tells["line"], []).append(decision.tells)
    orders: dict[int, list[Any]] = {}
    for order in judged.tells["orders"]:
        orders.setdefault(order["line"], []).append(order["order"])
    for power, key in judged.tells["executed"].items():
        reading, sheet = readings.get(str(key)), sheets.get(str(key))
        if not rule("C6", reading and sheet, judged, f"the sheet of {power} was judged without a reading"):
            continue
        assert reading
        assert sheet
        rule("C6", {page["photograph"]
            for page in reading.tells["pages"]} == set(sheet.tells["photographs"]), judged,
             f"not every photograph of the sheet of {power} was read")
        for number, line in lines_of(reading).items():
            state, order = settle(line, decisions.get(number, []), review)
            rule("C7", state not in ("open", "skipped"), judged, f"line {number} of {power} waits for a "
                                                                 "person")
            live = state in ("auto", "read") and order is not None
            rule("C7", line["kind"] != "part" or decisions.get(number) or not live, judged,
                 f"line {number} of {power} was cut out by a person, and nobody decided it")
            was_judged = orders.get(number, [])
            rule("C7", was_judged or not live, judged, f"{order} of {power}, on line {number}, was not "
                                                       "judged")
            rule("C7", live or not was_judged, judged, f"line {number} of {power} does not count and was "
                                                       "judged")
            rule("C7", not live or None in was_judged or sorted(was_judged) == sorted(order.split("; ")),
                judged,
                 f"line {number} of {power} was judged otherwise than it says")


def rule_8_decisions(record: Conduct) -> None:
    for before, after in record.pairs("decision"):
        for name in ("line", "says", "text", "order", "by", "at", "settles"):
            rule("C8", before.tells[name] == after.tells[name], after, f"the decision of entry {before.n} "
                                                                       "was changed")
    roles: dict[str, Any] = {}
    state: dict[int, tuple[str, Any]] = {}
    known: set[str] = set()
    for entry in record.all:
        tells = entry.tells
        if entry.kind == "person":
            roles[tells["name"]] = tells["role"]
        elif entry.kind == "phase":
            state[tells["phase"]] = (tells["state"], tells["unsealed"])
        elif entry.kind == "event" and roles and tells["event"] in DESK:
            rule("C8", str(tells["by"]).startswith("galloper") or roles.get(tells["by"]) not in (
                None, "operator"), entry, f"{tells['by']} did this and had no right to")
        elif entry.kind == "decision":
            again = entry.key in known and tells["taken_back"] is None
            known.add(entry.key)
            rule("C8", again or abs(time(tells["taken_back"] or tells["at"]) - entry.entered) <= SLACK, entry,
                 "a decision was entered at another time than it names")
            rule("C8", not roles or roles.get(tells["by"]) not in (None, "operator"), entry,
                 f"{tells['by']} decided and had no right to")
            now, unsealed = state.get(tells["phase"], ("waiting", None))
            rule("C8", now in ("closed", "ready") or (now == "open" and unsealed), entry,
                 "a line was decided while the sheets were sealed, or after the results")


def rules_9_to_12_phases(record: Conduct, final: list[Entry], archive: Record) -> None:
    whole = archive.whole
    steps = ["waiting", "open", "closed", "ready", "sent"]
    for before, after in record.pairs("phase"):
        old, new = before.tells, after.tells
        back = new["state"] in ("closed", "waiting") and record.act(after, "results_taken_back")
        rule("C9", old["state"] != "sent" or new["state"] == "sent" or back, after,
             "a phase was opened again after its results")
        rule("C9", steps.index(new["state"]) >= steps.index(old["state"]) or back or (
            (old["state"], new["state"]) == ("ready", "closed") and record.act(after, *TAKES_BACK)) or (
            new["state"] == "open" and record.act(after, "deadline_moved") and waited(record, after, old)),
            after, "a phase went back without an act on record")
        rule("C9", (old["state"], new["state"]) != ("open", "closed") or (
            after.entered >= time(new["deadline"]) - SLACK), after, "a phase was closed before its deadline")
        rule("C9", (old["state"], new["state"]) != ("ready", "sent") or record.act_at(
            after, "results_approved"), after, "results were sent without an approval on record")
        rule("C9", (old["state"], new["state"]) != ("open", "closed") or record.act_at(after, "phase_closed"),
             after, "a phase was closed without an act on record")
        rule("C9", old["unsealed"] == new["unsealed"] or (
            old["unsealed"] is None and record.act(after, "phase_unsealed")), after,
            "a phase was unsealed without an act on record")
        if (old["opens"], old["deadline"]) != (new["opens"], new["deadline"]):
            rule("C10", record.act(after, "deadline_moved", "year_moved"), after,
                 "a deadline was moved without an act on record")
            # Nobody is asked in a phase that has not opened, and one that waits is still sealed.
            rule("C10", (after.entered <= time(old["deadline"]) + SLACK or old["state"] == "waiting"
                         or waited(record, after, old)) and (
                time(new["deadline"]) >= after.entered - SLACK), after,
                "a deadline was moved once it had passed, or into the past")
            # A pause and a holiday are told in a letter of their own.
            kinds = {"deadline_moved"} | ({"announcement"} if record.act(
                after, "game_paused", "coordinator_away") else set())
            rule("C10", not whole or any(letter.tells["kind"] in kinds and letter.n > after.n - 40
                                         for letter in record.of("letter")), after, "no letter tells of "
                                                                                    "the move")
        rule("C11", old["position"] in (None, new["position"]) or (
            back and not new["position"]) or record.act(after, "board_corrected"), after,
            f"the board of phase {after.phase} was changed")
        rule("C12", old["lots"] == new["lots"], after, f"the seed of phase {after.phase} is not the one "
                                                       "committed")
        was, now = old.get("draw"), new.get("draw")
        settled = [act for act in ("seed_lost", "beacon_given_up")
                   if (was or {}).get(act) != (now or {}).get(act)]
        rule("C23", was == now or (was and now and all(was[name] == now[name] for name in ("beacon", "rule"))
            and all(record.act(after, act) for act in settled)), after,
            f"how the lots of phase {after.phase} are drawn was changed without an act on record")
        rule("C13", old["review"] == new["review"] or record.act(after, "option_changed"), after,
             "how lines are read was changed without an act on record")
    sent = record.sent()
    came_from = {after.phase: before.tells["state"] for before, after in record.pairs("phase")
                 if after.tells["state"] == "sent"}
    for judged in record.of("judged"):
        clock = [phase for phase in record.of("phase", judged.n) if phase.phase == judged.phase]
        if not clock:
            continue
        state = clock[-1].tells["state"]
        rule("C9", state != "sent" or (
            "taken_back" in judged.tells and record.act(judged, "results_taken_back")), judged,
            "a phase was judged again, or taken back, after its results")
        if "taken_back" in judged.tells:
            rule("C9", record.act(judged, *TAKES_BACK, "deadline_moved"), judged,
                 "a judging was taken back without an act on record")
            # A retreat that was judged may have none to ask for in results that replace others.
            rule("C9", judged.phase not in sent or came_from[judged.phase] == "waiting" or any(
                entry.n > judged.n and entry.phase == judged.phase for entry in final), judged,
                "a judging was taken back, and its results were sent")
        else:
            rule("C9", state in ("closed", "ready") and judged.entered >= time(
                clock[-1].tells["deadline"]) - slack(archive.facts["event"], judged.entered), judged,
                "a phase was judged before its deadline")
            rule("C9", not whole or record.act(judged, "phase_judged"), judged,
                 "what was judged was changed without a judging")
    boards = {phase.phase: phase for phase in record.last("phase", float("inf")).values()
              if phase.tells["position"]}
    for judged in final:
        board = boards.get(judged.phase)
        rule("C11", board is None or sha(canonical(judged.tells["position"])) == board.tells["position"],
             judged, f"phase {judged.phase} was judged on another board than the one entered")
        later = [phase for phase in sorted(filter(None, boards)) if phase > (judged.phase or 0)][:1]
        if whole and later and later[0] not in {entry.phase for entry in final}:
            left = judged.tells["resolution"]
            left_board = sha(canonical(
                {"format": left["format"], "position": left["resolution"]["position"]}))
            rule("C11", left_board == boards[later[0]].tells["position"] or record.is_corrected(
                boards[later[0]].tells), boards[later[0]],
                 f"phase {later[0]} does not begin where phase {judged.phase} ended")


def rules_21_23_plans(record: Conduct) -> None:
    for before, after in record.pairs("key"):
        rule("C21", before.tells == after.tells, after, f"the key of entry {before.n} was changed")
    for key in record.of("key"):
        rule("C21", key.tells["number"] == 1 or record.act(key, "key_changed"), key,
             "receipts got another key without an act on record")
    for first in firsts(record, "phase"):
        rule("C23", re.fullmatch("[0-9a-f]{64}", str(first.tells["lots"])), first,
             f"phase {first.phase} is planned without the digest of a seed for its lots")
        games = record.of("game", first.n)
        rule("C23", not games or bool(first.tells["draw"]["beacon"]) == bool(
            games[-1].tells["options"].get("beacon")), first,
            f"phase {first.phase} does not draw with the beacon that the game names")


def rule_13_game(record: Conduct) -> None:
    """Each act names what it changes, so that none is a cover for another change."""
    acts = {"coordinator": "coordinator_changed", "return_address": "return_address_changed"}
    words = {"auto_score": "lines_without_a_look"}
    for before, after in record.pairs("game"):
        old, new = before.tells["options"] or {}, after.tells["options"] or {}
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                rule("C13", record.act(after, "option_changed", option=words.get(name, name))
                     or (name in acts and record.act(after, acts[name])), after,
                     f"the option {name} was changed without an act on record")
        rule("C13", all(before.tells[name] == after.tells[name] for name in ("name", "aliases"))
             or record.act(after, "option_changed"), after, "the name of the game was changed without an act "
                                                            "on record")
        rule("C13", before.tells["variant"] == after.tells["variant"], after, "the rules of the game were "
                                                                              "changed")
    for before, after in record.pairs("seat"):
        rule("C13", before.tells == after.tells or record.act(
            after, "seat_changed", power=after.tells["power"]), after,
             f"{after.tells['power']} got another player without an act on record")


def rule_13_addresses(record: Conduct) -> None:
    """By each address and link of a player sheets may come: an act names each that is new, and each address
    that went."""
    for before, after in record.pairs("addresses"):
        old, new, player = before.tells, after.tells, after.tells["player"]
        seats = {seat.tells["power"]: seat.tells["player"] for seat in record.of("seat", after.n)}
        powers = sorted(power for power, holder in seats.items() if holder == player)
        took_seat = record.act(after, "seat_changed", to=player)
        for act, digests in (("address_added", set(new["addresses"]) - set(old["addresses"])),
                             ("address_removed", set(old["addresses"]) - set(new["addresses"]))):
            for key in sorted(digests):
                rule("C13", took_seat or record.act(after, act, address=key[:12]), after,
                     f"an address of {', '.join(powers)} was changed without an act on record")
        ends = dict(old["links"])
        for key, until in new["links"]:
            rule("C13", until <= ends.get(key, "") or any(
                record.act(after, "upload_link_made", power=name) for name in (*powers, ", ".join(powers))),
                after, f"a link to send sheets of {', '.join(powers)} was made without an act on record")


def rules_14_17_times(record: Conduct) -> None:
    newest = record.all[0]
    set_back = [event for event in record.of("event") if event.tells["event"] == "clock_set"]
    deadlines = {time(phase.tells["deadline"]) for phase in record.of("phase")}
    for entry in record.all:
        # A clock that was put right changes no order, unless a deadline comes a second time by it.
        if entry.entered < newest.entered - SLACK:
            told = any(0 <= event.n - entry.n <= 40
                       and newest.entered <= time(event.tells["detail"]["from"]) + SLACK
                       and entry.entered >= time(event.tells["detail"]["to"]) - SLACK for event in set_back)
            between = any(entry.entered <= deadline < newest.entered for deadline in deadlines)
            if rule("C14", told or not between, entry,
                    f"it was entered earlier than entry {newest.n}, and a deadline lies between"):
                note(MACHINE, f"entry {entry.n}: it was entered earlier than entry {newest.n}: the site's "
                              "clock was set back.")
            newest = entry if told else newest
        newest = max(newest, entry, key=lambda each: each.entered)
        rule("C14", entry.kind not in ("event", "correction")
            or abs(time(entry.tells["at"]) - entry.entered) <= SLACK,
             entry, "it names another time than the one at which it was entered")
        rule("C17", entry.kind != "gone", entry, f"a {entry.tells.get('of')} was deleted from the database")
        rule("C17", entry.kind != "event" or entry.tells["event"] != "changed_by_hand", entry,
             "rows were changed in the database past the record")
    for kind in ("event", "correction", "posted", "word"):
        for before, after in record.pairs(kind):
            unticked = kind == "posted" and record.act(after, "letter_taken_back") and (
                before.tells | {"taken_back": 0} == after.tells | {"taken_back": 0})
            rule("C17", before.tells == after.tells or unticked, after,
                 f"the {kind} of entry {before.n} was changed")


def entries_to_tell(entries: list[dict[str, Any]], judged: int, phase: int) -> list[int]:
    """Rule C15: the entries that the results of a phase must tell of. All about this phase up to its
    judging, and all since the judging before it that is of no phase, or of a phase that is over."""
    record = [Entry(line) for line in entries if "body" in line and line["n"] <= judged]
    over = {entry.phase: entry.n for entry in record if entry.kind == "judged"
        and "taken_back" not in entry.tells}
    before = max([n for other, n in over.items() if other != phase], default=0)
    deadlines: dict[int, str] = {}
    readable, known, numbers = set(), set(), []
    was_judged: set[int] = set()
    for entry in record:
        tells, first = entry.tells, (entry.kind, entry.key) not in known
        known.add((entry.kind, entry.key))
        if entry.kind == "phase":
            deadlines[tells["phase"]] = tells["deadline"]
            if tells["unsealed"] or tells["state"] not in ("waiting", "open"):
                readable.add(tells["phase"])
        if entry.kind == "judged" and "taken_back" not in tells:
            was_judged.add(tells["phase"])
        worth = (
            (entry.kind == "decision" and tells["phase"] in was_judged) or
            (entry.kind == "event" and tells["event"] not in HARMLESS) or entry.kind == "gone"
            or (entry.kind == "person" and deadlines and tells["role"] not in (None, "operator"))
            or (first and entry.kind == "posted") or (first and entry.kind == "word"
                and tells["mail"] is None)
            or (first and entry.kind == "sheet" and (
                entry.phase in readable or tells["received"] > deadlines.get(tells["phase"],
                    tells["received"]))))
        since = before < entry.n and (entry.phase is None or (
            entry.phase != phase and entry.n > over.get(entry.phase, judged)))
        if worth and (entry.phase == phase or since):
            numbers.append(entry.n)
    return numbers


def check_announced_entries(path: str, text: str, names: str, n: int, entries: list[dict[str, Any]]) -> None:
    """Rule C15: results tell of each entry that was made by hand, late, or against the usual way."""
    line = entries[n - 1]
    if "body" not in line or line["body"]["what"] != "judged" or "head" not in line or "taken_back" in (
        line["body"]["tells"]
    ):
        return
    wanted = entries_to_tell(entries, n, line["body"]["tells"]["phase"])
    named = {int(number) for numbers in re.findall(
        rf"(?:All players of|Alle Spieler von) (?:{names}) (?:should know of these entries, up to "
        rf"entry|sollten von "
        rf"diesen Einträgen wissen, bis zu Eintrag) {n}: ([\d, ]+)\.", text)
        for number in numbers.replace(",", " ").split()}
    for number in wanted:
        must(number in named, f"entry {number}: {path} has the results up to entry {n} and does not tell of "
                              "it (rule C15).")
        if not path.startswith("letters/"):
            note(TOLD, f"entry {number} was made by hand, late, or against the usual way; {path} tells of "
                       "it.")


def restores_after(message: Any, record: Record) -> list[int]:
    """Rule C18: the restores that were entered after a letter was written, by clocks that may differ by a
    quarter of an hour."""
    try:
        written = email.utils.parsedate_to_datetime(str(message["Date"])).astimezone(UTC)
    except ValueError:
        return []
    return [n for n, event in record.facts["event"] if event["event"] == "restored"
            and time(record.entries[n - 1]["body"]["entered"]) >= written - 3 * SLACK]


def left_seat(record: Conduct, n: int, power: str) -> bool:
    return n > record.log_until or any(
        seat.n > n and seat.tells["power"] == power for seat in record.of("seat")) or any(
        event.n > n and event.tells["event"] in (
            "address_removed", "letter_not_sent", "letter_readdressed", "forgotten")
        for event in record.of("event"))


def rule_15_everybody(record: Conduct, judged: Entry) -> None:
    """Who had a letter of this phase before its results, and still has the seat, gets the results."""
    letters, ended = record.of("letter"), record.last("letter", float("inf"))
    # Of results that were taken back there are older letters, which may arrive later.
    results = [letter for letter in firsts(record, "letter") if letter.n > judged.n
               and letter.tells["kind"] in RESULTS and letter.phase == judged.phase]
    sent = min([letter.n for letter in results], default=0)
    times = {power: time(str(tells["sent"])) for letter in results for tells in [ended[letter.key].tells]
             if tells["sent"] for power in tells["to"] or letter.tells["to"]}
    for power, moment in times.items():
        if moment - min(times.values()) > timedelta(days=2):
            note(MACHINE, f"entry {judged.n}: the results of phase {judged.phase} left for {power} "
                          f"{(moment - min(times.values())).days} days later than for others.")
    reached = {power for letter in results for power in letter.tells["to"]
               if ended[letter.key].tells["became"] != "cancelled" or left_seat(record, letter.n, power)}
    for seat in {seat.tells["power"]: seat for seat in record.of("seat", sent)}.values():
        power = seat.tells["power"]
        wrote = any(power in letter.tells["to"] and seat.n < letter.n < sent and letter.phase == judged.phase
                    for letter in letters)
        rule("C15", not wrote or seat.tells["player"] is None or power in reached, judged,
             f"no letter has the results of phase {judged.phase} for {power}")


def rule_15_letters(record: Conduct, final: list[Entry], whole: bool) -> None:
    for correction in record.of("correction") if whole else ():
        reached = {power for letter in record.of("letter") if letter.tells["kind"] == "correction"
                and abs(letter.n - correction.n) <= 40 for power in letter.tells["to"]}
        had = {power for letter in record.of("letter", correction.n) if letter.tells["kind"] in RESULTS
               and letter.phase == correction.phase for power in letter.tells["to"]}
        missing = [power for power in sorted(had - reached) if not left_seat(record, correction.n, power)]
        rule("C15", reached and not missing, correction, "no letter tells of a correction" if not reached else
             f"no letter tells {', '.join(missing)} of a correction")
    for event in record.of("event"):
        rule("C15", not whole or event.tells["event"] not in (
            "results_taken_back", "board_corrected") or any(
            letter.tells["kind"] == "announcement" and 0 < letter.n - event.n <= 40
            for letter in record.of("letter")), event, "no letter tells of it")
        if event.tells["event"] == "restored":
            detail, before = event.tells["detail"], record.links[event.n - 1]
            rule("C18", (detail.get("entries"), detail.get("root")) == (event.n - 1, before), event,
                 "a restore names another end of the record than the entry before it")
    cancelled = {letter.key for letter in record.of("letter") if letter.tells["became"] == "cancelled"}
    for letter in firsts(record, "letter") if whole else ():
        if letter.key in cancelled and letter.tells["kind"] in TO_ALL:
            twins = [other for other in record.of("letter") if other.tells["kind"] == letter.tells["kind"]
                     and other.key != letter.key and abs(other.n - letter.n) <= 40]
            for power in set(letter.tells["to"]).difference(*[other.tells["to"] for other in twins]):
                rule("C15", left_seat(record, letter.n, power), letter,
                     f"a letter to all never left for {power}")
    sent = record.sent()
    for judged in final:
        rule("C15", judged.phase not in sent or any(
            letter.tells["kind"] in RESULTS and letter.phase == judged.phase and letter.n > judged.n
                for letter in firsts(record, "letter")), judged,
            f"no letter has the results of phase {judged.phase}")
        if judged.phase in sent:
            rule_15_everybody(record, judged)


def rule_16_closed(
    record: Conduct, entries: list[dict[str, Any]], final: list[Entry], variant: str
) -> None:
    sent = record.sent()
    end = max([judged.n for judged in final if judged.phase in sent], default=0)
    judgings = {n for n, head in record.closed.items() if str(head).startswith("judged ")} | {
        judged.n for judged in record.of("judged")}
    forgotten = {number for event in record.of("event") if event.tells["event"] == "forgotten"
                 for number in event.tells["detail"]["entries"]}
    judged = {each.phase for each in final} | {
        int(str(head).partition(" ")[2]) for n, head in record.closed.items() if n in judgings}
    closed: Counter[str] = Counter()
    for line in entries:
        if "body" in line or line["n"] in forgotten:
            continue
        where = f"entry {line['n']}"
        if "head" not in line:
            must(line["n"] > end, f"{where}: it is closed and does not say of what kind it is (rule C16).")
            continue
        kind, _, phase = line["head"].partition(" ")
        over = phase == "-" or int(phase) in sent
        passed_over = kind in NOT_ASKED and int(phase) not in judged
        must(kind in CLOSED or not over or passed_over,
             f"{where}: it is a {kind} of a phase that is over, and is closed (rule C16).")
        must(kind != "mail" or line["n"] > end, f"{where}: it is a mail from before the last results, and is "
                                                "closed (rule C16).")
        if over and line["n"] <= end:
            must(kind != "letter" or phase == "-", f"{where}: it is a letter of a phase that is over, and is "
                                                   "closed (rule C16).")
            must(kind not in ("phase", "judged", "event") or variant not in OPEN_GAMES,
                 f"{where}: it is a {kind} and closed, though this game hides nothing (rule C16).")
            must(kind != "event" or any(abs(line["n"] - n) <= 4 for n in judgings),
                 f"{where}: it is an event about no judging, and is closed (rule C16).")
            must(kind != "phase" or not any(str(each.phase) == phase for each in record.of("judged")),
                 f"{where}: it is a phase whose judging is open, and is closed (rule C16).")
        closed[f"{kind} of a phase that was passed over" if over and passed_over else
               kind if over else "of phases that are not over"] += 1
    if closed:
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(closed.items()))
        note(UNPROVED, f"entries that this players' archive keeps closed: {counts}.")


def rule_20_forgotten(record: Conduct, variant: str) -> None:
    for event in record.of("event"):
        if event.tells["event"] != "forgotten":
            continue
        for phase in record.last("phase", event.n).values():
            # A game that hides something closes phases, too: that this one is over may be closed.
            closed = variant not in OPEN_GAMES and any(
                phase.n < number < event.n and head in (None, f"phase {phase.phase}")
                for number, head in record.closed.items())
            rule("C20", phase.tells["state"] == "sent" or closed, event,
                 "a player was forgotten while the game was played")
        detail = event.tells["detail"]
        for number in detail["entries"]:
            kind = str(record.closed.get(number) or "aside").partition(" ")[0]
            must(kind in ("addresses", "aside", "seat"),
                 f"entry {number}: it is closed as forgotten, and is a {kind} (rule C20).")
        note(TOLD, f"entry {event.n}: {detail['player']} is forgotten; {len(detail['files'])} files and the "
                   f"words of {len(detail['entries'])} entries were deleted.")


def rule_19_words(record: Conduct, judged: Entry, deadline: str) -> None:
    # A phase that was opened again, or whose board was taken back, closes twice.
    closed = [after.n for before, after in record.pairs("phase")
              if after.phase == judged.phase and after.n < judged.n
              and (before.tells["state"], after.tells["state"]) == ("open", "closed")][-1:] or [judged.n]
    stamps = {mail.key: mail.tells["stamped"] for mail in record.of("mail")}
    for word in record.of("word"):
        if word.phase == judged.phase:
            by_hand = word.tells["mail"] is None
            rule("C19", word.n < closed[0] and not (by_hand and word.entered > time(deadline)), word,
                 f"a word of {word.tells['power']} for the lots was entered after the deadline")
            rule("C19", by_hand or stamps.get(word.tells["mail"]) == word.tells["received"], word,
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


def rule_24_stamps(record: Conduct, entries: list[dict[str, Any]], log: Facts) -> None:
    stamped = [event for event in record.of("event") if event.tells["event"] == "root_stamped"]
    for event in stamped:
        detail = event.tells["detail"]
        covered = detail["entry"]
        rule("C24", 0 < covered < event.n and entries[covered - 1]["link"] == detail["root"], event,
             f"its time stamp is of another root than that of entry {covered}")
        digest, instant = stamp_of(base64.b64decode(detail["reply"]))
        rule("C24", digest.hex() == sha(detail["root"]), event, "its time stamp is of something else")
        rule("C24", abs(instant - event.entered) <= slack(log, event.entered), event,
             f"the authority stamped at {instant}, and the record says {event.entered}")
        entered_at = entries[covered - 1].get("body", {"entered": None})["entered"]
        rule("C24", entered_at is None or time(entered_at) <= instant + SLACK, event,
             f"its time stamp is older than entry {covered}, which it covers")
    if stamped:
        last = max(stamped, key=lambda event: event.tells["detail"]["entry"]).tells["detail"]
        note(UNPROVED, f"an authority outside ({last['authority']}) saw the root of entry {last['entry']} at "
             f"{last['time']}. Stamps: {len(stamped)}. Their signatures are not checked here: write them out "
             "with --stamps, and ask openssl.")
        phases = {event.tells["detail"]["phase"] for event in stamped}
        sent = {phase.tells["phase"] for phase in record.of("phase") if phase.tells["state"] == "sent"}
        for phase in sorted(sent - phases):
            if min(phases) < phase < max(phases):
                note(UNPROVED, f"the results of phase {phase} have no time stamp, though others have.")


def write_stamps(archive: Path, folder: Path) -> None:
    """Each time stamp as a file, and the root that it is of, for any program that knows RFC 3161."""
    folder.mkdir(parents=True, exist_ok=True)
    record = zipfile.ZipFile(archive).read("record.jsonl").decode()
    for line in record.removesuffix("\n").split("\n"):
        detail = json.loads(line).get("body", {"tells": {}})["tells"].get("detail") or {}
        if '"root_stamped"' in line and "reply" in detail:
            name = f"{int(detail['entry']):06}"
            (folder / f"{name}.tsr").write_bytes(base64.b64decode(detail["reply"]))
            (folder / f"{name}.root").write_text(detail["root"])
            file = folder / name
            print(f"openssl ts -verify -data {file}.root -in {file}.tsr -CAfile CERTIFICATE")


# 7. The judge, the seal, the names of the letters. ------
def check_boards(record: Record) -> None:
    """Each phase begins where the one before ended."""
    for (_, before), (n, after) in pairwise(record.judged.values()):
        left, begins = before["resolution"]["resolution"]["position"], after["position"]["position"]
        # An archive for players keeps some phases closed; one may lie between these two.
        closed_between = not record.whole and left["phase"] != begins["phase"]
        corrected = left["phase"] == begins["phase"] and Conduct(record.entries).is_corrected(begins["phase"])
        must(closed_between or left == begins or corrected,
             f"entry {n} does not begin where the phase before ended.")


def judge_again(record: Record) -> None:
    """The judge, run as a separate program, says the same again of each phase."""
    judged = list(record.judged.values())
    cases = [(n, phase) for n, phase in judged if phase["case"] is not None]
    for n, phase in cases:
        results, answer = (
            [(order["result"], order["why"]) for order in orders]
            for orders in (phase["orders"], phase["answer"]["orders"])
        )
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
        completed_process = subprocess.run(
            [program, "adjudicate", "--variant", record.manifest["variant"]],
            capture_output=True, text=True, check=False,
            env=os.environ | ({"GALLOPER_BOARDS": folder} if tables else {}),
            input="\n".join(json.dumps(phase["case"]) for _, phase in cases),
        )
    answers = [json.loads(line) for line in completed_process.stdout.split("\n") if line]
    must(len(answers) == len(cases), f"the judge did not answer: {completed_process.stderr.strip()[:200]}")
    for (n, phase), answer in zip(cases, answers, strict=True):
        must(answer == phase["answer"],
             f"entry {n}: the judge now gives other results for phase {phase['phase']}.")
    tell(f"{len(cases)} of {len(judged)} phases were judged again, with the same results.")


def check_seal(path: Any) -> None:
    """The file ends with the SHA-256 of everything before it, as 64 hexadecimal digits."""
    with path.open("rb") as file:
        left, seal = path.stat().st_size - 64, hashlib.sha256()
        while left > 0 and (part := file.read(min(left, CHUNK))):
            left -= len(part)
            seal.update(part)
        must(file.read() == seal.hexdigest().encode(),
             "the file is damaged or cut off: nothing in it counts, from entry 1 on.")


def letters_named(words: list[str]) -> Letters:
    """The files that the command line names; a terminal of Windows leaves *.eml as it is."""
    paths: list[str] = []
    for word in words:
        files = [word] if Path(word).is_file() else sorted(
            map(str, Path(word).parent.glob(Path(word).name)))
        if not files:
            note(UNPROVED, f"there is no file {word}: no letter was compared.")
        paths += files
    return [(path, Path(path).read_bytes()) for path in paths]


# 8. The program: everything in its turn. ------
def read_record(path: Any) -> Record:
    """Check the seal, the chain, the files and each judged phase. `path` is a Path, or opens like one."""
    check_seal(path)
    files = zipfile.ZipFile(path.open("rb"))
    must(len(set(files.namelist())) == len(files.namelist()), "two files in it have one name.")
    manifest = json.loads(files.read("manifest.json"))
    must(manifest["format"] == 2, "it was written by a newer Galloper; nothing is checked, from entry 1 on.")
    # Not splitlines: a reason may have a line separator of Unicode, which JSON leaves as it is.
    lines = files.read("record.jsonl").decode().removesuffix("\n").split("\n")
    facts, leaves, links, entries = read_chain(lines, manifest)
    check_files(files, manifest, facts)
    must(sha(files.read("words.txt")) == WORDS, "words.txt is another list than that of BIP 39.")
    # A judgement that was taken back has a later entry for the same phase, which says so.
    newest = {phase["phase"]: (n, phase) for n, phase in facts["judged"]}
    judged = {number: entry for number, entry in sorted(newest.items()) if "taken_back" not in entry[1]}
    check_all(*(partial(check_phase, facts, n, phase) for n, phase in judged.values()))
    record = Record(files, manifest, facts, leaves, links, entries, judged)
    check_all(partial(check_boards, record))
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
        check_all(partial(check_letter, name, data, record))
        message, words = words_of(data)
        content = (words, sorted(content_digest(part) for part in message.iter_attachments()))
        if copies.setdefault(str(message["Message-ID"] or name), content) != content:
            note(UNPROVED, f"{name} has other words or files than its copy in the archive. If no mail "
                           "program on its way adds any, ask the coordinator which of the two was sent.")
    for reason, paths in ((reason, paths) for reason, paths in unplaced.items() if paths):
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
    return (f"{record.manifest['name']}: {len(record.entries)} entries, {opened} of them open, unbroken. "
            f"Root {record.links[-1]}")


def run() -> None:
    """Run the program. It ends with what each kind of sentence means and all alarms; an archive of another
    shape is one sentence, not a traceback."""
    sentences: list[str] = []
    globals()["tell"] = sentences.append
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
