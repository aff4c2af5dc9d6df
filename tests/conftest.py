"""Mount this checkout's `py` folder under its own name, whatever pytest imported first."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
BROWSER_ROOM = "tests/comfyui/"


def _mount() -> None:
    folder = ROOT / "py"
    spec = importlib.util.spec_from_file_location(
        "py", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["py"] = module
    spec.loader.exec_module(module)


if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))
if getattr(sys.modules.get("py"), "__file__", "") != str(ROOT / "py" / "__init__.py"):
    _mount()


# A busy machine is no defect of the product.
settings.register_profile("pantry", deadline=None)
settings.load_profile("pantry")


def pytest_addoption(parser):
    """Add the switches of the longer runs."""
    parser.addoption("--matrix", action="store_true", help="drive every supported front end, not only the two ends")


@pytest.hookimpl(optionalhook=True)  # pytest-xdist's, where it shares the work between processes
def pytest_xdist_make_scheduler(config, log):
    """Keep the tests of a file together in one process, and all that drive the browser."""
    from xdist.scheduler import LoadScopeScheduling

    class ByRoom(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.split("::")[0]
            return BROWSER_ROOM if file.startswith(BROWSER_ROOM) else file

    return ByRoom(config, log)
