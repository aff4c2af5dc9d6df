"""Turn what was read into recipes and ends of items, in one transaction; runs on the writer's thread."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...core.outcomes import LookupKey
from ...core.paths import path_of
from ...jobs import items
from ...jobs.items import End, Item
from ...jobs.states import ItemStatus, Reason
from ...recipes import store_rows
from ...recipes.draft import Draft
from ...recipes.lora_manager_files import Kept
from ...recipes.store import known_content
from ...recipes.store_body import ModelAnswer, build_body, same_picture_key
from .read_images import Known, Read, ReadImage, Unfetched, Unreadable, keys_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveOptions:
    """Say how a job wants its items treated; `now` is in seconds since the epoch."""

    job: int
    tags: tuple[str, ...]
    skip_duplicates: bool
    skip_no_metadata: bool
    now: float


@dataclass(frozen=True, slots=True)
class Waits:
    """The item waits for these keys."""

    keys: tuple[LookupKey, ...]


Result = tuple[Item, End | Waits]


def save(
    connection: sqlite3.Connection,
    reads: Sequence[tuple[Item, Read]],
    answers: Mapping[LookupKey, ModelAnswer],
    options: SaveOptions,
) -> list[Result]:
    """End each item, with its recipe, or let it wait; return what became of each."""
    hashes = [read.reading.content_hash for _, read in reads if isinstance(read, ReadImage)]
    known = known_content(connection, hashes) if options.skip_duplicates else {}
    results = []
    for item, read in reads:
        result = _decide(connection, item, read, answers, options, known)
        if isinstance(result, Waits) and isinstance(read, ReadImage):
            items.await_answers(connection, options.job, replace(item, reading=read.to_json()), result.keys)
        results.append((item, result))
    items.end(connection, [(item, result) for item, result in results if isinstance(result, End)])
    return results


def _decide(
    connection: sqlite3.Connection,
    item: Item,
    read: Read,
    answers: Mapping[LookupKey, ModelAnswer],
    options: SaveOptions,
    known: dict[str, str],
) -> End | Waits:
    """Return what becomes of one item; `known` grows by the recipes that are made."""
    if not isinstance(read, ReadImage):
        return _end_unread(read)
    content = read.reading.content_hash
    if options.skip_duplicates and content in known:
        _follow_move(connection, known[content], item, read)
        return _duplicate(known[content])
    draft = read.reading.draft
    if options.skip_no_metadata and (draft is None or not draft.says_something):
        return End(
            ItemStatus.SKIPPED,
            Reason.NO_METADATA,
            "The image does not say how it was made, since many sites remove that; import the original if you have it.",
        )
    missing = tuple(key for key in keys_of(read) if key not in answers)
    if missing:
        return Waits(missing)
    known[content] = _store(connection, item, read, answers, options)
    return End(ItemStatus.SUCCESS, recipe_id=known[content])


def _end_unread(read: Unreadable | Unfetched | Known) -> End:
    if isinstance(read, Known):
        return _duplicate(read.recipe_id)
    if isinstance(read, Unreadable):
        return End(ItemStatus.FAILED, Reason.UNREADABLE, read.detail)
    return End(read.status, read.reason, read.detail, retry_at=read.retry_at, host=read.host)


def _duplicate(recipe_id: str) -> End:
    return End(
        ItemStatus.SKIPPED,
        Reason.DUPLICATE,
        "This image already has a recipe; to have another, import it with duplicates allowed.",
        recipe_id,
    )


def _follow_move(connection: sqlite3.Connection, recipe_id: str, item: Item, read: ReadImage) -> None:
    """Let a recipe whose image is gone from its old place point to where it was found again."""
    row = connection.execute("SELECT source FROM recipes WHERE id = ?", (recipe_id,)).fetchone()
    place = row["source"] or ""
    if read.kept or read.image or "://" in place or (place and path_of(place).exists()):
        return
    sql = """UPDATE recipes SET source = :source, source_size = :size, source_mtime_ns = :mtime,
        body = json_set(body, '$.source.path', :source) WHERE id = :id"""
    values = {"source": item.source, "size": read.size, "mtime": read.mtime_ns, "id": recipe_id}
    connection.execute(sql, values)


def _store(
    connection: sqlite3.Connection,
    item: Item,
    read: ReadImage,
    answers: Mapping[LookupKey, ModelAnswer],
    options: SaveOptions,
) -> str:
    kept = read.kept or Kept()
    source = kept.source or item.source
    body = build_body(read.reading, source, answers)
    if read.picture:
        body["source"]["picture"] = read.picture
    recipe = store_rows.NewRecipe(
        id=uuid.uuid4().hex,
        title=kept.title or item.name.rsplit(".", 1)[0],
        created_at=kept.created_at or options.now,
        body=body,
        tags=tuple(dict.fromkeys((*options.tags, *kept.tags))),
        favourite=kept.favourite,
        source=source,
        image=read.image,
        source_size=read.size,
        source_mtime_ns=read.mtime_ns,
        content_hash=read.reading.content_hash,
        same_as=same_picture_key(read.reading.draft or Draft()),
        nsfw_level=read.nsfw_level,
    )
    store_rows.insert(connection, recipe)
    return recipe.id
