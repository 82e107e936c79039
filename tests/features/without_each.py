"""Start the program once without each feature, and print its commands and routes: run by
`test_without_each.py` in its own process.

One line of JSON for the whole program, with "" for a name, and one for each feature: {"without": NAME,
"commands": {WORDS: MODULE}, "routes": {"METHOD PATH": MODULE}}, or "fault" with the traceback.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from pkgutil import iter_modules
from unittest import mock


def leave_out(name: str) -> None:
    """Have a feature's folder be as good as deleted."""
    from service import feature

    sys.modules[f"{feature.PACKAGE}.{name}"] = None  # type: ignore[assignment] # an import of it fails
    mock.patch.object(feature, "iter_modules", lambda path: [
        each for each in iter_modules(path) if each.name != name]).start()


def listed() -> dict[str, dict[str, str]]:
    """The commands and routes of the program, and the module that has each."""
    from service.app import create_app
    from service.web.access import routes_of
    from service.web.ports import DeskPorts
    from tests.support.features import all_commands

    # Nothing is asked of the application, so it needs no site.
    ports = DeskPorts(None, None, None, None, None, None)  # type: ignore[arg-type]
    return {
        "commands": {words: command.callback.__module__  # type: ignore[attr-defined]
                     for words, command in all_commands().items()},
        "routes": {f"{method} {route.path}": route.endpoint.__module__
                   for route in routes_of(create_app(ports)) for method in sorted(route.methods or ())},
    }


def main() -> None:
    # The core, once for all children; it imports no feature by itself.
    import service.app
    import service.bootstrap  # noqa: F401
    from service import feature

    assert not [name for name in sys.modules if name.startswith(feature.PACKAGE)]
    folder = Path(feature.__file__).parent / "features"
    names = sorted(each.name for each in iter_modules([str(folder)]))
    for name in ("", *names):
        child = os.fork()
        if not child:
            try:
                if name:
                    leave_out(name)
                print(json.dumps({"without": name, **listed()}), flush=True)
            except BaseException:
                print(json.dumps({"without": name, "fault": traceback.format_exc()}), flush=True)
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
