"""Watch and steer long jobs over HTTP; imports and syncs answer to the same verbs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from aiohttp import web

from ..core.errors import NotFoundError
from .call import Call
from .endpoint import Endpoint
from .parts import JobService, Parts
from .shape import CURSOR, Field, limit_field

NOT_KEPT = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
LIST_QUERY = (limit_field(20, 200), CURSOR)
ITEM_QUERY = (
    Field(name="status", help="Only items in this state, for instance SKIPPED."),
    Field(name="reason", help="Only items with this reason, for instance rate_limited."),
    limit_field(100, 1000),
    CURSOR,
)
RETRY_FIELDS = (Field(name="reason", nullable=True, help="Only items with this reason, for instance unreadable."),)
REPORT_QUERY = (Field(name="format", default="csv", choices=("csv", "json"), help="csv or json."),)


class JobRoutes:
    """Hold the handlers of one kind of job; `service_of` finds its door among the parts."""

    def __init__(self, service_of: Callable[[Parts], JobService]) -> None:
        self._service_of = service_of

    async def listing(self, parts: Parts, call: Call) -> Any:
        """Return the jobs, newest first."""
        return await self._service_of(parts).list(limit=call.query["limit"], cursor=call.query["cursor"])

    async def snapshot(self, parts: Parts, call: Call) -> Any:
        """Return one job as its progress event carries it."""
        return await self._service_of(parts).snapshot(call.path["id"])

    async def items(self, parts: Parts, call: Call) -> Any:
        """Return a job's items, by state and reason where given."""
        return await self._service_of(parts).items(call.path["id"], **call.query)

    async def pause(self, parts: Parts, call: Call) -> Any:
        """Pause a job; what is under way finishes."""
        await self._service_of(parts).pause(call.path["id"])
        return await self.snapshot(parts, call)

    async def resume(self, parts: Parts, call: Call) -> Any:
        """Go on with a paused or interrupted job."""
        await self._service_of(parts).resume(call.path["id"])
        return await self.snapshot(parts, call)

    async def cancel(self, parts: Parts, call: Call) -> Any:
        """Stop a job; what is finished stays."""
        await self._service_of(parts).cancel(call.path["id"])
        return await self.snapshot(parts, call)

    async def retry(self, parts: Parts, call: Call) -> Any:
        """Run again exactly those items that had to wait for a vendor or failed, for one reason or any."""
        await self._service_of(parts).retry(call.path["id"], reason=call.body.get("reason"))
        return await self.snapshot(parts, call)

    async def report(self, parts: Parts, call: Call) -> web.StreamResponse:
        """Return one line per item, as a CSV or JSON file to keep."""
        form = call.query["format"]
        texts = await self._service_of(parts).report(call.path["id"], form)
        answer = web.StreamResponse(
            headers={
                "Content-Disposition": f'attachment; filename="pantry-{call.path["id"]}.{form}"',
                "Content-Type": f"{'text/csv' if form == 'csv' else 'application/json'}; charset=utf-8",
                **NOT_KEPT,
            }
        )
        await answer.prepare(call.request)
        async for text in texts:
            await answer.write(text.encode("utf-8"))
        await answer.write_eof()
        return answer

    async def log(self, parts: Parts, call: Call) -> web.StreamResponse:
        """Return what happened in a job, line by line, as text."""
        identity = (await self.snapshot(parts, call))["operation_id"]  # an id that exists is no path
        path = parts.host.data_dir / "logs" / f"{identity}.log"
        if not await asyncio.to_thread(path.is_file):
            raise NotFoundError("This job has no log.")
        return web.FileResponse(path, headers={"Content-Type": "text/plain; charset=utf-8", **NOT_KEPT})

    def endpoints(self, path: str) -> tuple[Endpoint, ...]:
        """Return the endpoints of this kind of job below `path`."""
        one = f"{path}/{{id}}"
        verbs = {"pause": self.pause, "resume": self.resume, "cancel": self.cancel}
        return (
            Endpoint(method="GET", path=path, action=self.listing, query=LIST_QUERY, returns="page"),
            Endpoint(method="GET", path=one, action=self.snapshot),
            Endpoint(method="GET", path=f"{one}/items", action=self.items, query=ITEM_QUERY, returns="page"),
            *(Endpoint(method="POST", path=f"{one}/{verb}", action=action) for verb, action in verbs.items()),
            Endpoint(method="POST", path=f"{one}/retry", action=self.retry, body=RETRY_FIELDS),
            Endpoint(method="GET", path=f"{one}/report", action=self.report, query=REPORT_QUERY, returns="file"),
            Endpoint(method="GET", path=f"{one}/log", action=self.log, returns="file"),
        )
