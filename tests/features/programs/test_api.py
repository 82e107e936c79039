"""BEY-06: what programs may read, by a token: all that every player may see, and nothing else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from service.app import create_app
from service.bootstrap import open_site
from service.config import Web
from service.features.programs.api import PREFIX
from service.notices.results import ResultsAnnouncer
from service.operations.reread_settings import SettingsReader
from service.site_folder import FILE, settings_of
from service.store import records
from service.store.tables import PlayerRow
from service.web.ports import ApiTokens
from tests.support.desk_ports import desk_ports
from tests.support.own_site import own_site
from tests.support.site import Site, make_site
from tests.support.table import Table, autumn_1642, open_table

TOKEN = "a" * 64
OPEN = "Manchester"


@dataclass
class Program:
    """A program with a token, over a game of one open phase."""

    table: Table
    client: TestClient

    def get(self, path: str, token: str = TOKEN) -> Any:
        return self.client.get(f"{PREFIX}{path}", headers={"Authorization": f"Bearer {token}"})

    def all(self) -> dict[str, str]:
        """Every answer about the game, but for the drawn map."""
        game = f"/games/{self.table.game}"
        paths = ["/games", game, *(f"{game}/{part}" for part in (
            "calendar", "results", "results/1", "map", "record"))]
        return {path: self.get(path).text for path in paths}

    def send_results(self) -> None:
        phase = self.table.phase()
        self.table.approve_phase(phase.id, "Ada")


def program(site: Site, table: Table) -> Program:
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    app = create_app(desk_ports(
        sessions=site.store, blobs=site.blobs, clock=site.clock, load=table.load,
        api_tokens=ApiTokens((sha256(b"another").hexdigest(), sha256(TOKEN.encode()).hexdigest()))))
    return Program(table, TestClient(app))


@pytest.fixture
def open_game(site: Site) -> Program:
    return program(site, open_table(site, position=autumn_1642()))


def judge(table: Table) -> None:
    phase = table.phase()
    table.site.clock.set(phase.deadline)
    table.close_phase(phase.id)
    table.judge_when_read(phase.id)


def test_a_program_without_a_token_reads_the_description_alone(open_game: Program) -> None:
    paths = open_game.client.get(f"{PREFIX}/openapi.json").json()["paths"]
    assert sorted(paths) == ["/games", "/games/{game_id}", *(f"/games/{{game_id}}/{part}" for part in (
        "calendar", "map", "map.svg", "record", "results", "results/{number}"))]
    assert all(list(methods) == ["get"] for methods in paths.values())
    for path in paths:
        address = PREFIX + path.replace("{game_id}", open_game.table.game).replace("{number}", "1")
        for headers in ({}, {"Authorization": f"Bearer {'b' * 64}"}, {"Authorization": f"Basic {TOKEN}"},
                        {"Authorization": f"Bearer {sha256(TOKEN.encode()).hexdigest()}"}):
            answer = open_game.client.get(address, headers=headers)
            assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
        assert open_game.client.post(address, headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 405
    assert open_game.get("/games/nowhere").status_code == 404


def test_every_refusal_says_what_to_do(open_game: Program, monkeypatch: Any) -> None:
    """"Not Found" and a 500 without a word told a program's author nothing."""
    for path in ("/nope", "/", "", "/games/"):
        answer = open_game.get(path)
        assert answer.status_code == 404
        if path:  # without a slash it is not an address of the API
            assert "openapi.json describes the API" in answer.json()["detail"]
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        answer = open_game.client.request(method, f"{PREFIX}/games", headers={
            "Authorization": f"Bearer {TOKEN}"})
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET")
        assert answer.json()["detail"] == "Nothing was changed: the API is read-only; use GET."
    assert open_game.get("/games", "wrong").json()["detail"].startswith("Send a token of this site")
    assert open_game.get("/games", "wrong").headers["www-authenticate"] == "Bearer"
    assert open_game.get("/games/nope").json()["detail"] == "There is no such game here."
    quiet = TestClient(open_game.client.app, raise_server_exceptions=False)
    token = {"Authorization": f"Bearer {TOKEN}"}
    for fault, status, words in (
        (OperationalError("select", {}, Exception("no answer")), 503, "send it again in a minute"),
        (RuntimeError("a secret"), 500, "failed on our side; nothing was changed"),
    ):
        def fail(*_: object, fault: Exception = fault) -> None:
            raise fault

        monkeypatch.setattr(records, "games", fail)
        answer = quiet.get(f"{PREFIX}/games", headers=token)
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
        assert words in answer.json()["detail"]
        assert "secret" not in answer.text
        assert answer.headers.get("retry-after") == ("60" if status == 503 else None)


def test_nothing_is_told_before_results_are_sent(open_game: Program) -> None:
    """Not that a sheet came, nor that the phase is closed, waits for a person, or is judged."""
    table = open_game.table
    before = open_game.all()
    table.file(OPEN, ["A Norfolk H"])
    assert open_game.all() == before
    table.site.clock.set(table.phase().deadline)
    at_deadline = open_game.all()
    judge(table)
    assert open_game.all() == at_deadline
    assert open_game.get(f"/games/{table.game}/results/1").status_code == 404
    assert json.loads(at_deadline[f"/games/{table.game}/results"]) == []


def test_sent_results_are_told_in_the_words_of_the_letters(open_game: Program) -> None:
    table = open_game.table
    table.file(OPEN, ["A Lindsey - Kesteven & Holland", "A Glasgow H"])
    judge(table)
    open_game.send_results()
    game = f"/games/{table.game}"
    (sent,) = open_game.get(f"{game}/results").json()
    (root,) = open_game.get(f"{game}/record").json()
    assert (sent["number"], sent["root"], sent["entries"]) == (1, root["root"], root["entries"])
    powers = {power["power"]: power for power in open_game.get(f"{game}/results/1").json()["powers"]}
    manchester = next(power for name, power in powers.items() if "Manchester" in name)
    by_words = {order["order"]: order for order in manchester["orders"]}
    move = next(order for words, order in by_words.items() if "Lindsey" in words)
    # Newcastle's army is there and holds.
    assert (move["outcome"], move["went_well"], move["is_dislodged"]) == ("bounced", False, False)
    # Glasgow is another power's: the order is void.
    void = next(order for words, order in by_words.items() if "Glasgow" in words)
    assert (void["outcome"], void["went_well"]) == ("void", False)
    (due, *_) = open_game.get(f"{game}/calendar").json()
    assert due["sent_at"] == sent["sent_at"] is not None
    assert open_game.get(f"{game}/map.svg").headers["content-type"] == "image/svg+xml"
    assert "Manchester" in open_game.get(f"{game}/map").text


def test_no_person_is_named(open_game: Program) -> None:
    table = open_game.table
    table.file(OPEN, ["A Norfolk H"], heading=["Ada Lovelace, 12 St James's Square"])
    judge(table)
    open_game.send_results()
    with table.site.store() as session:
        names = session.scalars(select(PlayerRow.name)).all()
    assert names
    for answer in open_game.all().values():
        assert not [word for word in (*names, "Lovelace", "@") if word in answer]


def test_a_hidden_fleet_is_told_to_no_program(tmp_path: Any) -> None:
    """D66-06: what the rules hide from any player is in no answer: the two games differ in it alone."""
    results = []
    for number, orders in enumerate(([], ["Hidden Germanicus 1 lies in The Wash", "A/F Hidden Wash 1 H"])):
        with make_site(tmp_path / str(number)) as site:
            reading = program(site, open_table(site, slug="britain1066"))
            if orders:
                reading.table.file("Harald Hardrada", orders)
            judge(reading.table)
            reading.send_results()
            results.append(reading.get(f"/games/{reading.table.game}/results/1").json()["powers"])
    assert "Wash" not in json.dumps(results[1])
    assert results[0] == results[1]


def test_a_setting_that_is_the_token_itself_is_refused_and_not_quoted() -> None:
    with pytest.raises(ValidationError) as fault:
        Web(api_tokens=("my secret token",))
    assert "my secret token" not in str(fault.value.errors()[0]["msg"])
    assert Web(api_tokens="a" * 64).api_tokens == ("a" * 64,)  # type: ignore[arg-type]  # the environment's


def test_a_token_that_is_taken_out_of_the_settings_ends_while_the_site_runs(tmp_path: Path) -> None:
    """BEY-06: who lost a token need not stop the site; a file with a fault changes nothing."""
    folder = own_site(tmp_path / "site")
    file, digest = folder / FILE, sha256(TOKEN.encode()).hexdigest()
    text = file.read_text("utf-8")

    def write(tokens: str) -> None:
        file.write_text(text.replace("[web]", f"[web]\napi_tokens = [{tokens}]"), "utf-8")

    write(f'"{digest}"')
    running = open_site(settings_of(folder))
    reader = SettingsReader(lambda: settings_of(folder), (file,), running.account, running.health.mailbox,
                            running.renew)
    try:
        client = TestClient(running.desk())

        def status() -> Any:
            return client.get(f"{PREFIX}/games", headers={"Authorization": f"Bearer {TOKEN}"}).status_code

        assert status() == 200
        write('"no digest"')
        reader.look()
        assert status() == 200
        write("")
        reader.look()
        assert status() == 401
    finally:
        running.engine.dispose()
