"""Damage every fixture in random ways and read it: nothing but the one typed error may leave.

`make fuzz` runs 100,000 damaged files (``python -m tests.recipes.fuzz [COUNT] [SEED]``); the test run does a few
thousand. A file that breaks the reader is printed with its seed, so that it can be made again.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Iterator

if __name__ == "__main__":
    import tests.conftest  # noqa: F401 - mounts the package under its name

from py.core.errors import UnreadableImageError
from py.recipes.draft import Reading, draft_to_json
from py.recipes.reader import read_bytes

SLOWEST = 2.0
_INTERESTING = (b"\0", b"\xff", b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"\0\0\0\0", b'"', b"{", b"}", b"[", b"]", b"\\", b":",
                b",", b"\n", b"<lora:", b"Steps: 1, ", b"Negative prompt:", b"NaN", b"\xed\xa0\x80", b"null", b"-1", b"1e999",
                b"9" * 40, b"\\u0000", b"\\ud800")  # fmt: skip


def fixtures() -> list[bytes]:
    """Return every small file that the tests make."""
    from tests.recipes import test_containers, test_hostile, test_reader, test_reports

    files = [*test_reader.FILES.values(), *(data for data, _ in test_reports.REPORTS.values())]
    files += [data for data in test_hostile.HOSTILE.values() if len(data) < 2_000]
    files += [build() for build in test_containers.EXAMPLES]
    return [data for data in files if len(data) < 8 * 1024]


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return the file with one to six random changes."""
    found = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(found) + 1)
        kind = rng.randrange(7)
        if kind == 0 and at < len(found):
            found[at] ^= 1 << rng.randrange(8)
        elif kind == 1 and at < len(found):
            found[at] = rng.randrange(256)
        elif kind == 2:
            del found[at : at + rng.randint(1, 40)]
        elif kind == 3:
            found[at:at] = rng.choice(_INTERESTING)
        elif kind == 4:
            piece = rng.choice(_INTERESTING)
            found[at : at + len(piece)] = piece
        elif kind == 5:
            found[at:at] = found[at : at + rng.randint(1, 200)] * rng.randint(1, 5)
        else:
            del found[at:]
    return bytes(found)


def check(data: bytes) -> Reading | None:
    """Read a file and hold the promises about any result."""
    start = time.process_time()
    try:
        reading = read_bytes(data, "out_00001_.png")
    except UnreadableImageError as error:
        assert str(error)  # noqa: PT017 - the runner works without pytest
        reading = None
    assert time.process_time() - start < SLOWEST, "too slow"
    if reading is not None:
        json.dumps(reading.workflow, allow_nan=False, ensure_ascii=False).encode()
        json.dumps([reading.notes, reading.carriers], ensure_ascii=False).encode()
    if reading is not None and reading.draft is not None:
        _check_values(reading)
    return reading


def _check_values(reading: Reading) -> None:
    draft = reading.draft
    for name in ("seed", "steps", "width", "height", "clip_skip"):
        value = getattr(draft, name)
        assert value is None or type(value) is int, (name, value)
    for name in ("prompt", "negative_prompt", "sampler", "scheduler", "generator"):
        value = getattr(draft, name)
        assert value is None or type(value) is str, (name, value)
    json.dumps([draft_to_json(draft), draft.origins, draft.notes], allow_nan=False, ensure_ascii=False).encode()
    for use in draft.loras:
        assert use.name or use.hash or use.model_version_id
        for value in (use.strength_model, use.strength_clip):
            assert value is None or type(value) is float, value


def run(count: int, seed: int) -> Iterator[tuple[int, int, BaseException]]:
    """Read `count` damaged files; yield seed, index and error of each that broke a promise."""
    files = fixtures()
    for index in range(count):
        rng = random.Random(f"{seed}:{index}")
        data = damaged(rng.choice(files), rng)
        try:
            check(data)
        except Exception as error:  # noqa: BLE001 - finding any is the purpose
            yield seed, index, error


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    broken = 0
    start = time.perf_counter()
    for seed_of, index, error in run(count, seed):
        broken += 1
        print(f"seed {seed_of} index {index}: {type(error).__name__}: {error}")
    print(f"{count} damaged files in {time.perf_counter() - start:.0f} s, {broken} broke the reader")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
