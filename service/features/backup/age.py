"""Backups that only the holder of a key can read (SEC-03), in the form of age
(https://age-encryption.org/v1)."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, TypeVar, cast

from adjudicator.errors import UserFacingError

BEGINNING = b"age-encryption.org/v1\n"
Result = TypeVar("Result")
_MARK = "AGE-SECRET-KEY-"


class KeyFault(UserFacingError):
    """A backup cannot be closed or opened with this key; the sentence shows what to do."""


class _Pipe:
    """The writing end of a pipe, which counts its bytes: `tarfile` needs the position."""

    def __init__(self, handle: int) -> None:
        self._file, self._count = os.fdopen(handle, "wb"), 0

    def write(self, data: bytes) -> int:
        self._count += len(data)
        return self._file.write(data)

    def tell(self) -> int:
        return self._count

    def close(self) -> None:
        self._file.close()


def write_encrypted(
    write: Callable[[IO[bytes]], Result], out: IO[bytes], recipients: Sequence[str]
) -> Result:
    """Write a file so that only the holders of one of the keys read it: nothing of it is on the disk in
    clear.

    `write` writes the file in clear and its result is returned; `recipients` are public keys ("age1...").
    Raises
    KeyFault, and what `write` raises.
    """
    age = _library()
    try:
        keys = [age.x25519.Recipient.from_str(recipient.strip()) for recipient in recipients]
    except age.RecipientError as fault:
        raise KeyFault("backup_recipients: a value is not a key; write public keys such as age1..., as "
                       "age-keygen shows them. No backup was made.") from fault
    reading, writing = os.pipe()
    results: list[Result] = []
    faults: list[BaseException] = []

    def fill() -> None:
        pipe = _Pipe(writing)
        try:
            results.append(write(cast("IO[bytes]", pipe)))
        except BaseException as fault:
            faults.append(fault)
        finally:
            try:
                pipe.close()
            except OSError as fault:
                faults.append(fault)

    thread = threading.Thread(target=fill, name="galloper-backup")
    with os.fdopen(reading, "rb") as source:
        thread.start()
        try:
            age.encrypt_io(source, out, keys)
        finally:
            # A writer that is still at work meets a closed pipe, and ends.
            source.close()
            thread.join()
    if faults:
        raise faults[0]
    return results[0]


@contextmanager
def opened(path: Path, key: Path | None) -> Iterator[IO[bytes]]:
    """A backup in clear, at its beginning. `key`: the file of a secret key, for one that is encrypted. Raises
    KeyFault."""
    with path.open("rb") as file:
        is_encrypted = file.read(len(BEGINNING)) == BEGINNING
        file.seek(0)
        if not is_encrypted:
            yield file
            return
        if key is None:
            raise KeyFault("The backup is encrypted: name the file of its secret key with --key. Nothing "
                           "was restored.")
        age = _library()
        # Without a name, for its owner alone, and gone with this process.
        with TemporaryFile() as clear:
            try:
                age.decrypt_io(file, clear, _identities(age, key))
            except (age.DecryptError, OSError) as fault:
                # A full disk has a number; a file that was cut off or changed has none.
                if getattr(fault, "errno", None) is not None:
                    raise
                sentence = "The backup is not for this key, or it is damaged. Nothing was restored."
                raise KeyFault(sentence) from fault
            clear.seek(0)
            yield clear


def _identities(age: Any, key: Path) -> list[Any]:
    try:
        lines = [line.strip() for line in key.read_text(encoding="ascii").splitlines()]
        identities = [age.x25519.Identity.from_str(line) for line in lines if line.startswith(_MARK)]
    except (OSError, UnicodeDecodeError, age.IdentityError):
        identities = []
    if not identities:
        # What is in the file is not quoted: it is a secret.
        raise KeyFault(f"{key} has no secret key of age, as age-keygen writes it. Nothing was restored.")
    return identities


def _library() -> Any:
    try:
        import pyrage
    except ImportError as error:
        raise KeyFault('Encrypted backups need a Python package that is not installed; pip install '
                       '"galloper[age]"') from error
    return pyrage
