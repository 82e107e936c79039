"""What `galloper verify` checks of lots: the seed was committed before the deadline, and every number comes
from what its rule mixes (docs/record.md, "Lots"; rule C23)."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import Any

from service.archive.archive_file import Archive
from service.archive.conduct.facts import instant
from service.games import beacons, lots, sealed_lots

# A digest that is entered after the deadline proves nothing: the seed could be chosen to suit the orders.
NO_LONGER_TAKEN = frozenset({"closed", "ready", "sent"})


class _Wrong(Exception):
    """What is wrong with the lots of a judging, as a sentence without its entry."""


def _must(condition: object, sentence: str) -> None:
    if not condition:
        raise _Wrong(sentence)


def check_lots(archive: Archive, number: int, tells: dict[str, Any]) -> list[str]:
    """The first fault of the lots of a judging, which is this entry; [] if there is none."""
    try:
        _check(archive, number, tells)
    except _Wrong as fault:
        return [f"Entry {number}: {fault}"]
    return []


def _check(archive: Archive, number: int, tells: dict[str, Any]) -> None:
    draw, phase = tells["lots"], tells["phase"]
    clock = archive.last_before("phase", number, phase=phase) or {}
    plan, seed = clock.get("draw"), draw["seed"]
    _must(draw.get("rule", 1) == (plan or {"rule": 1})["rule"],
          f"the lots of phase {phase} are drawn by another rule than the one committed. (rule C23)")
    if seed is None and plan is None:
        # A tape from before there were seeds.
        return
    _must(seed is not None or (plan or {}).get(sealed_lots.LOST),
          f"the seed of phase {phase} was not opened, and nobody said that it is lost. (rule C23)")
    _must(seed is None or _is_committed(archive, number, phase, seed),
          f"the digest of the seed of phase {phase} was not entered before its deadline.")
    sources: tuple[str, ...]
    if plan is None:
        _check_words(archive, tells, clock["deadline"])
        sources = (seed, *draw["words"])
    else:
        _check_mix(archive, number, tells, plan, clock["deadline"])
        sources = sealed_lots.lines(str(archive.manifest["game"]), phase, seed, draw["beacon"], draw["words"],
                                    draw["sheets"])
    _must(list(lots.tape(sources, draw["used"])) == draw["numbers"],
          f"the lots do not come from the seed of phase {phase}.")


def _is_committed(archive: Archive, number: int, phase: int, seed: str) -> bool:
    digest = hashlib.sha256(seed.encode()).hexdigest()
    return any(
        entry_number < number and tells["phase"] == phase and tells["lots"] == digest
        and tells["state"] not in NO_LONGER_TAKEN
        for entry_number, tells in archive.open_entries("phase"))


def _check_words(archive: Archive, tells: dict[str, Any], deadline: str) -> None:
    words: dict[str, str] = {}
    for _, word in archive.open_entries("word"):
        if word["phase"] == tells["phase"] and word["received"] <= deadline:
            words[word["power"]] = f"{word['power']}: {word['word']}"
    _must([words[power] for power in sorted(words)] == tells["lots"]["words"],
          "the players' words for the lots are not those that were entered.")


def _check_mix(
    archive: Archive, number: int, tells: dict[str, Any], plan: dict[str, Any], deadline: str
) -> None:
    """What a judging by rule 2 says that it mixed is what its plan asks for."""
    draw, phase, chain_fields = tells["lots"], tells["phase"], plan[sealed_lots.BEACON]
    if chain_fields is not None and not plan.get(sealed_lots.GIVEN_UP) and (draw["used"] or draw["beacon"]):
        _check_round(phase, draw, beacons.from_entry(chain_fields), deadline)
        return
    _must(draw["beacon"] is None, f"a beacon took part in the lots of phase {phase}, and none was named. "
                                  "(rule C23)")
    _check_words(archive, tells, deadline)
    entries = [(entry.kind, entry.facts) for entry in archive.entries
               if entry.body is not None and entry.kind in {"phase", "sheet"} and entry.number < number]
    _must(draw["sheets"] == sealed_lots.sheets_of(entries, phase),
          f"the sheets that took part in the lots of phase {phase} are not those that came by mail before it "
          "was closed. (rule C23)")


def _check_round(phase: int, draw: dict[str, Any], chain: beacons.BeaconChain, deadline: str) -> None:
    """The round is the first one after the deadline of a beacon that all know, and takes part alone."""
    beacon, right = draw["beacon"], chain.first_round(instant(deadline))
    _must(chain in beacons.CHAINS.values(), f"the beacon of phase {phase} is none that everybody knows, so "
                                            "its keeper may know its rounds ahead. (rule C23)")
    _must(beacon is not None and not draw["words"] and not draw["sheets"],
          f"the lots of phase {phase} are not drawn with the round of its beacon alone. (rule C23)")
    _must(beacon["round"] == right, f"the lots of phase {phase} are drawn with round {beacon['round']} of "
                                    f"the beacon; the first one after its deadline is {right}. (rule C23)")
    _must(beacons.randomness(beacon["signature"]) == beacon["randomness"],
          f"round {right} of the beacon is not the digest of its signature. (rule C23)")
    # Without the library the note of `rounds_to_compare` is all there is.
    with suppress(beacons.NoBeaconLibrary):
        _must(beacons.is_signed(chain, right, beacon["signature"]),
              f"the beacon never made this round {right}: its signature is false. (rule C23)")


def rounds_to_compare(archive: Archive) -> list[str]:
    """A sentence for each round of a beacon that was drawn with, which anybody can compare with the public
    one."""
    return [
        f"Entry {number} draws with round {tells['lots']['beacon']['round']} of the public beacon, which is "
        f"{tells['lots']['beacon']['randomness']}: compare it with any server of drand."
        for number, tells in archive.open_entries("judged")
        if "taken_back" not in tells and tells["lots"].get("beacon") is not None and tells["lots"]["used"]]
