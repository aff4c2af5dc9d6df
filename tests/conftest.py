"""Mount this checkout's `py` folder under its own name, whatever pytest imported first."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent


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


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items):
    """Keep a file's tests together where two processes share the work, and all that drive the browser in one of them."""
    for item in items:
        folder = item.path.parent
        item.add_marker(pytest.mark.xdist_group(folder.name if folder.name == "comfyui" else str(item.path)))
