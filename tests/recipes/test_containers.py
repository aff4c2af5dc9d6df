"""Every container: where its texts are, in every spelling that real writers use."""

from __future__ import annotations

import importlib.util
import json
import struct

import pytest

from py.recipes.reader import read_bytes, read_image

from . import encoders as write

TEXT = "a pond\nNegative prompt: mud\nSteps: 9, Sampler: Euler, CFG scale: 4, Seed: 77, Size: 64x48"
GRAPH = {
    "1": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "a.safetensors"}},
    "2": {"class_type": "CLIPTextEncode", "inputs": {"text": "a pond", "clip": ["1", 1]}},
    "3": {"class_type": "KSampler", "inputs": {"seed": 77, "steps": 9, "cfg": 4, "sampler_name": "euler",
          "scheduler": "normal", "denoise": 1, "model": ["1", 0], "positive": ["2", 0], "negative": ["2", 0]}},
    "4": {"class_type": "VAEDecode", "inputs": {"samples": ["3", 0], "vae": ["1", 2]}},
    "5": {"class_type": "SaveImage", "inputs": {"filename_prefix": "x", "images": ["4", 0]}},
}  # fmt: skip
API = json.dumps(GRAPH)
EDITOR = json.dumps({"nodes": [], "links": [], "last_node_id": 5})


def seed(data: bytes) -> int | None:
    draft = read_bytes(data).draft
    return draft.seed if draft else None


def exif_comment(text: str, how: str = "utf-16-be", order: str = ">", *, ifd0: bool = False) -> bytes:
    tag = write.Tag(0x9286, write.user_comment(text, how))
    return write.tiff([tag], None, order) if ifd0 else write.tiff([], [tag], order)


# --- EXIF ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", "><")
@pytest.mark.parametrize("how", ["utf-16-be", "utf-16-le", "utf-16", "utf-8", "ascii", "undefined", "bare"])
def test_a_user_comment_is_decoded_whatever_the_orders(how, order):
    """UTF-16 of both orders, with or without mark, inside TIFF of both orders, and UTF-8 behind every label."""
    assert seed(write.jpeg(write.jpeg_exif(exif_comment(TEXT, how, order)))) == 77


@pytest.mark.parametrize("how", ["utf-16-be", "utf-16-le"])
@pytest.mark.parametrize("prompt", ["水彩画の池", "　　　　　　", "池", "яблоко", "🦆🦆"])
def test_a_comment_that_begins_with_wide_letters_keeps_its_order(prompt, how):
    """The order is told from the whole text, not from its first letters."""
    draft = read_bytes(write.jpeg(write.jpeg_exif(exif_comment(TEXT.replace("a pond", prompt), how)))).draft
    assert draft.prompt == prompt.strip()


def test_a_comment_in_the_first_directory_is_read():
    """Some savers put UserComment into IFD0."""
    assert seed(write.jpeg(write.jpeg_exif(exif_comment(TEXT, "bare", ifd0=True)))) == 77


@pytest.mark.parametrize(
    ("tags", "label"),
    [
        ((0x0110, 0x010F), "{}:"),
        ((0x010F, 0x010E), "{}: "),
        ((0x010E, 0x0110), "{}:"),
    ],
)
@pytest.mark.parametrize("case", [str.lower, str.title])
@pytest.mark.parametrize("prefix", [b"", b"Exif\0\0"])
def test_labelled_graphs_are_found_in_any_of_three_tags(tags, label, case, prefix):
    """The label in front of the value names the payload; the tag does not."""
    payloads = zip(tags, ("prompt", "workflow"), (API, EDITOR), strict=True)
    entries = [write.Tag(tag, (case(label.format(name)) + text).encode() + b"\0", 2) for tag, name, text in payloads]
    reading = read_bytes(write.webp(write.riff_chunk(b"EXIF", prefix + write.tiff(entries))))
    assert reading.draft.seed == 77
    assert reading.workflow == json.loads(EDITOR)


def test_a_camera_is_no_graph():
    """Make: Canon must not match a label."""
    entries = [write.Tag(0x010F, b"Canon\0", 2), write.Tag(0x0110, b"Canon EOS 5D\0", 2)]
    assert read_bytes(write.jpeg(write.jpeg_exif(write.tiff(entries)))).draft is None


def test_a_comment_may_wrap_prompt_and_workflow():
    """One saver writes {"prompt": …, "workflow": …} without any label."""
    text = json.dumps({"prompt": GRAPH, "workflow": json.loads(EDITOR)})
    reading = read_bytes(write.jpeg(write.jpeg_exif(exif_comment(text, "bare", ifd0=True))))
    assert (reading.draft.seed, reading.workflow) == (77, json.loads(EDITOR))


def test_prompt_and_workflow_may_be_wrapped_as_texts():
    """Video savers write the graphs as JSON inside JSON."""
    assert seed(write.webm({"COMMENT": json.dumps({"prompt": API, "workflow": EDITOR})})) == 77


# --- PNG ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "chunk",
    [
        write.png_text("parameters", TEXT.replace("a pond", "テスト").encode("utf-8")),
        write.png_itxt("parameters", TEXT.replace("a pond", "テスト"), language="ja", translated="設定"),
        write.png_itxt("parameters", TEXT.replace("a pond", "テスト"), compressed=True),
        write.png_ztxt("parameters", TEXT.replace("a pond", "テスト")),
    ],
    ids=["tEXt with UTF-8", "iTXt with language", "compressed iTXt", "zTXt"],
)
@pytest.mark.parametrize("behind", [False, True])
def test_png_texts_of_every_kind_are_read_before_and_behind_the_pixels(chunk, behind):
    """The kind of chunk and its place make no difference."""
    data = write.png(after=(chunk,)) if behind else write.png(chunk)
    assert read_bytes(data).draft.prompt == "テスト"


def test_latin_text_is_decoded_as_the_standard_says():
    """TEXt that is not UTF-8 is Latin-1."""
    assert (
        read_bytes(write.png(write.png_text("parameters", TEXT.replace("a pond", "é").encode("latin-1")))).draft.prompt
        == "é"
    )


def test_a_second_text_of_one_key_does_not_replace_the_first():
    """The first that is not empty counts, and the rest is said."""
    chunks = [write.png_text("parameters", one) for one in ("", TEXT, TEXT.replace("77", "78"))]
    reading = read_bytes(write.png(*chunks))
    assert reading.draft.seed == 77
    assert any("more than once" in note for note in reading.notes)


@pytest.mark.parametrize("kind", ["exif", "APP1"])
def test_a_raw_profile_is_exif_in_letters(kind):
    """ImageMagick keeps EXIF as hexadecimal text."""
    raw = (b"Exif\0\0" + exif_comment(TEXT)).hex()
    lines = "\n".join(raw[at : at + 72] for at in range(0, len(raw), 72))
    assert seed(write.png(write.png_ztxt(f"Raw profile type {kind}", f"\n{kind}\n{len(raw) // 2:8}\n{lines}\n"))) == 77


def test_png_exif_xmp_and_private_chunks_are_read():
    """eXIf, the XMP text and the animated saver's comf chunk behind the pixels."""
    assert seed(write.png(write.png_chunk(b"eXIf", exif_comment(TEXT)))) == 77
    assert seed(write.png(write.png_itxt("XML:com.adobe.xmp", write.xmp(exif__UserComment=TEXT)))) == 77
    animated = write.png(after=(write.png_chunk(b"comf", b"prompt\0" + API.encode()),))
    assert seed(animated) == 77


def test_a_provenance_record_is_told_from_nothing():
    """C2PA alone is no recipe and no error; in every container it is named."""
    for data in (
        write.png(write.png_chunk(b"caBX", b"jumb")),
        write.jpeg(write.jpeg_segment(0xEB, b"JP\0\1\0\0\0\1\0\0\0\x20jumb")),
        write.webp(write.riff_chunk(b"C2PA", b"jumb")),
    ):
        reading = read_bytes(data)
        assert (reading.draft, reading.carriers) == (None, ("c2pa",))


# --- JPEG, WebP, GIF ----------------------------------------------------------------------------------------------


def test_jpeg_comments_and_xmp_are_read():
    """COM segments are UTF-8 and XMP is a second APP1."""
    assert seed(write.jpeg(write.jpeg_segment(0xFE, TEXT.encode()))) == 77
    assert seed(write.jpeg(write.jpeg_xmp(write.xmp(dc__description=TEXT)))) == 77


def test_xmp_attributes_are_read_too():
    """The same property may be an attribute."""
    packet = "<rdf:Description exif:UserComment='" + TEXT.replace("\n", "&#10;") + "'/>"
    assert seed(write.jpeg(write.jpeg_xmp(packet))) == 77


def test_odd_webp_chunks_are_padded():
    """A chunk of odd length is followed by one byte of padding."""
    odd = write.riff_chunk(b"ICCP", b"abc")
    assert seed(write.webp(odd, write.riff_chunk(b"EXIF", exif_comment(TEXT)))) == 77


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (write.png(width=7, height=9), (7, 9)),
        (write.jpeg(width=7, height=9), (7, 9)),
        (write.webp(width=7, height=9), (7, 9)),
        (
            b"RIFF\0\0\0\0WEBP" + write.riff_chunk(b"VP8L", b"\x2f" + (6 | 8 << 14).to_bytes(4, "little") + bytes(8)),
            (7, 9),
        ),
        (b"RIFF\0\0\0\0WEBP" + write.riff_chunk(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 7, 9)), (7, 9)),
        (write.avif(b"x"), (64, 48)),
        (write.gif("x"), (1, 1)),
        (write.mp4({"a": "b"}), (640, 360)),
        (write.webm({"a": "b"}), (640, 360)),
    ],
    ids=["png", "jpeg", "VP8X", "VP8L", "VP8", "avif", "gif", "mp4", "webm"],
)
def test_the_size_in_pixels_is_read_from_headers(data, size):
    """No container needs its pixels decoded to know its size."""
    reading = read_bytes(data)
    assert (reading.pixel_width, reading.pixel_height) == size


def test_a_gif_comment_is_read_across_blocks():
    """Comments are cut into blocks of 255 bytes."""
    assert seed(write.gif(TEXT.replace("a pond", "a pond " * 60))) == 77


# --- AVIF, HEIC, JPEG XL, video -----------------------------------------------------------------------------------


@pytest.mark.parametrize("brand", [b"avif", b"heic"])
@pytest.mark.parametrize("split", [False, True])
def test_heif_items_are_read_from_their_extents(brand, split):
    """Exif and XMP items, in one piece or in several."""
    assert seed(write.avif(exif_comment(TEXT), brand=brand, split=split)) == 77
    assert seed(write.avif(xmp=write.xmp(exif__UserComment=TEXT).encode(), brand=brand, split=split)) == 77


def test_workflows_in_avif_xmp_are_read():
    """The proposed saver writes prompt and workflow as XMP properties."""
    packet = write.xmp(comfy__prompt=API, comfy__workflow=EDITOR)
    assert seed(write.avif(xmp=packet.encode())) == 77


@pytest.mark.skipif(importlib.util.find_spec("brotli") is None, reason="the brotli package is not installed")
@pytest.mark.parametrize("build", [lambda tail: write.avif(b"x", tail=tail), write.jxl])
def test_a_brotli_box_holds_both_graphs(build):
    """One saver appends a compressed box to AVIF and JPEG XL."""
    import brotli

    packed = b"comf" + brotli.compress(json.dumps({"prompt": GRAPH, "workflow": json.loads(EDITOR)}).encode())
    assert seed(build(write.box(b"brob", packed))) == 77


def test_without_brotli_the_box_is_said_to_be_unread(monkeypatch):
    """A missing optional package costs one carrier and is named."""
    import sys

    monkeypatch.setitem(sys.modules, "brotli", None)
    reading = read_bytes(write.jxl(write.box(b"brob", b"comf123")))
    assert any("brotli" in note.lower() for note in reading.notes)


def test_jpeg_xl_boxes_are_read():
    """Exif has an offset in front of its TIFF; XMP has not."""
    assert seed(write.jxl(write.box(b"Exif", bytes(4) + exif_comment(TEXT)))) == 77
    assert seed(write.jxl(write.box(b"xml ", write.xmp(exif__UserComment=TEXT).encode()))) == 77


@pytest.mark.parametrize(
    "data",
    [
        write.mp4({"prompt": API, "workflow": EDITOR}),
        write.mp4({}, comment=json.dumps({"prompt": API, "workflow": EDITOR})),
        write.webm({"PROMPT": API, "WORKFLOW": EDITOR}),
    ],
    ids=["named keys", "comment", "webm"],
)
def test_videos_carry_the_graphs_in_their_tags(data):
    """As ComfyUI's own saver and the common combine node write them."""
    reading = read_bytes(data)
    assert (reading.draft.seed, reading.workflow) == (77, json.loads(EDITOR))


# --- hidden text and sidecars -------------------------------------------------------------------------------------


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("mode", ["alpha", "rgb"])
@pytest.mark.parametrize("height", [160, 21])
def test_hidden_text_is_read_where_nothing_else_is(mode, packed, height):
    """All four signatures, through all five row filters, also where the first column is shorter than a signature."""
    data = write.stealth_png(TEXT, mode=mode, packed=packed, height=height, width=96)
    reading = read_bytes(data)
    assert reading.carriers == (f"stealth:{mode}",)
    assert reading.draft.seed == 77


def test_visible_text_keeps_pixels_untouched(monkeypatch):
    """The probe is not even asked where a text was found."""
    monkeypatch.setattr("py.recipes.reader.read_stealth", lambda *_: pytest.fail("pixels were asked"))
    assert seed(write.png(write.png_text("parameters", TEXT))) == 77


def test_the_probe_gives_up_after_a_few_rows(monkeypatch):
    """An ordinary picture costs a few inflated rows, never a decoded image."""
    monkeypatch.setattr("py.recipes.containers.stealth._extract", lambda *_: pytest.fail("pixels were decoded"))
    assert read_bytes(write.png(width=64, height=200)).draft is None


@pytest.mark.parametrize("suffix", [".txt", ".json"])
def test_sidecars_are_read_only_when_asked_for(tmp_path, suffix):
    """A text beside the image speaks where the image is silent, by full name, and by choice."""
    image = tmp_path / "pond.png"
    image.write_bytes(write.png())
    text = (
        TEXT if suffix == ".txt" else json.dumps({"prompt": "a pond", "seed": "77", "use_stable_diffusion_model": "a"})
    )
    image.with_suffix(suffix).write_text(text, encoding="utf-8")
    (tmp_path / "po.txt").write_text(TEXT.replace("77", "78"), encoding="utf-8")
    assert read_image(image).draft is None
    assert read_image(image, sidecars=True).draft.seed == 77


def test_an_image_with_words_of_its_own_ignores_sidecars(tmp_path):
    """What the image says is never mixed with a file beside it."""
    image = tmp_path / "pond.png"
    image.write_bytes(write.png(write.png_text("parameters", TEXT)))
    image.with_suffix(".txt").write_text(TEXT.replace("77", "78"), encoding="utf-8")
    assert read_image(image, sidecars=True).draft.seed == 77


# --- the content hash ---------------------------------------------------------------------------------------------


def test_the_content_hash_tells_files_apart_by_head_middle_and_tail():
    """A change anywhere that is looked at, or of the size, changes it."""
    data = write.png(write.png_chunk(b"ruBb", bytes(200_000)))
    base = read_bytes(data).content_hash
    for at in (60, len(data) // 2, len(data) - 20):
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        assert read_bytes(changed).content_hash != base
    assert read_bytes(data + b"\0").content_hash != base
    assert read_bytes(data).content_hash == base


def test_stray_bytes_between_jpeg_segments_are_passed_over():
    """Viewers open such files, so they are pictures."""
    exif = write.jpeg_exif(exif_comment(TEXT))
    first = write.jpeg_segment(0xE0, b"JFIF\0")
    assert seed(write.jpeg(first + b"\0\0\0" + exif + b"\0")) == 77
    assert seed(write.jpeg(first + b"\xff\xff" + exif)) == 77


# One file of every container, for whoever needs them all.
EXAMPLES = (
    lambda: write.avif(exif_comment(TEXT), write.xmp(exif__UserComment=TEXT).encode()),
    lambda: write.avif(exif_comment(TEXT), split=True),
    lambda: write.jxl(
        write.box(b"Exif", bytes(4) + exif_comment(TEXT)), write.box(b"xml ", write.xmp(dc__description=TEXT).encode())
    ),
    lambda: write.mp4({"prompt": API, "workflow": EDITOR}),
    lambda: write.mp4({}, comment=json.dumps({"prompt": API, "workflow": EDITOR})),
    lambda: write.webm({"PROMPT": API, "WORKFLOW": EDITOR}),
    lambda: write.gif(TEXT),
    lambda: write.stealth_png(TEXT),
    lambda: write.stealth_png(TEXT, mode="rgb", packed=False),
    lambda: write.png(write.png_chunk(b"eXIf", exif_comment(TEXT)), write.png_chunk(b"caBX", b"jumb")),
    lambda: write.webp(
        write.riff_chunk(b"EXIF", exif_comment(TEXT)),
        write.riff_chunk(b"XMP ", write.xmp(dc__description=TEXT).encode()),
    ),
    lambda: write.jpeg(
        write.jpeg_exif(exif_comment(TEXT, "bare", ifd0=True)), write.jpeg_xmp(write.xmp(exif__UserComment=TEXT))
    ),
)


@pytest.mark.parametrize("prefix", ["comfy", "comfyui", "ns0"])
def test_graphs_in_xmp_are_told_by_what_they_are(prefix):
    """No prefix is settled; an XML prompt that is no object is not a graph."""
    assert seed(write.jpeg(write.jpeg_xmp(write.xmp(**{f"{prefix}__prompt": API})))) == 77
    assert read_bytes(write.jpeg(write.jpeg_xmp(write.xmp(**{f"{prefix}__prompt": "a pond"})))).carriers == ()
