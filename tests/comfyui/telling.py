"""Write pictures that say exactly what a test wants them to say, as A1111 does."""

from __future__ import annotations

from tests.standalone.pictures import picture_bytes

SETTINGS = "Steps: 20, Sampler: Euler a, CFG scale: 7, Seed: {seed}, Size: 64x64"


def write(folder, name, prompt, *, loras=(), seed=1, checkpoint=None):
    """Write one picture; the LoRAs are models of a vendor and are named by their hashes. Return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(picture_bytes(name, seed, _text(prompt, loras, seed, checkpoint)))
    return path


def _text(prompt, loras, seed, checkpoint):
    stems = {one.file_name.rsplit(".", 1)[0]: one for one in loras}
    tags = "".join(f" <lora:{stem}:0.8>" for stem in stems)
    hashes = ", ".join(f"{stem}: {one.hash('autov3')}" for stem, one in stems.items())
    parts = [SETTINGS.format(seed=seed)]
    parts += [f"Model: {checkpoint}"] if checkpoint else []
    parts += [f'Lora hashes: "{hashes}"'] if hashes else []
    return f"{prompt}{tags}\n" + ", ".join([*parts, "Version: v1.10.1"])
