"""Reference pages written from the code: commands from typer's tree, settings and files from their schemas.

Values in, Markdown out.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

import galloper
from service.desk.reading.keys import KeyAction

Schema = Mapping[str, Any]


def command_pages(program: str, group: Any) -> str:
    """The page of a command line: each command with its usage, its parameters and its example.

    `group` is the click group that typer makes of the program.
    """
    parts = [
        "# Command line",
        "",
        "Written from the program's own help. [What stays stable](../contract.md) says what is promised.",
        "",
    ]
    for path, command in _commands((program,), group):
        if hasattr(command, "commands"):
            if len(path) > 1:
                parts += [f"## {' '.join(path)}", "", _paragraph(command.help), ""]
            continue
        parts += [f"{'##' if len(path) == 2 else '###'} {' '.join(path)}", "", _paragraph(command.help), ""]
        with command.make_context(" ".join(path), [], resilient_parsing=True) as context:
            # typer shows a needed argument in braces, and one that has brackets of its own in two pairs.
            usage = re.sub(r"\{([^}]*)\}|\[(\[[^]]*\])\]", r"\1\2", command.get_usage(context))
            usage = usage.removeprefix("Usage: ")
            parts += ["```text", *(line.strip() for line in usage.splitlines()), "```", ""]
            rows = [
                row for row in (_parameter_row(parameter, context) for parameter in command.params) if row
            ]
        if rows:
            parts += ["| parameter | meaning |", "| --- | --- |", *rows, ""]
        if command.epilog:
            # "Example: galloper check ~/site"
            parts += ["```console", f"$ {command.epilog.partition(': ')[2]}", "```", ""]
    return "\n".join(parts)


def _commands(path: tuple[str, ...], command: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    inner = getattr(command, "commands", {})
    # Plain commands before groups, so that no group's commands seem to go on after it.
    for name in sorted(inner, key=lambda name: hasattr(inner[name], "commands")):
        if not inner[name].hidden:
            yield from _commands((*path, name), inner[name])


def _parameter_row(parameter: Any, context: Any) -> str:
    record = parameter.get_help_record(context)
    # An argument without help of its own has no record; the usage line shows it.
    if record is None or "--help" in parameter.opts or not record[1]:
        return ""
    names, words = record
    return f"| `{names}` | {_cell(words)} |"


def _paragraph(text: str | None) -> str:
    return " ".join((text or "").split())


def _cell(text: str) -> str:
    return _paragraph(text).replace("|", "\\|").replace("[", "\\[").replace("<", "&lt;")


ORDERS_OPENING = """\
# Orders in JSON

One example of every kind of order that `galloper adjudicate`, `Order.from_json` and saved games take, with
its text. `type` and `from_type` may be left out; names are ids or full names, in any case; a coast follows
its province (`"SPA/NC"`). A missing key is false, or open. The orders of the classic board are written the
same on all boards but `brittania`, with their names and types of units."""


def orders_page(examples: Iterable[Mapping[str, Any]]) -> str:
    """Orders of each board as JSON and as text. An example has `board`, `phase` and `json`; those of one
    board are neighbours. Raises OrderError for an order that is not of its board."""
    parts = [ORDERS_OPENING, ""]
    for slug, of_board in groupby(examples, lambda example: str(example["board"])):
        parts += [f"## `{slug}`", "", "| phase | JSON | text |", "| --- | --- | --- |"]
        for example in of_board:
            text = galloper.Order.from_json(slug, example["json"]).text
            parts.append(f"| {example['phase']} | `{json.dumps(example['json'])}` | {text} |")
        parts.append("")
    return "\n".join(parts)


def api_page() -> str:
    """Every public name of the package `galloper`, with its signature and its docstring."""
    parts = ["# The names of the package galloper", "", "From its docstrings; [examples](../api.md).", ""]
    for name in sorted(galloper.__all__, key=str.lower):
        thing = getattr(galloper, name)
        if name.startswith("__") or not callable(thing):
            continue
        parts += [f"## `{name}`", "", *_described(name, thing)]
        members = vars(thing).items() if inspect.isclass(thing) else ()
        for part, value in members:
            function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
            if not part.startswith("_") and inspect.isfunction(function):
                described = _described(part, function, is_property=isinstance(value, property))
                parts += [f"### `{name}.{part}`", "", *described]
    return "\n".join(parts)


def _described(name: str, thing: Any, *, is_property: bool = False) -> list[str]:
    """The signature of a function and the docstring of anything."""
    signature = []
    if inspect.isfunction(thing) and not is_property:
        shown = str(inspect.signature(thing)).replace("galloper.", "")
        signature = ["```text", f"{name}{shown}", "```", ""]
    return [*signature, *_docstring(inspect.getdoc(thing) or "").splitlines(), ""]


def _docstring(text: str) -> str:
    """A docstring as Markdown: its examples are blocks, and "<" is not a tag."""
    out, in_example = [], False
    for line in text.splitlines():
        begins, ends = line.startswith(">>>") and not in_example, in_example and not line.strip()
        out += ["```pycon"] if begins else ["```"] if ends else []
        in_example = (in_example or begins) and not ends
        out.append(line if in_example else line.replace("<", "&lt;"))
    return "\n".join([*out, *(["```"] if in_example else [])])


HOSTS_OPENING = """\
As `galloper setup` has them, from the providers' pages and general knowledge of November 2026. The logins
were tested with servers that imitate the providers, not with real accounts."""


def hosts_page(hosts: Iterable[Any]) -> str:
    """The servers of known providers, each a `service.mail.hosts.MailHost`."""
    parts = [
        "# Servers of mail providers",
        "",
        HOSTS_OPENING,
        "",
        "| provider | `mail_in.host` | `mail_out.host` | password |",
        "| --- | --- | --- | --- |",
    ]
    return "\n".join([*parts, *(
        f"| {host.name} | `{host.imap[0]}`, {host.imap[1]} | `{host.smtp[0]}`, {host.smtp[1]} | {host.hint} |"
        for host in hosts), ""])


def keys_page(actions: Iterable[KeyAction]) -> str:
    """The keys of the reading page, as `?` shows them there."""
    parts = ["# Keys of the desk", "", "`?` on the reading page shows them and changes them.", "",
             "| key | action |", "| --- | --- |"]
    return "\n".join([*parts, *(f"| `{action.key}` | {_cell(action.words)} |" for action in actions), ""])


def schema_page(title: str, schema: Schema, opening: str, *, variables: str = "") -> str:
    """The page of one file: its tables with each key, its type, what counts without it, and its meaning.

    `variables`: the beginning of the environment variables that represent the keys, or "" where none do.
    """
    parts = [f"# {title}", "", opening, ""]
    for name, table in _tables("", schema, schema):
        if name:
            parts += [f"## `[{name}]`" if variables else f"## `{name}`", ""]
        if table.get("description") and name:
            parts += [_paragraph(table["description"]), ""]
        parts += _key_rows(name, table, schema, variables)
    return "\n".join(parts)


def _key_rows(name: str, table: Schema, whole: Schema, variables: str) -> list[str]:
    required = set(table.get("required", ()))
    heading = ["key", "type", "without it", "meaning"]
    rows = [f"| {' | '.join(heading)} |", f"|{' --- |' * len(heading)}"]
    for key, part in table.get("properties", {}).items():
        resolved = _resolved(part, whole)
        default = _default(part, required=key in required)
        meaning = _cell(part.get("description", resolved.get("description", "")))
        if variables and not resolved.get("properties"):
            path = f"{name}.{key}" if name else key
            meaning += f"<br>`{variables}{path.replace('.', '__').upper()}`"
        rows.append(f"| `{key}` | {_cell(type_words(part, whole))} | {default} | {meaning} |")
    for pattern, part in table.get("patternProperties", {}).items():
        rows.append(
            f"| `{pattern}` | {_cell(type_words(part, whole))} | | {_cell(part.get('description', ''))} |"
        )
    return [*rows, ""] if len(rows) > 2 else []


def _default(part: Schema, *, required: bool) -> str:
    if required:
        return "needed"
    value = part.get("default")
    if value is None or isinstance(value, dict | list) or value == "":
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _tables(
    name: str, schema: Schema, whole: Schema, seen: frozenset[str] = frozenset()
) -> Iterator[tuple[str, Schema]]:
    """A schema's tables, each with the path of its keys, the outermost first; none twice on its way."""
    resolved = _resolved(schema, whole)
    if "properties" in resolved:
        yield name, resolved
    for choice in resolved.get("allOf", ()):
        # A key's value decides which keys another one has.
        for key, decides in choice.get("if", {}).get("properties", {}).items():
            for inner_key, part in choice.get("then", {}).get("properties", {}).items():
                for inner, mark in _inner(part, whole):
                    # The heading puts the whole into the quotes of code.
                    place = f"{name}.{inner_key}{mark}` where `{key}` is `{decides.get('const')}"
                    yield place, _resolved(inner, whole)
    for key, part in resolved.get("properties", {}).items():
        path = f"{name}.{key}" if name else key
        for inner, mark in _inner(part, whole):
            reference = str(inner.get("$ref", ""))
            if reference and reference in seen:
                continue
            yield from _tables(path + mark, inner, whole, seen | {reference} - {""})


def _inner(part: Schema, whole: Schema) -> Iterator[tuple[Schema, str]]:
    """The tables right below a key, each with how one goes down to it."""
    resolved = _resolved(part, whole)
    if "properties" in resolved:
        yield part, ""
    if isinstance(resolved.get("items"), dict):
        yield from ((inner, "[]" + mark) for inner, mark in _inner(resolved["items"], whole))
    if isinstance(resolved.get("additionalProperties"), dict):
        yield from (
            (inner, ".NAME" + mark) for inner, mark in _inner(resolved["additionalProperties"], whole)
        )
    for choice in (*resolved.get("anyOf", ()), *resolved.get("oneOf", ())):
        yield from _inner(choice, whole)


def _resolved(schema: Schema, whole: Schema) -> Schema:
    reference = schema.get("$ref")
    if reference is None:
        return schema
    resolved: Any = whole
    for step in reference.removeprefix("#/").split("/"):
        resolved = resolved[step]
    return {**resolved, **{key: value for key, value in schema.items() if key != "$ref"}}


_TYPE_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "table",
    "array": "list",
    "null": "null",
}


def type_words(part: Schema, whole: Schema) -> str:
    """What a value may be, in words: "whole number, 60 or more"."""
    resolved = _resolved(part, whole)
    if "const" in resolved:
        return f"`{resolved['const']}`"
    if "enum" in resolved:
        return " or ".join(f"`{value}`" if value is not None else "null" for value in resolved["enum"])
    choices = resolved.get("anyOf") or resolved.get("oneOf")
    if choices:
        return " or ".join(
            dict.fromkeys(
                type_words(choice, whole)
                for choice in choices
                if choice.get("type") != "null" or len(choices) == 1
            )
        )
    kinds = resolved.get("type", "any value")
    words = " or ".join(
        _TYPE_WORDS.get(kind, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)
    )
    if "prefixItems" in resolved:
        words = f"list: {', '.join(type_words(item, whole) for item in resolved['prefixItems'])}"
    elif kinds == "array" and "items" in resolved:
        words = f"list of {type_words(resolved['items'], whole)}"
    limits = []
    if "minimum" in resolved and "maximum" in resolved:
        limits.append(f"{resolved['minimum']} to {resolved['maximum']}")
    elif "minimum" in resolved:
        limits.append(f"{resolved['minimum']} or more")
    if "minLength" in resolved:
        limits.append(
            f"{resolved['minLength']} letters or more" if resolved["minLength"] > 1 else "not empty"
        )
    if resolved.get("format") == "date":
        words = "date"
    return ", ".join([words, *limits])
