"""The command line: one file a command.

Door: `main.main`. `main` and `commands` declare the commands and import the rest when one runs, so that
`galloper --help` loads no network. Results go to standard output, progress to standard error; exit 0 on
success, 1 on failure with one sentence that shows what to do, 2 on bad usage. Nothing imports this package.
"""
