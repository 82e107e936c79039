"""The demo's photographed sheets, its mails and what must come of them: data, kept as a package so that it
ships."""
