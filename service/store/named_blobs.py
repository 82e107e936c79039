"""The blobs that rows name."""

from __future__ import annotations

from sqlalchemy import Connection, select

from service.store.letter_parts import blob_keys
from service.store.tables import MailRow, OutboxRow, PageRow, ScanRow, ShelvedFileRow, ShelvedGameRow


def named_blobs(connection: Connection) -> list[str]:
    """The key of every blob that a row names, sorted."""
    keys: set[str] = set()
    for column in (MailRow.sha256, PageRow.original, PageRow.upright, ScanRow.original, ScanRow.upright):
        keys.update(key for key in connection.execute(select(column).distinct()).scalars() if key is not None)
    letters = connection.execute(select(OutboxRow.message, OutboxRow.words, OutboxRow.files))
    keys |= blob_keys((message, words, files) for message, words, files in letters)
    for column in (ShelvedGameRow.blob, ShelvedFileRow.blob):
        keys.update(connection.execute(select(column).distinct()).scalars())
    return sorted(keys)
