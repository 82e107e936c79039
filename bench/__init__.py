"""What `galloper bench` measures: speed, size and figures of quality, each next to a peer in the same run if
there is one.

Door: `galloper bench` (`cli.py`); every command prints JSON lines (`figure.py`). Parts:

- `adjudicate`: the judge next to two public judges; a full turn of every game;
- `read`: the reader next to two public readers, on photographs whose truth is known;
- `desk`: keys, waits, kills and first paint in a real browser;
- `storm`: many mails, many games, killed processes, half an hour of traffic;
- `ingest`, `letters`, `paper`, `growth`: a receipt, a set of results, blank sheets, a site's growth;
- `servers`: Dovecot, an SMTP sink and PostgreSQL, started on loopback and thrown away (tests use them too);
- `process`: one core, memory and processor time of this process.

It is next to the product: nothing of the product imports it, and a wheel does not contain it.
"""
