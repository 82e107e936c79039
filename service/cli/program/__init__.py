"""Parts that every command shares: the run from words to an exit code, the answers to faults, and how results
are printed.

`run.run_program` runs the program, `faults` words every fault, `results` prints a result as text or JSON,
`streams` makes standard output safe for any terminal. No command is imported here.
"""
