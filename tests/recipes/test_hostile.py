"""Files that were made to hurt: every cap holds, every step is linear, and only one error ever leaves."""

from __future__ import annotations

import contextlib
import json
import struct
import time
import zlib

import pytest

from py.core.errors import UnreadableImageError
from py.recipes.carrier import MAX_CARRIERS, MAX_INFLATED, MAX_JSON_DEPTH, Carrier, load_json
from py.recipes.parsers import a1111
from py.recipes.parsers.comfy.outputs import Origin
from py.recipes.parsers.dispatch import parse
from py.recipes.reader import read_bytes

from . import encoders as write
from .graphs import node, plain, with_inputs

SETTINGS = "Steps: 9, Sampler: Euler, CFG scale: 4, Seed: 77, Size: 64x48"


def seconds(work, *arguments) -> float:
    """Return the lesser of two runs, in seconds of processor time."""
    best = 60.0
    for _ in range(2):
        start = time.process_time()
        work(*arguments)
        best = min(best, time.process_time() - start)
    return best


def draft_of(data: object) -> object:
    """Parse a text as a carrier holds it; XMP goes through its container first."""
    text = data if isinstance(data, str) else json.dumps(data)
    if text.startswith("<"):
        return read_bytes(write.png(write.png_itxt("XML:com.adobe.xmp", text)))
    return parse([Carrier("png:Description", "Description", text)], Origin("_" * 300 + ".png"))


# Each makes an input of a size; ten times the size may take little more than ten times as long.
GROWING = {
    "delimiters": lambda n: ",." * n + SETTINGS,
    "commas": lambda n: SETTINGS + "," * n,
    "colons": lambda n: SETTINGS + ":" * n,
    "unclosed quotes": lambda n: SETTINGS + ', a:"\\"' * n,
    "unclosed brackets": lambda n: SETTINGS + ", a: [" * n,
    "unclosed braces": lambda n: SETTINGS + ', a: {"b":' * n,
    "negative labels": lambda n: "Negative prompt: x\n" * n + SETTINGS,
    "negative labels in line": lambda n: "Negative prompt: x " * n + SETTINGS,
    "steps labels": lambda n: "Steps: 1\n" * n,
    "steps labels in line": lambda n: "x Steps: 1, " * n,
    "spaces": lambda n: " " * n + SETTINGS,
    "newlines": lambda n: "\n" * n + SETTINGS,
    "words": lambda n: "a " * n + SETTINGS,
    "open tags": lambda n: "<lora:" * n + SETTINGS,
    "tags": lambda n: "".join(f"<lora:n{index}:1>" for index in range(n)) + "\n" + SETTINGS,
    "one tag": lambda n: "<lora:a:" + ":" * n + ">\n" + SETTINGS,
    "hashes": lambda n: f'{SETTINGS}, Lora hashes: "{", ".join(f"n{index}: {index:010x}" for index in range(n))}"',
    "resources": lambda n: f"{SETTINGS}, Civitai resources: {json.dumps([{'type': 'lora', 'modelVersionId': i + 1} for i in range(n)])}",
    "dream": lambda n: '"' + "[x" * n + '" -s 5 -S 3 ' + "-x " * n,
    "midjourney": lambda n: "a" + " --no x" * n + " --v 6 Job ID: 01234567",
    "block marks": lambda n: "Recipe metadata: {" * n + SETTINGS,
    "pieces without keys": lambda n: SETTINGS + ", x y" * n,
    "spaces before a job": lambda n: "a --v 6 --ar 1:1 --no" + " " * n + "Job ID",
    "spaces in a source": lambda n: json.dumps({"Software": "NovelAI", "Source": "x" + " " * n + "y", "Comment": {}}),
    "spaces in a size": lambda n: SETTINGS.replace("64x48", " " * n + "x") + ", Hires resize: " + "(" + " " * n,
    "spaces in names": lambda n: f"{SETTINGS}, Refiner: a{' ' * n}b, Sampler: c{' ' * n}, Model: {' ' * n}d",
    "spaces in a call": lambda n: '"withLora(' + " " * n + '" -s 5 -S 3',
    "a long prefix": lambda n: json.dumps({"1": node("KSampler", seed=1, steps=2, positive="x"), "2": node(
        "SaveImage", images=["1", 0], filename_prefix="_" * n + "x")}),
    "items in XMP": lambda n: "<exif:UserComment>" + "<rdf:li>" * n + "</exif:UserComment>",
    "pairs without steps": lambda n: "Sampler: a, Seed: 1, CFG scale: 2" + ", x: y" * n,
}  # fmt: skip


def test_fifty_thousand_delimiters_are_nothing():
    """The shape that once stopped a site."""
    assert seconds(draft_of, "Parameters: a" + ",." * 50_000 + "Negative prompt: b" + "." * 50_000 + SETTINGS) < 1


@pytest.mark.parametrize("make", GROWING.values(), ids=GROWING)
def test_texts_are_read_in_linear_time(make):
    """Ten times the text costs about ten times the time, whatever it is made of."""
    small, large = make(2_500), make(25_000)
    few, many = seconds(draft_of, small), seconds(draft_of, large)
    assert many < 0.05 + 40 * few, (few, many)
    assert many < 2.0


def chain(length: int) -> dict:
    """A model, a conditioning and a chain of samplers, each as long as the graph."""
    graph = plain()
    for index in range(length):
        before = ["base", 0] if index == 0 else [f"m{index - 1}", 0]
        graph[f"m{index}"] = node("ModelPatch", model=before)
        graph[f"c{index}"] = node(
            "ConditioningSetArea", conditioning=["pos", 0] if index == 0 else [f"c{index - 1}", 0]
        )
    last = length - 1
    return with_inputs(graph, "sampler", model=[f"m{last}", 0], positive=[f"c{last}", 0])


def samplers(length: int) -> dict:
    graph = plain()
    for index in range(length):
        before = "sampler" if index == 0 else f"s{index - 1}"
        graph[f"s{index}"] = {
            **graph["sampler"],
            "inputs": {**graph["sampler"]["inputs"], "seed": index, "latent_image": [before, 0]},
        }
    return with_inputs(graph, "decode", samples=[f"s{length - 1}", 0])


def mesh(length: int) -> dict:
    """Every node is linked to the two before it, so that there are exponentially many ways."""
    graph = plain()
    for index in range(length):
        links = [["pos", 0], ["pos", 0]] if index < 2 else [[f"c{index - 1}", 0], [f"c{index - 2}", 0]]
        graph[f"c{index}"] = node("ConditioningCombine", conditioning_1=links[0], conditioning_2=links[1])
    return with_inputs(graph, "sampler", positive=[f"c{length - 1}", 0])


def outputs(length: int) -> dict:
    graph = plain()
    for index in range(length):
        graph[f"o{index}"] = node("SaveImage", images=["decode", 0], filename_prefix=f"x{index}")
    return graph


@pytest.mark.parametrize("make", [chain, samplers, mesh, outputs])
def test_large_graphs_are_read_in_linear_time(make):
    """Five thousand nodes, in a row, in a mesh, or all of them outputs."""
    few, many = seconds(draft_of, json.dumps(make(500))), seconds(draft_of, json.dumps(make(5_000)))
    assert many < 0.1 + 40 * few, (few, many)
    (found,) = draft_of(make(5_000)).candidates
    assert (found.draft.seed, found.draft.prompt) == (7, "a pond")


def doubled(depth: int) -> dict:
    """A text that is joined with itself again and again would fill the memory."""
    graph = plain(t0=node("PrimitiveString", value="x" * 100))
    for index in range(1, depth):
        graph[f"t{index}"] = node(
            "StringConcatenate", string_a=[f"t{index - 1}", 0], string_b=[f"t{index - 1}", 0], delimiter=""
        )
    return with_inputs(graph, "pos", text=[f"t{depth - 1}", 0])


def test_a_text_that_doubles_is_unknown():
    """Fifty doublings are cut off, not built."""
    assert draft_of(doubled(50)).candidates[0].draft.prompt is None


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("sampler", {"model": ["sampler", 0]}),
        ("sampler", {"latent_image": ["decode", 0]}),
        ("sampler", {"positive": ["pos", 0], "seed": ["sampler", 0]}),
        ("pos", {"text": ["pos", 0]}),
        ("pos", {"clip": ["pos", 0]}),
        ("decode", {"samples": ["decode", 0], "vae": ["decode", 0]}),
        ("save", {"images": ["save", 0]}),
    ],
)
def test_graphs_that_bite_their_tail_end(name, inputs):
    """A cycle is walked once."""
    draft_of(with_inputs(plain(), name, **inputs))


# --- caps ---------------------------------------------------------------------------------------------------------


def test_deep_json_is_not_json():
    """Nesting beyond the cap is refused, far below where Python would break."""
    assert load_json("[" * MAX_JSON_DEPTH + "]" * MAX_JSON_DEPTH) is not None
    for depth in (MAX_JSON_DEPTH + 1, 900, 100_000):
        assert load_json("[" * depth + "]" * depth) is None
        assert load_json('{"a":' * depth + "1" + "}" * depth) is None


def test_a_prompt_of_ten_megabytes_is_read():
    """Long is not hostile; and it takes no longer than reading it."""
    text = "word, " * 1_700_000 + "\nNegative prompt: mud\n" + SETTINGS
    start = time.process_time()
    draft = read_bytes(write.png(write.png_ztxt("parameters", text[:7_000_000] + "\n" + SETTINGS))).draft
    assert len(draft.prompt) > 6_000_000
    assert len(a1111.parse(text).prompt) > 10_000_000
    assert time.process_time() - start < 5


def test_a_bomb_costs_one_text():
    """A text that unpacks beyond the cap is left out and said; the others stay."""
    bomb = zlib.compress(bytes(MAX_INFLATED * 8), 9)
    for chunk in (
        write.png_chunk(b"zTXt", b"parameters\0\0" + bomb),
        write.png_chunk(b"iTXt", b"parameters\0\1\0\0\0" + bomb),
    ):
        reading = read_bytes(write.png(chunk, write.png_text("Comment", f"x\n{SETTINGS}")))
        assert reading.draft.seed == 77
        assert any("unpacked" in note for note in reading.notes)


def test_thousands_of_texts_are_cut_off():
    """The number of carriers and of notes is bounded."""
    reading = read_bytes(write.png(*(write.png_text(f"key{index}", "x" * 50) for index in range(3 * MAX_CARRIERS))))
    assert len(reading.carriers) == MAX_CARRIERS
    assert len(reading.notes) <= MAX_CARRIERS


@pytest.mark.parametrize("length", [0, 1, 2**31 - 1, 2**32 - 1])
@pytest.mark.parametrize("kind", [b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"IHDR", b"IDAT", b"caBX"])
def test_a_png_that_lies_about_lengths_ends(kind, length):
    """A length beyond the end of the file reads what is there."""
    header = write.png_chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0))
    with contextlib.suppress(UnreadableImageError):
        read_bytes(b"\x89PNG\r\n\x1a\n" + header + struct.pack(">I", length) + kind + b"abc")


@pytest.mark.parametrize(
    "data",
    [
        b"GIF89a" + bytes(50),
        b"\xff\xd8\xff\xe0",
        b"\x89PNG\r\n\x1a\nxx",
        b"\xff\xd8\xff",
        b"RIFF\0\0\0\0WEBP",
        b"\0\0\0\x10ftypavif" + bytes(8),
    ],
)
def test_a_signature_alone_is_no_picture(data):
    """Such a file has failed, and is not merely silent."""
    with pytest.raises(UnreadableImageError, match="damaged"):
        read_bytes(data)


def loop_tiff() -> bytes:
    """A directory whose Exif pointer is itself, and values outside of the block."""
    entries = struct.pack(">HHII", 0x8769, 4, 1, 8) + struct.pack(">HHII", 0x9286, 7, 2**31, 2**31)
    return b"MM\0*" + struct.pack(">IH", 8, 2) + entries + bytes(4)


HOSTILE = {
    "a TIFF that points to itself": write.jpeg(write.jpeg_exif(loop_tiff())),
    "a TIFF of many entries": write.jpeg(write.jpeg_exif(b"II*\0" + struct.pack("<IH", 8, 65_535))),
    "a TIFF that ends": write.jpeg(write.jpeg_exif(b"MM\0*\0\0")),
    "a JPEG of empty segments": b"\xff\xd8\xff" + b"\xff\xe1\0\2" * 10_000,
    "a JPEG of fill bytes": b"\xff\xd8" + b"\xff" * 100_000,
    "a WebP of empty chunks": b"RIFF\0\0\0\0WEBP" + b"EXIF\0\0\0\0" * 100_000,
    "boxes of size zero": b"\0\0\0\x10ftypavif" + bytes(8) + bytes(100_000),
    "boxes inside boxes": write.box(b"ftyp", b"avif") + write.box(b"moov", write.box(b"udta", write.box(b"meta", bytes(4) + bytes(50_000)))),
    "a box longer than the file": write.box(b"ftyp", b"avif") + struct.pack(">I4sQ", 1, b"meta", 2**63) + bytes(50),
    "many items": write.box(b"ftyp", b"avif") + write.box(b"meta", bytes(4) + write.box(
        b"iloc", b"\1\0\0\0\x44\0\xff\xff" + bytes(100_000)) + write.box(b"iinf", bytes(4) + b"\xff\xff" + bytes(100_000))),
    "an element of unknown size": b"\x1a\x45\xdf\xa3\xff" + b"\x18\x53\x80\x67\xff" * 100,
    "elements of no size": b"\x1a\x45\xdf\xa3\x80" + b"\x67\xc8\x80" * 100_000,
    "a GIF of comments": b"GIF89a" + bytes(7) + b"\x21\xfe\0" * 100_000,
    "a GIF without end": b"GIF89a" + bytes(7) + b"\x21\xfe" + b"\xff" * 100_000,
    "a raw profile of nonsense": write.png(write.png_text("Raw profile type exif", "\nexif\n99\nzz zz\n")),
    "XMP that opens and opens": write.png(write.png_itxt("XML:com.adobe.xmp", "<exif:UserComment><rdf:li>" * 20_000)),
    "numbers of many digits": write.png(write.png_text("prompt", '{"1": {"class_type": "x", "inputs": {"seed": ' + "9" * 50_000 + "}}}")),
}  # fmt: skip


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_read_in_bounded_time(data):
    """Whatever a header claims, the reader ends, and raises nothing of its own."""
    start = time.process_time()
    with contextlib.suppress(UnreadableImageError):
        read_bytes(data)
    assert time.process_time() - start < 2


def many_bombs() -> bytes:
    bomb = zlib.compress(bytes(MAX_INFLATED - 1000), 9)
    return write.png(*(write.png_chunk(b"zTXt", f"key{index}".encode() + b"\0\0" + bomb) for index in range(300)))


def many_items() -> bytes:
    """Thousands of Exif items that all are the whole file."""
    kinds = b"".join(write._infe(index, b"Exif") for index in range(1, 4000))
    places = b"".join(struct.pack(">HHHII", index, 0, 1, 0, 2**31 - 1) for index in range(1, 4000))
    iinf = write.box(b"iinf", bytes(4) + struct.pack(">H", 3999) + kinds)
    iloc = write.box(b"iloc", bytes(4) + b"\x44\0" + struct.pack(">H", 3999) + places)
    return (
        write.box(b"ftyp", b"avif") + write.box(b"meta", bytes(4) + iinf + iloc) + write.box(b"mdat", bytes(8_000_000))
    )


def many_values() -> bytes:
    """A thousand EXIF entries that all are the whole block."""
    head = b"MM\0*" + struct.pack(">IH", 8, 1000)
    entries = struct.pack(">HHII", 0x010E, 2, 8_000_000, 0) * 1000
    return write.png(write.png_chunk(b"eXIf", head + entries + bytes(8_000_000)))


@pytest.mark.parametrize("make", [many_bombs, many_items, many_values])
def test_the_whole_file_has_one_budget(make):
    """What one text may cost, a thousand may not cost each."""
    data = make()
    start = time.process_time()
    with contextlib.suppress(UnreadableImageError):
        read_bytes(data)
    assert time.process_time() - start < 3


@pytest.mark.parametrize("keep", [1, 8, 20, 33, 50, 100, 150])
def test_a_file_that_ends_early_is_no_error(keep):
    """A download that was cut still says what it had, or nothing."""
    whole = write.png(write.png_text("parameters", f"a\n{SETTINGS}"))
    if keep < whole.index(b"IDAT"):
        with pytest.raises(UnreadableImageError):
            read_bytes(whole[:keep])
    else:
        assert read_bytes(whole[:keep]).draft.seed == 77


def nested(width: int, depth: int) -> dict:
    """Definitions of which each holds the next one several times."""
    bodies = [
        {
            "id": f"s{level}",
            "nodes": [{"id": index, "type": f"s{level + 1}"} for index in range(width)],
            "links": [],
            "inputs": [],
        }
        for level in range(depth)
    ]
    return {"nodes": [{"id": 1, "type": "s0"}], "links": [], "definitions": {"subgraphs": bodies}}


def drawing(length: int) -> dict:
    """A long chain of nodes, half of them reroutes."""
    nodes = [{"id": index, "type": "Reroute" if index % 2 else "ModelPatch", "inputs": [{"name": "model", "link": index}],
              "outputs": [{"type": "MODEL"}]} for index in range(length)]  # fmt: skip
    return {"nodes": nodes, "links": [[index, index - 1, 0, index, 0, "MODEL"] for index in range(1, length)]}


@pytest.mark.parametrize("form", [nested(10, 12), nested(1, 200), drawing(5_000)], ids=["wide", "deep", "long"])
def test_large_drawings_are_laid_out_in_bounded_time(form):
    """Definitions that multiply are cut off; long ones are read."""
    start = time.process_time()
    read_bytes(write.png(write.png_text("workflow", json.dumps(form))))
    assert time.process_time() - start < 3
