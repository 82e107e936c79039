"""Every effect: mail, tables, queue, letters, pages. The packages below it take values and return values.

`bootstrap` joins the parts of a site and `app` those of the web; `jobs` is the durable queue, and `scheduler`
states "look now"; `site_folder` is a site on disk, `config` its settings, `clock` the time. ARCHITECTURE.md
has the order in which the packages import each other. """

import os

# NumPy's algebra starts a thread for each core, and these wait for work in a loop: ten sample sheets took
# 2.93 s of processor time each, with one thread 2.45, on two idle cores. It reads this once, when it is
# imported; an operator's own value stays.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
