"""A seventh game is one folder and at most one rules file (house rule 6): it is written into a temporary
folder, and the program, as it is, takes it from `map check` to the results of a judged phase."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image
from typer.testing import CliRunner

import maps
from adjudicator import rules
from adjudicator.calendar import PhaseKind
from maps import loader
from reading import vocabulary
from service.cli.adjudicate import run_adjudicate
from service.cli.games import create_game, show_games
from service.cli.main import app
from service.config import ConfigError
from service.letters.facts import Closing, GameInfo
from service.notices.order_sheets import blank_sheet
from service.notices.results import ResultsAnnouncer
from service.site_folder import settings_of
from tests.support import seventh
from tests.support.own_site import SETTINGS, own_site
from tests.support.public_site import visitor
from tests.support.site import Site
from tests.support.table import open_table

UPPER, LOWER = "The Upper Bank", "The Lower Bank"


@pytest.fixture
def boards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the game, which the program does not know of yet. Afterwards its board is forgotten; its
    rules, once imported, stay with the process as any module does, and no board requests them."""
    # Set to themselves: monkeypatch puts back whatever the test makes of them.
    monkeypatch.setattr(loader, "_roots", loader._roots)
    monkeypatch.setattr(rules, "__path__", list(rules.__path__))
    yield seventh.write(tmp_path / "boards")
    loader.load.cache_clear()


@pytest.fixture
def game(boards: Path) -> maps.Variant:
    maps.add_folder(boards)
    return maps.load(seventh.SLUG)


def _run(boards: Path, *words: str, typed: str = "") -> str:
    result = CliRunner().invoke(app, words, env={"GALLOPER_BOARDS": str(boards)}, input=typed)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_nothing_else_is_needed(boards: Path) -> None:
    assert sorted(str(path.relative_to(boards)) for path in boards.iterdir()) == [seventh.SLUG, "rules"]
    assert [path.name for path in (boards / "rules").iterdir()] == [f"{seventh.SLUG}.py"]
    assert seventh.SLUG not in maps.variants()


def test_the_command_line_knows_it_by_the_environment(boards: Path) -> None:
    """Checked, its moves listed, its orders parsed."""
    assert _run(boards, "map", "check", seventh.SLUG).startswith(f"{seventh.SLUG}: no fault. The Ferrymen: "
                                                                 f"6 regions")
    assert "Raft: Alder Hythe, Cedar Stairs, Elm Staithe, Widow's Landing" in _run(
        boards, "map", "moves", seventh.SLUG, "long loch")
    parsed = _run(boards, "parse", "--variant", seventh.SLUG, "--phase", "movement", "--json",
                  typed=("Raft Long Loch convoys Army Alder Hythe to Widows\nArmy Alder Hythe rings the "
                         "bell\n"))
    assert [json.loads(line)["order"] for line in parsed.splitlines()] == [
        "R Long Loch C A Alder Hythe - Widow's Landing", "Alder Hythe rings bell"]


@pytest.mark.slow
def test_its_map_is_drawn(boards: Path, tmp_path: Path) -> None:
    """MAP-04: names are placed for it on the spot, which is what takes long."""
    _run(boards, "map", "draw", seventh.SLUG, "-o", str(tmp_path / "map.png"))
    with Image.open(tmp_path / "map.png") as picture:
        colours = {colour for _, colour in picture.convert("RGB").getcolors(1 << 24) or []}
    assert {(0xC6, 0x28, 0x28), (0x1F, 0x4F, 0xB2)} <= colours, "each power in its own colour"


def test_a_phase_is_judged(game: maps.Variant) -> None:
    """Its own unit carries, its own order is settled, and its own choice of builds holds."""
    out = io.StringIO()
    case = {
        "id": "one",
        "phase": "movement",
        "season": "Dawn",
        "year": 7,
        "units": ["The Upper Bank A Ald", "The Upper Bank R Loc", "The Lower Bank A Elm"],
        "orders": [
            {"power": UPPER, "order": "move", "type": "A", "loc": "Ald", "to": "Wid"},
            {"power": UPPER, "order": "convoy", "type": "R", "loc": "Loc", "from": "Ald", "to": "Wid"},
        ],
    }
    winter = {
        "id": "two",
        "phase": "adjustment",
        "season": "Dusk",
        "year": 7,
        "units": ["The Upper Bank R Loc"],
        "centres": {UPPER: ["Ald", "Wid"]},
        "orders": [{"power": UPPER, "order": "build", "type": "A", "loc": "Wid"}],
    }
    assert run_adjudicate(game, [json.dumps(case), json.dumps(winter)], out) == 0
    moved, built = (json.loads(line) for line in out.getvalue().splitlines())
    assert "The Upper Bank A Wid" in moved["positions"]
    assert [order["result"] for order in built["orders"]] == ["succeeds"]


def test_its_pages_and_its_paper(game: maps.Variant, site: Site) -> None:
    """The move browser shows its places, its unit and what its marks mean; a sheet to write on is printed."""
    with visitor(site) as client:
        page = client.get(f"/public/moves/{seventh.SLUG}")
    assert page.status_code == 200
    for words in ("Widow&#39;s Landing", "Raft", "has a bell", "Drawn for a test."):
        assert words in page.text, words
    info = GameInfo("long-row", "The Long Row", game.title, "orders@example.org", "Ada")
    sheet = blank_sheet(game, info, Closing(game.start.phase, datetime(2097, 3, 1, tzinfo=UTC)), UPPER)
    text = " ".join(
        pypdfium2.PdfDocument(io.BytesIO(sheet.data))[0].get_textpage().get_text_bounded().split()
    )
    for words in ("The Long Row", UPPER, "Dawn 7"):
        assert words in text, words


@pytest.mark.slow
def test_a_game_of_it_is_created_on_a_site_that_names_the_folder(boards: Path, tmp_path: Path) -> None:
    folder = own_site(tmp_path / "site", f'boards = "{boards}"\n{SETTINGS}')
    file = tmp_path / "game.toml"
    file.write_text(
        f'name = "The Long Row"\nvariant = "{seventh.SLUG}"\nstart = {date(2097, 3, 1).isoformat()}\n'
        f'[[player]]\nname = "Ada"\nmail = ["ada@example.org"]\n[seats]\n"{UPPER}" = "Ada"\n"{LOWER}" = '
        f'"Ada"\n', "utf-8")
    out = io.StringIO()
    assert create_game(folder, file, out) == 0
    assert "The Long Row was created: The Ferrymen, 2 powers." in out.getvalue()
    output = io.StringIO()
    show_games(folder, output)
    assert output.getvalue().startswith(f"The Long Row ({seventh.SLUG})\n  Dawn 7 Movement: open;")


def test_a_season_of_it_is_played_and_told(game: maps.Variant, site: Site) -> None:
    """Sheets in, results out: the sentences of its own rules reach the players."""
    table = open_table(site, slug=seventh.SLUG)
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    table.file(UPPER, ["A Alder Hythe - Widow's Landing", ("R Long Loch C A Alder Hythe - Widow's "
                                                           "Landing"), "Alder Hythe rings bell"])
    table.file(LOWER, ["A Elm Staithe H", "Widow's Landing rings bell"])
    phase = table.phase()
    assert (phase.season, phase.kind) == ("Dawn", PhaseKind.MOVEMENT)
    site.clock.set(phase.deadline + timedelta(minutes=1))
    table.close_phase(phase.id)
    table.approve_phase(phase.id, "ada")
    assert table.outcomes()[UPPER, "Alder Hythe rings bell"] == "succeeds"
    assert table.outcomes()[LOWER, "Widow's Landing rings bell"] == "illegal"
    words = next(table.words(row) for row in reversed(table.letters()) if row.kind.endswith("_results"))
    assert "✓ Alder Hythe rings the bell: the bell of Alder Hythe is heard. (rules, The bell)" in words
    assert "Widow's Landing has no bell that The Lower Bank may ring" in words
    assert {str(unit) for unit in table.resolution().position.units} == {
        "The Upper Bank A Wid", "The Upper Bank R Loc", "The Lower Bank A Elm"}


# What cannot be added
# ------------------------------------------------------------------------------------------------


def test_a_name_that_is_taken_is_refused(boards: Path) -> None:
    (boards / seventh.SLUG).rename(boards / "w3k")
    with pytest.raises(maps.MapError, match="w3k is the name of a board already"):
        maps.add_folder(boards)
    (boards / "w3k").rename(boards / seventh.SLUG)
    (boards / "rules" / "standard.py").write_text("", "utf-8")
    with pytest.raises(maps.MapError, match="standard: a rule set of that name is known already"):
        maps.add_folder(boards)
    assert seventh.SLUG not in maps.variants()


def test_a_folder_that_is_not_there_is_a_fault_of_the_setting(boards: Path, tmp_path: Path) -> None:
    folder = own_site(tmp_path / "site", f'boards = "nowhere"\n{SETTINGS}')
    with pytest.raises(ConfigError, match=r"galloper\.toml: boards: .*there is no such folder of boards"):
        settings_of(folder)


def test_a_faulty_board_is_told_with_file_and_row_as_any_other(boards: Path) -> None:
    """Also its rules: a choice that its rule set does not know."""
    heading = boards / seventh.SLUG / "variant.toml"
    heading.write_text(seventh.TOML.replace('toll = "paid"', 'toll = "waived"'), "utf-8")
    maps.add_folder(boards)
    with pytest.raises(maps.MapError, match=(r"variant\.toml, row 23: rules\.values\.toll: 'waived' is not "
                                             r"one of free, paid")):
        maps.load(seventh.SLUG)


def test_saying_it_twice_changes_nothing(boards: Path) -> None:
    maps.add_folder(boards)
    once = maps.variants()
    maps.add_folder(boards)
    assert maps.variants() == once
    assert vocabulary.parse_typed(maps.load(seventh.SLUG), PhaseKind.MOVEMENT, UPPER, "A Ald - Bir").orders
