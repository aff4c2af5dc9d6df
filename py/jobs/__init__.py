"""Durable import jobs: their states (pure), what they hold (SQL), how far they are, and who owns them.

Nothing here reads an image or asks a vendor; services/imports does, and writes down here what came of it.
"""
