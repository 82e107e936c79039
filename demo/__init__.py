"""The newcomer's first minutes: a game on loopback mail, played with every real part of the service.

Door: `galloper demo` (`cli.py`), which calls `play.run_demo`. Parts:

- `story`: the mails of a game and what must come of them, read from a folder of `data`;
- `open_game`: the story's game on a site (benches open it too);
- `play`: one run, from the opening of the site to its last check;
- `mail_server`: an IMAP server in a child process;
- `coordinator`: a scripted coordinator, who works at the desk over HTTP;
- `checks`: what a run proves;
- `data`: one folder a game, with its photographs.

It stands beside the product: nothing of the product imports it, and a wheel does not contain it.
"""
