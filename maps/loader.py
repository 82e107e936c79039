"""A folder of tables to one frozen value. Finds every fault before it gives up (house rule on our own
faults).

`short_forms.csv`: how a board's people write its places and powers for short, with sources (WRD-03).

These are not names of the board: the move browser, pictures and archives do not know them. A reader of orders
does.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from adjudicator import rules as rule_sets
from adjudicator.geo import Province
from adjudicator.position import Position
from adjudicator.ruleset import Ruleset
from maps import checks, geometry, provinces as ground, start_position, variant_file
from maps.faults import Fault, Faults, MapError, NoSuchBoard
from maps.files import CsvRow, board_text, read_table
from maps.names import normalize
from maps.provinces import region_at
from maps.variant import Element, NameRow, ShortForm, ShortFormKind, Spelling, Variant

FILE = "short_forms.csv"
COLUMNS = ("text", "means", "kind", "source")
EXTRAS = ("element",)


def read_short_forms(
    folder: Path, provinces: Mapping[str, Province], powers: Collection[str], names: Iterable[NameRow],
    faults: Faults,
) -> tuple[ShortForm, ...]:
    """The rows of the table, or none where a board has no such file.

    Faults are a row that means no region and no power, one without a source, and a spelling that another
    region has already. An element distinguishes spellings: "Cardigan" by land is another region than at sea.
    """
    if not (folder / FILE).exists():
        return ()
    forms: dict[int, ShortForm] = {}
    for row in read_table(folder, FILE, COLUMNS, EXTRAS, faults):
        form = _form(row, provinces, powers, faults)
        if form is not None:
            forms[row.number] = form
    _check_clashes(forms, names, faults)
    return tuple(forms.values())


def _form(
    row: CsvRow, provinces: Mapping[str, Province], powers: Collection[str], faults: Faults
) -> ShortForm | None:
    for column, known in (("kind", ShortFormKind), ("element", ("", *Element))):
        if row[column] not in set(known):
            choices = ", ".join(text for text in known if text)
            faults.add(FILE, row.number, f"the {column} {row[column]!r} is not known; known are {choices}")
            return None
    if not normalize(row["text"]) or not row["source"]:
        faults.add(FILE, row.number, "a short form needs a text with letters in it, and a source")
        return None
    kind = ShortFormKind(row["kind"])
    if kind is ShortFormKind.OWNER:
        if row["means"] not in powers:
            faults.add(FILE, row.number, f"{row['means']!r} is not a power of this game")
            return None
        return ShortForm(row["text"], None, row["means"], kind, None, row["source"])
    region = region_at(row["means"], provinces, "/" in row["means"], FILE, row.number, faults)
    if region is None:
        return None
    element = Element(row["element"]) if row["element"] else None
    return ShortForm(row["text"], region, "", kind, element, row["source"])


def _check_code(number: int, form: ShortForm, names: Iterable[NameRow], faults: Faults) -> None:
    """A code that another region's name begins with is as likely that name for short ("Wes")."""
    code = normalize(form.text)
    others = [row.text for row in names
              if row.region != form.region and row.spelling is not Spelling.ABBREVIATION
              and normalize(row.text).startswith(code)]
    if others:
        faults.add(FILE, number, f"the code {form.text!r} is also how {others[0]!r} begins")


def _check_clashes(forms: Mapping[int, ShortForm], names: Iterable[NameRow], faults: Faults) -> None:
    """A spelling means one region, or one on each element next to what the board itself calls so."""
    of_board = {(normalize(row.text), row.region) for row in names}
    board_texts = {text for text, _ in of_board}
    by_text: defaultdict[str, list[tuple[int, ShortForm]]] = defaultdict(list)
    for number, form in forms.items():
        if form.region is None:
            continue
        text = normalize(form.text)
        if form.kind is ShortFormKind.CODE and form.element is None:
            _check_code(number, form, names, faults)
        if (text, form.region) in of_board:
            faults.add(FILE, number, f"{form.text!r} is a name of {form.region} already")
        elif text in board_texts and form.element is None:
            faults.add(FILE, number, f"{form.text!r} is a name of another region of this board")
        by_text[text].append((number, form))
    for same in by_text.values():
        if all(form.kind is ShortFormKind.SHARED for _, form in same):
            if len(same) < 2:
                text = same[0][1].text
                faults.add(FILE, same[0][0], f"{text!r} is marked shared and means one region only")
        elif not _are_told_apart([form for _, form in same]):
            listed = " and ".join(str(form.region) for _, form in same)
            number, form = same[-1]
            faults.add(FILE, number, f"{form.text!r} means {listed}; name one, or an element each")


def _are_told_apart(forms: Sequence[ShortForm]) -> bool:
    """True if of one spelling's meanings each is for another element, or for the same place in another
    language."""
    elements, kinds = [form.element for form in forms], {form.kind for form in forms}
    is_one_place = len({form.region for form in forms}) == 1 and len(kinds) == len(forms)
    if is_one_place and kinds <= {ShortFormKind.GERMAN, ShortFormKind.FRENCH}:
        return True
    return len(forms) == 1 or (None not in elements and len(set(elements)) == len(forms))


_HERE = Path(__file__).parent
_RULES = "rules"
TABLES = frozenset({".csv", ".toml", ".lark"})
"""Endings of the files of a board that decide what is played; the others are for drawing and reading about
it."""
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
    """The slugs of all boards, sorted: every folder next to this file, and of the folders that `add_folder`
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


def own_tables(slug: str) -> dict[str, bytes]:
    """The files that decide what is played on a board of the site's own, by name: its tables, its wording,
    and `rules/NAME.py` where it has its own rules. Empty for a board of the program. Raises MapError."""
    own = folder(slug)
    if own.parent == _HERE:
        return {}
    files = {path.name: path.read_bytes() for path in own.iterdir() if path.suffix in TABLES}
    rules = own.parent / _RULES / f"{load(slug).rules.name}.py"
    if rules.exists():
        files[f"{_RULES}/{rules.name}"] = rules.read_bytes()
    return dict(sorted(files.items()))


def own_digest(slug: str) -> str | None:
    """The digest of `own_tables`; None for a board of the program, and for one that is not here."""
    files = own_tables(slug) if slug in variants() else {}
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    return hashlib.sha256(json.dumps(digests, sort_keys=True, separators=(",", ":")).encode()).hexdigest() \
        if files else None


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
    shorts = read_short_forms(path, provinces, top.powers, names, faults)
    checks.check_board(checks.LoadedFolder(board, borders, listed.rows, top, setup.units), faults)
    wording = path / "orders.lark"
    # All tables have been checked by now, so one run reports every fault.
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
    """The rule set the heading requests; a name or a value it does not know is a fault of the heading."""
    try:
        return rule_sets.load(top.module, top.values, top.citations, top.figures)
    except ValueError as error:
        message = str(error)
        key = message.partition(":")[0] if message.startswith("rules.") else "rules.module"
        faults.add(variant_file.FILE, top.row(key), message)
        return Ruleset(top.module, top.values)
