"""Pantry for ComfyUI: which models made which picture.

Importing this outside ComfyUI does nothing: pytest and packaging tools import it too.
"""

import sys

NODE_CLASS_MAPPINGS = {}
NODE_DISPLAY_NAME_MAPPINGS = {}
WEB_DIRECTORY = "./web"

if "server" in sys.modules and hasattr(sys.modules["server"], "PromptServer"):
    from .py.extension import mount
    from .py.nodes.catalogue import node_titles

    NODE_CLASS_MAPPINGS = mount(sys.modules["server"].PromptServer.instance)
    NODE_DISPLAY_NAME_MAPPINGS = node_titles()

__all__ = ["NODE_CLASS_MAPPINGS", "NODE_DISPLAY_NAME_MAPPINGS", "WEB_DIRECTORY"]
