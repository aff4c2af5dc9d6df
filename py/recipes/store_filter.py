"""Turn a filter for recipes into SQL that stays fast at 100,000 recipes, with cursors that go on where a page ended.

Each condition can be written in two ways: as a list of recipe numbers, and as a test of one recipe. A page is made
from the list of the rarest condition, each of its recipes tested for the rest; where every condition is common, it is
made by walking the recipes in order, since a page is full soon. The full-text index answers for many recipes at once
in little more time than for one, so a common text is asked of a stretch of the walk.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .search import match_expression
from .store_order import Order, order_of
from .values import normalised_name

RARE = 4000  # so many recipes are sorted in a few milliseconds
MANY = 30_000  # a text with more hits than this is asked of a stretch of the recipes first
STRETCH = 8  # so many recipes are walked for one that a page wants
COUNTED = 10_000  # a combination of conditions is not counted any further


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeFilter:
    """Say which recipes, in which order and which page of them; every given part must fit.

    `lora` and `checkpoint` take part of a name, a hash or a version id; `tags` must all be there; `nsfw`
    is the highest level, and what has none counts as level 1.
    """

    q: str | None = None
    lora: str | None = None
    checkpoint: str | None = None
    base_model: str | None = None
    tags: tuple[str, ...] = ()
    missing: bool | None = None
    favourite: bool | None = None
    same_as: str | None = None
    nsfw: int | None = None
    sort: str = "newest"
    limit: int = 50
    cursor: str | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Condition:
    """Hold one condition: `rows` lists the numbers that fulfil it, `test` asks it of the row ``r``."""

    rows: str
    test: str
    values: tuple[Any, ...] = ()
    is_text: bool = False

    @property
    def needs_row(self) -> bool:
        """Whether the test looks at more of a recipe than its number."""
        return "r." in self.test.replace("r.number", "")


@dataclass(frozen=True, slots=True)
class Query:
    """Hold a statement, or part of one, and its values; `number` is the column to take the order of import from."""

    sql: str
    values: list[Any] = field(default_factory=list)
    number: str = "r.number"


_TEXT_AMONG = "recipe_search WHERE recipe_search MATCH ? AND +rowid IN"
NEVER = Condition("SELECT number FROM recipes WHERE 0", "0")


def conditions_of(wish: RecipeFilter) -> list[Condition]:
    """Return what a recipe must fulfil."""
    named = (("loras", wish.lora), ("checkpoint", wish.checkpoint))
    found = [*_text(wish.q), *(_model(role, text.strip()) for role, text in named if text and text.strip())]
    by_tag = "SELECT recipe AS number FROM recipe_tags WHERE tag = ?"
    found += [Condition(by_tag, f"EXISTS ({by_tag} AND recipe = r.number)", (tag,)) for tag in wish.tags]
    return [*found, *_columns(wish)]


def count(connection: sqlite3.Connection, conditions: Sequence[Condition]) -> tuple[int, list[int]]:
    """Return how many recipes fulfil all (at most `COUNTED` + 1 for several conditions), and how many fulfil each."""
    if not conditions:
        return connection.execute("SELECT COUNT(*) FROM recipes").fetchone()[0], []
    each = [_count_of(connection, one) for one in conditions]
    if len(each) == 1:
        return each[0], each
    inner = _numbers(conditions, each)
    row = connection.execute(f"SELECT COUNT(*) FROM (SELECT 1 {inner.sql} LIMIT {COUNTED + 1})", inner.values)
    return row.fetchone()[0], each


def numbers_of(connection: sqlite3.Connection, conditions: Sequence[Condition]) -> Query:
    """Return a statement for the numbers of the recipes that fulfil all of one or more conditions."""
    inner = _numbers(conditions, [_count_of(connection, one) for one in conditions])
    return replace(inner, sql=f"SELECT {inner.number} {inner.sql}")


def page_queries(
    wish: RecipeFilter, columns: str, conditions: Sequence[Condition], each: Sequence[int]
) -> Iterator[Query]:
    """Yield statements for one page and the row behind it: the first that gives them all will do, else the last.

    Raises `InvalidRequestError` on a bad sort or cursor.
    """
    order = order_of(wish.sort)
    listed = bool(conditions) and min(each) <= RARE
    text = _common_text(conditions, each)
    if text is not None and not listed and not order.by_number:
        yield _in_stretch(wish, columns, [one for one in conditions if one is not text], text)
    if not conditions and order.by_number and wish.offset > 0 and not wish.cursor:
        yield _far(wish, columns, order)
        return
    inner = _behind(wish, order, _from(conditions, each) if listed else _walk(conditions, order))
    yield _page(wish, columns, inner, order)


def _in_stretch(wish: RecipeFilter, columns: str, others: Sequence[Condition], text: Condition) -> Query:
    """Read a stretch of the recipes in order, and ask for the text in all of them at once."""
    order = order_of(wish.sort)
    walked = _behind(wish, order, _tested(Query("FROM recipes r WHERE 1"), others))
    reach = STRETCH * (wish.limit + 1) + 2 * max(0, wish.offset)
    stretch = f"SELECT r.number {walked.sql} ORDER BY {order.sql} LIMIT {reach}"
    found = f"SELECT rowid FROM {_TEXT_AMONG} ({stretch})"
    inner = Query(f"FROM recipes r WHERE r.number IN ({found})", [*text.values, *walked.values])
    return _page(wish, columns, inner, order)


def _far(wish: RecipeFilter, columns: str, order: Order) -> Query:
    """Count off the numbers in their own small index before any recipe is read."""
    numbers = f"SELECT r.number FROM recipes r INDEXED BY recipes_by_number ORDER BY {order.sql} LIMIT ? OFFSET ?"
    sql = f"SELECT {columns} FROM ({numbers}) d CROSS JOIN recipes r ON r.number = d.number ORDER BY {order.sql}"
    return Query(sql, [wish.limit + 1, wish.offset])


def _page(wish: RecipeFilter, columns: str, inner: Query, order: Order) -> Query:
    by = order.sql.replace("r.number", inner.number)
    sql = f"SELECT {columns} {inner.sql} ORDER BY {by} LIMIT ? OFFSET ?"
    return Query(sql, [*inner.values, wish.limit + 1, max(0, wish.offset)])


def _behind(wish: RecipeFilter, order: Order, inner: Query) -> Query:
    """Leave out what comes before the cursor."""
    if not wish.cursor:
        return inner
    after, values = order.after(wish.cursor)
    return replace(inner, sql=f"{inner.sql} AND {after}", values=inner.values + values)


def _count_of(connection: sqlite3.Connection, one: Condition) -> int:
    number: int = connection.execute(f"SELECT COUNT(*) FROM ({one.rows})", one.values).fetchone()[0]
    return number


def _from(conditions: Sequence[Condition], each: Sequence[int]) -> Query:
    """Read the rarest condition's list and test the other conditions."""
    return _listed(_rarest(conditions, each), conditions)


def _numbers(conditions: Sequence[Condition], each: Sequence[int]) -> Query:
    """Do the same without a look at the recipes themselves, where numbers are enough."""
    text = _common_text(conditions, each)
    if text is not None and len(conditions) > 1:
        left = [(one, number) for one, number in zip(conditions, each, strict=True) if one is not text]
        inner = _numbers(*zip(*left, strict=True))
        return Query(f"FROM {_TEXT_AMONG} (SELECT {inner.number} {inner.sql})", [*text.values, *inner.values], "rowid")
    rarest = _rarest(conditions, each)
    others = [one for one in conditions if one is not rarest]
    if any(one.needs_row for one in others):
        return _listed(rarest, conditions)
    tests = [replace(one, test=one.test.replace("r.number", "d.number")) for one in others]
    return _tested(Query(f"FROM ({rarest.rows}) d WHERE 1", list(rarest.values), "d.number"), tests)


def _common_text(conditions: Sequence[Condition], each: Sequence[int]) -> Condition | None:
    """Return the text among the conditions where it is better asked of many recipes than listed."""
    return next((one for one, number in zip(conditions, each, strict=True) if one.is_text and number > MANY), None)


def _rarest(conditions: Sequence[Condition], each: Sequence[int]) -> Condition:
    return conditions[min(range(len(each)), key=each.__getitem__)]


def _walk(conditions: Sequence[Condition], order: Order) -> Query:
    """Read the recipes in order and test all conditions; a text's own list has the order of the numbers."""
    text = next((one for one in conditions if one.is_text), None)
    if text is not None and order.by_number:
        return _listed(text, conditions)
    return _tested(Query("FROM recipes r WHERE 1"), conditions)


def _listed(one: Condition, conditions: Sequence[Condition]) -> Query:
    sql = f"FROM ({one.rows}) d CROSS JOIN recipes r ON r.number = d.number WHERE 1"
    return _tested(Query(sql, list(one.values), "d.number"), [other for other in conditions if other is not one])


def _tested(query: Query, conditions: Sequence[Condition]) -> Query:
    tests = "".join(f" AND {one.test}" for one in conditions)
    values = [*query.values, *(value for one in conditions for value in one.values)]
    return replace(query, sql=query.sql + tests, values=values)


def _text(q: str | None) -> list[Condition]:
    if not q or not q.strip():
        return []
    expression = match_expression(q)
    if expression is None:
        return [NEVER]
    rows = "SELECT rowid AS number FROM recipe_search WHERE recipe_search MATCH ?"
    return [Condition(rows, f"r.number IN ({rows})", (expression,), is_text=True)]


def _model(role: str, text: str) -> Condition:
    part = f"%{_escaped(normalised_name(text))}%"
    models = r"""SELECT number FROM recipe_models WHERE role = ? AND (name LIKE ? ESCAPE '\'
        OR vendor_name LIKE ? ESCAPE '\' OR hash = ? OR version_id = ?)"""
    rows = f"SELECT DISTINCT recipe AS number FROM recipe_uses WHERE model IN ({models})"
    test = f"EXISTS (SELECT 1 FROM recipe_uses u WHERE u.recipe = r.number AND u.model IN ({models}))"
    version = int(text) if text.isdecimal() and len(text) < 19 else -1  # noqa: PLR2004 - SQLite's integers
    return Condition(rows, test, (role, part, f"%{_escaped(text)}%", text.lower(), version))


def _columns(wish: RecipeFilter) -> list[Condition]:
    wanted: list[tuple[str, tuple[Any, ...]]] = []
    if wish.base_model:
        wanted.append(("base_model = ?", (wish.base_model,)))
    if wish.same_as:
        wanted.append(("same_as = ?", (wish.same_as,)))
    if wish.missing is not None:
        wanted.append(("missing > 0" if wish.missing else "missing = 0", ()))
    if wish.favourite is not None:
        wanted.append(("favourite = 1" if wish.favourite else "favourite = 0", ()))
    # The plus keeps SQLite from reading an index where the recipes are walked in order: a page is full long before.
    found = [Condition(f"SELECT number FROM recipes WHERE {sql}", f"+r.{sql}", values) for sql, values in wanted]
    return found if wish.nsfw is None else [*found, _up_to(wish.nsfw)]


def _up_to(level: int) -> Condition:
    return Condition(
        "SELECT number FROM recipes WHERE ifnull(nsfw_level, 1) <= ?", "+ifnull(r.nsfw_level, 1) <= ?", (level,)
    )


def _escaped(text: str) -> str:
    for mark in ("\\", "%", "_"):
        text = text.replace(mark, "\\" + mark)
    return text
