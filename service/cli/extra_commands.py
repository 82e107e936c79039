"""Commands that are no part of the product: entry points of the group `galloper.commands`.

`bench` and `demo` are in the source tree and not in a wheel, but a wheel's metadata still names them. So a
command whose module is missing is listed, and answers with one sentence.
"""

from __future__ import annotations

from importlib.metadata import entry_points

import typer

from adjudicator.errors import UserFacingError

GROUP = "galloper.commands"


class MissingCommand(UserFacingError):
    """A command whose module is not installed."""


def add_extra_commands(app: typer.Typer) -> None:
    """Add every entry point of the group: a Typer application of one command as that command, others as a
    group. That is what Typer does when it runs them by themselves."""
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            extra: typer.Typer = entry.load()
        except ModuleNotFoundError as error:
            extra = _missing(entry.name, str(error.name))
        if len(extra.registered_commands) == 1:
            app.registered_commands.extend(extra.registered_commands)
        else:
            app.add_typer(extra, name=entry.name)


def _missing(name: str, module: str) -> typer.Typer:
    extra = typer.Typer()
    # Every option and argument is accepted, so that the sentence comes before a complaint about usage.
    anything = {"allow_extra_args": True, "ignore_unknown_options": True}

    @extra.command(name, help="Comes with the source tree only.", context_settings=anything)
    def explain() -> None:
        raise MissingCommand(f"`galloper {name}` comes with the source tree: get the source and run "
                             f"tools/setup in it. The Python module {module} is not installed here.")

    return extra
