"""Decide when to send and what an answer means, and do the sending.

Pure: retry_after, backoff, window, pacing, outage, verdict. I/O: the aiohttp transport and file transfer, the only
modules below routes/ that import aiohttp. What a vendor's JSON says is not decided here (vendors/).
"""
