"""Check a game's archive against itself, against the letters you kept, and against the judge.

    python3 verify_record.py ARCHIVE [LETTER.eml ...]

It needs Python and nothing else and shares no code with Galloper. It stops at the first thing that is wrong.
If the program `galloper` is installed, that judges every phase again. docs/record.md describes the format and
says what each check relies on; the rules C1 to C20, about the conduct of the record's keeper, have the same
numbers there and here.
"""

import email
import email.policy
import email.utils
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

HEX = r"(?:with this (?:digest|root)|mit (?:diesem Prüfwert|dieser Wurzel)): ([0-9a-f]{64})"
FOLDERS = ("photographs", "pictures", "mails", "letters")
OTHER_FILES = ("README.txt", "manifest.json", "record.jsonl", "tables.jsonl")
Facts = list[tuple[int, dict[str, Any]]]  # what entries of one kind say, each with its number
SLACK, TOGETHER = timedelta(minutes=5), timedelta(minutes=2)  # of two clocks; of entries of one act
CHUNK = 1 << 20  # bytes read at once: the photographs of years do not fit into memory


def sha(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def must(condition: Any, sentence: str) -> None:
    if not condition:
        raise SystemExit("NOT AS IT SHOULD BE: " + sentence)


def note(sentence: str) -> None:
    print("To know: " + sentence)


def say(path: str, sentence: str) -> None:
    """Confirm something of a letter that a player kept; an archive's own letters are only checked."""
    if not path.startswith("letters/"):
        print(f"{path}: {sentence}")


def latest(facts: Facts, before: int, key: str, value: Any) -> dict[str, Any]:
    """The last fact about one thing before an entry; {} if there was none."""
    return next((fact for n, fact in reversed(facts) if n < before and fact[key] == value), {})


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
    leaves, links = [""], [sha(f"galloper record {manifest['format']}\n{manifest['game']}")]
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
            entry["inner"] = sha(f"{entry['salt']}\n{canonical(entry['body'])}")
            phase = entry["body"]["tells"].get("phase")
            entry["head"] = f"{entry['body']['what']} {phase if isinstance(phase, int) else '-'}"
        if "inner" in entry:
            leaf = sha(f"{entry['head']}\n{entry['inner']}") if manifest["format"] > 1 else entry["inner"]
            must(leaf == entry["leaf"], f"entry {n} was changed.")
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
    begun = facts["begun"][0][1]
    named = [(1, "photographs", key) for key in (begun["found"] or {}).get("photographs", [])]
    named += [(n, "photographs", key) for n, sheet in facts["sheet"] for key in sheet["photographs"]]
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
        elif folder == "positions":
            board = int(rest[:3]), sha(canonical(json.loads(files.read(name))))
            must(board in boards, f"{name} is not the board entered.")
        else:
            must(name in OTHER_FILES, f"{name} is no part of an archive.")
    gone = {key for _, event in facts["event"] if event["event"] == "forgotten" for key in
            event["detail"]["files"]}
    for (folder, key), n in missing.items():
        must(manifest["edition"] == "players" or key in gone,
             f"the {folder[:-1]} {key[:12]} of entry {n} is missing.")


def check_phase(facts: dict[str, Facts], n: int, judged: dict[str, Any]) -> None:
    """Every sheet that counted was the right one and in time; every order was read in the ink of one of its
    lines; the lots come from the seed."""
    phase, where = judged["phase"], f"entry {n} (phase {judged['phase']})"
    lines: dict[int, tuple[str, list[str | None]]] = {}
    deadline = latest(facts["phase"], n, "phase", phase)["deadline"]
    first_counts = [game["options"].get("first_counts") for number, game in facts["game"] if number < n][-1]
    for power, key in judged["executed"].items():
        sheets = {
            sheet["sheet"]: sheet for number, sheet in facts["sheet"]
            if number < n and (sheet["phase"], sheet["power"]) == (phase, power)
        }
        must(key in sheets, f"{where}: a sheet of {power} was never entered.")
        sheet = sheets[key]
        must(sheet["received"] <= deadline, f"{where}: a sheet of {power} came after the deadline.")
        better = better_sheets(sheet, key, list(sheets.values()), deadline, first_counts)
        must(not better or "chosen" in sheet["flags"],
             f"{where}: another sheet of {power} should have counted.")
        for page in latest(facts["reading"], n, "sheet", key).get("pages", []):
            must(page["photograph"] in sheet["photographs"],
                 f"{where}: a page of {power} is on no entered photograph.")
            lines |= {line["line"]: (power, [line["order"]]) for line in page["lines"]}
    check_orders(facts, n, judged["orders"], lines, where)
    if judged["lots"]["seed"] is not None:
        check_lots(facts, n, phase, judged["lots"], deadline)


def better_sheets(
    sheet: dict[str, Any], key: str, sheets: list[dict[str, Any]], deadline: str, first_counts: Any
) -> list[dict[str, Any]]:
    """The sheets of the same power and phase that should have counted before this one."""
    rivals = [rival for rival in sheets if rival["fate"] != "held" and rival["received"] <= deadline]
    if first_counts:
        return [rival for rival in rivals if (rival["received"], rival["sheet"]) < (sheet["received"], key)]
    # A sheet that asks for a version in its own words is for people to judge.
    if any(rival["asks"] is not None for rival in rivals) or sheet["version"] is None:
        return []
    return [rival for rival in rivals if (rival["version"] or 0) > sheet["version"]]


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
    """The seed's digest was entered before the deadline, and the lots come from seed and words."""
    committed = [
        number for number, entered in facts["phase"]
        if (entered["phase"], entered["lots"]) == (phase, sha(lots["seed"]))
        and entered["state"] in ("waiting", "open")
    ]
    must(committed and committed[0] < n,
         f"entry {n}: the digest of its seed was not entered before the deadline.")
    words = {
        word["power"]: word["word"] for _, word in facts["word"]
        if word["phase"] == phase and word["received"] <= deadline
    }
    must(lots["words"] == [f"{power}: {words[power]}" for power in sorted(words)],
         f"entry {n}: its words are not those entered.")
    numbers = [
        int(sha("\n".join([lots["seed"], *lots["words"], str(k)]))[:8], 16)
        for k in range(1, lots["used"] + 1)
    ]
    must(numbers == lots["numbers"], f"entry {n}: its lots do not come from its seed.")


# What a letter says, in English or German. `names` is a pattern of the game's names.
def receipts_of(text: str, names: str) -> list[tuple[str, str, str]]:
    """The entries that receipts name: number, time stamp, digest."""
    return re.findall(rf"(?:On record in|Im Protokoll von) (?:{names}) (?:as entry|als Eintrag) (\d+), "
                      rf"(?:received|eingegangen) (\S+), {HEX}", text)


def roots_of(text: str, names: str) -> list[tuple[str, str]]:
    """The roots of the record that a letter names: number of entries, digest."""
    return re.findall(rf"(?:The record of|Das Protokoll von) (?:{names}) (?:has|hat) (\d+) "
                      rf"(?:entries up to|Einträge bis zu) [\w -]+, {HEX}", text)


def seeds_of(text: str) -> list[tuple[str, str]]:
    """The digests of seeds that a letter promises: phase, digest."""
    return re.findall(rf"\([Pp]hase (\d+)\) "
                      rf"(?:will be drawn from a seed|werden gezogen aus einer Saat) {HEX}", text)


def versions_of(text: str) -> set[tuple[str, str]]:
    """The versions that results name as counted, "number" for a sheet without one, each with its mark."""
    named = re.findall(r"(?:[Vv]ersion |ohne Versions)(number|nummer|\d+), "
                       r"(?:mark|fingerprint|Fingerabdruck) (\w{4}) (\w{4}) (\w{4})", text)
    return {(version.replace("nummer", "number"), "".join(mark)) for version, *mark in named}


def check_letter(
    path: str, data: bytes, facts: dict[str, Facts], leaves: list[str], links: list[str], game: str,
    judged: dict[int, tuple[int, dict[str, Any]]], entries: list[dict[str, Any]],
) -> None:
    """What a letter names is in the record as it was mailed, and a photograph that you sent is the one
    entered."""
    message: Any = email.message_from_bytes(data, policy=email.policy.default)
    body, end = message.get_body(("plain", "html")), len(links) - 1
    # Mail programs wrap lines where they like.
    text = " ".join(body.get_content().split()) if body else ""
    titles = {game, *(entered["name"] for _, entered in facts["game"])}
    names = "|".join(re.escape(" ".join(title.split())) for title in titles)
    # 1. Receipts and roots.
    received = {n: sheet["received"] for n, sheet in facts["sheet"]}
    two = links[0] == sha(f"galloper record 2\n{game}")
    lost = restores_after(message, entries) if two else []
    receipts, roots = receipts_of(text, names), roots_of(text, names)
    for number, digest in [(int(n), digest) for n, _, digest in receipts] + [(int(n), d) for n, d in roots]:
        for restore in [n for n in lost if n <= number and digest not in (leaves + links)]:
            note(f"entry {number}, which {path} names, was lost by the restore of entry {restore}.")
            return
    for number in [int(numbers[0]) for numbers in receipts + roots]:
        must(number <= end, f"the archive is older than {path}: it ends at entry {end}, and the letter "
                            f"names entry {number}.")
    for entry, stamp, digest in receipts:
        must((leaves[int(entry)], received.get(int(entry), stamp)) == (digest, stamp),
             f"entry {entry} is not the one of the receipt {path}.")
        closed = entries[int(entry) - 1]
        phase = closed.get("head", "").partition(" ")[2]
        over = [f for _, f in facts["phase"] if str(f["phase"]) == phase and f["state"] == "sent"]
        must("body" in closed or "head" not in closed or (closed["head"].startswith("sheet ") and not over),
             f"entry {entry}, of the receipt {path}, is closed though its phase is over (rule C16).")
        must("body" not in closed or closed["body"]["what"] == "sheet",
             f"entry {entry} is no sheet, and {path} is a receipt for it.")
        say(path, f"entry {entry} is the sheet of this receipt, received {stamp}.")
    for entry, digest in roots:
        must(links[int(entry)] == digest, f"the record up to entry {entry} is not the one that {path} names.")
        say(path, f"the record up to entry {entry} is the one mailed.")
        check_versions(path, text, facts, int(entry))
        check_arrival(path, message, entries[int(entry) - 1], facts)
        if two:
            check_told(path, text, names, int(entry), entries)
    # 2. Seeds. A letter without a root is of another game, whose phases have other seeds.
    if roots:
        check_seeds(path, text, facts, judged)
    # 3. Photographs.
    for part in message.walk():
        digest = sha(part.get_payload(decode=True) or b"")
        for n, sheet in [(n, sheet) for n, sheet in facts["sheet"] if digest in sheet["photographs"]]:
            say(path, f"{part.get_filename() or 'its photograph'} is on the sheet of entry {n}, received "
                      f"{sheet['received']}.")


def check_arrival(path: str, message: Any, line: dict[str, Any], facts: dict[str, Facts]) -> None:
    """Rule C14: an entry that a letter names is older than the letter, whose player's own mail server wrote
    down when it came; and results come after their deadline."""
    try:
        server = email.utils.parsedate_to_datetime(str(message["Received"] or "").rpartition(";")[2].strip())
        came = server.astimezone(UTC) + 2 * SLACK
    except ValueError:
        return
    if "body" in line:
        tells = line["body"]["tells"]
        moments = [line["body"]["entered"]]
        if line["body"]["what"] == "judged":
            moments.append(latest(facts["phase"], line["n"], "phase", tells["phase"])["deadline"])
        must(max(map(time, moments)) <= came, f"entry {line['n']}: {path} names it and came before it was "
                                              "entered, or before its deadline (rule C14).")


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
    for phase, digest in seeds_of(text):
        entered = any((fact["phase"], fact["lots"]) == (int(phase), digest) for _, fact in facts["phase"])
        must(entered, f"the seed of phase {phase} is not the one in {path}.")
        n, opened = judged.get(int(phase), (0, None))
        must(opened is None or sha(opened["lots"]["seed"] or "") == digest,
             f"entry {n}: the lots of phase {phase} are not from the seed in {path}.")
        say(path, f"the digest of the seed of phase {phase} is the one "
                  f"entered{' and opened' if opened else ''}.")
    for phase, seed in re.findall(r"drawn in phase (\d+), from the seed ([0-9a-f]{64})", text):
        must(int(phase) in judged and judged[int(phase)][1]["lots"]["seed"] == seed,
             f"phase {phase} has not the seed opened in {path}.")


# The conduct of the keeper: rules C1 to C20 of docs/record.md, for records of format 2. ------
RESULTS = ("draft_results", "final_results", "adjustment", "year_end_results")
TAKES_BACK = ("phase_rolled_back", "sheet_chosen", "sheet_refused", "sheet_refusal_taken_back",
              "sheet_choice_taken_back", "sheet_filed_anew", "orders_taken_over", "differences_closed")
DESK = (*TAKES_BACK[:-1], "phase_unsealed", "deadline_moved", "year_moved", "option_changed",
    "coordinator_changed", "seat_changed", "results_approved")  # acts of a coordinator at the desk
TOLD = (*TAKES_BACK[:-1], "phase_unsealed", "deadline_moved", "year_moved", "option_changed",
    "coordinator_changed",
        "seat_changed", "game_imported", "restored", "open_phase_copied", "changed_by_hand")
OPEN_GAMES = ("standard", "w3k", "bretwalda", "brittania", "war1648")  # their rules hide nothing
CLOSED = ("aside", "reading", "decision", "judged", "phase", "event", "letter", "mail")


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
        sent = {entry.phase for entry in self.of("phase") if entry.tells["state"] == "sent"}
        last = [entry.n for entry in self.of("judged")
                if entry.phase in sent and "taken_back" not in entry.tells]
        self.log_until = float("inf") if len(self.all) == len(entries) else max(last, default=0)

    def of(self, kind: str, before: float = float("inf")) -> list[Entry]:
        return [entry for entry in self.all if entry.kind == kind and entry.n < before]

    def last(self, kind: str, before: float) -> dict[str, Entry]:
        """The last entry of each fact of a kind before an entry."""
        return {entry.key: entry for entry in self.of(kind, before)}

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


def rule(number: str, condition: Any, entry: Entry, sentence: str) -> None:
    must(condition, f"entry {entry.n}: {sentence} (rule {number}).")


def check_conduct(
    entries: list[dict[str, Any]], judged: dict[int, tuple[int, dict[str, Any]]], files: zipfile.ZipFile,
        whole: bool, variant: str
) -> None:
    """Every rule of conduct, in the order of their numbers."""
    record = Conduct(entries)
    final = [entry for entry in record.of("judged") if judged.get(entry.tells["phase"], (0,))[0] == entry.n]
    for entry in final:
        clock = [phase for phase in record.of("phase", entry.n) if phase.phase == entry.phase]
        if clock:
            rule_1_ballots(record, entry, clock[-1].tells["deadline"])
            rule_3_receipts(record, entry)
            rules_6_7_lines(record, entry, clock[-1].tells["review"])
            rule_19_words(record, entry, clock[-1].tells["deadline"])
    rule_2_sheets_stay(record)
    rule_3_arrivals(record)
    if whole:
        rules_4_5_mails(record, files)
    rule_6_readings_stay(record)
    rule_8_decisions(record)
    rules_9_to_12_phases(record, final, whole)
    rule_13_game(record)
    rules_14_17_times(record)
    rule_15_letters(record, final, whole)
    if not whole:
        rule_16_closed(record, entries, final, variant)
    rule_20_forgotten(record)
    for entry in record.of("event"):
        if entry.tells["event"] == "restored":  # rule C18
            note(f"entry {entry.n}: the site was restored from a backup of "
                 f"{entry.tells['detail'].get('entries')} entries; what came after it was lost.")


def rule_1_ballots(record: Conduct, judged: Entry, deadline: str) -> None:
    first_counts = record.of("game", judged.n)[-1].tells["options"].get("first_counts")

    def worth(sheet: Entry) -> tuple[Any, ...]:
        tells = sheet.tells
        number = tells["version"] if tells["version"] is not None else int(tells["mail"] is not None)
        if first_counts:
            return ("chosen" in tells["flags"], -time(tells["received"]).timestamp(), -tells["sheet"])
        asks = number if tells["asks"] is None else tells["asks"]
        return ("chosen" in tells["flags"], asks, number, tells["received"], tells["sheet"])

    standing: dict[str, list[Entry]] = {}
    for sheet in record.last("sheet", judged.n).values():
        tells = sheet.tells
        if sheet.phase == judged.phase and tells["received"] <= deadline and tells["fate"] != "held":
            standing.setdefault(sheet.tells["power"], []).append(sheet)
    executed = judged.tells["executed"]
    for power, sheets in standing.items():
        best = max(sheets, key=worth)
        rule("C1", power in executed, judged, f"{power} has a sheet in time (entry {best.n}), and none was "
                                              "executed")
        rule("C1", executed[power] == best.tells["sheet"], judged,
             f"the sheet of entry {best.n} should have counted for {power}")
    for power in executed:
        rule("C1", power in standing, judged, f"the sheet executed for {power} does not stand in time")


def read_with(record: Conduct, sheet: Entry) -> bool:
    first = [reading for reading in record.of("reading") if reading.key == sheet.key][:1]
    if not first:  # Closed in a players' archive: a reading, the words beside it, the sheet.
        return any(record.closed.get(sheet.n - back) == f"reading {sheet.phase}" for back in (1, 2, 3))
    return any(abs(reading.entered - sheet.entered) <= TOGETHER for reading in first)


def rule_2_sheets_stay(record: Conduct) -> None:
    for before, after in record.pairs("sheet"):
        old, new, key = before.tells, after.tells, after.tells["sheet"]
        for name in ("phase", "received", "mail", "version"):
            rule("C2", old[name] == new[name], after, f"the {name} of the sheet of entry {before.n} was "
                                                      "changed")
        rule("C2", set(old["photographs"]) == set(new["photographs"]), after, "its photographs were changed")
        rule("C2", old["power"] == new["power"] or record.act(after, "sheet_filed_anew", submission=key),
            after,
             "a sheet was given to another power without an act on record")
        rule("C2", old["asks"] == new["asks"] or (old["asks"] is None and read_with(record, after)), after,
             "the version that it asks for was changed")
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


def rule_3_arrivals(record: Conduct) -> None:
    for before, after in record.pairs("mail"):
        rule("C3", before.tells["stamped"] == after.tells["stamped"], after,
             f"the stamp of the mail of entry {before.n} was changed")
    mails = {mail.key: mail for mail in firsts(record, "mail")}
    posted = {letter.tells["sheet"]: letter for letter in record.of("posted")}
    for sheet in firsts(record, "sheet"):
        tells = sheet.tells
        rule("C3", time(tells["received"]) <= sheet.entered + SLACK, sheet, "it was entered before it was "
                                                                            "received")
        if tells["mail"] is None:
            letter = posted.get(tells["sheet"])
            rule("C3", letter and letter.tells["came"] == tells["received"][:10], sheet,
                 f"a sheet of {tells['power']} came by no mail, and no letter by post was logged for it")
            continue
        mail = mails.get(tells["mail"])
        rule("C3", mail and mail.n <= sheet.n + 3, sheet, "its mail was not entered before it")
        assert mail is not None
        rule("C3", mail.tells["stamped"] == tells["received"], sheet, "it has another time than the stamp "
                                                                      "of its mail")
        rule("C3", time(mail.tells["stored"]) >= time(mail.tells["stamped"]) - SLACK, mail,
             "it was stored before it was stamped")


def rule_3_receipts(record: Conduct, judged: Entry) -> None:
    """Of each sheet its player was told, so that nobody has a sheet that they do not know of."""
    sheets = Counter(sheet.tells["power"] for sheet in firsts(record, "sheet")
                     if sheet.phase == judged.phase and sheet.n < judged.n)
    receipts = Counter(power for letter in firsts(record, "letter") for power in letter.tells["to"]
                       if letter.phase == judged.phase and letter.tells["kind"].startswith("receipt"))
    for power, count in sheets.items():
        rule("C3", receipts[power] >= count, judged, f"{count} sheets of {power} are on record, and its "
                                                     f"player has {receipts[power]} receipts")


def content_digest(part: Any) -> str:
    return sha(part.get_payload(decode=True) or b"")


def rules_4_5_mails(record: Conduct, files: zipfile.ZipFile) -> None:
    deadlines = [time(phase.tells["deadline"]) for phase in record.of("phase")]
    names = set(files.namelist())
    mails = {}
    for entry in firsts(record, "mail"):
        if f"mails/{entry.key}.eml" not in names:
            continue
        raw = files.read(f"mails/{entry.key}.eml")
        mail = mails[entry.key] = email.message_from_bytes(raw, policy=email.policy.compat32)
        try:
            server = email.utils.parsedate_to_datetime(str(mail.get("Received")).rpartition(";")[2].strip())
        except ValueError:
            note(f"entry {entry.n}: the mail has no Received line, so its time is the stamp's alone.")
            continue
        stamp, much = time(entry.tells["stamped"]), timedelta(minutes=10)
        across = any(server <= deadline < stamp for deadline in deadlines)
        rule("C4", server - stamp <= much and not (across and stamp - server > much), entry,
             f"the mail server wrote {server} into the mail, and the record says {stamp}")
    for sheet in firsts(record, "sheet"):
        if sheet.tells["mail"] not in mails:
            continue
        mail = mails[sheet.tells["mail"]]
        parts = [part for part in mail.walk() if not part.is_multipart()]
        digests = {content_digest(part) for part in parts}
        games = record.of("game", sheet.n)
        rule("C5", "typed" not in sheet.tells["flags"] or not games or games[-1].tells["options"].get(
            "typed_orders"), sheet, "it is called typed, and this game takes no typed orders")
        packed = {"application/ms-tnef", "application/zip", "application/pkcs7-mime",
            "application/x-pkcs7-mime"}
        if "typed" in sheet.tells["flags"] or packed & {part.get_content_type() for part in parts}:
            continue
        for key in sheet.tells["photographs"]:
            rule("C5", key in digests, sheet, f"its photograph {key[:12]} is no attachment of its mail")
        for part in parts:
            if part.get_content_maintype() == "image" and part.get_content_disposition() == "attachment" and (
                content_digest(part) not in sheet.tells["photographs"]
            ):
                note(f"entry {sheet.n}: a picture attached to its mail is not among its photographs.")


def lines_of(reading: Entry) -> dict[int, dict[str, Any]]:
    return {line["line"]: line for page in reading.tells["pages"] for line in page["lines"]}


def rule_6_readings_stay(record: Conduct) -> None:
    for before, after in record.pairs("reading"):
        old, new = lines_of(before), lines_of(after)
        for key, line in old.items():
            rule("C6", key in new, after, f"line {key}, read in entry {before.n}, is gone")
            rule("C6", line["kind"] == "part" or all(
                line[name] == new[key][name] for name in ("kind", "struck", "text", "order", "state")), after,
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
        rule("C6", reading and sheet, judged, f"the sheet of {power} was judged without a reading")
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


def rules_9_to_12_phases(record: Conduct, final: list[Entry], whole: bool) -> None:
    steps = ["waiting", "open", "closed", "ready", "sent"]
    for before, after in record.pairs("phase"):
        old, new = before.tells, after.tells
        rule("C9", old["state"] != "sent" or new["state"] == "sent", after, "a phase was opened again "
                                                                            "after its results")
        rule("C9", steps.index(new["state"]) >= steps.index(old["state"]) or (
            (old["state"], new["state"]) == ("ready", "closed") and record.act(after, *TAKES_BACK)), after,
            "a phase went back without an act on record")
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
            rule("C10", after.entered <= time(old["deadline"]) + SLACK and (
                time(new["deadline"]) >= after.entered - SLACK), after,
                "a deadline was moved once it had passed, or into the past")
            rule("C10", not whole or any(letter.tells["kind"] == "deadline_moved" and letter.n > after.n - 40
                                         for letter in record.of("letter")), after, "no letter tells of "
                                                                                    "the move")
        rule("C11", old["position"] in (None, new["position"]), after, f"the board of phase {after.phase} "
                                                                       "was changed")
        rule("C12", old["lots"] == new["lots"], after, f"the seed of phase {after.phase} is not the one "
                                                       "committed")
        rule("C13", old["review"] == new["review"] or record.act(after, "option_changed"), after,
             "how lines are read was changed without an act on record")
    sent = {phase.phase for phase in record.of("phase") if phase.tells["state"] == "sent"}
    for judged in record.of("judged"):
        clock = [phase for phase in record.of("phase", judged.n) if phase.phase == judged.phase]
        if not clock:
            continue
        state = clock[-1].tells["state"]
        rule("C9", state != "sent", judged, "a phase was judged again, or taken back, after its results")
        if "taken_back" in judged.tells:
            rule("C9", record.act(judged, *TAKES_BACK), judged, "a judging was taken back without an act "
                                                                "on record")
            rule("C9", judged.phase not in sent or any(
                entry.n > judged.n and entry.phase == judged.phase for entry in final), judged,
                "a judging was taken back, and its results were sent")
        else:
            rule("C9", state in ("closed", "ready")
                and judged.entered >= time(clock[-1].tells["deadline"]) - SLACK,
                 judged, "a phase was judged before its deadline")
            rule("C9", not whole or record.act(judged, "phase_judged"), judged,
                 "what was judged was changed without a judging")
    boards = {phase.phase: phase for phase in record.of("phase") if phase.tells["position"]}
    for judged in final:
        board = boards.get(judged.phase)
        rule("C11", board is None or sha(canonical(judged.tells["position"])) == board.tells["position"],
             judged, f"phase {judged.phase} was judged on another board than the one entered")
        later = [phase for phase in sorted(filter(None, boards)) if phase > (judged.phase or 0)][:1]
        if whole and later and later[0] not in {entry.phase for entry in record.of("judged")}:
            left = judged.tells["resolution"]
            left_board = sha(canonical(
                {"format": left["format"], "position": left["resolution"]["position"]}))
            rule("C11", left_board == boards[later[0]].tells["position"], boards[later[0]],
                 f"phase {later[0]} does not begin where phase {judged.phase} ended")


def rule_13_game(record: Conduct) -> None:
    for before, after in record.pairs("game"):
        rule("C13", before.tells == after.tells or record.act(
            after, "option_changed", "coordinator_changed", "return_address_changed"), after,
            "an option was changed without an act on record")
        rule("C13", before.tells["variant"] == after.tells["variant"], after, "the rules of the game were "
                                                                              "changed")
    for before, after in record.pairs("seat"):
        rule("C13", before.tells == after.tells or record.act(after, "seat_changed"), after,
             f"{after.tells['power']} got another player without an act on record")


def rules_14_17_times(record: Conduct) -> None:
    newest = record.all[0]
    for entry in record.all:
        rule("C14", entry.entered >= newest.entered - SLACK, entry, "it was entered earlier than entry "
                                                                    f"{newest.n}")
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


def told(entries: list[dict[str, Any]], judged: int, phase: int) -> list[int]:
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
            (entry.kind == "event" and tells["event"] in TOLD) or entry.kind == "gone"
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


def check_told(path: str, text: str, names: str, n: int, entries: list[dict[str, Any]]) -> None:
    """Rule C15: results tell of each entry that was made by hand, late, or against the usual way."""
    line = entries[n - 1]
    if "body" not in line or line["body"]["what"] != "judged" or "head" not in line or "taken_back" in (
        line["body"]["tells"]
    ):
        return
    wanted = told(entries, n, line["body"]["tells"]["phase"])
    named = {int(number) for numbers in re.findall(
        rf"(?:All players of|Alle Spieler von) (?:{names}) (?:should know of these entries, up to "
        rf"entry|sollten von "
        rf"diesen Einträgen wissen, bis zu Eintrag) {n}: ([\d, ]+)\.", text)
        for number in numbers.replace(",", " ").split()}
    for number in wanted:
        must(number in named, f"entry {number}: {path} has the results up to entry {n} and does not tell of "
                              "it (rule C15).")
        if not path.startswith("letters/"):
            note(f"entry {number} was made by hand, late, or against the usual way; {path} tells of it.")


def restores_after(message: Any, entries: list[dict[str, Any]]) -> list[int]:
    """Rule C18: the restores that were entered after a letter was written."""
    try:
        written = email.utils.parsedate_to_datetime(str(message["Date"])).astimezone(UTC)
    except ValueError:
        return []
    return [entry.n for entry in Conduct(entries).of("event")
            if entry.tells["event"] == "restored" and entry.entered >= written]


def left_seat(record: Conduct, n: int, power: str) -> bool:
    return n > record.log_until or any(
        seat.n > n and seat.tells["power"] == power for seat in record.of("seat")) or any(
        event.n > n and event.tells["event"] in (
            "address_removed", "letter_not_sent", "letter_readdressed", "forgotten")
        for event in record.of("event"))


def rule_15_everybody(record: Conduct, judged: Entry) -> None:
    """Who had a letter of this phase before its results, and still has the seat, gets the results."""
    letters, ended = record.of("letter"), record.last("letter", float("inf"))
    results = [letter for letter in letters
               if letter.tells["kind"] in RESULTS and letter.phase == judged.phase]
    sent = min([letter.n for letter in results], default=0)
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
        rule("C15", any(letter.tells["kind"] == "correction" and abs(letter.n - correction.n) <= 40
                        for letter in record.of("letter")), correction, "no letter tells of a correction")
    for event in record.of("event"):
        if event.tells["event"] == "restored":
            detail, before = event.tells["detail"], record.links[event.n - 1]
            rule("C18", (detail.get("entries"), detail.get("root")) == (event.n - 1, before), event,
                 "a restore names another end of the record than the entry before it")
    sent = {phase.phase for phase in record.of("phase") if phase.tells["state"] == "sent"}
    for judged in final:
        rule("C15", judged.phase not in sent or any(
            letter.tells["kind"] in RESULTS and letter.phase == judged.phase
                for letter in record.of("letter")), judged,
            f"no letter has the results of phase {judged.phase}")
        if judged.phase in sent:
            rule_15_everybody(record, judged)


def rule_16_closed(
    record: Conduct, entries: list[dict[str, Any]], final: list[Entry], variant: str
) -> None:
    sent = {phase.phase for phase in record.of("phase") if phase.tells["state"] == "sent"}
    end = max([judged.n for judged in final if judged.phase in sent], default=0)
    judgings = {n for n, head in record.closed.items() if str(head).startswith("judged ")} | {
        judged.n for judged in record.of("judged")}
    forgotten = {number for event in record.of("event") if event.tells["event"] == "forgotten"
                 for number in event.tells["detail"]["entries"]}
    closed: Counter[str] = Counter()
    for line in entries:
        if "body" in line or line["n"] in forgotten:
            continue
        where = f"entry {line['n']}"
        if "head" not in line:
            must(line["n"] > end, f"{where}: it is closed and does not say of what kind it is (rule C16).")
            continue
        what, _, phase = line["head"].partition(" ")
        over = phase == "-" or int(phase) in sent
        must(what in CLOSED or not over, f"{where}: it is a {what} of a phase that is over, and is closed "
                                         "(rule C16).")
        must(what != "mail" or line["n"] > end, f"{where}: it is a mail from before the last results, and is "
                                                "closed (rule C16).")
        if over and line["n"] <= end:
            must(what != "letter" or phase == "-", f"{where}: it is a letter of a phase that is over, and is "
                                                   "closed (rule C16).")
            must(what not in ("phase", "judged", "event") or variant not in OPEN_GAMES,
                 f"{where}: it is a {what} and closed, though this game hides nothing (rule C16).")
            must(what != "event" or any(abs(line["n"] - n) <= 4 for n in judgings),
                 f"{where}: it is an event about no judging, and is closed (rule C16).")
            must(what != "phase" or not any(str(each.phase) == phase for each in record.of("judged")),
                 f"{where}: it is a phase whose judging is open, and is closed (rule C16).")
        closed[what if over else "of phases that are not over"] += 1
    for what, count in sorted(closed.items()):
        note(f"closed: {count} {what}.")


def rule_20_forgotten(record: Conduct) -> None:
    for event in record.of("event"):
        if event.tells["event"] != "forgotten":
            continue
        phases = record.last("phase", event.n).values()
        rule("C20", all(phase.tells["state"] == "sent" for phase in phases), event,
             "a player was forgotten while the game was played")
        detail = event.tells["detail"]
        for number in detail["entries"]:
            kind = str(record.closed.get(number) or "aside").partition(" ")[0]
            must(kind in ("aside", "seat"), f"entry {number}: it is closed as forgotten, and is a {kind} "
                                            "(rule C20).")
        note(f"entry {event.n}: {detail['player']} is forgotten; {len(detail['files'])} files and the words "
             f"of {len(detail['entries'])} entries were deleted.")


def rule_19_words(record: Conduct, judged: Entry, deadline: str) -> None:
    closed = [phase.n for phase in record.of("phase") if phase.phase == judged.phase
              and phase.tells["state"] == "closed"][:1] or [judged.n]
    stamps = {mail.key: mail.tells["stamped"] for mail in record.of("mail")}
    for word in record.of("word"):
        if word.phase == judged.phase:
            by_hand = word.tells["mail"] is None
            rule("C19", word.n < closed[0] and not (by_hand and word.entered > time(deadline)), word,
                 f"a word of {word.tells['power']} for the lots was entered after the deadline")
            rule("C19", by_hand or stamps.get(word.tells["mail"]) == word.tells["received"], word,
                 "a word for the lots came with no mail of that time")


def judge_again(manifest: dict[str, Any], judged: list[tuple[int, dict[str, Any]]]) -> None:
    """Each phase begins where the one before ended, and the judge, run as a separate program, says the same
    again."""
    for (_, before), (n, after) in pairwise(judged):
        left, begins = before["resolution"]["resolution"]["position"], after["position"]["position"]
        # An archive for players keeps some phases closed; one may lie between these two.
        closed_between = manifest["edition"] == "players" and left["phase"] != begins["phase"]
        must(closed_between or left == begins, f"entry {n} does not begin where the phase before ended.")
    cases = [(n, phase) for n, phase in judged if phase["case"] is not None]
    for n, phase in cases:
        results, answer = (
            [(order["result"], order["why"]) for order in orders]
            for orders in (phase["orders"], phase["answer"]["orders"])
        )
        must(results == answer, f"entry {n} gives other results than the judge did.")
    program = shutil.which(os.environ.get("GALLOPER") or "galloper")
    if not program:
        print("No phase was judged again: the program `galloper` is not installed.")
        return
    completed_process = subprocess.run(
        [program, "adjudicate", "--variant", manifest["variant"]],
        capture_output=True, text=True, check=False,
        input="\n".join(json.dumps(phase["case"]) for _, phase in cases),
    )
    answers = [json.loads(line) for line in completed_process.stdout.split("\n") if line]
    must(len(answers) == len(cases), f"the judge did not answer: {completed_process.stderr.strip()[:200]}")
    for (n, phase), answer in zip(cases, answers, strict=True):
        must(answer == phase["answer"],
             f"entry {n}: the judge now gives other results for phase {phase['phase']}.")
    print(f"{len(cases)} of {len(judged)} phases were judged again, with the same results.")


def check_seal(path: Path) -> None:
    """The file ends with the SHA-256 of everything before it, as 64 hexadecimal digits."""
    with path.open("rb") as file:
        left, seal = path.stat().st_size - 64, hashlib.sha256()
        while left > 0 and (part := file.read(min(left, CHUNK))):
            left -= len(part)
            seal.update(part)
        must(file.read() == seal.hexdigest().encode(),
             "the file is damaged or cut off: nothing in it counts, from entry 1 on.")


def letters_named(words: list[str]) -> list[str]:
    """The files that the command line names; a terminal of Windows leaves *.eml as it is."""
    paths = []
    for word in words:
        files = [word] if Path(word).is_file() else sorted(
            map(str, Path(word).parent.glob(Path(word).name)))
        if not files:
            note(f"there is no file {word}: no letter was compared.")
        paths += files
    return paths


def main() -> None:
    """Check everything, or stop at the first thing that is not as it should be."""
    must(len(sys.argv) > 1, "say which archive: python3 verify_record.py ARCHIVE [LETTER.eml ...]")
    check_seal(Path(sys.argv[1]))
    files = zipfile.ZipFile(sys.argv[1])
    must(len(set(files.namelist())) == len(files.namelist()), "two files in it have one name.")
    manifest = json.loads(files.read("manifest.json"))
    must(manifest["format"] in (1, 2), "it was written by a newer Galloper; nothing is checked, from entry "
                                       "1 on.")
    # Not splitlines: a reason may have a line separator of Unicode, which JSON leaves as it is.
    lines = files.read("record.jsonl").decode().removesuffix("\n").split("\n")
    facts, leaves, links, entries = read_chain(lines, manifest)
    check_files(files, manifest, facts)
    # A judgement that was taken back has a later entry for the same phase, which says so.
    newest = {phase["phase"]: (n, phase) for n, phase in facts["judged"]}
    judged = {number: entry for number, entry in sorted(newest.items()) if "taken_back" not in entry[1]}
    for n, phase in judged.values():
        check_phase(facts, n, phase)
    if manifest["format"] > 1:
        check_conduct(entries, judged, files, manifest["edition"] == "whole", manifest["variant"])
        for name in files.namelist():
            if name.startswith("letters/"):
                check_letter(name, files.read(name), facts, leaves, links, manifest["game"], judged, entries)
    else:
        print("To know: its format is 1; the conduct of its keeper is not checked.")
    for path in letters_named(sys.argv[2:]):
        check_letter(path, Path(path).read_bytes(), facts, leaves, links, manifest["game"], judged, entries)
    judge_again(manifest, list(judged.values()))
    print(f"{manifest['name']}: {len(links) - 1} entries, {sum(map(len, facts.values()))} of them open, "
          f"unbroken. Root {links[-1]}")


def run() -> None:
    """Run the program; an archive of another shape is one sentence, not a traceback."""
    try:
        main()
    except (KeyError, TypeError, ValueError, IndexError, zipfile.BadZipFile) as error:
        reason = f"{type(error).__name__}: {error}"
        raise SystemExit(f"NOT AS IT SHOULD BE: this is no archive of a game ({reason}).") from error


if __name__ == "__main__":
    run()
