"""Order sheets as photographs of handwriting, with their truth.

    python -m training.sheets.compose fonts
    python -m training.sheets.compose sheets demo/data/w3k/manifest.toml --out demo/data/w3k --seed 1642
    python -m training.sheets.compose random --names names.json --count 20 --out build/sheets --seed 7
    python -m training.sheets.compose varied --set held_out --seed 7 --names names.json --out build/held_out
    python -m training.sheets.compose varied --set calibration --ink INK --names names.json --out build/ink

`sheets` photographs every entry `[[sheet]]` of a TOML file; `random` invents sheets (orders that are well
formed, not legal); `varied` invents them in as many hands, pens, papers and lights as people have, from one
of the sets of fonts that share no font, or with `--ink` in the recorded letters of real people. All write
JPEGs and truth.json, the same bytes for the same seed, fonts and library versions.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from training.handwriting import font_sets, fonts
from training.handwriting.appearance import choose
from training.handwriting.draw import CrowdedError, draw
from training.handwriting.ink_writers import InkShare, InkWriter, NoInk, read_writers, share_of
from training.handwriting.sheet import SheetLine, SheetStyle, WrittenLineKind
from training.photographs.landscape import meadow
from training.photographs.one_sheet import jpeg, photograph
from training.sheets import varied
from training.sheets.copied import copied_drafts
from training.sheets.drafts import Shares
from training.sheets.odd_layouts import OddLayout
from training.sheets.random_orders import RandomName, invent
from training.sheets.truth import entry
from training.sheets.wordings import read_book

# Letters, of the 52 small and capital ones, that a person whose hand a whole sheet is in must have left.
_LETTERS = 46


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where fonts are and which seed rules chance. `font_files`: fonts named on the command line, by hand."""

    seed: int
    cache: Path
    font_files: dict[str, Path] = field(default_factory=dict)

    def hands(self) -> tuple[str, ...]:
        """The families that may be drawn by chance."""
        return tuple(sorted(self.font_files)) or fonts.HANDS

    def rng(self, name: str) -> np.random.Generator:
        """Chance for one sheet: the same whatever other sheets are composed with it."""
        # crc32 is the same in every process; Python's own hash of a text is not.
        return np.random.default_rng([self.seed, zlib.crc32(name.encode())])


def compose(sheet: SheetStyle, workshop: Workshop) -> tuple[bytes, dict[str, Any]]:
    """A sheet's JPEG and its truth entry. Raises FontError, CrowdedError, or ValueError for a bad order."""
    rng = workshop.rng(sheet.name + "/ink")
    page = draw(sheet, fonts.locate(sheet.look.hand, workshop.cache, workshop.font_files), rng)
    shot = photograph(page.colour, sheet.look, rng)
    return jpeg(shot.colour, sheet.look), entry(sheet, page, shot, f"{sheet.name}.jpg")


def read_sheets(path: Path, workshop: Workshop) -> tuple[SheetStyle, ...]:
    """The `[[sheet]]` entries of a TOML file; looks not decided there are drawn by chance.

    Raises ValueError naming the sheet for an unknown key of `look`, KeyError for a missing part.
    """
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(_sheet(row, workshop) for row in document["sheet"])


def _sheet(row: dict[str, Any], workshop: Workshop) -> SheetStyle:
    name = row["name"]
    lines = [SheetLine(text, WrittenLineKind.HEADING) for text in row["heading"]]
    lines += [
        SheetLine(order["text"], WrittenLineKind.ORDER, order["order"], order.get("struck", False),
                  smeared=_stretch(order))
        for order in row.get("orders", ())
    ]
    if "signature" in row:
        lines.append(SheetLine(row["signature"], WrittenLineKind.SIGNATURE))
    try:
        look = choose(row.get("look", {}), workshop.hands(), workshop.rng(name + "/look"))
    except ValueError as fault:
        raise ValueError(f"sheet {name}: {fault}") from fault
    return SheetStyle(name, row["power"], row["phase"], tuple(lines), look)


def _stretch(order: Mapping[str, Any]) -> tuple[float, float] | None:
    """The smeared stretch of a line, as shares of its last row."""
    if "smeared" not in order:
        return None
    begin, end = order["smeared"]
    return float(begin), float(end)


def write_all(sheets: Iterable[SheetStyle], workshop: Workshop, out: Path) -> list[dict[str, Any]]:
    """Compose sheets into a folder, naming each on standard error; returns the truth entries."""
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
    # `load_truth` takes w3k where no variant is named.
    header = {} if variant is None else {"variant": variant}
    text = json.dumps({**header, "sheets": entries}, ensure_ascii=False, indent=1)
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
        command = commands.add_parser(name, help=text)
        if name == "sheets":
            command.add_argument("file", type=Path)
            command.add_argument(
                "--only", action="append", default=[], metavar="NAME", help="compose only this one"
            )
        else:
            command.add_argument(
                "--names", type=Path, required=True, help='JSON list of {"name", "kind", "aliases"}'
            )
            command.add_argument("--count", type=int, default=10)
            command.add_argument("--tidy", type=float, nargs=2, default=(0.5, 1.0), metavar=("LOW", "HIGH"),
                                 help="0 hasty, 1 best")
        command.add_argument("--out", type=Path, required=True)
        command.add_argument("--seed", type=int, default=1642)
        command.add_argument("--cache", type=Path, default=fonts.default_cache())
        command.add_argument(
            "--font", action="append", default=[], metavar="HAND=FILE", help="use this font file"
        )
    _varied_parser(commands.add_parser("varied", help="invent sheets as varied as people are"))
    return parser


def _varied_parser(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--set", type=font_sets.Purpose, choices=list(font_sets.Purpose), required=True, dest="purpose",
        help="whose hands: fonts of this set or, with --ink, people of this share",
    )
    command.add_argument("--ink", type=Path, metavar="FOLDER",
                         help="write in the recorded letters of real people, one a sheet, instead of fonts")
    command.add_argument("--sheets", type=int, default=60)
    command.add_argument("--style", type=varied.Style, choices=list(varied.Style), default=varied.Style.MIXED)
    command.add_argument("--names", type=Path, required=True, help='JSON list of {"name", "kind", "aliases"}')
    command.add_argument("--out", type=Path, required=True)
    command.add_argument("--seed", type=int, default=1642)
    command.add_argument("--cache", type=Path, default=fonts.default_cache())
    command.add_argument("--two", type=float, default=0.0, metavar="SHARE", help="photographs of two leaves")
    command.add_argument("--turned", type=float, default=0.05, metavar="SHARE",
                         help="lying on a side, unmarked")
    command.add_argument("--drawn", type=float, default=0.0, metavar="SHARE",
                         help="people whose A and F are drawn, not the font's")
    command.add_argument("--book", type=Path,
                         help="a game's wordings, training/sheets/wording_tables/VARIANT.toml (w3k without)")
    command.add_argument("--texts", type=Path, metavar="FOLDER",
                         help="write what the sheets of this folder say, in turn, by its truth.json")
    command.add_argument("--columns", type=float, default=0.0, metavar="SHARE",
                         help="short orders in two columns")
    command.add_argument("--blocks", type=float, default=0.0, metavar="SHARE",
                         help="leaves with a block of orders crossed out at once")
    command.add_argument("--odd", type=OddLayout, choices=list(OddLayout), nargs="*", default=[],
                         help="layouts other than one order a row, in turn")
    command.add_argument("--trapped", type=float, default=Shares().trapped, metavar="SHARE",
                         help="lines of movement sheets that a person must look at")


def _varied(args: argparse.Namespace) -> None:
    batch = varied.Batch(
        args.purpose, args.sheets, args.seed, args.style, read_names(args.names), args.cache,
        Shares(columns=args.columns, trapped=args.trapped), two=args.two, turned=args.turned,
        drawn=args.drawn, blocks=args.blocks, odd=tuple(args.odd),
        book=None if args.book is None else read_book(args.book),
    )
    if args.texts is not None:
        batch = replace(batch, drafts=copied_drafts(args.texts))
    if args.ink is not None:
        batch = replace(batch, writers=_writers(args.ink, args.purpose))
    args.out.mkdir(parents=True, exist_ok=True)
    entries = []
    for data, facts in varied.sheets(batch):
        (args.out / facts["file"]).write_bytes(data)
        entries.append(facts)
        _say(len(entries), batch.sheets, facts)
    _write_truth(entries, args.out, None if args.book is None else args.book.stem)


def _writers(folder: Path, purpose: font_sets.Purpose) -> tuple[InkWriter, ...]:
    """People of a share whose letters nearly suffice for a sheet. Raises NoInk if there are none."""
    if purpose is font_sets.Purpose.VALIDATION:
        raise ValueError("no writer serves for validation; say --set tuning, calibration or held_out")
    share = InkShare(purpose.value)
    writers = tuple(
        writer for writer in read_writers(folder)
        if share_of(writer.name) is share and sum(map(str.isalpha, writer.letters)) >= _LETTERS
    )
    if not writers:
        raise NoInk(f"{folder} has nobody for {share.value} who left {_LETTERS} letters")
    return writers


def _say(sheets_written: int, of: int, facts: dict[str, Any]) -> None:
    """A bar on a terminal, lines elsewhere; on standard error."""
    if sys.stderr.isatty():
        filled = round(30 * sheets_written / of)
        print(f"\r[{'#' * filled}{'.' * (30 - filled)}] {sheets_written} of {of}",
            end="\n" if sheets_written == of else "",
              file=sys.stderr, flush=True)  # fmt: skip
    else:
        style = facts["style"]
        hand = style.get("font") or style.get("writer")
        text = f"{sheets_written} of {of}: {facts['file']}, {hand}, {style['manner']}"
        print(text, file=sys.stderr, flush=True)


def read_names(path: Path) -> tuple[RandomName, ...]:
    """The JSON list that `galloper read --names` takes."""
    return tuple(
        RandomName(row["name"], row["kind"], tuple(row.get("aliases", ())), tuple(row.get("coasts", ())),
                   row.get("abbr", ""))
        for row in json.loads(path.read_text(encoding="utf-8"))
    )


def _workshop(args: argparse.Namespace) -> Workshop:
    file_of_hand = dict(pair.split("=", 1) for pair in args.font)
    return Workshop(args.seed, args.cache, {hand: Path(file) for hand, file in file_of_hand.items()})


def _run(args: argparse.Namespace) -> None:
    if args.command == "fonts":
        # `sheets` and `random` take their hands from HANDS, `varied` from the table.
        families = tuple(sorted({*fonts.HANDS, *font_sets.TABLE}))
        fonts.fetch(args.cache, families)
        print(f"{len(families)} fonts in {args.cache}", file=sys.stderr)
        return
    if args.command == "varied":
        _varied(args)
        return
    workshop = _workshop(args)
    if args.command == "random":
        names = read_names(args.names)
        sheets = tuple(
            invent(f"r{index + 1:03d}", names, workshop, tuple(args.tidy)) for index in range(args.count)
        )
        _write_truth(write_all(sheets, workshop, args.out), args.out)
        return
    sheets = read_sheets(args.file, workshop)
    chosen_sheets = [sheet for sheet in sheets if not args.only or sheet.name in args.only]
    entries = write_all(chosen_sheets, workshop, args.out)
    # With --only the other sheets are not composed, and writing truth.json would drop their entries.
    if not args.only:
        _write_truth(entries, args.out)
        for odd in tomllib.loads(args.file.read_text(encoding="utf-8")).get("picture", ()):
            (args.out / f"{odd['name']}.jpg").write_bytes(meadow(workshop.rng(odd["name"])))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 on success, 1 with one sentence on standard error."""
    args = _parser().parse_args(arguments)
    try:
        _run(args)
    except (fonts.FontError, NoInk, CrowdedError, ValueError, OSError) as fault:
        print(f"compose: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
