"""Know each vendor's URLs and shapes, the common model shape, the look-up cache and who is asked next.

Bytes and headers come in from services; nothing here sends a request.
"""
