"""Measure the readers: images a second, peak memory, and what was found, beside other readers where they are.

The folder is made here: PNG, JPEG and WebP of realistic sizes with A1111 text, graphs with LoRAs, and native records.
The others stay out of our environment; they are measured when their own one is given or lies at .cache/readers:

    python -m venv .cache/readers
    .cache/readers/bin/pip install sd-parsers piexif
    .cache/readers/bin/pip install --no-deps sd-prompt-reader==1.3.5
"""

from __future__ import annotations

import io
import json
import random
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.recipes import encoders as write

ROOT = Path(__file__).resolve().parents[2]
OTHERS = ("sd-parsers", "sd-prompt-reader")
_IMAGES = 300
# A busy machine may be four times as slow before that counts as a fault of ours.
_AIM = 2_000


def make_folder(folder: Path, count: int = _IMAGES) -> None:
    """Write a mixed folder and what is true of each file."""
    rng = random.Random(7)
    pixels = Pixels.make(rng)
    truth = {}
    for index in range(count):
        seed, lora = rng.randrange(2**48), f"lora {index % 9}"
        suffix, data = _KINDS[index % len(_KINDS)](seed, lora, pixels)
        name = f"{index:05}{suffix}"
        (folder / name).write_bytes(data)
        truth[name] = {"seed": seed, "loras": [lora]}
    (folder / "truth.json").write_text(json.dumps(truth), encoding="utf-8")


def infotext(seed: int, lora: str) -> str:
    """Return A1111 text with one LoRA."""
    return (
        f"a pond at dawn, {'still water, ' * 30}<lora:{lora}:0.8>\nNegative prompt: {'mud, ' * 20}\n"
        f"Steps: 28, Sampler: DPM++ 2M, Schedule type: Karras, CFG scale: 7, Seed: {seed}, Size: 832x1216, "
        f'Model hash: 45a21ea00a, Model: ponds, Lora hashes: "{lora}: 0123456789ab", Version: v1.10.1'
    )


def graph(seed: int, lora: str) -> dict[str, Any]:
    """Return an executed graph of the usual size, with one LoRA."""
    nodes = {
        "1": ("CheckpointLoaderSimple", {"ckpt_name": "ponds.safetensors"}),
        "2": ("LoraLoader", {"lora_name": lora, "strength_model": 0.8, "strength_clip": 0.5, "model": ["1", 0], "clip": ["1", 1]}),
        "3": ("CLIPTextEncode", {"text": "a pond at dawn, " + "still water, " * 30, "clip": ["2", 1]}),
        "4": ("CLIPTextEncode", {"text": "mud, " * 20, "clip": ["2", 1]}),
        "5": ("EmptyLatentImage", {"width": 832, "height": 1216, "batch_size": 1}),
        "6": ("KSampler", {"seed": seed, "steps": 28, "cfg": 7, "sampler_name": "dpmpp_2m", "scheduler": "karras", "denoise": 1,
                           "model": ["2", 0], "positive": ["3", 0], "negative": ["4", 0], "latent_image": ["5", 0]}),
        "7": ("VAEDecode", {"samples": ["6", 0], "vae": ["1", 2]}),
        "8": ("SaveImage", {"filename_prefix": "pond", "images": ["7", 0]}),
    }  # fmt: skip
    return {
        key: {"class_type": kind, "inputs": inputs, "_meta": {"title": kind}} for key, (kind, inputs) in nodes.items()
    }


def drawing(executed: dict[str, Any]) -> dict[str, Any]:
    """Return an editor's form of about the size that one has."""
    nodes = [{"id": int(key), "type": one["class_type"], "pos": [100, 200], "size": [300, 100], "flags": {}, "order": 1, "mode": 0,
              "inputs": [{"name": name, "type": "X", "link": None} for name in one["inputs"]], "outputs": [{"name": "Y", "links": [1]}],
              "properties": {"Node name for S&R": one["class_type"]}, "widgets_values": list(map(str, one["inputs"].values()))}
             for key, one in executed.items()]  # fmt: skip
    return {
        "last_node_id": 8,
        "nodes": nodes,
        "links": [[index, 1, 0, 2, 0, "X"] for index in range(12)],
        "extra": {},
        "version": 0.4,
    }


@dataclass(frozen=True)
class Pixels:
    """Hold real compressed pixels, made once by Pillow, to put texts around."""

    png: tuple[bytes, ...]
    jpeg: bytes
    webp: bytes

    @classmethod
    def make(cls, rng: random.Random) -> Pixels:
        """Encode noise that compresses about as a picture does."""
        from PIL import Image

        coarse = Image.frombytes("RGB", (208, 304), rng.randbytes(208 * 304 * 3))
        picture = coarse.resize((832, 1216), Image.Resampling.BICUBIC)
        encoded = {kind: io.BytesIO() for kind in ("PNG", "JPEG", "WEBP")}
        for kind, stream in encoded.items():
            picture.save(stream, kind)
        return cls(
            png=tuple(_chunks(encoded["PNG"].getvalue(), b"IDAT")),
            jpeg=encoded["JPEG"].getvalue()[2:],
            webp=encoded["WEBP"].getvalue()[12:],
        )


def _chunks(data: bytes, wanted: bytes) -> Iterator[bytes]:
    at = 8
    while at + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        if kind == wanted:
            yield data[at : at + 12 + length]
        at += 12 + length


def _png(pixels: Pixels, *texts: bytes) -> bytes:
    header = write.png_chunk(b"IHDR", struct.pack(">IIBBBBB", 832, 1216, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join((*texts, *pixels.png)) + write.png_chunk(b"IEND", b"")


def _jpeg(pixels: Pixels, block: bytes) -> bytes:
    return b"\xff\xd8" + write.jpeg_exif(block) + pixels.jpeg


def _webp(pixels: Pixels, block: bytes) -> bytes:
    size = (832 - 1).to_bytes(3, "little") + (1216 - 1).to_bytes(3, "little")
    body = b"WEBP" + write.riff_chunk(b"VP8X", b"\x08\0\0\0" + size) + pixels.webp + write.riff_chunk(b"EXIF", block)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _a1111_png(seed: int, lora: str, pixels: Pixels) -> tuple[str, bytes]:
    return ".png", _png(pixels, write.png_text("parameters", infotext(seed, lora)))


def _comfy_png(seed: int, lora: str, pixels: Pixels) -> tuple[str, bytes]:
    executed = graph(seed, lora)
    texts = {"prompt": json.dumps(executed), "workflow": json.dumps(drawing(executed))}
    return ".png", _png(pixels, *(write.png_text(key, text) for key, text in texts.items()))


def _a1111_jpeg(seed: int, lora: str, pixels: Pixels) -> tuple[str, bytes]:
    return ".jpg", _jpeg(pixels, write.comment_tiff(infotext(seed, lora)))


def _comfy_webp(seed: int, lora: str, pixels: Pixels) -> tuple[str, bytes]:
    executed = graph(seed, lora)
    tags = {0x0110: f"prompt:{json.dumps(executed)}", 0x010F: f"workflow:{json.dumps(drawing(executed))}"}
    return ".webp", _webp(pixels, write.tiff([write.Tag(tag, text.encode() + b"\0", 2) for tag, text in tags.items()]))


def _swarm_jpeg(seed: int, lora: str, pixels: Pixels) -> tuple[str, bytes]:
    params = {"prompt": "a pond", "negativeprompt": "mud", "model": "ponds", "seed": seed, "steps": 28, "cfgscale": 7, "width": 832,
              "height": 1216, "sampler": "euler", "scheduler": "karras", "loras": [lora], "loraweights": ["0.8"]}  # fmt: skip
    return ".jpg", _jpeg(pixels, write.comment_tiff(json.dumps({"sui_image_params": params}), "utf-16-le", "<"))


_KINDS = (_a1111_png, _comfy_png, _a1111_jpeg, _comfy_webp, _comfy_png, _a1111_png, _swarm_jpeg)


def measure(name: str, python: str, folder: Path) -> dict[str, Any] | None:
    """Run one reader in its own process; None where it is not there or fails."""
    command = [python, str(Path(__file__).with_name("reader_process.py")), name, str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 and done.stdout.strip() else None


def line(found: dict[str, Any], base: dict[str, Any]) -> str:
    """Say one reader's numbers, and how much slower it is than ours."""
    speed = found["files"] / found["processor_seconds"]
    times = found["processor_seconds"] / base["processor_seconds"]
    return (
        f"{found['reader']:18} {speed:8.0f} images/s  {found['memory_mib']:5.0f} MiB (+{found['memory_mib'] - found['memory_at_start_mib']:.0f})  "
        f"seeds {found['seeds_right']}/{found['files']}  LoRAs {found['loras_found']}/{found['files']}  {times:6.1f}x our time"
    )


def main(others: str | None = None) -> bool:
    """Make the folder, measure ours and the others, print a line each; return whether ours was right and quick."""
    python = others or str(ROOT / ".cache" / "readers" / "bin" / "python")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_folder(folder)
        ours = measure("pantry", sys.executable, folder)
        if ours is None:
            print("our own reader did not run")
            return False
        print(f"   {ours['files']} mixed images with real pixels, one process, warm cache, best of five rounds")
        print(f"   {line(ours, ours)}")
        for other in OTHERS if Path(python).is_file() else ():
            found = measure(other, python, folder)
            print(f"   {line(found, ours) if found else f'{other} is not installed there'}")
    right = ours["seeds_right"] == ours["loras_found"] == ours["files"]
    speed = ours["files"] / ours["processor_seconds"]
    print(f"   aimed at: {_AIM} images/s on an idle core, every seed and LoRA right")
    return bool(right) and speed > _AIM / 4


if __name__ == "__main__":
    sys.exit(not main(sys.argv[1] if len(sys.argv) > 1 else None))
