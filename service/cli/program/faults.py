"""The words for every fault: what happened, what is safe, what to do. No library's own message reaches a
person here."""

from __future__ import annotations

import difflib
import errno
import re
import sys
import tempfile
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer

from adjudicator.errors import UserFacingError

# Typer brings its own copy of click since 0.26, so the classes are taken from what it hands out.
_USAGE: type[Exception] = typer.BadParameter.__mro__[1]

_SYSTEM_WORDS = {
    errno.ENOENT: "there is no such file or folder; check the name",
    errno.EISDIR: "this is a folder; give a file",
    errno.ENOTDIR: "this is a file; give a folder",
    errno.EEXIST: "this exists already and was not changed; choose another name",
    errno.EACCES: "you have no right to use this; change its rights, or run the command as its owner",
    errno.EPERM: "you have no right to use this; change its rights, or run the command as its owner",
    errno.EROFS: "this disk is read-only; choose another place",
    errno.ENOSPC: "the disk is full; make room and try again",
    errno.ENAMETOOLONG: "this name is too long; choose a shorter one",
    errno.ELOOP: "this link leads back to itself; give the file itself",
}
"""The meaning of the system's refusals, and what to do. Others are given in the system's words."""


def sentence_for(error: Exception) -> str | None:
    """The sentence for a fault that a person can correct; None for a fault of ours."""
    if isinstance(error, UserFacingError):
        return str(error)
    if _is_damage(error):
        from service.store.damage import WHAT_TO_DO, damage_in_words

        return f"{damage_in_words(error)} {WHAT_TO_DO}"  # type: ignore[arg-type]
    if _is_database_error(error):
        reason = str(getattr(error, "orig", "")).strip().partition("\n")[0]
        return (f"The database cannot be used now ({reason}); check the disk and the setting database, and "
                f"try again.")
    # An OSError without the system's words was raised by a program, and so is a fault of ours.
    if isinstance(error, OSError) and error.strerror:
        return file_sentence(error)
    return None


def file_sentence(error: OSError, name: object = None) -> str:
    """Why a file cannot be used, and what to do. `name` is used where the error names none."""
    subject = error.filename if error.filename is not None else name
    reason = _SYSTEM_WORDS.get(error.errno or 0, f"{error.strerror}; check that it exists and that you have "
                                                 "the right to use it")
    return f"{subject}: {reason}." if subject is not None else f"{reason[:1].upper()}{reason[1:]}."


def _is_database_error(error: Exception) -> bool:
    # Not imported here: most commands use no database, and code that raises the error has loaded the module.
    module = sys.modules.get("sqlalchemy.exc")
    return module is not None and isinstance(error, module.OperationalError)


def _is_damage(error: Exception) -> bool:
    module = sys.modules.get("sqlalchemy.exc")
    if module is None or not isinstance(error, module.DBAPIError):
        return False
    from service.store.damage import is_damage

    return is_damage(error)


def own_fault(error: Exception) -> str:
    """The sentence for a fault of ours. The details go to a file that only its owner may read: they may quote
    what was typed."""
    file = details_file(error)
    if not file:
        return f"Galloper failed ({type(error).__name__}). Everything saved before is safe."
    return (f"Galloper failed, through no fault of yours ({type(error).__name__}). Everything saved before "
            f"is safe.\nPlease report it with the file {file}.")


def details_file(error: Exception) -> str:
    """The path of a new file with the traceback of an error; "" where none can be written."""
    text = "".join(traceback.format_exception(error))
    try:
        with tempfile.NamedTemporaryFile("w", prefix="galloper-fault-", suffix=".txt", delete=False,
                                         encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError:
        return ""
    return file.name


# Bad usage
# ----------------------------------------------------------------------------------------------------------


def usage_lines(error: Exception) -> tuple[str, ...] | None:
    """The lines for words that the program cannot take, with an example that it takes; None for any other
    fault. A command without words gives its help."""
    if not isinstance(error, _USAGE):
        return None
    context: Any = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        return (str(getattr(error, "message", "")),)
    path = context.command_path if context is not None else "galloper"
    example = str(getattr(getattr(context, "command", None), "epilog", None) or "").removeprefix("Example: ")
    lines = [f"{path}: {_usage_sentence(error, context)} Nothing was done."]
    if example:
        lines.append(f"Example: {example}")
    elif context is not None:
        lines.append(f"All commands and options: {path} --help")
    return tuple(lines)


def _usage_sentence(error: Exception, context: Any) -> str:
    message = str(getattr(error, "message", "") or "").strip()
    match type(error).__name__:
        case "MissingParameter":
            return f"{_parameter_name(error)} is missing."
        case "NoSuchOption":
            name = str(getattr(error, "option_name", ""))
            known = [option for param in context.command.params for option in param.opts] if context else []
            return f"There is no option {name}.{did_you_mean(name, known)}"
        case "BadOptionUsage":
            name = str(getattr(error, "option_name", ""))
            return f"{name} takes no value." if "does not take" in message else f"{name} needs a value."
        case "BadParameter" if getattr(error, "param", None) is not None:
            return _bad_value(error, message)
        case _:
            return _other_usage(message, context)


def _other_usage(message: str, context: Any) -> str:
    unknown = re.match(r"No such command '(.*?)'\.", message)
    if unknown:
        known = context.command.list_commands(context) if context is not None else []
        return f"There is no command {unknown[1]}.{did_you_mean(unknown[1], known) or _choices(known)}"
    extra = re.match(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", message)
    if extra:
        return f"“{extra[1]}” is one argument too many."
    return message if message.endswith(".") else f"{message}."


def _parameter_name(error: Exception) -> str:
    param: Any = getattr(error, "param", None)
    if param is None:
        return "Something"
    if param.param_type_name == "option":
        return str(max(param.opts, key=len))
    return str(param.metavar or param.name.upper()).strip("[]")


def _bad_value(error: Exception, message: str) -> str:
    """The values that are allowed. Typer checks values with pydantic, whose words are for programmers."""
    name = _parameter_name(error)
    errors = getattr(error.__cause__, "errors", None)
    if errors is None:
        return f"{name}: {message}" if message.endswith(".") else f"{name}: {message}."
    from service.config import plain_words

    fault = errors()[0]
    choices = re.search(r"is not one of (.*?)\.?$", fault["msg"])
    if choices:
        words = choices[1].replace("'", "")
        return f"{name} is one of {words}.{did_you_mean(str(fault['input']), words.split(', '))}"
    return f"{name} is “{fault['input']}”; {plain_words(fault)}."


def did_you_mean(text: str, known: Iterable[str]) -> str:
    """" Did you mean X?" for the nearest known word; "" where none is near."""
    by_form = {word.casefold(): word for word in known}
    near = difflib.get_close_matches(text.casefold(), list(by_form), 1, 0.6)
    return f" Did you mean {by_form[near[0]]}?" if near else ""


def _choices(known: Iterable[str]) -> str:
    words = list(known)
    return f" The commands are {', '.join(words)}." if words else ""


def unreadable(path: Path | None, error: OSError) -> UserFacingError:
    """The error for a file that was named and cannot be read; nothing was done."""
    return UserFacingError(f"{file_sentence(error, path)} Nothing was done.")
