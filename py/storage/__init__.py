"""Own the SQLite file and the settings file: one database owner, numbered migrations, atomic writes.

What is stored in which table is the business of each room's store module.
"""
