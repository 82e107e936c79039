"""Frozen dataclasses that are made quickly.

The `__init__` of a frozen dataclass sets each field through `object.__setattr__`, which takes ten times as
many instructions as a plain assignment. A judge makes a position and a resolution of 25 fields for every
phase.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, TypeVar

T = TypeVar("T")

_INIT = """
def __init__(self{parameters}):
    thaw(self, "__class__", Draft)
{assignments}
    self.__class__ = Frozen
"""


def quick_init(frozen: type[T]) -> type[T]:
    """Give a frozen dataclass with slots an `__init__` that takes the same and assigns its fields plainly.

    While it does so, the object is of a class that has the same slots and is not frozen. A class that is
    derived from another brings only its own slots, so its draft has the same bases.
    """
    draft = type(f"_{frozen.__name__}Draft", frozen.__bases__, {
        "__slots__": vars(frozen)["__slots__"], "__setattr__": object.__setattr__,
        "__delattr__": object.__delattr__})
    scope: dict[str, Any] = {"thaw": object.__setattr__, "Draft": draft, "Frozen": frozen, "MISSING": MISSING}
    # Parameters that must be named come after the others, as a dataclass orders them.
    plain: list[str] = []
    named: list[str] = []
    assignments: list[str] = []
    for field in fields(frozen):  # type: ignore[arg-type]
        name, has_factory = field.name, field.default_factory is not MISSING
        scope[f"default_{name}"] = field.default_factory if has_factory else field.default
        is_optional = has_factory or field.default is not MISSING
        default = "MISSING" if has_factory else f"default_{name}"
        (named if field.kw_only else plain).append(f"{name}={default}" if is_optional else name)
        value = f"default_{name}() if {name} is MISSING else {name}" if has_factory else name
        assignments.append(f"    self.{name} = {value}")
    parameters = ", ".join(["", *plain, *(["*", *named] if named else [])])
    source = _INIT.format(parameters=parameters, assignments="\n".join(assignments))
    exec(source, scope)  # noqa: S102
    scope["__init__"].__qualname__ = f"{frozen.__qualname__}.__init__"
    frozen.__init__ = scope["__init__"]  # type: ignore[method-assign]
    return frozen
