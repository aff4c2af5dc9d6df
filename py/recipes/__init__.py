"""Turn image bytes into recipes: containers (bytes to carriers), parsers (carrier to draft), merge, store.

No pixels are decoded for metadata and no request is made here.
"""
