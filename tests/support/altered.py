"""Alterations of an archive, as a forger or a failing disk would make them. All but the first two are sealed
again, so that the outer digest fits and only what is inside tells."""

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
    return [json.loads(line) for line in files[RECORD].decode().splitlines()]


def packed(files: Files, chain: list[dict[str, Any]] | None = None, **manifest: Any) -> bytes:
    """The archive of these files, with another record and other values in its manifest where they are
    given."""
    if chain is not None:
        files = {
            **files,
            RECORD: ("\n".join(json.dumps(one, ensure_ascii=False) for one in chain) + "\n").encode(),
        }
    if manifest:
        files = {**files, MANIFEST: json.dumps({**json.loads(files[MANIFEST]), **manifest}).encode()}
    out = io.BytesIO()
    seal(out, files.items())
    return out.getvalue()


def rechained(files: Files, chain: list[dict[str, Any]]) -> bytes:
    """An archive whose every digest was reckoned anew, as somebody would who knows how: only letters tell."""
    link = sha(f"galloper record 1\n{json.loads(files[MANIFEST])['game']}")
    for at, one in enumerate(chain, start=1):
        words = json.dumps(one["body"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        one |= {"n": at, "leaf": sha(f"{one['salt']}\n{words}")}
        link = one["link"] = sha(f"{link}\n{at}\n{one['leaf']}")
    return packed(files, chain, entries=len(chain), root=link)


def older(files: Files, number: int) -> bytes:
    """The archive as it may have been at an entry: nothing in it tells that there was more."""
    chain = entries(files)[:number]
    words = json.dumps([one["body"] for one in chain])
    kept = {
        name: data
        for name, data in files.items()
        if "/" not in name
        or (not name.startswith("positions/") and name.partition("/")[2].partition(".")[0] in words)
    }
    return rechained(kept, chain)


def _byte(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ chance.randrange(1, 256)]) + data[at + 1:]


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[:chance.randrange(len(data))]


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every plain value within a body."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        return [place for key, one in pairs for place in _places(one, (*path, key))]
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
            at = chance.randrange(len(old) + 1)
            inside[key] = (
                old[:at]
                + chance.choice([c for c in "0123456789abcxyz" if c != old[at : at + 1]])
                + old[at + 1 :]
            )


def _words(data: bytes, chance: random.Random) -> bytes:
    files = unpacked(data)
    chain = entries(files)
    change(chance.choice(chain)["body"], chance)
    return packed(files, chain)


def _digest(data: bytes, chance: random.Random) -> bytes:
    files = unpacked(data)
    chain = entries(files)
    one, part = chance.choice(chain), chance.choice(["salt", "leaf", "link"])
    at = chance.randrange(64)
    one[part] = (
        one[part][:at]
        + chance.choice([c for c in "0123456789abcdef" if c != one[part][at]])
        + one[part][at + 1 :]
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
    one, two = chance.sample(range(len(chain)), 2)
    chain[one], chain[two] = chain[two], chain[one]
    if chance.random() < 0.5:  # with their numbers put right
        chain[one]["n"], chain[two]["n"] = one + 1, two + 1
    return packed(files, chain, root=chain[-1]["link"])


def _closed(data: bytes, chance: random.Random) -> bytes:
    files = unpacked(data)
    chain = entries(files)
    one = chance.choice(chain)
    del one["salt"], one["body"]
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
            other = chance.choice([one for one in files if "/" in one and files[one] != files[name]])
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
    """The words of an entry before the last mailed root are changed and every digest is reckoned anew."""
    files = unpacked(data)
    chain = entries(files)
    last = max(at for at, one in enumerate(chain) if one["body"]["what"] == "judged")
    change(chain[chance.randrange(last + 1)]["body"], chance)
    return rechained(files, chain)


def _forgotten(data: bytes, chance: random.Random) -> bytes:
    """An older archive, made before the last results were sent, as a restored backup would give it."""
    files = unpacked(data)
    chain = entries(files)
    last = max(at for at, one in enumerate(chain) if one["body"]["what"] == "judged")
    return older(files, chance.randrange(12, last + 1))


ALTERATIONS: tuple[Alteration, ...] = (
    _byte, _cut, _words, _digest, _dropped, _inserted, _swapped, _closed, _file, _manifest, _forged,
    _forgotten,
)
