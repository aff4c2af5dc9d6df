"""Nodes for ComfyUI's graph, one a file; `catalogue` binds them to the running Pantry.

They use ComfyUI's own loaders and caches, and reach Pantry's database through `shelf`. Their modules import ComfyUI
inside functions, so that reading them costs nothing and tests can bring doubles.
"""
