"""`galloper bench desk`: keys, waits and losses at the desk's pages, in a real browser. Door: `run.run`.

`browser`, `site` and `sample` serve `tests/browser` and `tools/pictures*.py` too.
"""
