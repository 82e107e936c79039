"""`short_forms.csv`: how a board's people write its places and powers for short, with sources (WRD-03).

These are no names of the board: the move browser, pictures and archives do not know them. A reader of orders
does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from adjudicator.geo import Province
from maps import tables
from maps.faults import Faults
from maps.names import normalize
from maps.provinces import region_at
from maps.tables import CsvRow
from maps.variant import Element, NameRow, ShortForm, ShortFormKind, Spelling

FILE = "short_forms.csv"
COLUMNS = ("text", "means", "kind", "source")
EXTRAS = ("element",)


def read_short_forms(
    folder: Path, provinces: Mapping[str, Province], powers: Collection[str], names: Iterable[NameRow],
    faults: Faults,
) -> tuple[ShortForm, ...]:
    """The rows of the table, or none where a board has no such file.

    Faults are a row that means no region and no power, one without a source, and a spelling that another
    region has already. An element tells spellings apart: "Cardigan" by land is another region than at sea.
    """
    if not (folder / FILE).exists():
        return ()
    forms: dict[int, ShortForm] = {}
    for row in tables.read_table(folder, FILE, COLUMNS, EXTRAS, faults):
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
            faults.add(FILE, row.number, f"{row['means']!r} is no power of this game")
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
    """A spelling means one region, or one on each element beside what the board itself calls so."""
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
        elements = [form.element for _, form in same]
        if all(form.kind is ShortFormKind.SHARED for _, form in same):
            if len(same) < 2:
                text = same[0][1].text
                faults.add(FILE, same[0][0], f"{text!r} is marked shared and means one region only")
        elif len(same) > 1 and (None in elements or len(set(elements)) < len(same)):
            listed = " and ".join(str(form.region) for _, form in same)
            number, form = same[-1]
            faults.add(FILE, number, f"{form.text!r} means {listed}; name one, or an element each")
