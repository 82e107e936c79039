"""`galloper demo`: one run, from the banner to the last sentence, whatever happens on the way."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import maps
from adjudicator import judge
from adjudicator.errors import UserFacingError
from demo.story import DEFAULT_VARIANT, Story, story_of
from demo.teller import AudienceGone, Teller

if TYPE_CHECKING:  # it loads the whole service, and the banner comes first
    from demo.checks import Findings
    from demo.stage import Stage

log = logging.getLogger(__name__)

# A file that marks a folder as a demo's own, even if the demo stopped at its first step.
MARK_FILE = "demo.txt"
LOG_FILE = "demo.log"
TRANSCRIPT = "transcript.txt"

# A run of w3k leaves 90 MB of mails, 55 MB of letters and the pictures of a few pages (du, November).
NEEDED_BYTES = 300_000_000
"""Free space without which the demo does not begin."""

FULL_BYTES = 5_000_000
"""With less free space the disk counts as full."""

STOPPED_BY_VISITOR, AUDIENCE_GONE = 130, 141
"""Exit codes after Ctrl-C before the story's end, and when no one reads the output any more: 128 and the
number of SIGINT or SIGPIPE, as in a shell."""


@dataclass(frozen=True, slots=True)
class Wish:
    """How the visitor needs the demo. `fast`: no one watches; `hands`: the visitor reads doubtful lines;
    `folder`: where the site is put, or None; `keep`: a temporary site stays."""

    fast: bool = False
    hands: bool = False
    folder: Path | None = None
    keep: bool = False


class _FolderFault(UserFacingError):
    """The demo cannot use a folder; the sentence shows why."""


def run_demo(
    *, fast: bool, folder: Path | None, keep: bool, variant: str = DEFAULT_VARIANT, hands: bool = False
) -> int:
    """Play the story of a variant and return the program's exit code.

    0: all as it should be; 1: something was wrong or the demo could not go on, with a sentence; 130: Ctrl-C
    before the end. With `fast` it ends by itself, and a temporary site is deleted unless `keep` is set;
    otherwise the site runs until Ctrl-C. Raises NoStory for a variant that has none.
    """
    story = story_of(variant)
    wish = Wish(fast, hands, folder, keep)
    try:
        root = _prepared_folder(wish)
    except _FolderFault as fault:
        print(f"galloper: {fault}", file=sys.stderr)
        return 1
    temporary = folder is None and fast
    teller = Teller()
    code = 1
    try:
        with _log_in(root / LOG_FILE):
            code = _narrated(lambda: _run(story, root, teller, wish), root, teller)
    finally:
        # What is left of a demo that failed shows why.
        if temporary and not keep and code != 1:
            shutil.rmtree(root, ignore_errors=True)
    return code


def _prepared_folder(wish: Wish) -> Path:
    """An empty folder for the site. Raises _FolderFault."""
    root = wish.folder or Path("demo-site")
    try:
        if wish.folder is None and wish.fast:
            root = Path(tempfile.mkdtemp(prefix="galloper-demo-"))
        elif root.exists():
            # Only a folder that an earlier demo wrote is emptied.
            if any(root.iterdir()) and not any((root / mark).exists() for mark in (MARK_FILE, "outbox")):
                raise _FolderFault(f"{root} holds something else; choose another folder with --dir.")
            shutil.rmtree(root)
        root.mkdir(parents=True, exist_ok=True)
        note = "The site of a demo. The next demo in this folder deletes it.\n"
        (root / MARK_FILE).write_text(note, encoding="utf-8")
        free = shutil.disk_usage(root).free
    except OSError as error:
        raise _FolderFault(f"{root} cannot be used ({error.strerror}). Nothing was changed; choose another "
                           f"folder with --dir.") from error
    if free < NEEDED_BYTES:
        raise _FolderFault(f"{root} has {free // 1_000_000} MB left, and the demo needs "
                           f"{NEEDED_BYTES // 1_000_000} MB. Free some, or choose another folder with --dir.")
    return root


def _narrated(run: Callable[[], int], root: Path, teller: Teller) -> int:
    """Run, and end with one sentence whatever happens; the exit code."""
    try:
        return run()
    except KeyboardInterrupt:
        teller.say("Stopped by you before its end. Nothing runs in the background.")
        return STOPPED_BY_VISITOR
    except AudienceGone:
        # No one reads: nothing is printed, and Python does not try again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return AUDIENCE_GONE
    except Exception as error:  # (a stranger sees a sentence and not a traceback)
        log.exception("the demo stopped")
        teller.clear()
        safe = f"Nothing outside {root} was touched; its log is {root / LOG_FILE}."
        sentences = (f"galloper: the demo stopped: {_in_words(error, root)}.", safe,
                     "Start it again with the same command.")
        print(" ".join(sentences), file=sys.stderr)
        return 1


def _in_words(error: Exception, root: Path) -> str:
    text = str(error)
    # Whatever fails first on a full disk, that is its cause.
    if getattr(error, "errno", None) == errno.ENOSPC or "disk is full" in text or _is_full(root):
        return "the disk is full"
    if isinstance(error, UserFacingError):
        return text.rstrip(".")
    if getattr(error, "errno", None) in {errno.EACCES, errno.EROFS} or "readonly database" in text:
        return "its folder can no longer be written"
    if "timed out" in text or isinstance(error, TimeoutError):
        return "a part of it did not answer in time"
    return f"an unexpected fault ({type(error).__name__})"


def _is_full(root: Path) -> bool:
    try:
        return shutil.disk_usage(root).free < FULL_BYTES
    except OSError:
        return False


@contextmanager
def _log_in(path: Path) -> Iterator[None]:
    """Send every log line of the program and its libraries to a file."""
    from service.operations.logs import set_up

    with path.open("a", encoding="utf-8") as file:
        set_up(file)
        try:
            yield
        finally:
            # A thread that ends after the file is closed has no one left to tell.
            logging.getLogger().handlers = [logging.NullHandler()]


def _run(story: Story, root: Path, teller: Teller, wish: Wish) -> int:
    began = time.monotonic()
    teller.copy_to(root / TRANSCRIPT)
    _greet(story, root, teller)
    teller.move("loading the program")
    from demo.ending import check_pages, open_next_phase, open_replay, show_ending, stay, write_archive
    from demo.stage import open_stage
    from demo.turns import Turns

    teller.move("starting the mail server and the site")
    with (
        _same_signals(),
        open_stage(story, root, teller, fast=wish.fast) as stage,
        _orderly_end(teller),
    ):
        _name_desk(stage, wish)
        turns = Turns(stage, wish.hands)
        turns.play()
        archive = write_archive(stage, turns.findings)
        open_next_phase(stage, turns.findings)
        check_pages(stage, turns.findings)
        open_replay(stage, turns.findings)
        show_ending(stage, archive, stays=not wish.fast,
                    deleted=wish.fast and wish.folder is None and not wish.keep)
        code = _report(turns.findings, teller, time.monotonic() - began, wish)
        if not wish.fast:
            stay(stage)
    if not wish.fast:
        teller.say(f"Ended; nothing runs in the background. The files stay in {root} until the "
                   f"next demo.")
    return code


@contextmanager
def _same_signals() -> Iterator[None]:
    """Give Ctrl-C its meaning back at the end."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _orderly_end(teller: Teller) -> Iterator[None]:
    """From here on Ctrl-C is not heard: the site ends in order, which takes seconds."""
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with suppress(AudienceGone):
            teller.move("ending")


def _greet(story: Story, root: Path, teller: Teller) -> None:
    """The banner: what will happen, how long it takes, that nothing leaves, how to stop."""
    title = maps.load(story.variant).title
    teller.title(f"Galloper's demo: “{story.game}”, a game of {title} with {len(story.players)} powers")
    photographs = sum(len(mail.files) for mail in story.mails)
    orders = ("Players photographed their handwritten orders. The photographs" if photographs > 5
              else "Players type their orders in bold, and two photographed a sheet. The mails")
    teller.say(f"{orders} arrive at a small mail server inside this program; Galloper reads them, a "
               f"coordinator decides the lines in doubt, the turn is judged, and everybody gets the results "
               f"by mail, with pictures and a map.")
    phases = story.phases()
    mails = len(story.mails)
    teller.say(f"You will see {mails} mails and {len(phases)} phases, {phases[0]} to {phases[-1]}. It takes "
               f"one to two minutes on two free processor cores, longer on a busy machine; it waits as long "
               "as there is progress.")
    teller.say("Nothing leaves this machine: no mail, no measurement. The people and addresses are invented.")
    teller.say(f"The judge runs as {judge.FORM}.")
    teller.say(f"All files are in {root}. Ctrl-C ends the demo; nothing then runs in the background.")


def _name_desk(stage: Stage, wish: Wish) -> None:
    from demo.coordinator import NAME, PASSWORD
    from demo.stage import DESK_PORT

    if wish.fast:
        return
    if not stage.address.endswith(f":{DESK_PORT}"):
        stage.teller.say(f"Another program uses port {DESK_PORT}, so the desk has another.")
    stage.teller.say("You can watch at the coordinator's desk:")
    stage.teller.link("desk", f"{stage.address}/")
    stage.teller.link("sign in as", f"{NAME}, password {PASSWORD}")


def _report(findings: Findings, teller: Teller, seconds: float, wish: Wish) -> int:
    teller.say()
    return findings.report(teller.say, seconds, by_hand=wish.hands)
