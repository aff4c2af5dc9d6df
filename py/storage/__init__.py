"""Own the SQLite file: connections on daemon threads, transactions, numbered migrations, locks and backups.

Nothing here knows what is stored; the SQL of a subject lives in that subject's room.
"""
