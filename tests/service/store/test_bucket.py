"""A site whose files lie in a bucket: a real S3 client and a server that speaks S3 (SCA-05)."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.servers.s3 import S3, is_installed
from service.cli.check_storage import check_photographs
from service.config import Settings
from service.operations.findings import Finding, FindingState
from service.store.blobs import BlobError, Blobs, bucket_rules, open_blobs

TOP = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[S3]:
    if not is_installed():
        pytest.skip("moto and s3fs are not installed (requirements-bench.lock)")
    server = S3().start()
    yield server
    server.stop()


@pytest.fixture
def settings(server: S3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A site with a new, empty bucket."""
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    settings = Settings.model_validate({
        "data": str(tmp_path), "photo_store": f"s3://b-{uuid.uuid4().hex}/site",
        "order_address": "a@example.org", "coordinator": "b@example.org",
        "mail_in": {}, "mail_out": {"sender": "a@example.org"}})
    files(open_blobs(settings)).mkdir(bucket(settings))
    return settings


def bucket(settings: Settings) -> str:
    return settings.photo_store.removeprefix("s3://").partition("/")[0]


def files(blobs: Blobs) -> Any:
    return blobs.files  # type: ignore[attr-defined]  # of RemoteBlobs


def ask(settings: Settings, name: str, **more: Any) -> Any:
    return files(open_blobs(settings)).call_s3(name, Bucket=bucket(settings), **more)


def documented_rules() -> dict[str, Any]:
    """The rules that the page advises operators to set."""
    page = (TOP / "docs/how-to/back-up-a-large-site.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 1
    return dict(json.loads(blocks[0]))


def set_rules(settings: Settings, rules: dict[str, Any]) -> None:
    ask(settings, "put_bucket_lifecycle_configuration", LifecycleConfiguration=rules)


def keep_versions(settings: Settings) -> None:
    ask(settings, "put_bucket_versioning", VersioningConfiguration={"Status": "Enabled"})


def check(settings: Settings) -> Finding:
    return check_photographs(settings)


def test_a_bucket_keeps_bytes_under_their_names_and_forgets_them(settings: Settings) -> None:
    """SCA-05: what one machine puts another reads; what was replaced by a person is noticed."""
    blobs, elsewhere = open_blobs(settings), open_blobs(settings)
    photograph = bytes(range(256)) * 8_000
    key = blobs.put(photograph)
    assert elsewhere.read(key) == photograph
    assert files(blobs).find(bucket(settings)) == [f"{bucket(settings)}/site/{key[:2]}/{key}"]
    files(blobs).pipe_file(blobs.path(key).as_posix(), b"other bytes")
    with pytest.raises(BlobError, match="damaged"):
        elsewhere.read(key)
    assert elsewhere.put(photograph) == key
    assert blobs.read(key) == photograph
    for _ in range(2):
        blobs.remove(key)
    assert not elsewhere.has(key)


def test_the_check_names_what_a_bucket_lacks_and_the_documented_rules_mend_it(settings: Settings) -> None:
    """SCA-05: versions and classes, set as docs/how-to/back-up-a-large-site.md states."""
    finding = check(settings)
    assert finding.state is FindingState.NOTE
    assert "keeps no versions" in finding.sentence
    assert "no rule that moves old files to a cheaper storage class" in finding.sentence
    keep_versions(settings)
    assert "keeps no versions" not in check(settings).sentence
    set_rules(settings, documented_rules())
    finding = check(settings)
    assert (finding.state, finding.sentence.endswith("has versions and storage classes")) == (
        FindingState.WELL, True)


@pytest.mark.parametrize(("rule", "words"), [
    ({"Expiration": {"Days": 30}, "Filter": {"Prefix": ""}}, "files that the records of games need"),
    ({"Expiration": {"Days": 30}, "Filter": {"Prefix": "site/ab"}}, "deletes files"),
    ({"Transitions": [{"Days": 90, "StorageClass": "DEEP_ARCHIVE"}], "Filter": {"Prefix": "site/"}},
     "a storage class with delayed access"),
])
def test_a_rule_that_loses_files_is_a_trouble(settings: Settings, rule: dict[str, Any], words: str) -> None:
    """SCA-05"""
    keep_versions(settings)
    set_rules(settings, {"Rules": [*documented_rules()["Rules"], rule | {"ID": "tidy", "Status": "Enabled"}]})
    finding = check(settings)
    assert finding.state is FindingState.TROUBLE
    assert words in finding.sentence
    assert "(tidy)" in finding.sentence


def test_a_rule_for_other_files_is_nobodys_trouble(settings: Settings) -> None:
    keep_versions(settings)
    set_rules(settings, {"Rules": [*documented_rules()["Rules"], {
        "ID": "logs", "Status": "Enabled", "Expiration": {"Days": 3}, "Filter": {"Prefix": "logs/"}}, {
        "ID": "off", "Status": "Disabled", "Expiration": {"Days": 3}, "Filter": {"Prefix": ""}}]})
    rules = bucket_rules(open_blobs(settings))
    assert rules is not None
    assert rules.deleting == ()


def test_what_was_deleted_by_mistake_comes_back_from_its_version(settings: Settings) -> None:
    """SCA-05: the drill of the bucket, as the page states: the marker of the deletion is deleted."""
    keep_versions(settings)
    blobs = open_blobs(settings)
    key = blobs.put(b"a photograph that a record names")
    blobs.remove(key)
    assert not blobs.has(key)
    markers = ask(settings, "list_object_versions", Prefix=f"site/{key[:2]}/")["DeleteMarkers"]
    [marker] = [marker for marker in markers if marker["IsLatest"]]
    ask(settings, "delete_object", Key=marker["Key"], VersionId=marker["VersionId"])
    assert open_blobs(settings).read(key) == b"a photograph that a record names"
