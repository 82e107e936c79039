"""Private servers on loopback that benches and tests start, use and throw away: mail in, mail out, a
database."""
