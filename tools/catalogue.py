"""The catalogues of letters and public pages: messages from the sources into each `.po`, and each `.po` into
the `.mo` that the program reads (LET-10). `python -m tools.catalogue`; `--check` shows what is missing and
writes nothing.

A translator opens `templates/languages/<code>.po`, fills in what is empty or marked *fuzzy*, and runs it
again.
"""

from __future__ import annotations

import argparse
import io
import re
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

import maps
from service.facts import sheets
from service.games.approval import approve
from service.games.rulings import rules_of
from service.intake.verdicts import explanations
from service.letters import outcomes
from service.letters.language import ENGLISH, LANGUAGES
from service.mail.sending import compose
from service.web import error_pages

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "templates/languages"
SOURCES = [
    ("templates/mail/**", "jinja2"), ("templates/public/**.html", "jinja2"),
    ("templates/features/**.html", "jinja2"), ("templates/features/**.jinja", "jinja2"),
    ("service/features/**.py", "python"),
    ("service/letters/**.py", "python"), ("service/public/**.py", "python"),
    ("service/intake/verdicts/explanations.py", "python"),
    ("service/notices/**.py", "python"), ("service/pictures/history.py", "python"),
]
"""The places of messages; the first pattern that fits a file shows how it is read."""
_EPOCH = datetime(2026, 11, 25, tzinfo=UTC)
"""Fixed, so that a catalogue changes where words change."""
_QUESTION = re.compile(r"Q-\d+")
"""The name of a house rule that is a number in the list of questions."""
KEYWORDS: Mapping[str, tuple[int, ...] | None] = {
    "_": None, "N_": None, "say": None, "ngettext": (1, 2), "count": (1, 2), "Sentence": None,
}


def messages() -> Catalog:
    """Every message of the sources, with the files that have it."""
    catalogue = Catalog(project="Galloper", charset="utf-8", fuzzy=False)
    for folder in ("templates", "service"):
        pairs = [(path.removeprefix(f"{folder}/"), method) for path, method in SOURCES
                 if path.startswith(f"{folder}/")]
        extracted = extract_from_dir(ROOT / folder, pairs, {}, KEYWORDS)
        for file, _line, message, comments, context in extracted:
            # Files without lines: a catalogue changes where words change, not where lines move.
            where = [(f"{folder}/{file}", 0)]
            catalogue.add(message, None, where, auto_comments=comments, context=context)
    for text, path in _sentences():
        catalogue.add(text, None, [(path, 0)])
    for text, path in _rules():
        catalogue.add(text.replace("%", "%%"), None, [(path, 0)])
    return catalogue


def _sentences() -> Iterator[tuple[str, str]]:
    """Messages that no call marks, each with its file."""
    for place, sentences in (
        ("intake/verdicts/explanations", explanations.fixed_sentences()),
        ("letters/outcomes", outcomes.messages()),
        ("web/error_pages", error_pages.PUBLIC_SENTENCES),
        ("facts/sheets", sheets.half_sentences()),
        ("games/approval/approve", (approve.LATE,)),
        ("mail/sending/compose", compose.FILE_SENTENCES),
    ):
        yield from ((sentence, f"service/{place}.py") for sentence in sentences)


def _rules() -> Iterator[tuple[str, str]]:
    """The rules of conduct and the house rules of each board, as they are played."""
    for slug in maps.variants():
        yield from ((rule, f"maps/{slug}/variant.toml") for rule in maps.load(slug).conduct)
        for ruling in rules_of(slug):
            for text in (ruling.section, ruling.name, ruling.text, ruling.answer):
                if text and not _QUESTION.fullmatch(text):
                    yield text, f"maps/{slug}/rulings.md"


def catalogue_of(code: str) -> Catalog:
    """A language's catalogue as it is in its file; an empty one if there is none yet."""
    file = FOLDER / f"{code}.po"
    if not file.exists():
        return Catalog(
            locale=code, header_comment=f"# The words of letters and public pages: {LANGUAGES[code]}.",
            project="Galloper", version="1", msgid_bugs_address="", last_translator="Galloper",
            language_team=LANGUAGES[code], charset="utf-8", fuzzy=False,
            creation_date=_EPOCH, revision_date=_EPOCH)
    with file.open("rb") as opened:
        return read_po(opened, locale=code)


def compiled(catalogue: Catalog) -> bytes:
    """The bytes of its `.mo`."""
    out = io.BytesIO()
    write_mo(out, catalogue)
    return out.getvalue()


def faults(code: str) -> Iterator[str]:
    """What a language's files lack, each in a sentence."""
    known, current = catalogue_of(code), messages()
    for message in current:
        translated = known.get(message.id) if message.id else None
        if message.id and (translated is None or not all(_strings(translated.string or ""))):
            yield f"{code}: no translation of {message.id!r}"
        elif translated is not None and message.id and translated.fuzzy:
            yield f"{code}: the translation of {message.id!r} is marked fuzzy"
        elif translated is not None:
            yield from (f"{code}: {message.id!r}: {fault}" for fault in translated.check(known))
    for message in known:
        if message.id and current.get(message.id) is None and not _is_taken_out(message):
            yield f"{code}: {message.id!r} is in no source"
    file = FOLDER / f"{code}.mo"
    if not file.exists() or file.read_bytes() != compiled(known):
        yield f"{code}: {file.name} is not what {code}.po says; run python -m tools.catalogue"


def _is_taken_out(message: Message) -> bool:
    """Whether only features that were deleted have a message (`service.feature`)."""
    folders = [Path(file).parts[:3] for file, _ in message.locations]
    return bool(folders) and all(
        parts[1:2] == ("features",) and not ROOT.joinpath(*parts).is_dir() for parts in folders)


def _strings(translated: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (translated,) if isinstance(translated, str) else tuple(translated)


def write(code: str) -> None:
    """Bring a language's catalogue up to date with the sources, and compile it."""
    FOLDER.mkdir(exist_ok=True)
    catalogue = catalogue_of(code)
    catalogue.update(messages(), no_fuzzy_matching=True, update_creation_date=False)
    catalogue.obsolete.clear()
    with (FOLDER / f"{code}.po").open("wb") as file:
        write_po(file, catalogue, width=110, sort_output=True, ignore_obsolete=True,
                 include_lineno=False)
    (FOLDER / f"{code}.mo").write_bytes(compiled(catalogue))


def main() -> int:
    """The exit status: 1 if a catalogue lacks something."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="say what is missing and write nothing")
    args = parser.parse_args()
    lacking = []
    for code in [code for code in LANGUAGES if code != ENGLISH]:
        if not args.check:
            write(code)
        lacking += list(faults(code))
    print("\n".join(lacking) or "every catalogue is complete")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
