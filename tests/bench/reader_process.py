"""Read a folder with one reader, in a process of its own, and print what that took as one JSON line.

Started by `bench_readers` with the interpreter of the environment that holds the reader:
``python reader_process.py NAME FOLDER [ROOT]``; `ROOT` is this checkout, needed for our own reader only.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

# The quickest round counts: whatever else the machine does only adds.
_ROUNDS = 5
Read = Callable[[Path], "tuple[int | None, list[str]]"]


def pantry(root: str) -> Read:
    """Return our reader: seed and LoRA names of a file."""
    sys.path.insert(0, root)
    import tests.conftest  # noqa: F401 - mounts the package
    from py.recipes.reader import read_image

    def read(path: Path) -> tuple[int | None, list[str]]:
        draft = read_image(path).draft
        return (draft.seed, [str(one.name) for one in draft.loras]) if draft else (None, [])

    return read


def sd_parsers() -> Read:
    """Return sd-parsers at its quickest setting; it lists no LoRAs."""
    from sd_parsers import Eagerness, ParserManager

    manager = ParserManager(eagerness=Eagerness.FAST)

    def read(path: Path) -> tuple[int | None, list[str]]:
        info = manager.parse(str(path))
        seeds = [one.parameters.get("seed") for one in info.samplers] if info else []
        return (int(seeds[0]) if seeds and seeds[0] is not None else None), []

    return read


def sd_prompt_reader() -> Read:
    """Return sd-prompt-reader; it lists no LoRAs."""
    from sd_prompt_reader.image_data_reader import ImageDataReader

    def read(path: Path) -> tuple[int | None, list[str]]:
        parameter = ImageDataReader(str(path)).parameter or {}
        seed = str(parameter.get("seed", ""))
        return (int(seed) if seed.isdigit() else None), []

    return read


def peak_memory() -> float:
    """Return the most memory that this process has held, in MiB; 0 where the system does not say.

    Linux's own counter is asked first, because getrusage also counts the parent's size at the fork.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        peak = next(row for row in status.read_text(encoding="ascii").splitlines() if row.startswith("VmHWM"))
        return int(peak.split()[1]) / 1024
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def tried(read: Read, path: Path) -> tuple[int | None, list[str]]:
    """Read one file; another program's reader may raise anything, and has then read nothing."""
    try:
        return read(path)
    except Exception:  # noqa: BLE001 - see above
        return None, []


def main() -> None:
    """Warm the cache, read every file, and report."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    read = {"pantry": lambda: pantry(sys.argv[3]), "sd-parsers": sd_parsers, "sd-prompt-reader": sd_prompt_reader}[
        name
    ]()
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    paths = [folder / one for one in truth]
    for path in paths:
        path.read_bytes()
    start_memory, seconds = peak_memory(), []
    for _ in range(_ROUNDS if name != "sd-prompt-reader" else 1):
        right, loras, start = 0, 0, time.process_time()
        for path in paths:
            seed, names = tried(read, path)
            right += seed == truth[path.name]["seed"]
            loras += len(set(names) & set(truth[path.name]["loras"]))
        seconds.append(time.process_time() - start)
    print(json.dumps({
        "reader": name, "files": len(paths), "processor_seconds": min(seconds),
        "seeds_right": right, "loras_found": loras,
        "memory_mib": peak_memory(), "memory_at_start_mib": start_memory,
    }))  # fmt: skip


if __name__ == "__main__":
    main()
