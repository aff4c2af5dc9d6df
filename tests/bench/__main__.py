"""Run the benches: all of them, or those named: ``python -m tests.bench import gate``."""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def names() -> list[str]:
    """Return every bench, without its ``bench_``."""
    return sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def run(name: str) -> bool:
    """Run one bench; return whether it held what it promises (a bench that returns nothing promises nothing)."""
    print(f"\n== {name}", flush=True)
    began = time.perf_counter()
    held = importlib.import_module(f"tests.bench.bench_{name}").main()
    print(f"   ({time.perf_counter() - began:.1f} s)")
    return held is not False


def main(wanted: list[str]) -> int:
    """Run the benches named, or all; return 1 where one did not hold what it promises."""
    from tests import conftest  # noqa: F401 - mounts the package under its name

    unknown = set(wanted) - set(names())
    if unknown:
        print(f"no such bench: {', '.join(sorted(unknown))}; there are {', '.join(names())}")
        return 2
    results = [run(name) for name in wanted or names()]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
