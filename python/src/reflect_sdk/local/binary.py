"""Where the server's binary is."""

from __future__ import annotations

import os
import shutil
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from reflect_sdk.errors import LocalModeError

ELSEWHERE = "run a server elsewhere and use `ReflectClient(base_url=...)`, for which nothing is missing"


def find_binary() -> Path:
    """The binary that `REFLECT_BINARY` names, that the wheel brought along, or that is on the `PATH`."""
    if os.name == "nt":
        raise LocalModeError(f"local mode does not work on Windows; {ELSEWHERE}")
    if named := os.environ.get("REFLECT_BINARY", "").strip():
        if not _can_be_run(Path(named)):
            raise LocalModeError(f"REFLECT_BINARY is `{named}`, which is not a program that can be run")
        return Path(named)
    if installed := _installed():
        return installed
    if on_path := shutil.which("reflect"):
        return Path(on_path)
    raise LocalModeError(
        "local mode needs the server's binary, and this installation of reflect-memory has none: it came from a source "
        "distribution, or for a platform that there is no wheel for. Install a wheel, put `reflect` on the PATH, or its path into "
        f"REFLECT_BINARY; or {ELSEWHERE}"
    )


def _installed() -> Path | None:
    """Installers write down where they put each file of a wheel, whatever kind of environment it is."""
    try:
        files = distribution("reflect-memory").files or []
    except PackageNotFoundError:
        return None
    beside_the_package = Path(__file__).parents[2] / "bin" / "reflect"  # with `pip install --target`
    scripts = [Path(str(file.locate())).resolve() for file in files if file.name == "reflect"]
    return next((script for script in [*scripts, beside_the_package] if _can_be_run(script)), None)


def _can_be_run(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
