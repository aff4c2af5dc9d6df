"""Run a loopback vendor alone: print its base address as JSON, serve until interrupted.

``GET /_journal`` answers what was asked; ``POST /_control`` takes {"policy", "refusal", "fault", "open": true}.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
from dataclasses import asdict
from pathlib import Path

from aiohttp import web

from .catalogue import Catalogue, VendorModel
from .faults import KINDS, Fault
from .policies import parse
from .refusal import SPELLINGS, Refusal
from .server import LoopbackVendor


def arguments():
    parser = argparse.ArgumentParser(prog="python -m tests.standalone.vendor", description=__doc__)
    parser.add_argument("--kind", choices=("civitai", "civarchive", "civarchive-v1"), default="civitai")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument(
        "--policy", default="open", help="open, fixed:20/5, sliding:20/5, bucket:2/20, mitigation:20/10/600"
    )
    parser.add_argument("--retry-after", type=float, help="seconds that refusals name; else the policy's own")
    parser.add_argument("--spelling", choices=SPELLINGS, default="seconds")
    parser.add_argument("--body", choices=("json", "html", "text", "empty", "archive"), default="json")
    parser.add_argument("--fault", choices=KINDS, help="break every answer like this")
    parser.add_argument("--catalogue", type=Path, help="catalogue.json, as tests.standalone.pictures writes it")
    return parser.parse_args()


def load(path):
    if path is None:
        return Catalogue()
    return Catalogue(VendorModel(**one) for one in json.loads(path.read_text(encoding="utf-8")))


def control(vendor, change):
    """Change policy, refusal or faults of a running vendor."""
    if change.get("open"):
        vendor.open_up()
    if "policy" in change:
        vendor.policy = parse(change["policy"])
    if "refusal" in change:
        vendor.refusal = Refusal(**change["refusal"])
    if "fault" in change:
        vendor.fail(Fault(**change["fault"]))


def with_controls(vendor):
    """Add the two routes of the person (or test) in charge."""

    async def change(request):
        control(vendor, await request.json())
        return web.json_response(vendor.journal.summary())

    async def journal(_request):
        entries = [asdict(one) | {"headers": None} for one in vendor.journal.entries]
        return web.json_response(vendor.journal.summary() | {"entries": entries})

    return [web.post("/_control", change), web.get("/_journal", journal)]


async def serve(options):
    refusal = Refusal(options.spelling, options.retry_after, options.body)
    vendor = LoopbackVendor(
        options.kind, load(options.catalogue), policy=parse(options.policy), refusal=refusal, port=options.port
    )
    if options.fault:
        vendor.fail(Fault(options.fault))
    vendor.extra_routes = with_controls(vendor)
    async with vendor:
        print(json.dumps({"port": vendor.port, "base": vendor.base}), flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(arguments()))
