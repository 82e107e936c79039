"""The coordinator's desk in the browser: reading lines, sheets, games, mails, letters, health.

Door: the routers, which `service.bootstrap` puts into the application. Parts: `front` (the inbox),
`pages` (Desk, Results), `reading` (where people read lines), `sheet` (one sheet and its versions),
`games` (games and seats), `corrections`, `mailroom` (letters), `quarantine`, `post`, `operation`
(Log, Health), `door` (who comes in), `images`, `probes` (pages for machines), `queries` (tables to values),
`page_data` (what pages need of a phase and its board, results grouped). It does not import `service.public`,
and of the judge only phases, orders and results as values.
"""
