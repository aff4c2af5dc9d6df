"""Know the model files on disk: scan, hashes, sidecars and the index over them.

Vendor answers come in as the common shape; no request is made here.
"""
