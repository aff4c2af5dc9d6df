"""Stand-ins for what an import is plugged into: a reader of tiny text files, a provider, windows, a sink."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter

from py.core.errors import UnreadableImageError
from py.core.outcomes import AbsentConfirmed, Found, LookupKey
from py.core.settings_table import DEFAULTS
from py.recipes.draft import Draft, LoraUse, ModelUse, Reading
from py.vendors.model_info import ModelInfo

HOST = "civitai.test"


def write_image(path, *, prompt="a cat", checkpoint=None, loras=(), **fields):
    """Write what `read_text_image` reads; hashes are short hex, taken for AutoV2."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"prompt": prompt, "checkpoint": checkpoint, "loras": list(loras), **fields}))
    return path


def read_text_image(path):
    data = path.read_bytes()
    try:
        said = json.loads(data)
    except ValueError as error:
        raise UnreadableImageError("This is not an image.") from error
    content = hashlib.blake2b(data, digest_size=16).hexdigest()
    return Reading(draft=_draft(said), carriers=("png:parameters",), container="png", content_hash=content)


def kind_of(hash_):
    return "sha256" if len(hash_) == 64 else "autov2"


def _draft(said):
    if said.get("prompt") is None:
        return None
    checkpoint = said.get("checkpoint")
    return Draft(
        generator="a1111",
        prompt=said["prompt"],
        seed=said.get("seed"),
        checkpoint=ModelUse(name=f"model-{checkpoint}", hash=checkpoint, hash_type=kind_of(checkpoint))
        if checkpoint
        else None,
        loras=tuple(LoraUse(name=f"lora-{one}", hash=one, hash_type=kind_of(one)) for one in said.get("loras", ())),
    )


def model(name="A Model", **fields):
    return ModelInfo(version_id=fields.pop("version_id", 9), model_id=8, name=name, **fields)


class FakeProvider:
    """Answer from `answers` (a key's value -> outcome or a list of outcomes), else found; remember final answers.

    `asked` counts the look-ups; while `gate` is an unset event, every look-up waits for it.
    """

    def __init__(self, answers=None):
        self.answers = dict(answers or {})
        self.asked = Counter()
        self.cache = {}
        self.batches = []
        self.archive = {}
        self.gate = None

    async def known(self, keys):
        return {key: self.cache[key] for key in keys if key in self.cache}

    async def archived(self, keys):
        return {key: self.archive[key.value] for key in keys if key.value in self.archive}

    async def get_many(self, keys):
        self.batches.append(len(keys))
        return {key: await self.get_model_version_info(key) for key in keys}

    async def get_model_version_info(self, key: LookupKey, **_):
        if key in self.cache:
            return self.cache[key]
        self.asked[key.value] += 1
        if self.gate is not None:
            await self.gate.wait()
        await asyncio.sleep(0)
        outcome = self.answers.get(key.value, Found(model(f"Vendor {key.value}", base_model="SDXL 1.0"), "civitai"))
        if callable(outcome):
            outcome = outcome()
        if isinstance(outcome, list):
            outcome = outcome.pop(0) if len(outcome) > 1 else outcome[0]
        if isinstance(outcome, Found | AbsentConfirmed):
            self.cache[key] = outcome
        return outcome


class FakeWindows:
    """Hold vendors' windows, by host, in seconds that remain."""

    def __init__(self, clock):
        self._clock = clock
        self.until = {}
        self.waiting = set()

    def close(self, host, seconds):
        self.until[host] = self._clock.wall() + seconds

    def subscribe(self, _callback):
        return lambda: None

    def remaining_seconds(self, host):
        return max(0.0, self.until.get(host, 0.0) - self._clock.wall())

    def retry_at(self, host):
        return self.until.get(host) if self.remaining_seconds(host) else None

    rest_seconds = remaining_seconds
    rest_ends_at = retry_at

    def snapshot(self):
        return [{"host": host, "waiting": int(host in self.waiting)} for host in self.until]


class RecordingSink:
    def __init__(self, clock):
        self._clock = clock
        self.events = []

    def publish(self, event, data):
        self.events.append((event, self._clock.monotonic(), data))

    def of(self, event):
        return [data for name, _, data in self.events if name == event]


class FakeSettings(dict):
    """Be called for a setting, as SettingsManager.get is."""

    def __init__(self, **changes):
        super().__init__({**DEFAULTS, "civitai_api_base": f"https://{HOST}/api/v1", **changes})

    def __call__(self, name):
        return self[name]
