"""Measure the recipe store at 100,000 recipes: how long a filter, a search and a page take.

``python -m tests.bench.bench_store [COUNT]`` makes the recipes once, in a temporary folder.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from py.core.clock import SystemClock
from py.recipes import store_rows
from py.recipes.store import RecipeFilter, RecipeStore
from py.storage.database import Database
from tests import conftest  # noqa: F401 - mounts the package

COUNT = 100_000
LIMIT_MS = 50.0
SYLLABLES = ("ba", "ke", "li", "mo", "nu", "ra", "shi", "to", "ve", "za")
WORDS = [f"{one}{two}{three}n" for one in SYLLABLES for two in SYLLABLES for three in SYLLABLES]
WEIGHTS = list(accumulate(1 / (rank + 1) for rank in range(len(WORDS))))  # as words are in language
CJK = "星空下的少女在樱花树旁微笑夜晚城市雨"
BASES = ("SDXL 1.0", "Illustrious", "Pony", "Flux.1 D", None)


def body(rng: random.Random, number: int) -> dict:
    prompt = ["masterpiece, 1girl", *rng.choices(WORDS, cum_weights=WEIGHTS, k=35), "".join(rng.choices(CJK, k=6))]

    def use(role: str, index: int) -> dict:
        name = f"{role}_{index:04d}.safetensors"
        known = {"hash": f"{index:010x}", "hash_type": "autov2", "model_version_id": 1000 + index}
        return {"name": name, **known, "vendor_name": f"Vendor {role} {index}", "version_name": "v1", "state": "found"}

    return {
        "prompt": ", ".join(prompt),
        "negative_prompt": "blurry",
        "seed": number,
        "checkpoint": use("base", rng.randrange(300)),
        "loras": [use("lora", int(rng.paretovariate(1)) % 3000) for _ in range(rng.randrange(4))],
        "embeddings": [],
        "vae": None,
        "other_models": [],
        "base_model": rng.choice(BASES),
    }


def fill(connection, start: int, count: int) -> None:
    rng = random.Random(start)
    for number in range(start, start + count):
        recipe = store_rows.NewRecipe(
            id=f"{number:032x}",
            title=f"image_{rng.randrange(10**9)}",
            created_at=1_700_000_000.0 + number // 64,
            body=body(rng, number),
            tags=tuple(rng.sample(("cats", "dogs", "fav", "night", "portrait"), rng.randrange(3))),
            source=f"/pictures/{number}.png",
            content_hash=f"{number:032x}",
            rating=rng.randrange(6),
            favourite=rng.random() < 0.05,
        )
        store_rows.insert(connection, recipe)


CASES = {
    "newest": RecipeFilter(),
    "title": RecipeFilter(sort="title"),
    "rating": RecipeFilter(sort="rating"),
    "far page": RecipeFilter(offset=90_000),
    "base model": RecipeFilter(base_model="Pony"),
    "base model, title": RecipeFilter(base_model="Pony", sort="title"),
    "favourites": RecipeFilter(favourite=True),
    "tag": RecipeFilter(tags=("cats",)),
    "two tags": RecipeFilter(tags=("cats", "dogs")),
    "lora common": RecipeFilter(lora="lora_0001"),
    "lora part": RecipeFilter(lora="lora_1"),
    "checkpoint": RecipeFilter(checkpoint="base_0100"),
    "word rare": RecipeFilter(q=WORDS[900]),
    "word": RecipeFilter(q=WORDS[40]),
    "words": RecipeFilter(q=f"{WORDS[2]} {WORDS[5]} {WORDS[40]}"),
    "word rare, title": RecipeFilter(q=WORDS[900], sort="title"),
    "word, title": RecipeFilter(q=WORDS[40], sort="title"),
    "word everywhere": RecipeFilter(q="masterpiece"),
    "word everywhere, title": RecipeFilter(q="masterpiece", sort="title"),
    "and base, title": RecipeFilter(q="masterpiece", base_model="Pony", sort="title"),
    "and page 20, title": RecipeFilter(q="masterpiece", sort="title", offset=1000),
    "and not, title": RecipeFilter(q=f"masterpiece -{WORDS[0]}", sort="title"),
    "prefix": RecipeFilter(q="bak"),
    "short prefix": RecipeFilter(q="b"),
    "cjk one": RecipeFilter(q="樱"),
    "cjk two": RecipeFilter(q="樱花"),
    "infix": RecipeFilter(q="girl"),
    "word and base": RecipeFilter(q=WORDS[40], base_model="Pony"),
    "no hit": RecipeFilter(q="nosuchword"),
}


# The numbers beside the filters come after the list, and may take longer.
FACETS_LIMIT_MS = 300.0
FACETS = {
    "facets": RecipeFilter(),
    "facets, tame": RecipeFilter(nsfw=4),
    "facets, base model": RecipeFilter(base_model="Pony"),
    "facets, word everywhere": RecipeFilter(q="masterpiece"),
}


async def measure(ask: Callable[[RecipeFilter], Awaitable[dict[str, Any]]], wish: RecipeFilter) -> tuple[float, int]:
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        found = await ask(wish)
        best = min(best, time.perf_counter() - start)
    return best * 1000, found["total"]


async def bench(folder: Path, count: int) -> bool:
    database = await Database.open(folder / "pantry.sqlite")
    store = RecipeStore(database, SystemClock())
    begun = time.perf_counter()
    have = (await database.fetch_one("SELECT COUNT(*) AS n FROM recipes"))["n"]
    for start in range(have, count, 1000):
        async with database.transaction() as tx:
            await tx.run(partial(fill, start=start, count=min(1000, count - start)))
    spent = time.perf_counter() - begun
    print(f"{count} recipes stored in {spent:.1f} s; {database.path.stat().st_size / 2**20:.0f} MB")
    slow = []
    for cases, ask, limit in ((CASES, store.list, LIMIT_MS), (FACETS, store.facets, FACETS_LIMIT_MS)):
        for name, wish in cases.items():
            ms, total = await measure(ask, wish)
            slow += [name] if ms > limit else []
            print(f"{name:24} {ms:7.1f} ms   {total} hits")
    await database.close()
    print(f"above {LIMIT_MS:g} ms, facets above {FACETS_LIMIT_MS:g} ms: {', '.join(slow) or 'none'}")
    return not slow


def main(count: int = COUNT) -> bool:
    """Run and print; return whether every case kept the limit."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(bench(Path(folder), count))


if __name__ == "__main__":
    sys.exit(0 if main(int(sys.argv[1]) if len(sys.argv) > 1 else COUNT) else 1)
