"""Four games close while twenty mails wait: each mail is decoded once, by its own job (SCA-02)."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from bench.storm.child import OneOrderRecognizer
from bench.storm.site import add_games, order_mail, photograph, storm_site
from service.bootstrap import Running, open_site
from service.clock import SystemClock
from service.intake import process_mail
from service.intake.opening.open_mail import open_mail
from service.store.tables import EventRow, MailRow, MailState, PhaseRow, PhaseState, SubmissionRow
from tests.support.mails import wait_for

GAMES, MAILS = 4, 20


@pytest.mark.slow
def test_a_mail_is_decoded_once_however_many_games_close(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded: Counter[str] = Counter()

    def counted(head: object, raw: bytes, *more: object) -> object:
        decoded[str(hash(raw))] += 1
        return open_mail(head, raw, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(process_mail, "open_mail", counted)
    with storm_site(tmp_path) as place:
        phases = add_games(place, GAMES)
        powers = sorted(place.variant.powers)[:MAILS // GAMES]
        for number in range(MAILS):
            raw = order_mail(place, number % GAMES, powers[number // GAMES], 1, photograph(number))
            (place.folder / "box" / "new" / f"{number}.test").write_bytes(raw)
        site = open_site(place.settings, recognizer=OneOrderRecognizer())
        site.take_in()
        with place.store.begin() as session:
            session.execute(update(PhaseRow).where(PhaseRow.id.in_(phases))
                            .values(deadline=SystemClock().now() + timedelta(seconds=1)))
            session.execute(update(MailRow).values(received_at=SystemClock().now()))
        running = Running(site)
        running.start()
        try:
            def closed() -> bool:
                with place.store() as session:
                    states = session.scalars(select(PhaseRow.state).where(PhaseRow.id.in_(phases)))
                    return all(state in {PhaseState.CLOSED, PhaseState.READY} for state in states)

            assert wait_for(closed, 90)
        finally:
            running.stop()
        with place.store() as session:
            assert set(session.scalars(select(MailRow.state))) == {MailState.USED}
            assert len(session.scalars(select(SubmissionRow.id)).all()) == MAILS
            closings = Counter(session.scalars(
                select(EventRow.game_id).where(EventRow.what == "phase_closed")))
        site.engine.dispose()
    assert sorted(decoded.values()) == [1] * MAILS
    assert sorted(closings.values()) == [1] * GAMES
