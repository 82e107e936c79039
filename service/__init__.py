"""Every effect: mail, tables, queue, letters, pages. The packages below it take values and return values.

`bootstrap` joins the parts of a site and `app` those of the web; `jobs` is the durable queue, and `scheduler`
says "look now"; `site_folder` is a site on disk, `config` its settings, `clock` the time. ARCHITECTURE.md has
the order in which the packages import each other.
"""
