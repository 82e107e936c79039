"""From the words of a command line to an exit code: 0 success, 1 failure with a sentence, 2 bad usage, 130
stopped by Ctrl-C."""

from __future__ import annotations

import logging
import sys

import typer

from service.cli.program import faults, streams

STOPPED = 130
"""128 and the number of SIGINT, as shells count."""
CLOSED_PIPE = 1
"""`galloper ... | head` closes the pipe early; nothing is printed about it."""


def run_program(app: typer.Typer) -> int:
    """Run the program and return its exit code. Every fault becomes one or two lines on standard error."""
    streams.prepare()
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_LogLine())
    try:
        code = app(standalone_mode=False, prog_name="galloper")
        streams.finish()
    except BrokenPipeError:
        streams.silence()
        return CLOSED_PIPE
    except (KeyboardInterrupt, typer.Abort) as error:
        code = STOPPED if _is_interrupt(error) else _no_answer()
    except Exception as error:
        code = _answer(error)
    # Typer answers Ctrl-C with the code alone.
    if code == STOPPED:
        print("\ngalloper: stopped. No unfinished step was saved; run the same command again to continue.",
              file=sys.stderr)
    return code if isinstance(code, int) else 0


class _LogLine(logging.Formatter):
    """A line of the log for a person, where no log is set up: what happened, without a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        return f"galloper: {record.getMessage()}"


def _is_interrupt(error: BaseException) -> bool:
    return isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt)


def _no_answer() -> int:
    print("galloper: the input ended before the answer; nothing was changed. Answer at a terminal, or pipe "
          "the answer in.", file=sys.stderr)
    return 1


def _answer(error: Exception) -> int:
    """Print the sentence for an error and give its exit code."""
    try:
        # What was printed before the fault still counts, and comes first.
        sys.stdout.flush()
    except OSError:
        streams.silence()
    lines = faults.usage_lines(error)
    if lines is not None:
        print("\n".join(lines), file=sys.stderr)
        return 2
    sentence = faults.sentence_for(error)
    print(f"galloper: {sentence if sentence is not None else faults.own_fault(error)}", file=sys.stderr)
    return 1
