"""Opens files in the process of the tests, with the code that a child process runs on a site."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from PIL import Image

from grammar.headings.values import KnownGame
from service.facts.files import FileFate
from service.intake.opening.sandbox import Decoded, SandboxLimits, parse_photo
from service.intake.opening.sandbox_child import photo_answer
from service.intake.sheets.recognizer import ImageOpener, OpenerProbe
from service.mail.message import IncomingMail
from service.pictures.drawing.own_mark import strip_height


def decode_here(data: bytes, limits: SandboxLimits) -> Decoded:
    """The pages of a file, opened in this process."""
    return parse_photo(photo_answer(limits.jpeg_quality)(data))


def own_probe() -> OpenerProbe:
    """Opens the pictures of a mail in this process."""
    return OpenerProbe(ImageOpener(decode=decode_here), first_look=False)


def above_mark(picture: Image.Image) -> Image.Image:
    """A picture of ours without the strip of its mark."""
    return picture.crop((0, 0, picture.width, picture.height - strip_height(picture.width)))


class EverySheet:
    """Takes every picture for a page of orders, for mails whose pictures are drawings of nothing."""

    def fates(self, mail: IncomingMail, game: KnownGame) -> dict[str, FileFate]:
        """None."""
        return {}


def children_of(process: int) -> list[int]:
    """The processes that a process started and that run."""
    children: list[int] = []
    for tasks in Path(f"/proc/{process}/task").glob("*/children"):
        # A thread or a process may end while we look at it.
        with suppress(OSError):
            children += map(int, tasks.read_text().split())
    return children
