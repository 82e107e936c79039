"""The check of an archive: with itself and with letters that were mailed by the checker that players fetch
(`service.archive.checker`), and where that finds no fault, beyond it: the words of each line parsed again,
each phase judged again, and the signatures of public beacons, which need a library.

Every fault is a sentence with the number of its entry. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import maps
from adjudicator.errors import UserFacingError
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Order
from adjudicator.serialize import codec
from adjudicator.serialize.codec import CodecError
from maps import MapError
from maps.variant import Variant
from reading import vocabulary
from service.archive.archive_file import ArchivePath, check_outside
from service.archive.checker import CheckedRecord, VerifyReport, checking
from service.games import beacons
from service.games.options import OptionFault, recorded_options
from service.games.rulings import as_played
from service.store.digests import plain


class BoardMissing(UserFacingError):
    """The board of a game is not here, and cannot be taken from its archive."""


def read_record(path: ArchivePath, report: VerifyReport) -> CheckedRecord | None:
    """An archive whose chain, files and results fit and whose board this site has, without a look at its
    keeper's conduct; None where the report has a fault."""
    record: CheckedRecord | None = None
    with checking(report) as checker:
        check_outside(path)
        record = checker.read_record(path)
        _judge_again(record, report, on_this_site=True)
    return None if report.faults else record


def check_archive(path: ArchivePath, letters: Sequence[Path], report: VerifyReport) -> CheckedRecord | None:
    """An archive that is as it should be, with its keeper's conduct and these letters; None where the report
    has a fault."""
    record: CheckedRecord | None = None
    with checking(report) as checker:
        check_outside(path)
        record = checker.check(path, [(letter.name, letter.read_bytes()) for letter in letters])
        _judge_again(record, report)
    return None if report.faults else record


def _judge_again(record: CheckedRecord, report: VerifyReport, *, on_this_site: bool = False) -> None:
    """Judge every phase of a checked archive again."""
    try:
        variant = _board(record, on_this_site=on_this_site)
    except (MapError, BoardMissing) as fault:
        report.faults.append(f"Nothing could be judged again: {fault}")
        return
    # The first entry shows what the game began with; a later one may not change the rules of what was judged.
    first, begun = next(iter(record.facts["game"]), (0, {}))
    try:
        variant = as_played(variant, recorded_options(begun.get("options") or {}))
    except OptionFault as fault:
        report.faults.append(f"Nothing was judged again: Entry {first} of record.jsonl has {fault}.")
        return
    for number, tells in record.judged.values():
        report.faults += [*_check_orders(variant, number, tells), *_check_beacon(record, number, tells),
                          *_check_results(variant, number, tells)]
    count = len(record.judged)
    report.confirmations.append(f"{count} judged {'phase was' if count == 1 else 'phases were'} judged again"
                                f"{', with the same results.' if not report.faults else '.'}")


def _board(record: CheckedRecord, *, on_this_site: bool) -> Variant:
    """The board of a game: this site's, where it is the same, else the tables in the archive if they will do.
    Raises MapError and BoardMissing."""
    slug, entered = str(record.manifest["variant"]), record.facts["begun"][0][1]["board"]
    if maps.own_digest(slug) == entered:
        return maps.load(slug)
    names = [name for name in record.files.namelist() if name.startswith("board/")]
    # Rules are a program, and an archive may be anybody's.
    if on_this_site or any(name.endswith(".py") for name in names):
        raise BoardMissing(
            f"This site lacks the board {slug}, or has another of that name. Put the archive's folder board/ "
            "under that name among the site's boards (`boards` in galloper.toml); read each file in "
            "board/rules first, since it is a program.")
    with TemporaryDirectory() as place:
        folder = Path(place, slug)
        folder.mkdir()
        for name in names:
            (folder / Path(name).name).write_bytes(record.files.read(name))
        return maps.load_folder(folder)


def _check_orders(variant: Variant, number: int, tells: dict[str, Any]) -> list[str]:
    outcomes = tells["resolution"]["resolution"]["outcomes"]
    if len(outcomes) != len(tells["orders"]):
        return [f"Entry {number} has another number of orders than were judged."]
    return [f"Entry {number}: {order['order']} is not the order that was judged."
            for order, outcome in zip(tells["orders"], outcomes, strict=True)
            if not _parses_to(variant, tells, order, outcome["order"])]


def _parses_to(variant: Variant, tells: dict[str, Any], judged_order: dict[str, Any], order: Any) -> bool:
    """Whether the text of the line, parsed again, gives the order that was judged."""
    kind = codec.load_position(tells["position"]).phase.kind
    try:
        parsed = vocabulary.orders_of(
            variant, kind, judged_order["power"], str(judged_order["written"]), int(judged_order["line"]))
    except ValueError:
        return False
    return order in [plain(parsed_order) for parsed_order in codec.dump_orders(parsed)["orders"]]


def _check_results(variant: Variant, number: int, tells: dict[str, Any]) -> list[str]:
    """Judge the phase again; the document must be the same to the last character."""
    try:
        position = codec.load_position(tells["position"])
        stored = codec.load_resolution(tells["resolution"])
        orders: list[Order] = [outcome.order for outcome in stored.outcomes]
        again = judge(
            variant.context(), variant.rules, position, orders, Lots(tuple(tells["lots"]["numbers"])))
    except (CodecError, IndexError, KeyError) as fault:
        return [f"Entry {number}: phase {tells['phase']} cannot be judged again ({fault})."]
    # Compared as stored text: a resolution that reads alike but differs in a digit is another.
    if plain(codec.dump_resolution(again)) != tells["resolution"]:
        return [f"Entry {number}: the judge now gives another result for phase {tells['phase']}."]
    entered = [(order["result"], order["why"]) for order in tells["orders"]]
    if entered != [(outcome.result.value, outcome.why) for outcome in again.outcomes]:
        return [f"Entry {number}: its outcomes of the orders differ from the judge's."]
    return []


def _check_beacon(record: CheckedRecord, number: int, tells: dict[str, Any]) -> list[str]:
    """C23: the round of a beacon that was drawn with is signed by it."""
    drawn = tells["lots"].get("beacon")
    plan = next((phase.get("draw") for entered, phase in reversed(record.facts["phase"])
                 if entered < number and phase["phase"] == tells["phase"]), None)
    if drawn is None or not tells["lots"]["used"] or not (plan or {}).get("beacon"):
        return []
    return _check_round(number, drawn, beacons.from_entry((plan or {})["beacon"]))


def _check_round(number: int, drawn: dict[str, Any], chain: beacons.BeaconChain) -> list[str]:
    # Without the library the checker's note that names the round is all there is.
    with suppress(beacons.NoBeaconLibrary):
        if not beacons.is_signed(chain, drawn["round"], drawn["signature"]):
            sentence = f"the beacon never published this round {drawn['round']}: its signature is false"
            return [f"Entry {number}: {sentence} (rule C23)."]
    return []
