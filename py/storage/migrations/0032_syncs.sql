-- Metadata syncs and their items, one a model file.

CREATE TABLE sync_jobs (
    number      INTEGER PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE,
    request     TEXT    NOT NULL,
    status      TEXT    NOT NULL,
    message     TEXT,
    created_at  REAL    NOT NULL,
    started_at  REAL,
    finished_at REAL
);

CREATE TABLE sync_items (
    id          INTEGER PRIMARY KEY,
    job         INTEGER NOT NULL REFERENCES sync_jobs (number) ON DELETE CASCADE,
    file        INTEGER NOT NULL,          -- model_files.number; the file may have gone since
    name        TEXT    NOT NULL,
    status      TEXT    NOT NULL DEFAULT 'PENDING',
    reason      TEXT,
    detail      TEXT,
    retry_at    REAL,
    host        TEXT,
    UNIQUE (job, file)
);
CREATE INDEX sync_items_by_state ON sync_items (job, status, reason, id);
CREATE INDEX sync_items_due ON sync_items (retry_at) WHERE status = 'SKIPPED' AND retry_at IS NOT NULL;
