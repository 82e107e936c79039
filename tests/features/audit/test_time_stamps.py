"""TRU-04: an authority outside stamps the roots of results, and both checkers show what that proves."""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import select, update

from service.facts.events import Event
from service.features.audit import time_stamps
from service.features.audit.jailed import verify_in_child
from service.features.audit.root_stamps import WINDOW, HttpAuthority, RootStamps, StampSource, stamp_finding
from service.features.audit.time_stamps import FalseStamp
from service.features.audit.verify import run_verify
from service.operations.findings import FindingState
from service.store.tables import EventRow
from tests.features.audit.authority import LocalAuthority, local_authority
from tests.support import keeper
from tests.support.public_site import visitor
from tests.support.table import Table
from tools import verify_record

DATA = Path(__file__).parent / "data"
ROOT = "ab" * 32


@pytest.fixture(scope="module")
def authority() -> LocalAuthority:
    return local_authority()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """A game with one phase whose results were sent."""
    with keeper.opened(tmp_path_factory.mktemp("stamped"), None) as table:
        keeper.go_on(table)
        yield table


@pytest.fixture
def stamped(table: Table, authority: LocalAuthority) -> Table:
    """The same game, its root stamped."""
    now = table.site.clock.now()
    RootStamps(table.site.store, table.site.clock, _answering(authority, now), authority.pem).look()
    return table


def _answering(authority: LocalAuthority, now: datetime) -> StampSource:
    return lambda question: authority.reply(question, now)


def _stamps(table: Table) -> list[EventRow]:
    with table.site.store() as session:
        return list(session.scalars(select(EventRow).where(EventRow.what == Event.ROOT_STAMPED)))


def test_a_stamp_that_others_made_is_read_by_both_checkers() -> None:
    """Of sigstore's authority; the times are those that openssl prints of the files."""
    reply, when = (DATA / "sigstore.tsr").read_bytes(), datetime(2025, 5, 9, 11, 58, 55, tzinfo=UTC)
    certificates = (DATA / "sigstore.pem").read_text()
    assert time_stamps.stamp_of(reply, "hello") == time_stamps.TimeStamp(when, "sigstore-tsa")
    assert verify_record.stamp_of(reply) == (hashlib.sha256(b"hello").digest(), when)
    assert time_stamps.is_signed(reply, "hello", certificates)
    assert not time_stamps.is_signed((DATA / "altered.tsr").read_bytes(), "hello", certificates)
    assert not time_stamps.is_signed(reply, "hello", local_authority().pem)
    with pytest.raises(FalseStamp, match="something else"):
        time_stamps.stamp_of(reply, "hallo")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="the second program is not here")
def test_openssl_takes_what_our_own_authority_writes(authority: LocalAuthority, tmp_path: Path) -> None:
    """So the stamps of the other tests are such as others write."""
    question = time_stamps.question(ROOT)
    paths = [tmp_path / name for name in ("a.root", "a.tsr", "ca.pem")]
    contents = (ROOT.encode(), authority.reply(question.data, datetime.now(UTC)), authority.pem.encode())
    for path, data in zip(paths, contents, strict=True):
        path.write_bytes(data)
    root, reply, certificate = map(str, paths)
    command = ["openssl", "ts", "-verify", "-data", root, "-in", reply, "-CAfile", certificate]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0


OPENSSL = """[req]
distinguished_name = name
prompt = no
[name]
CN = Root
[root]
basicConstraints = critical,CA:true
[stamps]
basicConstraints = critical,CA:false
extendedKeyUsage = critical,timeStamping
[authority]
serial = serial
signer_cert = stamps.pem
certs = root.pem
signer_key = stamps.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_chain = yes
ess_cert_id_alg = sha256
"""
AUTHORITY = """
openssl req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -config conf -extensions root
openssl req -newkey rsa:2048 -nodes -keyout stamps.key -out stamps.csr -config conf -subj /CN=Stamps
openssl x509 -req -in stamps.csr -CA root.pem -CAkey root.key -out stamps.pem -extfile conf -extensions stamps
openssl ts -reply -config conf -section authority -queryfile question -out reply
"""


@pytest.mark.skipif(shutil.which("openssl") is None, reason="the second program is not here")
def test_an_authority_that_runs_openssl_is_understood(tmp_path: Path) -> None:
    """Two certificates in an order that DER forbids, which many authorities send, and the library refuses."""
    (tmp_path / "conf").write_text(OPENSSL)
    (tmp_path / "serial").write_text("01")
    question = time_stamps.question(ROOT)
    (tmp_path / "question").write_bytes(question.data)
    for line in AUTHORITY.split("\n")[1:-1]:
        subprocess.run(line.split(), cwd=tmp_path, check=True, capture_output=True)
    reply, root = (tmp_path / "reply").read_bytes(), (tmp_path / "root.pem").read_text()
    assert time_stamps.stamp_of(reply, ROOT, question.nonce).authority == "Stamps"
    assert time_stamps.is_signed(reply, ROOT, root)
    assert verify_record.stamp_of(reply)[0] == hashlib.sha256(ROOT.encode()).digest()
    for end in range(0, len(reply), 61):
        with pytest.raises(FalseStamp):
            time_stamps.stamp_of(reply[:end], ROOT)


@pytest.mark.parametrize(("reply", "words"), [
    (b"", "not a time stamp"), (b"0" * 40, "not a time stamp"), (b"\x30\x05\x30\x03\x02\x01\x02", "refused"),
    (b"\x30\x03\x02\x01\x00", "not a time stamp"), (bytes(40_000), "longer"),
])
def test_what_is_no_stamp_is_refused_by_name(reply: bytes, words: str) -> None:
    with pytest.raises(FalseStamp, match=words):
        time_stamps.stamp_of(reply, ROOT)


def test_an_answer_to_another_question_is_refused(authority: LocalAuthority) -> None:
    """Else an old answer could be played again."""
    asked, other = time_stamps.question(ROOT), time_stamps.question(ROOT)
    reply = authority.reply(other.data, datetime.now(UTC))
    with pytest.raises(FalseStamp, match="another request"):
        time_stamps.stamp_of(reply, ROOT, asked.nonce)


def test_the_root_of_results_is_stamped_once_and_told_by_both_checkers(
    table: Table, authority: LocalAuthority, tmp_path: Path
) -> None:
    """With an authority that is away, one that no one vouches for, and one that answers."""
    store, clock = table.site.store, table.site.clock
    assert RootStamps(store, clock, lambda _question: None).look() == 0
    assert RootStamps(store, clock, lambda question: question).look() == 0
    stranger = local_authority("A stranger")
    refused = RootStamps(store, clock, _answering(stranger, clock.now()), authority.pem)
    assert (refused.look(), _stamps(table)) == (0, [])
    stamps = RootStamps(store, clock, _answering(authority, clock.now()), authority.pem)
    assert (stamps.look(), stamps.look(), len(_stamps(table))) == (1, 0, 1)
    shown = keeper.evidence(table)
    sentence = "(Stamps of Test) saw the root of entry"
    for check in (keeper.galloper(tmp_path / "galloper"), keeper.independent(tmp_path / "tool")):
        for archive in (shown.whole, shown.players):
            alarms, notes = check(archive, shown.shown(keeper.PLAYERS))
            assert alarms == ""
            assert sentence in notes


def test_the_command_asks_who_signed(stamped: Table, authority: LocalAuthority, tmp_path: Path) -> None:
    """With the certificate of the authority, in the jailed child too, and with another."""
    archive = tmp_path / "archive.zip"
    archive.write_bytes(keeper.evidence(stamped).players)
    answers = {}
    for name, pem in (("none", ""), ("right", authority.pem), ("wrong", local_authority().pem)):
        out = io.StringIO()
        verify = verify_in_child if name == "right" else run_verify
        answers[name] = verify(archive, [], out, authorities=pem), out.getvalue()
    assert answers["none"][0] == 0
    assert "--authority" in answers["none"][1]
    assert answers["right"][0] == 0
    assert "Their signatures are valid." in answers["right"][1]
    assert answers["wrong"][0] == 1
    assert "none of your certificates covers it (rule C24)" in answers["wrong"][1]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="the second program is not here")
def test_the_small_checker_writes_stamps_that_openssl_checks(
    stamped: Table, authority: LocalAuthority, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line that it prints is typed as it is, with the authority's certificate."""
    archive, certificate = tmp_path / "archive.zip", tmp_path / "ca.pem"
    archive.write_bytes(keeper.evidence(stamped).players)
    certificate.write_text(authority.pem)
    monkeypatch.setattr(sys, "argv", ["verify_record.py", "--stamps", str(archive), str(tmp_path / "stamps")])
    verify_record.run()
    line = capsys.readouterr().out.strip()
    assert line.count("openssl") == 1
    words = line.replace("CERTIFICATE", str(certificate)).split()
    # What is stamped on the game's clock may be yet to come.
    check_time = str(int((stamped.site.clock.now() + timedelta(days=1)).timestamp()))
    done = subprocess.run([*words, "-attime", check_time], check=False, capture_output=True, text=True)
    assert "Verification: OK" in done.stdout, done.stderr


def test_health_says_when_an_authority_is_away_for_a_day(stamped: Table) -> None:
    """Not of a site that never had one, and not at once."""
    with stamped.site.store() as session:
        finding = stamp_finding(session, stamped.site.clock.now())
        later = stamped.site.clock.now() + timedelta(days=2)
        assert finding.state is FindingState.WELL
        assert "Last stamp" in finding.sentence
    with stamped.site.store.begin() as session:
        session.execute(update(EventRow).where(EventRow.what == Event.ROOT_STAMPED).values(detail={}))
        late = stamp_finding(session, later)
        assert late.is_trouble
        assert "1 result of" in late.sentence
        assert stamp_finding(session, later + WINDOW).state is FindingState.WELL
        session.rollback()


@contextmanager
def _served(answer: bytes, status: int = 200) -> Iterator[tuple[str, list[str]]]:
    """An authority over HTTP that answers everybody the same; its address, and the types that it was sent."""
    types: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            types.append(str(self.headers["Content-Type"]))
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Type", "application/timestamp-reply")
            self.end_headers()
            self.wfile.write(answer)

        def log_request(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/tsr", types
        server.shutdown()


def test_an_authority_is_asked_over_http_and_may_fail() -> None:
    """RFC 3161, 3.4: the type of the question; a refusal, and no one there, are not an answer."""
    with _served(b"answer") as (address, types):
        assert HttpAuthority(address)(b"question") == b"answer"
        assert types == ["application/timestamp-query"]
    with _served(bytes(10_000_000)) as (address, _):
        answer = HttpAuthority(address)(b"question")
        assert answer is not None
        assert len(answer) == time_stamps.MOST_BYTES + 1
    with _served(b"", 503) as (address, _):
        assert HttpAuthority(address)(b"question") is None
    assert HttpAuthority(address)(b"question") is None


def test_the_page_of_roots_shows_the_stamp_and_hands_it_out(
    stamped: Table, authority: LocalAuthority
) -> None:
    """The file is the authority's own answer."""
    with visitor(stamped.site) as browser:
        page = browser.get(f"/public/{stamped.game}/roots").text
        root = browser.get(f"/public/{stamped.game}/roots.json").json()["roots"][0]
        file = browser.get(f"/public/{stamped.game}/roots/1.tsr")
        assert browser.get(f"/public/{stamped.game}/roots/2.tsr").status_code == 404
    assert "Stamps of Test, which has nothing to do with this site, stamped it" in page
    assert root["stamp"]["authority"] == "Stamps of Test"
    assert file.headers["content-type"] == "application/timestamp-reply"
    assert time_stamps.is_signed(file.content, root["root"], authority.pem)
