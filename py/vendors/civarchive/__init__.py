"""Build CivArchive's URLs and read its answers; pure, no I/O."""
