"""What the demo prints fits where it is printed (INS-06)."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from demo.teller import AudienceGone, Teller

SENTENCE = "The deadline has passed. Until now the sheets were sealed; now they can be read."
ADDRESS = "http://127.0.0.1:8642/public/powick-bridge/a-page-with-a-name-that-is-longer-than-the-line"


class Terminal(io.StringIO):
    """A stream that states it is a terminal."""

    def isatty(self) -> bool:
        """Always."""
        return True


class ClosedPipe(io.StringIO):
    """A pipe whose reader has gone, as with `| head`."""

    def write(self, _text: str, /) -> int:
        """Fails as the kernel does."""
        raise BrokenPipeError


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


def test_sixty_columns_are_enough_and_an_address_is_never_broken() -> None:
    """INS-06: sentences are wrapped, and what is copied stays whole."""
    stream = io.StringIO()
    teller = Teller(stream)
    teller.say(SENTENCE, indent=2, hang=14)
    teller.quote(["a line of a letter that is much longer than sixty columns and is cut there, not wrapped"])
    teller.link("results", ADDRESS)
    lines = stream.getvalue().splitlines()
    assert all(len(line) < 60 for line in lines if ADDRESS not in line)
    assert " ".join(" ".join(lines).split()).startswith(SENTENCE)
    assert lines[-1] == f"    {ADDRESS}"


def test_no_colour_is_asked_for_and_none_is_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """INS-06: NO_COLOR, and plain lines in a pipe."""
    pipe, coloured, plain = io.StringIO(), Terminal(), Terminal()
    Teller(pipe).title("Summer")
    Teller(coloured).title("Summer")
    monkeypatch.setenv("NO_COLOR", "1")
    Teller(plain).title("Summer")
    assert "\x1b[" in coloured.getvalue()
    assert pipe.getvalue() == plain.getvalue() == "\nSummer\n"


def test_a_terminal_has_one_moving_line_and_it_is_gone_when_the_next_sentence_comes(tmp_path: Path) -> None:
    """INS-06: progress at every moment; the copy holds the sentences alone."""
    stream = Terminal()
    teller = Teller(stream)
    teller.copy_to(tmp_path / "transcript.txt")
    teller.move("reading the sheets: 1 of 16")
    teller.move("reading the sheets: 2 of 16, and so many words that a narrow terminal cannot hold them")
    teller.say("Read.")
    assert stream.getvalue().count("\n") == 1
    assert all(len(part.replace("\x1b[2m", "").replace("\x1b[0m", "")) < 60
               for part in stream.getvalue().split("\r\x1b[K"))
    assert stream.getvalue().endswith("\r\x1b[KRead.\n")
    assert (tmp_path / "transcript.txt").read_text("utf-8") == "Read.\n"


def test_in_a_pipe_the_moving_line_is_printed_only_after_a_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """INS-06: no silence over a few seconds, and no line for every tick."""
    stream = io.StringIO()
    teller = Teller(stream)
    clock = [1000.0]
    monkeypatch.setattr("demo.teller.time.monotonic", lambda: clock[0])
    teller.say("Begun.")
    teller.move("reading (1 s)")
    clock[0] += 5
    teller.move("reading (5 s)")
    teller.move("reading (6 s)")
    assert stream.getvalue() == "Begun.\n  reading (5 s)\n"


def test_a_reader_who_has_gone_ends_the_story() -> None:
    with pytest.raises(AudienceGone):
        Teller(ClosedPipe()).say("Hello.")
