"""A site has the work of the feature, learns after results were sent, and hands the hand to the reader."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from ocr.engines import finetuned
from service.bootstrap import Site, open_site
from service.features.player_hand import hand
from service.site_folder import settings_of
from service.store.tables import HandRow, PlayerRow
from tests.support.own_site import own_site


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return open_site(settings_of(own_site(tmp_path / "site")))


def test_it_learns_after_results_were_sent(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    phases: list[int] = []

    def noted(_jobs: object, _session: Session, phase_id: int) -> None:
        phases.append(phase_id)

    monkeypatch.setattr(hand, "enqueue", noted)
    site.after_approval(7)
    assert phases == [7]
    with pytest.raises(ValueError, match="registered already"):
        site.jobs.register(hand.WORK, lambda _payload: None)


def test_the_reader_is_handed_the_hand_of_the_player_alone(site: Site) -> None:
    with site.store.begin() as session:
        session.add_all([PlayerRow(id=1, name="James"), PlayerRow(id=2, name="Flora")])
        session.flush()
        session.add(HandRow(player_id=1, version=1, digest="d" * 64, base=finetuned.SHA256, layer="aGFuZA==",
                            lines=[1], made_at=site.clock.now()))
    with site.store() as session:
        known, unknown = site.hand_of(session, 1), site.hand_of(session, 2)
    assert known is not None
    assert (known.data, unknown) == (b"hand", None)
