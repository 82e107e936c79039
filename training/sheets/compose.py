"""Order sheets as photographs of handwriting, with their truth.

    python -m training.sheets.compose fonts python -m training.sheets.compose sheets
    demo/data/w3k/manifest.toml --out demo/data/w3k --seed 1642 python -m training.sheets.compose random
    --names names.json --count 20 --out /tmp/sheets --seed 7 python -m training.sheets.compose varied --set
    held_out --sheets 60 --seed 7 --names names.json --out /tmp/held_out

`sheets` photographs every entry `[[sheet]]` of a TOML file; `random` invents sheets (orders that are well
formed, not legal); `varied` invents them in as many hands, pens, papers and lights as people have, from one
of the three sets of fonts that share no font. All write JPEGs and truth.json, the same bytes for the same
seed, fonts and library versions.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from training.handwriting import font_sets, fonts
from training.handwriting.appearance import choose
from training.handwriting.draw import CrowdedError, draw
from training.handwriting.sheet import SheetLine, SheetStyle, WrittenLineKind
from training.photographs.landscape import meadow
from training.photographs.one_sheet import jpeg, photograph
from training.sheets import varied
from training.sheets.drafts import Shares
from training.sheets.random_orders import RandomName, invent
from training.sheets.truth import entry
from training.sheets.wordings import read_book


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where fonts are and which seed rules chance. `given` are fonts named on the command line."""

    seed: int
    cache: Path
    given: dict[str, Path] = field(default_factory=dict)

    def hands(self) -> tuple[str, ...]:
        """The families that may be drawn by chance."""
        return tuple(sorted(self.given)) or fonts.HANDS

    def rng(self, name: str) -> np.random.Generator:
        """Chance for one sheet: the same whatever other sheets are composed with it."""
        return np.random.default_rng([self.seed, zlib.crc32(name.encode())])


def compose(sheet: SheetStyle, workshop: Workshop) -> tuple[bytes, dict[str, Any]]:
    """A sheet's JPEG and its truth entry. Raises FontError, CrowdedError, or ValueError for a bad order."""
    rng = workshop.rng(sheet.name + "/ink")
    page = draw(sheet, fonts.locate(sheet.look.hand, workshop.cache, workshop.given), rng)
    shot = photograph(page.colour, sheet.look, rng)
    return jpeg(shot.colour, sheet.look), entry(sheet, page, shot, f"{sheet.name}.jpg")


def read_sheets(path: Path, workshop: Workshop) -> tuple[SheetStyle, ...]:
    """The `[[sheet]]` entries of a TOML file; looks not decided there are drawn by chance.

    Raises ValueError naming the sheet for an unknown key of `look`, KeyError for a missing part.
    """
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(_sheet(given, workshop) for given in document["sheet"])


def _sheet(given: dict[str, Any], workshop: Workshop) -> SheetStyle:
    name = given["name"]
    lines = [SheetLine(text, WrittenLineKind.HEADING) for text in given["heading"]]
    lines += [
        SheetLine(row["text"], WrittenLineKind.ORDER, row["order"], row.get("struck", False))
        for row in given.get("orders", ())
    ]
    if "signature" in given:
        lines.append(SheetLine(given["signature"], WrittenLineKind.SIGNATURE))
    try:
        look = choose(given.get("look", {}), workshop.hands(), workshop.rng(name + "/look"))
    except ValueError as fault:
        raise ValueError(f"sheet {name}: {fault}") from fault
    return SheetStyle(name, given["power"], given["phase"], tuple(lines), look)


def write_all(sheets: Iterable[SheetStyle], workshop: Workshop, out: Path) -> list[dict[str, Any]]:
    """Compose sheets into a folder, saying each on standard error; returns the truth entries."""
    out.mkdir(parents=True, exist_ok=True)
    entries = []
    for sheet in sheets:
        data, facts = compose(sheet, workshop)
        (out / facts["file"]).write_bytes(data)
        entries.append(facts)
        print(f"{facts['file']}: {len(data) // 1024} kB, {sheet.look.hand}", file=sys.stderr)
    return entries


def _write_truth(entries: list[dict[str, Any]], out: Path, variant: str | None = None) -> None:
    """`variant`: the folder of `maps/` whose game the sheets are of, where it is not the default."""
    told = {} if variant is None else {"variant": variant}
    text = json.dumps({**told, "sheets": entries}, ensure_ascii=False, indent=1)
    (out / "truth.json").write_text(text + "\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    summary, _, example = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        prog="python -m training.sheets.compose",
        description=summary,
        epilog=example,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    fetch = commands.add_parser("fonts", help="fetch the OFL fonts from npm into the cache")
    fetch.add_argument("--cache", type=Path, default=fonts.default_cache())
    for name, text in (("sheets", "photograph the sheets of a TOML file"), ("random", "invent sheets")):
        made = commands.add_parser(name, help=text)
        if name == "sheets":
            made.add_argument("file", type=Path)
            made.add_argument(
                "--only", action="append", default=[], metavar="NAME", help="compose only this one"
            )
        else:
            made.add_argument(
                "--names", type=Path, required=True, help='JSON list of {"name", "kind", "aliases"}'
            )
            made.add_argument("--count", type=int, default=10)
            made.add_argument(
                "--tidy",
                type=float,
                nargs=2,
                default=(0.5, 1.0),
                metavar=("LOW", "HIGH"),
                help="0 hasty, 1 best",
            )
        made.add_argument("--out", type=Path, required=True)
        made.add_argument("--seed", type=int, default=1642)
        made.add_argument("--cache", type=Path, default=fonts.default_cache())
        made.add_argument(
            "--font", action="append", default=[], metavar="HAND=FILE", help="use this font file"
        )
    _varied_parser(commands.add_parser("varied", help="invent sheets as varied as people are"))
    return parser


def _varied_parser(made: argparse.ArgumentParser) -> None:
    made.add_argument(
        "--set", type=font_sets.Purpose, choices=list(font_sets.Purpose), required=True, dest="purpose"
    )
    made.add_argument("--sheets", type=int, default=60)
    made.add_argument("--style", type=varied.Style, choices=list(varied.Style), default=varied.Style.MIXED)
    made.add_argument("--names", type=Path, required=True, help='JSON list of {"name", "kind", "aliases"}')
    made.add_argument("--out", type=Path, required=True)
    made.add_argument("--seed", type=int, default=1642)
    made.add_argument("--cache", type=Path, default=fonts.default_cache())
    made.add_argument("--two", type=float, default=0.0, metavar="SHARE", help="photographs of two leaves")
    made.add_argument("--turned", type=float, default=0.05, metavar="SHARE", help="lying on a side, unmarked")
    made.add_argument("--drawn", type=float, default=0.0, metavar="SHARE", help=("people whose A and F are "
                                                                                 "drawn, not the font's"))
    made.add_argument(
        "--book",
        type=Path,
        help="a game's wordings, training/sheets/wording_tables/VARIANT.toml (w3k without)",
    )
    made.add_argument(
        "--columns", type=float, default=0.0, metavar="SHARE", help="short orders in two columns"
    )


def _varied(given: argparse.Namespace) -> None:
    batch = varied.Batch(
        given.purpose, given.sheets, given.seed, given.style, read_names(given.names), given.cache,
        Shares(columns=given.columns), two=given.two, turned=given.turned, drawn=given.drawn,
        book=None if given.book is None else read_book(given.book),
    )
    given.out.mkdir(parents=True, exist_ok=True)
    entries = []
    for data, facts in varied.sheets(batch):
        (given.out / facts["file"]).write_bytes(data)
        entries.append(facts)
        _say(len(entries), batch.sheets, facts)
    _write_truth(entries, given.out, None if given.book is None else given.book.stem)


def _say(done: int, of: int, facts: dict[str, Any]) -> None:
    """A bar on a terminal, lines elsewhere; on standard error."""
    if sys.stderr.isatty():
        filled = round(30 * done / of)
        print(f"\r[{'#' * filled}{'.' * (30 - filled)}] {done} of {of}", end="\n" if done == of else "",
              file=sys.stderr, flush=True)  # fmt: skip
    else:
        style = facts["style"]
        print((f"{done} of {of}: {facts['file']}, {style['font']}, "
               f"{style['manner']}"), file=sys.stderr, flush=True)


def read_names(path: Path) -> tuple[RandomName, ...]:
    """The JSON list that `galloper read --names` takes."""
    return tuple(
        RandomName(
            row["name"],
            row["kind"],
            tuple(row.get("aliases", ())),
            tuple(row.get("coasts", ())),
            row.get("abbr", ""),
        )
        for row in json.loads(path.read_text(encoding="utf-8"))
    )


def _workshop(given: argparse.Namespace) -> Workshop:
    named = dict(pair.split("=", 1) for pair in given.font)
    return Workshop(given.seed, given.cache, {hand: Path(file) for hand, file in named.items()})


def _run(given: argparse.Namespace) -> None:
    if given.command == "fonts":
        families = tuple(sorted({*fonts.HANDS, *font_sets.TABLE}))
        fonts.fetch(given.cache, families)
        print(f"{len(families)} fonts in {given.cache}", file=sys.stderr)
        return
    if given.command == "varied":
        _varied(given)
        return
    workshop = _workshop(given)
    if given.command == "random":
        names = read_names(given.names)
        sheets = tuple(
            invent(f"r{index + 1:03d}", names, workshop, tuple(given.tidy)) for index in range(given.count)
        )
        _write_truth(write_all(sheets, workshop, given.out), given.out)
        return
    sheets = read_sheets(given.file, workshop)
    wanted = [sheet for sheet in sheets if not given.only or sheet.name in given.only]
    entries = write_all(wanted, workshop, given.out)
    if not given.only:
        _write_truth(entries, given.out)
        for odd in tomllib.loads(given.file.read_text(encoding="utf-8")).get("picture", ()):
            (given.out / f"{odd['name']}.jpg").write_bytes(meadow(workshop.rng(odd["name"])))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 on success, 1 with one sentence on standard error."""
    given = _parser().parse_args(arguments)
    try:
        _run(given)
    except (fonts.FontError, CrowdedError, ValueError, OSError) as fault:
        print(f"compose: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
