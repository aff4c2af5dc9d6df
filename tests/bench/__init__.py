"""Measure what Pantry promises: `make bench` runs every bench_*.py here; none of this is a test."""
