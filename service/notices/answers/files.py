"""The fate of each file of a mail, in sentences for its sender (ARR-02): the file by its name, what is
wrong with it, and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy.orm import Session

from ocr.image.formats import MOST_PAGES
from ocr.image.open_image import MOST_PIXELS
from ocr.unreadable import FileTrouble
from service.facts.files import NO_ORDERS, TOO_MANY, FileFate, FileOutcome, OtherKind, load_outcomes
from service.letters.language import N_, Sentence
from service.store import records
from service.store.tables import MailRow, SubmissionRow

MOST_NAMED = 10
"""Files of one mail that a letter names."""
_BY_FATE: Mapping[FileFate, str] = {
    FileFate.REPEATED: N_("%(file)s: the same picture is in this mail a second time. One of them is enough."),
    FileFate.OURS: N_("%(file)s: this is a picture from one of our letters. It is not read as orders."),
    FileFate.NO_SHEET: N_(
        "%(file)s: no heading and no order was found on it. It is stored, and not read as orders."),
    FileFate.BLANK_SHEET: N_(
        "%(file)s: nothing is written on this sheet. It is stored, and does not count. If you want to give "
        "no orders, write “no orders” on it."),
}
_BY_TROUBLE: Mapping[str, str] = {
    TOO_MANY: N_("%(file)s: the mail has more than %(most)s photographs. Send fewer."),
    FileTrouble.EMPTY: N_("%(file)s: the file is empty. Attach the picture again."),
    FileTrouble.DAMAGED: N_("%(file)s: the file is cut off or damaged. Attach the picture again."),
    FileTrouble.LOCKED: N_("%(file)s: the file needs a password. Send it without a password."),
    FileTrouble.MANY_PAGES: N_(
        "%(file)s: the file has %(number)s pages or more, and at most %(most)s are read. Send only the "
        "pages with your orders."),
    FileTrouble.MANY_PIXELS: N_(
        "%(file)s: the picture has %(number)s million pixels, and at most %(most_pixels)s million are read. "
        "Photograph the sheet again with less."),
    FileTrouble.MANY_BYTES: N_("%(file)s: the file is too large. Send it smaller."),
    FileTrouble.COSTLY: N_("%(file)s: opening the file took too much time or memory. Send it smaller."),
}
_BY_KIND: Mapping[str, str] = {
    OtherKind.ARCHIVE: N_("%(file)s: this is an archive. Attach the pictures themselves."),
    OtherKind.EMPTY_ARCHIVE: N_("%(file)s: this archive is empty. Attach the pictures themselves."),
    OtherKind.LOCKED_ARCHIVE: N_(
        "%(file)s: this archive needs a password. Attach the pictures themselves."),
    OtherKind.LARGE_ARCHIVE: N_("%(file)s: this archive is too large. Attach the pictures themselves."),
    OtherKind.DAMAGED_ARCHIVE: N_("%(file)s: this archive does not open. Attach the pictures themselves."),
    OtherKind.DOCUMENT: N_("%(file)s: this is a document. Attach a photograph of the sheet, or a PDF."),
    OtherKind.FILM: N_("%(file)s: this is a film or a sound. Attach a photograph of the sheet."),
    OtherKind.MAIL: N_("%(file)s: this mail does not open. Attach the picture itself."),
    OtherKind.LINK: N_("%(file)s: this is a link, and no link is opened. Attach the picture itself."),
}
_NOT_OPENED = N_("%(file)s: the file does not open as a picture. Send it as JPEG or PDF.")
_MORE = N_(
    "%(file)s: the file holds %(more)s more pictures, as a film or a burst does, which are not read. Attach "
    "them by themselves if they are pages.")
_OTHERS = N_("%(number)s more files were not read.")
_NO_NAME = N_("A file without a name")


def file_notes(files: Sequence[FileOutcome]) -> tuple[str, ...]:
    """A sentence for each file of which its sender would expect something else."""
    unexpected = [file for file in files if not file.is_obvious]
    notes = [_note(file) for file in unexpected[:MOST_NAMED]]
    if len(unexpected) > MOST_NAMED:
        notes.append(Sentence(_OTHERS, number=len(unexpected) - MOST_NAMED))
    return tuple(notes)


def every_file(files: Sequence[FileOutcome]) -> tuple[str, ...]:
    """A sentence for each file of a mail, for the coordinator."""
    return tuple(
        f"{file.name or _NO_NAME}: {file.fate.because}." if file.is_obvious else _note(file)
        for file in files)


def files_of(session: Session, submission: SubmissionRow) -> tuple[FileOutcome, ...]:
    """The fate of the files of the mail that brought a sheet, with what its reading has shown."""
    mail = None if submission.sha256 is None else session.get(MailRow, submission.sha256)
    outcomes = load_outcomes(None if mail is None else mail.verdict_fields.get("files"))
    fates: dict[str, set[str | None]] = {}
    for page in records.pages(session, submission.id):
        fates.setdefault(page.original, set()).add(page.note)
    return tuple(_as_read(outcome, fates.get(outcome.digest, set())) for outcome in outcomes)


def _as_read(outcome: FileOutcome, notes: set[str | None]) -> FileOutcome:
    if len(notes) == 1 and (note := next(iter(notes))) in NO_ORDERS:
        return replace(outcome, fate=FileFate(note))
    return outcome


def _note(file: FileOutcome) -> str:
    if file.fate is FileFate.UNOPENED:
        words = _BY_TROUBLE.get(file.why, _NOT_OPENED)
    elif file.fate is FileFate.OTHER:
        words = _BY_KIND.get(file.why, _NOT_OPENED)
    else:
        words = _BY_FATE.get(file.fate, _MORE)
    return Sentence(words, file=file.name or Sentence(_NO_NAME), number=file.number, more=file.more,
                    most=MOST_PAGES, most_pixels=MOST_PIXELS // 1_000_000)
