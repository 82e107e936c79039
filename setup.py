"""What pyproject.toml cannot say: with GALLOPER_COMPILED=1 the judge of movement is compiled (docs/adr/0019).

Without that variable, and so with `pip install`, nothing is compiled and no compiler is asked for.
"""

from __future__ import annotations

import os

from setuptools import Extension, setup

COMPILED = (
    "adjudicator/strength.py",
    "adjudicator/solver.py",
    "adjudicator/phases/convoys.py",
    "adjudicator/phases/movement_sheet.py",
    "adjudicator/phases/legality.py",
    "adjudicator/phases/order_outcomes.py",
    "adjudicator/phases/dislodgements.py",
    "adjudicator/phases/movement.py",
    "adjudicator/serialize/case_fields.py",
    "adjudicator/serialize/order_json.py",
    "adjudicator/serialize/cases.py",
    "adjudicator/serialize/answers.py",
)
"""What runs for every order of a movement phase, and what reads and writes cases in JSON. No value class is
among them: rule sets derive from orders, units, positions and outcomes, so these stay Python."""


def extensions() -> list[Extension]:
    """The modules to compile: none, unless the environment asks for them."""
    if os.environ.get("GALLOPER_COMPILED") != "1":
        return []
    # Comes with mypy, so only a development environment has it.
    from mypyc.build import mypycify

    # All in one library, so that one module calls another directly; no debug level, for it names the folder.
    modules: list[Extension] = mypycify(
        ["--config-file=", *COMPILED], group_name="galloper_judge", opt_level="3", debug_level="0")
    return modules


if __name__ == "__main__":
    setup(ext_modules=extensions())
