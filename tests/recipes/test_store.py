"""Find recipes: by words in any script, by models, tags and marks, page after page."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from py.core.errors import InvalidRequestError, NotFoundError
from py.recipes import store_filter, store_rows
from py.recipes.search import match_expression, searchable
from py.recipes.store import RecipeFilter, RecipeStore
from py.recipes.store_filter import conditions_of
from py.storage.database import Database
from tests.doubles.fake_clock import FakeClock

CHECKPOINTS = ("dream_v2.safetensors", "harbour.ckpt")
BASES = ("SDXL 1.0", "Pony")


def use(name, **known):
    return {"name": name, "hash": None, "state": "found", "vendor_name": None, "version_name": None, **known}


def recipe(number, prompt="a cat", **changes):
    body = {
        "prompt": prompt,
        "negative_prompt": "blurry",
        "checkpoint": use(CHECKPOINTS[number % 2], hash=f"{number % 2:010x}", model_version_id=100 + number % 2),
        "loras": [use(f"folder/lora_{number % 3}.safetensors", vendor_name=f"Vendor {number % 3}")],
        "embeddings": [],
        "vae": None,
        "other_models": [],
        "base_model": BASES[number % 2],
        "source": {},
    }
    return store_rows.NewRecipe(
        id=f"r{number}",
        title=changes.pop("title", f"title {number:03d}"),
        created_at=1000.0 + number,
        body=body,
        rating=number % 6,
        favourite=number % 4 == 0,
        source=f"/pictures/{number}.png",
        content_hash=f"h{number}",
        tags=changes.pop("tags", ("even",) if number % 2 == 0 else ("Odd", "x")),
        **changes,
    )


class Shelf:
    def __init__(self, database):
        self.database = database
        self.clock = FakeClock()
        self.store = RecipeStore(database, self.clock)

    async def add(self, *recipes):
        async with self.database.transaction() as tx:
            await tx.run(lambda connection: [store_rows.insert(connection, one) for one in recipes])

    async def ids(self, **wish):
        return [one["id"] for one in (await self.store.list(RecipeFilter(**wish)))["items"]]


@pytest.fixture
async def shelf(tmp_path):
    database = await Database.open(tmp_path / "pantry.sqlite")
    yield Shelf(database)
    await database.close()


@pytest.fixture
async def full(shelf):
    await shelf.add(*(recipe(number) for number in range(60)))
    return shelf


@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("cat", True),
        ("CATS", True),
        ("girl", True),
        ("1girl", True),
        ("樱", True),
        ("樱花", True),
        ("花树", True),
        ("花樱", False),
        ("さくら", True),
        ("ネコ", True),
        ("벚꽃", True),
        ("cafe", True),
        ("café", True),
        ('"sitting cats"', True),
        ('"cats sitting"', False),
        ("cats -dog", True),
        ("cats -sitting", False),
        ("harb", True),
        ("lora_0", True),
        ("Vendor", True),
        ("even", True),
        ("holiday", True),
        ("nothing", False),
        ("blurry", False),
        ("...", False),
        ('" OR prompt', False),
        ("NEAR(", False),
        ("title:x*", False),
    ],
)
async def test_words_are_found_in_every_script(shelf, q, found):
    """Prompts, names, tags and notes are searched by word, part of a word from its start, and CJK character."""
    prompt = "1girl, two sitting cats under 樱花树, さくらとネコ, 벚꽃, at the Café"
    await shelf.add(recipe(0, prompt, title="Harbour", notes="holiday in May"))

    assert await shelf.ids(q=q) == (["r0"] if found else [])


@given(st.text(max_size=40))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_no_text_breaks_the_search(tmp_path_factory, text):
    """Whatever is typed is a valid expression or none."""
    database = await Database.open(tmp_path_factory.getbasetemp() / "hostile.sqlite")
    try:
        await RecipeStore(database, FakeClock()).list(RecipeFilter(q=text, lora=text, checkpoint=text, tags=(text,)))
    finally:
        await database.close()


@given(st.text(alphabet="ab1 樱花さ", min_size=1, max_size=12))
def test_a_text_is_found_by_itself(text):
    """Text and query are prepared alike."""
    expression = match_expression(f'"{text}"')

    assert expression is None or searchable(text).split() == expression.strip('"').split()


@pytest.mark.parametrize(
    ("wish", "fits"),
    [
        ({"lora": "lora_1"}, lambda n: n % 3 == 1),
        ({"lora": "vendor 2"}, lambda n: n % 3 == 2),
        ({"checkpoint": "dream"}, lambda n: n % 2 == 0),
        ({"checkpoint": "0000000001"}, lambda n: n % 2 == 1),
        ({"checkpoint": "100"}, lambda n: n % 2 == 0),
        ({"checkpoint": "%"}, lambda n: False),
        ({"base_model": "Pony"}, lambda n: n % 2 == 1),
        ({"tags": ("EVEN",)}, lambda n: n % 2 == 0),
        ({"tags": ("odd", "x")}, lambda n: n % 2 == 1),
        ({"tags": ("odd", "even")}, lambda n: False),
        ({"favourite": True}, lambda n: n % 4 == 0),
        ({"favourite": False, "base_model": "SDXL 1.0"}, lambda n: n % 4 == 2),
        ({"missing": True}, lambda n: False),
        ({"q": "cat", "lora": "lora_0", "tags": ("even",)}, lambda n: n % 6 == 0),
    ],
)
@pytest.mark.parametrize(("rare", "many"), [(0, 10_000), (10_000, 10_000), (0, 0)])
async def test_filters_mean_the_same_on_every_road(full, monkeypatch, wish, fits, rare, many):
    """Whether a page is made from a list, by walking or in stretches, it holds the same recipes in the same order."""
    monkeypatch.setattr(store_filter, "RARE", rare)
    monkeypatch.setattr(store_filter, "MANY", many)
    expected = [f"r{number}" for number in range(59, -1, -1) if fits(number)]

    for sort in ("newest", "oldest", "title", "rating"):
        found = await full.store.list(RecipeFilter(**wish, sort=sort, limit=100))
        assert sorted(one["id"] for one in found["items"]) == sorted(expected)
        assert (found["total"], found["total_is_exact"]) == (len(expected), True)
    assert await full.ids(**wish, limit=100) == expected


@pytest.mark.parametrize("sort", ["newest", "oldest", "title", "-title", "rating", "updated", "missing"])
@pytest.mark.parametrize("wish", [{}, {"q": "cat"}, {"tags": ("even",)}, {"q": "even"}])
@pytest.mark.parametrize("common", [False, True])
async def test_pages_follow_each_other_without_gap_or_overlap(full, monkeypatch, sort, wish, common):
    """Walking by cursor gives each recipe once, in the order of the whole list, also where a stretch is too short."""
    if common:
        monkeypatch.setattr(store_filter, "RARE", 0)
        monkeypatch.setattr(store_filter, "MANY", 0)
        monkeypatch.setattr(store_filter, "STRETCH", 1)
    whole = await full.ids(sort=sort, limit=100, **wish)
    pages, cursor = [], None
    while True:
        page = await full.store.list(RecipeFilter(sort=sort, limit=7, cursor=cursor, **wish))
        pages.append([one["id"] for one in page["items"]])
        cursor = page["next_cursor"]
        if cursor is None:
            break

    assert list(itertools.chain(*pages)) == whole
    assert len(set(whole)) == len(whole)
    assert await full.ids(sort=sort, limit=5, offset=5, **wish) == whole[5:10]


@pytest.mark.parametrize("cursor", ["x", "", "e30=", "WyJ0aXRsZSIsMSwyXQ==", "WyJuZXdlc3QiLFtdLDJd"])
async def test_a_foreign_cursor_is_refused(full, cursor):
    """A cursor of another order, or junk, is a bad request and nothing else."""
    if cursor == "":
        assert len(await full.ids(cursor=cursor)) == 50
        return
    with pytest.raises(InvalidRequestError):
        await full.ids(cursor=cursor)


async def test_an_unknown_order_is_refused(full):
    """The sentence names the orders there are."""
    with pytest.raises(InvalidRequestError, match="newest"):
        await full.ids(sort="size; DROP TABLE recipes")


async def test_what_a_person_writes_is_kept_and_found(full):
    """Title, tags, favourite, rating and notes can be changed, and search knows at once."""
    changed = await full.store.patch("r1", {"title": "Löwe", "tags": ["Zoo", "zoo", " "], "rating": 5, "notes": "roar"})

    assert (changed["title"], changed["tags"], changed["rating"]) == ("Löwe", ["Zoo"], 5)
    assert await full.ids(q="lowe") == await full.ids(q="roar") == await full.ids(tags=("ZOO",)) == ["r1"]
    assert await full.ids(q="odd title 001") == []


@pytest.mark.parametrize(
    "changes",
    [{"rating": 6}, {"rating": True}, {"title": 3}, {"tags": "x"}, {"tags": [1]}, {"body": {}}, {"favourite": 1}],
)
async def test_a_wrong_change_is_refused(full, changes):
    """Nothing is changed by half."""
    with pytest.raises(InvalidRequestError):
        await full.store.patch("r1", changes)


async def test_deleting_can_be_undone(full):
    """A deleted recipe is nowhere to be found, and comes back whole."""
    before = await full.store.get("r1")

    assert await full.store.delete("r1")
    assert not await full.store.delete("r1")
    assert await full.store.get("r1") is None
    assert "r1" not in await full.ids(limit=100, q="cat")
    with pytest.raises(NotFoundError):
        await full.store.patch("r1", {"rating": 1})
    assert await full.store.known_content(["h1"]) == {}
    assert await full.store.restore(["r1", "r2"]) == 1

    assert {**await full.store.get("r1"), "updated_at": 0} == {**before, "updated_at": 0}
    assert await full.ids(q="cat", limit=1) == ["r1"]


async def test_many_at_once(full):
    """One action for a selection; what does not change is not counted."""
    chosen = ["r0", "r1", "nobody"]

    assert await full.store.bulk(chosen, "add_tags", tags=["EVEN", "new"]) == 2
    assert (await full.store.get("r0"))["tags"] == ["even", "new"]
    assert await full.store.bulk(chosen, "remove_tags", tags=["New"]) == 2
    assert await full.store.bulk(chosen, "remove_tags", tags=["New"]) == 0
    assert await full.store.bulk(chosen, "favourite", favourite=True) == 2
    assert await full.store.bulk(chosen, "delete") == 2
    assert await full.store.bulk(chosen, "restore") == 2
    with pytest.raises(InvalidRequestError):
        await full.store.bulk(chosen, "explode")


async def test_recipes_are_shown_up_to_a_level_of_maturity(shelf):
    """What nobody has rated counts as the lowest level, in the filter and in the numbers beside it."""
    await shelf.add(*(recipe(number, nsfw_level=level) for number, level in enumerate((None, 1, 2, 4, 16))))

    shown = {level: len(await shelf.ids(nsfw=level)) for level in (1, 2, 4, 8, 16)}

    assert shown == {1: 2, 2: 3, 4: 4, 8: 4, 16: 5}
    assert await shelf.ids(nsfw=4, q="cat", lora="lora_0", sort="title") == ["r0", "r3"]
    told = await shelf.store.facets(RecipeFilter(nsfw=2))
    assert told["nsfw_levels"] == [{"value": 1, "count": 2}, {"value": 2, "count": 1}]


async def test_a_person_may_rate_maturity(shelf):
    """Only CivitAI's levels, or null, can be set; the trash keeps it."""
    await shelf.add(recipe(1))
    assert (await shelf.store.get("r1"))["nsfw_level"] is None

    assert (await shelf.store.patch("r1", {"nsfw_level": 8}))["nsfw_level"] == 8
    for wrong in (0, 3, 32, True, "8", 4.0):
        with pytest.raises(InvalidRequestError, match="nsfw_level"):
            await shelf.store.patch("r1", {"nsfw_level": wrong})
    await shelf.store.delete("r1")
    await shelf.store.restore(["r1"])
    assert (await shelf.store.get("r1"))["nsfw_level"] == 8
    assert (await shelf.store.patch("r1", {"nsfw_level": None}))["nsfw_level"] is None


async def test_the_filter_by_level_reads_an_index(shelf):
    """A hundred thousand recipes are not walked to find the tame ones."""
    rows = conditions_of(RecipeFilter(nsfw=2))[0]
    plan = await shelf.database.fetch_all(f"EXPLAIN QUERY PLAN {rows.rows}", rows.values)
    assert "recipes_by_nsfw_level" in plan[0]["detail"]


async def test_facets_count_what_the_filter_leaves(full):
    """The numbers beside a filter are those of the recipes that one sees."""
    told = await full.store.facets(RecipeFilter(base_model="Pony"))

    assert told["checkpoints"] == [{"value": "harbour", "count": 30}]
    assert told["loras"] == [{"value": f"Vendor {n}", "count": 10} for n in range(3)]
    assert told["base_models"] == [{"value": "Pony", "count": 30}]
    assert {one["value"]: one["count"] for one in told["tags"]} == {"Odd": 30, "x": 30}
    assert (told["total"], told["favourites"], told["missing"]) == (30, 0, 0)
    assert (await full.store.facets(RecipeFilter()))["total"] == 60


async def test_a_file_is_known_by_path_size_and_time(shelf):
    """A changed file is read again, an unchanged one is not."""
    await shelf.add(recipe(1, source_size=5, source_mtime_ns=7))

    assert await shelf.store.known_files({"/pictures/1.png": (5, 7)}) == {"/pictures/1.png": "r1"}
    assert await shelf.store.known_files({"/pictures/1.png": (5, 8), "/other": (5, 7)}) == {}


async def test_thousands_are_asked_about_at_once(full):
    """There is no limit on how many files one asks about."""
    assert len(await full.store.known_content([f"h{number}" for number in range(5000)])) == 60
