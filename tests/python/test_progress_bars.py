"""Progress bars, as whoever sits at a terminal sees them."""

from reflect_process import environment
from terminal import Terminal

CLEARED = "\r\x1b[2K"


def run(binary, *arguments) -> str:
    """What a command shows at a terminal; it must succeed."""
    terminal = Terminal([str(binary), *map(str, arguments)], environment({}))
    assert terminal.finish() == 0, terminal.printed
    return terminal.printed


def assert_fills_and_goes(shown: str, what: str, then: str) -> None:
    bar, _, after = shown.partition(f"{what} [##############################] 100 % of ")
    assert after, shown
    assert f"{CLEARED}{then}" in after, "the bar stays when the work is done"


def test_copies_and_lines_show_how_far_they_have_come(binary, start_server, tmp_path):
    server = start_server()
    data = server.data
    assert_fills_and_goes(run(binary, "backup", tmp_path / "copy", "--data", data), "copying", "0 texts")
    assert_fills_and_goes(run(binary, "restore", tmp_path / "copy", "--data", tmp_path / "new"), "copying", "0 texts")
    learned = tmp_path / "learned"
    run(binary, "keys", "create", "--data", learned)
    assert_fills_and_goes(run(binary, "export", tmp_path / "lines", "--data", learned), "exporting", "1 projects")
    assert_fills_and_goes(run(binary, "import", tmp_path / "lines", "--data", tmp_path / "new"), "importing", "read: 1")
    shown = run(binary, "copy", "--from", learned, "--to", tmp_path / "copied")
    for step in ["copying", "comparing"]:
        assert_fills_and_goes(shown, step, f"{1:>12} projects")
