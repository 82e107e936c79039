"""TRU-02: lots that no one can steer, from the plan of a phase to its draw (docs/adr/0021)."""

from __future__ import annotations

import hashlib
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from service import site_key
from service.desk import queries
from service.facts.options import BEACON
from service.games import beacons, lots
from service.games.acts.lots import DrawWithoutBeacon, DrawWithoutSeed
from service.games.beacons import QUICKNET, BeaconChain
from service.games.lots import NotCommitted
from service.games.refused import Refused
from service.games.turns import NotReady
from service.operations.beacon_rounds import BeaconRounds, Relays
from service.operations.findings import FindingState
from service.operations.key_health import key_finding
from service.record.sessions import sessions
from service.site_key import NoSiteKey, SiteKey
from service.store.tables import PhaseRow, PhaseState
from tests.support.acting import do
from tests.support.played import WINTER, winter_table
from tests.support.site import KEY, Site
from tests.support.table import Table

SECRET = 271828
"""The secret key of the beacon of these tests."""
WHY = "The file was on a disk that broke."


def test_the_library_of_the_beacon_lets_nobody_go_deeper() -> None:
    """A hostile archive of many brackets ended a worker with a broken stack."""
    depth = sys.getrecursionlimit()
    assert beacons.prepare()
    assert sys.getrecursionlimit() == depth
    # Python 3.14 goes as deep as the stack allows, so it comes to the end of the text.
    with pytest.raises(RecursionError if sys.version_info < (3, 14) else (RecursionError, ValueError)):
        json.loads("[" * 50_000)


def signature_of(number: int, secret: int = SECRET) -> str:
    """The signature of a round, as drand's scheme makes it (`bls-unchained-g1-rfc9380`)."""
    assert beacons.prepare()
    from py_ecc.bls.hash_to_curve import hash_to_G1
    from py_ecc.bls.point_compression import compress_G1
    from py_ecc.optimized_bls12_381 import multiply

    message = hashlib.sha256(number.to_bytes(8, "big")).digest()
    digest = hash_to_G1(message, b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_", hashlib.sha256)
    return int(compress_G1(multiply(digest, secret))).to_bytes(48, "big").hex()


def chain_of(secret: int = SECRET) -> BeaconChain:
    assert beacons.prepare()
    from py_ecc.bls.point_compression import compress_G2
    from py_ecc.optimized_bls12_381 import G2, multiply

    first, second = compress_G2(multiply(G2, secret))
    key = int(first).to_bytes(48, "big") + int(second).to_bytes(48, "big")
    return BeaconChain("ab" * 32, 1_700_000_000, 3, key.hex())


@contextmanager
def relay(rounds: dict[int, str]) -> Iterator[Relays]:
    """A server with drand's interface on this machine, which knows these rounds and may lie."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            number = int(self.path.rpartition("/")[2])
            known = number in rounds and self.path == f"/{'ab' * 32}/public/{number}"
            body = json.dumps({"round": number, "signature": rounds.get(number)} if known else {}).encode()
            self.send_response(200 if known else 404)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        # No one listens at the first address: the second is asked.
        yield Relays(("http://127.0.0.1:9", f"http://127.0.0.1:{server.server_port}"))
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def winter(site: Site) -> Table:
    """A game whose first phase draws lots."""
    return winter_table(site)


@pytest.fixture
def beacon_game(site: Site, monkeypatch: pytest.MonkeyPatch) -> Table:
    """The same with a beacon that this test has the key of."""
    monkeypatch.setattr(beacons, "CHAINS", {"quicknet": chain_of()})
    site.store.configure(info={**site.store.kw["info"], BEACON: "quicknet"})
    return winter_table(site)


def close(table: Table, number: int = 1) -> PhaseRow:
    row = table.phase(number)
    table.site.clock.set(row.deadline + timedelta(minutes=1))
    table.close_phase(row.id)
    return table.phase(number)


def mail(table: Table, power: str, version: int, when: datetime) -> str:
    raw = table.mail(power, 60 + version, subject=table.subject(power, version, WINTER))
    table.site.clock.set(max(when, table.site.clock.now()))
    key = table.take(raw, when).sha256
    with table.site.engine.begin() as connection:
        connection.execute(text("UPDATE submissions SET read_at = received_at"))
    return key


def lines_of(table: Table, number: int = 1) -> tuple[str, ...]:
    with table.site.store() as session:
        return lots.mix_of(session, session.get_one(PhaseRow, table.phase(number).id)).lines


# The seed
# ----------------------------------------------------------------------------------------------------------


def test_no_seed_is_in_the_database_before_its_time(winter: Table) -> None:
    """(TRU-02) Not of one phase of a year ahead, in any form of the file, its key, or its derivation."""
    winter.site.engine.dispose()
    data = b"".join(path.read_bytes() for path in
                    Path(winter.site.url.removeprefix("sqlite:///")).parent.glob("galloper.sqlite*"))
    for number in range(1, len(winter.phases()) + 1):
        seed = winter.seed_of(number)
        assert hashlib.sha256(seed.encode()).hexdigest().encode() in data
        assert seed.encode() not in data
        assert bytes.fromhex(seed) not in data
    assert KEY.secret not in data
    assert repr(KEY) == "SiteKey()"


def test_a_dry_run_before_the_deadline_does_not_show_the_draw(winter: Table) -> None:
    """(TRU-02) The coordinator may rehearse an open phase, and learns nothing of its lots."""
    with winter.site.store() as session:
        before = lots.tape_of(session, session.get_one(PhaseRow, winter.phase().id), 4)
    close(winter)
    with winter.site.store() as session:
        after = lots.tape_of(session, session.get_one(PhaseRow, winter.phase().id), 4)
    assert not set(before) & set(after)
    assert after == lots.tape(lines_of(winter), 4)


def test_another_key_opens_nothing(winter: Table) -> None:
    """(TRU-02) Nothing is judged, the sentence shows what to do, and the right key judges it afterwards."""
    site, row = winter.site, winter.phase()
    right, info = site.store, site.store.kw["info"]
    site.clock.set(row.deadline + timedelta(minutes=1))
    site.store = sessions(site.engine, site.clock, SiteKey(b"k" * 32))
    with pytest.raises(NotCommitted, match=r"Put the right site.key next to the settings"):
        winter.close_phase(row.id)
    site.store = sessions(site.engine, site.clock)
    with pytest.raises(NoSiteKey, match="Put the copy from the setup"):
        winter.judge_phase(row.id)
    assert winter.phase().resolution is None
    assert info[site_key.IN_SESSION] == KEY
    site.store = right
    winter.judge_phase(row.id)
    assert winter.phase().state == PhaseState.READY


def test_a_seed_is_given_up_only_where_it_cannot_be_opened(winter: Table) -> None:
    """(TRU-02) Who could choose between two draws would steer them."""
    site, row = winter.site, winter.phase()
    site.clock.set(row.deadline + timedelta(minutes=1))
    winter.set_phase(1, state=PhaseState.CLOSED)

    def give_up(why: str = WHY) -> None:
        do(winter, DrawWithoutSeed(row.id, why))

    with pytest.raises(Refused, match="can be opened"):
        give_up()
    site.store = sessions(site.engine, site.clock)
    with pytest.raises(Refused, match="at least 10 characters"):
        give_up("lost")
    give_up()
    winter.judge_phase(row.id)
    assert lines_of(winter)[2] == "seed lost"


# Without a beacon: the sheets
# ------------------------------------------------------------------------------------------------------


def test_a_draw_is_recomputed_from_the_document_alone(winter: Table) -> None:
    """(TRU-02) From docs/record.md, "Lots", by hashlib and the entries of the record."""
    opens = winter.phase().opens_at
    keys = {(power, version): mail(winter, power, version, opens + timedelta(hours=hours))
            for hours, (power, version) in enumerate([("Montrose", 1), ("Argyll", 1), ("Montrose", 2)], 1)}
    row = close(winter)
    late = mail(winter, "Ormond", 1, row.deadline - timedelta(minutes=1))
    with winter.site.engine.begin() as connection:
        draw = [json.loads(body)["tells"] for body, in connection.execute(text(
            "SELECT body FROM record WHERE what = 'judged' ORDER BY number"))][-1]["lots"]
    expected = ["galloper lots 2", "powick-bridge 1", f"seed {draw['seed']}",
                f"sheet Argyll: {keys['Argyll', 1]}",
                *sorted(f"sheet Montrose: {keys['Montrose', version]}" for version in (1, 2))]
    numbers = [int(hashlib.sha256("\n".join([*expected, str(k)]).encode()).hexdigest()[:8], 16)
               for k in range(1, draw["used"] + 1)]
    assert draw["used"] > 0
    assert draw["numbers"] == numbers
    # A mail of that time that was taken in after the phase was closed takes no part, now or later.
    assert late not in "".join(lines_of(winter))


def test_what_happens_after_the_deadline_changes_no_lot(winter: Table) -> None:
    """(TRU-02) Sheets refused, given to another power or taken away, and a judging again."""
    mail(winter, "Montrose", 1, winter.phase().opens_at + timedelta(hours=1))
    mail(winter, "Argyll", 1, winter.phase().opens_at + timedelta(hours=2))
    row = close(winter)
    before, drawn = lines_of(winter), winter.resolution().removed_by_lot
    assert drawn
    with winter.site.engine.begin() as connection:
        connection.execute(text("UPDATE submissions SET fate = 'held' WHERE power = 'Montrose'"))
        connection.execute(text("UPDATE submissions SET power = 'Ormond' WHERE power = 'Argyll'"))
    winter.judge_phase(row.id)
    assert lines_of(winter) == before
    assert winter.resolution().removed_by_lot == drawn


# With a beacon
# --------------------------------------------------------------------------------------------------------


def test_a_round_of_the_real_beacon_is_checked() -> None:
    """(TRU-02) Round 1,000 of quicknet, as the League of Entropy published it on 23 August 2023."""
    signature = ("b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacb"
                 "e47e4b6b63ed5e39")
    assert beacons.randomness(signature) == "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd"
    assert beacons.is_signed(QUICKNET, 1000, signature)
    assert not beacons.is_signed(QUICKNET, 1001, signature)
    assert not beacons.is_signed(QUICKNET, 1000, "c0" + "00" * 47)
    assert not beacons.is_signed(QUICKNET, 1000, "ff")
    chain_info = hashlib.sha256(
        QUICKNET.period.to_bytes(4, "big") + QUICKNET.genesis.to_bytes(8, "big") + bytes.fromhex(QUICKNET.key)
        + bytes.fromhex("f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e") + b"quicknet")
    # The chain's hash covers its key, period and start (drand's specification, "Chain info").
    assert chain_info.hexdigest() == QUICKNET.chain


@pytest.mark.parametrize(("seconds", "number"), [(-601, 1), (-600, 1), (-599, 2), (-597, 2), (0, 201)])
def test_the_first_round_ten_minutes_after_a_deadline(seconds: int, number: int) -> None:
    """(TRU-02) Seconds from the chain's first round to the deadline; never a round that was before it."""
    chain = chain_of()
    deadline = chain.time_of(1) + timedelta(seconds=seconds)
    assert chain.first_round(deadline) == number
    assert chain.time_of(number) >= deadline + beacons.MARGIN or number == 1


def test_a_phase_waits_for_its_round_and_is_drawn_with_it_alone(beacon_game: Table) -> None:
    """(TRU-02) No one has it before; a relay that lies or is away changes nothing; the real one is
    stored."""
    table, site = beacon_game, beacon_game.site
    mail(table, "Montrose", 1, table.phase().opens_at + timedelta(hours=1))
    row = close(table)
    assert row.state == PhaseState.CLOSED
    with pytest.raises(NotReady, match="round of the public beacon"):
        table.judge_phase(row.id)
    with site.store() as session:
        view = next(view for view in queries.phases_now(session) if view.phase.id == row.id)
        assert view.beacon_round is not None
        assert view.beacon_round >= row.deadline + beacons.MARGIN
        assert lots.are_invented(session, session.get_one(PhaseRow, row.id))
    chain = chain_of()
    number = chain.first_round(row.deadline)
    with relay({number: signature_of(number, secret=7)}) as liar:
        rounds = BeaconRounds(site.store, site.clock, liar, table.judge_when_read)
        assert rounds.look() == 0  # its time has not come
        site.clock.set(row.deadline + timedelta(minutes=11))
        assert rounds.look() == 0
    assert table.phase().beacon is None
    with relay({number: signature_of(number), number + 1: signature_of(number + 1)}) as honest:
        assert BeaconRounds(site.store, site.clock, honest, table.judge_when_read).look() == 1
    assert table.phase().state == PhaseState.READY
    assert table.resolution().removed_by_lot
    with site.store() as session:
        assert not lots.are_invented(session, session.get_one(PhaseRow, row.id))
    value = hashlib.sha256(bytes.fromhex(signature_of(number))).hexdigest()
    assert lines_of(table) == ("galloper lots 2", "powick-bridge 1", f"seed {table.seed_of()}",
                               f"beacon {number} {value}")


def test_a_beacon_is_given_up_after_a_day_and_only_if_it_does_not_answer(beacon_game: Table) -> None:
    """(TRU-02) Withholding is visible: the event is among those that results mention."""
    table, site = beacon_game, beacon_game.site
    row = close(table)
    number = chain_of().first_round(row.deadline)

    def give_up(source: Relays) -> None:
        do(table, DrawWithoutBeacon(row.id, WHY, source))

    with relay({number: signature_of(number)}) as answering, relay({}) as away:
        with pytest.raises(Refused, match="waits a whole day"):
            give_up(away)
        site.clock.set(row.deadline + timedelta(days=1, minutes=11))
        with pytest.raises(Refused, match="the beacon answers"):
            give_up(answering)
        give_up(away)
    table.judge_phase(row.id)
    assert not any(line.startswith("beacon") for line in lines_of(table))
    with site.engine.begin() as connection:
        actor = connection.execute(text("SELECT actor FROM events WHERE what = 'beacon_given_up'")).scalar()
    assert actor == "Ada"


# The key
# ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "state", "words"), [
    (KEY, FindingState.WELL, "fits the sealed lots"),
    (None, FindingState.TROUBLE, "site.key is missing. No receipt is signed"),
    (SiteKey(b"\1" * 32), FindingState.TROUBLE, "does not belong to powick-bridge"),
])
def test_health_says_whether_the_key_is_here_before_a_phase_waits_for_it(
    winter: Table, key: SiteKey | None, state: FindingState, words: str
) -> None:
    """(TRU-02)"""
    with sessions(winter.site.engine, key=key)() as session:
        finding = key_finding(session, "Site key")
        assert finding.state is state
        assert words in finding.sentence
        assert bool(finding.advice) == finding.is_trouble


def test_the_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "site.key"
    assert site_key.read(path) is None
    key = site_key.make(path)
    assert site_key.make(path) == key == site_key.read(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert key.derive("a", "b") != key.derive("a", "c") != key.derive("a\nb")
    assert [child.name for child in tmp_path.iterdir()] == ["site.key"]
    path.write_text("abc")
    with pytest.raises(NoSiteKey, match="64 hexadecimal digits"):
        site_key.read(path)


@pytest.mark.parametrize(("trailing", "word"), [
    ("lots: heather", "heather"), ("Lot -  two  words ", "two words"),
    ("with best regards", ""), ("lots", ""), ("", ""),
])
def test_a_subject_adds_its_word_behind_the_version(trailing: str, word: str) -> None:
    assert lots.word_in(trailing) == word
