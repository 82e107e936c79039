"""The pages for referees (docs/games): every command, setting, order, subject and link in them is one that
there is, and a referee who types them all in gets through."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import typer.main

import maps
from adjudicator.calendar import PhaseKind
from grammar.headings.subject import parse_subject
from grammar.headings.values import Heading
from maps import provinces
from reading import vocabulary
from reading.vocabulary import known_game
from service.cli import main
from service.config import Settings
from service.facts.options import GameOptions
from service.games import create
from tests.support.features import is_taken_out
from tests.support.own_site import own_site

PAGES = {path.stem: path for path in sorted((Path(__file__).parents[2] / "docs" / "games").glob("*.md"))}
COMMON = (Path(__file__).parents[2] / "docs" / "reference" / "games.md").read_text("utf-8")
CLICK: Any = typer.main.get_command(main.app)
SITE = "~/galloper-site"


def _blocks(slug: str, kind: str) -> list[tuple[str, str]]:
    """What follows the word after the three ticks, and the block."""
    blocks = re.findall(
        rf"^```{kind}([^\n]*)\n(.*?)^```$", PAGES[slug].read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    return [(words.strip(), text) for words, text in blocks]


def _game_file(slug: str) -> str:
    """The file of the common page for one game: its name, board, powers and options."""
    page = PAGES[slug].read_text("utf-8")
    (listed,) = re.findall(r"^Powers: (.*?)\.$", page, re.MULTILINE | re.DOTALL)
    powers = listed.replace("\n", " ").split(", ")
    seats = "".join(f'"{power}" = "Ada Byron"\n' for power in powers)
    (common,) = re.findall(r"^```toml\n(.*?)^```$", COMMON, re.MULTILINE | re.DOTALL)
    file = re.sub(r'^"The Crown".*\n', seats, common, flags=re.MULTILINE)
    file = file.replace('"w3k"', f'"{slug}"').replace("Powick Bridge", _name(slug))
    own = "".join(text.removeprefix("[options]") for _, text in _blocks(slug, "toml"))
    # Options on the page are those of the game, in the same table.
    return file + own.partition("\n")[2] if own else file


def _name(slug: str) -> str:
    ((_, subject),) = _blocks(slug, "subject")
    return subject.partition(" - ")[0]


def _command_lines(slug: str) -> list[str]:
    """Those of the common page, for one game."""
    (text,) = re.findall(r"^```sh\n(.*?)^```$", COMMON, re.MULTILINE | re.DOTALL)
    (kind, _), *_ = _blocks(slug, "orders")
    game = _name(slug).lower().replace(" ", "-")
    filled = text.replace("BOARD", slug).replace("PHASE", kind).replace("GAME", game)
    return [line for line in filled.splitlines() if line.strip()]


def _there(lines: Iterable[str]) -> list[list[str]]:
    """The words of each line, but for those of a feature that was taken out."""
    commands = [shlex.split(line, comments=True) for line in lines]
    return [words for words in commands if not is_taken_out(words[1:])]


def test_each_game_of_the_documents_has_a_page() -> None:
    assert (
        set(PAGES)
        == {"bretwalda", "britain1066", "brittania", "w3k", "war1648"}
        == set(maps.variants()) - {"standard"}
    )


@pytest.mark.parametrize("slug", PAGES)
def test_every_command_is_one_that_there_is(slug: str) -> None:
    lines = _command_lines(slug)
    assert len(lines) >= 8
    for program, *words in _there(lines):
        assert program == "galloper"
        command = CLICK
        while hasattr(command, "commands"):
            command = command.commands[words.pop(0)]
        with command.make_context(program, words) as context:
            assert context.args == []


@pytest.mark.parametrize("slug", PAGES)
def test_the_game_file_names_every_power_and_options_that_there_are(slug: str, tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(_game_file(slug), "utf-8")
    new = create.read_game_file(tmp_path / "game.toml", maps.load(slug).powers)
    assert new.variant == slug


@pytest.mark.parametrize("slug", PAGES)
def test_every_order_is_understood(slug: str) -> None:
    """For each kind of phase that the game has."""
    variant = maps.load(slug)
    blocks = _blocks(slug, "orders")
    assert {kind for kind, _ in blocks} == {kind.value for _, kind in variant.calendar.steps}
    for kind, text in blocks:
        for line in text.splitlines():
            parsed = vocabulary.parse_typed(variant, PhaseKind(kind), next(iter(variant.powers)), line)
            assert parsed.orders, (line, parsed.complaint)


@pytest.mark.parametrize("slug", PAGES)
def test_the_subject_is_one_of_the_game_in_the_file(slug: str) -> None:
    """SUBJ-01: read whole, by the reader of subjects."""
    variant = maps.load(slug)
    ((_, text),) = _blocks(slug, "subject")
    name = tomllib.loads(_game_file(slug))["name"]
    heading = parse_subject(text.strip(), [known_game(variant, name)])
    assert isinstance(heading, Heading), heading
    assert (heading.game, heading.version) == (name, 1)
    assert heading.power in variant.powers
    assert (heading.season, heading.kind) in variant.calendar.steps


@pytest.mark.parametrize("slug", PAGES)
def test_every_value_and_setting_named_is_one_of_the_rules_or_of_a_site(slug: str) -> None:
    """Words in code font that look like a key: choices and figures of the rule set, options of a game,
    settings of a site."""
    variant = maps.load(slug)
    known = {
        *variant.rules.CHOICES,
        *variant.rules.FIGURES,
        *GameOptions.model_fields,
        *Settings.model_fields,
        "rules.values",
    }
    # Blocks of code are run by a test of their own.
    text = re.sub(r"```.*?```", "", PAGES[slug].read_text("utf-8"), flags=re.DOTALL)
    named = {
        name.strip("[]")
        for name in re.findall(r"`([^`]+)`", text)
        if re.fullmatch(r"\[?[a-z]+([_.][a-z_]+)+\]?|boards = .*", name)
    }
    files = {name for name in named if name.endswith((".csv", ".toml", ".md"))}
    assert {name.partition(" ")[0] for name in named - files} <= known, named
    assert any(name in variant.rules.CHOICES for name in named), "what was decided is named"


@pytest.mark.parametrize("slug", PAGES)
def test_every_link_and_folder_is_there(slug: str) -> None:
    text = PAGES[slug].read_text("utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert f"../rulings/{slug}.md" in links
    for link in [*links, *(f"../../{path}" for path in re.findall(r"`(maps/[\w./]+)`", text))]:
        assert (PAGES[slug].parent / link).exists(), link


@pytest.mark.parametrize("slug", PAGES)
def test_the_calendar_says_what_the_calendar_is(slug: str) -> None:
    """Each season and each kind of phase is in its section."""
    variant = maps.load(slug)
    section = PAGES[slug].read_text("utf-8").partition("## A year")[2].partition("\n## ")[0]
    assert all(kind.value.capitalize() in section for _, kind in variant.calendar.steps)
    seasons = {season for season, _ in variant.calendar.steps}
    # Where a turn is a month, the page has "each month" and does not list them all.
    assert len(seasons) > 8 or all(season in section for season in seasons)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("slug", PAGES)
def test_every_command_does_what_it_should(
    slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of them, in order, in an empty folder with what the page tells one to write. The demo has a test of
    its own."""
    site = own_site(tmp_path / "site")
    monkeypatch.chdir(tmp_path)
    tables = tmp_path / "tables"
    tables.mkdir()
    for name in ("provinces.csv", "borders.csv", "setup.csv", "names.csv"):
        (tables / name).write_bytes((maps.folder(slug) / name).read_bytes())
    (kind, orders), *_ = _blocks(slug, "orders")
    (tmp_path / "orders.txt").write_text(orders, "utf-8")
    # An import writes over the tables, so it comes last.
    for words in sorted(_there(_command_lines(slug)), key=lambda command: command[1:3] == ["map", "import"]):
        if words[1] == "demo":
            continue
        if words[1:3] == ["game", "new"]:
            (tmp_path / words[-1]).write_text(_game_file(slug), "utf-8")
        monkeypatch.setattr("sys.argv", [str(site) if word == SITE else word for word in words])
        with pytest.raises(SystemExit) as ended:
            main.main()
        assert ended.value.code in {0, None}, (words, kind, capsys.readouterr())


def test_the_page_on_boards_tells_columns_and_commands_that_there_are() -> None:
    """docs/boards.md, with the tables as the loader reads them."""
    text = (Path(__file__).parents[2] / "docs" / "boards.md").read_text("utf-8")
    lines = re.findall(r"^galloper [^\n]*$", text, re.MULTILINE)
    assert len(lines) > 3
    for _, group, name, *words in _there(lines):
        with CLICK.commands[group].commands[name].make_context(name, words) as context:
            assert context.args == []
    for kind in provinces.Touch:
        assert f"`{kind}`" in text, kind
    assert "boards" in Settings.model_fields
    for path in re.findall(r"`(tests/[\w/.]+)`", text):
        assert (Path(__file__).parents[2] / path).exists(), path
