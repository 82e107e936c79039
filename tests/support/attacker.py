"""Code that has taken over the child which opens files, and what it tries."""

from __future__ import annotations

from textwrap import dedent

# By number on x86-64, since Python has no name for most: the call and its arguments.
CALLS = {
    "socket": (41, 1, 1, 0),
    "netlink": (41, 16, 3, 0),
    "packet": (41, 17, 3, 0),
    "socketpair": (53, 1, 1, 0, 0),
    "fork": (57,),
    "vfork": (58,),
    "clone a process": (56, 17, 0, 0, 0, 0),
    "execve": (59, 0, 0, 0),
    "execveat": (322, -1, 0, 0, 0, 0),
    "kill": (62, 1, 0),
    "tkill": (200, 1, 0),
    "tgkill": (234, 1, 1, 0),
    "rt_sigqueueinfo": (129, 1, 0, 0),
    "pidfd_open": (434, 1, 0),
    "ptrace": (101, 16, 1, 0, 0),
    "process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
    "process_vm_writev": (311, 1, 0, 0, 0, 0, 0),
    "io_uring_setup": (425, 1, 0),
    "unshare": (272, 0),
    "setns": (308, -1, 0),
    "mount": (165, 0, 0, 0, 0, 0),
    "bpf": (321, 0, 0, 0),
    "perf_event_open": (298, 0, 0, 0, 0, 0),
    "userfaultfd": (323, 0),
    "memfd_create": (319, 0, 0),
    "keyctl": (250, 0, 0, 0, 0, 0),
    "add_key": (248, 0, 0, 0, 0, 0),
    "shmget": (29, 0, 1, 0),
    "mq_open": (240, 0, 0, 0, 0),
    "chmod": (90, 0, 0),
    "chown": (92, 0, 0, 0),
    "unlink": (87, 0),
    "rename": (82, 0, 0),
    "mkdir": (83, 0, 0),
    "link": (86, 0, 0),
    "symlink": (88, 0, 0),
    "truncate": (76, 0, 0),
    "ftruncate": (77, 1, 0),
    "open_by_handle_at": (304, -1, 0, 0),
    "name_to_handle_at": (303, -1, 0, 0, 0, 0),
    "openat2": (437, -1, 0, 0, 0),
    "setuid": (105, 0),
    "setrlimit": (160, 0, 0),
    "prctl": (157, 4, 1, 0, 0, 0),
    "fcntl owner": (72, 0, 8, 1),
    "seccomp": (317, 1, 0, 0),
    "landlock": (444, 0, 0, 0),
    "inotify": (253,),
    "fanotify": (300, 0, 0),
    "modify_ldt": (154, 0, 0, 0),
    "kexec_load": (246, 0, 0, 0, 0),
    "reboot": (169, 0, 0, 0, 0),
    "chroot": (161, 0),
}

LEAVES_MARKS = dedent("""
    import builtins, json, os, signal, sys, time


    def visit(data):
        # What it finds of those before it, and what it leaves for those after it.
        mark = data.decode()
        met = {"word": getattr(builtins, "left_here", ""), "environment": os.environ.get("LEFT_HERE", ""),
               "argument": sys.argv[1], "module": "left_here" in sys.modules,
               "handler": signal.getsignal(signal.SIGURG) is not signal.SIG_DFL,
               "limit": sys.getrecursionlimit(), "opener": os.getppid(),
               "codec": json.dumps.__name__, "files": [file for file in range(256) if is_open(file)],
               "input": os.fstat(0).st_size}
        builtins.left_here = os.environ["LEFT_HERE"] = sys.argv[1] = mark
        sys.modules["left_here"] = sys
        signal.signal(signal.SIGURG, lambda *_: None)
        sys.setrecursionlimit(4321)
        answer = dumps(met).encode()
        json.dumps = visit
        if mark == "slow":
            time.sleep(3)
        return answer


    def is_open(file):
        try:
            os.fstat(file)
        except OSError:
            return False
        return True


    if "service.intake.opening.sandbox_child" in sys.orig_argv:
        import service.mail.body.form, ocr.image.open_image
        dumps = json.dumps
        service.mail.body.form.answer_requests = visit

        def pages(data):
            sys.stdout.buffer.write(visit(data))
            sys.stdout.buffer.flush()
            os._exit(0)

        ocr.image.open_image.iter_pages = pages
""")
"""Code that has taken over a child, looks for what was left there before, and leaves what it can."""

TAKEN_OVER = dedent("""
    import ctypes, json, os, signal, socket, subprocess, sys


    def attempts(aims):
        def fork():
            if os.fork() == 0:
                os._exit(0)
            os.wait()

        def connect(path):
            socket.socket(socket.AF_UNIX).connect(path)

        def write_into(folder):
            with open(os.path.join(folder, "planted"), "w") as file:
                file.write("x")

        def read(path):
            with open(path, "rb") as file:
                assert file.read(1)

        parent = aims["process"]
        yield "secret in the environment", lambda: os.environ["GALLOPER_MAIL_IN__PASSWORD"]
        yield "fork", fork
        yield "exec", lambda: subprocess.run(["/bin/true"], check=True)
        yield "exec in place", lambda: os.execv("/bin/true", ["true"])
        yield "spawn", lambda: os.posix_spawn("/bin/true", ["true"], {})
        yield "own program", lambda: os.memfd_create("x")
        for family in ("AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_VSOCK", "AF_ALG"):
            yield "socket " + family, lambda: socket.socket(getattr(socket, family), socket.SOCK_RAW
                                                            if family == "AF_PACKET" else socket.SOCK_STREAM)
        yield "pair of sockets", socket.socketpair
        yield "signal 0 to the parent", lambda: os.kill(parent, 0)
        yield "signal to the parent", lambda: os.kill(parent, signal.SIGURG)
        yield "signal to its group", lambda: os.killpg(os.getpgid(parent), 0)
        yield "environment of the parent", lambda: read(f"/proc/{parent}/environ")
        yield "memory of the parent", lambda: os.open(f"/proc/{parent}/mem", os.O_RDWR)
        yield "files of the parent", lambda: os.listdir(f"/proc/{parent}/fd")
        yield "list of processes", lambda: os.listdir("/proc")
        yield "shared memory", lambda: open("/dev/shm/planted", "w")
        yield "terminal", lambda: open("/dev/tty")
        yield "root", lambda: os.listdir("/")
        yield "higher limits", lambda: __import__("resource").setrlimit(__import__("resource").RLIMIT_NOFILE,
        (9, 9))
        yield "another working folder", lambda: os.chdir("/")
        for path in aims["files"]:
            yield "read " + path, lambda: read(path)
            yield "write " + path, lambda: open(path, "r+")
            yield "append " + path, lambda: open(path, "a")
            yield "rights of " + path, lambda: os.chmod(path, 0o666)
            yield "remove " + path, lambda: os.unlink(path)
            yield "rename " + path, lambda: os.rename(path, path + ".x")
            yield "link " + path, lambda: os.link(path, path + ".y")
            yield "truncate " + path, lambda: os.truncate(path, 0)
        for path in aims["folders"]:
            yield "list " + path, lambda: os.listdir(path)
            yield "write into " + path, lambda: write_into(path)
            yield "make a folder in " + path, lambda: os.mkdir(path + "/planted")
            yield "make a pipe in " + path, lambda: os.mkfifo(path + "/pipe")
            yield "point out of " + path, lambda: os.symlink("/etc/passwd", path + "/link")
        for path in aims["sockets"]:
            yield "reach " + path, lambda: connect(path)


    def told(data):
        import resource
        names = ("AS", "FSIZE", "CPU", "NOFILE", "CORE")
        return {"environment": dict(os.environ), "folder": os.getcwd(),
                "limits": {name: resource.getrlimit(getattr(resource, "RLIMIT_" + name)) for name in names}}


    def attack(data):
        if os.environ.get("ONLY_TELL"):
            return json.dumps(told(data)).encode()
        answers = {}
        for name, attempt in attempts(json.loads(data)):
            try:
                attempt()
                answers[name] = "done"
            except BaseException as error:
                answers[name] = repr(error)
        return json.dumps(answers).encode()


    # The child asks for its decoder, and gets the attacker's.
    if "service.intake.opening.sandbox_child" in sys.orig_argv:
        from service.intake.opening import sandbox_child
        if os.environ.get("WITHOUT_LANDLOCK"):
            from service.intake.opening import jail
            true = jail.offered
            jail.offered = lambda: jail.Walls(0, true().seccomp)
        import service.mail.body.form, ocr.image.open_image
        service.mail.body.form.answer_requests = attack
        sys.stdout.flush()

        def pages(data):
            sys.stdout.buffer.write(attack(data))
            sys.stdout.buffer.flush()
            os._exit(0)

        ocr.image.open_image.iter_pages = pages
""")
