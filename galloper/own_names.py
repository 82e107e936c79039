"""Imports of our packages where a user's module has the same name as one of them (LIB-06).

Our packages have common names (`maps`, `service`), and a script's own `maps.py` comes first on Python's path.
Only in that case our modules are loaded below `galloper.ours`, and their import statements look there for our
packages. The user's module keeps its name. Alternatives are in docs/adr/0029.
"""

from __future__ import annotations

import builtins
import importlib
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

PACKAGES = frozenset({"adjudicator", "grammar", "maps", "ocr", "reading", "service", "templates"})
"""The packages next to this one in a wheel that it may import."""
_BELOW = "galloper.ours"
_ROOT = Path(__file__).parents[1]


def keep_apart() -> None:
    """Load our packages below `galloper.ours` from now on if a module of the user has one of their names.
    Must be called before any of them is imported."""
    if any(map(_is_foreign, sorted(PACKAGES))):
        sys.meta_path.insert(0, _Finder())


def _is_foreign(name: str) -> bool:
    """True if Python finds another module under the name of one of our packages. Packages that are not
    installed (the judge may be copied alone) have no name to defend."""
    loaded = sys.modules.get(name)
    spec = PathFinder.find_spec(name) if loaded is None else loaded.__spec__
    if spec is None or spec.origin is None:
        # A folder without `__init__.py` is taken for a package only where there is no other.
        return loaded is not None and spec is None
    our_file, their_file = _ROOT / name / "__init__.py", Path(spec.origin)
    # The compiled judge may lie in another folder (tools/compiled), with the same first file.
    is_ours = their_file == our_file or not our_file.is_file()
    return not is_ours and their_file.read_bytes() != our_file.read_bytes()


class _Finder(MetaPathFinder):
    """Finds `galloper.ours.maps` in the folder `maps` next to this package, and the modules of `galloper`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == _BELOW:
            return ModuleSpec(_BELOW, None, is_package=True)
        if not fullname.startswith("galloper."):
            return None
        parts = fullname.removeprefix(f"{_BELOW}.").split(".")
        place = _ROOT.joinpath(*parts)
        folder = place / "__init__.py"
        file = folder if folder.is_file() else place.with_suffix(".py")
        if not file.is_file():
            return None
        locations = [str(place)] if file == folder else None
        return spec_from_file_location(
            fullname, file, loader=_Loader(fullname, str(file)), submodule_search_locations=locations)


class _Loader(SourceFileLoader):
    """Runs a module with an `__import__` that finds our packages below `galloper.ours`."""

    def exec_module(self, module: ModuleType) -> None:
        # Python looks in the `__builtins__` of a module's globals for the function behind its import
        # statements.
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": _import}
        super().exec_module(module)


def _import(
    name: str,
    globals: Mapping[str, object] | None = None,  # noqa: A002
    locals: Mapping[str, object] | None = None,  # noqa: A002
    fromlist: Sequence[str] | None = (), level: int = 0,
) -> ModuleType:
    """As `builtins.__import__`, for the import statements of our own modules."""
    package = name.partition(".")[0]
    if level or package not in PACKAGES:
        return builtins.__import__(name, globals, locals, fromlist or (), level)
    module = importlib.import_module(f"{_BELOW}.{name}")
    for part in fromlist or ():
        if part != "*" and not hasattr(module, part):
            importlib.import_module(f"{module.__name__}.{part}")
    return module if fromlist else sys.modules[f"{_BELOW}.{package}"]
