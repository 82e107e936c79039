"""The storage tests of `galloper check`: the site's key, and the store of photographs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from service.config import Settings
from service.operations.findings import Finding, FindingState

if TYPE_CHECKING:
    from service.store.blobs import Blobs

SPECIMEN = b"galloper check"


def check_site_key(settings: Settings) -> Finding:
    """Whether the file site.key opens the lots of the games that are played. Nothing is made or changed."""
    from sqlalchemy.exc import DBAPIError

    from service import site_key
    from service.operations.key_health import key_finding
    from service.record.sessions import sessions
    from service.store.engine import full_url, open_engine

    try:
        key = site_key.read(settings.key_path)
    except site_key.NoSiteKey as error:
        return Finding("key", FindingState.TROUBLE, str(error))
    url = full_url(settings.database_url)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").exists():
        return Finding("key", FindingState.WELL,
                       f"{settings.key_path} is made at the first start; keep a copy apart from the backups")
    engine = open_engine(settings.database_url)
    try:
        with sessions(engine, key=key)() as session:
            finding = key_finding(session, "key")
    except DBAPIError:
        return Finding("key", FindingState.NOTE, "the database has no tables yet, so it is not known which "
                                                 "games need it")
    finally:
        engine.dispose()
    words = f"{finding.sentence} {finding.advice}".rstrip(" .")
    return replace(finding, sentence=words[:1].lower() + words[1:], advice="")


def check_photographs(settings: Settings) -> Finding:
    """Put a few bytes into the store that `photo_store` names, and read them back."""
    from service.store.blobs import open_blobs

    if not settings.photo_store:
        return Finding(
            "photos", FindingState.WELL,
            f"kept in {Path(settings.data) / 'blobs'}{_retention_words(settings)}"
        )
    blobs = open_blobs(settings)
    try:
        key = blobs.put(SPECIMEN)
        same = blobs.read(key) == SPECIMEN
    # Each kind of store has its own errors, whose text may contain an address or a key.
    except Exception as error:
        return Finding("photos",
            FindingState.TROUBLE,
            f"{settings.photo_store} cannot be used ({type(error).__name__}); check the setting photo_store, "
            "and the credentials in the environment",
        )
    if not same:
        return Finding("photos",
            FindingState.TROUBLE,
            f"{settings.photo_store} returned different bytes than were stored; check the store",
        )
    return _with_rules(Finding("photos", FindingState.WELL,
                               f"{settings.photo_store} returns what is stored{_retention_words(settings)}"),
                       blobs)


def _with_rules(well: Finding, blobs: Blobs) -> Finding:
    """The finding on a store that works, with what its bucket lacks (docs/how-to/back-up-a-large-site.md)."""
    from service.store.blobs import bucket_rules

    page = "see docs/how-to/back-up-a-large-site.md"
    try:
        rules = bucket_rules(blobs)
    # Some providers have no such questions, and some credentials may not ask them.
    except Exception as error:
        return replace(well, state=FindingState.NOTE, sentence=f"{well.sentence}; its versioning and "
        f"life-cycle rules could not be read ({type(error).__name__})")
    if rules is None:
        return well
    if rules.deleting or rules.slow:
        names = ", ".join((*rules.deleting, *rules.slow))
        does = "deletes files that the records of games need for ever" if rules.deleting else (
            "moves files to a storage class with delayed access")
        return replace(well, state=FindingState.TROUBLE,
                       sentence=f"a life-cycle rule of the bucket ({names}) {does}; remove it, and {page}")
    lacks = [words for words, has in (("keeps no versions, so files deleted by mistake are lost",
                                       rules.keeps_versions),
                                      ("has no rule that moves old files to a cheaper storage class",
                                       rules.has_classes)) if not has]
    if not lacks:
        return replace(well, sentence=f"{well.sentence}; the bucket has versions and storage classes")
    return replace(well, state=FindingState.NOTE,
                   sentence=f"{well.sentence}; the bucket {' and '.join(lacks)}: {page}")


def _retention_words(settings: Settings) -> str:
    days = settings.unrelated_mail_retention_days
    return (
        ", for ever"
        if days is None
        else f", for ever if a game's record needs them; other mails for {days} days"
    )
