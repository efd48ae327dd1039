"""The package as it is installed."""

import subprocess
import sys
from pathlib import Path

import reflect_sdk

PACKAGE = Path(reflect_sdk.__file__).parent
PROJECT = Path(__file__).parents[1]


def test_everything_that_is_promised_is_there():
    missing = [name for name in reflect_sdk.__all__ if not hasattr(reflect_sdk, name)]
    assert missing == []
    assert f'version = "{reflect_sdk.__version__}"' in (PROJECT / "pyproject.toml").read_text()
    assert (PACKAGE / "py.typed").exists()


def test_the_modules_of_the_published_client_have_its_names():
    from reflect_sdk.client import ApiKeyInfo, AugmentedTask, CreatedApiKey, Memory, Review, Trace, TraceSubmission
    from reflect_sdk.context import TraceContext
    from reflect_sdk.decorators import TraceResult, reflect_trace

    theirs = [
        ApiKeyInfo,
        AugmentedTask,
        CreatedApiKey,
        Memory,
        Review,
        Trace,
        TraceSubmission,
        TraceContext,
        TraceResult,
    ]
    assert all(getattr(reflect_sdk, cls.__name__) is cls for cls in theirs)
    assert reflect_sdk.reflect_trace is reflect_trace


def import_with_reflect_sdk_in(folder: Path, importable: Path) -> subprocess.CompletedProcess[str]:
    """Imports our package from `importable`, where `reflect-sdk` says that it is installed in `folder`."""
    metadata = folder / "reflect_sdk-0.3.3.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: reflect-sdk\nVersion: 0.3.3\n")
    importable.mkdir(exist_ok=True)
    (importable / "reflect_sdk").symlink_to(PACKAGE)
    program = f"import sys; sys.path[:0] = [{str(importable)!r}, {str(folder)!r}]; import reflect_sdk"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)


def test_both_packages_in_one_folder_are_refused(tmp_path):
    finished = import_with_reflect_sdk_in(tmp_path / "site", tmp_path / "site")
    assert finished.returncode != 0
    assert "pip uninstall reflect-sdk reflect-memory" in finished.stderr


def test_the_other_package_elsewhere_does_no_harm(tmp_path):
    finished = import_with_reflect_sdk_in(tmp_path / "elsewhere", tmp_path / "site")
    assert (finished.returncode, finished.stderr) == (0, "")
