"""Wrong words, files, boards, games, powers, phases and dates in every kind of command (INS-05): one or two
plain lines, the documented exit code, and nothing changed."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from service.cli import main
from tests.support.features import of_features
from tests.support.own_site import game_file, own_site

WHY = ("--why", "The post is on strike.")
RAW = re.compile(r"Traceback|pydantic|[Vv]alidation|sqlalchemy|Input should|Field required|Extra inputs|"
                 r"codec|Expecting value|KeyError|AttributeError|TypeError|\berrno\b|fault of Galloper")
"""What only a programmer reads."""
WRONG: list[tuple[str, int, str]] = [
    ("nonsense", 2, "There is no command nonsense"),
    ("chekc site", 2, "Did you mean check?"),
    ("user remvoe site Ada", 2, "Nothing was done"),
    ("init", 2, "DIR is missing"),
    ("check site --jsn", 2, "Did you mean --json?"),
    ("worker site --threads x", 2, "write a whole number"),
    ("worker site --threads 90", 2, "write a number up to 64"),
    ("check nowhere", 1, "galloper init nowhere"),
    ("check text", 1, "give the folder of a site"),
    ("game show broken", 1, "coordnator: there is no such setting (did you mean coordinator?)"),
    ("serve broken", 1, "mail_in.kind: write imap or maildir"),
    ("user list broken", 1, "mail_in.port: write a whole number"),
    ("user remove site Ad", 1, "Did you mean Ada?"),
    ("user remove site Ada", 1, "last coordinator"),
    ("game import site text", 1, "damaged or cut off"),
    ("game new site text", 1, "at line 1, column 6"),
    ("game new site shapes.toml", 1, "start: write a day such as 2027-03-01"),
    ("game new site folder", 1, "give a file with a game"),
    ("game export site powick x.zip", 1, "Did you mean powick-bridge?"),
    ("game paper site powick-bridge out --day soon", 1, "write it like 2027-03-14"),
    ("game seat site powick-bridge Protectorat", 1, "Did you mean Protectorate? The powers are The Crown"),
    ("game seat site powick-bridge Montrose --empty --player X", 2, "either --player with --mail"),
    ("game address site powick-bridge Montrose --remove ada@example.org", 1, "their only address"),
    ("game address site powick-bridge Montrose --add x", 1, "cannot be a player's mail address"),
    ("game move-deadline site powick-bridge --to soon", 1, "a day like 2027-03-14"),
    ("game move-deadline site powick-bridge --to 2020-03-14", 1, "in the past"),
    ("game move-deadline site powick-bridge --to 2099-03-14 --phase retreats", 1, "write more of its name"),
    ("game set site powick-bridge frist_counts yes", 1, "no such option (did you mean first_counts?)"),
    ("game set site powick-bridge units_on_map maybe", 1, "options.units_on_map: write yes or no"),
    ("game set site powick-bridge auto_score high", 1, "options.auto_score: write a number"),
    ("game set site powick-bridge review some", 1, "write one of 'none', 'doubtful' or 'all'"),
    ("game set site powick-bridge order_languages german", 1, "it is fixed when the game begins"),
    ("game set site powick-bridge start 2030-01-01", 1, "options.start: there is no such option"),
    ("read --variant w3k --phase retreats text", 2, "Did you mean retreat?"),
    ("read --variant w3k --names list.json text", 1, "is not a JSON list of names"),
    ("parse --variant standrad --phase movement text", 1, "Did you mean standard?"),
    ("parse --variant standard --phase winter text", 2, "Its phases are movement, retreat, adjustment"),
    ("adjudicate --variant standard nowhere", 1, "there is no such file"),
    ("intake --context bytes text", 1, "is not JSON"),
    ("intake --context half.json text", 1, "is not JSON (line 1, column 7)"),
    ("intake --context deep.json text", 1, "is not JSON"),
    ("intake --context list.json text", 1, "the context"),
    ("map check W3K", 1, "Did you mean w3k?"),
    ("map moves w3k London --unit X", 2, "write A or F"),
    ("map draw w3k -o text/x.svg", 1, "give a folder"),
    *((line, *answer) for line, answer in of_features("WRONG_INPUT").items()),
]


class Answer(NamedTuple):
    code: int
    out: str
    err: str


def _run(line: str, typed: str = "") -> Answer:
    words = line.split() + ([*WHY] if "move-deadline" in line or "game set" in line else [])
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        patch.setattr(sys, "argv", ["galloper", *words])
        patch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as ended:
            main.main()
    return Answer(int(ended.value.code or 0), out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a site, a game and files that are of no use."""
    folder = tmp_path_factory.mktemp("wrong")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        own_site(Path("site"))
        own_site(Path("broken"), 'data = 3\ncoordnator = "x"\n[mail_in]\nkind = "pop3"\nport = "x"\n')
        Path("folder").mkdir()
        Path("bytes").write_bytes(b"\xff\xfe\x00\x01" * 100)
        Path("text").write_text("hello\nworld\n")
        Path("list.json").write_text("[1, 2]")
        Path("half.json").write_text('{"a": ')
        Path("deep.json").write_text("[" * 100_000)
        Path("shapes.toml").write_text(
            'name = 3\nvariant = "w3k"\nstart = "soon"\nplayer = "x"\n[seats]\nMontrose = 3\n')
        assert _run(f"game new site {game_file(Path())}").code == 0
        assert _run("user add site Ada", "correct horse battery\n").code == 0
        yield folder


@pytest.mark.parametrize(("line", "code", "named"), WRONG, ids=[line for line, _, _ in WRONG])
def test_wrong_input_is_answered_in_plain_words(place: Path, line: str, code: int, named: str) -> None:
    answer = _run(line)
    assert answer.code == code, answer
    assert named in answer.err + answer.out
    assert not RAW.search(answer.err + answer.out), answer
    assert 1 <= len(answer.err.splitlines() + answer.out.splitlines()) <= 3


def test_nothing_of_it_changed_the_game(place: Path) -> None:
    assert _run("game show site").out.count("\n") == 2
    assert _run("user list site --json").out.count('"name": "Ada"') == 1
    assert "Montrose: Ada (ada@example.org)" in _run("game seat site powick-bridge montrose").out
