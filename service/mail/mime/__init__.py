"""The parts of a mail as bytes: MIME, S/MIME, winmail.dat, and what an image really is."""
