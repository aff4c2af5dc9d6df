-- Recipes, numbered in the order of their import: `body` is the contract's JSON; the other columns and tables only make it findable.

CREATE TABLE recipes (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL COLLATE NOCASE,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    favourite INTEGER NOT NULL DEFAULT 0,
    rating INTEGER NOT NULL DEFAULT 0,
    notes TEXT NOT NULL DEFAULT '',
    source TEXT,                   -- absolute path or URL
    image TEXT,                    -- our own copy of an image that came from elsewhere
    source_size INTEGER,
    source_mtime_ns INTEGER,
    content_hash TEXT,
    same_as TEXT,                  -- equal for re-encodings of one picture
    base_model TEXT,
    missing INTEGER NOT NULL DEFAULT 0,  -- models that nobody knows or the vendor no longer has
    body TEXT NOT NULL
);
CREATE INDEX recipes_by_update ON recipes (updated_at, number);
CREATE INDEX recipes_by_title ON recipes (title, number);
CREATE INDEX recipes_by_rating ON recipes (rating, number);
CREATE INDEX recipes_by_base_model ON recipes (base_model, number);
CREATE INDEX recipes_by_content ON recipes (content_hash);
CREATE INDEX recipes_by_source ON recipes (source);
CREATE INDEX recipes_by_group ON recipes (same_as) WHERE same_as IS NOT NULL;
CREATE INDEX recipes_favourites ON recipes (number) WHERE favourite = 1;
CREATE INDEX recipes_by_missing ON recipes (missing, number);

CREATE TABLE recipe_tags (
    tag TEXT NOT NULL COLLATE NOCASE,
    recipe INTEGER NOT NULL REFERENCES recipes (number) ON DELETE CASCADE,
    PRIMARY KEY (tag, recipe)
) WITHOUT ROWID;
CREATE INDEX recipe_tags_by_recipe ON recipe_tags (recipe);

-- Each way in which recipes name a model, once; a few thousand rows for 100,000 recipes.
CREATE TABLE recipe_models (
    number INTEGER PRIMARY KEY,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    hash TEXT NOT NULL,
    version_id INTEGER NOT NULL,
    vendor_name TEXT NOT NULL,
    UNIQUE (role, name, hash, version_id, vendor_name)
);
CREATE TABLE recipe_uses (
    model INTEGER NOT NULL REFERENCES recipe_models (number),
    recipe INTEGER NOT NULL REFERENCES recipes (number) ON DELETE CASCADE,
    PRIMARY KEY (model, recipe)
) WITHOUT ROWID;
CREATE INDEX recipe_uses_by_recipe ON recipe_uses (recipe);

-- The text is prepared by py/recipes/search.py, which sets CJK characters apart; a query is prepared alike.
CREATE VIRTUAL TABLE recipe_search USING fts5 (
    title, prompt, models, tags, notes, tokenize = "unicode61 remove_diacritics 2", prefix = "2 3"
);

-- Deleted recipes, whole, until they are restored or pruned.
CREATE TABLE recipe_trash (
    id TEXT PRIMARY KEY,
    deleted_at REAL NOT NULL,
    recipe TEXT NOT NULL
) WITHOUT ROWID;
