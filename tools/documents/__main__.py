"""Build the documents as a site, with warnings as errors, and check what was built.

    python -m tools.documents [OUT]

OUT is build/docs by default and is made again; the pages as Sphinx gets them are next to it, in OUT-source.
Needs the group `docs`. Exits with 1 when a page has a fault; each is a line on standard error.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath

import typer.main

from service.cli.main import app
from service.desk.reading.keys import ACTIONS
from service.feature import features
from service.mail.hosts import HOSTS
from tools.documents import checks, pages, reference

TOP = Path(__file__).resolve().parents[2]
SETTINGS_OPENING = """\
A site's settings are one file, `galloper.toml`. Each may also come from the environment, under the name in
its row; a name with `_FILE` behind it is the path of a file that holds the value."""
GAME_OPENING = """\
What `galloper game new` takes: a small TOML file. [The games](games.md) have one each to begin with."""


def write_source(source: Path) -> None:
    """Lay out in `source`, an empty folder, every page that the site has."""
    for path in sorted((TOP / pages.DOCS).rglob("*")):
        if not path.is_file() or "__pycache__" in path.parts:
            continue
        target = source / path.relative_to(TOP / pages.DOCS)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            _write_page(target, path.read_text("utf-8"), PurePosixPath(path.relative_to(TOP)))
        else:
            shutil.copy(path, target)
    # What Sphinx copies as it is: the site has schemas/NAME.json.
    files = source / "extra" / "schemas"
    files.mkdir(parents=True)
    for path in (TOP / pages.DOCS / "schemas").glob("*.json"):
        shutil.copy(path, files)
    for name in pages.TOP_PAGES:
        _write_page(source / name, (TOP / name).read_text("utf-8"), PurePosixPath(name))
    (source / "reference" / "command-line.md").write_text(
        reference.command_pages("galloper", typer.main.get_command(app)), "utf-8"
    )
    examples = (Path(__file__).parent / "orders.jsonl").read_text("utf-8").splitlines()
    for name, text in (
        ("api", reference.api_page()),
        ("orders-in-json", reference.orders_page(map(json.loads, examples))),
        ("mail-hosts", reference.hosts_page(HOSTS)),
        ("desk-keys", reference.keys_page(ACTIONS)),
    ):
        (source / "reference" / f"{name}.md").write_text(text, "utf-8")
    known = ((name, *of_name) for feature in features() for name, of_name in feature.schemas().items())
    for name, sentence, schema in known:
        text = json.dumps(schema, indent=2, ensure_ascii=False)
        (files / f"{name}.json").write_text(text + "\n", "utf-8")
        link = f'As a file: <a href="../schemas/{name}.json">{name}.json</a>.'
        if name == "settings":
            page = reference.schema_page(
                "Settings", schema, f"{SETTINGS_OPENING} {link}", variables="GALLOPER_"
            )
        elif name == "game":
            page = reference.schema_page("A game's file", schema, f"{GAME_OPENING} {link}")
        else:
            page = reference.schema_page(f"Schema: {name}", schema, f"{sentence} {link}")
        place = {"settings": "settings", "game": "game-file"}.get(name, f"schema-{name}")
        (source / "reference" / f"{place}.md").write_text(page, "utf-8")


def _write_page(target: Path, text: str, page: PurePosixPath) -> None:
    target.write_text(pages.place_links(text, page, TOP), "utf-8")


def page_faults() -> list[str]:
    """Paths that the pages of the repository name and that are not there."""
    documents = [
        *sorted((TOP / pages.DOCS).rglob("*.md")),
        *(TOP / name for name in pages.TOP_PAGES),
        TOP / "README.md",
    ]
    return [
        f"{path.relative_to(TOP)}: {missing} is not there"
        for path in documents
        for missing in checks.missing_paths(path.read_text("utf-8"), TOP)
    ]


def main() -> int:
    """Build and check; the exit code."""
    out = Path(sys.argv[1] if len(sys.argv) > 1 else TOP / "build" / "docs")
    source = out.with_name(out.name + "-source")
    for folder in (out, source):
        shutil.rmtree(folder, ignore_errors=True)
    source.mkdir(parents=True)
    write_source(source)
    options = ["-b", "html", "-q", "-W", "--keep-going", "-n"]
    command = [sys.executable, "-m", "sphinx", *options, str(source), str(out)]
    built = subprocess.run(command, check=False).returncode == 0
    faults = page_faults() + (checks.site_faults(out) if built else [])
    for fault in faults:
        print(fault, file=sys.stderr)
    if not built or faults:
        return 1
    print(f"The documents are in {out}: open {out / 'index.html'}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
