"""Alterations of an archive, as a forger or a failing disk would make them. All but the first two are sealed
again, so that the outer digest fits and only the contents can show them."""

from __future__ import annotations

import hashlib
import io
import json
import random
import zipfile
from collections.abc import Callable
from typing import Any

from service.archive.export import seal

Files = dict[str, bytes]
Alteration = Callable[[bytes, random.Random], bytes]
RECORD, MANIFEST = "record.jsonl", "manifest.json"


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def unpacked(data: bytes) -> Files:
    with zipfile.ZipFile(io.BytesIO(data)) as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


def entries(files: Files) -> list[dict[str, Any]]:
    return [json.loads(line) for line in files[RECORD].decode().removesuffix("\n").split("\n")]


def packed(files: Files, chain: list[dict[str, Any]] | None = None, **manifest: Any) -> bytes:
    """The archive of these files, with another record and other values in its manifest where they are
    given."""
    if chain is not None:
        files = {
            **files,
            RECORD: ("\n".join(json.dumps(entry, ensure_ascii=False) for entry in chain) + "\n").encode(),
        }
    if manifest:
        files = {**files, MANIFEST: json.dumps({**json.loads(files[MANIFEST]), **manifest}).encode()}
    out = io.BytesIO()
    seal(out, files.items())
    return out.getvalue()


def rechained(files: Files, chain: list[dict[str, Any]]) -> bytes:
    """An archive with every digest calculated again, as a skilled forger would: only letters can show it."""
    # The link before entry 1 (docs/record.md).
    manifest = json.loads(files[MANIFEST])
    link = sha(f"galloper record {manifest['format']}\n{manifest['game']}")
    for number, entry in enumerate(chain, start=1):
        if "body" not in entry:
            # Of a closed entry the forger has its leaf alone.
            link = entry["link"] = sha(f"{link}\n{number}\n{entry['leaf']}")
            entry["n"] = number
            continue
        words = json.dumps(entry["body"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        own_leaf = sha(f"{entry['salt']}\n{words}")
        if manifest["format"] > 1:
            phase = entry["body"]["tells"].get("phase")
            own_leaf = sha(f"{entry['body']['what']} {phase if isinstance(phase, int) else '-'}\n{own_leaf}")
        entry |= {"n": number, "leaf": own_leaf}
        link = entry["link"] = sha(f"{link}\n{number}\n{entry['leaf']}")
    return packed(files, chain, entries=len(chain), root=link)


def older(files: Files, number: int) -> bytes:
    """The archive as it was at an earlier entry: nothing in it shows that there was more."""
    chain = entries(files)[:number]
    words = json.dumps([entry.get("body") for entry in chain])
    older_files = {
        name: data
        for name, data in files.items()
        if "/" not in name
        # Files that the entries name stay, also the pictures of readings: without those both checkers rightly
        # found something missing.
        or (not name.startswith("positions/") and name.partition("/")[2].partition(".")[0] in words)
    }
    return rechained(older_files, chain)


def _byte(data: bytes, chance: random.Random) -> bytes:
    position = chance.randrange(len(data))
    return data[:position] + bytes([data[position] ^ chance.randrange(1, 256)]) + data[position + 1:]


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[:chance.randrange(len(data))]


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every plain value within a body."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        return [place for key, member in pairs for place in _places(member, (*path, key))]
    return [path]


def change(body: dict[str, Any], chance: random.Random) -> None:
    """Change one plain value of a body: a time by a second, a name by a letter, a number by one."""
    *way, key = chance.choice(_places(body))
    inside: Any = body
    for step in way:
        inside = inside[step]
    old = inside[key]
    match old:
        case bool() | None:
            inside[key] = "changed"
        case int():
            inside[key] = old + chance.choice([-1, 1])
        case _:
            position = chance.randrange(len(old) + 1)
            inside[key] = (
                old[:position]
                + chance.choice([c for c in "0123456789abcxyz" if c != old[position : position + 1]])
                + old[position + 1 :]
            )


def _words(data: bytes, chance: random.Random) -> bytes:
    files = unpacked(data)
    chain = entries(files)
    change(chance.choice(chain)["body"], chance)
    return packed(files, chain)


def _digest(data: bytes, chance: random.Random) -> bytes:
    files = unpacked(data)
    chain = entries(files)
    entry, part = chance.choice(chain), chance.choice(["salt", "leaf", "link"])
    position = chance.randrange(64)
    entry[part] = (
        entry[part][:position]
        + chance.choice([c for c in "0123456789abcdef" if c != entry[part][position]])
        + entry[part][position + 1 :]
    )
    return packed(files, chain)


def _dropped(data: bytes, chance: random.Random) -> bytes:
    files = unpacked(data)
    chain = entries(files)
    # without its last the record is merely older: `_forgotten` tries that
    del chain[chance.randrange(len(chain) - 1)]
    return packed(files, chain, entries=len(chain), root=chain[-1]["link"])


def _inserted(data: bytes, chance: random.Random) -> bytes:
    files = unpacked(data)
    chain = entries(files)
    chain.insert(chance.randrange(1, len(chain) + 1), chance.choice(chain))
    return packed(files, chain, entries=len(chain), root=chain[-1]["link"])


def _swapped(data: bytes, chance: random.Random) -> bytes:
    files = unpacked(data)
    chain = entries(files)
    first, second = chance.sample(range(len(chain)), 2)
    chain[first], chain[second] = chain[second], chain[first]
    if chance.random() < 0.5:  # with their numbers put right
        chain[first]["n"], chain[second]["n"] = first + 1, second + 1
    return packed(files, chain, root=chain[-1]["link"])


def _closed(data: bytes, chance: random.Random) -> bytes:
    files = unpacked(data)
    chain = entries(files)
    entry = chance.choice(chain)
    del entry["salt"], entry["body"]
    return packed(files, chain)


def _file(data: bytes, chance: random.Random) -> bytes:
    """A photograph, mail, letter or board changed by a byte, taken out, put in, or under another's name."""
    files = unpacked(data)
    name = chance.choice([name for name in files if "/" in name])
    match chance.randrange(4):
        case 0:
            files[name] = (
                json.dumps({"of": chance.random()}).encode()
                if name.endswith(".json")
                else _byte(files[name], chance)
            )
        case 1 if not name.startswith("positions"):  # boards are there for reading; the record has them too
            del files[name]
        case 2:
            new = chance.randbytes(100)
            files[f"photographs/{hashlib.sha256(new).hexdigest()}.jpg"] = new
        case _:
            differing = [path for path in files if "/" in path and files[path] != files[name]]
            other = chance.choice(differing)
            files[name], files[other] = files[other], files[name]
    return packed(files)


def _manifest(data: bytes, chance: random.Random) -> bytes:
    files = unpacked(data)
    key = chance.choice(["format", "game", "name", "variant", "edition", "entries", "root"])
    old = json.loads(files[MANIFEST])[key]
    new = {"edition": "players", "variant": "standard"}.get(
        key, old + 1 if isinstance(old, int) else old[::-1]
    )
    files[MANIFEST] = json.dumps({**json.loads(files[MANIFEST]), key: new}).encode()
    return packed(files)


def _forged(data: bytes, chance: random.Random) -> bytes:
    """The words of an entry before the last mailed root are changed and every digest is calculated again."""
    files = unpacked(data)
    chain = entries(files)
    last = max(index for index, entry in enumerate(chain) if entry["body"]["what"] == "judged")
    change(chain[chance.randrange(last + 1)]["body"], chance)
    return rechained(files, chain)


def _forgotten(data: bytes, chance: random.Random) -> bytes:
    """An older archive, made before the last results were sent, as a restored backup would give it."""
    files = unpacked(data)
    chain = entries(files)
    last = max(index for index, entry in enumerate(chain) if entry["body"]["what"] == "judged")
    return older(files, chance.randrange(12, last + 1))


ALTERATIONS: tuple[Alteration, ...] = (
    _byte, _cut, _words, _digest, _dropped, _inserted, _swapped, _closed, _file, _manifest, _forged,
    _forgotten,
)
