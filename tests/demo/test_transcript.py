"""What `make demo` prints (INS-06): the same sentences as the transcript; numbers and times may differ. A
page shows a part of it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from demo.story import story_of

ROOT = Path(__file__).parents[2]
PROGRESS = re.compile(r"\(\d+ s\)$|^  (loading the program|starting the mail server and the site|ending)$")
STAYS = "The site runs until you press Ctrl-C."


def transcript() -> str:
    """A whole run."""
    return (Path(__file__).parent / "transcript.txt").read_text(encoding="utf-8")


def shape(text: str) -> Counter[str]:
    """The words of a run, wherever lines break and in whatever order mails were dealt with.

    Without numbers, addresses and paths, and without the lines that depend on the machine's speed.
    """
    lines = [line for line in text.splitlines() if not PROGRESS.search(line)]
    flat = " ".join(" ".join(lines).split())
    flat = flat.replace("Another program uses port 8642, so the desk has another.", "")
    flat = re.sub(r"This machine is slow or busy: .*? continues by itself\.", "", flat)
    flat = re.sub(r"http://\S+|\S*demo-site\S*|\S*galloper (?=verify|init)", "#", flat)
    return Counter(re.sub(r"[\d.,]*\d", "#", flat).split())


def test_every_mail_of_the_story_is_in_the_transcript() -> None:
    """INS-06: a story that was changed without its transcript is noticed at once."""
    flat = " ".join(transcript().split())
    story = story_of("w3k")
    assert {mail.subject for mail in story.mails if f"“{mail.subject}”" not in flat} == set()
    assert [title for title in story.phases() if f"{title}. Orders until" not in flat] == []
    reasons = {reason for by_order in story.reasons.values() for reason in by_order.values()}
    assert {reason for reason in reasons if reason not in flat} == set()


def test_the_page_shows_parts_of_the_transcript() -> None:
    """INS-06: each part between two "..." is in it, in this order."""
    page = (ROOT / "docs" / "tutorial" / "what-the-demo-prints.md").read_text(encoding="utf-8")
    rest = transcript()
    parts = page.partition("```text\n")[2].partition("```")[0].split("\n  ...\n")
    assert len(parts) > 3
    for part in parts:
        _, found, rest = rest.partition(part.strip())
        assert found


@pytest.mark.slow
def test_a_run_prints_the_transcript(tmp_path: Path) -> None:
    """INS-06: `galloper demo` as a stranger runs it, until Ctrl-C; nothing else is printed anywhere."""
    # A background job of a shell ignores SIGINT, and a child inherits that; GNU env takes it back.
    command = ["env", "--default-signal=INT", sys.executable, "-m", "service.cli.main", "demo", "--dir",
               str(tmp_path / "demo-site")]
    run = subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.stdout is not None
    assert run.stderr is not None
    lines = []
    for line in run.stdout:
        lines.append(line)
        if STAYS in line:
            run.send_signal(signal.SIGINT)
    assert run.wait(60) == 0
    assert run.stderr.read() == ""
    printed = "".join(lines)
    assert "All as it should be" in printed
    assert shape(printed) == shape(transcript())
