"""Make pictures whose recipes are known: PNG, JPEG and WebP with A1111 text or ComfyUI graphs, the vendors' catalogues
that fit them, and the truth to compare with.

Alone: ``python -m tests.standalone.pictures FOLDER --count 300`` writes the pictures and, beside the folder,
``FOLDER.civitai.json`` and ``FOLDER.civarchive.json`` for the loopback vendor.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import struct
import zlib
from dataclasses import asdict, dataclass, field
from pathlib import Path

from PIL import Image

from .vendor import Catalogue, VendorModel

SAMPLERS = (("Euler a", "Karras"), ("DPM++ 2M", "Karras"), ("UniPC", "Automatic"))
SUBJECTS = (
    "a lighthouse in fog",
    "two cats, asleep",
    'a sign that says "open"',
    "street market: night",
    "ein Garten, früh",
)
ENDINGS = (".png", ".jpg", ".webp")


@dataclass
class Pictures:
    """Hold what was made: each vendor's catalogue and, by file name, what a recipe has to say."""

    folder: Path
    civitai: list = field(default_factory=list)
    civarchive: list = field(default_factory=list)
    truth: dict = field(default_factory=dict)

    @property
    def civitai_catalogue(self):
        return Catalogue(self.civitai)

    @property
    def civarchive_catalogue(self):
        return Catalogue(self.civarchive)

    @property
    def questions(self):
        """Every hash that the pictures name, once."""
        uses = [use for one in self.truth.values() for use in (one["checkpoint"], *one["loras"]) if use["hash"]]
        return {use["hash"] for use in uses}


def model(kind, index):
    """Describe the `index`-th checkpoint or LoRA that the pictures use."""
    first = {"Checkpoint": 100_000, "LORA": 500_000}[kind]
    return VendorModel(
        model_id=first + index,
        version_id=first + 1_000_000 + index,
        name=f"{kind.title()} {index:03d}",
        type=kind,
        file_name=f"{kind.lower()}_{index:03d}.safetensors",
        trained_words=(f"trigger{index}",),
    )


def make(folder, count, *, checkpoints=5, loras=20, archive_only=0, unknown=0, graphs=True, seed=1):
    """Write `count` pictures; the last `archive_only` LoRAs are known to CivArchive alone and the `unknown` ones
    before them to nobody. Where `graphs`, each fourth picture is a ComfyUI graph, which names no hash.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    bases, styles = (
        [model("Checkpoint", one) for one in range(checkpoints)],
        [model("LORA", one) for one in range(loras)],
    )
    hidden = archive_only + unknown
    pictures = Pictures(
        folder,
        civitai=bases + styles[: loras - hidden],
        civarchive=styles[loras - archive_only :],
    )
    rng = random.Random(seed)
    for index in range(count):
        # Each model is used at least once, so that the number of questions is known.
        uses = [bases[index % checkpoints], styles[index % loras], styles[(index * 7 + 3) % loras]]
        uses = list({one.version_id: one for one in uses}.values())
        write = _graph_picture if graphs and index % 4 == 3 else _text_picture
        name, truth = write(folder, index, uses, rng, pictures)
        pictures.truth[name] = truth
    return pictures


def _settings(rng):
    sampler, scheduler = rng.choice(SAMPLERS)
    return {
        "prompt": rng.choice(SUBJECTS),
        "negative_prompt": "blurry, low quality",
        "steps": rng.randint(12, 40),
        "cfg_scale": rng.choice((4.5, 5.0, 7.0)),
        "seed": rng.randint(1, 2**48),
        "sampler": sampler,
        "scheduler": scheduler,
        "width": 64,
        "height": 64,
    }


def _text_picture(folder, index, uses, rng, pictures):
    """Write a picture as A1111 does; models that CivitAI does not know are named by their whole SHA256."""
    told, (base, *styles) = _settings(rng), uses
    known = {id(one) for one in pictures.civitai}
    strengths = {one.version_id: round(rng.uniform(0.2, 1.2), 2) for one in styles}
    hashes = {one.version_id: one.hash("autov3" if id(one) in known else "sha256") for one in styles}
    tags = "".join(f" <lora:{_stem(one)}:{strengths[one.version_id]}>" for one in styles)
    listed = ", ".join(f"{_stem(one)}: {hashes[one.version_id]}" for one in styles)
    text = (
        f"{told['prompt']}{tags}\nNegative prompt: {told['negative_prompt']}\n"
        f"Steps: {told['steps']}, Sampler: {told['sampler']}, Schedule type: {told['scheduler']}, "
        f"CFG scale: {told['cfg_scale']}, Seed: {told['seed']}, Size: {told['width']}x{told['height']}, "
        f"Model hash: {base.hash('autov2')}, Model: {_stem(base)}, "
        f'Lora hashes: "{listed}", Version: v1.10.1'
    )
    name = f"text_{index:05d}{ENDINGS[index % len(ENDINGS)]}"
    (folder / name).write_bytes(picture_bytes(name, index, text))
    told["prompt"] += tags
    told["checkpoint"] = {"name": _stem(base), "hash": base.hash("autov2"), "vendor_name": base.name}
    told["loras"] = [
        {
            "name": _stem(one),
            "hash": hashes[one.version_id],
            "strength_model": strengths[one.version_id],
            "vendor_name": one.name,
        }
        for one in styles
    ]
    return name, told


def _graph_picture(folder, index, uses, rng, pictures):
    """Write a picture as ComfyUI does, in core nodes."""
    told, (base, *styles) = _settings(rng), uses
    told["sampler"], told["scheduler"] = "euler", "normal"
    strengths = [round(rng.uniform(0.2, 1.2), 2) for _ in styles]
    graph = _graph(told, base, list(zip(styles, strengths, strict=True)))
    name = f"graph_{index:05d}.png"
    (folder / name).write_bytes(png(index, {"prompt": json.dumps(graph)}))
    told["checkpoint"] = {"name": base.file_name, "hash": None, "vendor_name": None}
    told["loras"] = [
        {"name": one.file_name, "hash": None, "strength_model": strength, "vendor_name": None}
        for one, strength in zip(styles, strengths, strict=True)
    ]
    return name, told


def _graph(told, base, styles):
    graph = {"1": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": base.file_name}}}
    last = "1"
    for number, (style, strength) in enumerate(styles, start=10):
        inputs = {
            "lora_name": style.file_name,
            "strength_model": strength,
            "strength_clip": strength,
            "model": [last, 0],
            "clip": [last, 1],
        }
        last = str(number)
        graph[last] = {"class_type": "LoraLoader", "inputs": inputs}
    for node, text in (("2", told["prompt"]), ("3", told["negative_prompt"])):
        graph[node] = {"class_type": "CLIPTextEncode", "inputs": {"text": text, "clip": [last, 1]}}
    graph["4"] = {"class_type": "EmptyLatentImage", "inputs": {"width": 64, "height": 64, "batch_size": 1}}
    sampling = {"seed": told["seed"], "steps": told["steps"], "cfg": told["cfg_scale"], "denoise": 1.0}
    names = {"sampler_name": told["sampler"], "scheduler": told["scheduler"]}
    links = {"model": [last, 0], "positive": ["2", 0], "negative": ["3", 0], "latent_image": ["4", 0]}
    graph["5"] = {"class_type": "KSampler", "inputs": {**sampling, **names, **links}}
    graph["6"] = {"class_type": "VAEDecode", "inputs": {"samples": ["5", 0], "vae": ["1", 2]}}
    graph["7"] = {"class_type": "SaveImage", "inputs": {"filename_prefix": "x", "images": ["6", 0]}}
    return graph


def _stem(one):
    return one.file_name.rsplit(".", 1)[0]


# --- bytes ------------------------------------------------------------------------------------------------------


def picture_bytes(name, index, parameters):
    """Return a picture whose pixels depend on `index`, carrying A1111 text where its format keeps it."""
    if name.endswith(".png"):
        return png(index, {"parameters": parameters})
    out = io.BytesIO()
    kind = "JPEG" if name.endswith(".jpg") else "WEBP"
    _pixels(index).save(out, kind, exif=exif_comment(parameters))
    return out.getvalue()


def _pixels(index):
    return Image.new("RGB", (64, 64), (index % 256, index // 256 % 256, 90))


def png(index, texts):
    """Return a PNG; Latin-1 text goes into tEXt, all other into iTXt, as ComfyUI and A1111 do."""
    row = b"\0" + bytes(_pixels(index).getpixel((0, 0))) * 64
    header = struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0)
    parts = [_chunk(b"IHDR", header)]
    parts += [_text_chunk(key, text) for key, text in texts.items()]
    parts += [_chunk(b"IDAT", zlib.compress(row * 64)), _chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _text_chunk(key, text):
    try:
        return _chunk(b"tEXt", key.encode("latin-1") + b"\0" + text.encode("latin-1"))
    except UnicodeEncodeError:
        return _chunk(b"iTXt", key.encode("latin-1") + b"\0\0\0\0\0" + text.encode())


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def exif_comment(text):
    """Return EXIF with the text as a UserComment: big-endian TIFF, IFD0 leading to the Exif IFD (EXIF 2.3 §4.6)."""
    comment = b"UNICODE\0" + text.encode("utf-16-be")
    leading = struct.pack(">HHHII", 1, 0x8769, 4, 1, 26) + struct.pack(">I", 0)
    holding = struct.pack(">HHHII", 1, 0x9286, 7, len(comment), 44) + struct.pack(">I", 0)
    return b"Exif\0\0" + b"MM\0*" + struct.pack(">I", 8) + leading + holding + comment


def main():
    """Write pictures and catalogues for a person to play with."""
    parser = argparse.ArgumentParser(prog="python -m tests.standalone.pictures", description=main.__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--loras", type=int, default=40)
    parser.add_argument("--archive-only", type=int, default=3)
    parser.add_argument("--unknown", type=int, default=2)
    options = parser.parse_args()
    made = make(
        options.folder, options.count, loras=options.loras, archive_only=options.archive_only, unknown=options.unknown
    )
    for kind in ("civitai", "civarchive"):
        listed = json.dumps([asdict(one) for one in getattr(made, kind)])
        Path(f"{options.folder}.{kind}.json").write_text(listed, encoding="utf-8")


if __name__ == "__main__":
    main()
