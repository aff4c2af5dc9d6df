"""Send every request that Pantry makes: guard, gate, send, classify, and again where that helps."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..core.errors import MalformedAnswerError, RateLimitError, UnreachableError, VendorError, VendorRefusedError
from ..core.ports import Clock, Lane, Response, Transport, TransportFailure
from ..net.answer import Answer
from ..net.answers import TRIES, Again, next_step
from ..net.backoff import full_jitter
from ..net.call import Call
from ..net.file_transfer import FileTransfer, Progress
from ..net.policy import GatePolicy
from ..net.slot import Slot
from ..net.verdict import Kind, Verdict, is_from_cache, judge
from .connectivity_guard import ConnectivityGuard
from .rate_limit_coordinator import RateLimitCoordinator


class Downloader:
    """Make requests; `auth(host)` returns the headers for exactly that host, and nothing for any other.

    Every method raises the `VendorError` tree. `lane` says whose turn it is; `deadline` (seconds of the clock's
    `monotonic`) bounds every wait of the call together, and None takes the lane's longest wait from the settings.
    """

    def __init__(
        self,
        transport: Transport,
        guard: ConnectivityGuard,
        coordinator: RateLimitCoordinator,
        clock: Clock,
        *,
        policy: Callable[[], GatePolicy],
        auth: Callable[[str], Mapping[str, str]],
        rng: random.Random | None = None,
    ) -> None:
        self._transport, self._guard, self._coordinator, self._clock = transport, guard, coordinator, clock
        self._policy, self._auth = policy, auth
        self._rng = rng or random.Random()  # noqa: S311 - jitter, not secrets

    async def make_request(
        self,
        method: str,
        url: str,
        *,
        lane: Lane = "batch",
        deadline: float | None = None,
        json: Any = None,
        headers: Mapping[str, str] | None = None,
        use_auth: bool = False,
        provider: str = "",
        any_404: bool = False,
    ) -> Answer:
        """Return the JSON answer; with `any_404` a "not found" needs no JSON to be one."""
        call = self._call(method, url, lane, deadline, provider=provider, use_auth=use_auth)
        call.json, call.headers, call.any_404 = json, headers or {}, any_404
        response, verdict = await self._run(call)
        return Answer(response.status, verdict.data, response.headers, response.url, response.body)

    async def download_to_memory(
        self,
        url: str,
        *,
        max_bytes: int,
        lane: Lane = "interactive",
        deadline: float | None = None,
        use_auth: bool = False,
        provider: str = "",
        permit: Callable[[str], bool] = lambda _url: True,
        trusts: Callable[[str], bool] = lambda _url: True,
    ) -> bytes:
        """Return a file's bytes; a body above `max_bytes` is given up while it streams.

        `permit` says which redirects may be followed, `trusts` which addresses may lead inside.
        """
        call = self._call("GET", url, lane, deadline, provider=provider, use_auth=use_auth)
        call.permit, call.trusts = permit, trusts
        call.wants, call.max_bytes, call.headers = "bytes", max_bytes, {"Accept": "*/*"}
        return (await self._run(call))[0].body

    async def get_response_headers(
        self,
        url: str,
        *,
        lane: Lane = "interactive",
        deadline: float | None = None,
        use_auth: bool = False,
        provider: str = "",
    ) -> Mapping[str, str]:
        """Return what a HEAD request answers, by lower-case name."""
        call = self._call("HEAD", url, lane, deadline, provider=provider, use_auth=use_auth)
        call.wants, call.headers = "headers", {"Accept": "*/*"}
        response, _ = await self._run(call)
        return response.headers

    async def download_file(
        self,
        url: str,
        target: Path,
        *,
        sha256: str | None = None,
        progress: Progress | None = None,
        lane: Lane = "batch",
        deadline: float | None = None,
        use_auth: bool = False,
        provider: str = "",
    ) -> Path:
        """Store a file under `target` once it is whole and its SHA256 right; return `target`.

        What an earlier attempt left is continued where the vendor's validator allows. Raise `StorageError` where
        the disk is full. `progress` hears the bytes so far and the bytes expected.
        """
        transfer = FileTransfer(self._transport, target, progress=progress)
        await transfer.prepare()
        call = self._call("GET", url, lane, deadline, provider=provider, use_auth=use_auth)
        # A large file takes as long as it takes; a stalled one is noticed by the socket.
        call.wants, call.timeout = "bytes", 0.0
        call.exchange, call.file_headers = transfer.exchange, transfer.headers
        await self._run(call)
        return await transfer.finish(sha256)

    async def close(self) -> None:
        """Release the sockets."""
        await self._transport.close()

    def _call(
        self, method: str, url: str, lane: Lane, deadline: float | None, *, provider: str, use_auth: bool
    ) -> Call:
        if deadline is None:
            deadline = self._clock.monotonic() + self._policy().max_wait(lane)
        return Call(
            method=method,
            url=url,
            lane=lane,
            deadline=deadline,
            exchange=self._transport.send,
            provider=provider,
            use_auth=use_auth,
        )

    # --- the loop ---------------------------------------------------------------------------------------------------

    async def _run(self, call: Call) -> tuple[Response, Verdict]:
        """Send until the answer is usable, or an error says why it will not be."""
        while True:
            response, verdict = await self._attempt(call)
            if verdict.kind is Kind.OK:
                return response, verdict
            if verdict.kind is Kind.REDIRECT:
                self._follow(call, response)
                continue
            call.tries += verdict.kind is not Kind.RATE_LIMITED
            step = next_step(verdict, call, status=response.status, rng=self._rng, wall=self._clock.wall())
            if not isinstance(step, Again):
                self._register_end(call.host, verdict)
                raise self._dated(step.error)
            await self._pause(call, step.wait)

    async def _attempt(self, call: Call) -> tuple[Response, Verdict]:
        """Send once, through guard and gate; a failure of the wire is tried again like a passing fault."""
        while True:
            self._check(call.host)
            slot = await self._slot(call)
            try:
                response = await self._send(call, slot)
                return response, self._register(call, slot, response)
            except TransportFailure as failure:
                error = failure
            finally:
                slot.finish()
            call.tries += 1
            if call.tries >= TRIES:
                raise self._unreachable(call) from error
            await self._pause(call, full_jitter(call.tries, self._rng))

    def _unreachable(self, call: Call) -> UnreachableError:
        host, retry_at = call.host, self._guard.retry_at(call.host)
        return UnreachableError(f"{host} cannot be reached.", host=host, provider=call.provider, retry_at=retry_at)

    def _check(self, host: str) -> None:
        self._guard.check(host)
        self._coordinator.check(host)

    async def _slot(self, call: Call) -> Slot:
        try:
            slot = await self._coordinator.wait_for_slot(call.bucket, call.deadline, call.lane, family=call.family)
        except RateLimitError as error:
            error.host, error.provider = call.host, call.provider
            raise
        call.deadline += slot.in_line  # the vendor's pace is no refusal, and uses up nobody's patience
        return slot

    async def _send(self, call: Call, slot: Slot) -> Response:
        """Send without awaiting anything first: the gate was tested in this very step of the loop."""
        host = call.host
        try:
            self._check(host)
        except UnreachableError:
            slot.refund()
            raise
        with self._guard.watch(host) as watch:
            response = await call.exchange(call.request(self._auth))
            watch.answered = True
        return response

    def _register(self, call: Call, slot: Slot, response: Response) -> Verdict:
        """Tell the gate what the answer means for its host, as of the moment its headers came."""
        verdict = judge(response, self._policy().header_ceiling_seconds, call.wants, any_404=call.any_404)
        if verdict.kind in {Kind.RATE_LIMITED, Kind.QUOTA}:
            bucket = call.bucket if verdict.kind is Kind.RATE_LIMITED else call.download_bucket
            self._coordinator.register_rate_limit(bucket, verdict.delay, slot=slot, at=response.received_monotonic)
        elif verdict.kind is Kind.PAUSED and verdict.delay is not None:
            self._coordinator.pause_family(call.bucket, call.family, verdict.delay)
        elif verdict.proves_capacity and not is_from_cache(response):
            self._coordinator.register_success(call.bucket, slot=slot)
        return verdict

    def _register_end(self, host: str, verdict: Verdict) -> None:
        if verdict.kind is Kind.CHALLENGE:
            self._coordinator.register_challenge(host)
        elif verdict.kind is Kind.REGION_BLOCKED:
            self._coordinator.register_region_block(host)
        elif verdict.kind is Kind.MALFORMED:
            self._coordinator.register_nonsense(host)

    def _dated(self, error: VendorError) -> VendorError:
        """Return the error with the end of the pause that it has begun, if it has."""
        if isinstance(error, UnreachableError | MalformedAnswerError) and error.retry_at is None:
            error.retry_at = self._coordinator.rest_ends_at(error.host)
        return error

    async def _pause(self, call: Call, seconds: float) -> None:
        """Wait between two tries, and not beyond the call's deadline."""
        wait = min(seconds, call.deadline - self._clock.monotonic())
        if wait > 0:
            await self._clock.sleep(wait)

    def _follow(self, call: Call, response: Response) -> None:
        host = call.host
        if not call.follow(response.headers.get("location", "")):
            raise VendorRefusedError("The vendor redirects to nowhere.", host=host, provider=call.provider)
