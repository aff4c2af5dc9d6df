"""The main road: one file in, one reading out."""

from __future__ import annotations

import json
import os

import pytest

from py.core.errors import UnreadableImageError
from py.core.outcomes import LookupKey
from py.recipes.reader import read_bytes, read_image
from py.recipes.references import references

from . import encoders as write

TEXT = (
    "a duck <lora:pond:0.8>\nNegative prompt: a goose\n"
    "Steps: 20, Sampler: Euler a, Schedule type: Karras, CFG scale: 7, Seed: 42, Size: 512x768, "
    'Model hash: 45a21ea00a, Model: ducks, Lora hashes: "pond: 0123456789ab", Version: v1.10.1'
)
GRAPH = {
    "1": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "ducks.safetensors"}},
    "2": {
        "class_type": "LoraLoader",
        "inputs": {"lora_name": "sub\\pond.safetensors", "strength_model": 0.8, "strength_clip": 0.5,
                   "model": ["1", 0], "clip": ["1", 1]},
    },
    "3": {"class_type": "CLIPTextEncode", "inputs": {"text": "a duck", "clip": ["2", 1]}},
    "4": {"class_type": "CLIPTextEncode", "inputs": {"text": "", "clip": ["2", 1]}},
    "5": {"class_type": "EmptyLatentImage", "inputs": {"width": 512, "height": 768, "batch_size": 1}},
    "6": {
        "class_type": "KSampler",
        "inputs": {"seed": 2**64 - 1, "steps": 20, "cfg": 7.5, "sampler_name": "euler", "scheduler": "karras",
                   "denoise": 1.0, "model": ["2", 0], "positive": ["3", 0], "negative": ["4", 0],
                   "latent_image": ["5", 0]},
    },
    "7": {"class_type": "VAEDecode", "inputs": {"samples": ["6", 0], "vae": ["1", 2]}},
    "8": {"class_type": "SaveImage", "inputs": {"filename_prefix": "ComfyUI", "images": ["7", 0]}},
}  # fmt: skip

FILES = {
    "PNG tEXt": write.png(write.png_text("parameters", TEXT)),
    "PNG zTXt": write.png(write.png_ztxt("parameters", TEXT)),
    "PNG iTXt": write.png(write.png_itxt("parameters", TEXT)),
    "PNG compressed iTXt": write.png(write.png_itxt("parameters", TEXT, compressed=True, language="en")),
    "PNG after the pixels": write.png(after=(write.png_ztxt("parameters", TEXT),)),
    "JPEG EXIF": write.jpeg(write.jpeg_exif(write.comment_tiff(TEXT))),
    "JPEG EXIF, little-endian TIFF": write.jpeg(write.jpeg_exif(write.comment_tiff(TEXT, order="<"))),
    "WebP EXIF": write.webp(write.riff_chunk(b"EXIF", write.comment_tiff(TEXT))),
}


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_a1111_text_is_read_from_every_main_container(data):
    """The same text gives the same draft wherever it is kept."""
    draft = read_bytes(data).draft
    assert (draft.prompt, draft.negative_prompt) == ("a duck <lora:pond:0.8>", "a goose")
    assert (draft.seed, draft.steps, draft.cfg_scale) == (42, 20, 7.0)
    assert (draft.sampler, draft.scheduler, draft.width, draft.height) == ("Euler a", "Karras", 512, 768)
    assert (draft.checkpoint.name, draft.checkpoint.hash, draft.checkpoint.hash_type) == (
        "ducks", "45a21ea00a", "autov2")  # fmt: skip
    (lora,) = draft.loras
    assert (lora.name, lora.hash, lora.strength_model, lora.strength_clip) == ("pond", "0123456789ab", 0.8, 0.8)


def test_a_graph_is_followed_from_its_output():
    """Every value of the main road comes out of a plain graph, each LoRA with both strengths."""
    reading = read_bytes(write.png(write.png_text("prompt", write.graph_text(GRAPH))))
    draft = reading.draft
    assert (draft.prompt, draft.negative_prompt, draft.seed) == ("a duck", "", 2**64 - 1)
    assert (draft.steps, draft.cfg_scale, draft.sampler, draft.scheduler) == (20, 7.5, "euler", "karras")
    assert (draft.width, draft.height, draft.checkpoint.name) == (512, 768, "ducks.safetensors")
    (lora,) = draft.loras
    assert (lora.name, lora.strength_model, lora.strength_clip) == ("sub\\pond.safetensors", 0.8, 0.5)
    assert reading.workflow == {"prompt": GRAPH}
    assert draft.has_workflow


def test_references_are_what_must_be_looked_up():
    """Each hash is one reference with its kind; a name alone is none."""
    draft = read_bytes(FILES["PNG tEXt"]).draft
    assert [(one.role, one.index, one.key) for one in references(draft)] == [
        ("checkpoint", 0, LookupKey("autov2", "45a21ea00a")),
        ("loras", 0, LookupKey("autov3", "0123456789ab")),
    ]


def test_an_image_that_says_nothing_has_no_draft():
    """No metadata is an answer, not an error."""
    reading = read_bytes(write.png(width=3, height=5))
    assert reading.draft is None
    assert (reading.pixel_width, reading.pixel_height, reading.container) == (3, 5, "png")


@pytest.mark.parametrize("data", [b"", b"hello", b"\x89PN"])
def test_what_is_no_image_is_refused_in_words(data):
    """Anything else than an image raises the one typed error."""
    with pytest.raises(UnreadableImageError, match=r"^[A-Z].*\.$"):
        read_bytes(data)


def test_a_missing_file_is_refused_in_words(tmp_path):
    """A file that cannot be opened raises the same error, without the folder's path."""
    with pytest.raises(UnreadableImageError) as caught:
        read_image(tmp_path / "gone.png")
    assert str(tmp_path) not in str(caught.value)


def test_the_container_is_told_by_its_bytes(tmp_path):
    """A PNG that is named .jpeg is a PNG."""
    path = tmp_path / "photo.jpeg"
    path.write_bytes(FILES["PNG tEXt"])
    assert read_image(path).container == "png"


def test_reading_from_disk_and_from_memory_agree(tmp_path):
    """The content hash is of the content, not of the way it was read."""
    path = tmp_path / "a.png"
    path.write_bytes(FILES["PNG tEXt"])
    assert read_image(path) == read_bytes(FILES["PNG tEXt"])


def test_reading_works_without_positioned_reads(tmp_path, monkeypatch):
    """Windows has no pread; the same file reads the same there."""
    path = tmp_path / "a.png"
    path.write_bytes(FILES["PNG after the pixels"] + bytes(200_000))
    expected = read_image(path)
    monkeypatch.setattr("py.recipes.source._pread", None)
    assert read_image(path) == expected


def test_what_a_workflow_holds_can_be_written_as_json():
    """Bare NaN and numbers beyond a float become null."""
    text = '{"nodes": [{"id": 1, "type": "X", "a": NaN, "b": [Infinity, 1e999, 1.5]}], "links": []}'
    workflow = read_bytes(write.png(write.png_text("workflow", text))).workflow
    assert workflow["nodes"][0]["b"] == [None, None, 1.5]
    json.dumps(workflow, allow_nan=False)


def test_half_a_character_is_replaced_and_a_whole_one_kept():
    """JSON can escape what no database stores; nested JSON escapes it twice."""
    whole, half = "\\ud83e\\udd86", "\\ud83e"
    graph = json.dumps({**GRAPH, "3": {"class_type": "CLIPTextEncode", "inputs": {"text": "@", "clip": ["2", 1]}}})
    for escaped, text in ((whole, "\U0001f986"), (half, "\ufffd")):
        data = write.png(write.png_text("prompt", graph.replace("@", escaped)))
        assert read_bytes(data).draft.prompt == text
    quoted = TEXT + f', Hires prompt: "a, {half}", Hires negative prompt: "b, {whole}"'
    hires = read_bytes(write.png(write.png_text("parameters", quoted))).draft.hires
    assert (hires["prompt"], hires["negative_prompt"]) == ("a, \ufffd", "b, \U0001f986")
    comment = json.dumps({"prompt": "@", "seed": 5, "steps": 1, "uc": ""}).replace("@", whole)
    nested = {"Software": "NovelAI", "Source": "NovelAI Diffusion V4 01234567", "Comment": comment}
    assert read_bytes(write.png(write.png_text("x", json.dumps(nested)))).draft.prompt == "\U0001f986"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    """Nobody may ever write into it."""
    pipe = tmp_path / "pipe.png"
    os.mkfifo(pipe)
    with pytest.raises(UnreadableImageError, match="not a file"):
        read_image(pipe)


def test_a_folder_is_refused_in_words(tmp_path):
    """Its name may end like an image's."""
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(UnreadableImageError):
        read_image(tmp_path / "folder.png")
