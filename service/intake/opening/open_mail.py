"""The bodies of mails, read in the limited child: wall time, processor time, memory and output are limited,
and only plain values come back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from service.intake.opening.sandbox import WALL_PER_CPU, ChildDied, SandboxLimits, run_child
from service.intake.opening.sandbox_child import ChildJob
from service.mail.body.form import BodyRequest, FormError, dump_requests, load_bodies
from service.mail.body.read import MOST_OF_REPORT, BodyNeed, MailBody, read_body, without_envelope
from service.mail.headers import split_headers
from service.mail.message import BodyState, IncomingMail, with_body
from service.mail.mime.image_types import PictureProbe

# A mail of 36 MB, the most that is fetched, needs 2 s and 400 MB.
WHOLE = SandboxLimits(
    data=64_000_000, output=64_000_000, memory=1_200_000_000, cpu_seconds=10, wall_seconds=WALL_PER_CPU * 10.0
)
# Anybody may send what looks like a bounce.
REPORT = SandboxLimits(
    data=64_000_000, output=1_000_000, memory=400_000_000, cpu_seconds=3, wall_seconds=WALL_PER_CPU * 3.0
)
_MOST_TOGETHER = 32
_MOST_BYTES_TOGETHER = 16_000_000
"""Mails, and bytes of them, that one child reads."""


class BodyReader(Protocol):
    """Reads the body of a mail."""

    def read(self, raw: bytes, need: BodyNeed) -> MailBody | None:
        """The body; None if this mail cannot be read within the limits. Raises ChildFault if this machine is
        to blame."""
        ...


@dataclass(frozen=True, slots=True)
class ChildBodies:
    """Reads bodies in the limited child. `whole` and `report`: what one mail of each need may cost."""

    whole: SandboxLimits = WHOLE
    report: SandboxLimits = REPORT

    def read(self, raw: bytes, need: BodyNeed) -> MailBody | None:
        """See `BodyReader`."""
        return self.read_all([(raw, need)])[0]

    def read_all(self, mails: Iterable[tuple[bytes, BodyNeed]]) -> list[MailBody | None]:
        """As `read`, of many mails in their order; small ones share a child."""
        bodies: list[MailBody | None] = []
        for batch in _batches([_request(raw, need) for raw, need in mails]):
            answers = self._read(batch)
            if answers is None and len(batch) > 1:
                # One of them stopped the child, so each gets its own.
                answers = [body for request in batch for body in self._read([request]) or [None]]
            bodies += answers or [None]
        return bodies


    def _read(self, batch: Sequence[BodyRequest]) -> list[MailBody | None] | None:
        """The bodies of a batch; None if it did not end well. Raises ChildFault."""
        limits = self.whole if batch[0].need is BodyNeed.WHOLE else self.report
        form = dump_requests(batch)
        if len(form) > limits.data:
            return None
        try:
            return list(load_bodies(run_child(ChildJob.MAILS, form, limits), len(batch)))
        # What is not an answer was written by a child that a mail had taken over.
        except (ChildDied, FormError):
            return None


class OwnBodies:
    """Reads bodies in this process without limits, for tests and mails that we wrote ourselves."""

    def read(self, raw: bytes, need: BodyNeed) -> MailBody | None:
        """See `BodyReader`."""
        return read_body(raw, need)


def open_mail(
    head: IncomingMail, raw: bytes, need: BodyNeed, bodies: BodyReader, probe: PictureProbe
) -> IncomingMail:
    """The mail of `head` with as much of its body as is needed. Raises ChildFault."""
    if need is BodyNeed.NONE or head.overflow:
        return head
    return joined(head, need, bodies.read(raw, need), probe)


def joined(head: IncomingMail, need: BodyNeed, body: MailBody | None, probe: PictureProbe) -> IncomingMail:
    """The mail of `head` with its body, None if that could not be read."""
    if need is BodyNeed.NONE:
        return head
    if body is None:
        return replace(head, body=BodyState.HARMFUL)
    if need is BodyNeed.REPORT:
        return replace(head, report=body.report, may_have_pictures=body.has_files)
    return with_body(head, body, probe)


def _request(raw: bytes, need: BodyNeed) -> BodyRequest:
    """The part of a mail that the child gets."""
    if need is BodyNeed.REPORT:
        mail = without_envelope(raw)
        raw = mail[: split_headers(mail)[1] + MOST_OF_REPORT]
    return BodyRequest(raw, need)


def _batches(requests: Sequence[BodyRequest]) -> list[list[BodyRequest]]:
    """The requests in order, cut so that one child can answer each group under the limits of one mail."""
    batches: list[list[BodyRequest]] = []
    size = 0
    for request in requests:
        size += len(request.raw)
        last = batches[-1] if batches else []
        fits = last and last[0].need is request.need and len(last) < _MOST_TOGETHER
        if fits and size <= _MOST_BYTES_TOGETHER:
            last.append(request)
        else:
            batches.append([request])
            size = len(request.raw)
    return batches
