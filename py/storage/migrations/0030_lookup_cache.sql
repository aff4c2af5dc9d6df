-- What vendors have answered, so that no question is asked twice.

-- One row per model version that a vendor has described; payload is the common model shape as JSON, name the version's
-- id, or the question where the vendor gives no id.
CREATE TABLE vendor_answers (
    vendor      TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    payload     TEXT    NOT NULL,
    stored_at   REAL    NOT NULL,           -- seconds since the epoch
    PRIMARY KEY (vendor, name)
) WITHOUT ROWID;

-- One row per question; answer is NULL for a confirmed miss, which expires.
CREATE TABLE vendor_lookups (
    vendor      TEXT    NOT NULL,
    kind        TEXT    NOT NULL,           -- version_id, sha256, autov2, ...
    value       TEXT    NOT NULL,
    answer      TEXT,
    misses      INTEGER NOT NULL DEFAULT 0, -- confirmed misses in a row
    asked_at    REAL    NOT NULL,
    expires_at  REAL    NOT NULL,           -- a miss is asked again, a hit is revalidated, after this
    PRIMARY KEY (kind, value, vendor)
) WITHOUT ROWID;
