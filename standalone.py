"""Run Pantry without ComfyUI."""
