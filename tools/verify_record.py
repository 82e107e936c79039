"""Check a game's archive against itself, against the letters you kept, and against the judge.

    python3 verify_record.py ARCHIVE [LETTER.eml ...]

It needs Python and nothing else and shares no code with Galloper. It stops at the first thing that is wrong.
If the program `galloper` is installed, that judges every phase again. docs/record.md describes the format and
says what each check relies on.
"""

import email.policy
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

HEX = r"(?:with this (?:digest|root)|mit (?:diesem Prüfwert|dieser Wurzel)): ([0-9a-f]{64})"
FOLDERS = ("photographs", "pictures", "mails", "letters")
OTHER_FILES = ("README.txt", "manifest.json", "record.jsonl", "tables.jsonl")
Facts = list[tuple[int, dict[str, Any]]]  # what entries of one kind say, each with its number
CHUNK = 1 << 20  # bytes read at once: the photographs of years do not fit into memory


def sha(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def must(condition: Any, sentence: str) -> None:
    if not condition:
        raise SystemExit("NOT AS IT SHOULD BE: " + sentence)


def latest(facts: Facts, before: int, key: str, value: Any) -> dict[str, Any]:
    """The last fact about one thing before an entry; {} if there was none."""
    return next((fact for n, fact in reversed(facts) if n < before and fact[key] == value), {})


def read_chain(
    lines: list[str], manifest: dict[str, Any]
) -> tuple[dict[str, Facts], list[str], list[str]]:
    """Facts by kind, leaves and links: every entry gives its leaf, a leaf and the link before it give the
    next link, and the last link is the root."""
    facts: dict[str, Facts] = defaultdict(list)
    leaves, links = [""], [sha(f"galloper record 1\n{manifest['game']}")]
    for n, line in enumerate(lines, 1):
        must(line.startswith("{") and line.endswith("}"), f"entry {n} cannot be read.")
        entry = json.loads(line)
        must(entry["n"] >= n, f"entry {entry['n']} is there twice: the chain has two heads.")
        must(entry["n"] == n, f"entry {n} is missing: entry {entry['n']} is in its place.")
        must(set(entry) - {"salt", "body"} == {"n", "leaf", "link"}, f"entry {n} has other parts.")
        # An archive for players leaves out the bodies of what is not theirs; the leaf still proves the chain.
        must("body" in entry or manifest["edition"] == "players", f"entry {n} is closed in a whole archive.")
        if "body" in entry:
            leaf = sha(f"{entry['salt']}\n{canonical(entry['body'])}")
            must(leaf == entry["leaf"], f"entry {n} was changed.")
            facts[entry["body"]["what"]].append((n, entry["body"]["tells"]))
        leaves.append(entry["leaf"])
        links.append(sha(f"{links[-1]}\n{n}\n{entry['leaf']}"))
        must(entry["link"] == links[-1], f"entry {n} does not follow on the one before it.")
    must((manifest["entries"], manifest["root"]) == (len(lines), links[-1]),
         f"the record ends at entry {len(lines)}, not where the manifest says.")
    return facts, leaves, links


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
    for (folder, key), n in missing.items():
        must(manifest["edition"] == "players", f"the {folder[:-1]} {key[:12]} of entry {n} is missing.")


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
    path: str, facts: dict[str, Facts], leaves: list[str], links: list[str], game: str,
    judged: dict[int, tuple[int, dict[str, Any]]],
) -> None:
    """What a letter names is in the record as it was mailed, and a photograph that you sent is the one
    entered."""
    message: Any = email.message_from_bytes(Path(path).read_bytes(), policy=email.policy.default)
    body, end = message.get_body(("plain", "html")), len(links) - 1
    # Mail programs wrap lines where they like.
    text = " ".join(body.get_content().split()) if body else ""
    titles = {game, *(entered["name"] for _, entered in facts["game"])}
    names = "|".join(re.escape(" ".join(title.split())) for title in titles)
    # 1. Receipts and roots.
    received = {n: sheet["received"] for n, sheet in facts["sheet"]}
    receipts, roots = receipts_of(text, names), roots_of(text, names)
    for number in [int(numbers[0]) for numbers in receipts + roots]:
        must(number <= end, f"the archive is older than {path}: it ends at entry {end}, and the letter names "
                            f"entry {number}.")
    for entry, stamp, digest in receipts:
        must((leaves[int(entry)], received.get(int(entry), stamp)) == (digest, stamp),
             f"entry {entry} is not the one of the receipt {path}.")
        print(f"{path}: entry {entry} is the sheet of this receipt, received {stamp}.")
    for entry, digest in roots:
        must(links[int(entry)] == digest, f"the record up to entry {entry} is not the one that {path} names.")
        print(f"{path}: the record up to entry {entry} is the one mailed.")
        check_versions(path, text, facts, int(entry))
    # 2. Seeds. A letter without a root is of another game, whose phases have other seeds.
    if roots:
        check_seeds(path, text, facts, judged)
    # 3. Photographs.
    for part in message.walk():
        digest = sha(part.get_payload(decode=True) or b"")
        for n, sheet in [(n, sheet) for n, sheet in facts["sheet"] if digest in sheet["photographs"]]:
            print(f"{path}: {part.get_filename() or 'its photograph'} is on the sheet of entry {n}, "
                  f"received {sheet['received']}.")


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
        print(f"{path}: the versions that it names as counted are those of entry {n}.")


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
        print(f"{path}: the digest of the seed of phase {phase} is the one entered"
              f"{' and opened' if opened else ''}.")
    for phase, seed in re.findall(r"drawn in phase (\d+), from the seed ([0-9a-f]{64})", text):
        must(int(phase) in judged and judged[int(phase)][1]["lots"]["seed"] == seed,
             f"phase {phase} has not the seed opened in {path}.")


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
    answers = [json.loads(line) for line in completed_process.stdout.splitlines()]
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


def main() -> None:
    """Check everything, or stop at the first thing that is not as it should be."""
    must(len(sys.argv) > 1, "say which archive: python3 verify_record.py ARCHIVE [LETTER.eml ...]")
    check_seal(Path(sys.argv[1]))
    files = zipfile.ZipFile(sys.argv[1])
    must(len(set(files.namelist())) == len(files.namelist()), "two files in it have one name.")
    manifest = json.loads(files.read("manifest.json"))
    must(manifest["format"] == 1, "it was written by a newer Galloper; nothing is checked, from entry 1 on.")
    facts, leaves, links = read_chain(files.read("record.jsonl").decode().splitlines(), manifest)
    check_files(files, manifest, facts)
    # A judgement that was taken back has a later entry for the same phase, which says so.
    newest = {phase["phase"]: (n, phase) for n, phase in facts["judged"]}
    judged = {number: entry for number, entry in sorted(newest.items()) if "taken_back" not in entry[1]}
    for n, phase in judged.values():
        check_phase(facts, n, phase)
    for path in sys.argv[2:]:
        check_letter(path, facts, leaves, links, manifest["game"], judged)
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
