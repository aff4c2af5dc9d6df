"""A vendor on loopback: CivitAI's and CivArchive's documented shapes, their ways to refuse, and their faults.

It records every request and counts those that were sent inside a window that it had announced. For tests, for the
browser tests, and for people: ``python -m tests.standalone.vendor --help``.
"""

from .catalogue import Catalogue, VendorModel
from .faults import Fault
from .policies import FixedWindow, Mitigation, Open, SlidingWindow, TokenBucket
from .refusal import Refusal
from .server import LoopbackVendor

__all__ = [
    "Catalogue",
    "Fault",
    "FixedWindow",
    "LoopbackVendor",
    "Mitigation",
    "Open",
    "Refusal",
    "SlidingWindow",
    "TokenBucket",
    "VendorModel",
]
