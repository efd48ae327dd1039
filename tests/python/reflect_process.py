"""The server under test, as a real process."""

import hashlib
import os
import queue
import signal
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

MASTER_KEY = "rf_live_testmaster_0123456789abcdef0123456789abcdef"
BOOTSTRAP_TOKEN = "bootstrap-token-of-the-tests"
SETTINGS = {"REFLECT_MASTER_KEY": MASTER_KEY, "REFLECT_BOOTSTRAP_TOKEN": BOOTSTRAP_TOKEN}

# Generous, because the machine may be compiling beside us; nothing waits this long when all is well.
START_DEADLINE_S = 30
STOP_DEADLINE_S = 30

READY = "listening on "


# Where set, servers share this PostgreSQL instead of having a folder each; `psql` makes a database in it for each folder.
DATABASE_URL = os.environ.get("REFLECT_TEST_DATABASE_URL")


class ReflectProcess:
    """One `reflect serve`. Its data folder outlives it, so that another one can take over."""

    def __init__(self, binary: Path, data: Path, log_path: Path, settings: dict[str, str]):
        self.data = data
        self.log_path = log_path
        self._announced: queue.Queue[str | None] = queue.Queue()
        with log_path.open("ab") as log:
            self._process = subprocess.Popen(
                serve_command(binary, data) if DATABASE_URL is None else [str(binary), "serve", "--listen", "127.0.0.1:0"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment(settings if DATABASE_URL is None else {**settings, "REFLECT_DATABASE_URL": database_of(data)}),
                text=True,
            )
        self._reader = threading.Thread(target=self._read_stdout, daemon=True)
        self._reader.start()
        self.url = self._wait_until_ready()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def log(self) -> str:
        return self.log_path.read_text(errors="replace")

    def send_signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def wait(self) -> int:
        """The exit code, once the process has ended by itself; negative when a signal ended it."""
        try:
            return self._process.wait(STOP_DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the server did not end within {STOP_DEADLINE_S} s:\n{self.log()}") from None

    def stop(self) -> int:
        self.send_signal(signal.SIGTERM)
        return self.wait()

    def kill(self) -> None:
        """Ends it the hard way. Harmless when it has ended already."""
        self._process.kill()
        self._process.wait()

    def assert_stops_cleanly(self) -> None:
        exit_code = self.stop()
        assert exit_code == 0, f"exit code {exit_code} after SIGTERM:\n{self.log()}"
        assert "panicked at" not in self.log(), self.log()

    def _wait_until_ready(self) -> str:
        try:
            url = self._announced.get(timeout=START_DEADLINE_S)
        except queue.Empty:
            url = None
        if url is None:
            self.kill()
            raise AssertionError(f"the server never printed `{READY}…`:\n{self.log()}")
        return url

    def _read_stdout(self) -> None:
        """Reads to the end, so that the server never blocks on a full pipe."""
        for line in self._process.stdout:
            if line.startswith(READY):
                self._announced.put(line.removeprefix(READY).strip())
        self._announced.put(None)


@contextmanager
def running(binary: Path, folder: Path, settings: dict[str, str]) -> Iterator[ReflectProcess]:
    """A server that must end with exit code 0 on SIGTERM and without having panicked."""
    server = ReflectProcess(binary, folder / "data", folder / "server.log", settings)
    try:
        yield server
        server.assert_stops_cleanly()
    finally:
        server.kill()


def assert_sure_of_every_answer(data: Path) -> None:
    """Whoever tries a few runs gets the same answers every time: nobody sits out, and nothing is tried.

    The log says how probable each answer was, all coins counted, so one run of the suite tells what any number of them would.
    """
    if DATABASE_URL is None:
        with closing(sqlite3.connect(f"{(data / 'reflect.db').as_uri()}?mode=ro", uri=True)) as database:
            unsure = "SELECT task, probability FROM retrievals WHERE probability < 1"
            assert database.execute(unsure).fetchall() == []


def serve_command(binary: Path, data: Path) -> list[str]:
    return [str(binary), "serve", "--listen", "127.0.0.1:0", "--data", str(data)]


def database_of(data: Path) -> str:
    """The database that stands for a data folder; it is made the first time."""
    name = f"folder_{hashlib.sha256(str(data).encode()).hexdigest()[:32]}"
    data.mkdir(parents=True, exist_ok=True)
    made = data / "database"
    if not made.exists():
        psql = [os.environ["REFLECT_TEST_PSQL"], "--quiet", "--no-psqlrc", "--command", f"CREATE DATABASE {name}", DATABASE_URL]
        subprocess.run(psql, check=True)
        made.touch()
    return f"{DATABASE_URL.rpartition('/')[0]}/{name}"


def environment(settings: dict[str, str]) -> dict[str, str]:
    """Ours, less whatever the person at the keyboard has set up for a Reflect of their own. No lesson is tried by chance, unless settings say so."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("REFLECT_")}
    return {**inherited, "REFLECT_TRIAL_SHARE": "0", **settings}
