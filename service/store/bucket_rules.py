"""What a bucket does with files that are deleted or seldom read (SCA-05), as it says itself. Nothing is set
from here.

Asked by the S3 API through s3fs; a store of another kind is not asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from service.store.blobs import Blobs, RemoteBlobs

SLOW_CLASSES = frozenset({"GLACIER", "DEEP_ARCHIVE"})
"""Classes of S3 whose files cannot be read at once: an old page of a game would fail."""


@dataclass(frozen=True, slots=True)
class BucketRules:
    """`keeps_versions`: what is deleted or written over can be brought back. `has_classes`: a rule moves old
    files to a cheaper class. `deleting` and `slow`: the names of rules that delete files which records name
    for ever, or move them where they cannot be read at once."""

    keeps_versions: bool
    has_classes: bool
    deleting: tuple[str, ...] = ()
    slow: tuple[str, ...] = ()


def rules_of(blobs: Blobs) -> BucketRules | None:
    """What the bucket of these blobs says; None where they lie in no bucket. Raises what s3fs raises when the
    bucket does not answer or these credentials may not ask."""
    if not isinstance(blobs, RemoteBlobs) or not hasattr(blobs.files, "call_s3"):
        return None
    bucket, _, prefix = blobs.root.as_posix().partition("/")
    versions = blobs.files.call_s3("get_bucket_versioning", Bucket=bucket).get("Status")
    rules: Sequence[Mapping[str, Any]] = ()
    # A bucket without rules answers with an error that s3fs takes for a missing file.
    with suppress(FileNotFoundError):
        answer = blobs.files.call_s3("get_bucket_lifecycle_configuration", Bucket=bucket)
        rules = [rule for rule in answer.get("Rules", ())
                 if rule.get("Status") == "Enabled" and _is_about(rule, prefix)]
    return BucketRules(
        versions == "Enabled",
        any(rule.get("Transitions") for rule in rules),
        tuple(_name(rule) for rule in rules if {"Days", "Date"} & set(rule.get("Expiration", ()))),
        tuple(_name(rule) for rule in rules
              if any(step.get("StorageClass") in SLOW_CLASSES for step in rule.get("Transitions", ()))),
    )


def _is_about(rule: Mapping[str, Any], prefix: str) -> bool:
    """Whether a rule may touch our files. One that asks for tags does not: ours have none."""
    condition: Mapping[str, Any] = rule.get("Filter") or {}
    both: Mapping[str, Any] = condition.get("And") or {}
    if "Tag" in condition or both.get("Tags"):
        return False
    # Before 2016 the prefix stood in the rule itself.
    own = str(condition.get("Prefix") or both.get("Prefix") or rule.get("Prefix") or "")
    return prefix.startswith(own) or own.startswith(prefix)


def _name(rule: Mapping[str, Any]) -> str:
    return str(rule.get("ID") or "without a name")
