"""`reflect review` at a terminal: keys for pass, fail with feedback, defer and undo, and a bar that fills."""

import subprocess
import termios
import time

import httpx
import pytest

from reflect_process import MASTER_KEY, environment
from terminal import Terminal

KEYS = "[q]uit"


@pytest.fixture
def project(server, project_id):
    """Three runs without a review, the newest is `third`."""
    with httpx.Client(
        base_url=f"{server.url}/v1/projects/{project_id}", headers={"Authorization": f"Bearer {MASTER_KEY}"}, timeout=60
    ) as http:
        for number in ["first", "second", "third"]:
            trajectory = [
                {"role": "user", "content": f"Do the {number} thing"},
                {"role": "assistant", "content": f"Did the {number}. \x1b[31mred\x1b]0;title\x07"},
            ]
            http.post("/traces", json={"task": f"Do the {number} thing", "trajectory": trajectory}).raise_for_status()
        yield http


@pytest.fixture
def review(binary, server, project_id):
    """The command, at a terminal."""
    command = [str(binary), "review", "--url", server.url, "--project", project_id]
    return Terminal(command, environment({"REFLECT_API_KEY": MASTER_KEY, "TERM": "xterm"}))


def reviews(project: httpx.Client) -> dict[str, tuple[str, str | None] | None]:
    """How each run was reviewed, by the last word but one of its task."""
    found = {}
    for trace in project.get("/traces").raise_for_status().json():
        review = trace["review"]
        found[trace["task"].split()[2]] = review and (review["result"], review["feedback_text"])
    return found


def test_each_key_does_what_it_says(project, review):
    screen = review.press(KEYS, "p")
    assert "1/3" in screen and "Do the third thing" in screen and "0 reviewed, 0 deferred" in screen
    assert "-" * 30 in screen
    # What an agent has printed does not steer this terminal.
    assert "\x1b[31m" not in screen and "\x1b]0;" not in screen and "[31mred" in screen
    screen = review.press(KEYS, "f")
    assert "2/3" in screen and "Do the second thing" in screen and "#" * 10 in screen
    review.answer("What was wrong?", "It was the other thing.")
    screen = review.press(KEYS, "d")
    assert "3/3" in screen and "Do the first thing" in screen and "2 reviewed" in screen
    assert review.finish() == 0
    assert "1 passed, 1 failed, 1 deferred, 0 left" in review.printed
    expected = {"third": ("pass", None), "second": ("fail", "It was the other thing."), "first": None}
    assert reviews(project) == expected


def test_undo_takes_the_review_back(project, review):
    review.press(KEYS, "p")
    # A review whose lesson is being written cannot be taken back.
    wait_for_lesson(project, "third")
    assert "Do the second thing" in review.press(KEYS, "d")
    assert "Do the first thing" in review.press(KEYS, "u")
    screen = review.press(KEYS, "u")
    assert "undone" in screen and "2/3" in screen and "Do the second thing" in screen
    screen = review.press(KEYS, "u")
    assert "1/3" in screen and "Do the third thing" in screen and "0 reviewed" in screen
    assert "nothing to undo" in review.press(KEYS, "q")
    assert review.finish() == 0
    assert reviews(project) == {"third": None, "second": None, "first": None}
    assert project.get("/memories").json() == []


def wait_for_lesson(project: httpx.Client, task: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        traces = project.get("/traces").raise_for_status().json()
        if any(task in trace["task"] and trace["review_status"] == "reviewed" for trace in traces):
            return
        assert time.monotonic() < deadline, traces
        time.sleep(0.05)


def test_the_terminal_is_left_as_it_was(project, review):
    review.press(KEYS, "o")
    assert not local_modes(review) & (termios.ICANON | termios.ECHO)
    review.press(KEYS, "\x03")
    review.press("3 left", "")
    assert local_modes(review) & termios.ICANON and local_modes(review) & termios.ECHO
    assert review.finish() == 0
    assert "0 passed, 0 failed, 0 deferred, 3 left" in review.printed


def local_modes(terminal: Terminal) -> int:
    return termios.tcgetattr(terminal.descriptor)[3]


def test_it_wants_a_terminal_and_says_when_nothing_waits(binary, server, project_id):
    command = [str(binary), "review", "--url", server.url, "--project", project_id]
    settings = environment({"REFLECT_API_KEY": MASTER_KEY})
    refused = subprocess.run(command, env=settings, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert refused.returncode == 1 and "needs a terminal" in refused.stderr
    empty = Terminal(command, settings)
    assert empty.finish() == 0 and "no run is waiting" in empty.printed
