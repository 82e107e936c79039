"""The program `galloper`: help, exit codes, and one sentence for whatever a person can mend."""

from __future__ import annotations

import io
import json
import shlex
import tempfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from adjudicator.serialize.codec import CodecError
from demo.story import NoStory
from demo.waiting import DemoError
from grammar.compose import GrammarError
from maps.faults import MapError
from ocr.engines.ppocr import ModelError
from service.archive.after_loading import BrokenRecord
from service.archive.archive_file import BrokenArchive
from service.archive.export import NoSuchGame
from service.archive.import_game import ImportFault
from service.cli import main
from service.cli.intake import IntakeFault
from service.cli.program import faults
from service.cli.read import NamesError
from service.config import ConfigError
from service.games.lots import NotCommitted
from service.games.turns import NotReady
from service.intake.verdicts.context import ContextError
from service.mail.mailbox.source import MailboxError, MailFault
from service.mail.sending.smtp import DeliveryUnknown, ServerUnavailable, SmtpRefused, TryAgainLater
from service.pictures.board.map_sheet import NoShapes
from service.pictures.drawing.fonts import FontMissing
from service.pictures.drawing.render import RenderError
from service.site_folder import SiteError
from service.store.blobs import BlobError
from service.web.server import WebError
from tests.support.features import all_commands, commands_of
from tests.support.own_site import SETTINGS, game_file, own_site

COMMANDS = [
    "demo", "init", "check", "login", "serve", "worker", "user add", "user list", "user role", "user remove",
    "player data", "player forget",
    "read", "parse", "adjudicate", "intake", "map check",
    "map draw", "map moves",
    "game new", "game move-deadline", "game set", "game seat", "game address", "game lots", "game new-key",
    "game paper", "game show", "bench adjudicate", "bench desk", "bench growth", "bench idle", "bench ingest",
    "bench letters", "bench scale",
    "bench paper", "bench read", "bench storm", "game export", "game import", "migrate", "upgrade",
]


KNOWN = all_commands()


def _run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: object
) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of `galloper WORDS`, by the door that the script uses."""
    monkeypatch.setattr("sys.argv", ["galloper", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main.main()
    output = capsys.readouterr()
    code = ended.value.code
    return (code if isinstance(code, int) else 0), output.out, output.err


def test_these_are_the_commands_of_the_core() -> None:
    assert commands_of("") == set(COMMANDS)


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_every_command_has_help_with_an_example_that_it_would_take(name: str) -> None:
    result = CliRunner().invoke(main.app, [*name.split(), "--help"])
    assert result.exit_code == 0
    assert "Example: " in result.output
    command = KNOWN[name]
    # The last command of a pipe is the one that the help is about.
    example = command.epilog.removeprefix("Example: ").rpartition(" | ")[2]  # type: ignore[attr-defined]
    words = shlex.split(example)
    assert " ".join(words).startswith(f"galloper {name}")
    # click reads the words as it would in earnest, and does nothing with them.
    with command.make_context(name, words[1 + len(name.split()):]) as context:  # type: ignore[attr-defined]
        assert context.args == []


def test_help_is_given_for_the_whole_and_for_groups() -> None:
    for words in (["--help"], ["map", "--help"], ["game", "--help"], ["bench", "--help"]):
        assert CliRunner().invoke(main.app, words).exit_code == 0


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["init"],
        ["init", "a", "b"],
        ["game", "new", "folder"],
        ["user", "folder"],
        ["worker"],
        ["map", "moves", "w3k"],
        ["parse", "--variant", "w3k"],
        ["parse", "--variant", "w3k", "--phase", "turn"],
        ["read", "--variant", "w3k", "--phase", "turn", "a.jpg"],
        ["read", "--variant", "w3k"],
        ["adjudicate", "--variant"],
        ["check", "folder", "--jsn"],
    ],
)
def test_bad_usage_is_2_and_told_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    code, out, err = _run(monkeypatch, capsys, *words)
    assert (code, out) == (2, "")
    assert err.strip()
    assert "Traceback" not in err


def test_success_is_0_with_the_result_on_standard_output_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Army London to Surrey\n"))
    code, out, err = _run(monkeypatch, capsys, "parse", "--variant", "w3k", "--phase", "movement", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["order"] == "A London - Surrey"


def _bad_places(folder: Path) -> dict[str, list[object]]:
    """Words of the program that cannot go well, by what their sentence must name."""
    (folder / "bytes").write_bytes(b"\xff\xfe\xfd")
    (folder / "list.json").write_text('{"not": "a list"}')
    (folder / "mail.eml").write_text("Subject: Hello\n\nHello.\n")
    own_site(folder / "site")
    own_site(folder / "broken", SETTINGS.replace('coordinator = "coordinator@galloper.example"\n', ""))
    nowhere, site, game = folder / "nowhere", folder / "site", game_file(folder, variant="atlantis")
    return {
        "atlantis": ["adjudicate", "--variant", "atlantis"],
        "The boards are bretwalda, britain1066, brittania, standard, w3k": ["game", "new", site, game],
        "nowhere/galloper.toml does not exist": ["check", nowhere],
        "galloper init": ["serve", nowhere],
        "coordinator: is missing": ["game", "show", folder / "broken"],
        "nowhere cannot be read": ["game", "new", site, nowhere],
        "exists already and was not changed": ["init", site],
        "nowhere: there is no such file": ["parse", "--variant", "w3k", "--phase", "movement", nowhere],
        "is not UTF-8 text (byte 0)": ["parse", "--variant", "w3k", "--phase", "movement", folder / "bytes"],
        "bytes is not UTF-8 text; save it as UTF-8": ["game", "new", site, folder / "bytes"],
        "list.json": ["read", "--variant", "w3k", "--names", folder / "list.json", folder / "a.jpg"],
        "Give the path of a JSON file": ["intake", "--context", nowhere, folder / "mail.eml"],
        "bytes is not JSON": ["intake", "--context", folder / "bytes", folder / "mail.eml"],
        "must end in .svg, .png or .pdf": ["map", "draw", "w3k", "-o", folder / "map.gif"],
        "at least 10 characters": ["user", site, "Ada"],
    }


@pytest.mark.parametrize("number", range(15))
def test_what_a_person_can_mend_is_1_and_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("short\n"))
    named, words = list(_bad_places(tmp_path).items())[number]
    code, out, err = _run(monkeypatch, capsys, *words)
    assert (code, out) == (1, "")
    assert err.startswith("galloper")
    assert named in err
    assert "Traceback" not in err


def test_a_photograph_that_is_missing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = _run(monkeypatch, capsys, "read", "--variant", "w3k", tmp_path / "nowhere.jpg")
    assert (code, out) == (1, "")
    assert "nowhere.jpg: there is no such file or folder; check the name" in err


def test_input_that_is_no_text_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"A Lon\xff"), encoding="utf-8"))
    code, _, err = _run(monkeypatch, capsys, "parse", "--variant", "w3k", "--phase", "movement")
    assert code == 1
    assert "standard input is not UTF-8 text (byte 5)" in err


SENTENCES = (
    MapError,
    GrammarError,
    ModelError,
    NoSuchGame,
    ImportFault,
    BrokenRecord,
    ConfigError,
    DemoError,
    NoStory,
    NotCommitted,
    MailboxError,
    MailFault,
    IntakeFault,
    ContextError,
    ServerUnavailable,
    TryAgainLater,
    SmtpRefused,
    DeliveryUnknown,
    FontMissing,
    NoShapes,
    RenderError,
    NamesError,
    SiteError,
    BlobError,
    CodecError,
    NotReady,
    BrokenArchive,
    WebError,
)
"""Errors that a person can mend: the command line prints their sentence."""


@pytest.mark.parametrize("kind", SENTENCES)
def test_what_a_person_can_mend_keeps_its_sentence(kind: type[Exception]) -> None:
    error = kind.__new__(kind, "the sentence")  # MapError is made from a list of faults
    assert faults.sentence_for(error) == str(error)


def test_a_fault_of_ours_is_a_sentence_and_a_file_with_its_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert faults.sentence_for(KeyError("x")) is None
    assert faults.sentence_for(ConfigError("the sentence")) == "the sentence"

    def broken(**_: object) -> None:
        raise IndexError("what was typed")

    monkeypatch.setattr(main, "app", broken)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code, out, err = _run(monkeypatch, capsys, "check")
    (file,) = tmp_path.iterdir()
    assert (code, out) == (1, "")
    assert f"report it with the file {file}" in err
    # What a person typed may be in it, so it is not printed, and no one else may read the file.
    assert "what was typed" not in err
    assert "IndexError: what was typed" in file.read_text()
    assert file.stat().st_mode & 0o077 == 0


def test_a_file_that_the_system_refuses_is_told_by_its_name() -> None:
    sentence = faults.sentence_for(PermissionError(13, "Permission denied", "/srv/galloper"))
    assert sentence is not None
    assert sentence.startswith("/srv/galloper: you have no right to use this")
