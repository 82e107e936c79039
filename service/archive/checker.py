"""The checker of archives (`tools/verify_record.py`): one file that needs Python alone, which players fetch
and `galloper verify` runs."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Protocol

from adjudicator.errors import UserFacingError
from service.record.references import CHECKER, checker_file

_ALARM, _NOTE = "NOT AS IT SHOULD BE: ", "To know, "
"""How the checker begins a sentence about a fault, and the other three kinds of sentence: what results
report, what a machine did, what cannot be proved."""


class CheckerMissing(UserFacingError):
    """The installation has no checker; the sentence shows what to do."""


class CheckedRecord(Protocol):
    """The checker's result for an archive (`verify_record.Record`): the facts of open entries by kind,
    each with its number; the parts of every entry; and of each phase the judging that is, with its
    number."""

    files: zipfile.ZipFile
    manifest: dict[str, Any]
    facts: Mapping[str, list[tuple[int, dict[str, Any]]]]
    entries: list[dict[str, Any]]
    judged: dict[int, tuple[int, dict[str, Any]]]

    @property
    def whole(self) -> bool:
        """Whether it is not a players' archive."""
        ...


@dataclass(slots=True)
class VerifyReport:
    """The result of a check: sentences about faults, about what was confirmed, and about what a player should
    know of though it is not a fault."""

    faults: list[str] = field(default_factory=list)
    confirmations: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def lines(self, *, quiet: bool = False) -> list[str]:
        """Every sentence as it is printed, those about faults last; with `quiet` those alone."""
        alarms = [f"{_ALARM}{line}" for line in self.faults]
        return alarms if quiet else [*self.confirmations, *(f"{_NOTE}{line}" for line in self.notes), *alarms]

    def hear(self, sentence: str) -> None:
        """Take a sentence of the checker that is not an alarm."""
        if sentence.startswith(_NOTE):
            self.notes.append(sentence.removeprefix(_NOTE))
        else:
            self.confirmations.append(sentence)


@contextmanager
def checking(report: VerifyReport) -> Iterator[ModuleType]:
    """The checker as a module whose sentences go into a report: each alarm, the worst first. What cannot be
    checked at all ends the block. Raises CheckerMissing."""
    source = checker_file()
    if source is None:
        raise CheckerMissing(f"This installation has no {CHECKER}. Install Galloper again, or check the "
                             f"archive with the file of its source.")
    module = ModuleType("verify_record")
    exec(compile(source, CHECKER, "exec"), vars(module))  # noqa: S102 a file of ours
    vars(module)["tell"] = report.hear
    try:
        yield module
    except module.Alarm as alarm:
        module.alarms.append(str(alarm))
    except UserFacingError as fault:
        report.faults.append(str(fault))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, RecursionError,
            AttributeError, KeyError, TypeError, ValueError, IndexError, AssertionError) as fault:
        # The digests fit, but something has a shape that we never write: a forger who computed the chain
        # again, or another file.
        report.faults.append(f"This is not an archive of a game, or an entry has a form that this Galloper "
                             f"does not write ({type(fault).__name__}: {fault}).")
    report.faults[:0] = [_as_sentence(module.plain(alarm)) for alarm in dict.fromkeys(module.alarms)]


def _as_sentence(alarm: str) -> str:
    # It may begin with the name of a file, which stays as it is.
    return alarm[:1].upper() + alarm[1:] if alarm.partition(" ")[0].isalpha() else alarm


def last_before(record: CheckedRecord, kind: str, before: int, **conditions: Any) -> dict[str, Any] | None:
    """The facts of the last open entry of a kind before entry `before` whose facts have the values of
    `conditions`; None if there is none."""
    return next((tells for number, tells in reversed(record.facts[kind]) if number < before
                 and all(tells.get(key) == value for key, value in conditions.items())), None)
