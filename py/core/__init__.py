"""Words that every room shares: errors, look-up outcomes, ports, the clock, events, the settings table.

No I/O lives here and nothing here imports another room.
"""
