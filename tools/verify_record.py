"""Check a game's archive against itself, against the letters you kept, and against the judge.

    python3 verify_record.py ARCHIVE [LETTER.eml ...]

It needs Python and nothing else, and shares no code with Galloper; docs/record.md says what it goes by. Where the program
`galloper` is installed (or named in the environment variable GALLOPER), every phase is judged again by it.
"""

from __future__ import annotations

import email
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
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

Told = "dict[str, list[tuple[int, dict[str, Any]]]]"  # by kind of entry: its number and what it tells
HEX = " ([0-9a-f]{64})"
RECEIPT = re.compile(r"On record in (\S+) as entry (\d+), received (\S+), with this digest:" + HEX)
ROOT = re.compile(r"The record of (\S+) has (\d+) entries up to (?:these results|this hand-over|this welcome), with this root:" + HEX)
COMMITTED = re.compile(r"\(phase (\d+)\) will be drawn from a seed with this digest:" + HEX)
OPENED = re.compile(r"drawn in phase (\d+), from the seed" + HEX)
FILES: dict[str, tuple[str, Callable[[dict[str, Any]], list[str]]]] = {
    "photographs": ("sheet", lambda one: one["photographs"]),
    "pictures": ("reading", lambda one: [page["upright"] for page in one["pages"] if page["upright"]]),
    "mails": ("mail", lambda one: [one["mail"]]), "letters": ("letter", lambda one: [one["message"]]),
}  # fmt: skip


def sha(what: str | bytes) -> str:
    return hashlib.sha256(what.encode() if isinstance(what, str) else what).hexdigest()


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def must(condition: Any, sentence: str) -> None:
    if not condition:
        raise SystemExit("NOT AS IT SHOULD BE: " + sentence)


def last(told: Told, what: str, before: int, key: str, value: Any) -> dict[str, Any]:
    """What was told last of something before an entry; nothing where it never was."""
    return next((one for n, one in reversed(told[what]) if n < before and one[key] == value), {})


def read_files(path: str) -> tuple[zipfile.ZipFile, dict[str, Any]]:
    """The file is whole."""
    left, found = max(Path(path).stat().st_size - 64, 0), hashlib.sha256()
    with Path(path).open("rb") as file:
        while left:
            part = file.read(min(left, 1 << 20))
            found.update(part)
            left -= len(part)
        must(file.read() == found.hexdigest().encode(), "the file is damaged or cut off: nothing in it counts, from entry 1 on.")
    files = zipfile.ZipFile(path)
    must(len(set(files.namelist())) == len(files.namelist()), "two files in it have one name.")
    manifest = json.loads(files.read("manifest.json"))
    must(manifest["format"] == 1, "it was written by a newer Galloper; nothing is checked, from entry 1 on.")
    return files, manifest


def read_chain(files: zipfile.ZipFile, manifest: dict[str, Any]) -> tuple[Told, list[tuple[str, str]]]:
    """The chain of entries is unbroken: each leaf is the digest of its words, each link follows on the one before."""
    link, told, marks = sha("galloper record 1\n" + manifest["game"]), defaultdict(list), [("", "")]
    for at, line in enumerate(files.read("record.jsonl").decode().splitlines(), 1):
        try:
            entry = json.loads(line)
            parts, number, leaf = set(entry), entry["n"], entry["leaf"]
        except (ValueError, KeyError, TypeError):
            raise SystemExit(f"NOT AS IT SHOULD BE: entry {at} cannot be read.") from None
        must(number >= at, f"entry {number} stands twice: the chain has two heads.")
        must(number == at, f"entry {at} is missing: entry {number} stands in its place.")
        must(parts in ({"n", "leaf", "link"}, {"n", "leaf", "link", "salt", "body"}), f"entry {at} has parts too many or too few.")
        must("body" in entry or manifest["edition"] == "players", f"entry {at} is closed in a whole archive.")
        if "body" in entry:
            must(sha(entry["salt"] + "\n" + canonical(entry["body"])) == leaf, f"entry {at} was changed.")
            told[entry["body"]["what"]].append((at, entry["body"]["tells"]))
        link = sha(f"{link}\n{at}\n{leaf}")
        must(entry["link"] == link, f"entry {at} does not follow on the one before it.")
        marks.append((leaf, link))
    must((manifest["entries"], manifest["root"]) == (len(marks) - 1, link), f"the record ends at entry {len(marks) - 1}, not where manifest.json says.")
    return told, marks


def check_files(files: zipfile.ZipFile, manifest: dict[str, Any], told: Told) -> None:
    """Every file is one that an entry names, and a whole archive has them all."""
    begun, named = told["begun"][0][1], {}
    names = (begun["game"], begun["variant"], told["game"][-1][1]["name"])
    must(names == (manifest["game"], manifest["variant"], manifest["name"]), "entry 1 is of another game than manifest.json.")
    named |= {("photographs", key): 1 for key in (begun["found"] or {}).get("photographs", [])}
    for folder, (what, names_of) in FILES.items():
        for number, one in told[what]:
            for digest in names_of(one):
                named.setdefault((folder, digest), number)
    boards = {(one["phase"], one["position"]) for _, one in told["phase"]}
    for name in files.namelist():
        data, (folder, _, rest) = files.read(name), name.partition("/")
        key = (folder, rest.partition(".")[0])
        if folder in FILES:
            must(manifest["edition"] == "whole", f"{name} has no place in a players' archive.")
            must(key in named, f"{name} was put in: no entry names it.")
            must(sha(data) == key[1], f"{name}, of entry {named[key]}, was changed.")
            named.pop(key)
        elif folder == "positions":
            must((int(rest[:3]), sha(canonical(json.loads(data)))) in boards, f"{name} is not the board that was entered.")
        else:
            must(name in {"README.txt", "manifest.json", "record.jsonl", "tables.jsonl"}, f"{name} is no part of an archive.")
    for (folder, digest), number in named.items():
        must(manifest["edition"] == "players", f"the {folder[:-1]} {digest[:12]} of entry {number} is missing.")


def check_phase(told: Told, number: int, judged: dict[str, Any]) -> None:
    """Every sheet that counted came in time, and every order is what was read on a photograph of it."""
    phase, clock = judged["phase"], last(told, "phase", number, "phase", judged["phase"])
    where, sheets, lines = f"entry {number} (phase {phase})", {}, {}
    for power, key in judged["executed"].items():
        sheets[key] = last(told, "sheet", number, "sheet", key)
        must(sheets[key].get("power") == power and sheets[key]["phase"] == phase, f"{where}: a sheet of {power} was never entered.")
        must(sheets[key]["received"] <= clock["deadline"], f"{where}: a sheet of {power} came after the deadline.")
        for page in last(told, "reading", number, "sheet", key).get("pages", []):
            must(page["photograph"] in sheets[key]["photographs"], f"{where}: a page of {power} is on no entered photograph.")
            lines |= {line["line"]: (power, line["order"]) for line in page["lines"]}
    said = {one["decision"]: one for n, one in told["decision"] if n < number}
    for order in judged["orders"]:
        power, read = lines.get(order["line"], ("", None))
        must(power == order["power"], f"{where}: {order['order']} stands on no line of its sheet.")
        standing = [d["order"] for d in said.values() if d["line"] == order["line"] and d["taken_back"] is None]
        must(order["written"] in (standing or [read]), f"{where}: {order['order']} is not what its line was read as.")
        must(order["order"] in [None, *order["written"].split("; ")], f"{where}: {order['order']} is not written there.")
    check_lots(told, number, judged["lots"], clock)


def check_lots(told: Told, number: int, lots: dict[str, Any], clock: dict[str, Any]) -> None:
    """The seed's digest was entered while the phase took orders, and the numbers come from the seed and the words."""
    if lots["seed"] is None:  # from before there were seeds
        return
    early = [n for n, one in told["phase"] if (one["phase"], one["lots"]) == (clock["phase"], sha(lots["seed"])) and one["state"] in {"waiting", "open"}]
    must(early and early[0] < number, f"entry {number}: the digest of its seed was not entered before the deadline.")
    words = {one["power"]: one["word"] for _, one in told["word"] if one["phase"] == clock["phase"] and one["received"] <= clock["deadline"]}
    must(lots["words"] == [f"{power}: {words[power]}" for power in sorted(words)], f"entry {number}: the players' words are not those entered.")
    made = [int(sha("\n".join([lots["seed"], *lots["words"], str(k)]))[:8], 16) for k in range(1, lots["used"] + 1)]
    must(made == lots["numbers"], f"entry {number}: its lots do not come from its seed.")


def check_letter(path: str, game: str, told: Told, marks: list[tuple[str, str]], judged: dict[int, tuple[int, dict[str, Any]]]) -> None:
    """A mail you received says what the archive says; a mail you sent has the photograph that was entered."""
    message: Any = email.message_from_bytes(Path(path).read_bytes(), policy=email.policy.default)
    body, end = message.get_body(("plain", "html")), len(marks) - 1
    text = " ".join(body.get_content().split()) if body else ""
    received = {n: one["received"] for n, one in told["sheet"]}
    for of, number, stamp, digest in [found for found in RECEIPT.findall(text) if found[0] == game]:
        at = int(number)
        must(at <= end, f"the archive is older than {path}: it ends at entry {end}, and the letter names entry {at}.")
        must(marks[at][0] == digest and received.get(at, stamp) == stamp, f"entry {at} is not the one of the receipt {path}.")
        print(f"{path}: entry {at} of {of} is the sheet of this receipt, received {stamp}.")
    roots = [found for found in ROOT.findall(text) if found[0] == game]
    for of, number, digest in roots:
        at = int(number)
        must(at <= end, f"the archive is older than {path}: it ends at entry {end}, and the letter names entry {at}.")
        must(marks[at][1] == digest, f"the record up to entry {at} is not the one that {path} names.")
        print(f"{path}: the record of {of} up to entry {at} is the one mailed.")
    for phase, digest in COMMITTED.findall(text) if roots else []:
        at, seed = int(phase), judged.get(int(phase), (0, {"lots": {"seed": ""}}))[1]["lots"]["seed"]
        must(any((one["phase"], one["lots"]) == (at, digest) for _, one in told["phase"]), f"the seed of phase {at} is not the one in {path}.")
        must(at not in judged or sha(seed or "") == digest, f"entry {judged.get(at, (0,))[0]}: the lots of phase {at} are not from the seed in {path}.")
        print(f"{path}: the digest of the seed of phase {at} is the one entered{' and opened' if at in judged else ''}.")
    for phase, seed in OPENED.findall(text) if roots else []:
        must(int(phase) in judged and judged[int(phase)][1]["lots"]["seed"] == seed, f"phase {phase} has not the seed opened in {path}.")
    for part in message.walk():
        for number, sheet in told["sheet"]:
            if sha(part.get_payload(decode=True) or b"") in sheet["photographs"]:
                print(f"{path}: {part.get_filename() or 'its photograph'} is on the sheet of entry {number}, received {sheet['received']}.")


def judge_again(manifest: dict[str, Any], judged: list[tuple[int, dict[str, Any]]]) -> None:
    """Each phase begins where the one before ended, and the judge, run as a program of its own, says the same again."""
    for (_, before), (number, one) in pairwise(judged):
        must(before["resolution"]["resolution"]["position"] == one["position"]["position"], f"entry {number} does not begin where the phase before ended.")
    cases = [(number, one) for number, one in judged if one["case"] is not None]
    for number, one in cases:
        answered = [(o["result"], o["why"]) for o in one["answer"]["orders"]]
        must([(o["result"], o["why"]) for o in one["orders"]] == answered, f"entry {number} tells otherwise of its orders than the judge did.")
    program = os.environ.get("GALLOPER") or shutil.which("galloper")
    if not program:
        print("No phase was judged again: there is no program `galloper` here.")
        return
    lines = "\n".join(json.dumps(one["case"]) for _, one in cases)
    done = subprocess.run([program, "adjudicate", "--variant", manifest["variant"]], input=lines, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    must(len(answers) == len(cases), f"the judge did not answer: {done.stderr.strip()[:200]}")
    for (number, one), answer in zip(cases, answers, strict=True):
        must(answer == one["answer"], f"entry {number} (phase {one['phase']}): the judge now says something else.")
    print(f"{len(cases)} of {len(judged)} phases were judged again, with the same results.")


def main() -> None:
    """Check everything, or end with the first thing that is not as it should be."""
    must(len(sys.argv) > 1, "say which archive: python3 verify_record.py ARCHIVE [LETTER.eml ...]")
    files, manifest = read_files(sys.argv[1])
    told, marks = read_chain(files, manifest)
    check_files(files, manifest, told)
    judged = {one["phase"]: (number, one) for number, one in told["judged"]}
    judged = {phase: found for phase, found in sorted(judged.items()) if "taken_back" not in found[1]}
    for number, one in judged.values():
        check_phase(told, number, one)
    for path in sys.argv[2:]:
        check_letter(path, manifest["game"], told, marks, judged)
    judge_again(manifest, list(judged.values()))
    print(f"{manifest['name']}: {len(marks) - 1} entries, {sum(map(len, told.values()))} of them open, unbroken. Root {manifest['root']}")


def run() -> None:
    """The program; whatever an archive of another shape does to it is one sentence."""
    try:
        main()
    except (KeyError, TypeError, ValueError, IndexError, zipfile.BadZipFile) as fault:
        raise SystemExit(f"NOT AS IT SHOULD BE: this is no archive of a game ({type(fault).__name__}: {fault}).") from fault


if __name__ == "__main__":
    run()
