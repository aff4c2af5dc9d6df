"""Pantry for ComfyUI: which models made which picture.

Importing this outside ComfyUI does nothing: pytest and packaging tools import it too.
"""

import sys

NODE_CLASS_MAPPINGS: dict[str, type] = {}
NODE_DISPLAY_NAME_MAPPINGS: dict[str, str] = {}
WEB_DIRECTORY = "./web"

if "server" in sys.modules and hasattr(sys.modules["server"], "PromptServer"):
    from .py.extension import mount

    mount(sys.modules["server"].PromptServer.instance)

__all__ = ["NODE_CLASS_MAPPINGS", "NODE_DISPLAY_NAME_MAPPINGS", "WEB_DIRECTORY"]
