"""A mail room in its own process, to be killed: takes mail in and notes each mail it has worked on.

    python -m tests.support.processes.mailroom_child DATABASE_URL BLOBS_FOLDER IMAP_PORT

It works until its standard input ends, then until nothing is left to do.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import service.jobs
from service.clock import SystemClock
from service.config import MailIn
from service.jobs import DbosJobs, Payload
from service.mail.mailbox.imap import ImapSource
from service.mail.mailbox.ingest import WORK, take_in, watch
from service.record.sessions import sessions
from service.store import records
from service.store.blobs import Blobs
from service.store.engine import open_engine
from service.store.tables import MailState
from tests.support.servers.dovecot import PASSWORD, USER

# Work whose worker died five times rests for a minute, as long as the storm waits for its end.
service.jobs.REST = (0.0, 0.0, 0.1)


def main() -> None:
    url, folder, port = sys.argv[1:]
    engine = open_engine(url)
    store, blobs, clock = sessions(engine), Blobs(Path(folder)), SystemClock()
    # One worker that is started again and again takes up its own; what others left is taken over after a
    # lease (test_worker_killed).
    jobs = DbosJobs(engine, poll_seconds=0.1, executor="room")

    def work(payload: Payload) -> None:
        blobs.read(payload["mail"])
        time.sleep(0.05)
        with store.begin() as session:
            if records.end_mail(session, payload["mail"], MailState.USED):
                records.log_event(session, clock.now(), "worked",  # type: ignore[arg-type]
                                  detail={"mail": payload["mail"]})

    jobs.register(WORK, work)
    jobs.start()
    source = ImapSource(
        MailIn(host="127.0.0.1", port=int(port), tls=False, user=USER, password=PASSWORD), read_seconds=5
    )
    stop = threading.Event()
    poller = threading.Thread(
        target=watch,
        args=(source, lambda: take_in(source, store, blobs, jobs, clock), stop, lambda _: None, 2.0),
    )
    poller.start()
    sys.stdin.read()
    last = ImapSource(MailIn(host="127.0.0.1", port=int(port), tls=False, user=USER, password=PASSWORD))
    take_in(last, store, blobs, jobs, clock)
    last.close()
    stop.set()
    poller.join()
    jobs.wait_idle(60)
    jobs.stop()


if __name__ == "__main__":
    main()
