-- Import jobs and their items: what a restart, a crash or a full disk must not lose.

CREATE TABLE import_jobs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    request TEXT NOT NULL,
    source TEXT NOT NULL,          -- for people: a folder, or "12 files"
    source_key TEXT NOT NULL,      -- the same request again finds its unfinished job by this
    status TEXT NOT NULL,
    listed INTEGER NOT NULL DEFAULT 0,  -- 1 once every source has been turned into items
    message TEXT,
    created_at REAL NOT NULL,
    started_at REAL,
    finished_at REAL
);
CREATE INDEX import_jobs_by_source ON import_jobs (source_key, number);

CREATE TABLE import_items (
    id INTEGER PRIMARY KEY,
    job INTEGER NOT NULL REFERENCES import_jobs (number) ON DELETE CASCADE,
    source TEXT NOT NULL,          -- absolute path or URL
    name TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'PENDING',
    reason TEXT,
    detail TEXT,
    retry_at REAL,
    host TEXT,
    recipe_id TEXT,
    missing INTEGER NOT NULL DEFAULT 0,  -- references not answered yet
    reading TEXT,                        -- what the image said, kept while its references are waited for
    UNIQUE (job, source)
);
CREATE INDEX import_items_by_state ON import_items (job, status, reason, id);
CREATE INDEX import_items_ready ON import_items (job, id) WHERE status = 'RESOLVING' AND missing = 0;
CREATE INDEX import_items_due ON import_items (retry_at) WHERE status = 'SKIPPED' AND retry_at IS NOT NULL;

-- Which items wait for which look-up.
CREATE TABLE import_references (
    job INTEGER NOT NULL,
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    item INTEGER NOT NULL REFERENCES import_items (id) ON DELETE CASCADE,
    PRIMARY KEY (job, kind, value, item)
) WITHOUT ROWID;
CREATE INDEX import_references_by_item ON import_references (item);
