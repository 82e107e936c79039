"""The first run on a page. Its address has a key that opens it for one browser, and the server ends with the
last step."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock
from typing import Annotated, TextIO

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from adjudicator.errors import UserFacingError
from service.cli.check_site import WORDS
from service.feature import TEMPLATES
from service.features.setup import steps
from service.features.setup.questions import QUESTIONS, Question, QuestionKind, due
from service.mail.hosts import HOSTS
from service.operations.findings import FindingState
from service.site_folder import SiteError
from service.web.page import FOLDER, HEADERS
from service.web.server import WebError, WebServer

COOKIE = "galloper_setup"
USED = ("This address works once, in one browser, and it has been used. Nothing was changed. If that was "
        "not you, stop the command in the terminal and start it again for a new address.")
LONGEST = 500
"""Characters of an answer."""
OF_PERSON = frozenset({"name", "desk_password"})


@dataclass(slots=True)
class FirstRun:
    """One run of the page: the folder of the site, the key of its address, and the browser that used it.
    `name`: whom it let in."""

    folder: Path
    key: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    browser: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    name: str = ""
    was_opened: bool = False
    ended: Event = field(default_factory=Event)
    lock: Lock = field(default_factory=Lock)


def serve_page(folder: Path, host: str, port: int, out: TextIO) -> int:
    """Serve the page until its last step, or Ctrl-C; returns 0. Raises SiteError for a folder or a port that
    cannot be used."""
    steps.require_folder(folder)
    run = FirstRun(folder)
    try:
        server = WebServer(setup_app(run), host, port)
    except WebError as error:
        raise SiteError(f"{host}:{port} cannot be used: another program uses it, perhaps another setup. "
                        "Choose another port with --port.") from error
    server.start()
    try:
        print(f"Open this address in a browser; it works once:\n\n    {server.address}/open/{run.key}\n\n"
              "This ends with the last step of the page, or with Ctrl-C.", file=out, flush=True)
        run.ended.wait()
    finally:
        server.stop()
    print("The setup is done.", file=out, flush=True)
    return 0


def setup_app(run: FirstRun) -> FastAPI:
    """The pages of one first run."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.state.run = run
    app.state.pages = Environment(
        loader=FileSystemLoader([TEMPLATES]), autoescape=True, undefined=StrictUndefined)
    app.mount("/static", StaticFiles(directory=FOLDER / "static"))
    app.include_router(router)
    app.middleware("http")(_with_headers)
    app.add_exception_handler(HTTPException, _refused)
    return app


async def _with_headers(request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
    response = await go_on(request)
    response.headers.update({**HEADERS, "Cache-Control": "no-store"})
    return response


async def _refused(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return _page(request, "message.html", status, message=USED)


def _page(request: Request, name: str, status: int = 200, **values: object) -> Response:
    html = request.app.state.pages.get_template(f"setup/{name}").render(
        folder=str(request.app.state.run.folder), **values)
    return Response(html, status_code=status, media_type="text/html; charset=utf-8")


def _require_browser(request: Request) -> FirstRun:
    run: FirstRun = request.app.state.run
    shown = request.cookies.get(COOKIE, "")
    if not secrets.compare_digest(shown.encode(), run.browser.encode()):
        raise HTTPException(403, USED)
    return run


router = APIRouter()
Run = Annotated[FirstRun, Depends(_require_browser)]


@router.get("/open/{key}")
def open_page(request: Request, key: str) -> Response:
    """Let the first browser in that has the key, and go on to the questions."""
    run: FirstRun = request.app.state.run
    with run.lock:
        if run.was_opened or not secrets.compare_digest(key.encode(), run.key.encode()):
            raise HTTPException(403, USED)
        run.was_opened = True
    response = RedirectResponse("/", status_code=303)
    response.set_cookie(COOKIE, run.browser, httponly=True, samesite="strict")
    return response


@router.get("/")
def show_questions(request: Request, run: Run) -> Response:
    """The questions; those about the mailbox only while there are no settings."""
    return _form(request, run, {}, {}, [])


@router.post("/")
async def take_answers(request: Request, run: Run) -> Response:
    """Check the answers, try the mailbox, write the settings and make the account."""
    form = await request.form()
    answers = {name: value.strip()[:LONGEST] for name, value in form.items() if isinstance(value, str)}
    return await run_in_threadpool(_take, request, run, answers, "anyway" in form)


@router.get("/site")
def show_site(request: Request, run: Run) -> Response:
    """The findings of the site's tests, and the remaining steps."""
    if not steps.has_settings(run.folder):
        return RedirectResponse("/", status_code=303)
    return _page(
        request, "site.html", words=WORDS, well=FindingState.WELL, findings=list(steps.findings(run.folder)),
        next_steps=steps.next_steps(run.folder, run.name))


@router.post("/trial")
def try_mail(request: Request, run: Run) -> Response:
    """Send a trial mail and wait for it."""
    finding = steps.trial(run.folder)
    return _page(request, "trial.html", word=WORDS[finding.state], finding=finding)


@router.post("/end")
def end(request: Request, run: Run) -> Response:
    """The last page; the server ends after it."""
    run.ended.set()
    return _page(request, "ended.html", next_steps=steps.next_steps(run.folder, run.name))


def _questions(run: FirstRun) -> list[Question]:
    is_written = steps.has_settings(run.folder)
    return [question for question in QUESTIONS if question.name in OF_PERSON or not is_written]


def _form(
    request: Request, run: FirstRun, answers: Mapping[str, str], faults: Mapping[str, str],
    troubles: Sequence[str],
) -> Response:
    return _page(
        request, "questions.html", 400 if faults or troubles else 200, questions=_questions(run),
        answers=answers, faults=faults, troubles=troubles, hosts=HOSTS, hidden=QuestionKind.HIDDEN)


def _take(request: Request, run: FirstRun, answers: Mapping[str, str], is_forced: bool) -> Response:
    open_questions = {question.name for question in _questions(run)}
    filled = dict(answers)
    for question in due(filled):
        # An empty answer is the one that the page proposes.
        filled[question.name] = filled.get(question.name) or _default(question, filled)
    faults = {question.name: fault for question in due(filled) if question.name in open_questions
              and (fault := question.fault_of(filled[question.name]))}
    if faults:
        return _form(request, run, answers, faults, [])
    try:
        if "order_address" in open_questions:
            troubles = [] if is_forced else steps.mail_troubles(filled)
            if troubles:
                return _form(request, run, answers, {}, troubles)
            steps.write_site(run.folder, filled)
        steps.let_in(run.folder, filled["name"], filled["desk_password"])
    except UserFacingError as error:
        return _form(request, run, answers, {}, [str(error)])
    run.name = filled["name"]
    return RedirectResponse("/site", status_code=303)


def _default(question: Question, answers: Mapping[str, str]) -> str:
    try:
        return "" if question.kind is QuestionKind.HIDDEN else question.default(answers)
    except KeyError:
        return ""
