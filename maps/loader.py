"""A folder of tables to one frozen value. Finds every fault before it gives up (house rule on our own
faults)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from adjudicator import rules as rule_sets
from adjudicator.position import Position
from adjudicator.ruleset import Ruleset
from maps import checks, geometry, short_forms, start_position, variant_file
from maps import provinces as ground
from maps.board_text import board_text
from maps.faults import Fault, Faults, MapError, NoSuchBoard
from maps.variant import Variant

_HERE = Path(__file__).parent
_RULES = "rules"
_roots: tuple[Path, ...] = (_HERE,)


def add_folder(boards: Path) -> None:
    """Add the boards in a folder: each folder in it that has a heading, and the rule sets in its `rules/`,
    one Python module each, as in `adjudicator/rules/`. Adding a folder twice changes nothing. Raises MapError
    if there is no such folder, or if a board or rule set in it has a name that is known already."""
    global _roots  # noqa: PLW0603 which boards there are is fixed once, when the program starts
    boards = boards.expanduser().resolve()
    if boards in _roots:
        return
    if not boards.is_dir():
        raise MapError(boards.name, [Fault(str(boards), 0, "there is no such folder of boards")])
    # A board of one's own must not replace one that running games are played on.
    taken = [slug for slug in _in(boards) if slug in variants()]
    if taken:
        raise MapError(
            boards.name,
            [
                Fault(f"{slug}/{variant_file.FILE}", 0, (f"{slug} is the name of a board already"))
                for slug in taken
            ],
        )
    if (boards / _RULES).is_dir():
        try:
            rule_sets.add_folder(boards / _RULES)
        except ValueError as error:
            raise MapError(boards.name, [Fault(_RULES, 0, str(error))]) from error
    _roots = (*_roots, boards)


def added_folders() -> tuple[Path, ...]:
    """The folders that `add_folder` named."""
    return tuple(root for root in _roots if root != _HERE)


def variants() -> tuple[str, ...]:
    """The slugs of all boards, sorted: every folder beside this file, and of the folders that `add_folder`
    named, with a heading."""
    return tuple(sorted(slug for root in _roots for slug in _in(root)))


def _in(root: Path) -> tuple[str, ...]:
    return tuple(path.parent.name for path in root.glob(f"*/{variant_file.FILE}"))


def folder(slug: str) -> Path:
    """The folder of one board. Raises MapError, naming the boards there are, when there is none of that
    name."""
    if slug not in variants():
        raise NoSuchBoard(slug, variants())
    return next(root / slug for root in _roots if (root / slug / variant_file.FILE).exists())


@cache
def load(slug: str) -> Variant:
    """One of the boards that are known by name, read once. Raises MapError with all its faults."""
    return load_folder(folder(slug))


def load_folder(path: Path) -> Variant:
    """The board in a folder anywhere; the slug is the folder's name. Raises MapError with all its faults."""
    path = path.resolve()
    faults = Faults()
    variant = _read(path, faults)
    if variant is None or faults.all():
        raise MapError(path.name, faults.all())
    return variant


def check_folder(path: Path) -> list[Fault]:
    """Every fault of the board in a folder, drawn shapes included; empty when it is fit for play."""
    path = path.resolve()
    faults = Faults()
    variant = _read(path, faults)
    if variant is not None:
        geometry.check_shapes(path, variant.board, faults)
    return list(faults.all())


def _read(path: Path, faults: Faults) -> Variant | None:
    if not path.is_dir():
        faults.add(path.name, 0, "there is no such folder")
        return None
    top = variant_file.read_variant_file(path, faults)
    # Each reader gives its good rows and notes the others, so that later checks run on what there is.
    listed = ground.read_provinces(path, faults)
    provinces = listed.by_id
    borders = ground.read_borders(path, provinces, faults)
    board = ground.build_board(
        provinces, borders, {movement for kind in top.kinds.values() for movement in kind.moves}
    )
    setup = start_position.Setup(board, top, faults)
    setup.read(path)
    names = start_position.read_names(path, provinces, faults)
    shorts = short_forms.read_short_forms(path, provinces, top.powers, names, faults)
    checks.check_board(checks.LoadedFolder(board, borders, listed.rows, top, setup.units), faults)
    wording = path / "orders.lark"
    # All tables have been checked by now, so one run tells every fault.
    if top.start is None:
        return None
    rules = _rules(top, faults)
    return Variant(
        slug=path.name,
        title=top.title,
        board=board,
        kinds=top.kinds,
        powers=top.powers,
        calendar=top.calendar,
        start=rules.opening_position(Position(top.start, setup.units, setup.centres), board),
        names=names,
        rules=rules,
        wording=board_text(wording) if wording.exists() else "",
        capitals=top.capitals or None,
        victory=top.victory,
        note=top.note,
        middle=top.middle,
        open_east=top.open_east,
        strip=top.strip,
        conduct=top.conduct,
        earlier=_earlier(top, rules, faults),
        short_forms=shorts,
    )


def _earlier(top: variant_file.VariantFile, rules: Ruleset, faults: Faults) -> dict[str, str]:
    """House rules of the time before a change; one that the rule set has no choice for is a fault."""
    earlier = {key: str(value) for key, value in top.earlier.items()}
    for key, value in earlier.items():
        if value not in rules.CHOICES.get(key, ()):
            path = f"rules.earlier.{key}"
            faults.add(variant_file.FILE, top.row(path), f"{path}: {value!r} is no choice of this rule set")
    return earlier


def _rules(top: variant_file.VariantFile, faults: Faults) -> Ruleset:
    """The rule set the heading asks for; a name or a value it does not know is a fault of the heading."""
    try:
        return rule_sets.load(top.module, top.values, top.citations, top.figures)
    except ValueError as error:
        message = str(error)
        key = message.partition(":")[0] if message.startswith("rules.") else "rules.module"
        faults.add(variant_file.FILE, top.row(key), message)
        return Ruleset(top.module, top.values)
