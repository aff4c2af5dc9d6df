"""Offer ComfyUI nodes, one per file."""
