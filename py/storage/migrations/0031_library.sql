-- The model library: files on disk, their hashes, and what vendors say about them.

CREATE TABLE model_files (
    number          INTEGER PRIMARY KEY,
    path            TEXT    NOT NULL UNIQUE,        -- absolute
    root            TEXT    NOT NULL,
    type            TEXT    NOT NULL,               -- loras, checkpoints, ...
    file_name       TEXT    NOT NULL,
    name            TEXT    NOT NULL,               -- as recipes name it: no folder, no ending, folded
    size            INTEGER NOT NULL,
    mtime_ns        INTEGER NOT NULL,
    offline         INTEGER NOT NULL DEFAULT 0,     -- 1 while its root cannot be found
    added_at        REAL    NOT NULL,
    read_at         REAL,                           -- when header and sidecars were read
    hashed_at       REAL,
    hash_problem    TEXT,
    facts           TEXT    NOT NULL DEFAULT '{}',  -- what the file's own header says
    preview         TEXT,                           -- a picture beside the file

    state           TEXT    NOT NULL DEFAULT 'unknown',
    metadata        TEXT,                           -- common model shape
    metadata_source TEXT,
    civitai_deleted INTEGER NOT NULL DEFAULT 0,     -- only ever set by CivitAI's own confirmed "not found"
    checked_at      REAL,
    host            TEXT,                           -- who is waited for, until when, and why
    retry_at        REAL,
    detail          TEXT,
    title           TEXT,
    version_name    TEXT,
    base_model      TEXT,
    model_id        INTEGER,
    version_id      INTEGER,
    -- What a search looks through.
    words TEXT GENERATED ALWAYS AS (lower(
        file_name || ' ' || coalesce(title, '') || ' ' || coalesce(json_extract(facts, '$.title'), '')
        || ' ' || coalesce(json_extract(facts, '$.trained_words'), '')
        || ' ' || coalesce(json_extract(metadata, '$.trained_words'), '')
        || ' ' || coalesce(json_extract(metadata, '$.tags'), '')
    )) STORED
);
CREATE INDEX model_files_by_name ON model_files (name);
CREATE INDEX model_files_by_root ON model_files (root);
CREATE INDEX model_files_by_state ON model_files (state, number);
CREATE INDEX model_files_by_type ON model_files (type, number);
CREATE INDEX model_files_by_version ON model_files (version_id) WHERE version_id IS NOT NULL;
CREATE INDEX model_files_unread ON model_files (number) WHERE read_at IS NULL;
CREATE INDEX model_files_unhashed ON model_files (size) WHERE hashed_at IS NULL;

CREATE TABLE model_hashes (
    kind    TEXT    NOT NULL,
    value   TEXT    NOT NULL,
    file    INTEGER NOT NULL REFERENCES model_files (number) ON DELETE CASCADE,
    PRIMARY KEY (kind, value, file)
) WITHOUT ROWID;
CREATE INDEX model_hashes_by_file ON model_hashes (file);
