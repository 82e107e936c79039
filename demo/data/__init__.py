"""The demo's photographed sheets, its mails and what must come of them: data, in the form of a package so
that it ships."""
