-- Vendors' windows and the order of turns, shared by every process of this machine and kept for the next start.

CREATE TABLE windows (
    key TEXT PRIMARY KEY,               -- a host, or a host and a bucket of its own
    until REAL NOT NULL DEFAULT 0,      -- seconds since the epoch; nothing is sent before
    delay REAL NOT NULL DEFAULT 0,      -- seconds it lasts at most, whatever the wall clock says
    refusals INTEGER NOT NULL DEFAULT 0,
    ceiling REAL,                       -- requests a second that the vendor has been seen to take
    serial INTEGER NOT NULL DEFAULT 0,  -- grows with every window written: each is believed once
    turns INTEGER NOT NULL DEFAULT 0,   -- requests of all processes together
    next_turn REAL NOT NULL DEFAULT 0   -- seconds since the epoch; the next request of any process
);
