"""Keep long work durable: states and their transitions (pure), rows in SQLite, and the runner's loop.

What a job does with an item is decided in services.
"""
