-- Files of watched folders that need no further look; what was there when watching began is among them.

CREATE TABLE watch_folders (
    folder TEXT PRIMARY KEY
) WITHOUT ROWID;

CREATE TABLE watch_seen (
    folder TEXT NOT NULL REFERENCES watch_folders (folder) ON DELETE CASCADE,
    path TEXT NOT NULL,
    PRIMARY KEY (folder, path)
) WITHOUT ROWID;
