"""The JSON Schemas of an archive's record and manifest, against a game that was played over a Winter."""

from __future__ import annotations

import io
import json
import zipfile
from copy import deepcopy
from typing import Any

import jsonschema_rs
from sqlalchemy import text

from service.archive.export import Edition
from service.features.schemas.catalogue import schema
from service.games import lots
from service.record.entries import FACTS
from service.store import records
from service.store.tables import CorrectionRow, PhaseRow, PostalOriginalRow, UserRow
from tests.support.played import archived, played
from tests.support.site import Site

ENTRY = jsonschema_rs.Draft202012Validator(schema("record"))
MANIFEST = jsonschema_rs.Draft202012Validator(schema("manifest"))


def _unpacked(data: bytes) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    with zipfile.ZipFile(io.BytesIO(data)) as zipped:
        lines = zipped.read("record.jsonl").decode().splitlines()
        return [json.loads(line) for line in lines], json.loads(zipped.read("manifest.json"))


def test_every_kind_of_entry_of_a_played_game_fits_its_schema(site: Site) -> None:
    """INS-08. Every kind that docs/record.md names is in the game; without any fact that it tells, or with
    another digest, number or kind, an entry fits no longer."""
    table = played(site)
    phase = next(row for row in table.phases() if row.state == "open")
    with site.store.begin() as session:
        row = session.get_one(PhaseRow, phase.id)
        assert lots.add_word(session, row, "Argyll", "heather", phase.opens_at, mail=None, by="Ada")
        session.add(
            PostalOriginalRow(
                phase_id=phase.id,
                power="Ormond",
                received=phase.opens_at.date(),
                made_at=phase.opens_at,
                made_by="Ada",
            )
        )
        session.add(
            CorrectionRow(
                key="k",
                phase_id=table.phase().id,
                said="Army Norfolk held.",
                right="It moved.",
                effect="None.",
                found_by="Manchester",
                by="Ada",
                at=site.clock.now(),
            )
        )
        session.add(UserRow(name="Ada", password="-", role="coordinator", created_at=phase.opens_at))
    with site.engine.begin() as connection:
        # By hand in the database, which the record tells as "gone".
        connection.execute(text("DELETE FROM corrections"))
    with site.store.begin() as session:
        records.log_event(session, site.clock.now(), "looked", game_id=table.game)  # type: ignore[arg-type]
    for edition in Edition:
        record, manifest = _unpacked(archived(table, edition))
        assert [error.message for error in MANIFEST.iter_errors(manifest)] == []
        assert [(entry["n"], error.message) for entry in record for error in ENTRY.iter_errors(entry)] == []
        if edition is Edition.WHOLE:
            whole = record
    samples = {entry["body"]["what"]: entry for entry in whole}
    assert set(samples) == {*FACTS, "begun"}
    for kind, entry in samples.items():
        for fact in entry["body"]["tells"]:
            wrong = deepcopy(entry)
            del wrong["body"]["tells"][fact]
            assert not ENTRY.is_valid(wrong), (kind, fact)
    good = samples["seat"]
    for change in (
        {"n": 0},
        {"leaf": "x"},
        {"link": None},
        {"salt": "1"},
        {"more": 1},
        {"body": good["body"] | {"what": "rumour"}},
        {"body": good["body"] | {"entered": "today"}},
    ):
        assert not ENTRY.is_valid(good | change), change
    assert not ENTRY.is_valid({key: value for key, value in good.items() if key != "salt"})
    assert ENTRY.is_valid({key: good[key] for key in ("n", "leaf", "link")})
    for change in ({"edition": "some"}, {"root": "x"}, {"format": 3}, {"made": "today"}):
        assert not MANIFEST.is_valid(manifest | change), change
