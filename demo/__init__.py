"""The newcomer's first minutes: a game on loopback mail, played with every real part of the service.

Door: `galloper demo` (`cli.py`), which calls `play.run_demo`. Parts:

- `story`: the mails of a game and what must come of them, read from a folder of `data`;
- `open_game`: the story's game on a site (benches open it too);
- `play`: one run, from the banner to the last sentence, whatever happens on the way;
- `teller`: what is printed, on a terminal of any width or in a pipe;
- `waiting`: waiting by progress, so that a slow machine is waited for;
- `stage`: the site of a run, with `mail_server` (IMAP in a child process);
- `turns`: the turns of the story, with `arrivals` (its mails), `doubts` (the lines in doubt, decided by
  `coordinator`, a script at the desk, or by the visitor) and `letters` (a letter opened in passing);
- `ending`: the next phase, the archive, and where to look around;
- `checks`: what a run proves;
- `data`: one folder a game, with its photographs.

It is next to the product: nothing of the product imports it, and a wheel does not contain it.
"""
