"""Programs at a terminal: what they print is read as it comes, and what is typed goes in when they ask."""

import os
import pty
import select
import subprocess
import time

# Generous, because the machine may be compiling beside us; nothing waits this long when all is well.
DEADLINE_S = 60


class Terminal:
    """A program that believes that a person sits in front of it."""

    def __init__(self, command: list[str], environment: dict[str, str]):
        self.printed = ""
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, close_fds=True, start_new_session=True
        )
        os.close(theirs)

    @property
    def descriptor(self) -> int:
        return self._ours

    def answer(self, question: str, typed: str) -> None:
        """Waits for a question that was not answered yet, and answers it."""
        self.press(question, f"{typed}\n")

    def press(self, question: str, keys: str) -> str:
        """Waits for a question that was not answered yet, and presses keys. Answers what was printed meanwhile."""
        before = len(self.printed)
        self._read(lambda: question in self.printed[before:])
        os.write(self._ours, keys.encode())
        return self.printed[before:]

    def finish(self) -> int:
        """Reads to the end; the exit code."""
        self._read(lambda: False)
        os.close(self._ours)
        return self._process.wait(DEADLINE_S)

    def _read(self, enough) -> None:
        deadline = time.monotonic() + DEADLINE_S
        while not enough():
            left = deadline - time.monotonic()
            assert left > 0, f"nothing more came after:\n{self.printed}"
            if not select.select([self._ours], [], [], left)[0]:
                continue
            try:
                piece = os.read(self._ours, 65536)
            except OSError:  # how Linux says that the other end is closed
                return
            if not piece:
                return
            self.printed += piece.decode().replace("\r\n", "\n")
