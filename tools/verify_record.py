"""Check a game's archive against itself, against the letters you kept, and against the judge.

    python3 verify_record.py ARCHIVE [LETTER.eml ...]

It needs Python and nothing else and shares no code with Galloper. It ends at the first thing that is wrong.
Where the program `galloper` is installed, every phase is judged again by it. docs/record.md says what each
check goes by.
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

HEX = r"with this (?:digest|root): ([0-9a-f]{64})"
FILES = ("photographs", "pictures", "mails", "letters")
Told = list[tuple[int, dict[str, Any]]]  # what entries of one kind tell, each with its number


def sha(what: str | bytes) -> str:
    return hashlib.sha256(what.encode() if isinstance(what, str) else what).hexdigest()


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def must(condition: Any, sentence: str) -> None:
    if not condition:
        raise SystemExit("NOT AS IT SHOULD BE: " + sentence)


def last(told: Told, before: int, key: str, value: Any) -> dict[str, Any]:
    """What was told last of one thing before an entry; nothing where it never was."""
    return next((one for n, one in reversed(told) if n < before and one[key] == value), {})


def read_chain(lines: list[str], about: dict[str, Any]) -> tuple[dict[str, Told], list[str], list[str]]:
    """Every entry gives its leaf, every leaf and the link before give the next link, the last link is the
    root."""
    told: dict[str, Told] = defaultdict(list)
    leaves, links = [""], [sha(f"galloper record 1\n{about['game']}")]
    for at, line in enumerate(lines, 1):
        must(line.startswith("{") and line.endswith("}"), f"entry {at} cannot be read.")
        entry = json.loads(line)
        must(entry["n"] >= at, f"entry {entry['n']} stands twice: the chain has two heads.")
        must(entry["n"] == at, f"entry {at} is missing: entry {entry['n']} stands in its place.")
        must(set(entry) - {"salt", "body"} == {"n", "leaf", "link"}, f"entry {at} has other parts.")
        must("body" in entry or about["edition"] == "players", f"entry {at} is closed in a whole archive.")
        if "body" in entry:
            must(
                sha(f"{entry['salt']}\n{canonical(entry['body'])}") == entry["leaf"],
                f"entry {at} was changed.",
            )
            told[entry["body"]["what"]].append((at, entry["body"]["tells"]))
        leaves.append(entry["leaf"])
        links.append(sha(f"{links[-1]}\n{at}\n{entry['leaf']}"))
        must(entry["link"] == links[-1], f"entry {at} does not follow on the one before it.")
    must((about["entries"], about["root"]) == (len(lines), links[-1]), (f"the record ends at entry "
                                                                        f"{len(lines)}, not where the "
                                                                        f"manifest says."))
    return told, leaves, links


def check_files(files: zipfile.ZipFile, about: dict[str, Any], told: dict[str, Told]) -> None:
    """Every file is what an entry names, and a whole archive has all that are named."""
    begun = told["begun"][0][1]
    names = (begun["game"], begun["variant"], told["game"][-1][1]["name"])
    must(names == (about["game"], about["variant"], about["name"]), ("entry 1 is of another game than "
                                                                     "manifest.json."))
    named = [(1, "photographs", key) for key in (begun["found"] or {}).get("photographs", [])]
    named += [(n, "photographs", key) for n, one in told["sheet"] for key in one["photographs"]]
    named += [
        (n, "pictures", page["upright"])
        for n, one in told["reading"]
        for page in one["pages"]
        if page["upright"]
    ]
    named += [(n, "mails", one["mail"]) for n, one in told["mail"]]
    named += [(n, "letters", one["message"]) for n, one in told["letter"]]
    wanted = {(folder, key): n for n, folder, key in reversed(named)}
    boards = {(one["phase"], one["position"]) for _, one in told["phase"]}
    for name in files.namelist():
        folder, _, rest = name.partition("/")
        if folder in FILES:
            key = rest.partition(".")[0]
            must((folder, key) in wanted and about["edition"] == "whole", (f"{name} was put in: no entry "
                                                                           f"names it."))
            must(sha(files.read(name)) == key, f"{name}, of entry {wanted[folder, key]}, was changed.")
            wanted.pop((folder, key))
        elif folder == "positions":
            must(
                (int(rest[:3]), sha(canonical(json.loads(files.read(name))))) in boards,
                f"{name} is not the board entered.",
            )
        else:
            must(
                name in ("README.txt", "manifest.json", "record.jsonl", "tables.jsonl"),
                f"{name} is no part of an archive.",
            )
    for (folder, key), n in wanted.items():
        must(about["edition"] == "players", f"the {folder[:-1]} {key[:12]} of entry {n} is missing.")


def check_phase(told: dict[str, Told], n: int, judged: dict[str, Any]) -> None:
    """Every sheet that counted was the right one and in time; every order is what was read in the ink of one
    of its lines."""
    phase, where = judged["phase"], f"entry {n} (phase {judged['phase']})"
    lines: dict[int, tuple[str, list[str | None]]] = {}
    deadline = last(told["phase"], n, "phase", phase)["deadline"]
    first = [one["options"].get("first_counts") for at, one in told["game"] if at < n][-1]
    for power, key in judged["executed"].items():
        papers = {
            one["sheet"]: one
            for at, one in told["sheet"]
            if at < n and (one["phase"], one["power"]) == (phase, power)
        }
        must(key in papers, f"{where}: a sheet of {power} was never entered.")
        sheet, rivals = (
            papers[key],
            [one for one in papers.values() if one["fate"] != "held" and one["received"] <= deadline],
        )
        must(sheet["received"] <= deadline, f"{where}: a sheet of {power} came after the deadline.")
        if first:
            better = [one for one in rivals if (one["received"], one["sheet"]) < (sheet["received"], key)]
        else:  # where a sheet asks for a version by its own words, that is for people to judge
            better = [
                one
                for one in rivals
                if sheet["version"] is not None and (one["version"] or 0) > sheet["version"]
            ]
            better = [] if any(one["asks"] is not None for one in rivals) else better
        must(not better or "chosen" in sheet["flags"], (f"{where}: another sheet of {power} should have "
                                                        f"counted."))
        for page in last(told["reading"], n, "sheet", key).get("pages", []):
            must(page["photograph"] in sheet["photographs"], (f"{where}: a page of {power} is on no entered "
                                                              f"photograph."))
            lines |= {line["line"]: (power, [line["order"]]) for line in page["lines"]}
    said = {one["decision"]: one for at, one in told["decision"] if at < n}
    for order in judged["orders"]:
        power, read = lines.get(order["line"], ("", []))
        must(power == order["power"], f"{where}: {order['order']} stands on no line of its sheet.")
        standing = [
            one["order"]
            for one in said.values()
            if one["line"] == order["line"] and one["taken_back"] is None
        ]
        must(order["written"] in (standing or read), (f"{where}: {order['order']} is not what its line was "
                                                      f"read as."))
        must(order["order"] in [None, *order["written"].split("; ")], (f"{where}: {order['order']} is not "
                                                                       f"written there."))
    lots = judged["lots"]
    if lots["seed"] is not None:
        early = [
            at
            for at, one in told["phase"]
            if (one["phase"], one["lots"]) == (phase, sha(lots["seed"]))
            and one["state"] in ("waiting", "open")
        ]
        must(early and early[0] < n, (f"entry {n}: the digest of its seed was not entered before the "
                                      f"deadline."))
        words = {
            one["power"]: one["word"]
            for _, one in told["word"]
            if one["phase"] == phase and one["received"] <= deadline
        }
        must(
            lots["words"] == [f"{power}: {words[power]}" for power in sorted(words)],
            f"entry {n}: its words are not those entered.",
        )
        made = [
            int(sha("\n".join([lots["seed"], *lots["words"], str(k)]))[:8], 16)
            for k in range(1, lots["used"] + 1)
        ]
        must(made == lots["numbers"], f"entry {n}: its lots do not come from its seed.")


def check_letter(
    path: str, told: dict[str, Told], leaves: list[str], links: list[str], game: str, judged: dict[int, Any]
) -> None:
    """What a letter names is in the record as it was mailed; a photograph that you sent is the one
    entered."""
    message: Any = email.message_from_bytes(Path(path).read_bytes(), policy=email.policy.default)
    body, end = message.get_body(("plain", "html")), len(links) - 1
    text = " ".join(body.get_content().split()) if body else ""
    names = "|".join(
        re.escape(" ".join(one.split())) for one in {game, *(one["name"] for _, one in told["game"])}
    )
    stamps = {n: one["received"] for n, one in told["sheet"]}
    receipts = re.findall(rf"On record in (?:{names}) as entry (\d+), received (\S+), {HEX}", text)
    roots = re.findall(rf"The record of (?:{names}) has (\d+) entries up to [\w -]+, {HEX}", text)
    for number in [int(found[0]) for found in receipts + roots]:
        must(number <= end, (f"the archive is older than {path}: it ends at entry {end}, and the letter "
                             f"names entry {number}."))
    for n, stamp, digest in receipts:
        must((leaves[int(n)], stamps.get(int(n), stamp)) == (digest, stamp), (f"entry {n} is not the one of "
                                                                              f"the receipt {path}."))
        print(f"{path}: entry {n} is the sheet of this receipt, received {stamp}.")
    for n, digest in roots:
        must(links[int(n)] == digest, f"the record up to entry {n} is not the one that {path} names.")
        print(f"{path}: the record up to entry {n} is the one mailed.")
        # "without a version number" has none
        named = re.findall(r"version (number|\d+), mark (\w{4}) (\w{4}) (\w{4})", text)
        for executed in [one["executed"] for at, one in told["judged"] if at == int(n) and named]:
            sheets = [last(told["sheet"], int(n), "sheet", key) for key in executed.values()]
            right = {
                ("number" if one["version"] is None else str(one["version"]), one["mail"][:12])
                for one in sheets
                if one["mail"]
            }
            must(
                {(version, "".join(mark)) for version, *mark in named} == right,
                f"entry {n} executed other sheets than {path} says.",
            )
            print(f"{path}: the versions that it names as counted are those of entry {n}.")
    for phase, digest in re.findall((rf"\(phase (\d+)\) will be drawn from a seed "
                                     rf"{HEX}"), text) if roots else []:
        entered = any((one["phase"], one["lots"]) == (int(phase), digest) for _, one in told["phase"])
        must(entered, f"the seed of phase {phase} is not the one in {path}.")
        n, one = judged.get(int(phase), (0, None))
        must(one is None or sha(one["lots"]["seed"] or "") == digest, (f"entry {n}: the lots of phase "
                                                                       f"{phase} are not from the seed in "
                                                                       f"{path}."))
        print(f"{path}: the digest of the seed of phase {phase} is the one "
              f"entered{' and opened' if one else ''}.")
    for phase, seed in re.findall((r"drawn in phase (\d+), from the seed "
                                   r"([0-9a-f]{64})"), text) if roots else []:
        must(
            int(phase) in judged and judged[int(phase)][1]["lots"]["seed"] == seed,
            f"phase {phase} has not the seed opened in {path}.",
        )
    for part in message.walk():
        data = sha(part.get_payload(decode=True) or b"")
        for n, sheet in [(n, sheet) for n, sheet in told["sheet"] if data in sheet["photographs"]]:
            print(f"{path}: {part.get_filename() or 'its photograph'} is on the sheet of entry {n}, "
                  f"received {sheet['received']}.")


def judge_again(about: dict[str, Any], judged: list[tuple[int, dict[str, Any]]]) -> None:
    """Each phase begins where the one before ended, and the judge, run as a program of its own, says the same
    again."""
    for (_, before), (n, one) in pairwise(judged):
        left, begins = before["resolution"]["resolution"]["position"], one["position"]["position"]
        # a phase between is kept closed
        unseen = about["edition"] == "players" and left["phase"] != begins["phase"]
        must(unseen or left == begins, f"entry {n} does not begin where the phase before ended.")
    cases = [(n, one) for n, one in judged if one["case"] is not None]
    for n, one in cases:
        ends = [[(o["result"], o["why"]) for o in told] for told in (one["orders"], one["answer"]["orders"])]
        must(ends[0] == ends[1], f"entry {n} tells otherwise of its orders than the judge did.")
    program = shutil.which(os.environ.get("GALLOPER") or "galloper")
    if not program:
        print("No phase was judged again: there is no program `galloper` here.")
        return
    done = subprocess.run(
        [program, "adjudicate", "--variant", about["variant"]],
        capture_output=True,
        text=True,
        check=False,
        input="\n".join(json.dumps(one["case"]) for _, one in cases),
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    must(len(answers) == len(cases), f"the judge did not answer: {done.stderr.strip()[:200]}")
    for (n, one), answer in zip(cases, answers, strict=True):
        must(answer == one["answer"], (f"entry {n}: the judge now says something else of phase "
                                       f"{one['phase']}."))
    print(f"{len(cases)} of {len(judged)} phases were judged again, with the same results.")


def main() -> None:
    """Check everything, or end with the first thing that is not as it should be."""
    must(len(sys.argv) > 1, "say which archive: python3 verify_record.py ARCHIVE [LETTER.eml ...]")
    with Path(sys.argv[1]).open("rb") as file:  # photographs of years do not fit into memory
        left, seal = Path(sys.argv[1]).stat().st_size - 64, hashlib.sha256()
        while left > 0 and (part := file.read(min(left, 1 << 20))):
            left -= len(part)
            seal.update(part)
        must(file.read() == seal.hexdigest().encode(), ("the file is damaged or cut off: nothing in it "
                                                        "counts, from entry 1 on."))
    files = zipfile.ZipFile(sys.argv[1])
    must(len(set(files.namelist())) == len(files.namelist()), "two files in it have one name.")
    about = json.loads(files.read("manifest.json"))
    must(about["format"] == 1, "it was written by a newer Galloper; nothing is checked, from entry 1 on.")
    told, leaves, links = read_chain(files.read("record.jsonl").decode().splitlines(), about)
    check_files(files, about, told)
    newest = {one["phase"]: (n, one) for n, one in told["judged"]}
    judged = {phase: found for phase, found in sorted(newest.items()) if "taken_back" not in found[1]}
    for n, one in judged.values():
        check_phase(told, n, one)
    for path in sys.argv[2:]:
        check_letter(path, told, leaves, links, about["game"], judged)
    judge_again(about, list(judged.values()))
    print(f"{about['name']}: {len(links) - 1} entries, {sum(map(len, told.values()))} of them open, "
          f"unbroken. Root {links[-1]}")


def run() -> None:
    """The program; whatever an archive of another shape does to it is one sentence."""
    try:
        main()
    except (KeyError, TypeError, ValueError, IndexError, zipfile.BadZipFile) as fault:
        raise SystemExit(f"NOT AS IT SHOULD BE: this is no archive of a game ({type(fault).__name__}: "
                         f"{fault}).") from fault


if __name__ == "__main__":
    run()
