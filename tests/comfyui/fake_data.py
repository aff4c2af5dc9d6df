"""What the scripted back end tells: a job, a recipe, a model of the library."""

from __future__ import annotations

from typing import Any


def job(**changes: Any) -> dict[str, Any]:
    """Return a snapshot of a job in the middle of its work."""
    return {
        "operation_id": "job-1",
        "status": "running",
        "phase": "resolving",
        "source": "/pictures/2026",
        "total": 200,
        "completed": 120,
        "success": 112,
        "skipped": 8,
        "failed": 0,
        "skipped_reasons": {"duplicate": 8},
        "progress_percent": 60.0,
        "current_item": "mountain_0121.png",
        "items_per_second": 21.5,
        "eta_seconds": 4,
        "started_at": 1_800_000_000.0,
        "finished_at": None,
        "rate_limited": False,
        "limits": [],
        "message": None,
        "tags": [],
        **changes,
    }


def waiting_job(seconds: float = 192.0, **changes: Any) -> dict[str, Any]:
    """Return the same job held by CivitAI for `seconds`."""
    limit = {
        "host": "civitai.red",
        "retry_at": 1_800_000_500.0,
        "remaining_seconds": seconds,
        "waiting_items": 37,
    }
    return job(**{"rate_limited": True, "limits": [limit], **changes})


def recipe(number: int, **changes: Any) -> dict[str, Any]:
    """Return one recipe, whole; lists show the same fields and more. Every fifth misses two of its three models."""
    here = number % 5 != 0
    return {
        "id": str(number),
        "title": f"Mountain lake {number}",
        "created_at": 1_800_000_000.0 + number,
        "prompt": "a calm mountain lake at dawn, mist over the water, soft light, highly detailed",
        "negative_prompt": "blurry, text, watermark",
        "seed": 1_234_567 + number,
        "steps": 28,
        "cfg_scale": 6.5,
        "guidance": None,
        "sampler": "DPM++ 2M",
        "scheduler": "Karras",
        "width": 832,
        "height": 1216,
        "clip_skip": None,
        "denoise": None,
        "hires": {},
        "checkpoint": {
            "name": "juggernautXL_v9",
            "hash": "d91d35736d",
            "hash_type": "autov2",
            "model_version_id": 348913,
            "model_id": 133005,
            "state": "found",
            "source": "civitai",
            "here": here,
            "vendor_name": "Juggernaut XL",
            "version_name": "V9",
            "base_model": "SDXL 1.0",
        },
        "loras": [
            {"name": "misty_mornings", "strength_model": 0.8, "strength_clip": 0.8, "state": "found", "here": True},
            {"name": "old_and_gone", "strength_model": 0.35, "strength_clip": 0.3, "state": "absent", "here": here},
        ],
        "embeddings": [],
        "vae": None,
        "other_models": [],
        "has_workflow": True,
        "base_model": "SDXL 1.0",
        "tags": ["landscape"] if number % 3 else [],
        "favourite": number % 4 == 0,
        "rating": number % 6 or None,
        "notes": "",
        "nsfw_level": 4 if number % 8 == 2 else None,
        "missing": 0 if here else 2,
        "origins": {},
        "source": {
            "path": f"/pictures/2026/mountain_{number:04}.png",
            "generator": "A1111",
            "carriers": ["png:parameters"],
        },
        **changes,
    }


def model(number: int) -> dict[str, Any]:
    """Return one file of the model library."""
    states = ("synced", "archived_copy", "absent", "waiting", "unknown", "offline")
    return {
        "id": number,
        "type": "loras",
        "file_name": f"styles/misty_mornings_{number}.safetensors",
        "size": 228_000_000,
        "state": states[number % len(states)],
        "hashes": {},
        "title": f"Misty Mornings {number}",
        "version_name": "v2",
        "base_model": "SDXL 1.0",
        "trained_words": ["misty", "soft morning light"],
        "model_id": 1000 + number,
        "model_version_id": 2000 + number,
        "newer_version": {"model_version_id": 9, "name": "v3"} if number == 1 else None,
        "nsfw_level": 1,
        "retry_at": None,
        "host": None,
        "detail": None,
        "has_preview": False,
    }
