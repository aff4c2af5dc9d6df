"""Send every request that Pantry makes: guard, gate, send, classify, and again where that helps.

The one choke point: nothing else in Pantry talks to a vendor.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core.errors import RateLimitError, UnreachableError, VendorRefusedError
from ..core.ports import Clock, Lane, Request, Response, Transport, TransportFailure
from ..net.answers import TRIES, Again, next_step
from ..net.backoff import full_jitter
from ..net.destination import host_of, redirect_target
from ..net.policy import GatePolicy
from ..net.slot import Slot
from ..net.verdict import Kind, Verdict, is_from_cache, judge
from .connectivity_guard import ConnectivityGuard
from .rate_limit_coordinator import RateLimitCoordinator

REDIRECTS = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """Hold a usable answer: `data` is its JSON, `headers` have lower-case names."""

    status: int
    data: Any
    headers: Mapping[str, str]
    url: str


@dataclass(slots=True, kw_only=True)
class _Call:
    """Hold one logical call across its sends; `deadline` is in seconds of the clock's `monotonic`."""

    method: str
    url: str
    lane: Lane
    deadline: float
    provider: str
    use_auth: bool
    json: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    wants_json: bool = True
    max_bytes: int = 32 * 1024 * 1024
    tries: int = 0
    redirects: int = 0

    @property
    def host(self) -> str:
        return host_of(self.url)


class Downloader:
    """Make requests; `auth(host)` returns the headers for exactly that host, and nothing for any other."""

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
    ) -> Answer:
        """Return the JSON answer; raise the `VendorError` tree otherwise.

        `deadline` (seconds of the clock's `monotonic`) bounds every wait of the call together; None takes the
        lane's longest wait from the settings.
        """
        call = _Call(
            method=method,
            url=url,
            lane=lane,
            deadline=self._deadline(lane, deadline),
            provider=provider,
            use_auth=use_auth,
            json=json,
            headers=headers or {},
        )
        response, verdict = await self._run(call)
        return Answer(response.status, verdict.data, response.headers, response.url)

    async def close(self) -> None:
        """Release the sockets."""
        await self._transport.close()

    def _deadline(self, lane: Lane, deadline: float | None) -> float:
        return self._clock.monotonic() + self._policy().max_wait(lane) if deadline is None else deadline

    async def _run(self, call: _Call) -> tuple[Response, Verdict]:
        """Send until the answer is usable, or an error says why it will not be."""
        while True:
            response, verdict = await self._attempt(call)
            if verdict.kind is Kind.OK:
                return response, verdict
            if verdict.kind is Kind.REDIRECT:
                self._follow(call, response)
                continue
            call.tries += verdict.kind is not Kind.RATE_LIMITED
            step = next_step(
                verdict,
                tries=call.tries,
                status=response.status,
                host=call.host,
                provider=call.provider,
                rng=self._rng,
            )
            if not isinstance(step, Again):
                raise step.error
            await self._pause(call, step.wait)

    async def _attempt(self, call: _Call) -> tuple[Response, Verdict]:
        """Send once, through guard and gate; a failure of the wire is tried again like a passing fault."""
        while True:
            self._guard.check(call.host)
            slot = await self._slot(call)
            try:
                response = await self._send(call, slot)
                return response, self._register(call, slot, response)
            except TransportFailure as failure:
                call.tries += 1
                error = failure
            finally:
                self._coordinator.finish(slot)
            await self._after_failure(call, error)

    async def _slot(self, call: _Call) -> Slot:
        try:
            return await self._coordinator.wait_for_slot(call.host, call.deadline, call.lane)
        except RateLimitError as error:
            error.provider = call.provider
            raise

    async def _send(self, call: _Call, slot: Slot) -> Response:
        """Send without awaiting anything first: the gate was tested in this very step of the loop."""
        host = slot.host
        self._guard.check(host)
        self._guard.begin(host)
        answered = False
        try:
            response = await self._transport.send(self._request(call))
            answered = True
        except TransportFailure:
            answered = True
            self._guard.record_failure(host)
            raise
        finally:
            if not answered:
                self._guard.abandon(host)
        self._guard.record_success(host)
        return response

    def _request(self, call: _Call) -> Request:
        auth = self._auth(call.host) if call.use_auth else {}
        return Request(
            method=call.method,
            url=call.url,
            headers={**call.headers, **auth},
            json=call.json,
            max_bytes=call.max_bytes,
        )

    def _register(self, call: _Call, slot: Slot, response: Response) -> Verdict:
        """Tell the gate what the answer means for its host."""
        verdict = judge(response, ceiling=self._policy().header_ceiling_seconds, wants_json=call.wants_json)
        if verdict.kind is Kind.RATE_LIMITED:
            self._coordinator.register_rate_limit(slot.host, verdict.delay, slot=slot)
            self._refuse_without_gate(call, slot.host)
        elif verdict.proves_capacity and not is_from_cache(response):
            self._coordinator.register_success(slot.host, slot=slot)
        return verdict

    def _refuse_without_gate(self, call: _Call, host: str) -> None:
        """Report a refusal at once where the user wants no waiting."""
        if not self._policy().gate_enabled:
            raise RateLimitError(
                host=host,
                provider=call.provider,
                retry_after=self._coordinator.remaining_seconds(host),
                retry_at=self._coordinator.retry_at(host),
                gate_handled=True,
            )

    async def _after_failure(self, call: _Call, failure: TransportFailure) -> None:
        self._guard.check(call.host)
        if call.tries >= TRIES:
            raise UnreachableError(
                f"{call.host} cannot be reached.", host=call.host, provider=call.provider
            ) from failure
        await self._pause(call, full_jitter(call.tries, self._rng))

    async def _pause(self, call: _Call, seconds: float) -> None:
        """Wait between two tries, within the call's deadline."""
        if seconds <= 0:
            return
        if self._clock.monotonic() + seconds > call.deadline:
            raise UnreachableError(host=call.host, provider=call.provider, retry_at=self._clock.wall() + seconds)
        await self._clock.sleep(seconds)

    def _follow(self, call: _Call, response: Response) -> None:
        """Go where the answer points; the key stays behind, because it is looked up by host for each send."""
        target = redirect_target(call.url, response.headers.get("location", ""))
        call.redirects += 1
        if target is None or call.redirects > REDIRECTS:
            raise VendorRefusedError("The vendor redirects to nowhere.", host=call.host, provider=call.provider)
        call.url = target
