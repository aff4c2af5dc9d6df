"""Read the local CivitAI metadata archive database, read-only."""
