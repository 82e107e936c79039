"""Whether the child that opens what strangers send is shut in on this machine (SEC-02): it is asked to
try."""

from __future__ import annotations

import json
import os
from pathlib import Path

from service.config import Settings
from service.intake.opening import jail
from service.intake.opening.sandbox import ChildDied, ChildFault, Jail, SandboxLimits, run_child, use_jail
from service.intake.opening.sandbox_child import ChildJob
from service.operations.findings import Finding, FindingState

NAME = "jail"


def check_jail(settings: Settings) -> Finding:
    """Let a child try to reach the site's data, its database, a socket, a program and its parent."""
    use_jail(Jail(settings.reader.child_jail))
    data, database = Path(settings.data), Path(settings.data) / "galloper.sqlite"
    aims = {"files": [str(database)] if database.exists() else ["/etc/passwd"],
            "folders": [str(data)], "sockets": [], "process": os.getpid()}
    try:
        acts: list[str] = json.loads(run_child(ChildJob.PROBE, json.dumps(aims).encode(), SandboxLimits()))
    except (ChildFault, ChildDied, ValueError) as fault:
        return Finding(NAME, FindingState.TROUBLE, f"the child that opens files does not start: {fault}")
    if acts:
        missing = [name for name, here in (("Landlock", jail.offered().landlock > 0),
                                           ("seccomp", jail.offered().seccomp)) if not here]
        lacks = f"this kernel lacks {' and '.join(missing)}" if missing else "its jail has a gap"
        return Finding(
            NAME, FindingState.TROUBLE,
            "an attacker in the child process that opens mails and pictures could "
            f"{'; '.join(map(str, acts))}: {lacks}; use "
            "a newer kernel or container, or install bubblewrap and set reader.child_jail to bwrap")
    return Finding(NAME, FindingState.WELL, "the child process that opens mails and pictures is "
                                            f"jailed{_walls(settings)}")


def _walls(settings: Settings) -> str:
    if settings.reader.child_jail == Jail.BWRAP:
        return " by bubblewrap and the kernel"
    walls = jail.offered()
    if not walls.landlock:
        return " by seccomp only: the kernel has no Landlock, so the child opens no files"
    return f" by Landlock {walls.landlock} and seccomp"
